import {
  type ApiError,
  apiError,
  type CallFacts,
  ConfigurationError,
  ConnectionError,
  describe,
  InvalidResponseError,
  type Issue,
  isError,
  type RateLimitState,
  TimeoutError,
} from '../errors.ts'
import { parseRetryAfter } from '../rate-limit/headers.ts'
import { EXPIRED } from '../runtime/deadline.ts'
import type { PreparedCall } from './request.ts'
import { mayRepeat, neverOpened } from './retry.ts'

/** The reason of an attempt that no answer came to: the signal's own after an abort, else one of our errors. */
export function noAnswer(call: PreparedCall<unknown>, thrown: unknown, attempt: number): unknown {
  const { method, path, replayable, signal, timeout, apiKey } = call
  if (signal?.aborted) return signal.reason
  if (thrown instanceof ConfigurationError) {
    return new ConfigurationError(thrown.message, { method, path, attempts: attempt - 1 })
  }
  const notSent = neverOpened(thrown)
  const retryable = mayRepeat({ method, replayable, notSent, status: undefined })
  const facts: CallFacts = { method, path, attempts: attempt, outcome: notSent ? 'not-sent' : 'unknown', retryable }
  if (thrown === EXPIRED) return new TimeoutError(timeout as number, facts)
  const cause = apiKey.redactCause(thrown)
  return new ConnectionError(`no answer came: ${innermost(cause) || 'fetch gave no reason'}`, facts, { cause })
}

/** The server said no. */
export function refusal(
  call: PreparedCall<unknown>,
  answer: { status: number; message: string; response: Response; body: unknown; rateLimit: RateLimitState },
  attempt: number,
): ApiError {
  const { method, path, replayable, apiKey, api } = call
  const { status, response, rateLimit } = answer
  const body = apiKey.redactBody(answer.body)
  const outcome = status >= 500 ? 'unknown' : 'rejected'
  const retryable = mayRepeat({ method, replayable, notSent: false, status })
  const headers = apiKey.redactHeaders(response.headers)
  const said =
    redirect(call, response, headers) ??
    // A 200 that says no has nothing to tell but “OK”.
    (answer.message ||
      (!response.ok && response.statusText) ||
      (typeof body === 'string' ? notJson(body) : 'no message'))
  const hint =
    api.usesKey && (status === 401 || status === 403)
      ? ' (some hosts drop the Authorization header before it reaches the application, so that a good key is refused too)'
      : ''
  return apiError(
    `${status} ${apiKey.redact(said)}${hint}`,
    { status, body, headers, rateLimit },
    { method, path, attempts: attempt, outcome, retryable },
    parseRetryAfter(response.headers, body),
  )
}

/** The answer is not what the reference says: a body that cannot be read, or rows that do not fit. */
export function invalidResponse(
  { method, path, apiKey }: PreparedCall<unknown>,
  answer: { response: Response; body: unknown; issues?: readonly Issue[] },
  attempt: number,
): InvalidResponseError {
  const { status } = answer.response
  const body = apiKey.redactBody(answer.body)
  const issues = apiKey.redactIssues(answer.issues ?? [])
  const problem = issues.length ? `the answer does not fit: ${describe(issues)}` : `${status} ${notJson(body)}`
  return new InvalidResponseError(
    problem,
    { status, body, issues },
    { method, path, attempts: attempt, outcome: 'unknown' },
  )
}

/** Where a redirect leads, and what to do about it. */
function redirect(
  { url, api }: PreparedCall<unknown>,
  { status, type }: Response,
  headers: Headers,
): string | undefined {
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return undefined
  const location = headers.get('location')
  // A browser hides the address.
  const target =
    location === null ? 'another address' : URL.canParse(location, url) ? new URL(location, url).href : location
  return `redirected to ${target}. No redirect is followed, because a POST would turn into a GET: set ${api.setBy} to the new address`
}

function notJson(body: unknown): string {
  if (typeof body !== 'string') return 'the answer is JSON, but no object'
  if (body.trim() === '') return 'the answer is empty'
  return /^\s*</.test(body)
    ? 'the answer is an HTML page, not JSON: a gateway, maintenance, or a wrong address'
    : 'the answer is not JSON, or was cut short'
}

/** The message of the first cause, which says most. */
function innermost(cause: unknown): string {
  if (!isError(cause)) return String(cause ?? '')
  const { code } = cause as { code?: string }
  return isError(cause.cause) ? innermost(cause.cause) : cause.message || code || cause.name
}
