import { type Checks, checkOptions, checkParams, checkValue, oneOf } from '../checks/checks.ts'
import { mismatch, notPlain, reasonOf } from '../checks/mismatch.ts'
import {
  ConfigurationError,
  type ErrorContext,
  InvalidRequestError,
  type Issue,
  type Outcome,
  type ShortLinkError,
} from '../errors.ts'
import { systemClock } from '../runtime/clock.ts'
import { isBrowser } from '../runtime/environment.ts'
import type { Fetch, FetchOptions } from '../runtime/fetch.ts'
import { isPlain, isRecord, kind } from '../runtime/text.ts'
import { VERSION } from '../runtime/version.ts'
import { type Redact, redactPasswords, Secrets } from '../secrets.ts'
import type { ApiKey } from './api-key.ts'
import type { Endpoint } from './endpoint.ts'
import type { Read, Refusal } from './envelope.ts'
import type { Path } from './path.ts'
import {
  authorizationBesideKey,
  type BeforeRequest,
  callOptionNames,
  findAuthorization,
  getValidHeaders,
  type HeaderPair,
  type Priority,
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
  /** Returns whether `read` takes a refusal, which is an error otherwise. */
  readonly accepts?: ((refusal: Refusal) => boolean) | undefined
  readonly read: Read<T>
  /** When it must have its slot at the latest, on the clock of the process. Default: at its deadline. */
  readonly slotBy?: number | undefined
  /** The form in which `read` needs the body. Not every `fetch` gives bytes. Default: text. */
  readonly as?: 'text' | 'bytes' | undefined
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
  readonly priority: Priority
  readonly headers: readonly HeaderPair[]
  readonly fetchOptions: FetchOptions | undefined
  readonly validation: 'strict' | 'report'
  readonly fetch: Fetch
  readonly beforeRequest: BeforeRequest | undefined
}

/** What the requests of one call have in common. */
export interface CallContext {
  /** An error that was created where the user made the call, whose frames become the stack of its errors. */
  readonly calledFrom?: Error | undefined
  /** When a call that makes several requests must have ended, on the clock of the process. */
  readonly endsAt?: number | undefined
}

/** A call that was checked and can be sent, several times if it is retried. It never changes. */
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
  /** The headers of every call, of the client, and of this call. */
  readonly headers: Headers
  /** First the client's, then the call's. */
  readonly fetchOptions: FetchOptions
  /** The hooks of the client and of the call, in this order. */
  readonly beforeRequest: readonly BeforeRequest[]
  /** Removes the secrets of this call and the client, and passwords in addresses, from a text. */
  readonly redact: Redact
  /** The secrets of the call, and the keys that it was sent with. */
  readonly secrets: Secrets
  readonly errorContext: ErrorContext
  readonly signal: AbortSignal | undefined
  readonly onProgress: OnProgress
  readonly timeout: number | false
  /** When the deadline of the call is, on the clock of the process; `Infinity` if it has none. */
  readonly endsAt: number
  readonly retry: number
  readonly priority: Priority
}

/** One attempt of a call, and what came before it. */
export interface Attempt {
  /** Counts from 1. */
  readonly number: number
  /** How often `fetch` was called before this attempt. */
  readonly sent: number
  /** When the attempt got its slot, on the clock of the process. */
  readonly began: number
  /** Whether an earlier attempt may have done the work: then no later one can prove that it was not done. */
  readonly mayHaveSucceeded: boolean
  /** The number of earlier attempts that the rate limit refused, and that do not count. */
  readonly waitedOut: number
}

/** The step that an attempt is at. At `fetch` it was called and has not returned a promise. */
export type Step = 'request' | 'hook' | 'key' | 'content' | 'fetch' | 'sent'

/** A failed attempt. */
export interface Failure {
  readonly error: ShortLinkError
  /** The outcome of this attempt alone. */
  readonly outcome: Outcome
  /** Whether the request may be sent again. */
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
  const pairs = [...common, ...getValidHeaders(options.headers)]
  const authorization = findAuthorization(pairs)
  const secrets = collectSecrets(settings, pairs)
  for (const password of [...findSecretParams(query, checks), ...findSecretParams(json, checks)])
    secrets.addPassword(password)
  const redact: Redact = (text) => redactPasswords(secrets.redact(text))
  const errorContext = createErrorContext(spec, settings, context, redact)

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
  const body = issues.length ? undefined : stringifyJson(json, issues)
  const search = issues.length ? '' : (spec.search ?? buildQuery(query, issues))
  if (issues.length) throw new InvalidRequestError(issues, errorContext)
  if (typeof Request !== 'function') throw new ConfigurationError(NO_REQUEST, errorContext)

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
  const { priority = settings.priority } = options
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
    headers: buildHeaders(pairs),
    fetchOptions: { ...settings.fetchOptions, ...options.fetchOptions },
    beforeRequest: [settings.beforeRequest, options.beforeRequest].filter((hook) => hook !== undefined),
    redact,
    secrets,
    errorContext: { ...errorContext, url },
    signal,
    onProgress: options.onProgress,
    timeout,
    endsAt: context.endsAt ?? systemClock.now() + (deadline || Number.POSITIVE_INFINITY),
    retry,
    priority,
  }
}

const NO_REQUEST = 'this environment has no Request: under Jest, use jest-fixed-jsdom'

function buildHeaders(pairs: readonly HeaderPair[]): Headers {
  const headers = new Headers({ accept: 'application/json', 'content-type': 'application/json' })
  // Browsers set their own User-Agent; a custom one would cause a preflight.
  if (!isBrowser()) headers.set('user-agent', `shortlink-sdk/${VERSION}`)
  for (const [name, value] of pairs) headers.set(name, value)
  return headers
}

/** Error context for a call, of which something may be invalid. */
export function createErrorContext(
  { method, path: { pattern, escaped: path = pattern }, api }: Pick<CallSpec<never>, 'method' | 'path' | 'api'>,
  settings: Settings,
  { calledFrom }: CallContext,
  redact: Redact = settings.apiKey.redact,
): ErrorContext {
  const { known } = (api === 'opener' ? settings.opener : settings.management).address
  const shown = typeof method === 'string' ? method : kind(method)
  return { method: shown, path, ...(known && { url: known + path }), calledFrom, redact }
}

/** Returns the secrets of a client: the key, or the credentials of a header. */
export function collectSecrets({ apiKey, headers }: Settings, pairs = headers): Secrets {
  const secrets = new Secrets(Number.POSITIVE_INFINITY, apiKey.secrets)
  const credentials = findAuthorization(pairs)?.split(' ').at(-1)
  if (credentials) secrets.add(credentials)
  return secrets
}

/** The secrets among parameters. */
function findSecretParams(params: unknown, checks: Checks | undefined): string[] {
  return Object.entries(isRecord(params) ? params : {}).flatMap(([name, value]) =>
    (name === 'password' || checks?.[name]?.secret) && typeof value === 'string' ? [value] : [],
  )
}

/** Builds a query. `undefined` is left out, `null` and `''` are sent empty, everything else is escaped. */
function buildQuery(query: object | undefined, issues: Issue[]): string {
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

function stringifyJson(json: unknown, issues: Issue[]): string | undefined {
  if (isRecord(json) && !isPlain(json) && !('toJSON' in json)) {
    issues.push({ path: ['json'], message: notPlain('a JSON value', json) })
  }
  try {
    return JSON.stringify(json)
  } catch (error) {
    issues.push({ path: [], message: `expected a JSON value: ${reasonOf(error)}` })
    return undefined
  }
}
