import { createRedactor, redactLine } from '../../http/secrets.ts'
import type { Deviation } from '../../testing/index.ts'
import { adviceOf, type Verdict, verdictOf } from './advice.ts'
import { type BrowserAccess, browserAccess } from './browser.ts'
import { type Deviations, deviationsOf } from './deviations.ts'
import type { Call, Findings } from './findings.ts'
import { issuesOf, type ReportedIssue } from './issues.ts'
import { type KeyFinding, keyFinding } from './key.ts'
import { type PagesFinding, pagesFinding } from './pages.ts'
import { clockOffset, type RateFinding, rateFinding } from './rate-and-clock.ts'

/** What the doctor found: plain data, without the key, without values of rows, and safe to paste anywhere. */
export interface Report {
  readonly baseUrl: string | null
  readonly openerUrl: string | null
  readonly checkedAt: string
  /** Requests that were sent. */
  readonly requests: number
  readonly works: boolean
  readonly verdict: string
  readonly calls: readonly ReportedCall[]
  readonly leftOut: readonly string[]
  readonly key: KeyFinding | null
  readonly pages: PagesFinding
  readonly rate: RateFinding | null
  /** `ahead`: seconds by which the server's clock is ahead of this machine's. */
  readonly clock: { readonly ahead: number } | null
  readonly cors: BrowserAccess
  /** What can be told of the opener without making a link there; `null`: it was not asked. */
  readonly opener: { readonly reached: boolean; readonly says: string } | null
  /** Names for `createSandbox({ dialect: [...] })` of `shortlink-sdk/testing`. */
  readonly deviations: readonly Deviation[]
  readonly notVisible: Deviations['notVisible']
  readonly notLookedFor: readonly Deviation[]
  readonly advice: readonly string[]
}

export interface ReportedCall {
  readonly call: string
  readonly method: string
  readonly path: string
  readonly status: number | null
  /** Whether it ended as it should, which for a wrong key is a refusal. */
  readonly ok: boolean
  readonly ms: number
  readonly issues: readonly ReportedIssue[]
}

/** The longest text of a report. */
const MAX_TEXT = 600

export function reportOf(findings: Findings): Report {
  const { subject, checkedAt, requests, calls, leftOut } = findings
  const { baseUrl, openerUrl, apiKey } = subject
  const { found, notVisible, notLookedFor } = deviationsOf(findings)
  const clock = clockOffset(findings)
  const verdict: Verdict = verdictOf(findings)
  const report: Report = {
    baseUrl: baseUrl ?? null,
    openerUrl: openerUrl ?? null,
    checkedAt: checkedAt.toISOString(),
    requests,
    works: verdict.works,
    verdict: verdict.says,
    calls: calls.map((call) => reportedCall(call, findings)),
    leftOut,
    key: baseUrl === undefined ? null : keyFinding(calls),
    pages: pagesFinding(findings),
    rate: rateFinding(findings),
    clock: clock === null ? null : { ahead: clock },
    cors: browserAccess(calls),
    opener: openerFinding(calls),
    deviations: found,
    notVisible,
    notLookedFor,
    advice: adviceOf(findings),
  }
  const redact = apiKey === undefined ? (text: string) => text : createRedactor(apiKey)
  return safe(report, redact)
}

function reportedCall(call: Call, findings: Findings): ReportedCall {
  const { method, path, exchange } = call
  const { status = null, ms } = exchange
  return { call: call.call, method, path, status, ok: isAsExpected(call), ms, issues: issuesOf(call, findings) }
}

function openerFinding(calls: readonly Call[]): Report['opener'] {
  const call = calls.find(({ purpose }) => purpose === 'opener')
  if (!call) return null
  if (!call.reply) return { reached: false, says: call.failure?.says ?? 'not reached' }
  const { ok, status, body } = call.reply
  const isDocumented = !ok && typeof body.error === 'string'
  const says = isDocumented
    ? 'reached: it refuses GET, as the reference says'
    : `reached: it answers GET with ${status}`
  return { reached: true, says }
}

function isAsExpected({ purpose, exchange, failure, reply, issues }: Call): boolean {
  if (failure) return false
  switch (purpose) {
    case 'preflight':
      return exchange.status !== undefined
    case 'wrong key':
    case 'no key':
      return reply?.ok === false
    // The answer is of interest, whatever it is.
    case 'limit':
    case 'unknown id':
    case 'api path':
    case 'opener':
      return reply !== undefined && issues.length === 0
    default:
      return reply?.ok === true && issues.length === 0
  }
}

/** The same data with no key, no control characters and no endless text in it. */
function safe<T>(value: T, redact: (text: string) => string): T {
  const text = JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'string' ? redactLine(redact, item, MAX_TEXT) : item,
  )
  return JSON.parse(text) as T
}
