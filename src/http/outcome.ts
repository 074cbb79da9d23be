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
  shorten,
  TimeoutError,
} from '../errors.ts'
import { abortReason, EXPIRED } from '../runtime/abort.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { type FetchResponse, readableHeaders } from '../runtime/fetch.ts'
import { reasonOf } from '../schema/expected.ts'
import { BodyTooLargeError, describeUnreadable, isHtml, UnusableResponseError } from './body.ts'
import { isOfPlatform } from './envelope.ts'
import type { PreparedCall } from './request.ts'
import { redactBody, redactCause, redactHeaders, redactIssues, redactLine } from './secrets.ts'

/** How much of a text from a server or a fetch is quoted in a message, in characters. */
const MAX_QUOTED = 300

/** Thrown if the content of an upload could not be read before anything was sent. */
export class UnreadableContentError extends Error {}

/** Thrown if the browser followed a redirect, so that the other server may have done the work. */
export class FollowedRedirectError extends Error {
  readonly target: string

  constructor(target: string) {
    super(`redirected to ${target}`)
    this.target = target
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
  { method, path, url }: PreparedCall<unknown>,
  { attempt, mayHaveSucceeded }: CallState,
  outcome: Outcome,
  retryable: boolean,
): ErrorContext {
  return { method, path, url, attempts: attempt, outcome: mayHaveSucceeded ? 'unknown' : outcome, retryable }
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
  /** The error of the content of an upload. */
  readonly sourceError: unknown
  readonly response: FetchResponse | undefined
}

/** The error of an attempt that got no response, or an unreadable one. */
export function noResponse(
  call: PreparedCall<unknown>,
  state: CallState,
  { thrown, isSent, limit, sourceError, response }: BrokenExchange,
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
  if (isA(ConfigurationError, thrown)) {
    const context = { ...contextOf('not-sent', false), attempts: state.attempt - 1 }
    return new ConfigurationError(thrown.message, context)
  }
  const unread = isA(UnreadableContentError, thrown) ? thrown.cause : sourceError
  if (unread !== undefined) {
    const message = `the content could not be read: ${redactLine(redact, reasonOf(unread), MAX_QUOTED)}`
    return connectionError(message, 'unknown', false, unread)
  }
  if (isA(BodyTooLargeError, thrown) && response) {
    const tooLarge = { status: response.status, body: undefined, issues: [] }
    return new InvalidResponseError(thrown.message, tooLarge, contextOf('unknown', false))
  }
  if (isA(UnusableResponseError, thrown)) return connectionError(thrown.message, 'unknown', false)
  if (isA(FollowedRedirectError, thrown)) {
    const target = redactLine(redact, thrown.target, MAX_QUOTED)
    const message = `redirected to ${target}, and the browser followed: check whether the file exists before you retry, and set ${namesOf(call)} to the new address`
    return connectionError(message, 'unknown', false)
  }
  if (thrown === EXPIRED) {
    const retryable = mayRepeat(call, { isSent })
    const message = limit.isDeadline
      ? `no response before the deadline, ${Math.ceil(limit.ms)} ms were left`
      : undefined
    return new TimeoutError(limit.ms, contextOf('unknown', retryable), message)
  }
  // A copy, because a getter of the original may throw.
  const cause = redactCause(redact, thrown)
  const reason = innermostReason(cause)
  const known = isSent ? fetchFailures.find(({ sign }) => sign(causesOf(thrown), call)) : undefined
  const outcome = isSent ? (known?.outcome?.(call) ?? 'unknown') : 'not-sent'
  const retryable = !known?.isFinal && mayRepeat(call, { isSent: outcome !== 'not-sent' })
  const words = response
    ? `the response broke off: ${reason}`
    : (known?.words(reason, call) ?? `no response: ${reason}`)
  return connectionError(words, outcome, retryable, cause)
}

/** Whether a value is of this class. A fetch may throw anything, even a Proxy that throws when it is looked at. */
function isA<T>(Class: new (...args: never[]) => T, thrown: unknown): thrown is T {
  try {
    return thrown instanceof Class
  } catch {
    return false
  }
}

/** What a failure of fetch looks like, and what that says. */
interface FetchFailure {
  readonly sign: (causes: readonly Error[], call: PreparedCall<unknown>) => boolean
  /** The outcome, if it is certain. */
  readonly outcome?: (call: PreparedCall<unknown>) => Outcome
  /** Whether a retry would fail again. */
  readonly isFinal?: boolean
  readonly words: (reason: string, call: PreparedCall<unknown>) => string
}

const hasCode = (pattern: RegExp) => (causes: readonly Error[]) =>
  causes.some((cause) => pattern.test(textField(cause, 'code')))

/** Whole messages are compared, because others quote the URL, which may contain any word. */
const says = (pattern: RegExp) => (causes: readonly Error[]) =>
  causes.some((cause) => pattern.test(textField(cause, 'message')))

/** Redirect mode `error`: what undici, Deno, Bun and node-fetch say. Browsers do not reveal it. */
function isRedirect(causes: readonly Error[]): boolean {
  return (
    says(/^(unexpected redirect|Fetch failed: Encountered redirect while redirect mode is set to 'error')$/)(causes) ||
    hasCode(/^UnexpectedRedirect$/)(causes) ||
    causes.some((cause) => /^(no|invalid)-redirect$/.test(textField(cause, 'type')))
  )
}

export const isRedirectError = (error: unknown): boolean => isRedirect(causesOf(error))

/** The first that fits decides. Whatever else fetch throws leaves the outcome unknown. */
const fetchFailures: readonly FetchFailure[] = [
  {
    // Certificates are rejected before the request is sent. Other TLS errors prove nothing: OpenSSL uses the same codes for a
    // handshake and for a connection that breaks after the request.
    sign: hasCode(/^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/),
    outcome: () => 'not-sent',
    isFinal: true,
    words: (reason) =>
      `no response: ${reason}. The certificate has expired, is for another name, or is not trusted: for a private certificate authority, set NODE_EXTRA_CA_CERTS to its file`,
  },
  {
    sign: isRedirect,
    // It may have been a 302.
    outcome: ({ method }) => outcomeOf(method, 302),
    isFinal: true,
    words: (_, call) => redirectWords(null, call),
  },
  {
    // undici: a proxy refused CONNECT.
    sign: says(/^Proxy response \(\d+\) ?!== ?200( when HTTP Tunneling)?$/),
    outcome: () => 'not-sent',
    words: (reason) => `no response: ${reason}. Check HTTPS_PROXY and NO_PROXY`,
  },
  {
    sign: says(/^bad port$/),
    outcome: () => 'not-sent',
    isFinal: true,
    words: (_, call) =>
      `fetch refuses this port, because browsers reserve it for another protocol${addressAdvice(call)}`,
  },
  {
    sign: (causes, call) =>
      causes.some(isConnectFailure) ||
      // Deno retries a request without a body by itself, and then reports the second connection only.
      // `\S+` is safe, because no URL contains a space.
      ((call.body !== undefined || call.upload !== undefined) &&
        says(/^error sending request( for url \(\S+\))?: client error \(Connect\)(: |$)/)(causes)),
    outcome: () => 'not-sent',
    words: (reason, call) => `no response: ${reason}${addressAdvice(call)}`,
  },
  {
    sign: (causes) =>
      hasCode(/^(ERR_SSL_|EPROTO$)/)(causes) || says(/wrong version number|packet length too long/)(causes),
    words: () => 'the TLS connection failed. Does this port speak TLS? The address begins with https:',
  },
  {
    sign: (causes, { target }) =>
      target.startsWith('http:') && hasCode(/^(HPE_INVALID|UND_ERR_SOCKET|ECONNRESET)/)(causes),
    words: (reason) => `no response: ${reason}. Does this port speak TLS? The address begins with http:`,
  },
]

/** Codes that only a connection that never opened fails with: of DNS, of undici, and of older versions of Bun. */
const unopenedCodes = ['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused']

function isConnectFailure(error: unknown): boolean {
  const code = textField(error, 'code')
  if (unopenedCodes.includes(code)) return true
  // An AggregateError has one error for each IP address.
  const tried = field(error, 'errors')
  if (Array.isArray(tried) && tried.length > 0) return tried.every((one) => textField(one, 'syscall') === 'connect')
  // node-fetch 3 has its own name for it; node-fetch 2 and Bun have none.
  const syscall = textField(error, 'syscall') || textField(error, 'erroredSysCall')
  // Open connections fail with ETIMEDOUT and EHOSTUNREACH too, so the system call must be known.
  return syscall === 'connect' || (syscall === '' && code === 'ECONNREFUSED')
}

/** How deep the causes of an error are followed. */
const MAX_CAUSES = 4

/** An error with its causes, the outermost first. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; hasMessage(cause) && causes.length <= MAX_CAUSES; cause = field(cause, 'cause')) {
    causes.push(cause)
  }
  return causes
}

function innermostReason(cause: unknown): string {
  const innermost = causesOf(cause).at(-1)
  const said = innermost ? innermost.message || textField(innermost, 'code') || innermost.name : cause
  return typeof said === 'string' && said !== '' ? shorten(said, MAX_QUOTED) : 'fetch gave no reason'
}

const textField = (error: unknown, name: string): string => {
  const value = field(error, name)
  return typeof value === 'string' ? value : ''
}

/** A field of any error. Getters may throw. */
function field(error: unknown, name: string): unknown {
  try {
    return (error as Record<string, unknown>)[name]
  } catch {
    return undefined
  }
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
  const isRedirect = isOpaque || (status >= 300 && status <= 399 && status !== 304)
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
  if (status === 304) {
    return '304 Not Modified is the response to a conditional request: leave out If-None-Match and If-Modified-Since in `headers`'
  }
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
function isUnknownPath(body: unknown, { path, body: sent }: PreparedCall<unknown>): boolean {
  // An id in a body is a value that begins with a digit.
  return !(/\d/.test(path) || /:\[?"?\d/.test(sent ?? '')) || !isOfPlatform(body)
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

const namesOf = ({ api }: PreparedCall<unknown>): string => {
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
