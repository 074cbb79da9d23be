import type { Issue } from './errors.ts'
import type { KeySource } from './http/api-key.ts'
import { type Logger, type LogLevel, logLevels, logMethods } from './http/events/log.ts'
import type { Observers } from './http/events/observers.ts'
import { type RequestOptions, requestOptionChecks } from './http/request-options.ts'
import { type RateLimiter, type RateLimitOptions, rateLimitChecks } from './rate-limit/limiter.ts'
import type { Fetch } from './runtime/fetch.ts'
import { isRecord } from './schema/expected.ts'
import { aFunction, boolean, type Checks, checkedElsewhere, checkOptions, positiveInteger } from './schema/params.ts'

/** The options of a `ShortLinkClient`. Every one has a default, but at least one address is needed. */
export interface ShortLinkClientOptions extends Observers, Omit<RequestOptions, 'signal'> {
  /**
   * The address of the management API, such as `https://sho.rt/api`. In a page, `'/api/shortlink'` is resolved against
   * the page's address. Default: the environment variable `SHORTLINK_BASE_URL`. A call to an API whose address is
   * missing fails with `ConfigurationError`.
   */
  baseUrl?: string | URL
  /**
   * The address of the app-opener API, such as `https://opener.example`, without `/v3/api`. Default: the environment
   * variable `SHORTLINK_OPENER_URL`.
   */
  openerUrl?: string | URL
  /**
   * The API key, or a function that returns it, called before each attempt. `null`: no key is sent, because a proxy adds
   * it. Default: the environment variable `SHORTLINK_API_KEY`.
   */
  apiKey?: KeySource
  /**
   * How long one attempt may take, in milliseconds, including the key function, excluding the wait for rate budget.
   * Default 30,000; `false`: no limit.
   */
  timeout?: number | false
  /**
   * The rate budget. Default: 30 requests in 60,000 ms, until the server's headers say otherwise; a number of `requests`
   * that is given here is a ceiling. A `RateLimiter` can be shared by clients; `false`: no limit.
   */
  rateLimit?: RateLimitOptions | RateLimiter | false
  /**
   * The largest answer that is read, in bytes after decompression. A larger one is an `InvalidResponseError`.
   * Default 16 MiB.
   */
  maxResponseSize?: number
  /**
   * What happens where an answer does not fit its documented type. Default `strict`: `InvalidResponseError`. `report`: the
   * row is returned as it came, and `onDrift` is called. `off`: only the envelope is read.
   */
  validation?: 'strict' | 'report' | 'off'
  /** The fetch to send with. Default: the global one, as it is at the time of the call. */
  fetch?: Fetch
  /** Whether the app-opener API is sent the key. The platform does not say where it takes one. Default `none`. */
  openerAuth?: 'none' | 'bearer'
  /**
   * What is logged. Default: the environment variable `SHORTLINK_LOG`, else `warn`, which says one line for a wait of
   * more than five seconds for rate budget. `info`: a line for each call. `debug`: each attempt.
   */
  logLevel?: LogLevel
  /** Where the log goes. Default: `console`. */
  logger?: Logger
  /** Allows a string `apiKey` in a browser, where every visitor can read it. Default `false`. */
  dangerouslyAllowBrowser?: boolean
  /** Allows `http:` beyond this machine, where the key travels unencrypted. Default `false`. */
  allowInsecureHttp?: boolean
}

const { signal: _, ...commonChecks } = requestOptionChecks

const optionChecks: Checks<keyof ShortLinkClientOptions> = {
  ...commonChecks,
  baseUrl: checkedElsewhere,
  openerUrl: checkedElsewhere,
  apiKey: checkedElsewhere,
  rateLimit: {
    expected: 'an object of options, a RateLimiter, or false',
    fits: (value) => value === false || (isRecord(value) && typeof value.acquire === 'function'),
    options: rateLimitChecks,
  },
  maxResponseSize: positiveInteger,
  validation: ['strict', 'report', 'off'],
  fetch: aFunction,
  openerAuth: ['none', 'bearer'],
  logLevel: logLevels,
  logger: {
    expected: 'an object with the functions error, warn, info and debug',
    fits: (value) =>
      Object(value) === value &&
      logMethods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
  },
  dangerouslyAllowBrowser: boolean,
  allowInsecureHttp: boolean,
  onDrift: aFunction,
  onRequest: aFunction,
  onResponse: aFunction,
  onRetry: aFunction,
  onWait: aFunction,
  onError: aFunction,
}

/** What does not fit about the options of a client. @internal */
export const checkClientOptions = (options: unknown): Issue[] => checkOptions(options, optionChecks)
