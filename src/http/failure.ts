import {
  type ApiErrorResponse,
  apiError,
  ConfigurationError,
  ConnectionError,
  describe,
  type ErrorContext,
  InvalidResponseError,
  type Issue,
  type Outcome,
  shorten,
  TimeoutError,
} from '../errors.ts'
import { abortReason, EXPIRED } from '../runtime/abort.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { type FetchResponse, readableHeaders } from '../runtime/fetch.ts'
import { reasonOf } from '../schema/expected.ts'
import { BodyTooLargeError, UnusableResponseError } from './body.ts'
import { isOfPlatform } from './envelope.ts'
import { causesOf, isCertificateError, isRedirectError, neverOpened } from './fetch-failure.ts'
import { describeUnreadable, isHtml } from './json.ts'
import { contextOf, type PreparedCall } from './request.ts'
import { type Failure, mayRepeat } from './retry.ts'
import { type Redact, redactBody, redactCause, redactHeaders, redactIssues, redactLine } from './secrets.ts'
import { FollowedRedirectError } from './upload-browser.ts'

/** How much of a text from a server or a fetch is quoted in a message, in characters. */
const SHOWN = 300

/** The state of an attempt, for its errors. */
export interface AttemptState {
  /** Counted from 1. */
  readonly attempt: number
  /** Whether an earlier attempt may have done the work. If so, no later attempt can prove that it was not done. */
  readonly mayHaveSucceeded: boolean
}

/** A response that was read. */
export interface ReadResponse {
  readonly response: FetchResponse
  readonly text: string
  readonly body: unknown
  /** How long the server said to wait, in seconds. */
  readonly retryAfter: number | undefined
}

/** An exchange without a readable response. */
export interface BrokenExchange {
  readonly thrown: unknown
  /** Whether fetch was called. */
  readonly isSent: boolean
  /** The error of the content of an upload. */
  readonly sourceError: unknown
  readonly response: FetchResponse | undefined
}

/** The error of an attempt that got no response, or an unreadable one. */
export function noResponse(
  call: PreparedCall<unknown>,
  state: AttemptState,
  { thrown, isSent, sourceError, response }: BrokenExchange,
): Failure {
  const { method, replayable, signal, timeout, redact } = call
  const connectionError = (message: string, outcome: Outcome, retryable: boolean, cause?: unknown): Failure => {
    const options = cause === undefined ? undefined : { cause }
    return { error: new ConnectionError(message, errorContext(call, state, outcome, retryable), options) }
  }
  if (signal?.aborted) return { error: abortReason(signal) }
  if (thrown instanceof ConfigurationError) {
    const context = { ...errorContext(call, state, 'not-sent', false), attempts: state.attempt - 1 }
    return { error: new ConfigurationError(thrown.message, context) }
  }
  if (sourceError !== undefined) {
    const message = `the content could not be read: ${redactLine(redact, reasonOf(sourceError), SHOWN)}`
    return connectionError(message, isSent ? 'unknown' : 'not-sent', false, sourceError)
  }
  if (thrown instanceof BodyTooLargeError && response) {
    const answer = { status: response.status, body: undefined, issues: [] }
    return { error: new InvalidResponseError(thrown.message, answer, errorContext(call, state, 'unknown', false)) }
  }
  if (thrown instanceof UnusableResponseError) return connectionError(thrown.message, 'unknown', false)
  // A copy, because a getter of the original may throw.
  const cause = redactCause(redact, thrown)
  if (thrown instanceof FollowedRedirectError) {
    const shown = redactLine(redact, thrown.target, SHOWN)
    const message = `redirected to ${shown}, and the browser followed: check whether the file exists before you retry, and set ${setBy(call)} to the new address`
    return connectionError(message, 'unknown', false)
  }
  if (isSent && isRedirectError(thrown)) {
    return connectionError(
      redirectAdvice('another address, which this runtime does not reveal', call),
      'rejected',
      false,
    )
  }
  const hasBody = call.body !== undefined || call.upload !== undefined
  const notSent = !isSent || neverOpened(thrown, { hasBody })
  const outcome = notSent ? 'not-sent' : 'unknown'
  const retryable = !isCertificateError(thrown) && mayRepeat({ method, replayable, notSent, status: undefined })
  if (thrown === EXPIRED) {
    return { error: new TimeoutError(timeout as number, errorContext(call, state, outcome, retryable)) }
  }
  const innermost = causesOf(cause).at(-1)
  const said = innermost ? innermost.message || (innermost as { code?: string }).code || innermost.name : cause
  const reason = typeof said === 'string' && said !== '' ? shorten(said, SHOWN) : 'fetch gave no reason'
  const message = response ? `the response broke off: ${reason}` : `no response: ${withAdvice(reason, cause, call)}`
  return connectionError(message, outcome, retryable, cause)
}

/** Why a connection failed, with advice if the runtime gives none. */
function withAdvice(reason: string, thrown: unknown, call: PreparedCall<unknown>): string {
  const text = causesOf(thrown)
    .map((cause) => `${(cause as { code?: unknown }).code} ${cause.message}`)
    .join(' ')
  if (isCertificateError(thrown)) return `${reason}. ${certificateAdvice(text)}`
  if (/wrong version number|packet length too long|ERR_SSL_|EPROTO/.test(text)) {
    // The message of OpenSSL does not help; it stays in the cause.
    return 'the TLS connection failed. Does this port speak TLS? The address begins with https:'
  }
  if (call.target.startsWith('http:') && /HPE_INVALID|UND_ERR_SOCKET|ECONNRESET|other side closed/.test(text)) {
    return `${reason}. Does this port speak TLS? The address begins with http:`
  }
  if (/ENOTFOUND|ECONNREFUSED|ConnectionRefused/.test(text)) return reason + addressAdvice(call)
  return /^Proxy response|HTTP Tunneling/.test(reason) ? `${reason}. Check HTTPS_PROXY and NO_PROXY` : reason
}

function certificateAdvice(codes: string): string {
  if (/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/.test(codes)) {
    return 'Check the clock of this machine; if that is right, the certificate has to be renewed'
  }
  if (/ERR_TLS_CERT_ALTNAME_INVALID/.test(codes)) return 'The certificate is for another name'
  return 'The certificate is not trusted: for a private certificate authority, set NODE_EXTRA_CA_CERTS to its file'
}

/** A response that refuses the request. */
type Refusal = ReadResponse & {
  readonly status: number
  readonly message: string
  readonly rateLimit: ApiErrorResponse['rateLimit']
}

/** The error of an attempt that the server refused. */
export function refused(call: PreparedCall<unknown>, state: AttemptState, answer: Refusal): Failure {
  const { method, replayable, redact } = call
  const { status, response, rateLimit, retryAfter } = answer
  const body = redactBody(redact, answer.body)
  const headers = redactHeaders(redact, readableHeaders(response))
  const retryable = mayRepeat({ method, replayable, notSent: false, status })
  const redirect = redirectOf(call, response, headers)
  // Deno resolves with a 101, and `Response.error()` has the status 0: neither says whether the work was done.
  const isUnclear = status >= 500 || (status < 200 && redirect === undefined)
  const context = errorContext(call, state, isUnclear ? 'unknown' : 'rejected', retryable)
  const said = redirect ?? refusalMessage(answer, body, redact)
  const advice = refusalAdvice(call, answer, body, headers)
  const message = advice ? said.replace(/\.$/, '') + advice : said
  const untilReset =
    status === 429 ? rateLimit.resetAt && Math.max(0, rateLimit.resetAt.getTime() - Date.now()) : undefined
  return {
    error: apiError(
      message,
      {
        status,
        httpStatus: response.status,
        serverMessage: redactLine(redact, answer.message, SHOWN),
        isOfPlatform: isOfPlatform(answer.body),
        body,
        headers,
        rateLimit,
      },
      context,
      retryAfter,
    ),
    wait: retryAfter === undefined ? untilReset : retryAfter * 1000,
  }
}

function refusalMessage({ status, message, response }: Refusal, body: unknown, redact: Redact): string {
  if (status === 304) {
    return '304 Not Modified is the response to a conditional request: leave out If-None-Match and If-Modified-Since in `headers`'
  }
  // The status text of a failure with status 200 is only “OK”.
  const isOk = response.status >= 200 && response.status < 300
  const said = message || (!isOk && response.statusText)
  const unsaid = typeof body === 'string' ? describeUnreadable(body) : 'no message'
  const shown = said ? redactLine(redact, said, SHOWN) : unsaid
  return isOk && status === response.status ? shown : `${status} ${shown}`
}

/** Advice about a refusal, if there is any. */
function refusalAdvice(call: PreparedCall<unknown>, refusal: Refusal, body: unknown, headers: Headers): string {
  const { status } = refusal
  const { api } = call
  const wall = botWallAdvice(body, headers)
  if (wall) return wall
  if (status === 404 && !(isOfPlatform(refusal.body) && hasId(call))) return addressAdvice(call)
  // If the client sends no key, a proxy adds it, and reports the problem itself.
  if ((status !== 401 && status !== 403) || !api.usesKey || !call.apiKey.isSent) return ''
  return '. Check `apiKey` or SHORTLINK_API_KEY first, then `authScheme`: some servers expect another one than Bearer, and some hosts drop the Authorization header'
}

/** Whether a call sends an id, which a 404 may be about. An id in a body is a value that begins with a digit. */
const hasId = ({ path, body }: PreparedCall<unknown>): boolean => /\d/.test(path) || /:\[?"?\d/.test(body ?? '')

/** What to do about an address that may be wrong. */
function addressAdvice(call: PreparedCall<unknown>): string {
  const { redact, api } = call
  return `. Is ${setBy(call)} right? It is ${redactLine(redact, api.address.get(), SHOWN)}. ${DOCTOR}`
}

/** @internal */
export const DOCTOR = '`npx shortlink-sdk doctor` searches for the right one'

const setBy = ({ api }: PreparedCall<unknown>): string => {
  const { option, variable } = api.address.names
  return `\`${option}\` or ${variable}`
}

/** The error of a response that is not what the platform documents: an unreadable body, or invalid rows. */
export function invalidResponse(
  call: PreparedCall<unknown>,
  state: AttemptState,
  { response, body, issues }: ReadResponse & { readonly issues: readonly Issue[] },
): Failure {
  const { redact } = call
  const clean = redactBody(redact, body)
  const safeIssues = redactIssues(redact, issues)
  const unreadable = describeUnreadable(clean)
  const isPage = unreadable.includes('an HTML page')
  const advice = botWallAdvice(clean, readableHeaders(response)) || (isPage ? addressAdvice(call) : '')
  const problem = issues.length
    ? `invalid response: ${describe(safeIssues)}`
    : `${response.status} ${unreadable}${advice}`
  const answer = { status: response.status, body: clean, issues: safeIssues }
  return { error: new InvalidResponseError(problem, answer, errorContext(call, state, 'unknown', false)) }
}

function errorContext(
  call: PreparedCall<unknown>,
  { attempt, mayHaveSucceeded }: AttemptState,
  outcome: Outcome,
  retryable: boolean,
): ErrorContext {
  return { ...contextOf(call), attempts: attempt, outcome: mayHaveSucceeded ? 'unknown' : outcome, retryable }
}

/** The message about a redirect; `undefined` if the response is not one. */
function redirectOf(call: PreparedCall<unknown>, response: FetchResponse, headers: Headers): string | undefined {
  const { status } = response
  const isOpaque = (response as Partial<Response>).type === 'opaqueredirect'
  if (!isOpaque && (status < 300 || status > 399 || status === 304)) return undefined
  const location = headers.get('location')
  // A browser hides the address.
  if (location === null) return `${status} ${redirectAdvice('another address', call)}`
  const target = canParseUrl(location, call.target) ? new URL(location, call.target) : undefined
  const [path] = call.target.slice(call.api.address.get().length).split('?')
  const base = target?.pathname.endsWith(path!) && target.origin + target.pathname.slice(0, -path!.length)
  return `${status} ${redirectAdvice(target?.href ?? location, call, base ? redactLine(call.redact, base, SHOWN) : undefined)}`
}

function redirectAdvice(target: string, call: PreparedCall<unknown>, base = 'the new address'): string {
  const to = redactLine(call.redact, target, SHOWN)
  return `redirected to ${to}. Redirects are not followed, because a POST would turn into a GET: set ${setBy(call)} to ${base}`
}

const botWords = /captcha|challenge-platform|cf-chl|just a moment|checking your browser|are you a robot/i
/** A page that does nothing but set a cookie and load itself again, such as that of beget. */
const cookieWall = /document\.cookie ?= ?["']([\w-]{1,40}=[\w-]{1,40})[^<]{0,300}location\.reload/

/** Advice about a page that asks visitors to prove that they are human; `''` if it is another one. */
function botWallAdvice(body: unknown, headers: Headers): string {
  const page = typeof body === 'string' && isHtml(body) ? body.slice(0, 100_000) : ''
  const [, cookie] = cookieWall.exec(page) ?? []
  if (cookie) {
    return `. A bot wall is in front of the server, and lets requests with its cookie through: \`headers: { cookie: '${cookie}' }\``
  }
  if (headers.get('cf-mitigated') === null && !botWords.test(page)) return ''
  return '. A bot wall may be in front of the server: some let requests with a certain `User-Agent` or cookie through, see `headers`'
}
