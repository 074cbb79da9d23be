import type * as z from 'zod/mini'
import type { Issue } from '../../errors.ts'
import { account } from '../../resources/account.ts'
import { linkDetails } from '../../resources/links/link.ts'
import { qrDetails } from '../../resources/qr.ts'
import type { Call, Examination } from './examine.ts'
import { findingsOf, isRead, wordsOf } from './findings.ts'
import { itemsOf, lists, unknownWords } from './lists.ts'
import { shapeOf } from './samples.ts'
import { deviationsOf } from './signs.ts'

/** What the doctor found: plain data without the key and without values of rows, so it can be pasted anywhere. */
export type Report = ReturnType<typeof reportOf>

export type ReportedCall = Report['calls'][number]

export function reportOf(seen: Examination) {
  const { subject, redact, checkedAt, calls, leftOut } = seen
  const shownUrl = (url: string | undefined) => (url === undefined ? null : redact(url))
  const deviations = deviationsOf(seen)
  const findings = findingsOf(seen, deviations.deviations)
  const problem = findings.map((finding) => finding.problem).find(Boolean)
  const names = ['key', 'pages', 'rate', 'clock', 'browser', 'opener']
  const facts = names.map((name) => [name, findings.find((finding) => finding.name === name)?.says])
  const issues = issuesOf(seen)
  return {
    baseUrl: shownUrl(subject.baseUrl),
    openerUrl: shownUrl(subject.openerUrl),
    checkedAt: checkedAt.toISOString(),
    requests: calls.length,
    works: problem === undefined,
    verdict: problem ?? (leftOut.length > 0 ? 'The client will work, as far as was checked.' : 'The client will work.'),
    calls: calls.map((seen) => {
      const { call, method, path, status = null, ms } = seen
      return { call, method, path, status, ok: isAsExpected(seen), ms, issues: issues(seen) }
    }),
    leftOut,
    /** What can be told of the server, in words. */
    server: Object.fromEntries(facts.filter(([, says]) => says !== undefined)) as Record<string, string>,
    ...deviations,
    advice: findings.flatMap(({ advice = [] }) => advice),
  }
}

/** Whether a call ended as it should, which for a wrong key is a refusal. */
function isAsExpected({ purpose, status, reply, issues }: Call): boolean {
  if (purpose === 'preflight') return status !== undefined
  if (purpose === 'wrong key' || purpose === 'no key') return reply?.ok === false
  const isWanted = purpose === 'account' || purpose === 'list' || purpose === 'single'
  // Of the others the response is of interest, whatever it is.
  return reply !== undefined && issues.length === 0 && (reply.ok || !isWanted)
}

/** How many issues of one call are reported. */
const MAX_ISSUES = 10

/** What is invalid in the response of a call: each kind once, without values, and in how many rows it is. */
function issuesOf({ pages, samples, redact }: Examination) {
  const values = new Set(
    samples.flatMap(({ raw }) => Object.entries(raw)).flatMap(([name, value]) => (name === 'type' ? [] : [value])),
  )
  // A text that may be something else than a word is not shown.
  const isShown = (word: string) => /^[a-z][a-z0-9_-]{0,29}$/i.test(word) && !values.has(word) && redact(word) === word
  return (call: Call) => {
    const { reply, purpose, path } = call
    if (!reply) return purpose === 'preflight' ? [] : [{ path: '', message: wordsOf(call).says, times: 1 }]
    const refusal = isRead(call) && !reply.ok ? [{ path: [], message: `refused with ${reply.status}` }] : []
    const read = purpose === 'list' ? pages.filter(({ list }) => list.path === path) : []
    const words = read.flatMap((page) =>
      unknownWords(page).map((word) => ({
        path: ['data', page.list.keys[0]!, 0, 'type'],
        message: isShown(word) ? `unknown word '${word}'` : 'an unknown word',
      })),
    )
    const found = new Map<string, { path: string; message: string; times: number }>()
    for (const { path, message } of [...refusal, ...call.issues, ...words]) {
      const issue = { path: shownPath(path), message }
      const key = `${issue.path} ${message}`
      found.set(key, { ...issue, times: (found.get(key)?.times ?? 0) + 1 })
    }
    return [...found.values()].slice(0, MAX_ISSUES)
  }
}

/** A path without positions, and with a star for a name that is not documented: it may be a label of the user's. */
function shownPath(path: Issue['path']): string {
  return path.reduce<string>((done, part) => {
    if (/^\d+$/.test(String(part))) return `${done}[]`
    return `${done}${done && '.'}${documented.has(String(part)) ? part : '*'}`
  }, '')
}

const namesOf = (schema: z.ZodMiniType): string[] =>
  Object.entries(shapeOf(schema) ?? {}).flatMap(([name, field]) => [name, ...namesOf(field)])

/** Every name of a field that is documented. */
const documented = new Set([
  ...['data', 'result', 'perpage', 'currentpage', 'nextpage', 'maxpage'],
  ...[...lists, itemsOf(1)].flatMap(({ keys, row }) => [...keys, ...namesOf(row)]),
  ...[account, qrDetails, linkDetails].flatMap(namesOf),
])
