import { aFunction, boolean, type Check, type Checks, checkedElsewhere, checkOptions, oneOf } from './checks/checks.ts'
import { readCheckedVariable, throwIfInvalid } from './checks/variable.ts'
import { ConfigurationError } from './errors.ts'
import { ApiKey, authScheme, type KeySource } from './http/api-key.ts'
import { authorizationBesideKey, findAuthorization } from './http/authorization.ts'
import { BaseUrl, isLoopback } from './http/base-url.ts'
import {
  createLogObservers,
  type Logger,
  type LogLevel,
  logLevels,
  logMethods,
  type Observers,
} from './http/observers.ts'
import { getValidHeaders, type RequestOptions, requestOptionChecks, type Validation } from './http/request-options.ts'
import type { Endpoint, Environment, Settings } from './http/settings.ts'
import { type AuthScheme, apis, variables } from './platform/apis.ts'
import { guardLimiter, type RateLimiter, type RateLimitOptions, rateLimitChecks } from './rate-limit/rate-limiter.ts'
import { getLimiter } from './rate-limit/registry.ts'
import { isPublicPage } from './runtime/environment.ts'
import { type Fetch, runtimeFetch } from './runtime/fetch.ts'
import { isRecord } from './runtime/text.ts'
import type { Redact } from './secrets.ts'

/**
 * Options for a `ShortLinkClient`. All have defaults. The constructor throws if an option is invalid. The first call
 * fails if the base URL or the key is missing, because environment variables are read only then.
 */
export interface ShortLinkClientOptions extends Observers, Omit<RequestOptions, 'signal'> {
  /**
   * The base URL of the management API, such as `https://sho.rt/api`. A relative one, such as `'/api/shortlink'`, is
   * resolved against the URL of the page. Default: the environment variable `SHORTLINK_BASE_URL`.
   */
  baseUrl?: string | URL | undefined
  /**
   * The base URL of the app-opener API, such as `https://opener.example`, without `/v3/api`. Default: the environment
   * variable `SHORTLINK_OPENER_URL`.
   */
  openerUrl?: string | URL | undefined
  /**
   * The API key, or a function that returns it, called before each attempt. `null`: no key is sent, because a proxy
   * adds it. Default: the environment variable `SHORTLINK_API_KEY`.
   */
  apiKey?: KeySource | undefined
  /**
   * The scheme before the key in the `Authorization` header. The reference uses `Bearer`. Older servers expect `Token`,
   * or only the key (`raw`). Default: the environment variable `SHORTLINK_AUTH_SCHEME`, else `Bearer`.
   */
  authScheme?: AuthScheme | undefined
  /**
   * How long one attempt may take, in milliseconds. Includes the key function, but not the wait for the rate limit.
   * Default: 30,000. `false`: no limit.
   */
  timeout?: number | false | undefined
  /**
   * The rate limit. Default: the environment variable `SHORTLINK_RATE_LIMIT` (`off`, or a number of requests a minute),
   * else 30 requests per 60,000 ms until the server's headers state another limit. A number means that many requests a
   * minute. If you set `requests`, the server can lower the limit but not raise it. Clients with the same base URL, key
   * and `fetch` share one limit, the smallest of their `requests`. Processes can share one through `sharedRateLimiter`.
   * `false`: no limit.
   */
  rateLimit?: RateLimitOptions | number | RateLimiter | false | undefined
  /**
   * What to do with a response that does not match its documented type. Default `strict`: fail with
   * `InvalidResponseError`. `report`: convert the fields that match, return the others as the server sent them, and call
   * `onDrift`. What decides by a row, such as `links.ensure`, an import or a sync, always reads strictly.
   */
  validation?: Validation | undefined
  /**
   * The `fetch` function to use. Default: the global one, looked up at each call. Uploads of streams need one that
   * sends web streams: undici does, node-fetch does not. Avoid one that retries requests itself, such as undici's
   * `RetryAgent`, because the outcome `not-sent` can then be wrong. Node's own retries once after the status 421.
   */
  fetch?: Fetch | undefined
  /**
   * `bearer` sends the API key to the app-opener API too. The platform does not document where that API expects one.
   * Default `none`.
   */
  openerAuth?: 'none' | 'bearer' | undefined
  /**
   * How much to log. Default: the environment variable `SHORTLINK_LOG`, else `warn`, which logs one line when a call
   * waits longer than five seconds for the rate limit. `info`: a line for each call. `debug`: each attempt.
   */
  logLevel?: LogLevel | undefined
  /** The object whose methods log, such as a pino or winston logger. Default: `console`. */
  logger?: Logger | undefined
  /** Allows a string `apiKey` in a page, although its visitors can read it. Default `false`. */
  dangerouslyAllowBrowser?: boolean | undefined
  /** Allows `http:` to other machines, although the key is then sent unencrypted. Default `false`. */
  allowInsecureHttp?: boolean | undefined
}

const { signal: _, ...commonChecks } = requestOptionChecks

const logLevel = /* @__PURE__ */ oneOf(logLevels)

/** A rate limit in the environment. */
const rateLimitVariable: Check = {
  expected: 'off, or a number of requests a minute',
  isValid: (value) => value === 'off' || /^[1-9]\d{0,8}$/.test(String(value)),
}

/** Checks for the options of a client. @internal */
export const clientOptionChecks = {
  ...commonChecks,
  baseUrl: checkedElsewhere,
  openerUrl: checkedElsewhere,
  apiKey: { ...checkedElsewhere, otherNames: ['token', 'auth'] },
  authScheme,
  rateLimit: {
    expected: 'an object of options, a number of requests a minute, a RateLimiter, or false',
    isValid: (value: unknown) =>
      value === false ||
      rateLimitChecks.requests.isValid(value) ||
      (isRecord(value) && aFunction.isValid(value.acquire) && aFunction.isValid(value.observe)),
    options: rateLimitChecks,
  },
  fetch: aFunction,
  openerAuth: oneOf(['none', 'bearer']),
  logLevel,
  logger: {
    expected: 'an object with the functions error, warn, info and debug',
    isValid: (value: unknown) =>
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
} satisfies Checks<keyof ShortLinkClientOptions>

/** The defaults of the options. The defaults of the rate limit are in `rate-limit/window.ts`. @internal */
export const defaults = {
  timeout: 30_000,
  retry: 2,
  priority: 'normal',
  validation: 'strict',
  logLevel: 'warn',
  fetch: runtimeFetch,
} as const

/** Checks the options of a client, and fills in defaults. @internal @throws {ConfigurationError} if one is invalid */
export function resolveSettings(options: ShortLinkClientOptions): Settings {
  const apiKey = new ApiKey(options?.apiKey, options?.authScheme)
  const { redact } = apiKey
  throwIfInvalid(checkOptions(options, clientOptionChecks), redact)
  apiKey.check()
  const { allowInsecureHttp = false, openerAuth = 'none', logger = console as Logger, rateLimit } = options
  const headers = getValidHeaders(options.headers)
  const authorization = findAuthorization(headers)
  if (apiKey.isGiven && authorization !== undefined) throwIfInvalid([authorizationBesideKey], redact)

  const apiUrls = {
    management: new BaseUrl(apis.management, options.baseUrl, allowInsecureHttp),
    opener: new BaseUrl(apis.opener, options.openerUrl, allowInsecureHttp),
  }
  assertKeyIsHidden(options, apiUrls.management)

  function readEnvironment(): Environment {
    const listeners = [
      options,
      createLogObservers(
        options.logLevel ?? readCheckedVariable<LogLevel>(variables.log, logLevel, redact) ?? defaults.logLevel,
        logger,
      ),
    ]
    const limit = resolveLimit(rateLimit, redact)
    // The header of a hook cannot take part, because the limiter is chosen before the hooks run.
    const key = authorization ?? apiKey.source
    const fetch = options.fetch ?? globalThis.fetch
    const findLimiter = ({ baseUrl, usesKey, isLimited }: Endpoint) => {
      if (!limit) return undefined
      if (isLimited && 'acquire' in limit) return limit
      const owner = { baseUrl: baseUrl.get(), key: usesKey ? key : null, fetch }
      return getLimiter(owner, isLimited ? (limit as RateLimitOptions) : { requests: Infinity })
    }
    return { listeners, findLimiter }
  }

  let environment: Environment | undefined
  return {
    apis: {
      management: { baseUrl: apiUrls.management, usesKey: true, isLimited: true },
      opener: { baseUrl: apiUrls.opener, usesKey: openerAuth === 'bearer', isLimited: false },
    },
    environment() {
      environment ??= readEnvironment()
      return environment
    },
    last: {},
    apiKey,
    timeout: options.timeout ?? defaults.timeout,
    deadline: options.deadline,
    retry: options.retry ?? defaults.retry,
    priority: options.priority ?? defaults.priority,
    headers,
    fetchOptions: options.fetchOptions,
    validation: options.validation ?? defaults.validation,
    fetch: options.fetch ?? defaults.fetch,
    beforeRequest: options.beforeRequest,
  }
}

/** @throws {ConfigurationError} if a visitor could read the key. A server on this machine has no other visitors. */
function assertKeyIsHidden({ apiKey, dangerouslyAllowBrowser }: ShortLinkClientOptions, baseUrl: BaseUrl): void {
  if (typeof apiKey !== 'string' || dangerouslyAllowBrowser || !isPublicPage()) return
  const { known } = baseUrl
  if (known && isLoopback(new URL(known).hostname)) return
  throw new ConfigurationError(
    'apiKey: every visitor of the page could read it: set `apiKey: null` and use a proxy (shortlink-sdk/proxy), or set dangerouslyAllowBrowser',
  )
}

/** Returns a user's limiter, the options for a limiter, or `undefined` for no limit. */
function resolveLimit(
  rateLimit: ShortLinkClientOptions['rateLimit'],
  redact: Redact,
): Required<RateLimiter> | RateLimitOptions | undefined {
  if (typeof rateLimit === 'number') return { requests: rateLimit }
  if (rateLimit !== undefined) {
    if (rateLimit && 'acquire' in rateLimit) return guardLimiter(rateLimit)
    return rateLimit || undefined
  }
  const variable = readCheckedVariable(variables.rateLimit, rateLimitVariable, redact)
  if (variable === undefined) return {}
  return variable === 'off' ? undefined : { requests: Number(variable) }
}
