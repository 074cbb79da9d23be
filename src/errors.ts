import { type Inspect, inspectCustom } from './runtime/inspect.ts'

/**
 * What became of a request that failed.
 *
 * - `not-sent`: it never reached the server (refused here, still queued, or the connection never opened).
 * - `rejected`: the server answered that it did not do it.
 * - `unknown`: it may have been done (a 5xx, a timeout, a lost connection, an answer that cannot be read).
 */
export type Outcome = 'not-sent' | 'rejected' | 'unknown'

/** The `code` of every error class, which tells them apart where `instanceof` cannot. */
export type ErrorCode =
  | 'configuration'
  | 'invalid_request'
  | 'connection'
  | 'timeout'
  | 'api'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'rate_limit'
  | 'server'
  | 'invalid_response'
  | 'link_conflict'

/** One thing that does not fit, and where. An issue of an answer holds no value, so it is safe to log. */
export interface Issue {
  /** Where: keys and positions, outermost first, such as `['data', 'campaigns', 3, 'id']`. */
  readonly path: readonly (string | number)[]
  /** What was expected and what came, such as `expected an integer, received a boolean`. */
  readonly message: string
}

/** The state of the rate budget. */
export interface RateLimitState {
  /** Requests allowed in a window; `undefined` while unknown. */
  readonly limit: number | undefined
  /** Requests left in this window, with those in flight already taken off; `undefined` while unknown. */
  readonly remaining: number | undefined
  /** When the window ends, on this machine's clock; `undefined` while unknown. */
  readonly resetAt: Date | undefined
  /** Calls of this client that are waiting for budget. */
  readonly queued: number
}

/** The call that an error belongs to. */
export interface ErrorContext {
  /** What the user called, where that is more than one request: `links.ensure`. The message begins with it. */
  readonly operation?: string
  readonly method?: string
  readonly path?: string
  readonly url?: string
  readonly attempts?: number
  readonly outcome?: Outcome
  readonly retryable?: boolean
}

const brand = Symbol.for('shortlink-sdk.error')

/** How much an error shows of itself in a log, in characters. The fields themselves stay whole. */
const SHOWN_MESSAGE = 600
const SHOWN_BODY = 1000
const SHOWN_ERROR = 1200
/** How many issues its JSON shows. */
const SHOWN_ISSUES = 10

/**
 * The base of every error of this package. Its `code` tells the kinds apart where `instanceof` cannot: with two copies
 * of the package, or across realms.
 *
 * @example
 * const result = await client.qr.get(7).safe()
 * if (!result.ok && result.error.code === 'rate_limit') console.log(`again in ${result.error.retryAfter} s`)
 */
export class ShortLinkError extends Error {
  /** The kind of error. */
  declare readonly code: ErrorCode
  /** What became of the request. */
  readonly outcome: Outcome
  /** Whether the same call may succeed later, unchanged, without the risk of doing its work twice. */
  readonly retryable: boolean
  /** How many times the request was sent. */
  readonly attempts: number
  /** The HTTP method of the call; `undefined` where the error belongs to no call. */
  declare readonly method: string | undefined
  /** The path of the call below the base address; `undefined` where the error belongs to no call. */
  declare readonly path: string | undefined
  /** The whole address of the call, without secrets; `undefined` where the error belongs to no call. */
  declare readonly url: string | undefined

  constructor(message: string, context: ErrorContext = {}, options?: ErrorOptions) {
    const { method, path, url, operation = method && `${method} ${path}` } = context
    super(shorten(printable(operation ? `${operation}: ${message}` : message), SHOWN_MESSAGE), options)
    // An own property, so that loggers which copy those show it.
    this.code = this.code
    this.outcome = context.outcome ?? 'not-sent'
    this.retryable = context.retryable ?? false
    this.attempts = context.attempts ?? 0
    Object.assign(this, withoutUndefined({ method, path, url }))
  }

  /** What a log needs: every field, at most ten issues, and a body of at most 1,000 characters. */
  toJSON(): Record<string, unknown> {
    const { name, message, issues, body } = this as ShortLinkError & Partial<InvalidResponseError>
    const shown = { issues: issues?.slice(0, SHOWN_ISSUES), body: shortenBody(body, SHOWN_BODY) }
    return { name, message, ...(this as object), ...withoutUndefined(shown) }
  }

  /** How Node, Bun and Deno print it: short, whatever the server sent. @internal */
  [inspectCustom](_depth: number, options: object, inspect: Inspect): string {
    // The stack says the name and the message, and the message says the issues.
    const { name: _, message: __, issues: ___, body, ...fields } = this.toJSON()
    const shown = (more: object) => inspect({ ...fields, ...more }, { ...options, depth: 3, maxArrayLength: 3 })
    const cause = isError(this.cause) ? { cause: `${this.cause.name}: ${shorten(this.cause.message, 200)}` } : {}
    const room = SHOWN_ERROR - String(this.stack).length - shown(cause).length
    const rest = body === undefined ? cause : { ...cause, body: shortenBody(body, Math.max(80, room)) }
    return `${this.stack} ${shown(rest)}`
  }
}

/** Long properties, which Node leaves out of an uncaught error, and loggers out of a line. */
function hide(error: ShortLinkError, fields: object): void {
  for (const [name, value] of Object.entries(fields)) Object.defineProperty(error, name, { value, configurable: true })
}

/** An option does not fit, or an address is missing. Nothing was sent. */
export class ConfigurationError extends ShortLinkError {
  declare readonly code: 'configuration'
}

/** A parameter is wrong. Nothing was sent. */
export class InvalidRequestError extends ShortLinkError {
  declare readonly code: 'invalid_request'
  /** Every parameter that does not fit. */
  declare readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[], context?: ErrorContext) {
    super(describe(issues), context)
    hide(this, { issues })
  }
}

/** No answer came. `cause` is what fetch threw. */
export class ConnectionError extends ShortLinkError {
  declare readonly code: 'connection' | 'timeout'
}

/** An attempt took longer than `timeout`. */
export class TimeoutError extends ConnectionError {
  declare readonly code: 'timeout'
  /** The time that one attempt had, in milliseconds. */
  readonly timeout: number

  constructor(timeout: number, context: ErrorContext) {
    super(`no answer within ${timeout} ms`, context)
    this.timeout = timeout
  }
}

/** What the server answered when it said no. */
export interface ApiErrorResponse {
  /** The HTTP status, or the number of 400 or more that the body's `error` gave instead. */
  readonly status: number
  /** The body as parsed JSON, or as text where it is not JSON. */
  readonly body: unknown
  readonly headers: Headers
  readonly rateLimit: RateLimitState
}

/** The server said no, whatever the HTTP status. */
export class ApiError extends ShortLinkError implements ApiErrorResponse {
  declare readonly code: 'api' | 'authentication' | 'permission' | 'not_found' | 'rate_limit' | 'server'
  /** The HTTP status, or the number of 400 or more that the body's `error` gave instead. */
  readonly status: number
  /** The body as parsed JSON, or as text where it is not JSON. */
  declare readonly body: unknown
  /** The headers of the answer. */
  declare readonly headers: Headers
  /** The rate budget after this answer. */
  declare readonly rateLimit: RateLimitState

  constructor(message: string, { status, body, headers, rateLimit }: ApiErrorResponse, context: ErrorContext) {
    super(message, context)
    this.status = status
    hide(this, { body, headers, rateLimit })
  }
}

/** 401: the key is missing, wrong or expired. */
export class AuthenticationError extends ApiError {
  declare readonly code: 'authentication'
}

/** 403: the key may not do this. */
export class PermissionError extends ApiError {
  declare readonly code: 'permission'
}

/** 404: there is nothing under this path or id. */
export class NotFoundError extends ApiError {
  declare readonly code: 'not_found'
}

/** 5xx: the server failed. The work may have been done. */
export class ServerError extends ApiError {
  declare readonly code: 'server'
}

/**
 * 429: the rate limit is exceeded.
 *
 * Either the server says so (`outcome: 'rejected'`) or, where the wait would be too long, the client knows it before
 * anything is sent (`outcome: 'not-sent'`).
 */
export class RateLimitError extends ApiError {
  declare readonly code: 'rate_limit'
  /** How long to wait, in seconds; `undefined` where nobody said. */
  declare readonly retryAfter: number | undefined
  /** When the window ends, on this machine's clock; `undefined` where nobody said. */
  declare readonly resetAt: Date | undefined

  constructor(message: string, response: ApiErrorResponse, context: ErrorContext, retryAfter?: number) {
    super(message, response, context)
    Object.assign(this, withoutUndefined({ retryAfter, resetAt: response.rateLimit.resetAt }))
  }
}

/** An answer that is not what the platform documents: not JSON, another page than the one asked for, rows that do not fit. */
export class InvalidResponseError extends ShortLinkError {
  declare readonly code: 'invalid_response'
  /** Everything that does not fit, 100 issues at most; empty where the body could not be read at all. */
  declare readonly issues: readonly Issue[]
  /** The HTTP status of the answer. */
  readonly status: number
  /** The body as parsed JSON, or as text where it is not JSON; `undefined` where it was too large to be read. */
  declare readonly body: unknown

  constructor(
    message: string,
    { status, body, issues }: { status: number; body: unknown; issues: readonly Issue[] },
    context: ErrorContext,
  ) {
    super(message, context)
    this.status = status
    hide(this, { issues, body })
  }
}

/** The alias that `links.ensure` was asked for leads to another address already. Nothing was created or changed. */
export class LinkConflictError extends ShortLinkError {
  declare readonly code: 'link_conflict'
  /** The short address that was asked for. */
  readonly shorturl: string
  /** Where it leads. */
  readonly longurl: string

  constructor({ shorturl, longurl }: { shorturl: string; longurl: string }, context?: ErrorContext) {
    super(`${shorten(shorturl, 200)} already leads to ${shorten(longurl, 300)}`, context)
    this.shorturl = shorturl
    this.longurl = longurl
  }
}

define(ShortLinkError, 'ShortLinkError')
define(ConfigurationError, 'ConfigurationError', 'configuration')
define(InvalidRequestError, 'InvalidRequestError', 'invalid_request')
define(ConnectionError, 'ConnectionError', 'connection')
define(TimeoutError, 'TimeoutError', 'timeout')
define(ApiError, 'ApiError', 'api')
define(AuthenticationError, 'AuthenticationError', 'authentication')
define(PermissionError, 'PermissionError', 'permission')
define(NotFoundError, 'NotFoundError', 'not_found')
define(RateLimitError, 'RateLimitError', 'rate_limit')
define(ServerError, 'ServerError', 'server')
define(InvalidResponseError, 'InvalidResponseError', 'invalid_response')
define(LinkConflictError, 'LinkConflictError', 'link_conflict')

/**
 * Gives a class its name and code: on the prototype, where the stack's first line is taken from, and on the class, whose
 * own name a bundler may have changed, and which Node and loggers show. Not in a static block, which React Native's
 * bundler refuses.
 */
function define(errorClass: { readonly prototype: ShortLinkError }, name: string, code?: ErrorCode): void {
  Object.defineProperty(errorClass, 'name', { value: name })
  Object.defineProperty(errorClass.prototype, 'name', { value: name, writable: true })
  Object.defineProperty(errorClass.prototype, 'code', { value: code, writable: true })
  Object.defineProperty(errorClass.prototype, brand, { value: true })
}

/** Every error of this package that a call can end with, told apart by `code`. */
export type AnyShortLinkError =
  | ConfigurationError
  | InvalidRequestError
  | (ConnectionError & { readonly code: 'connection' })
  | TimeoutError
  | (ApiError & { readonly code: 'api' })
  | AuthenticationError
  | PermissionError
  | NotFoundError
  | RateLimitError
  | ServerError
  | InvalidResponseError
  | LinkConflictError

/**
 * Whether a value is an error of this package, or of another copy of it.
 *
 * @example
 * import { isShortLinkError } from 'shortlink-sdk'
 * try {
 *   await client.qr.get(99)
 * } catch (error) {
 *   if (!isShortLinkError(error)) throw error
 *   console.log(error.code, error.outcome, error.code === 'rate_limit' ? error.retryAfter : undefined)
 * }
 */
export function isShortLinkError(value: unknown): value is AnyShortLinkError {
  return typeof value === 'object' && value !== null && brand in value
}

/** Whether a value is an error, of any realm: under Jest, what fetch throws comes from another one. */
export function isError(value: unknown): value is Error {
  try {
    return typeof (value as Error).message === 'string'
  } catch {
    // It is nothing, or has a getter that throws.
    return false
  }
}

const classesByStatus: ReadonlyMap<number, typeof ApiError> = /* @__PURE__ */ new Map<number, typeof ApiError>([
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
])

/** The error that a status stands for. */
export function apiError(
  message: string,
  response: ApiErrorResponse,
  context: ErrorContext,
  retryAfter: number | undefined,
): ApiError {
  const { status } = response
  if (status === 429) return new RateLimitError(message, response, context, retryAfter)
  const ErrorClass: typeof ApiError = classesByStatus.get(status) ?? (status >= 500 ? ServerError : ApiError)
  return new ErrorClass(message, response, context)
}

/** Issues as one line: `name: expected a string, received a number; tag: is missing`. */
export function describe(issues: readonly Issue[]): string {
  const lines = issues.slice(0, 5).map(({ path, message }) => {
    const at = shorten(path.join('.'), 100)
    return at ? `${at}: ${shorten(message, 300)}` : shorten(message, 300)
  })
  return issues.length > 5 ? `${lines.join('; ')}; and ${issues.length - 5} more` : lines.join('; ')
}

/** A text of at most so many characters, with a sign that it was cut. Secrets are removed before. */
export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}

/** Control characters, formats and surrogates without their other half: what `\p{C}` stands for, which not every engine knows. */
const unprintable =
  /[\0-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udc7f]/g

/**
 * A text in one line, without characters that move a cursor, colour a terminal or turn the direction of writing. Whatever a
 * server says goes through it before it reaches a message or a log.
 */
export function printable(text: string): string {
  return text.replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ').replace(unprintable, '\ufffd')
}

/** A body as a log shows it: as it is where that is short, as the beginning of its text where it is not. */
function shortenBody(body: unknown, most: number): unknown {
  try {
    const text = typeof body === 'string' ? body : String(JSON.stringify(body))
    return text.length > most ? shorten(text, most) : body
  } catch {
    return 'a body that JSON cannot hold, such as one nested too deeply'
  }
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
