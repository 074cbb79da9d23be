import { type Inspect, inspectCustom } from './runtime/inspect.ts'
import { setFrames } from './runtime/stack.ts'
import { hasMessage, shorten } from './runtime/text.ts'
import { type Redact, redactBody, redactHeaders, redactLine } from './secrets.ts'

/**
 * The outcome of a request that failed.
 *
 * - `not-sent`: it never reached the server. The client rejected it, it was still queued, `fetch` refused it, or the
 *   connection never opened.
 * - `rejected`: the server refused it and did not do the work.
 * - `unknown`: the work may have been done (a 5xx, a timeout, a lost connection, an unreadable response).
 * - `done`: the server reported that a write is done, but its response does not match, or it used a different alias or
 *   domain from the one requested. Such a call is never retried. The `body` of the error has what could be read.
 */
export type Outcome = 'not-sent' | 'rejected' | 'unknown' | 'done'

/** Returns whether the work was done or may have been, so that repeating the call could do it twice. @internal */
export const mayBeDone = (outcome: Outcome): boolean => outcome === 'unknown' || outcome === 'done'

/** The `code` of each error class, to tell errors apart where `instanceof` cannot. */
export type ErrorCode =
  | 'configuration'
  | 'invalid_request'
  | 'connection'
  | 'timeout'
  | 'aborted'
  | 'api'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'rate_limit'
  | 'server'
  | 'invalid_response'
  | 'link_conflict'

/**
 * One invalid value: where it is and what is wrong. Issues of a response contain no values, so they are safe to log,
 * unless the messages of your own `schema` quote values.
 */
export interface Issue {
  /** Keys and positions, outermost first, such as `['data', 'campaigns', 3, 'id']`. */
  readonly path: readonly (string | number)[]
  /** The expected and the received value, such as `expected an integer, received a boolean`. */
  readonly message: string
  /** The kind of problem, for messages in other languages. */
  readonly code: IssueCode
}

/**
 * The kind of an issue.
 *
 * - `missing`: a required value is missing or empty
 * - `invalid`: it has the wrong type or form
 * - `too_long`, `too_short`: it is out of range
 * - `not_allowed`: it is well-formed, but not one of the accepted values, or cannot be combined with another one
 * - `unknown`: no parameter or option has this name
 */
export type IssueCode = 'missing' | 'invalid' | 'too_long' | 'too_short' | 'not_allowed' | 'unknown'

/** An issue whose code may still be missing. */
export type IssueInput = Omit<Issue, 'code'> & Partial<Issue>

/** Adds the code to an issue that has none. @internal */
export const addIssueCode = (issue: IssueInput): Issue => ({
  code: issue.message.startsWith('is missing') ? 'missing' : 'invalid',
  ...issue,
})

/** The state of the rate limit. */
export interface RateLimitState {
  /** Requests allowed in a window; `undefined` while unknown. */
  readonly limit: number | undefined
  /** Requests left in this window, not counting those in flight; `undefined` while unknown. */
  readonly remaining: number | undefined
  /** When the window ends, on this machine's clock; `undefined` while unknown. */
  readonly resetAt: Date | undefined
  /** Calls of this client that are waiting for the rate limit. */
  readonly queued: number
}

/** The call that an error belongs to. */
export interface ErrorContext {
  /** The method that the user called, if it makes several requests: `links.ensure`. The message starts with it. */
  readonly operation?: string | undefined
  readonly method?: string
  readonly path?: string
  readonly url?: string
  readonly attempts?: number
  readonly outcome?: Outcome
  readonly retryable?: boolean
  /** An error created where the user made the call. Its frames become the stack. @internal */
  readonly calledFrom?: Error | undefined
  /** Removes the secrets of the call from all fields of the error. @internal */
  readonly redact?: Redact | undefined
}

/** The default for an error that belongs to no call. */
const keepText: Redact = (text) => text

/** The maximum length of a text from a server or from fetch in a message, in characters. @internal */
export const MAX_QUOTED = 300

const brand = Symbol.for('shortlink-sdk.error')

/** The maximum lengths in a logged error, in characters. The fields of the error itself are not shortened. */
const SHOWN_MESSAGE = 600
const SHOWN_BODY = 1000
const SHOWN_ERROR = 1200
/** The maximum number of issues in its JSON. */
const SHOWN_ISSUES = 10

/**
 * The base class of all errors of this package. Its `code` tells them apart if `instanceof` cannot: with two copies of
 * the package, or across realms.
 *
 * @example
 * const result = await client.qr.get(7).safe()
 * if (!result.ok && result.error.code === 'rate_limit') console.log(`retry in ${result.error.retryAfter} s`)
 */
export class ShortLinkError extends Error {
  /** The kind of error. */
  declare readonly code: ErrorCode
  /** The message without the call: `this alias is taken` of `POST /url/add: this alias is taken`. */
  declare readonly problem: string
  /** The outcome of the request. */
  readonly outcome: Outcome
  /** Whether the same call may succeed later, without creating anything a second time. */
  readonly retryable: boolean
  /** The number of times that the request was sent. */
  readonly attempts: number
  /** The HTTP method of the call; `undefined` if the error belongs to no call. */
  declare readonly method: string | undefined
  /** The path of the call, relative to the base URL; `undefined` if the error belongs to no call. */
  declare readonly path: string | undefined
  /** The URL of the call, without secrets; `undefined` if the error belongs to no call. */
  declare readonly url: string | undefined

  constructor(message: string, context: ErrorContext = {}, options?: ErrorOptions) {
    const { method, path, url, calledFrom, redact = keepText, operation = method && `${method} ${path}` } = context
    super(redactLine(redact, operation ? `${operation}: ${message}` : message, SHOWN_MESSAGE), options)
    // An own property, because some loggers copy only those.
    this.code = this.code
    this.outcome = context.outcome ?? 'not-sent'
    this.retryable = context.retryable ?? false
    this.attempts = context.attempts ?? 0
    for (const [name, value] of Object.entries({ method, path, url })) {
      if (value !== undefined) Object.assign(this, { [name]: redact(value) })
    }
    defineHidden(this, { problem: redactLine(redact, message, SHOWN_MESSAGE) })
    setFrames(this, calledFrom ?? this)
  }

  /** The fields for a log: at most ten issues, and at most 1,000 characters of the body. */
  toJSON(): Record<string, unknown> {
    const { name, message, issues, body } = this as ShortLinkError & Partial<InvalidResponseError>
    const inspectFields = { issues: issues?.slice(0, SHOWN_ISSUES), body: shortenBody(body, SHOWN_BODY) }
    return { name, message, ...(this as object), ...removeUndefined(inspectFields) }
  }

  /** Keeps the output of Node, Bun and Deno short, whatever the server sent. @internal */
  [inspectCustom](_depth: number, options: object, inspect: Inspect): string {
    // The stack contains the name and the message, and the message contains the issues.
    const { name: _, message: __, issues: ___, body, ...fields } = this.toJSON()
    const shown = (more: object) => inspect({ ...fields, ...more }, { ...options, depth: 3, maxArrayLength: 3 })
    const cause = hasMessage(this.cause) ? { cause: `${this.cause.name}: ${shorten(this.cause.message, 200)}` } : {}
    const maxBody = SHOWN_ERROR - String(this.stack).length - shown(cause).length
    const rest = body === undefined ? cause : { ...cause, body: shortenBody(body, Math.max(80, maxBody)) }
    return `${this.stack} ${shown(rest)}`
  }
}

/** Makes long fields non-enumerable, so that Node leaves them out of uncaught errors, and loggers out of log lines. */
function defineHidden(error: ShortLinkError, fields: object): void {
  for (const [name, value] of Object.entries(fields)) Object.defineProperty(error, name, { value, configurable: true })
}

/**
 * Copies the error of one request, with the outcome of the whole call that made several requests, and a note at the end
 * of the message.
 *
 * @internal
 */
export function copyWithOutcome<E extends ShortLinkError>(
  error: E,
  outcome: Outcome,
  retryable = error.retryable,
  note = '',
): E {
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error))
  Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error))
  const { problem } = error
  for (const name of ['message', 'problem', 'stack'] as const) {
    Object.defineProperty(copy, name, { value: error[name]?.replace(problem, () => problem + note) })
  }
  return Object.assign(copy, { outcome, retryable })
}

/** An option is invalid, or an address or the key is missing. Nothing was sent. */
export class ConfigurationError extends ShortLinkError {
  declare readonly code: 'configuration'
}

/** A parameter is missing or invalid. Nothing was sent. */
export class InvalidRequestError extends ShortLinkError {
  declare readonly code: 'invalid_request'
  /** One issue for each invalid parameter. */
  declare readonly issues: readonly Issue[]

  constructor(issues: readonly (Omit<Issue, 'code'> & Partial<Issue>)[], context?: ErrorContext) {
    super(formatIssues(issues, context?.redact), context)
    defineHidden(this, { issues: redactIssues(issues, context?.redact) })
  }
}

/** No response was received. `cause` is the error that fetch threw, without secrets. */
export class ConnectionError extends ShortLinkError {
  declare readonly code: 'connection' | 'timeout'
}

/**
 * An attempt took longer than the option `timeout`, or the call longer than its `deadline`: the key function or the
 * server was slow.
 */
export class TimeoutError extends ConnectionError {
  declare readonly code: 'timeout'
  /** The limit in whole milliseconds: the `timeout` of the attempt, or what was left of the `deadline`. */
  readonly timeout: number

  constructor(timeout: number, context: ErrorContext, message = `no response within ${timeout} ms`) {
    super(message, context)
    this.timeout = timeout
  }
}

/**
 * The call was aborted by its signal. `outcome` says whether it may have been done: `not-sent` if it was still waiting,
 * `unknown` if the request was in flight. `cause` is the reason of the signal.
 */
export class AbortError extends ShortLinkError {
  declare readonly code: 'aborted'

  constructor(reason: unknown, context: ErrorContext = {}) {
    // What was not sent can be sent later, wherever the call waited.
    const { outcome = 'not-sent' } = context
    super('aborted by its signal', { ...context, retryable: outcome === 'not-sent' }, { cause: reason })
  }
}

/** The response of a server that refused a request. */
export interface ApiErrorResponse {
  /** The status in the body's `error` if that is 400 or more, else the HTTP status; 400 if both report success. */
  readonly status: number
  /** The status of the HTTP response, which may be 200. */
  readonly httpStatus: number
  /** The server's own message; `''` if there is none. */
  readonly serverMessage: string
  /** Whether the API itself refused, with its own JSON. A gateway's page or a framework's error is not from the API. */
  readonly isFromApi: boolean
  /** The body as parsed JSON, or as text if it is not JSON. Texts are truncated after 256 kB. */
  readonly body: unknown
  readonly headers: Iterable<readonly [string, string]>
  readonly rateLimit: RateLimitState
}

/** The server refused the request, whatever the HTTP status. */
export class ApiError extends ShortLinkError implements ApiErrorResponse {
  declare readonly code: 'api' | 'authentication' | 'permission' | 'not_found' | 'rate_limit' | 'server'
  /** 400 or more, so that it can be passed on: the status in the body's `error`, else the HTTP status, else 400. */
  readonly status: number
  /** The status of the HTTP response, which may be 200. */
  readonly httpStatus: number
  /**
   * The server's own message, without secrets; `''` if there is none. Do not compare it: it is in the language of the
   * site.
   */
  readonly serverMessage: string
  /** The body as parsed JSON, or as text if it is not JSON. Texts are truncated after 256 kB. */
  declare readonly body: unknown
  /** Whether the API itself refused, with its own JSON. A gateway's page or a framework's error is not from the API. */
  readonly isFromApi: boolean
  /** The response headers, without secrets. */
  declare readonly headers: Headers
  /** The state of the rate limit after this response. */
  declare readonly rateLimit: RateLimitState

  constructor(message: string, response: ApiErrorResponse, context: ErrorContext) {
    const { status, httpStatus, serverMessage, isFromApi, body, headers, rateLimit } = response
    const { redact = keepText } = context
    super(message, context)
    this.status = Math.max(status, 400)
    this.httpStatus = httpStatus
    this.serverMessage = redactLine(redact, serverMessage, MAX_QUOTED)
    const shown = { body: redactBody(redact, body), headers: redactHeaders(redact, headers) }
    this.isFromApi = isFromApi
    defineHidden(this, { rateLimit, ...shown })
  }
}

/** 401: the API key is missing, wrong or expired. */
export class AuthenticationError extends ApiError {
  declare readonly code: 'authentication'
}

/** 403: the API key lacks the permission for this call. */
export class PermissionError extends ApiError {
  declare readonly code: 'permission'
}

/** 404: nothing exists at this path, or with this id. */
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
 * Either the server refused the request (`outcome: 'rejected'`), or the client did not send it because the wait would
 * be too long (`outcome: 'not-sent'`).
 */
export class RateLimitError extends ApiError {
  declare readonly code: 'rate_limit'
  /** The wait before a retry, in seconds; `undefined` if unknown. */
  declare readonly retryAfter: number | undefined
  /** When the window ends, on this machine's clock; `undefined` if unknown. */
  declare readonly resetAt: Date | undefined

  constructor(message: string, response: ApiErrorResponse, context: ErrorContext, retryAfter?: number) {
    super(message, response, context)
    Object.assign(this, removeUndefined({ retryAfter, resetAt: response.rateLimit.resetAt }))
  }
}

/**
 * What is wrong with a response:
 *
 * - `schema`: its values do not match the documented types, or it is a different page from the one requested.
 * - `not_json`: it is not JSON, or it was too large to be read.
 * - `incomplete_list`: a list ended with fewer rows than it announced.
 * - `other_alias`: the server created a link with a different alias or domain from the one requested.
 */
export type InvalidResponseReason = 'schema' | 'not_json' | 'incomplete_list' | 'other_alias'

/** The response does not match the documentation: it is not JSON, has invalid rows, or is not the requested page. */
export class InvalidResponseError extends ShortLinkError {
  declare readonly code: 'invalid_response'
  /** The problems with the response, at most 100; empty if the body could not be read at all. */
  declare readonly issues: readonly Issue[]
  /** The HTTP status of the response. */
  readonly status: number
  /**
   * The body as parsed JSON, or as text if it is not JSON. Texts are truncated after 256 kB; `undefined` if it was too
   * large to be read.
   */
  declare readonly body: unknown
  /** What is wrong with the response. */
  readonly reason: InvalidResponseReason

  constructor(
    message: string,
    {
      reason,
      status,
      body,
      issues,
    }: {
      reason: InvalidResponseReason
      status: number
      body: unknown
      issues: readonly (Omit<Issue, 'code'> & Partial<Issue>)[]
    },
    context: ErrorContext,
  ) {
    super(message, context)
    this.reason = reason
    this.status = status
    defineHidden(this, {
      issues: redactIssues(issues, context.redact),
      body: redactBody(context.redact ?? keepText, body),
    })
  }
}

/**
 * The alias for `links.ensure` already leads to another URL. Nothing was created or changed; `outcome` says whether a
 * creation was sent.
 */
export class LinkConflictError extends ShortLinkError {
  declare readonly code: 'link_conflict'
  /** The short address of the existing link. */
  readonly shorturl: string
  /** The URL that it leads to. */
  readonly longurl: string
  /** Links with the same alias on other domains. */
  declare readonly others: readonly { readonly shorturl: string; readonly longurl: string }[]

  constructor(
    { shorturl, longurl }: { shorturl: string; longurl: string },
    context: ErrorContext = {},
    others: readonly { shorturl: string; longurl: string }[] = [],
  ) {
    const { redact = keepText } = context
    const line = redactLine.bind(undefined, redact)
    const more = others.map((link) => `, ${line(link.shorturl, 200)} to ${line(link.longurl, 300)}`)
    super(`${line(shorturl, 200)} already leads to ${line(longurl, 300)}${more.join('')}`, context)
    this.shorturl = redact(shorturl)
    this.longurl = redact(longurl)
    const shown = others.map((link) => ({ shorturl: redact(link.shorturl), longurl: redact(link.longurl) }))
    defineHidden(this, { others: shown })
  }
}

define(ShortLinkError, 'ShortLinkError')
define(ConfigurationError, 'ConfigurationError', 'configuration')
define(InvalidRequestError, 'InvalidRequestError', 'invalid_request')
define(ConnectionError, 'ConnectionError', 'connection')
define(TimeoutError, 'TimeoutError', 'timeout')
define(AbortError, 'AbortError', 'aborted')
define(ApiError, 'ApiError', 'api')
define(AuthenticationError, 'AuthenticationError', 'authentication')
define(PermissionError, 'PermissionError', 'permission')
define(NotFoundError, 'NotFoundError', 'not_found')
define(RateLimitError, 'RateLimitError', 'rate_limit')
define(ServerError, 'ServerError', 'server')
define(InvalidResponseError, 'InvalidResponseError', 'invalid_response')
define(LinkConflictError, 'LinkConflictError', 'link_conflict')

/**
 * Sets the name and the code of a class. The name is set on the prototype, for the first line of the stack, and on the
 * class, because Node and loggers show that, and a bundler may have changed it. Not in a static block, which React
 * Native's bundler does not support.
 */
function define(errorClass: { readonly prototype: ShortLinkError }, name: string, code?: ErrorCode): void {
  Object.defineProperty(errorClass, 'name', { value: name })
  Object.defineProperty(errorClass.prototype, 'name', { value: name, writable: true })
  Object.defineProperty(errorClass.prototype, 'code', { value: code, writable: true })
  Object.defineProperty(errorClass.prototype, brand, { value: true })
}

/** Any error of this package that a call can fail with. `code` narrows it. */
export type AnyShortLinkError =
  | ConfigurationError
  | InvalidRequestError
  | (ConnectionError & { readonly code: 'connection' })
  | TimeoutError
  | AbortError
  | (ApiError & { readonly code: 'api' })
  | AuthenticationError
  | PermissionError
  | NotFoundError
  | RateLimitError
  | ServerError
  | InvalidResponseError
  | LinkConflictError

/**
 * Returns whether a value is an error of this package, or of another copy of it.
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

const classesByStatus: ReadonlyMap<number, typeof ApiError> = /* @__PURE__ */ new Map<number, typeof ApiError>([
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
])

/** Creates the error for a status. */
export function createApiError(
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

/** Copies issues without secrets, which may be in quoted values, in messages of a user's schema, or in keys. */
function redactIssues(issues: readonly IssueInput[], redact = keepText): Issue[] {
  return issues.map(addIssueCode).map(({ path, message, code }) => ({
    path: path.map((part) => (typeof part === 'string' ? redactLine(redact, part, 200) : part)),
    message: redactLine(redact, message, 300),
    code,
  }))
}

/** Describes issues in one line, without secrets: `name: expected a string, received a number; tag: is missing`. */
export function formatIssues(issues: readonly IssueInput[], redact?: Redact): string {
  const lines = redactIssues(issues.slice(0, 5), redact).map(({ path, message }) => {
    const at = shorten(path.join('.'), 100)
    return at ? `${at}: ${message}` : message
  })
  return issues.length > 5 ? `${lines.join('; ')}; and ${issues.length - 5} more` : lines.join('; ')
}

/** Returns a short body unchanged, and the beginning of the text of a long one. */
function shortenBody(body: unknown, maxLength: number): unknown {
  const text = typeof body === 'string' ? body : String(JSON.stringify(body))
  return text.length > maxLength ? shorten(text, maxLength) : body
}

function removeUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
