import { ConfigurationError, describe } from '../errors.ts'
import { type AuthScheme, authSchemes } from '../http/api-key.ts'
import { requestOptionChecks, timeoutCheck } from '../http/request-options.ts'
import type { Fetch, HeadersInput } from '../runtime/fetch.ts'
import { ownProperties } from '../runtime/own-properties.ts'
import {
  aFunction,
  boolean,
  type Checks,
  checkedElsewhere,
  checkOptions,
  oneOf,
  positiveInteger,
} from '../schema/checks.ts'
import type { AllowedCall } from './allow.ts'
import { type CorsOptions, hostsCheck } from './origins.ts'

/** Options for `createProxy`. */
export interface ProxyOptions {
  /** The base URL of the management API. Default: the environment variable `SHORTLINK_BASE_URL`. */
  baseUrl?: string | URL | undefined
  /**
   * The base URL of the app-opener API, which the proxy serves below `/opener`: `POST /opener/v3/api`. Default: the environment
   * variable `SHORTLINK_OPENER_URL`.
   */
  openerUrl?: string | URL | undefined
  /**
   * The API key, or a function that returns it, called with each request. Default: the
   * environment variable `SHORTLINK_API_KEY`.
   */
  apiKey?: string | ((request: Request) => string | Promise<string>) | undefined
  /**
   * The allowed calls, each as a method and a path below `prefix`: `'GET /campaigns'`, `'GET /qr/:id'`,
   * `'POST /files/upload/:filename'`, `'POST /opener/v3/api'`. Everything else is refused with 403. A parameter is one
   * segment; there is no wildcard.
   */
  allow: readonly AllowedCall[]
  /**
   * Called before every call, with the entry of `allow` that it matched. `true` allows it, a `Response` is returned as it
   * is, anything else refuses the call with 403. It must not read the body of the request. Default: everyone who can reach
   * the proxy may make the allowed calls.
   */
  authorize?: ((request: Request, call: AllowedCall) => boolean | Response | Promise<boolean | Response>) | undefined
  /** The path where the proxy is mounted, such as `/api/shortlink`. Default: the root. */
  prefix?: string | undefined
  /**
   * The hosts of the proxy, such as `['app.example', 'localhost:3000']`; a host without a port allows any port. A request with another `Host` is refused with 403, so that a page cannot reach a proxy in a private network by
   * pointing its own domain there (DNS rebinding). Default: any host.
   */
  hosts?: readonly string[] | undefined
  /** Pages of other origins that may call the proxy. Default: none, they are refused with 403. */
  cors?: CorsOptions | undefined
  /**
   * The word before the key in the `Authorization` header; `raw`: none. Default: the variable `SHORTLINK_AUTH_SCHEME`,
   * else `Bearer`.
   */
  authScheme?: AuthScheme | undefined
  /** Whether to send the key to the app-opener API too. Default: `'none'`. */
  openerAuth?: 'none' | 'bearer' | undefined
  /** Milliseconds for one call, including the key function, the upload and the response; `false`: no limit. Default: 120,000. */
  timeout?: number | false | undefined
  /**
   * The largest response of the platform in bytes, after decompression. A larger one becomes a 502.
   * Default: 16 MiB.
   */
  maxResponseSize?: number | undefined
  /** Headers to add to every request to the platform. Default: none. */
  headers?: HeadersInput | undefined
  /**
   * Called with server-side errors, which are not shown to the page. It sees no key. Default: `console.error` prints them.
   */
  onError?: ((error: unknown, request: Request) => void) | undefined
  /** The `fetch` function to use, which must accept a `ReadableStream` as a body. Default: the global one. */
  fetch?: Fetch | undefined
  /** Allows `http:` to other machines, although the key is then sent unencrypted. Default: `false`. */
  allowInsecureHttp?: boolean | undefined
}

const { headers } = requestOptionChecks

const optionChecks = {
  baseUrl: checkedElsewhere,
  openerUrl: checkedElsewhere,
  apiKey: {
    expected: 'a string or a function',
    fits: (value: unknown) => ['string', 'function'].includes(typeof value),
    secret: true,
  },
  allow: checkedElsewhere,
  authorize: aFunction,
  prefix: checkedElsewhere,
  hosts: hostsCheck,
  cors: checkedElsewhere,
  openerAuth: oneOf(['none', 'bearer']),
  authScheme: oneOf(authSchemes),
  timeout: timeoutCheck,
  maxResponseSize: positiveInteger,
  headers,
  onError: aFunction,
  fetch: aFunction,
  allowInsecureHttp: boolean,
} satisfies Checks<keyof ProxyOptions>

/**
 * Checks the options, and drops inherited ones: a polluted `Object.prototype` must not divert the key.
 *
 * @throws {ConfigurationError} if an option is invalid
 */
export function ownOptions(options: ProxyOptions): ProxyOptions {
  const issues = checkOptions(options, optionChecks)
  if (issues.length) throw new ConfigurationError(describe(issues))
  return ownProperties(options)
}
