/**
 * What became of a request that failed.
 *
 * - `not-sent`: it never reached the server (refused here, still queued, or the connection never opened).
 * - `rejected`: the server answered that it did not do it.
 * - `unknown`: it may have been done (a 5xx, a timeout, a lost connection, an answer that cannot be read).
 */
export type Outcome = 'not-sent' | 'rejected' | 'unknown'

/** The `code` of every error class, for telling them apart where `instanceof` cannot. */
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

/** One thing that does not fit, and where. It holds no value, so it is safe to log. */
export interface Issue {
  /** Where: keys and positions, outermost first, such as `['data', 'campaigns', 3, 'id']`. */
  readonly path: readonly (string | number)[]
  /** What was expected and what kind of thing came, such as `expected an integer, received a boolean`. */
  readonly message: string
}

/** The state of the rate budget. @see reference, “Limits” */
export interface RateLimitState {
  /** Requests allowed in a window; `undefined` while nothing is known. */
  readonly limit: number | undefined
  /** Requests left in this window, those in flight already taken off; `undefined` while nothing is known. */
  readonly remaining: number | undefined
  /** When the window ends, on this machine's clock; `undefined` while nothing is known. */
  readonly resetAt: Date | undefined
  /** Calls waiting here for budget. */
  readonly queued: number
}

/** The call an error belongs to. */
export interface CallFacts {
  method?: string
  path?: string
  attempts?: number
  outcome?: Outcome
  retryable?: boolean
}

const brand = Symbol.for('shortlink-sdk.error')

/**
 * The base of every error of this package. Its `code` tells the kinds apart where `instanceof` cannot:
 * with two copies of the package, or across realms.
 */
export class ShortLinkError extends Error {
  override readonly name: string = 'ShortLinkError'
  /** The kind of error. */
  readonly code: ErrorCode
  /** The HTTP method of the call; `undefined` where the error belongs to no call. */
  readonly method: string | undefined
  /** The path of the call, without the base address; `undefined` where the error belongs to no call. */
  readonly path: string | undefined
  /** How many times the request was sent. */
  readonly attempts: number
  /** What became of the request. */
  readonly outcome: Outcome
  /** Whether the same call may succeed later without being changed, and can be sent again without doing it twice. */
  readonly retryable: boolean

  constructor(code: ErrorCode, message: string, facts: CallFacts = {}, options?: ErrorOptions) {
    super(facts.method ? `${facts.method} ${facts.path}: ${message}` : message, options)
    this.code = code
    this.method = facts.method
    this.path = facts.path
    this.attempts = facts.attempts ?? 0
    this.outcome = facts.outcome ?? 'not-sent'
    this.retryable = facts.retryable ?? false
    Object.defineProperty(this, brand, { value: true })
  }
}

/** Whether a value is an error of this package, or of another copy of it. */
export function isShortLinkError(value: unknown): value is ShortLinkError {
  return typeof value === 'object' && value !== null && brand in value
}

/** Whether a value is an error, of another realm too: under Jest, what fetch throws is none of this realm's. */
export function isError(value: unknown): value is Error {
  return typeof (value as Partial<Error> | null | undefined)?.message === 'string'
}

/** Options that do not fit, or an address that is missing. Nothing was sent. */
export class ConfigurationError extends ShortLinkError {
  override readonly name = 'ConfigurationError'
  declare readonly code: 'configuration'

  constructor(message: string, facts?: CallFacts) {
    super('configuration', message, facts)
  }
}

/** A parameter is wrong. Nothing was sent. */
export class InvalidRequestError extends ShortLinkError {
  override readonly name = 'InvalidRequestError'
  declare readonly code: 'invalid_request'
  /** Every parameter that does not fit. */
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[], facts?: CallFacts) {
    super('invalid_request', describe(issues), facts)
    this.issues = issues
  }
}

/** No answer came. */
export class ConnectionError extends ShortLinkError {
  override readonly name: string = 'ConnectionError'
  declare readonly code: 'connection' | 'timeout'

  constructor(
    message: string,
    facts: CallFacts,
    options?: ErrorOptions,
    code: 'connection' | 'timeout' = 'connection',
  ) {
    super(code, message, facts, options)
  }
}

/** An attempt outlasted `timeout`. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
  declare readonly code: 'timeout'
  /** The time one attempt had, in milliseconds. */
  readonly timeout: number

  constructor(timeout: number, facts: CallFacts) {
    super(`no answer within ${timeout} ms`, facts, undefined, 'timeout')
    this.timeout = timeout
  }
}

/** What the server answered when it said no. */
export interface Refusal {
  /** The HTTP status, or the number of 400 or more that the body's `error` gave instead. */
  status: number
  /** The body as parsed JSON, or as text where it is none. */
  body: unknown
  headers: Headers
  rateLimit: RateLimitState
}

/** The server said no, whatever the HTTP status. @see reference, “Errors” */
export class ApiError extends ShortLinkError implements Readonly<Refusal> {
  override readonly name: string = 'ApiError'
  declare readonly code: 'api' | 'authentication' | 'permission' | 'not_found' | 'rate_limit' | 'server'
  /** The HTTP status, or the number of 400 or more that the body's `error` gave instead. */
  readonly status: number
  /** The body as parsed JSON, or as text where it is none. */
  readonly body: unknown
  /** The headers of the answer. */
  readonly headers: Headers
  /** The rate budget after this answer. */
  readonly rateLimit: RateLimitState

  constructor(message: string, refusal: Refusal, facts: CallFacts, code: ApiError['code'] = 'api') {
    super(code, message, facts)
    this.status = refusal.status
    this.body = refusal.body
    this.headers = refusal.headers
    this.rateLimit = refusal.rateLimit
  }
}

/** 401: the key is missing, wrong or expired. @see reference, “Authentication” */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
  declare readonly code: 'authentication'
}

/** 403: the key may not do this. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
  declare readonly code: 'permission'
}

/** 404: nothing stands under this path or id. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
  declare readonly code: 'not_found'
}

/** 5xx: the server failed, and the work may have been done. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
  declare readonly code: 'server'
}

/**
 * 429: the rate is used up, by the server's word (`outcome: 'rejected'`) or, where a wait would be longer than
 * `maxWait`, by the client's own count before anything was sent (`outcome: 'not-sent'`). @see reference, “Limits”
 */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
  declare readonly code: 'rate_limit'
  /** How long to wait, in seconds; `undefined` where nobody said. */
  readonly retryAfter: number | undefined
  /** When the window ends, on this machine's clock; `undefined` where nobody said. */
  readonly resetAt: Date | undefined

  constructor(message: string, refusal: Refusal, facts: CallFacts, retryAfter?: number) {
    super(message, refusal, facts, 'rate_limit')
    this.retryAfter = retryAfter
    this.resetAt = refusal.rateLimit.resetAt
  }
}

/** The answer is not what the reference says: no JSON, another page than the one asked for, rows that do not fit. */
export class InvalidResponseError extends ShortLinkError {
  override readonly name = 'InvalidResponseError'
  declare readonly code: 'invalid_response'
  /** Everything that does not fit; empty where the body could not be read at all. */
  readonly issues: readonly Issue[]
  /** The HTTP status of the answer. */
  readonly status: number
  /** The body as parsed JSON, or as text where it is none. */
  readonly body: unknown

  constructor(message: string, answer: { status: number; body: unknown; issues: readonly Issue[] }, facts: CallFacts) {
    super('invalid_response', message, facts)
    this.issues = answer.issues
    this.status = answer.status
    this.body = answer.body
  }
}

/** The error class that a status stands for. */
export function apiError(message: string, refusal: Refusal, facts: CallFacts, retryAfter?: number): ApiError {
  const { status } = refusal
  if (status === 429) return new RateLimitError(message, refusal, facts, retryAfter)
  if (status === 401) return new AuthenticationError(message, refusal, facts, 'authentication')
  if (status === 403) return new PermissionError(message, refusal, facts, 'permission')
  if (status === 404) return new NotFoundError(message, refusal, facts, 'not_found')
  if (status >= 500) return new ServerError(message, refusal, facts, 'server')
  return new ApiError(message, refusal, facts)
}

/** Issues as one line: `name: expected a string, received a number; tag: is missing`. */
export function describe(issues: readonly Issue[]): string {
  const lines = issues.slice(0, 5).map(({ path, message }) => (path.length ? `${path.join('.')}: ${message}` : message))
  return issues.length > 5 ? `${lines.join('; ')}; and ${issues.length - 5} more` : lines.join('; ')
}
