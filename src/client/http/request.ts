import { type Checks, checkOptions, checkParams, checkValue, oneOf } from '../checks/checks.ts'
import { mismatch, notPlain, reasonOf } from '../checks/mismatch.ts'
import {
  type ApiError,
  ConfigurationError,
  type ErrorContext,
  InvalidRequestError,
  type Issue,
  type Outcome,
  type RateLimitState,
  type ShortLinkError,
} from '../errors.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import type { Fetch, FetchOptions } from '../runtime/fetch.ts'
import { isPlain, isRecord, kind } from '../runtime/text.ts'
import type { Address, AddressNames } from './address.ts'
import type { ApiKey } from './api-key.ts'
import type { Read } from './envelope.ts'
import type { Listeners } from './observers.ts'
import type { Path } from './path.ts'
import {
  authorizationBesideKey,
  authorizationIn,
  type BeforeRequest,
  callOptionNames,
  type HeaderPair,
  headerPairs,
  type RequestOptions,
  requestOptionChecks,
} from './request-options.ts'
import { REDACTED, type Redact, redactIssues, redactLine, redactPasswords, Secrets } from './secrets.ts'

/** A call: what to send, how to check that, and how to read the response. */
export interface CallSpec<T> {
  readonly method: string
  readonly path: Path
  readonly api?: 'opener' | undefined
  readonly query?: object | undefined
  /** A query that is sent as it is, in place of `query`. */
  readonly search?: string
  readonly json?: unknown
  /** Sent in place of `json`. */
  readonly upload?: Upload | undefined
  /** The checks of `json`, or of `query` if there is no `json`. */
  readonly checks?: Checks | undefined
  /** The checks of its options, if it has others than every call. */
  readonly optionChecks?: Checks | undefined
  /** Problems that the caller has already found. */
  readonly issues?: readonly Issue[] | undefined
  /** Returns true for an error that the call expects. Observers do not hear of it. */
  readonly isExpected?: (error: unknown) => error is ApiError
  readonly read: Read<T>
  /** The form in which `read` needs the body. Not every `fetch` gives bytes. Default: text. */
  readonly as?: 'text' | 'bytes' | undefined
  /** True if `read` reads refusals too, which are errors otherwise. */
  readonly readsRefusals?: boolean
}

/** The progress of an upload. */
export interface UploadProgress {
  /** Bytes sent so far. */
  readonly loaded: number
  /** The size of the content in bytes; `undefined` if unknown. */
  readonly total: number | undefined
}

export type OnProgress = ((progress: UploadProgress) => void) | undefined

/** Content that is sent as it is. */
export interface Upload {
  /** The problems with it. */
  readonly issues: readonly Issue[]
  /** True if it can be sent a second time. */
  readonly replayable: boolean
  /** Opens it for one attempt. */
  open(onProgress: OnProgress, sender: Sender): Promise<OpenedUpload>
}

/** The means by which an attempt is sent. */
export interface Sender {
  readonly fetch: Fetch
  readonly hasKey: boolean
  readonly signal: AbortSignal
}

/** The content of an upload, ready for one attempt. */
export interface OpenedUpload {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  readonly redirect: RequestRedirect
  /** A special fetch, if only that can report the progress. */
  readonly send?: Fetch
  /** To be called when the response arrives, because fetch does not report when everything is sent. */
  readonly onSent?: () => void
  /** Closes a source that was not read to its end. Node would go on reading after an abort. */
  readonly close?: () => void
  /** The error of a source that failed. */
  readonly failure?: () => Error | undefined
}

/** The options of a client with their defaults filled in. */
export interface Settings {
  readonly management: Endpoint
  readonly opener: Endpoint
  readonly apiKey: ApiKey
  readonly timeout: number | false
  readonly deadline: number | false | undefined
  readonly retry: number
  readonly headers: readonly HeaderPair[]
  readonly fetchOptions: FetchOptions | undefined
  readonly validation: 'strict' | 'report'
  readonly fetch: Fetch
  readonly beforeRequest: BeforeRequest | undefined
  /** The limiter that the management API has while its base URL is not known. */
  readonly limiterBefore: () => RateLimiter | undefined
}

/** One of the two APIs. */
export interface Endpoint {
  readonly address: Address
  /** True if its calls carry the key. */
  readonly usesKey: boolean
  /** Settles the connection, at the first call. @throws {ConfigurationError} if an address or a variable is missing or invalid */
  readonly connect: () => Connection
}

/** The settings that all calls to one API share. */
export interface Connection {
  readonly names: AddressNames
  readonly baseUrl: string
  readonly usesKey: boolean
  readonly apiKey: ApiKey
  readonly limiter: RateLimiter | undefined
  readonly listeners: Listeners
  /** The state of the rate limit after the last response. */
  lastRateLimit?: RateLimitState
}

/** Decisions of tasks, and of calls that make several requests, for their requests. */
export interface CallContext {
  /** An error that was created where the user made the call, whose frames become the stack of its errors. */
  readonly calledFrom?: Error | undefined
  /** When a call that makes several requests must have ended, on the clock of `performance.now()`. */
  readonly endsAt?: number | undefined
  /** The method that the user called. The messages of errors begin with it. */
  readonly operation?: string | undefined
  /** The outcome of errors, if it is that of the whole: a look before a creation changes nothing. */
  readonly outcome?: Outcome | undefined
  /** True if the user may repeat the whole although the outcome of this request is unknown. */
  readonly isRepeatable?: boolean | undefined
  /** When a call must have its slot at the latest, on the same clock. */
  readonly slotBy?: number | undefined
  /** True to throw for a row that does not fit with `validation: 'report'` too, because the caller decides by it. */
  readonly isStrict?: boolean | undefined
  readonly task?: TaskCall | undefined
}

/**
 * A call of a task. It queues behind all other calls, waits out a 429 however often it comes, and does not abort a request that was
 * sent, because the server may do the work anyway. An incomplete list is an error with `validation: 'report'` too.
 */
export interface TaskCall {
  /** Called once, when the call has its first slot, and awaited before the request is sent. */
  readonly begun?: (() => void | Promise<void>) | undefined
}

/** A call that was checked and can be sent, several times if it is retried. */
export interface Call<T> {
  readonly spec: CallSpec<T>
  readonly connection: Connection
  readonly context: CallContext
  /** The same for all attempts; for events. */
  readonly id: string
  readonly method: string
  /** The escaped path. */
  readonly path: string
  /** The URL without secrets, for errors and events. */
  readonly url: string
  /** The URL to send to. */
  readonly target: string
  readonly body: string | undefined
  /** First the client's, then the call's. */
  readonly headers: readonly HeaderPair[]
  /** First the client's, then the call's. */
  readonly fetchOptions: FetchOptions
  /** Removes the secrets of this call and the client, and passwords in addresses, from a text. */
  readonly redact: Redact
  /** The secrets of the call, and the keys that it was sent with. */
  readonly secrets: Secrets
  readonly signal: AbortSignal | undefined
  readonly onProgress: OnProgress
  readonly timeout: number | false
  /** When the deadline of the call is, on the clock of `performance.now()`; `Infinity` if it has none. */
  readonly endsAt: number
  readonly retry: number
  /** The number of the attempt, from 1; 0 before the first has its slot. */
  attempt: number
  /** True if an earlier attempt may have done the work: no later attempt can prove then that it was not done. */
  mayHaveSucceeded: boolean
  /** The failure of the last attempt. */
  failure?: Failure
  /** The wait before the next attempt, in milliseconds. */
  delayMs: number
  /** The number of attempts that the rate limit refused, and that do not count. */
  waitedOut: number
  /** The part of an attempt's time that `beforeRequest` took, in milliseconds. */
  hookMs: number
}

/** A failed attempt. */
export interface Failure {
  readonly error: ShortLinkError
  /** True if the request may have reached the server. */
  readonly isSent: boolean
  /** The outcome of this attempt alone. */
  readonly outcome: Outcome
  /** True if the request may be sent again. */
  readonly mayRepeat: boolean
  /** The wait that the server asked for before the next attempt, in milliseconds. */
  readonly wait?: number | undefined
}

let calls = 0

const methods = oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Checks a call and its options, and prepares the request.
 *
 * @throws {InvalidRequestError} if something is invalid
 * @throws {ConfigurationError} if the base URL is missing
 */
export function prepareCall<T>(
  spec: CallSpec<T>,
  given: RequestOptions,
  settings: Settings,
  context: CallContext,
): Call<T> {
  const { method, query, json, upload, checks } = spec
  const { apiKey } = settings
  const endpoint = spec.api === 'opener' ? settings.opener : settings.management
  const options: RequestOptions & { onProgress?: OnProgress } = isRecord(given) ? given : {}
  // The client's Authorization is for the management API.
  const common = endpoint.usesKey
    ? settings.headers
    : settings.headers.filter(([name]) => name.toLowerCase() !== 'authorization')
  const headers = [...common, ...headerPairs(options.headers)]
  const authorization = authorizationIn(headers)
  const secrets = new Secrets(Number.POSITIVE_INFINITY, (text) => apiKey.redact(text))
  for (const secret of [...secretsIn(query, checks), ...secretsIn(json, checks)]) secrets.add(secret)
  const credentials = authorization?.split(' ').at(-1)
  if (credentials) secrets.add(credentials)
  const redact: Redact = (text) => redactPasswords(secrets.redact(text))
  const contextOf = () => contextOfInvalid(spec, settings, context, redact)

  const issues = [
    ...checkValue(['method'], method, methods),
    ...spec.path.issues,
    ...checkOptions(given, spec.optionChecks ?? requestOptionChecks),
    ...(checks ? checkParams(json === undefined ? (query ?? {}) : json, checks, callOptionNames) : []),
    ...(upload?.issues ?? []),
    ...(spec.issues ?? []),
  ]
  if (json !== undefined && upload) issues.push({ path: ['body'], message: 'expected `json` or `body`, got both' })
  if ((json !== undefined || upload) && method === 'GET') {
    issues.push({ path: ['body'], message: 'GET has no body: use `query`' })
  }
  if (authorization !== undefined && apiKey.isSent) issues.push(authorizationBesideKey)
  throwIfInvalid(issues, contextOf, redact)

  const body = stringify(json, issues, redact)
  // The query of somebody else may contain secrets that are unknown here.
  const search = spec.search === undefined ? queryString(query, checks, issues) : { sent: spec.search, shown: '' }
  throwIfInvalid(issues, contextOf, redact)

  const connection = connectFor(endpoint, contextOf)
  const escaped = spec.path.escaped ?? ''
  const path = redact(escaped)
  const { signal, timeout = settings.timeout, deadline = settings.deadline, retry = settings.retry } = options
  return {
    spec,
    connection,
    context,
    id: String(++calls),
    method,
    path,
    url: redact(connection.baseUrl + escaped + search.shown),
    target: connection.baseUrl + escaped + search.sent,
    body,
    headers,
    fetchOptions: { ...settings.fetchOptions, ...options.fetchOptions },
    redact,
    secrets,
    signal,
    onProgress: options.onProgress,
    timeout,
    endsAt: context.endsAt ?? performance.now() + (deadline || Number.POSITIVE_INFINITY),
    retry,
    attempt: 0,
    mayHaveSucceeded: false,
    delayMs: 0,
    waitedOut: 0,
    hookMs: 0,
  }
}

/** @throws {InvalidRequestError} if there are issues, without secrets */
export function throwIfInvalid(issues: readonly Issue[], contextOf: () => ErrorContext, redact: Redact): void {
  if (issues.length) throw new InvalidRequestError(redactIssues(redact, issues), contextOf())
}

/** Error context for a call that is rejected before it is prepared. */
export function contextOfInvalid(
  { method: given, path: { pattern, escaped = pattern }, api }: Pick<CallSpec<never>, 'method' | 'path' | 'api'>,
  settings: Settings,
  { operation, calledFrom }: CallContext,
  redact: Redact,
): ErrorContext {
  const path = redact(escaped)
  const method = typeof given === 'string' ? redact(given) : kind(given)
  const { known } = (api === 'opener' ? settings.opener : settings.management).address
  return { method, path, ...(known && { url: redact(known + escaped) }), operation, calledFrom }
}

/** Returns true if a parameter is a secret. */
const isSecret = (name: string, checks: Checks = {}): boolean => name === 'password' || checks[name]?.secret === true

/** The secrets among parameters. */
function secretsIn(params: unknown, checks: Checks | undefined): string[] {
  return Object.entries(isRecord(params) ? params : {}).flatMap(([name, value]) =>
    isSecret(name, checks) && typeof value === 'string' ? [value] : [],
  )
}

/** The connection of a call. @throws {ConfigurationError} with the call, if an address or a variable is missing or invalid */
function connectFor(endpoint: Endpoint, contextOf: () => ErrorContext): Connection {
  try {
    return endpoint.connect()
  } catch (error) {
    throw error instanceof ConfigurationError ? new ConfigurationError(error.message, contextOf()) : error
  }
}

/**
 * Builds a query: one to send, and one without passwords to show. `undefined` is left out, `null` and `''` are sent empty,
 * everything else is escaped.
 */
function queryString(query: object | undefined, checks: Checks | undefined, issues: Issue[]) {
  const sent: string[] = []
  const shown: string[] = []
  for (const [name, value] of Object.entries(query ?? {}) as [string, unknown][]) {
    if (value === undefined) continue
    if (typeof value === 'object' && value !== null) {
      issues.push({ path: [name], message: mismatch('a string, a number or a boolean', value) })
      continue
    }
    try {
      const key = encodeURIComponent(name)
      const encoded = encodeURIComponent((value ?? '') as string)
      sent.push(`${key}=${encoded}`)
      shown.push(`${key}=${isSecret(name, checks) && value ? REDACTED : encoded}`)
    } catch {
      issues.push({ path: [name], message: 'cannot be encoded: contains a symbol or a lone surrogate' })
    }
  }
  const joined = (pairs: string[]) => (pairs.length ? `?${pairs.join('&')}` : '')
  return { sent: joined(sent), shown: joined(shown) }
}

function stringify(json: unknown, issues: Issue[], redact: Redact): string | undefined {
  if (isRecord(json) && !isPlain(json) && !('toJSON' in json)) {
    issues.push({ path: ['json'], message: notPlain('a JSON value', json) })
  }
  try {
    return JSON.stringify(json)
  } catch (error) {
    issues.push({ path: [], message: `expected a JSON value: ${redactLine(redact, reasonOf(error), 200)}` })
    return undefined
  }
}
