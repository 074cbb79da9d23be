import {
  type ApiError,
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
import { parseRetryAfter } from '../rate-limit/headers.ts'
import { EXPIRED } from '../runtime/deadline.ts'
import type { FetchResponse } from '../runtime/fetch.ts'
import { reasonOf } from '../schema/expected.ts'
import { causesOf, isCertificateError, isRedirectError, neverOpened } from './fetch-failure.ts'
import { contextOf, type PreparedCall } from './request.ts'
import { mayRepeat } from './retry.ts'
import { type Redact, redactBody, redactCause, redactHeaders, redactIssues, redactLine } from './secrets.ts'
import { FollowedRedirectError } from './uploads/xhr-fetch.ts'

/** How much of what a server or a fetch says is shown in a message, in characters. */
const SHOWN = 300

/** An attempt as its errors need to know it. */
export interface AttemptState {
  /** Counted from 1. */
  readonly attempt: number
  /** Whether an earlier attempt may have done the work: no later one can say that it was not done. */
  readonly mayHaveSucceeded: boolean
}

/** An answer that was read. */
export interface ReadResponse {
  readonly response: FetchResponse
  readonly text: string
  readonly body: unknown
}

/** Why no answer came: the reason of an abort, or one of our errors. */
export function noAnswer(
  call: PreparedCall<unknown>,
  state: AttemptState,
  { thrown, isSent, sourceError }: { thrown: unknown; isSent: boolean; sourceError: unknown },
): unknown {
  const { method, replayable, signal, timeout, redact, url } = call
  if (signal?.aborted) return signal.reason
  if (thrown instanceof ConfigurationError) {
    const notSent: Outcome = 'not-sent'
    return new ConfigurationError(thrown.message, errorContext(call, state, notSent, false, state.attempt - 1))
  }
  if (sourceError !== undefined) {
    const reason = redactLine(redact, reasonOf(sourceError), SHOWN)
    const context = errorContext(call, state, isSent ? 'unknown' : 'not-sent', false)
    return new ConnectionError(`the content could not be read: ${reason}`, context, { cause: sourceError })
  }
  // From here on the copy, which no getter of the original can make fail.
  const cause = redactCause(redact, thrown)
  if (thrown instanceof FollowedRedirectError) {
    const target = redactLine(redact, thrown.target, SHOWN)
    const message = `redirected to ${target}, and the browser followed: check whether the file is there before you retry, and set ${call.api.setBy} to the new address`
    return new ConnectionError(message, errorContext(call, state, 'unknown', false))
  }
  if (isSent && isRedirectError(thrown)) {
    const message = redirectAdvice('another address, which this runtime does not tell', call)
    return new ConnectionError(message, errorContext(call, state, 'rejected', false))
  }
  const hasBody = call.body !== undefined || call.upload !== undefined
  const notSent = !isSent || neverOpened(thrown, { hasBody })
  const retryable = !isCertificateError(thrown) && mayRepeat({ method, replayable, notSent, status: undefined })
  const context = errorContext(call, state, notSent ? 'not-sent' : 'unknown', retryable)
  if (thrown === EXPIRED) return new TimeoutError(timeout as number, context)
  const innermost = causesOf(cause).at(-1)
  const said = innermost ? innermost.message || (innermost as { code?: string }).code || innermost.name : cause
  const reason = typeof said === 'string' && said !== '' ? shorten(said, SHOWN) : 'fetch gave no reason'
  return new ConnectionError(`no answer came: ${withAdvice(reason, cause, url)}`, context, { cause })
}

/** Why a connection failed, and what to do about it where the runtime does not say that. */
function withAdvice(reason: string, thrown: unknown, url: string): string {
  const text = causesOf(thrown)
    .map((cause) => `${(cause as { code?: unknown }).code} ${cause.message}`)
    .join(' ')
  if (isCertificateError(thrown)) {
    return `${reason}. The certificate is not trusted: for a private certificate authority, set NODE_EXTRA_CA_CERTS to its file`
  }
  if (/wrong version number|packet length too long|ERR_SSL_|EPROTO/.test(text)) {
    // The words of OpenSSL explain nothing; they stay in the cause.
    return 'the TLS connection failed. Does this port speak TLS? The address begins with https:'
  }
  if (url.startsWith('http:') && /HPE_INVALID|UND_ERR_SOCKET|ECONNRESET|other side closed/.test(text)) {
    return `${reason}. Does this port speak TLS? The address begins with http:`
  }
  return reason
}

/** The server said no. */
export function refusal(
  call: PreparedCall<unknown>,
  state: AttemptState,
  answer: ReadResponse & {
    readonly status: number
    readonly message: string
    readonly rateLimit: ApiErrorResponse['rateLimit']
  },
): ApiError {
  const { method, replayable, redact } = call
  const { status, response, rateLimit } = answer
  const body = redactBody(redact, answer.body, answer.text)
  const headers = redactHeaders(redact, response.headers as Headers)
  const retryable = mayRepeat({ method, replayable, notSent: false, status })
  const context = errorContext(call, state, status >= 500 ? 'unknown' : 'rejected', retryable)
  const said = redirectOf(call, response, headers) ?? refusalMessage(answer, body, redact)
  const advice = refusalAdvice(call, status, body, headers)
  return apiError(
    redact(advice ? said.replace(/\.$/, '') + advice : said),
    { status, body, headers, rateLimit },
    context,
    parseRetryAfter(response.headers, body),
  )
}

function refusalMessage(
  { status, message, response }: Parameters<typeof refusal>[2],
  body: unknown,
  redact: Redact,
): string {
  if (status === 304) {
    return '304 Not Modified, the answer of a cache to a conditional request: leave out If-None-Match and If-Modified-Since in `headers`'
  }
  // A 200 that says no has nothing to tell but “OK”.
  const isOk = response.status >= 200 && response.status < 300
  const said = message || (!isOk && response.statusText) || (typeof body === 'string' ? notJson(body) : 'no message')
  const shown = redactLine(redact, said, SHOWN)
  return isOk && status === response.status ? shown : `${status} ${shown}`
}

/** What to do about a refusal, where that can be told. */
function refusalAdvice(call: PreparedCall<unknown>, status: number, body: unknown, headers: Headers): string {
  const { api } = call
  if (isBotWall(body, headers)) return BOT_WALL
  if (typeof body === 'string' && status === 404) return `. Is ${api.setBy} right? It is ${api.address}`
  // Without a key of its own, the proxy that adds it knows better.
  if ((status !== 401 && status !== 403) || !api.usesKey || !call.apiKey.isSet) return ''
  return '. Check `apiKey` or SHORTLINK_API_KEY first; some hosts drop the Authorization header before it reaches the platform'
}

/** An answer that is not what the platform documents: a body that cannot be read, or rows that do not fit. */
export function invalidResponse(
  call: PreparedCall<unknown>,
  state: AttemptState,
  { response, text, body, issues }: ReadResponse & { readonly issues: readonly Issue[] },
): InvalidResponseError {
  const { redact } = call
  const clean = redactBody(redact, body, text)
  const safeIssues = redactIssues(redact, issues)
  const advice = isBotWall(clean, response.headers) ? BOT_WALL : ''
  const problem = issues.length
    ? `the answer does not fit: ${describe(safeIssues)}`
    : `${response.status} ${notJson(clean)}${advice}`
  return new InvalidResponseError(
    problem,
    { status: response.status, body: clean, issues: safeIssues },
    errorContext(call, state, 'unknown', false),
  )
}

/** The answer is larger than the client reads. */
export function tooLarge(
  call: PreparedCall<unknown>,
  state: AttemptState,
  { status }: FetchResponse,
  maxResponseSize: number,
): InvalidResponseError {
  return new InvalidResponseError(
    `the answer is larger than maxResponseSize, ${maxResponseSize} bytes`,
    { status, body: undefined, issues: [] },
    errorContext(call, state, 'unknown', false),
  )
}

function errorContext(
  call: PreparedCall<unknown>,
  { attempt, mayHaveSucceeded }: AttemptState,
  outcome: Outcome,
  retryable: boolean,
  attempts = attempt,
): ErrorContext {
  return { ...contextOf(call), attempts, outcome: mayHaveSucceeded ? 'unknown' : outcome, retryable }
}

/** Where a redirect leads, and what to do about it; `undefined` where the answer is none. */
function redirectOf(call: PreparedCall<unknown>, response: FetchResponse, headers: Headers): string | undefined {
  const { status } = response
  const isOpaque = (response as Partial<Response>).type === 'opaqueredirect'
  if (!isOpaque && (status < 300 || status > 399 || status === 304)) return undefined
  const location = headers.get('location')
  // A browser hides the address.
  const target =
    location === null
      ? 'another address'
      : URL.canParse(location, call.url)
        ? new URL(location, call.url).href
        : location
  return `${status} ${redirectAdvice(target, call)}`
}

function redirectAdvice(target: string, { api, redact }: PreparedCall<unknown>): string {
  return `redirected to ${redactLine(redact, target, SHOWN)}. Redirects are not followed, because a POST would turn into a GET: set ${api.setBy} to the new address`
}

function notJson(body: unknown): string {
  if (typeof body !== 'string') return 'the answer is JSON, but not an object'
  if (body.trim() === '') return 'the answer is empty'
  return isHtml(body)
    ? 'the answer is an HTML page, not JSON: a gateway, maintenance, or a wrong address'
    : 'the answer is not JSON, or was cut short'
}

/** Whether a body is an HTML page. */
export const isHtml = (body: string): boolean => /^\s*</.test(body.slice(0, 1000))

const BOT_WALL =
  '. A bot wall may stand in front: some deployments let a `User-Agent` or a cookie of their own through, see `headers`'

/** Whether a page asks its visitors to prove that they are human. */
export function isBotWall(body: unknown, headers: { get(name: string): string | null }): boolean {
  if (headers.get('cf-mitigated') !== null) return true
  const words = /captcha|challenge-platform|cf-chl|just a moment|checking your browser|are you a robot/i
  return typeof body === 'string' && isHtml(body) && words.test(body.slice(0, 100_000))
}
