import { ConfigurationError, type Issue } from './errors.ts'
import type { KeySource } from './http/api-key.ts'
import type { Observers } from './http/observers.ts'
import type { RetryOptions } from './http/retry.ts'
import type { RateLimiter, RateLimitOptions } from './rate-limit/limiter.ts'
import { isRecord, kind } from './schema/expected.ts'

/** How a `ShortLinkClient` is made. Every option has a default. */
export interface ShortLinkClientOptions extends Observers {
  /**
   * The address of the management API, such as `https://sho.rt/api`. Default: the environment variable
   * `SHORTLINK_BASE_URL`. A call to an API whose address is missing fails with `ConfigurationError`.
   */
  baseUrl?: string | URL
  /** The address of the app-opener API, without `/v3/api`. Default: the environment variable `SHORTLINK_OPENER_URL`. */
  openerUrl?: string | URL
  /**
   * The API key, or a function that gives it, asked before each attempt. `null`: no key is sent, a proxy adds it.
   * Default: the environment variable `SHORTLINK_API_KEY`. @see reference, “Authentication”
   */
  apiKey?: KeySource
  /** How long one attempt may take, in milliseconds, waiting for rate budget not counted. Default 30,000; `false`: no limit. */
  timeout?: number | false
  /** Retries after the first attempt, or more exactly. Default 2; 0: none. */
  retry?: number | RetryOptions
  /**
   * The rate budget. Default: 30 requests in 60,000 ms, which the server's own word overrules. A `RateLimiter` may be
   * shared by clients; `false`: no limit here. @see reference, “Limits”
   */
  rateLimit?: RateLimitOptions | RateLimiter | false
  /**
   * What happens where an answer does not fit its documented type. Default `strict`: `InvalidResponseError`.
   * `report`: the row is handed over as it came, and `onDrift` is called. `off`: only the wrapper is read.
   */
  validation?: 'strict' | 'report' | 'off'
  /** The fetch to send with. Default: the global one, as it is at the time of the call. */
  fetch?: typeof globalThis.fetch
  /** Headers added to every request. */
  headers?: Readonly<Record<string, string>>
  /** Whether the opener gets the key. The reference does not say where it takes one. Default `none`. */
  openerAuth?: 'none' | 'bearer'
  /** Allows a string `apiKey` in a browser, where every visitor can read it. Default `false`. */
  dangerouslyAllowBrowser?: boolean
  /** Allows `http:` beyond this machine, where everybody on the way can read the key. Default `false`. */
  allowInsecureHttp?: boolean
}

/** Options of one call, all optional; they stand above the client's. */
export interface RequestOptions {
  /** Ends the call at once, with the signal's reason, as fetch does. */
  signal?: AbortSignal
  /** How long one attempt may take, in milliseconds. `false`: no limit. */
  timeout?: number | false
  /** Retries after the first attempt, or more exactly. */
  retry?: number | RetryOptions
  /** Headers added to this request. */
  headers?: Readonly<Record<string, string>>
}

/** A longer wait does not fit into a timer of any runtime. */
const MAX_TIMER = 2 ** 31 - 1

/** What does not fit about the options that a client and a call have in common. */
export function checkRequestOptions({ signal, timeout, retry, headers }: RequestOptions): Issue[] {
  const issues: Issue[] = []
  const expect = (fits: boolean, name: string, expected: string, received: string) => {
    if (!fits) issues.push({ path: [name], message: `expected ${expected}, received ${received}` })
  }
  const shown = (value: unknown) => (typeof value === 'number' ? String(value) : kind(value))
  const isCount = (value: unknown) => value === undefined || (Number.isInteger(value) && (value as number) >= 0)
  const isTime = (value: unknown) => typeof value === 'number' && value > 0 && value <= MAX_TIMER
  expect(
    signal === undefined || typeof signal?.addEventListener === 'function',
    'signal',
    'an AbortSignal',
    kind(signal),
  )
  expect(
    timeout === undefined || timeout === false || isTime(timeout),
    'timeout',
    `milliseconds above 0 and up to ${MAX_TIMER}, or false`,
    shown(timeout),
  )
  const { limit, maxDelay } = retryOptions(retry)
  expect(isCount(limit), 'retry', 'a whole number of retries from 0, or { limit, maxDelay }', shown(limit))
  expect(
    maxDelay === 0 || maxDelay === Number.POSITIVE_INFINITY || isTime(maxDelay),
    'retry.maxDelay',
    'milliseconds from 0',
    shown(maxDelay),
  )
  // A Headers, a Map or a list of pairs would be sent as nothing or as nonsense.
  const isPlain = headers === undefined || (isRecord(headers) && !(Symbol.iterator in headers))
  expect(isPlain, 'headers', 'an object of names and values', kind(headers))
  for (const [name, value] of Object.entries(isPlain ? (headers ?? {}) : {})) {
    const fits =
      /^[!#$%&'*+\-.^_`|~\w]+$/.test(name) && typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    // The value may be a secret: it is not shown.
    expect(fits, `headers.${JSON.stringify(name)}`, 'a header of one line without control characters', kind(value))
  }
  return issues
}

const DEFAULT_RETRY = { limit: 2, maxDelay: 90_000 }

/** `retry` in its long form, what it leaves open filled in. */
export function retryOptions(
  retry: number | RetryOptions | undefined,
  defaults = DEFAULT_RETRY,
): Required<RetryOptions> {
  const long: { limit?: number | undefined; maxDelay?: number } =
    typeof retry === 'object' && retry !== null ? retry : { limit: retry }
  const { limit = defaults.limit, maxDelay = defaults.maxDelay } = long
  return { limit, maxDelay }
}

/** An address without its trailing slashes. @throws {ConfigurationError} where it cannot be one */
export function parseAddress(
  name: string,
  address: string | URL,
  allowInsecureHttp: boolean,
  redact = (text: string): string => text,
): string {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined
  const problem = !url
    ? `${redact(JSON.stringify(String(address)))} is no absolute URL: expected one such as https://sho.rt/api`
    : !/^https?:$/.test(url.protocol)
      ? `has the scheme ${url.protocol} where http: or https: is expected`
      : url.username || url.password
        ? 'holds a user name or password: leave them out, the key goes into apiKey'
        : url.search || url.hash
          ? 'holds a query or a fragment: leave them out'
          : url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecureHttp
            ? 'is http: beyond this machine, where everybody on the way can read the key: use https:, or set allowInsecureHttp'
            : undefined
  if (problem) throw new ConfigurationError(`${name} ${problem}`)
  return url!.href.replace(/\/+$/, '')
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
