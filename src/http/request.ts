import { type Checks, checkOptions, checkParams, checkValue, oneOf } from '../checks/checks.ts'
import { mismatch, notPlain, reasonOf } from '../checks/mismatch.ts'
import {
  type ApiError,
  ConfigurationError,
  type ErrorContext,
  InvalidRequestError,
  type Issue,
  type Outcome,
} from '../errors.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import type { Fetch } from '../runtime/fetch.ts'
import { isPlain, isRecord, kind } from '../runtime/text.ts'
import type { Address } from './address.ts'
import type { ApiKey } from './api-key.ts'
import type { Read } from './envelope.ts'
import type { Listeners } from './observers.ts'
import { checkPath, escapePath, type Path, patternOf } from './path.ts'
import {
  authorizationBesideKey,
  authorizationIn,
  callOptionNames,
  ENDS_AT,
  type HeaderPair,
  headerPairs,
  type RequestOptions,
  requestOptionChecks,
} from './request-options.ts'
import { createRedactor, REDACTED, type Redact, redactLine, showWithout } from './secrets.ts'

/** A call: what to send, how to check that, and how to read the response. */
export interface Call<T> {
  readonly method: string
  readonly path: Path | string
  readonly api?: 'opener' | undefined
  readonly query?: object | undefined
  /** A query that is sent as it is, in place of `query`. */
  readonly search?: string
  readonly json?: unknown
  /** Sent in place of `json`. */
  readonly upload?: Upload | undefined
  /** The checks of `json`, or of `query` if there is no `json`. */
  readonly checks?: Checks | undefined
  readonly read: Read<T>
  /** Whether an error is part of the call, so that observers need not hear of it. */
  readonly expects?: (error: unknown) => error is ApiError
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
  /** What is wrong with it. */
  readonly issues: readonly Issue[]
  /** Whether it can be sent a second time. */
  readonly replayable: boolean
  readonly optionChecks: Checks
  /** Opens it for one attempt. */
  open(onProgress: OnProgress, sender: Sender): Promise<OpenedUpload>
}

/** What an attempt is sent with. */
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

/** One of the two APIs. */
export interface Api {
  readonly address: Address
  /** Whether its calls carry the key. */
  readonly usesKey: boolean
  /** @throws {ConfigurationError} if a variable that sets it is invalid */
  readonly limiter: () => RateLimiter | undefined
}

/** The settings that a call takes from its client. */
export interface CallSettings {
  readonly management: Api
  readonly opener: Api
  readonly apiKey: ApiKey
  readonly timeout: number | false
  readonly deadline: number | undefined
  readonly retry: number
  readonly headers: readonly HeaderPair[]
  /** @throws {ConfigurationError} if a variable that sets the log level is invalid */
  readonly listeners: () => Listeners
}

/** What tasks, and calls that make several requests, decide for their requests. */
export interface CallContext {
  /** What the user has called. The messages of errors begin with it. */
  readonly operation?: string | undefined
  /** The outcome of errors, if it is that of the whole: a look before a creation changes nothing. */
  readonly outcome?: Outcome | undefined
  /** Whether the user may repeat the whole although the outcome of this request is unknown. */
  readonly isRepeatable?: boolean | undefined
  /** Whether the call stands behind all that are not, and how many slots of each window it leaves to them. */
  readonly background?: { readonly reserve: number } | undefined
  /** Whether a 429 is waited out however often it comes: it does not count as an attempt. */
  readonly waitsOutRateLimit?: boolean | undefined
  /** Whether a request in flight comes to its end after an abort, because it may do its work anyway. */
  readonly finishesInFlight?: boolean | undefined
  /** Whether an incomplete list is an error with `validation: 'report'` too. */
  readonly needsWholeList?: boolean | undefined
}

/** A call that was checked and can be sent, several times if it is retried. */
export interface PreparedCall<T> {
  /** The same for all attempts; for events. */
  readonly id: string
  readonly method: string
  /** The escaped path. */
  readonly path: string
  /** The URL without secrets, for errors and events. */
  readonly url: string
  /** The URL to send to. */
  readonly target: string
  readonly api: Api
  readonly limiter: RateLimiter | undefined
  readonly listeners: Listeners
  readonly apiKey: ApiKey
  /** Removes the key and the secrets of this call from a text. */
  readonly redact: Redact
  readonly body: string | undefined
  readonly upload: Upload | undefined
  readonly onProgress: OnProgress
  readonly replayable: boolean
  readonly read: Read<T>
  readonly signal: AbortSignal | undefined
  readonly timeout: number | false
  /** When the deadline of the call is, on the clock of `performance.now()`; `Infinity` if it has none. */
  readonly endsAt: number
  readonly retry: number
  /** Those of the client, then those of the call. */
  readonly headers: readonly HeaderPair[]
  readonly context: CallContext
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
  call: Call<T>,
  given: RequestOptions,
  settings: CallSettings,
  context: CallContext = {},
): PreparedCall<T> {
  const { method, query, json, upload, checks } = call
  const { apiKey } = settings
  const api = call.api === 'opener' ? settings.opener : settings.management
  const options: RequestOptions & { onProgress?: OnProgress; [ENDS_AT]?: number } = isRecord(given) ? given : {}
  const headers = [...settings.headers, ...headerPairs(options.headers)]
  const authorization = authorizationIn(headers)
  const redact = redactorOf([...secretsIn(query, checks), ...secretsIn(json, checks)], authorization, apiKey)
  const show = showWithout(redact)

  const pathIssues = checkPath(call.path, show)
  const path = pathIssues.length ? patternOf(call.path) : escapePath(call.path)
  const shownPath = pathToShow(call.path, path, redact)
  const issues = [
    ...checkValue(['method'], method, methods, show),
    ...pathIssues,
    ...checkOptions(given, upload?.optionChecks ?? requestOptionChecks, show),
    ...(checks ? checkParams(json === undefined ? (query ?? {}) : json, checks, show, callOptionNames) : []),
    ...(upload?.issues ?? []),
  ]
  if (json !== undefined && upload) issues.push({ path: ['body'], message: 'expected `json` or `body`, got both' })
  if ((json !== undefined || upload) && method === 'GET') {
    issues.push({ path: ['body'], message: 'GET has no body: use `query`' })
  }
  if (authorization !== undefined && apiKey.isSent) issues.push(authorizationBesideKey)
  const { operation } = context
  const contextOf = () => ({ ...contextOfInvalid(method, shownPath, api, redact), ...(operation && { operation }) })
  throwIfInvalid(issues, contextOf)

  const body = stringify(json, issues, redact)
  // The query of somebody else may contain secrets that are unknown here.
  const search =
    call.search === undefined ? queryString(query, checks, issues, redact) : { sent: call.search, shown: '' }
  throwIfInvalid(issues, contextOf)

  const inContext = <V>(read: () => V): V => {
    try {
      return read()
    } catch (error) {
      throw new ConfigurationError((error as Error).message, { method, path: shownPath })
    }
  }
  const address = inContext(() => api.address.get())
  const { signal, timeout = settings.timeout, deadline = settings.deadline, retry = settings.retry } = options
  return {
    id: String(++calls),
    method,
    path: shownPath,
    url: address + shownPath + search.shown,
    target: address + path + search.sent,
    api,
    limiter: inContext(api.limiter),
    listeners: inContext(settings.listeners),
    apiKey,
    redact,
    body,
    upload,
    onProgress: options.onProgress,
    replayable: upload?.replayable ?? true,
    read: call.read,
    signal,
    timeout,
    endsAt: options[ENDS_AT] ?? performance.now() + (deadline ?? Number.POSITIVE_INFINITY),
    retry,
    headers,
    context,
  }
}

/** @throws {InvalidRequestError} if there are issues */
export function throwIfInvalid(issues: readonly Issue[], contextOf: () => ErrorContext): void {
  if (issues.length) throw new InvalidRequestError(issues, contextOf())
}

/** A path as errors and events show it: only a user's own may contain a secret. */
export const pathToShow = (path: Path | string, text: string, redact: Redact): string =>
  typeof path === 'string' ? redact(text) : text

/** Error context for a call that is rejected before it is prepared. */
export function contextOfInvalid(given: unknown, path: string, { address }: Api, redact: Redact): ErrorContext {
  const method = typeof given === 'string' ? redact(given) : kind(given)
  return { method, path, ...(address.known && { url: address.known + path }) }
}

/** Whether a parameter is a secret. */
const isSecret = (name: string, checks: Checks = {}): boolean => name === 'password' || checks[name]?.secret === true

/** The secrets among parameters. */
function secretsIn(params: unknown, checks: Checks | undefined): string[] {
  return Object.entries(isRecord(params) ? params : {}).flatMap(([name, value]) =>
    isSecret(name, checks) && typeof value === 'string' ? [value] : [],
  )
}

/** Creates a redactor for the key, a user's own `Authorization` header, and the passwords among the parameters. */
function redactorOf(secrets: string[], authorization: string | undefined, apiKey: ApiKey): Redact {
  const credentials = authorization?.split(' ').at(-1)
  const redact = createRedactor(...secrets, ...(credentials ? [credentials] : []))
  return (text) => redact(apiKey.redact(text))
}

/**
 * Builds a query: one to send, and one without passwords to show. `undefined` is left out, `null` and `''` are sent empty,
 * everything else is escaped.
 */
function queryString(query: object | undefined, checks: Checks | undefined, issues: Issue[], redact: Redact) {
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
      shown.push(`${key}=${isSecret(name, checks) && value ? REDACTED : redact(encoded)}`)
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
