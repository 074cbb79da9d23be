import { type Checks, checkOptions, checkParams, checkValue, oneOf } from '../checks/checks.ts'
import { describeMismatch, getReason } from '../checks/mismatch.ts'
import type { AnyCallDefinition, Effect, PathParams, Read, Refusal } from '../definition.ts'
import {
  ConfigurationError,
  type ErrorContext,
  InvalidRequestError,
  type IssueInput,
  type Outcome,
  type ShortLinkError,
} from '../errors.ts'
import type { AdvisedRequest } from '../platform/advice.ts'
import { type ApiName, USER_AGENT } from '../platform/apis.ts'
import { systemClock } from '../runtime/clock.ts'
import { isBrowser } from '../runtime/environment.ts'
import type { Fetch, FetchOptions } from '../runtime/fetch.ts'
import { describeType, isPlain, isRecord } from '../runtime/text.ts'
import { type Redact, redactPasswords, Secrets } from '../secrets.ts'
import {
  authorizationBesideKey,
  findAuthorization,
  type HeaderPair,
  listCredentials,
  withoutAuthorization,
} from './authorization.ts'
import { buildPath, type Path } from './path.ts'
import {
  type BeforeRequest,
  callOptionNames,
  getValidHeaders,
  type Priority,
  type RequestOptions,
  requestOptionChecks,
  uploadOptionChecks,
  type Validation,
} from './request-options.ts'
import type { Endpoint, Settings } from './settings.ts'

/** A call: what to send, how to check that, and how to read the response. */
export interface CallSpec<T> {
  readonly method: string
  readonly path: Path
  /** Default: the management API. */
  readonly api?: ApiName | undefined
  /** Default: that of the method. */
  readonly effect?: Effect | undefined
  readonly query?: object | undefined
  /** An encoded query, sent unchanged in place of `query`. */
  readonly search?: string
  readonly json?: unknown
  /** Sent in place of `json`. */
  readonly upload?: Upload | undefined
  /** The checks of `json`, or of `query` if there is no `json`. */
  readonly checks?: Checks | undefined
  /** Issues that the caller has already found. */
  readonly issues?: readonly IssueInput[] | undefined
  /** Returns whether `read` handles a refusal. Otherwise it is an error. */
  readonly accepts?: ((refusal: Refusal) => boolean) | undefined
  readonly read: Read<T>
  /** The latest time to get a slot, on the clock of the process. Default: the deadline. */
  readonly acquireBefore?: number | undefined
  /** The form in which `read` needs the body. Not every `fetch` supports bytes. Default: text. */
  readonly responseType?: 'text' | 'bytes' | undefined
}

/** What a call of a definition sends, with the parameters that the definition has checks for. */
export type Sent<Line extends string, Params extends object> = PathParams<Line> & SentParams<Params>

interface SentParams<Params extends object> {
  readonly query?: Params | undefined
  readonly body?: Params
}

/** Creates the spec of a call from its definition and what it sends. */
export function createSpec<T>(
  definition: AnyCallDefinition<T>,
  { path = {}, query, body: json }: SentParams<object> & { readonly path?: Readonly<Record<string, unknown>> },
): CallSpec<T> {
  const { line, api, effect, read } = definition
  const [method = '', pattern = ''] = line.split(' ')
  const checks = definition.body ?? definition.query
  return { method, path: buildPath(pattern, path, definition), api, effect, query, json, checks, read }
}

/** The progress of an upload. */
export interface UploadProgress {
  /** Bytes sent so far. */
  readonly loaded: number
  /** The size of the content in bytes; `undefined` if unknown. */
  readonly total: number | undefined
}

export type OnProgress = ((progress: UploadProgress) => void) | undefined

/** Content that is sent unchanged. */
export interface Upload {
  /** The name of its parameter, for errors. */
  readonly name: string
  readonly issues: readonly IssueInput[]
  /** Whether it can be sent a second time. */
  readonly replayable: boolean
  /** Opens it for one attempt. */
  open(onProgress: OnProgress, sender: Sender): Promise<OpenedUpload>
}

/** What an upload needs to know about the request that sends it. */
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
  /** Settles when the first part of the content is read. Nothing is sent before. */
  readonly ready?: Promise<unknown>
  /** Called when the response arrives, because fetch does not report when everything is sent. */
  readonly onSent?: () => void
  /** Closes a source that was not read to its end. Node would continue to read after an abort. */
  readonly close?: () => void
  /** Returns the error of a source that failed. */
  readonly failure?: () => unknown
}

/** The context that all requests of one call share. */
export interface CallContext {
  /** An error created where the user made the call. Its frames become the stack of the errors of the call. */
  readonly calledFrom?: Error | undefined
  /** The deadline of a call that makes several requests, on the clock of the process. */
  readonly endsAt?: number | undefined
  /** Whether an invalid response is an error whatever `validation` says, because later steps depend on it. */
  readonly isStrict?: boolean
}

/** The options of a call: its own, or else the client's. */
interface CallOptions {
  readonly signal: AbortSignal | undefined
  readonly timeout: number | false
  readonly retry: number
  readonly priority: Priority
  readonly validation: Validation
  /** First the client's, then the call's. */
  readonly fetchOptions: FetchOptions | undefined
  /** First the client's hook, then the call's. */
  readonly beforeRequest: readonly BeforeRequest[]
  readonly onProgress: OnProgress
}

/** A call that has been checked and can be sent, several times if it is retried. Immutable. */
export interface Call<T> {
  readonly spec: CallSpec<T>
  readonly client: Settings
  readonly endpoint: Endpoint
  readonly context: CallContext
  readonly options: CallOptions
  /** The id in events, the same for all attempts. */
  readonly id: string
  /** The escaped path. */
  readonly path: string
  /** The URL for errors and events. */
  readonly url: string
  /** The URL to send to. */
  readonly target: string
  /** The default headers, then the client's, then the call's. */
  readonly headers: Headers
  readonly body: string | undefined
  /** The deadline of the call, on the clock of the process; `Infinity` if it has none. */
  readonly endsAt: number
  /** The secrets of the call, including the keys that it was sent with. */
  readonly secrets: Secrets
  /** Removes the secrets of this call and the client, and passwords in addresses, from a text. */
  readonly redact: Redact
}

/** One attempt of a call, and the results of earlier ones. */
export interface Attempt {
  /** Counts from 1. */
  readonly number: number
  /** How often `fetch` was called before this attempt. */
  readonly earlierSends: number
  /** When the attempt got its slot, on the clock of the process. */
  readonly began: number
  /** Whether an earlier attempt may have done the work. If so, no later one can prove that it was not done. */
  readonly mayHaveSucceeded: boolean
  /** The number of earlier attempts that do not count as retries, because the rate limit refused them. */
  readonly uncounted: number
  /** Refusals by the rate limit in a row, up to the last attempt. */
  readonly refusals: number
}

/** The step that an attempt has reached. `ready`: the request only has to be sent. `fetch`: the function was called and has not returned a promise yet. */
export type Step = 'request' | 'hook' | 'key' | 'content' | 'ready' | 'fetch' | 'sent'

/** A failed attempt. */
export interface Failure {
  readonly error: ShortLinkError
  /** The outcome of this attempt alone. */
  readonly outcome: Outcome
  /** Whether the request may be sent again. */
  readonly mayRepeat: boolean
  /** The wait that the server asked for before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number | undefined
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
  client: Settings,
  context: CallContext,
): Call<T> {
  const { method, query, json, upload, checks } = spec
  const endpoint = client.apis[spec.api ?? 'management']
  const options: RequestOptions & { onProgress?: OnProgress } = isRecord(given) ? given : {}
  // The client's Authorization header is for the API that its key is for.
  const common = endpoint.usesKey ? client.headers : withoutAuthorization(client.headers)
  const headers = [...common, ...getValidHeaders(options.headers)]
  const secrets = collectSecrets(client, headers)
  for (const password of [...findSecretParams(query, checks), ...findSecretParams(json, checks)])
    secrets.addPassword(password)
  const redact: Redact = (text) => redactPasswords(secrets.redact(text))
  const errorContext = createErrorContext({ spec, client, context, redact })

  const issues = [
    ...checkValue(['method'], method, methods),
    ...spec.path.issues,
    ...checkOptions(given, upload ? uploadOptionChecks : requestOptionChecks),
    ...(checks ? checkParams(json === undefined ? (query ?? {}) : json, checks, callOptionNames) : []),
    ...(upload?.issues ?? []),
    ...(spec.issues ?? []),
  ]
  if (json !== undefined && upload)
    issues.push({ path: ['body'], message: 'expected `json` or `body`, received both', code: 'not_allowed' })
  if ((json !== undefined || upload) && method === 'GET') {
    issues.push({ path: ['body'], message: 'GET has no body: use `query`', code: 'not_allowed' })
  }
  if (findAuthorization(headers) !== undefined && client.apiKey.isSent) issues.push(authorizationBesideKey)
  // Encoding an invalid parameter could add a second issue for it.
  const body = issues.length ? undefined : stringifyJson(json, issues)
  const search = issues.length ? '' : (spec.search ?? buildQuery(query, issues))
  if (issues.length) throw new InvalidRequestError(issues, errorContext)
  if (typeof Request !== 'function') throw new ConfigurationError(NO_REQUEST, errorContext)

  let baseUrl: string
  try {
    baseUrl = endpoint.baseUrl.get()
    client.environment()
  } catch (error) {
    throw error instanceof ConfigurationError ? new ConfigurationError(error.message, errorContext) : error
  }
  const path = spec.path.escaped ?? ''
  const { deadline = client.deadline } = options
  return {
    spec,
    client,
    endpoint,
    context,
    options: resolveOptions(options, client, context),
    id: String(++calls),
    path,
    // A query passed through by the proxy may contain secrets that are unknown here.
    url: baseUrl + path + (spec.search === undefined ? search : ''),
    target: baseUrl + path + search,
    headers: buildHeaders(headers),
    body,
    endsAt: context.endsAt ?? systemClock.now() + (deadline || Infinity),
    secrets,
    redact,
  }
}

function resolveOptions(
  given: RequestOptions & { onProgress?: OnProgress },
  client: Settings,
  { isStrict }: CallContext,
): CallOptions {
  const { timeout = client.timeout, retry = client.retry, priority = client.priority } = given
  const { validation = client.validation } = given
  return {
    signal: given.signal,
    timeout,
    retry,
    priority,
    validation: isStrict ? 'strict' : validation,
    fetchOptions: (client.fetchOptions || given.fetchOptions) && { ...client.fetchOptions, ...given.fetchOptions },
    beforeRequest: [client.beforeRequest, given.beforeRequest].filter((hook) => hook !== undefined),
    onProgress: given.onProgress,
  }
}

const NO_REQUEST = 'no Request found: use Jest 28 or later, or jest-fixed-jsdom'

function buildHeaders(pairs: readonly HeaderPair[]): Headers {
  const headers = new Headers({ accept: 'application/json', 'content-type': 'application/json' })
  // Browsers set a User-Agent themselves, and a custom one would cause a preflight.
  if (!isBrowser()) headers.set('user-agent', USER_AGENT)
  for (const [name, value] of pairs) headers.set(name, value)
  return headers
}

/** A call from which an error context can be created, although it may be invalid. */
export interface ErrorSource {
  readonly spec: Pick<CallSpec<never>, 'method' | 'path' | 'api'>
  readonly client: Settings
  readonly context: CallContext
  readonly url?: string
  readonly redact?: Redact
}

/** Creates the context of an error of a call. `end`: how the call ended, if it was sent or waited to be sent. */
export function createErrorContext(
  { spec, client, context: { calledFrom }, url, redact = client.apiKey.redact }: ErrorSource,
  end?: Pick<ErrorContext, 'attempts' | 'outcome' | 'retryable'>,
): ErrorContext {
  const { method, path, api = 'management' } = spec
  const { pattern, escaped = pattern } = path
  const baseUrl = client.apis[api].baseUrl.known
  const shown = typeof method === 'string' ? method : describeType(method)
  const whole = url ?? (baseUrl && baseUrl + escaped)
  return { method: shown, path: escaped, ...(whole && { url: whole }), calledFrom, redact, ...end }
}

/** Returns what advice about a failure depends on. */
export function getAdvisedRequest({ endpoint, client, path, target, redact, body }: Call<unknown>): AdvisedRequest {
  const { baseUrl, usesKey } = endpoint
  const isKeySent = usesKey && client.apiKey.isSent
  const mayHaveId = /\/\d+(\/|$)/.test(path) || /[:[,]"?\d+"?[,\]}]/.test(body ?? '')
  return { names: baseUrl.names, baseUrl: baseUrl.get(), path, target, mayHaveId, isKeySent, redact }
}

/** Returns the secrets of a client: the key, and the credentials of its `Authorization` headers. */
export function collectSecrets({ apiKey, headers }: Settings, pairs: readonly HeaderPair[] = headers): Secrets {
  const secrets = new Secrets(Infinity, apiKey.secrets)
  for (const credentials of [...listCredentials(headers), ...listCredentials(pairs)]) secrets.add(credentials)
  return secrets
}

function findSecretParams(params: unknown, checks: Checks | undefined): string[] {
  return Object.entries(isRecord(params) ? params : {}).flatMap(([name, value]) =>
    (name === 'password' || checks?.[name]?.secret) && typeof value === 'string' ? [value] : [],
  )
}

/** Builds a query. `undefined` is left out, and `null` is sent as an empty value. */
function buildQuery(query: object | undefined, issues: IssueInput[]): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(query ?? {}) as [string, unknown][]) {
    if (value === undefined) continue
    if (typeof value === 'object' && value !== null) {
      issues.push({ path: [name], message: describeMismatch('a string, a number or a boolean', value) })
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

function stringifyJson(json: unknown, issues: IssueInput[]): string | undefined {
  if (isRecord(json) && !isPlain(json) && !('toJSON' in json)) {
    issues.push({ path: ['json'], message: describeMismatch('a JSON value', json) })
  }
  try {
    return JSON.stringify(json)
  } catch (error) {
    issues.push({ path: [], message: `expected a JSON value: ${getReason(error)}` })
    return undefined
  }
}
