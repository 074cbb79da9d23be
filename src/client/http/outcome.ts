/** What is certain about a call that failed, from what fetch threw or the server responded: its outcome, and whether it is retried. */
import {
  AbortError,
  type AnyShortLinkError,
  type ApiErrorResponse,
  apiError,
  ConfigurationError,
  ConnectionError,
  describe,
  type ErrorContext,
  hasMessage,
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
import { shorten } from '../runtime/text.ts'
import { type Advice, addressAdvice, adviceAboutBody, adviceAboutRefusal, MAX_QUOTED, redirectWords } from './advice.ts'
import { BodyTooLargeError, describeUnreadable } from './body.ts'
import { isOfPlatform } from './envelope.ts'
import type { Call, Failure } from './request.ts'
import { redactBody, redactCause, redactHeaders, redactIssues, redactLine } from './secrets.ts'

/** Thrown if an attempt fails for a reason that fetch does not know. It is not retried, because the work may have been done. */
export class AttemptError extends Error {
  /** What somebody else says of it. It may contain a secret. */
  readonly quoted: string

  constructor(words: string, quoted = '', options?: ErrorOptions) {
    super(words, options)
    this.quoted = quoted
  }
}

/** A response that was read. */
export interface ReadResponse {
  readonly response: FetchResponse
  readonly body: unknown
  /** How long the server said to wait, in seconds. */
  readonly retryAfter: number | undefined
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

/** What gateways and PHP send after the work was done too, so that it proves nothing about a call that writes. */
const unclearStatuses = [302, 303, 408, 499]

/**
 * Whether a failed request can be retried without doing its work twice.
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

/** The outcome of a call that was answered with this status, which is not a success. */
function outcomeOf(method: string, status: number): Outcome {
  // Deno resolves with a 101, and `Response.error()` has the status 0: neither says whether the work was done.
  const isUnclear = status < 200 || status >= 500 || (method !== 'GET' && unclearStatuses.includes(status))
  return isUnclear ? 'unknown' : 'rejected'
}

/** An exchange without a readable response. */
export interface BrokenExchange {
  readonly thrown: unknown
  /** What the attempt was doing. */
  readonly step: 'hook' | 'key' | 'content' | 'sent'
  /** How long the attempt was given, in milliseconds, and whether the deadline of the call decided that. */
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

/** What had not happened when the time of an attempt was over. */
const expiredWords = {
  hook: '`beforeRequest` had not ended',
  key: 'no key from `apiKey()`',
  content: 'the content was not read',
  sent: 'no response',
}

/** What a failure of fetch says. */
interface FetchFailure {
  readonly outcome: Outcome
  /** Whether a retry would fail again. */
  readonly isFinal?: boolean
  readonly words: string
  readonly advice?: Advice
}

/** What is certain about a failure of fetch. Whatever else fetch throws leaves the outcome unknown. */
function failureOfFetch(call: Call<unknown>, causes: readonly Error[], reason: string): FetchFailure {
  const noResponse = `no response: ${reason}`
  // Certificates are rejected before the request is sent. Other TLS errors prove nothing: OpenSSL uses the same codes for a
  // handshake and for a connection that breaks after the request.
  if (hasCode(causes, /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/)) {
    const words = `${noResponse}. The certificate has expired, is for another name, or is not trusted: for a private certificate authority, set NODE_EXTRA_CA_CERTS to its file`
    return { outcome: 'not-sent', isFinal: true, words }
  }
  if (isRedirect(causes)) {
    // It may have been a 302.
    return { outcome: outcomeOf(call.method, 302), isFinal: true, words: redirectWords(null, call) }
  }
  // undici: a proxy refused CONNECT.
  if (says(causes, /^Proxy response \(\d+\) ?!== ?200( when HTTP Tunneling)?$/)) {
    return { outcome: 'not-sent', words: `${noResponse}. Check HTTPS_PROXY and NO_PROXY` }
  }
  if (causes.some(isConnectFailure) || isDenoConnectFailure(call, causes)) {
    return { outcome: 'not-sent', words: noResponse, advice: addressAdvice(call) }
  }
  if (hasCode(causes, /^(ERR_SSL_|EPROTO$)/) || says(causes, /wrong version number|packet length too long/)) {
    const words = 'the TLS connection failed. Does this port speak TLS? The address begins with https:'
    return { outcome: 'unknown', words }
  }
  return { outcome: 'unknown', words: noResponse }
}

const hasCode = (causes: readonly Error[], pattern: RegExp): boolean =>
  causes.some((cause) => pattern.test(textField(cause, 'code')))

/** Whole messages are compared, because others quote the URL, which may contain any word. */
const says = (causes: readonly Error[], pattern: RegExp): boolean => causes.some(({ message }) => pattern.test(message))

/** Redirect mode `error`: what undici, Deno and Bun say. Browsers do not reveal it. */
function isRedirect(causes: readonly Error[]): boolean {
  const words = /^(unexpected redirect|Fetch failed: Encountered redirect while redirect mode is set to 'error')$/
  return says(causes, words) || hasCode(causes, /^UnexpectedRedirect$/)
}

/** Codes that only a connection that never opened fails with: of DNS, of the system, of undici, and of older versions of Bun. */
const unopenedCodes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused']

function isConnectFailure(error: Error): boolean {
  // Open connections fail with ETIMEDOUT and EHOSTUNREACH too, so the system call must be known.
  if (unopenedCodes.includes(textField(error, 'code')) || textField(error, 'syscall') === 'connect') return true
  // An AggregateError has one error for each IP address.
  const { errors } = error as Partial<AggregateError>
  return Array.isArray(errors) && errors.length > 0 && errors.every(isConnectFailure)
}

/** Deno retries a request without a body by itself, and then reports the second connection only. */
function isDenoConnectFailure({ body, spec }: Call<unknown>, causes: readonly Error[]): boolean {
  const hasBody = body !== undefined || spec.upload !== undefined
  // `\S+` is safe, because no URL contains a space.
  return hasBody && says(causes, /^error sending request( for url \(\S+\))?: client error \(Connect\)(: |$)/)
}

/** How deep the causes of an error are followed. */
const MAX_CAUSES = 4

/** An error with its causes, the outermost first. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; hasMessage(cause) && causes.length <= MAX_CAUSES; cause = cause.cause) causes.push(cause)
  return causes
}

function innermostReason(cause: unknown): string {
  const innermost = causesOf(cause).at(-1)
  const said = innermost ? innermost.message || textField(innermost, 'code') || innermost.name : cause
  return typeof said === 'string' && said !== '' ? shorten(said, MAX_QUOTED) : 'fetch gave no reason'
}

function textField(error: Error, name: 'code' | 'syscall'): string {
  const value = (error as { code?: unknown; syscall?: unknown })[name]
  return typeof value === 'string' ? value : ''
}

/** A response that refuses the request. */
type Refusal = ReadResponse & {
  readonly status: number
  readonly message: string
  readonly rateLimit: ApiErrorResponse['rateLimit']
}

/** The failure of an attempt that the server refused. */
export function refused(call: Call<unknown>, refusal: Refusal): Failure {
  const { method, redact } = call
  const { status, response, rateLimit, retryAfter } = refusal
  const body = redactBody(redact, refusal.body)
  const headers = redactHeaders(redact, readableHeaders(response))
  const isPlatform = isOfPlatform(refusal.body)
  const isOpaque = (response as Partial<Response>).type === 'opaqueredirect'
  const isRedirect = isOpaque || (status >= 300 && status <= 399 && headers.has('location'))
  // A browser hides which redirect it was.
  const outcome = outcomeOf(method, isOpaque ? 302 : status)
  const mayRepeatIt = mayRepeat(call, { isSent: true, status })
  const serverMessage = redactLine(redact, refusal.message, MAX_QUOTED)
  const { advice, words } = adviceAboutRefusal(call, status, isPlatform)
  const message = isRedirect
    ? `${status || ''} ${redirectWords(headers.get('location'), call)}`.trimStart()
    : withAdvice(refusalWords(call, refusal, serverMessage, body), words)
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
  { status, response }: Refusal,
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
  { response, body, issues }: ReadResponse & { readonly issues: readonly Issue[] },
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
