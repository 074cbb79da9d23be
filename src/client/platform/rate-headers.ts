import type { RateLimitState } from '../errors.ts'

/**
 * The rate-limit headers, spelled as in the reference. The management API allows 30 requests a minute, unless the plan
 * of the account has another limit, and all of its responses have the first three.
 */
export const rateHeaders = {
  limit: 'X-RateLimit-Limit',
  remaining: 'X-RateLimit-Remaining',
  reset: 'X-RateLimit-Reset',
  retryAfter: 'Retry-After',
  // The server's clock, which the reset and a Retry-After date are measured against.
  date: 'Date',
} as const

/** The part of `Headers` that is used, so that the headers of any fetch can be parsed. */
export interface HeadersLike {
  get(name: string): string | null
}

/** The parsed rate headers of a response. A missing or malformed one is `undefined`. */
export interface ParsedRateHeaders {
  /** Requests allowed in one window. */
  readonly limit: number | undefined
  /** Requests left in the window. */
  readonly remaining: number | undefined
  /** When the window ends, in Unix seconds on the server's clock. */
  readonly reset: number | undefined
  /** When the server sent the response, in Unix milliseconds on its own clock. */
  readonly date: number | undefined
}

/** The maximum length of a window, in milliseconds. A reset that is further away is ignored. */
export const DAY = 86_400_000

/** Parses the rate headers. Only plain non-negative integers count. */
export function parseRateHeaders(headers: HeadersLike): ParsedRateHeaders {
  return {
    limit: parseCount(headers.get(rateHeaders.limit)),
    remaining: parseCount(headers.get(rateHeaders.remaining)),
    reset: parseCount(headers.get(rateHeaders.reset)),
    date: parseHttpDate(headers.get(rateHeaders.date)),
  }
}

/** Reads the state of the rate limit from one response, with the reset converted to this machine's clock. */
export function readRateLimitState(headers: HeadersLike): RateLimitState {
  const { limit, remaining, reset = NaN, date } = parseRateHeaders(headers)
  const now = Date.now()
  const untilReset = reset * 1000 - (date ?? now)
  const resetAt = Math.abs(untilReset) <= DAY ? new Date(now + untilReset) : undefined
  return { limit, remaining, resetAt, queued: 0 }
}

/**
 * Returns the wait that a response asks for, in seconds: from the `Retry-After` header (a number or a date), or else
 * from a `Retry-After` key in the parsed body.
 */
export function parseRetryAfter(headers: HeadersLike, body: unknown): number | undefined {
  const header = headers.get(rateHeaders.retryAfter)
  const seconds = parseSeconds(header)
  if (seconds !== undefined) return seconds
  const date = parseHttpDate(header)
  if (date === undefined) return parseSeconds((body as Record<string, unknown> | null | undefined)?.['Retry-After'])
  const now = parseHttpDate(headers.get(rateHeaders.date)) ?? Date.now()
  return Math.max(0, (date - now) / 1000)
}

/** Accepts at most 15 digits, which are always a safe integer. */
function parseCount(value: string | null): number | undefined {
  return /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined
}

/** Accepts fractions, which some servers send, and at most 12 digits, which are 30,000 years. */
function parseSeconds(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  return /^\d{1,12}(\.\d+)?$/.test(String(value)) ? Number(value) : undefined
}

/** Checks the format first, because `Date.parse` accepts `-5` as a date. */
function parseHttpDate(value: string | null): number | undefined {
  const date = /^[A-Z][a-z]{2,8}, [\w: -]{1,40} GMT$/.test(String(value)) ? Date.parse(String(value)) : NaN
  return Number.isNaN(date) ? undefined : date
}
