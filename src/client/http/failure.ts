/** Turns what fetch threw, or what the server responded, into the error and the outcome of a failed attempt. */

import { getEffect, type Received, type Refusal } from '../definition.ts'
import {
  AbortError,
  ConfigurationError,
  ConnectionError,
  createApiError,
  type ErrorContext,
  formatIssues,
  InvalidRequestError,
  InvalidResponseError,
  type IssueInput,
  MAX_QUOTED,
  type Outcome,
  RateLimitError,
  type ShortLinkError,
  TimeoutError,
} from '../errors.ts'
import { describeRedirect, getBodyAdvice, getRefusalAdvice } from '../platform/advice.ts'
import { keyNames } from '../platform/apis.ts'
import { describeUnreadable } from '../platform/body.ts'
import { findMessage, isApiRefusal, isReportedDone } from '../platform/envelope.ts'
import { parseRateHeaders } from '../platform/rate-headers.ts'
import { isSlotRefusal, MAX_IMPOSED_WAIT } from '../rate-limit/rate-limiter.ts'
import { getAbortReason, TIMED_OUT } from '../runtime/abort.ts'
import { isPast, systemClock } from '../runtime/clock.ts'
import { copyHeaders, type FetchResponse } from '../runtime/fetch.ts'
import { type Redact, redactCause, redactLine } from '../secrets.ts'
import { BodyTooLargeError } from './body.ts'
import { type Attempt, type Call, createErrorContext, type Failure, getAdvisedRequest, type Step } from './call.ts'
import { explainFetchFailure, findInnermostReason, getOutcome, listCauses } from './fetch-failure.ts'
import { canRepeat, getPause } from './retry.ts'

/** Thrown if an attempt fails outside of fetch. It is not retried, because the work may have been done. */
export class AttemptError extends Error {
  /** Text from a third party, such as a stream's error. It may contain secrets. */
  readonly quoted: string
  constructor(message: string, quoted = '', options?: ErrorOptions) {
    super(message, options)
    this.quoted = quoted
  }
}

/** Thrown if the content of an upload is invalid. */
export class ContentError extends AttemptError {}

/** Creates the error context of a call at this attempt. `isSent`: whether the attempt called `fetch`. */
function createContext(
  call: Call<unknown>,
  { earlierSends, mayHaveSucceeded }: Attempt,
  { isSent, outcome: ownOutcome, mayRepeat }: Pick<Failure, 'outcome' | 'mayRepeat'> & { readonly isSent: boolean },
): ErrorContext {
  const isInDoubt = mayHaveSucceeded && ownOutcome !== 'done'
  const outcome = isInDoubt ? 'unknown' : ownOutcome
  return createErrorContext(call, { attempts: earlierSends + (isSent ? 1 : 0), outcome, retryable: mayRepeat })
}

/** Creates the error of a call that was aborted while it waited for a retry. */
export function createAbortError(
  call: Call<unknown>,
  attempt: Attempt,
  { outcome }: Failure,
  reason: unknown,
): AbortError {
  return new AbortError(reason, createContext(call, attempt, { isSent: false, outcome, mayRepeat: false }))
}

/**
 * Creates the error of a call that got no slot: it was aborted, its deadline has passed, the wait is too long, or the
 * limiter failed.
 */
export function createSlotError(call: Call<unknown>, attempt: Attempt, reason: unknown): ShortLinkError {
  const { redact, endpoint, client } = call
  const { signal } = call.options
  const context = createContext(call, attempt, { isSent: false, outcome: 'not-sent', mayRepeat: true })
  if (signal?.aborted) return new AbortError(getAbortReason(signal), context)
  // A slot was free, but the program was busy or frozen until the deadline.
  const isLate = isSlotRefusal(reason) && reason.ms <= 1 && isPast(call.endsAt, systemClock.now())
  if (reason === TIMED_OUT || isLate) {
    return new TimeoutError(0, context, 'the deadline passed before the request could be sent')
  }
  if (!isSlotRefusal(reason)) {
    const cause = redactCause(redact, reason)
    return new ConnectionError(`the rate limiter failed: ${findInnermostReason(cause)}`, context, { cause })
  }
  const { ms } = reason
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  const rateLimit = client.environment().findLimiter(endpoint)!.state
  const message =
    reason.reason === 'imposed'
      ? `the server said to wait another ${seconds} s, and a call waits ${MAX_IMPOSED_WAIT / 1000} s at most`
      : `would wait about ${seconds} s for the rate limit, longer than the deadline allows`
  const refusal = {
    status: 429,
    httpStatus: 429,
    serverMessage: '',
    isFromApi: false,
    body: undefined,
    headers: new Headers(),
    rateLimit: { ...rateLimit, resetAt: rateLimit.resetAt ?? new Date(Date.now() + ms) },
  }
  return new RateLimitError(message, refusal, context, seconds)
}

/** Creates the failure of an attempt that got no response, or one that was cut off. */
export function failWithoutResponse(
  call: Call<unknown>,
  attempt: Attempt,
  step: Step,
  thrown: unknown,
  response?: FetchResponse,
): Failure {
  const { redact } = call
  const { signal } = call.options
  const isSent = step === 'sent'
  const mayRepeatIfSent = canRepeat(call, { isSent })
  const failWith = (
    ownOutcome: Outcome,
    mayRepeat: boolean,
    makeError: (context: ErrorContext) => ShortLinkError,
  ): Failure => {
    const outcome = isSent ? ownOutcome : 'not-sent'
    const context = createContext(call, attempt, { isSent: isSent || step === 'fetch', outcome, mayRepeat })
    return { error: makeError(context), mayRepeat, outcome }
  }

  if (signal?.aborted) {
    return failWith('unknown', false, (context) => new AbortError(getAbortReason(signal), context))
  }
  if (thrown === TIMED_OUT) {
    const limit = getTimeLimit(call, attempt)
    const ms = Math.ceil(limit.ms)
    const { [step]: problem = 'no response' } = timeoutMessages
    const message =
      problem + (limit.isDeadline ? ` before the deadline (this attempt had ${ms} ms)` : ` within ${ms} ms`)
    return failWith('unknown', mayRepeatIfSent, (context) => new TimeoutError(ms, context, message))
  }
  // The key is missing or invalid. An error that fetch throws is never ours.
  if (thrown instanceof ConfigurationError && step === 'key') {
    return failWith('not-sent', false, (context) => new ConfigurationError(thrown.message, context))
  }
  if (thrown instanceof ContentError && step === 'content') {
    const issues = [{ path: [call.spec.upload!.name], message: thrown.message }]
    return failWith('not-sent', false, (context) => new InvalidRequestError(issues, context))
  }
  if (thrown instanceof AttemptError) {
    const { message, quoted, cause } = thrown
    const text = message + (quoted && `: ${redactLine(redact, quoted, MAX_QUOTED)}`)
    const options = cause === undefined ? {} : { cause }
    return failWith('unknown', false, (context) => new ConnectionError(text, context, options))
  }
  if (thrown instanceof BodyTooLargeError && response) {
    const read = { reason: 'not_json' as const, status: response.status, body: undefined, issues: [] }
    return failWith('unknown', false, (context) => new InvalidResponseError(thrown.message, read, context))
  }
  const cause = redactCause(redact, thrown)
  const reason = findInnermostReason(cause)
  const options = cause === undefined ? {} : { cause }
  if (step === 'hook') {
    const message = `beforeRequest: ${reason}`
    return failWith('not-sent', false, (context) => new ConfigurationError(message, context, options))
  }
  if (response) {
    const message = `the response was cut off: ${reason}`
    return failWith('unknown', mayRepeatIfSent, (context) => new ConnectionError(message, context, options))
  }
  const meaning = explainFetchFailure(call, step, listCauses(thrown), reason)
  const { outcome, message } = meaning
  return failWith(
    outcome,
    meaning.mayRepeat !== false && canRepeat(call, { isSent: isSent && outcome !== 'not-sent' }),
    (context) => new ConnectionError(message, context, options),
  )
}

/** Returns how long an attempt may take, in milliseconds, and whether the deadline of the call is the limit. */
export function getTimeLimit(
  { options: { timeout }, endsAt }: Call<unknown>,
  { began }: Attempt,
): { ms: number; isDeadline: boolean } {
  const most = timeout || Infinity
  const left = endsAt <= began && !isPast(endsAt, began) ? Infinity : Math.max(0, endsAt - began)
  return { ms: Math.min(most, left), isDeadline: left < most }
}

/** The beginnings of timeout messages, by step. */
const timeoutMessages: Readonly<Partial<Record<Step, string>>> = {
  hook: '`beforeRequest` did not finish',
  key: `no key from \`${keyNames.option}()\``,
  content: 'the content was not read',
  ready: 'the request was not sent',
}

/** Creates the failure of an attempt that the server refused. */
export function failWithRefusal(
  call: Call<unknown>,
  attempt: Attempt,
  received: Received,
  { status, message }: Refusal,
): Failure {
  const { response, body, rateLimit, retryAfter } = received
  const headers = copyHeaders(response)
  const isFromApi = isApiRefusal(body)
  const isOpaque = (response as Partial<Response>).type === 'opaqueredirect'
  const isRedirect = isOpaque || (status >= 300 && status <= 399 && headers.has('location'))
  // A browser hides the status of a redirect.
  const outcome = getOutcome(call, isOpaque ? 302 : status)
  const text = isRedirect
    ? `${status || ''} ${describeRedirect(headers.get('location'), getAdvisedRequest(call))}`.trimStart()
    : addAdvice(
        describeRefusal(call.redact, received, status, message),
        getRefusalAdvice(getAdvisedRequest(call), status, isFromApi),
      )
  const untilReset = rateLimit.resetAt && rateLimit.resetAt.getTime() - Date.now()
  // If requests remain, another limit than that of the window has refused this one, and its wait is unknown.
  const unnamedWait = parseRateHeaders(headers).remaining ? getPause(call, attempt) : untilReset
  const mayRepeat = canRepeat(call, { isSent: true, status })
  const retryAfterMs = retryAfter === undefined ? (status === 429 ? unnamedWait : undefined) : retryAfter * 1000
  const context = createContext(call, attempt, { isSent: true, outcome, mayRepeat })
  const refusal = {
    status,
    httpStatus: response.status,
    serverMessage: message,
    isFromApi,
    body,
    headers,
    rateLimit,
  }
  return { error: createApiError(text, refusal, context, retryAfter), outcome, mayRepeat, retryAfterMs }
}

const addAdvice = (text: string, advice: string): string => (advice ? text.replace(/\.$/, '') + advice : text)

function describeRefusal(redact: Redact, { response, body }: Received, status: number, message: string): string {
  // The status text of a refusal with status 200 is only “OK”.
  const isOk = response.status >= 200 && response.status < 300
  const statusText = isOk ? '' : (response.statusText ?? '')
  const description = typeof body === 'string' ? describeUnreadable(body, redact) : 'no message'
  const text = redactLine(redact, message || statusText || description, MAX_QUOTED)
  return isOk && status === response.status ? text : `${status} ${text}`
}

/** Creates the failure of an attempt whose response is not what the API documents: unreadable, or with invalid rows. */
export function failWithInvalidResponse(
  call: Call<unknown>,
  attempt: Attempt,
  { response, body }: Received,
  issues: readonly IssueInput[],
): Failure & { readonly error: InvalidResponseError } {
  const serverMessage = redactLine(call.redact, findMessage(body), MAX_QUOTED)
  const message = issues.length
    ? `invalid response: ${formatIssues(issues, call.redact)}${serverMessage && `. The server said: ${serverMessage}`}`
    : `${response.status} ${describeUnreadable(body, call.redact)}${getBodyAdvice(getAdvisedRequest(call), body)}`
  const reason = issues.length === 0 && typeof body === 'string' ? 'not_json' : 'schema'
  const outcome = getEffect(call.spec) !== 'read' && isReportedDone(body) ? 'done' : 'unknown'
  const context = createContext(call, attempt, { isSent: true, outcome, mayRepeat: false })
  const read = { reason, status: response.status, body, issues } as const
  return { error: new InvalidResponseError(message, read, context), outcome, mayRepeat: false }
}
