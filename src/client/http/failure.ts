/** The certain facts about a call that failed, from what fetch threw or the server responded: its outcome, and if it is retried. */
import {
  AbortError,
  type AnyShortLinkError,
  apiError,
  ConfigurationError,
  ConnectionError,
  describe,
  type ErrorContext,
  InvalidResponseError,
  type Issue,
  type Outcome,
  RateLimitError,
  type ShortLinkError,
  TimeoutError,
} from '../errors.ts'
import { isSlotRefusal, MAX_IMPOSED_WAIT } from '../rate-limit/limiter.ts'
import { abortReason, EXPIRED } from '../runtime/abort.ts'
import { type FetchResponse, readableHeaders } from '../runtime/fetch.ts'
import { adviceAboutBody, adviceAboutRefusal, MAX_QUOTED, redirectWords } from './advice.ts'
import { BodyTooLargeError, describeUnreadable } from './body.ts'
import { isOfPlatform, type Received, type Refusal } from './envelope.ts'
import { causesOf, failureOfFetch, innermostReason, outcomeOf } from './fetch-failure.ts'
import type { Call, Failure } from './request.ts'
import { redactBody, redactCause, redactHeaders, redactIssues, redactLine } from './secrets.ts'

/** Thrown if an attempt fails for a reason that fetch does not know. It is not retried, because the work may have been done. */
export class AttemptError extends Error {
  /** The words of somebody else, such as a stream. They may contain a secret. */
  readonly quoted: string

  constructor(words: string, quoted = '', options?: ErrorOptions) {
    super(words, options)
    this.quoted = quoted
  }
}

/** Error context for a call that has come this far. */
export function errorContext(
  { method, path, url, context, attempt, mayHaveSucceeded }: Call<unknown>,
  ownOutcome: Outcome,
  mayRepeat: boolean,
  attempts = attempt,
): ErrorContext {
  const { operation, isRepeatable, calledFrom } = context
  const outcome = context.outcome ?? (mayHaveSucceeded ? 'unknown' : ownOutcome)
  const retryable = mayRepeat || (isRepeatable === true && outcome === 'unknown')
  return { method, path, url, operation, attempts, outcome, retryable, calledFrom }
}

/** The error of a call that the limiter gave no slot: an abort, the limit that lets nothing through in time, or its own failure. */
export function noSlot(call: Call<unknown>, reason: unknown): ShortLinkError {
  const { signal, redact, connection } = call
  const context = errorContext(call, 'not-sent', true)
  if (signal?.aborted) return new AbortError(abortReason(signal), context)
  if (!isSlotRefusal(reason)) {
    const cause = redactCause(redact, reason)
    return new ConnectionError(`the rate limiter failed: ${innermostReason(cause)}`, context, { cause })
  }
  const { ms } = reason
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  const rateLimit = connection.limiter!.state
  const words =
    reason.reason === 'imposed'
      ? `the server said to wait another ${seconds} s, and a call waits ${MAX_IMPOSED_WAIT / 1000} s at most`
      : `would wait about ${seconds} s for the rate limit, longer than the deadline allows`
  const refusal = {
    status: 429,
    httpStatus: 429,
    serverMessage: '',
    isOfPlatform: false,
    body: undefined,
    headers: new Headers(),
    rateLimit: { ...rateLimit, resetAt: rateLimit.resetAt ?? new Date(Date.now() + ms) },
  }
  return new RateLimitError(words, refusal, context, seconds)
}

const transientStatuses = [408, 429, 500, 502, 503, 504]

/**
 * Returns true if a failed request can be retried without doing its work twice.
 *
 * GET, PUT and DELETE have the same effect however often they arrive, so they are retried after lost connections, timeouts
 * and transient statuses. A POST creates something each time, so it is retried only if it was certainly not done: refused
 * because of the rate limit, or never sent. A body that can be read only once cannot be retried.
 */
function mayRepeat(
  { method, spec: { upload } }: Call<unknown>,
  { isSent, status }: { readonly isSent: boolean; readonly status?: number },
): boolean {
  if (upload && !upload.replayable) return false
  if (!isSent || status === 429) return true
  return method !== 'POST' && method !== 'PATCH' && (status === undefined || transientStatuses.includes(status))
}

/** An exchange without a readable response. */
export interface BrokenExchange {
  readonly thrown: unknown
  /** The step that the attempt was at. */
  readonly step: 'hook' | 'key' | 'content' | 'sent'
  /** The time of the attempt, in milliseconds, and true if the deadline of the call decided it. */
  readonly limit: { readonly ms: number; readonly isDeadline: boolean }
  readonly response: FetchResponse | undefined
}

/** The failure of an attempt that got no response, or an unreadable one. */
export function noResponse(call: Call<unknown>, { thrown, step, limit, response }: BrokenExchange): Failure {
  const { redact, signal } = call
  const isSent = step === 'sent'
  const isRepeatable = mayRepeat(call, { isSent })
  const attempts = isSent ? call.attempt : Math.max(0, call.attempt - 1)
  const failWith = (
    ownOutcome: Outcome,
    mayRepeat: boolean,
    makeError: (context: ErrorContext) => ShortLinkError,
  ): Failure => {
    const outcome = isSent ? ownOutcome : 'not-sent'
    const error = makeError(errorContext(call, outcome, mayRepeat, attempts))
    return { error, mayRepeat, outcome, isSent: outcome !== 'not-sent' }
  }

  if (signal?.aborted) {
    return failWith('unknown', false, (context) => new AbortError(abortReason(signal), context))
  }
  if (thrown === EXPIRED) {
    const ms = Math.ceil(limit.ms)
    const words =
      expiredWords[step] + (limit.isDeadline ? ` before the deadline, ${ms} ms were left` : ` within ${ms} ms`)
    return failWith('unknown', isRepeatable, (context) => new TimeoutError(ms, context, words))
  }
  if (step === 'hook') {
    const cause = redactCause(redact, thrown)
    const words = `beforeRequest: ${innermostReason(cause)}`
    return failWith('not-sent', false, (context) => new ConfigurationError(words, context, { cause }))
  }
  // The key is missing or invalid. What fetch throws is no error of ours.
  if (thrown instanceof ConfigurationError && step === 'key') {
    return failWith('not-sent', false, (context) => new ConfigurationError(redact(thrown.message), context))
  }
  if (thrown instanceof AttemptError) {
    const { message, quoted, cause } = thrown
    const words = message + (quoted && `: ${redactLine(redact, quoted, MAX_QUOTED)}`)
    return failWith(
      'unknown',
      false,
      (context) => new ConnectionError(words, context, cause === undefined ? {} : { cause }),
    )
  }
  if (thrown instanceof BodyTooLargeError && response) {
    const read = { status: response.status, body: undefined, issues: [] }
    return failWith('unknown', false, (context) => new InvalidResponseError(thrown.message, read, context))
  }
  const cause = redactCause(redact, thrown)
  const reason = innermostReason(cause)
  const options = cause === undefined ? {} : { cause }
  if (response) {
    const words = `the response broke off: ${reason}`
    return failWith('unknown', isRepeatable, (context) => new ConnectionError(words, context, options))
  }
  const { outcome, isFinal, words, advice } = failureOfFetch(call, causesOf(thrown), reason)
  return failWith(
    outcome,
    !isFinal && mayRepeat(call, { isSent: isSent && outcome !== 'not-sent' }),
    (context) => new ConnectionError(words + (advice?.words ?? ''), { ...context, advice: advice?.advice }, options),
  )
}

/** The error of a call that ended with something unexpected, such as a Request that the environment refuses to create. */
export function unexpected(call: Call<unknown>, thrown: unknown): AnyShortLinkError {
  const step = call.attempt === 0 ? 'content' : 'sent'
  const exchange = { thrown, step, limit: { ms: 0, isDeadline: false }, response: undefined } as const
  return noResponse(call, exchange).error as AnyShortLinkError
}

/** The words for a step that had not ended when the time of an attempt was over. */
const expiredWords = {
  hook: '`beforeRequest` had not ended',
  key: 'no key from `apiKey()`',
  content: 'the content was not read',
  sent: 'no response',
}

/** The failure of an attempt that the server refused. */
export function refused(call: Call<unknown>, received: Received, refusal: Refusal): Failure {
  const { method, redact } = call
  const { status } = refusal
  const { response, rateLimit, retryAfter } = received
  const body = redactBody(redact, received.body)
  const headers = redactHeaders(redact, readableHeaders(response))
  const isPlatform = isOfPlatform(received.body)
  const isOpaque = (response as Partial<Response>).type === 'opaqueredirect'
  const isRedirect = isOpaque || (status >= 300 && status <= 399 && headers.has('location'))
  // A browser hides which redirect it was.
  const outcome = outcomeOf(method, isOpaque ? 302 : status)
  const mayRepeatIt = mayRepeat(call, { isSent: true, status })
  const serverMessage = redactLine(redact, refusal.message, MAX_QUOTED)
  const { advice, words } = adviceAboutRefusal(call, status, isPlatform)
  const message = isRedirect
    ? `${status || ''} ${redirectWords(headers.get('location'), call)}`.trimStart()
    : withAdvice(refusalWords(call, response, status, serverMessage, body), words)
  const context = { ...errorContext(call, outcome, mayRepeatIt), ...(!isRedirect && { advice }) }
  const untilReset = status === 429 ? rateLimit.resetAt && rateLimit.resetAt.getTime() - Date.now() : undefined
  const said = {
    status,
    httpStatus: response.status,
    serverMessage,
    isOfPlatform: isPlatform,
    body,
    headers,
    rateLimit,
  }
  return {
    error: apiError(message, said, context, retryAfter),
    isSent: true,
    outcome,
    mayRepeat: mayRepeatIt,
    wait: retryAfter === undefined ? untilReset : retryAfter * 1000,
  }
}

const withAdvice = (said: string, advice: string): string => (advice ? said.replace(/\.$/, '') + advice : said)

function refusalWords(
  { redact }: Call<unknown>,
  response: FetchResponse,
  status: number,
  serverMessage: string,
  cleanBody: unknown,
): string {
  // The status text of a failure with status 200 is only “OK”.
  const isOk = response.status >= 200 && response.status < 300
  const statusText = isOk ? '' : redactLine(redact, response.statusText ?? '', MAX_QUOTED)
  const unsaid = typeof cleanBody === 'string' ? describeUnreadable(cleanBody) : 'no message'
  const said = serverMessage || statusText || unsaid
  return isOk && status === response.status ? said : `${status} ${said}`
}

/** The error of a response that is not what the platform documents: an unreadable body, or invalid rows. */
export function invalidResponse(
  call: Call<unknown>,
  { response, body }: Received,
  issues: readonly Issue[],
): InvalidResponseError {
  const { redact } = call
  const clean = redactBody(redact, body)
  const safeIssues = redactIssues(redact, issues)
  const { advice, words } = adviceAboutBody(call, clean)
  const message = issues.length
    ? `invalid response: ${describe(safeIssues)}`
    : `${response.status} ${describeUnreadable(clean)}${words}`
  const read = { status: response.status, body: clean, issues: safeIssues }
  return new InvalidResponseError(message, read, { ...errorContext(call, 'unknown', false), advice })
}
