import { deviations } from '../../testing/index.ts'
import { duration } from './advice.ts'
import type { RateFinding } from './rate-and-clock.ts'
import type { Report, ReportedCall } from './report.ts'

/** A report as a table, for a terminal of so many columns. */
export function table(report: Report, columns: number): string {
  const width = Math.min(Math.max(columns, 60), 110)
  const item = (text: string, mark = '') => wrapped(text, width, `  ${mark}`)
  const named = (pairs: readonly (readonly [string, string])[]) => {
    const longest = longestOf(pairs.map(([name]) => name))
    return pairs.map(([name, text]) => item(text, `${name.padEnd(longest)}  `))
  }
  const { calls, verdict, advice, requests, deviations: found, leftOut } = report
  const longestCall = longestOf(calls.map(({ call }) => call))
  const longestRoute = longestOf(calls.map(routeOf))
  const rows = calls.flatMap((call) => {
    const { status, ms, issues } = call
    const cells = [
      markOf(call).padEnd(4),
      call.call.padEnd(longestCall),
      routeOf(call).padEnd(longestRoute),
      String(status ?? '-').padStart(4),
      `${ms} ms`.padStart(8),
    ]
    return [`  ${cells.join('  ')}`, ...issues.map((issue) => item(issueText(issue), '        '))]
  })
  return [
    `shortlink-sdk doctor  ${report.baseUrl ?? report.openerUrl}`,
    section('Calls', rows),
    section('Left out', leftOut.length > 0 ? [item(leftOut.join(', '))] : []),
    section('Server', named(factsOf(report))),
    section('Deviations from the reference', [
      ...named(found.map((name) => [name, deviations[name]])),
      ...(found.length > 0 ? [item('To test against the same:'), `    ${dialectOf(report)}`] : []),
      ...unseenOf(report).map((text) => item(text)),
    ]),
    section(
      'What to do',
      advice.length > 0 ? advice.map((text, index) => item(text, `${index + 1}. `)) : [item('Nothing.')],
    ),
    `\n\n${wrapped(verdict, width, '')}\n${requests === 1 ? '1 request was' : `${requests} requests were`} sent, and nothing was changed.\n`,
  ].join('')
}

/** A report as one fact on a line, for a pipe. */
export function plainLines(report: Report): string {
  const { calls, deviations: found, advice, leftOut } = report
  const lines: [name: string, text: string][] = [
    ...calls.flatMap((call): [string, string][] => {
      const { status, ms, issues } = call
      const line = `${markOf(call)} ${status ?? '-'} ${ms} ms ${routeOf(call)} ${call.call}`
      return [
        ['call', line],
        ...issues.map((issue): [string, string] => ['issue', `${routeOf(call)} ${issueText(issue)}`]),
      ]
    }),
    ...leftOut.map((call): [string, string] => ['left out', call]),
    ...factsOf(report),
    ...found.map((name): [string, string] => ['deviation', `${name}: ${deviations[name]}`]),
    ...(found.length > 0 ? [['paste', dialectOf(report)] as [string, string]] : []),
    ...unseenOf(report).map((text): [string, string] => ['deviations', text]),
    ...advice.map((text): [string, string] => ['advice', text]),
    ['requests', String(report.requests)],
    ['verdict', report.verdict],
  ]
  return `${lines.map(([name, text]) => `${name.toLowerCase()}: ${text}\n`).join('')}`
}

/** What is to say of the deviations that were not seen. */
function unseenOf({ deviations: found, notVisible, notLookedFor }: Report): string[] {
  const reasons = [...new Set(notVisible.map(({ why }) => why))]
  const lookedFor = Object.keys(deviations).length - notLookedFor.length
  if (notVisible.length === lookedFor) return [`Nothing can be told: ${reasons.join(', ')}.`]
  const namesFor = (reason: string) => notVisible.filter(({ why }) => why === reason).map(({ name }) => name)
  return [
    ...(found.length === 0 ? ['None were seen.'] : []),
    ...reasons.map((reason) => `Not visible, because ${reason}: ${namesFor(reason).join(', ')}.`),
    `Not looked for, because only POST, PUT and DELETE show them: ${notLookedFor.join(', ')}.`,
  ]
}

/** What a user pastes into his tests. */
function dialectOf({ deviations: found }: Report): string {
  return `createSandbox({ dialect: [${found.map((name) => `'${name}'`).join(', ')}] })`
}

/** What can be told of the server. */
function factsOf({ baseUrl, key, pages, rate, clock, cors, opener }: Report): [name: string, text: string][] {
  const facts: [string, string | undefined][] = [
    ['Key', key?.state === 'unknown' ? undefined : key?.says],
    ['Pages', pagesText(pages)],
    ['Rate', rate ? rateText(rate) : undefined],
    ['Clock', clock ? clockText(clock.ahead) : undefined],
    ['Browser', browserText(cors)],
    ['Opener', opener?.says ?? (baseUrl === null ? undefined : 'not asked: SHORTLINK_OPENER_URL is not set')],
  ]
  return facts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]))
}

function pagesText({ defaultSize, limit, cap, lastPage }: Report['pages']): string | undefined {
  if (defaultSize === null) return undefined
  const limitText = limit === 'capped' ? `a limit is capped at ${cap}` : `a limit is ${limit}`
  return [
    `${defaultSize} rows a page`,
    ...(limit === null ? [] : [limitText]),
    lastPage === null ? 'no last page was seen' : `nextpage of the last page is ${lastPage}`,
  ].join('; ')
}

function rateText(rate: RateFinding): string {
  if (rate.headers === 'hidden') return 'no answer has rate headers'
  const reset = rate.resetsIn === null ? '' : `; the next window begins in ${rate.resetsIn} s`
  return `${rate.remaining ?? '?'} of ${rate.limit ?? '?'} requests left${reset}`
}

function clockText(ahead: number): string {
  if (Math.abs(ahead) < 3) return 'the same as on this machine'
  return `${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} this machine`
}

function browserText({ allowed, issues, exposesRateHeaders }: Report['cors']): string | undefined {
  if (allowed === null) return undefined
  if (!allowed) return `pages of other sites cannot call it (${issues.join('; ')}): use shortlink-sdk/proxy`
  return exposesRateHeaders === false
    ? 'pages can call it, but not see the rate headers'
    : 'pages of other sites can call it'
}

function markOf({ ok, issues }: ReportedCall): string {
  return !ok ? 'FAIL' : issues.some(({ message }) => !message.startsWith('refused')) ? 'note' : 'ok'
}

const routeOf = ({ method, path }: ReportedCall): string => `${method} ${path}`

function issueText({ path, message, times }: ReportedCall['issues'][number]): string {
  return `${path && `${path}: `}${message}${times > 1 ? ` (${times} times)` : ''}`
}

const longestOf = (texts: readonly string[]): number => Math.max(0, ...texts.map(({ length }) => length))

function section(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? `\n\n${title}\n${lines.join('\n')}` : ''
}

/** A text in lines, the first one behind `mark`, the others as far in. */
function wrapped(text: string, width: number, mark: string): string {
  const lines: string[] = []
  let line = mark
  for (const word of text.split(' ')) {
    if (line.trim() !== mark.trim() && line.length + word.length >= width) {
      lines.push(line.trimEnd())
      line = ' '.repeat(mark.length)
    }
    line += `${word} `
  }
  return [...lines, line.trimEnd()].join('\n')
}
