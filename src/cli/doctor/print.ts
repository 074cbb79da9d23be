import { deviations } from '../../testing/index.ts'
import type { Report, ReportedCall } from './report.ts'
import { NO_LIST } from './signs.ts'

/** A fact, and its name in a pipe. */
const line = (name: string, text: string) => [name, text] as const
type Line = ReturnType<typeof line>

/** A report as text: sections for a terminal of so many columns, or one fact on a line for a pipe. */
export function print(report: Report, columns?: number): string {
  const { calls, leftOut, server, deviations: found, advice, verdict, requests } = report
  const longest = Math.max(0, ...calls.map((call) => routeOf(call).length))
  const sections: Readonly<Record<string, readonly Line[]>> = {
    Calls: calls.flatMap((call) => [
      line('call', callText(call, longest)),
      ...call.issues.map((issue) => line('issue', `${routeOf(call)}: ${issueText(issue)}`)),
    ]),
    'Left out': leftOut.map((call) => line('left out', call)),
    Server: Object.entries(server),
    'Deviations from the reference': [
      ...found.map((name) => line('deviation', `${name}: ${deviations[name]}`)),
      ...(found.length > 0 ? [line('paste', dialectOf(report))] : []),
      ...unseenOf(report).map((text) => line('deviations', text)),
    ],
    'What to do': advice.map((text) => line('advice', text)),
    Verdict: [line('verdict', `${verdict} Requests sent: ${requests}. Nothing was changed.`)],
  }
  const filled = Object.entries(sections).filter(([, lines]) => lines.length > 0)
  if (columns === undefined) return filled.flatMap(([, lines]) => lines.map((line) => `${line.join(': ')}\n`)).join('')
  const width = Math.min(Math.max(columns, 60), 110)
  const shown = filled.map(([title, lines]) => {
    const items = lines.map(([name, text]) => wrapped(title === 'Server' ? `${name.padEnd(9)}${text}` : text, width))
    return `\n${title}\n${items.join('\n')}\n`
  })
  return `shortlink-sdk doctor  ${report.baseUrl ?? report.openerUrl}\n${shown.join('')}`
}

/** What is to say of the deviations that were not seen. */
function unseenOf({ deviations: found, notVisible, notLookedFor }: Report): string[] {
  const reasons = [...new Set(notVisible.map(({ why }) => why))]
  const namesFor = (reason: string) => notVisible.filter(({ why }) => why === reason).map(({ name }) => name)
  if (reasons.includes(NO_LIST)) return [`Nothing more can be told, because ${NO_LIST}.`]
  return [
    ...(found.length === 0 && notVisible.length === 0 ? ['None were seen.'] : []),
    ...reasons.map((reason) => `Not visible, because ${reason}: ${namesFor(reason).join(', ')}.`),
    `Not checked, because only POST, PUT and DELETE show them: ${notLookedFor.join(', ')}.`,
  ]
}

/** What a user pastes into their tests. */
function dialectOf({ deviations: found }: Report): string {
  return `createSandbox({ dialect: [${found.map((name) => `'${name}'`).join(', ')}] })`
}

function callText(call: ReportedCall, longest: number): string {
  const isNote = call.issues.some(({ message }) => !message.startsWith('refused'))
  const mark = !call.ok ? 'FAIL' : isNote ? 'note' : 'ok'
  const cells = [mark.padEnd(4), String(call.status ?? '-').padStart(3), `${call.ms} ms`.padStart(8)]
  return [...cells, routeOf(call).padEnd(longest), call.call].join('  ')
}

const routeOf = ({ method, path }: ReportedCall): string => `${method} ${path}`

function issueText({ path, message, times }: ReportedCall['issues'][number]): string {
  return `${path && `${path}: `}${message}${times > 1 ? ` (${times} times)` : ''}`
}

/** A text in indented lines, each shorter than the width if its words allow that. What is to be pasted stays whole. */
function wrapped(text: string, width: number): string {
  if (text.startsWith('createSandbox(')) return `  ${text}`
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.pop()!
    if (line && line.length + word.length + 5 > width) lines.push(line, word)
    else lines.push(line ? `${line} ${word}` : word)
  }
  return `  ${lines.join('\n    ')}`
}
