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
import { isPlain, isRecord, kind, shorten } from '../runtime/text.ts'
import { type Redact, redactPasswords, Secrets } from '../secrets.ts'
import type { Address } from './address.ts'
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
  readonly redirect: 'error' | 'manual'
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
}

/** One of the two APIs, and what its calls share. */
export interface Endpoint {
  readonly address: Address
  /** True if its calls carry the key. */
  readonly usesKey: boolean
  readonly apiKey: ApiKey
  /**
   * Looked up each time, because the process forgets limiters that are idle.
   * @throws {ConfigurationError} as `listeners` does
   */
  readonly limiter: RateLimiter | undefined
  /** @throws {ConfigurationError} if the address is missing, or a variable is invalid */
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
  readonly mayRepeat?: boolean | undefined
  /** When a call must have its slot at the latest, on the same clock. */
  readonly slotBy?: number | undefined
  /** True to throw for a row that does not fit with `validation: 'report'` too, because the caller decides by it. */
  readonly isStrict?: boolean | undefined
  /**
   * Given if the call is one of a task. It queues behind all other calls, waits out a 429 however often it comes, and
   * does not abort a request that was sent, because the server may do the work anyway. What is invalid is an error with
   * `validation: 'report'` too.
   */
  readonly task?:
    | {
        /** Called once, when the call has its first slot, and awaited before the request is sent. */
        readonly begun?: (() => void | Promise<void>) | undefined
      }
    | undefined
}

/** A call that was checked and can be sent, several times if it is retried. */
export interface Call<T> {
  readonly spec: CallSpec<T>
  readonly endpoint: Endpoint
  readonly context: CallContext
  /** The same for all attempts; for events. */
  readonly id: string
  readonly method: string
  /** The escaped path. */
  readonly path: string
  /** The URL for errors and events. */
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
  readonly errorContext: ErrorContext
  readonly signal: AbortSignal | undefined
  readonly onProgress: OnProgress
  readonly timeout: number | false
  /** When the deadline of the call is, on the clock of `performance.now()`; `Infinity` if it has none. */
  readonly endsAt: number
  readonly retry: number
  /** The number of the attempt, from 1; 0 before the first has its slot. */
  attempt: number
  /** When the attempt began, on the same clock. */
  began: number
  /** The step that the attempt is at. */
  step: 'hook' | 'key' | 'content' | 'sent'
  /** True if an earlier attempt may have done the work: no later attempt can prove then that it was not done. */
  mayHaveSucceeded: boolean
  /** The failure of the last attempt. */
  failure?: Failure
  /** The wait before the next attempt, in milliseconds. */
  delayMs: number
  /** The number of attempts that the rate limit refused, and that do not count. */
  waitedOut: number
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
  const secrets = new Secrets(Number.POSITIVE_INFINITY, apiKey.redact)
  for (const secret of [...secretsIn(query, checks), ...secretsIn(json, checks)]) secrets.add(secret)
  const credentials = authorization?.split(' ').at(-1)
  if (credentials) secrets.add(credentials)
  const redact: Redact = (text) => redactPasswords(secrets.redact(text))
  const errorContext = errorContextOf(spec, settings, context, redact)

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
  // Encoding invalid parameters could add a second issue for each.
  const body = issues.length ? undefined : stringify(json, issues)
  const search = issues.length ? '' : (spec.search ?? queryString(query, issues))
  if (issues.length) throw new InvalidRequestError(issues, errorContext)

  let baseUrl: string
  try {
    baseUrl = endpoint.address.get()
    // Settled at the first call.
    void endpoint.listeners
  } catch (error) {
    throw error instanceof ConfigurationError ? new ConfigurationError(error.message, errorContext) : error
  }
  const path = spec.path.escaped ?? ''
  // The query of somebody else may contain secrets that are unknown here.
  const url = baseUrl + path + (spec.search === undefined ? search : '')
  const { signal, timeout = settings.timeout, deadline = settings.deadline, retry = settings.retry } = options
  return {
    spec,
    endpoint,
    context,
    id: String(++calls),
    method,
    path,
    url,
    target: baseUrl + path + search,
    body,
    headers,
    fetchOptions: { ...settings.fetchOptions, ...options.fetchOptions },
    redact,
    secrets,
    errorContext: { ...errorContext, url },
    signal,
    onProgress: options.onProgress,
    timeout,
    endsAt: context.endsAt ?? performance.now() + (deadline || Number.POSITIVE_INFINITY),
    retry,
    attempt: 0,
    began: 0,
    step: 'content',
    mayHaveSucceeded: false,
    delayMs: 0,
    waitedOut: 0,
  }
}

/** Error context for a call, of which something may be invalid. */
export function errorContextOf(
  { method, path: { pattern, escaped: path = pattern }, api }: Pick<CallSpec<never>, 'method' | 'path' | 'api'>,
  settings: Settings,
  { operation, calledFrom }: CallContext,
  redact: Redact = settings.apiKey.redact,
): ErrorContext {
  const { known } = (api === 'opener' ? settings.opener : settings.management).address
  const shown = typeof method === 'string' ? method : kind(method)
  return { method: shown, path, ...(known && { url: known + path }), operation, calledFrom, redact }
}

/** The secrets among parameters. */
function secretsIn(params: unknown, checks: Checks | undefined): string[] {
  return Object.entries(isRecord(params) ? params : {}).flatMap(([name, value]) =>
    (name === 'password' || checks?.[name]?.secret) && typeof value === 'string' ? [value] : [],
  )
}

/** Builds a query. `undefined` is left out, `null` and `''` are sent empty, everything else is escaped. */
function queryString(query: object | undefined, issues: Issue[]): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(query ?? {}) as [string, unknown][]) {
    if (value === undefined) continue
    if (typeof value === 'object' && value !== null) {
      issues.push({ path: [name], message: mismatch('a string, a number or a boolean', value) })
      continue
    }
    try {
      pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent((value ?? '') as string)}`)
    } catch {
      issues.push({ path: [name], message: 'cannot be encoded: contains a symbol or a lone surrogate' })
    }
  }
  return pairs.length ? `?${pairs.join('&')}` : ''
}

function stringify(json: unknown, issues: Issue[]): string | undefined {
  if (isRecord(json) && !isPlain(json) && !('toJSON' in json)) {
    issues.push({ path: ['json'], message: notPlain('a JSON value', json) })
  }
  try {
    return JSON.stringify(json)
  } catch (error) {
    issues.push({ path: [], message: `expected a JSON value: ${shorten(reasonOf(error), 200)}` })
    return undefined
  }
}
