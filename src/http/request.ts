import type { Open } from '../answers/open.ts'
import { ConfigurationError, InvalidRequestError, type Issue } from '../errors.ts'
import { checkRequestOptions, type RequestOptions, retryOptions } from '../options.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import { type Checks, check } from '../schema/params.ts'
import type { ApiKey } from './api-key.ts'
import { checkPath, escapePath, type Path, patternOf } from './path.ts'
import type { RetryOptions } from './retry.ts'
import { checkContent, isReplayable, type Upload } from './upload.ts'

/** A call as a row of the reference: verb, path, what is sent and checked, and how the answer is opened. */
export interface Call<T> {
  readonly method: string
  readonly path: Path | string
  readonly api?: 'management' | 'opener'
  readonly query?: object | undefined
  readonly json?: unknown
  readonly upload?: Upload | undefined
  /** The checks of `json`, or of `query` where there is no `json`. */
  readonly checks?: Checks | undefined
  /** The parameters that must be there. */
  readonly required?: readonly string[]
  readonly open: Open<T>
}

/** One of the two APIs: where it is, and what its calls need. */
interface Api {
  /** The address without a trailing slash; `undefined` where nobody gave one. */
  readonly address: string | undefined
  /** The option and the variable that set it, for the error where it is missing. */
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
  readonly method: string
  /** The path for errors: as it is sent, without the key should somebody have put it there. */
  readonly path: string
  readonly url: string
  readonly api: Api
  readonly apiKey: ApiKey
  readonly body: string | undefined
  readonly upload: Upload | undefined
  readonly replayable: boolean
  readonly open: Open<T>
  readonly signal: AbortSignal | undefined
  readonly timeout: number | false
  readonly retry: Required<RetryOptions>
  readonly headers: Readonly<Record<string, string>> | undefined
}

/**
 * Checks everything about a call before anything is sent.
 *
 * @throws {InvalidRequestError} for a parameter or an option that does not fit
 * @throws {ConfigurationError} where the address of its API is missing
 */
export function prepareCall<T>(call: Call<T>, options: RequestOptions, defaults: CallDefaults): PreparedCall<T> {
  const { method, upload, open, query, json } = call
  const { apiKey } = defaults
  const refuse = (path: string, issues: Issue[]) => {
    if (issues.length === 0) return
    const facts = { method: apiKey.redact(String(method)), path: apiKey.redact(path) }
    throw new InvalidRequestError(apiKey.redactIssues(issues), facts)
  }
  refuse(patternOf(call.path), [...check({ method }, { method: methods }, ['method']), ...checkPath(call.path)])
  const escaped = escapePath(call.path)
  const path = apiKey.redact(escaped)
  const issues = [
    ...checkRequestOptions(options),
    ...(call.checks ? check(json === undefined ? (query ?? {}) : json, call.checks, call.required) : []),
    ...(upload ? checkContent(upload.content) : []),
  ]
  if ([json, upload].filter((body) => body !== undefined).length > (method === 'GET' ? 0 : 1)) {
    issues.push({ path: ['body'], message: 'expected `json` or `body`, and neither with GET' })
  }
  const body = json === undefined ? undefined : stringify(json, issues)
  const search = queryString(query, issues)
  refuse(escaped, issues)
  const api = defaults[call.api ?? 'management']
  if (api.address === undefined)
    throw new ConfigurationError(`no address to send it to: set ${api.setBy}`, { method, path })
  return {
    method,
    path,
    url: api.address + escaped + search,
    api,
    apiKey,
    body,
    upload,
    replayable: !upload || isReplayable(upload.content),
    open,
    signal: options.signal,
    timeout: options.timeout ?? defaults.timeout,
    retry: retryOptions(options.retry, defaults.retry),
    headers: options.headers,
  }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A query: `undefined` is left out; `null` and `''` are sent, empty; the rest is escaped, whatever it holds. */
function queryString(query: object | undefined, issues: Issue[]): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(query ?? {})) {
    try {
      if (value !== undefined) pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value ?? '')}`)
    } catch {
      issues.push({ path: [name], message: 'expected no symbol and no half of a surrogate pair' })
    }
  }
  return pairs.length ? `?${pairs.join('&')}` : ''
}

function stringify(json: unknown, issues: Issue[]): string {
  try {
    return JSON.stringify(json)
  } catch (error) {
    issues.push({ path: [], message: `expected what JSON can hold: ${(error as Error).message}` })
    return ''
  }
}
