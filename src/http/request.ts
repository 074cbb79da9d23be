import { ConfigurationError, type ErrorContext, InvalidRequestError, type Issue } from '../errors.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import { ownProperties } from '../runtime/own-properties.ts'
import { isRecord, kind, mismatch } from '../schema/expected.ts'
import { type Checks, checkOptions, checkParams } from '../schema/params.ts'
import type { ApiKey } from './api-key.ts'
import type { Unwrap } from './envelope.ts'
import { checkPath, escapePath, type Path, patternOf } from './path.ts'
import { headerPairs, type RequestOptions, requestOptionChecks } from './request-options.ts'
import { type RetryOptions, retryOptions } from './retry.ts'
import { createRedactor, REDACTED, type Redact, redactIssues, redactLine } from './secrets.ts'
import { checkContent, isReplayable, type Upload, type UploadContent, uploadOptionChecks } from './uploads/upload.ts'

/** A call as a row of the API: method, path, what is sent and checked, and how the answer is unwrapped. */
export interface Call<T> {
  readonly method: string
  readonly path: Path | string
  readonly api?: 'management' | 'opener'
  readonly query?: object | undefined
  readonly json?: unknown
  /** Sent as it is, in the place of `json`. */
  readonly content?: UploadContent | undefined
  /** The checks of `json`, or of `query` where there is no `json`. */
  readonly checks?: Checks | undefined
  /** The parameters that are required. */
  readonly required?: readonly string[]
  /** Whether the request may stand behind other calls that wait for budget. */
  readonly readAhead?: (() => boolean) | undefined
  /** What the caller has found not to fit already. */
  readonly invalid?: readonly Issue[]
  readonly unwrap: Unwrap<T>
}

/** One of the two APIs: where it is, and what its calls need. */
export interface Api {
  /** The address without a trailing slash; `undefined` where nobody gave one. */
  readonly address: string | undefined
  /** The option and the variable that set the address, for errors. */
  readonly setBy: string
  /** Whether its calls carry the key. */
  readonly usesKey: boolean
  readonly limiter: RateLimiter | undefined
}

/** What a call takes from its client where its own options say nothing. */
export interface CallDefaults {
  readonly management: Api
  readonly opener: Api
  readonly apiKey: ApiKey
  readonly timeout: number | false
  readonly retry: Required<RetryOptions>
}

/** A call that was checked and is ready to be sent, as often as it takes. */
export interface PreparedCall<T> {
  /** The same for all attempts; for events. */
  readonly id: string
  readonly method: string
  /** The path as it is sent, without secrets. */
  readonly path: string
  readonly url: string
  /** The address without secrets, for errors and events. */
  readonly shownUrl: string
  readonly api: Api
  readonly apiKey: ApiKey
  /** Removes the key and this call's own secrets from a text. */
  readonly redact: Redact
  readonly body: string | undefined
  readonly upload: Upload | undefined
  readonly replayable: boolean
  readonly unwrap: Unwrap<T>
  readonly signal: AbortSignal | undefined
  readonly timeout: number | false
  readonly retry: Required<RetryOptions>
  readonly readAhead: (() => boolean) | undefined
  readonly headers: readonly (readonly [string, string])[]
}

let calls = 0

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Checks a call and its options, and makes of them what is sent.
 *
 * @throws {InvalidRequestError} where something does not fit
 * @throws {ConfigurationError} where the client has no address for it
 */
export function prepareCall<T>(call: Call<T>, options: RequestOptions, defaults: CallDefaults): PreparedCall<T> {
  const { content, unwrap, query, json, checks = {} } = call
  const { apiKey } = defaults
  const isSecret = (name: string) =>
    name === 'password' || (checks[name] as { secret?: boolean } | undefined)?.secret === true
  const redact = redactorOf([query, json], isSecret, apiKey)
  const api = call.api === 'opener' ? defaults.opener : defaults.management
  const method = typeof call.method === 'string' ? call.method : kind(call.method)
  const refuse = (path: string, issues: Issue[]) => {
    if (issues.length === 0) return
    throw new InvalidRequestError(redactIssues(redact, issues), contextOfRefused(method, path, api, redact))
  }
  refuse(patternOf(call.path), [
    ...checkParams({ method: call.method }, { method: methods }, ['method']),
    ...checkPath(call.path),
  ])

  const escaped = escapePath(call.path)
  const path = redact(escaped)
  const issues = [
    ...(call.invalid ?? []),
    ...checkOptions(options, content === undefined ? requestOptionChecks : uploadOptionChecks),
    ...(call.checks ? checkParams(json === undefined ? (query ?? {}) : json, checks, call.required) : []),
    ...(content === undefined ? [] : checkContent(content)),
  ]
  if ([json, content].filter((body) => body !== undefined).length > (method === 'GET' ? 0 : 1)) {
    issues.push({ path: ['body'], message: 'expected `json` or `body`, and neither with GET' })
  }
  const body = stringify(json, issues)
  const search = queryString(query, issues, isSecret)
  refuse(escaped, issues)

  if (api.address === undefined) {
    throw new ConfigurationError(`no address to send it to: set ${api.setBy}`, { method, path })
  }
  const url = api.address + escaped + search.sent
  const own = ownProperties(options)
  return {
    id: String(++calls),
    method,
    path,
    url,
    shownUrl: redact(api.address + escaped + search.shown),
    api,
    apiKey,
    redact,
    body,
    upload: content === undefined ? undefined : { content, onProgress: (own as Partial<Upload>).onProgress },
    replayable: content === undefined || isReplayable(content),
    unwrap,
    signal: own.signal,
    timeout: own.timeout ?? defaults.timeout,
    retry: retryOptions(own.retry, defaults.retry),
    readAhead: call.readAhead,
    headers: headerPairs(own.headers),
  }
}

/** What every error of a call says about it. */
export function contextOf({ method, path, shownUrl }: PreparedCall<unknown>): ErrorContext {
  return { method, path, url: shownUrl }
}

/** What the error of a call says about it that is refused before anything is made of it. */
export function contextOfRefused(method: string, path: string, { address }: Api, redact: Redact): ErrorContext {
  const shown = (text: string) => redactLine(redact, text, 200)
  return { method: shown(method), path: shown(path), ...(address !== undefined && { url: shown(address + path) }) }
}

/** Removes the key, and the passwords among the parameters. */
function redactorOf(params: readonly unknown[], isSecret: (name: string) => boolean, apiKey: ApiKey): Redact {
  const secrets = params.flatMap((group) =>
    Object.entries(isRecord(group) ? group : {}).flatMap(([name, value]) =>
      // A shorter one would be found in words that have nothing to do with it.
      isSecret(name) && typeof value === 'string' && value.length > 2 ? [value] : [],
    ),
  )
  const redact = createRedactor(...secrets)
  return (text) => redact(apiKey.redact(text))
}

/**
 * A query: `undefined` is left out; `null` and `''` are sent empty; the rest is escaped, whatever it holds. `shown`: the same
 * without the secrets among its parameters, however short they are.
 */
function queryString(
  query: object | undefined,
  issues: Issue[],
  isSecret: (name: string) => boolean,
): { sent: string; shown: string } {
  const sent: string[] = []
  const shown: string[] = []
  const refused = firstKeysOf(issues)
  for (const [name, value] of Object.entries(query ?? {}) as [string, unknown][]) {
    if (value === undefined || refused.has(name)) continue
    if (typeof value === 'object' && value !== null) {
      issues.push(misplaced(name, mismatch('a string, a number or a boolean', value)))
      continue
    }
    try {
      const escaped = encodeURIComponent((value ?? '') as string)
      sent.push(`${encodeURIComponent(name)}=${escaped}`)
      shown.push(`${encodeURIComponent(name)}=${isSecret(name) && escaped ? REDACTED : escaped}`)
    } catch {
      issues.push({ path: [name], message: 'expected text without symbols and lone surrogates' })
    }
  }
  const joined = (pairs: string[]) => (pairs.length ? `?${pairs.join('&')}` : '')
  return { sent: joined(sent), shown: joined(shown) }
}

function stringify(json: unknown, issues: Issue[]): string | undefined {
  const refused = firstKeysOf(issues)
  for (const [name, value] of Object.entries(isRecord(json) ? json : {})) {
    if (!refused.has(name) && !isData(value)) issues.push(misplaced(name, mismatch('what JSON can hold', value)))
  }
  try {
    return JSON.stringify(json)
  } catch (error) {
    issues.push({ path: [], message: `expected what JSON can hold: ${(error as Error).message}` })
    return undefined
  }
}

/** What does not fit about a parameter that may be an option of the call, put into the wrong argument. */
function misplaced(name: string, message: string): Issue {
  const advice = Object.hasOwn(uploadOptionChecks, name)
    ? ': it is an option of the call, pass it as the next argument'
    : ''
  return { path: [name], message: message + advice }
}

/** The parameters that something is said about already. */
const firstKeysOf = (issues: readonly Issue[]) => new Set(issues.map(({ path }) => path[0]))

/** Whether a value is data, and not a function or an instance such as an AbortSignal, which JSON would make `{}` of. */
function isData(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return false
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'toJSON' in value) return true
  // A plain object of any realm: its prototype has none.
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
