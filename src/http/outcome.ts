/** What is certain about a call that failed, from what fetch threw or the server responded: outcome, retry and words. */
import {
  AbortError,
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
  type ShortLinkError,
  TimeoutError,
} from '../errors.ts'
import { abortReason, EXPIRED } from '../runtime/abort.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { type FetchResponse, readableHeaders } from '../runtime/fetch.ts'
import { shorten } from '../runtime/text.ts'
import { BodyTooLargeError, describeUnreadable, isHtml } from './body.ts'
import { isOfPlatform } from './envelope.ts'
import type { PreparedCall } from './request.ts'
import { redactBody, redactCause, redactHeaders, redactIssues, redactLine } from './secrets.ts'

/** How much of a text from a server or a fetch is quoted in a message, in characters. */
const MAX_QUOTED = 300

/** Thrown if an attempt fails for a reason that fetch does not know. It is not retried, because the work may have been done. */
export class AttemptError extends Error {
  /** What somebody else says of it. It may contain a secret. */
  readonly quoted: string

  constructor(words: string, quoted = '', options?: ErrorOptions) {
    super(words, options)
    this.quoted = quoted
  }
}

/** How far a call has come, for its errors. */
export interface CallState {
  /** The number of the attempt, from 1; 0 before the first. */
  attempt: number
  /** Whether an earlier attempt may have done the work. If so, no later attempt can prove that it was not done. */
  mayHaveSucceeded: boolean
  /** How long the server said to wait before the next attempt, in milliseconds. */
  wait?: number | undefined
  /** Whether the attempt that failed may be repeated. */
  mayRepeat?: boolean
  /** How many attempts were refused because of the rate limit, and do not count. */
  waitedOut?: number
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
  { method, path, url, context }: PreparedCall<unknown>,
  state: CallState,
  ownOutcome: Outcome,
  mayRepeat: boolean,
): ErrorContext {
  const { operation, isRepeatable } = context
  const outcome = context.outcome ?? (state.mayHaveSucceeded ? 'unknown' : ownOutcome)
  state.mayRepeat = mayRepeat
  const retryable = mayRepeat || (isRepeatable === true && outcome === 'unknown')
  return { method, path, url, ...(operation && { operation }), attempts: state.attempt, outcome, retryable }
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
  { method, replayable }: Pick<PreparedCall<unknown>, 'method' | 'replayable'>,
  { isSent, status }: { readonly isSent: boolean; readonly status?: number },
): boolean {
  if (!replayable) return false
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
  /** Whether fetch was called. */
  readonly isSent: boolean
  /** How long the attempt was given, in milliseconds, and whether the deadline of the call decided that. */
  readonly limit: { readonly ms: number; readonly isDeadline: boolean }
  readonly response: FetchResponse | undefined
}

/** The error of an attempt that got no response, or an unreadable one. */
export function noResponse(
  call: PreparedCall<unknown>,
  state: CallState,
  { thrown, isSent, limit, response }: BrokenExchange,
): ShortLinkError {
  const { redact } = call
  const attempts = isSent ? state.attempt : state.attempt - 1
  const contextOf = (outcome: Outcome, retryable: boolean) => ({
    ...errorContext(call, state, isSent ? outcome : 'not-sent', retryable),
    attempts,
  })
  function connectionError(message: string, outcome: Outcome, retryable: boolean, cause?: unknown): ConnectionError {
    return new ConnectionError(message, contextOf(outcome, retryable), cause === undefined ? {} : { cause })
  }

  if (call.signal?.aborted) {
    return new AbortError(abortReason(call.signal), contextOf('unknown', false))
  }
  if (thrown instanceof ConfigurationError) {
    const context = { ...contextOf('not-sent', false), attempts: state.attempt - 1 }
    return new ConfigurationError(thrown.message, context)
  }
  if (thrown instanceof AttemptError) {
    const quoted = thrown.quoted && `: ${redactLine(redact, thrown.quoted, MAX_QUOTED)}`
    return connectionError(thrown.message + quoted, 'unknown', false, thrown.cause)
  }
  if (thrown instanceof BodyTooLargeError && response) {
    const tooLarge = { status: response.status, body: undefined, issues: [] }
    return new InvalidResponseError(thrown.message, tooLarge, contextOf('unknown', false))
  }
  if (thrown === EXPIRED) {
    const retryable = mayRepeat(call, { isSent })
    const message = limit.isDeadline
      ? `no response before the deadline, ${Math.ceil(limit.ms)} ms were left`
      : undefined
    return new TimeoutError(limit.ms, contextOf('unknown', retryable), message)
  }
  const cause = redactCause(redact, thrown)
  const reason = innermostReason(cause)
  if (response) {
    return connectionError(`the response broke off: ${reason}`, 'unknown', mayRepeat(call, { isSent: true }), cause)
  }
  const { outcome, isFinal, words } = failureOf(call, causesOf(thrown), reason)
  const retryable = !isFinal && mayRepeat(call, { isSent: isSent && outcome !== 'not-sent' })
  return connectionError(words, outcome, retryable, cause)
}

/** What a failure of fetch says. */
interface FetchFailure {
  readonly outcome: Outcome
  /** Whether a retry would fail again. */
  readonly isFinal?: boolean
  readonly words: string
}

/** What is certain about a failure of fetch. Whatever else fetch throws leaves the outcome unknown. */
function failureOf(call: PreparedCall<unknown>, causes: readonly Error[], reason: string): FetchFailure {
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
    return { outcome: 'not-sent', words: noResponse + addressAdvice(call) }
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

export const isRedirectError = (error: unknown): boolean => isRedirect(causesOf(error))

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
function isDenoConnectFailure({ body, upload }: PreparedCall<unknown>, causes: readonly Error[]): boolean {
  const hasBody = body !== undefined || upload !== undefined
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

/** The error of an attempt that the server refused. Notes in the state how long the server said to wait. */
export function refused(call: PreparedCall<unknown>, state: CallState, refusal: Refusal): ShortLinkError {
  const { method, redact } = call
  const { status, response, rateLimit, retryAfter } = refusal
  const body = redactBody(redact, refusal.body)
  const headers = redactHeaders(redact, readableHeaders(response))
  const isOpaque = (response as Partial<Response>).type === 'opaqueredirect'
  const isRedirect = isOpaque || (status >= 300 && status <= 399 && headers.has('location'))
  // A browser hides which redirect it was.
  const outcome = outcomeOf(method, isOpaque ? 302 : status)
  const context = errorContext(call, state, outcome, mayRepeat(call, { isSent: true, status }))
  const serverMessage = redactLine(redact, refusal.message, MAX_QUOTED)
  const words = isRedirect
    ? `${status || ''} ${redirectWords(headers.get('location'), call)}`.trimStart()
    : refusalWords(call, refusal, serverMessage, body, headers)
  const untilReset =
    status === 429 ? rateLimit.resetAt && Math.max(0, rateLimit.resetAt.getTime() - Date.now()) : undefined
  state.wait = retryAfter === undefined ? untilReset : retryAfter * 1000
  const said = {
    status,
    httpStatus: response.status,
    serverMessage,
    isOfPlatform: isOfPlatform(refusal.body),
    body,
    headers,
    rateLimit,
  }
  return apiError(words, said, context, retryAfter)
}

function refusalWords(
  call: PreparedCall<unknown>,
  { status, response, body }: Refusal,
  serverMessage: string,
  cleanBody: unknown,
  headers: Headers,
): string {
  // The status text of a failure with status 200 is only “OK”.
  const isOk = response.status >= 200 && response.status < 300
  const statusText = isOk ? '' : redactLine(call.redact, response.statusText ?? '', MAX_QUOTED)
  const unsaid = typeof cleanBody === 'string' ? describeUnreadable(cleanBody) : 'no message'
  const said = serverMessage || statusText || unsaid
  const words = isOk && status === response.status ? said : `${status} ${said}`
  const advice =
    botWallAdvice(cleanBody, headers) ||
    (status === 404 && isUnknownPath(body, call) ? addressAdvice(call) : keyAdvice(call, status))
  return advice ? words.replace(/\.$/, '') + advice : words
}

/** What to do about a refused key. If the client sends none, a proxy adds it, and reports the problem itself. */
function keyAdvice({ api, apiKey }: PreparedCall<unknown>, status: number): string {
  if ((status !== 401 && status !== 403) || !api.usesKey || !apiKey.isSent) return ''
  return '. Check `apiKey` or SHORTLINK_API_KEY first, then `authScheme`: some servers expect another one than Bearer, and some hosts drop the Authorization header'
}

/** Whether a 404 is about the path rather than an id: the call sends no id, or the body is not one of the platform. */
function isUnknownPath(body: unknown, { path, body: sent = '' }: PreparedCall<unknown>): boolean {
  // An id in a body is a value that begins with a digit. Addresses and aliases may have digits too.
  const hasId = /\d/.test(path) || /:\[?"?\d/.test(sent)
  return !hasId || !isOfPlatform(body)
}

/** The error of a response that is not what the platform documents: an unreadable body, or invalid rows. */
export function invalidResponse(
  call: PreparedCall<unknown>,
  state: CallState,
  { response, body, issues }: ReadResponse & { readonly issues: readonly Issue[] },
): InvalidResponseError {
  const { redact } = call
  const clean = redactBody(redact, body)
  const safeIssues = redactIssues(redact, issues)
  const unreadable = describeUnreadable(clean)
  const isPage = unreadable.includes('an HTML page')
  const advice = botWallAdvice(clean, readableHeaders(response)) || (isPage ? addressAdvice(call) : '')
  const words = issues.length
    ? `invalid response: ${describe(safeIssues)}`
    : `${response.status} ${unreadable}${advice}`
  const read = { status: response.status, body: clean, issues: safeIssues }
  return new InvalidResponseError(words, read, errorContext(call, state, 'unknown', false))
}

/** What to do about an address that may be wrong. */
function addressAdvice(call: PreparedCall<unknown>): string {
  return `. Is ${namesOf(call)} right? It is ${shorten(call.api.address.get(), MAX_QUOTED)}. ${DOCTOR}`
}

/** @internal */
const DOCTOR = '`npx shortlink-sdk doctor` searches for the right one'

function namesOf({ api }: PreparedCall<unknown>): string {
  const { option, variable } = api.address.names
  return `\`${option}\` or ${variable}`
}

function redirectWords(location: string | null, call: PreparedCall<unknown>): string {
  if (location === null)
    return `redirected to another address, which this runtime does not reveal${redirectAdvice(call)}`
  const target = canParseUrl(location, call.target) ? new URL(location, call.target).href : location
  return `redirected to ${redactLine(call.redact, target, MAX_QUOTED)}${redirectAdvice(call)}`
}

const redirectAdvice = (call: PreparedCall<unknown>): string =>
  `. Redirects are not followed, because a POST would turn into a GET: set ${namesOf(call)} to the new address`

const botWords =
  /captcha|challenge-platform|cf-chl|just a moment|checking your browser|are you a robot|document\.cookie ?=[^<]{0,400}location\.reload/i

/** Advice about a page that asks visitors to prove that they are human; `''` if it is another one. */
function botWallAdvice(body: unknown, headers: Headers): string {
  const page = typeof body === 'string' && isHtml(body) ? body.slice(0, 100_000) : ''
  if (headers.get('cf-mitigated') === null && !botWords.test(page)) return ''
  return '. A bot wall may be in front of the server: some let requests with a certain `User-Agent` or cookie through, see `headers`'
}
