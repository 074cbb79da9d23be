import type * as z from 'zod/mini'
import type { Issue } from '../../errors.ts'
import { account } from '../../resources/account.ts'
import { linkDetails } from '../../resources/links/link.ts'
import { qrDetails } from '../../resources/qr.ts'
import type { Call, Findings } from './findings.ts'
import { itemsOf, lists, type ReadPage } from './lists.ts'
import { shapeOf } from './samples.ts'
import { unknownWords } from './words.ts'

/** What does not fit in one answer, at one place of all its rows. It holds no value. */
export interface ReportedIssue {
  /** Such as `data.campaigns[].id`; empty for the answer as a whole. */
  readonly path: string
  readonly message: string
  /** In how many rows. */
  readonly times: number
}

/** How many issues of one call are reported. */
const MAX_ISSUES = 10

/** What is to say of a call, in the order of importance. */
export function issuesOf(call: Call, findings: Findings): ReportedIssue[] {
  const { failure, reply, issues } = call
  if (failure) return [{ path: '', message: failure.says, times: 1 }]
  const refusal = isUnwanted(call) && reply ? [{ path: [], message: `refused with ${reply.status}` }] : []
  const page = findings.pages.find(({ list }) => call.purpose === 'list' && list.path === call.path)
  const words = page ? wordIssues(page, findings) : []
  return [...grouped([...refusal, ...issues]), ...words].slice(0, MAX_ISSUES)
}

/** Whether a call was refused that should not be. */
function isUnwanted({ purpose, reply }: Call): boolean {
  return reply?.ok === false && ['account', 'list', 'single', 'limit'].includes(purpose)
}

function grouped(issues: readonly Issue[]): ReportedIssue[] {
  const times = new Map<string, ReportedIssue>()
  for (const { path, message } of issues) {
    // This message holds what the server sent for the number of the page.
    const isPage = path.at(-1) === 'currentpage' && message.startsWith('asked for')
    const issue = { path: shownPath(path), message: isPage ? 'is another page than the one asked for' : message }
    const key = `${issue.path} ${issue.message}`
    times.set(key, { ...issue, times: (times.get(key)?.times ?? 0) + 1 })
  }
  return [...times.values()]
}

/** A path without positions, and with a star for a key that is no documented name: it may be a label or a name of the user's. */
function shownPath(path: Issue['path']): string {
  return path.reduce<string>((done, part) => {
    if (typeof part === 'number' || /^\d+$/.test(part)) return `${done}[]`
    return `${done}${done && '.'}${documented.has(part) ? part : '*'}`
  }, '')
}

const envelope = ['data', 'result', 'perpage', 'currentpage', 'nextpage', 'maxpage']

/** Every name of a field that is documented. */
const documented = new Set([
  ...envelope,
  ...[...lists, itemsOf(1)].flatMap(({ keys, row }) => [...keys, ...namesOf(row)]),
  ...[account, qrDetails, linkDetails].flatMap(namesOf),
])

function namesOf(schema: z.ZodMiniType): string[] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, field]) => [name, ...namesOf(field)])
}

/** The words that the doctor does not understand. One that may be something else than a word is not shown. */
function wordIssues(page: ReadPage, { samples }: Findings): ReportedIssue[] {
  const others = samples.flatMap(({ raw }) => Object.entries(raw)).filter(([name]) => name !== 'type')
  const values = new Set(others.map(([, value]) => value))
  const path = ['data', page.list.keys[0]!, 0, 'type']
  return grouped(
    unknownWords(page).map((word) => {
      const isShown = /^[a-z][a-z0-9_-]{0,29}$/i.test(word) && !values.has(word)
      return { path, message: isShown ? `unknown word '${word}'` : 'an unknown word' }
    }),
  )
}
