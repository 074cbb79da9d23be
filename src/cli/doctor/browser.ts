import { rateHeaders } from '../../rate-limit/headers.ts'
import type { Call } from './findings.ts'

/** An origin that stands for the pages of users. Nothing is there (RFC 2606). */
export const ORIGIN = 'https://app.example'

/** Whether a page of another origin could call the platform. */
export interface BrowserAccess {
  /** `null`: it cannot be told. */
  readonly allowed: boolean | null
  /** What stands in the way. */
  readonly issues: readonly string[]
  /** Whether pages may read the rate headers; `null`: it cannot be told. */
  readonly exposesRateHeaders: boolean | null
}

/** The question that a browser asks before it sends the request of a page. */
export function preflightInit(timeout: number): RequestInit {
  return {
    method: 'OPTIONS',
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
    headers: {
      origin: ORIGIN,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,content-type',
    },
  }
}

/** What the preflight, and the request of a page after it, were answered. */
export function browserAccess(calls: readonly Call[]): BrowserAccess {
  const preflight = calls.find(({ purpose }) => purpose === 'preflight')?.exchange
  if (preflight?.status === undefined) return { allowed: null, issues: [], exposesRateHeaders: null }
  const { status, headers } = preflight
  if (status < 200 || status > 299) {
    const issues = [`the preflight, OPTIONS /account, is answered with ${status}`]
    return { allowed: false, issues, exposesRateHeaders: null }
  }
  const issues: string[] = []
  if (!allowsOrigin(headers)) issues.push('the preflight has no Access-Control-Allow-Origin for other sites')
  const allowed = listOf(headers, 'Access-Control-Allow-Headers')
  // The wildcard does not stand for Authorization.
  if (!allowed.includes('authorization')) issues.push('Access-Control-Allow-Headers does not name Authorization')
  if (!allowed.includes('content-type') && !allowed.includes('*')) {
    issues.push('Access-Control-Allow-Headers does not name Content-Type')
  }
  const asPage = calls.find(({ purpose, path }) => purpose === 'list' && path === '/splash')
  const answer = issues.length === 0 && asPage?.reply ? asPage.exchange.headers : undefined
  if (answer && !allowsOrigin(answer)) issues.push('the answer to a GET has no Access-Control-Allow-Origin')
  const exposed = answer && listOf(answer, 'Access-Control-Expose-Headers')
  const rate = [rateHeaders.limit, rateHeaders.remaining, rateHeaders.reset]
  const exposesRateHeaders = exposed
    ? exposed.includes('*') || rate.every((name) => exposed.includes(name.toLowerCase()))
    : null
  return { allowed: issues.length === 0, issues, exposesRateHeaders }
}

const allowsOrigin = (headers: Headers): boolean => {
  const origin = headers.get('Access-Control-Allow-Origin')
  return origin === '*' || origin === ORIGIN
}

const listOf = (headers: Headers, name: string): string[] =>
  (headers.get(name) ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => item.trim())
