import { ConfigurationError, describe, type Issue } from './errors.ts'
import { parseAddress } from './http/address.ts'
import { ApiKey, type KeySource } from './http/api-key.ts'
import { type Logger, type LogLevel, logObservers } from './http/events/log.ts'
import { headerPairs } from './http/request-options.ts'
import { retryOptions } from './http/retry.ts'
import { createRedactor, redactIssues } from './http/secrets.ts'
import type { Settings } from './http/transport.ts'
import { checkClientOptions, type ShortLinkClientOptions } from './options.ts'
import { createRateLimiter, type RateLimiter } from './rate-limit/limiter.ts'
import { environment, isBrowser } from './runtime/environment.ts'
import { runtimeFetch } from './runtime/fetch.ts'
import { ownProperties } from './runtime/own-properties.ts'
import { DEFAULT_MAX_BYTES } from './runtime/read-body.ts'

/** The defaults of the options, one place for all. Those of the rate limit stand in `rate-limit/limiter.ts`. */
const defaults = {
  timeout: 30_000,
  retry: { limit: 2, maxDelay: 90_000 },
  maxResponseSize: DEFAULT_MAX_BYTES,
  validation: 'strict',
  openerAuth: 'none',
  logLevel: 'warn',
  logger: console as Logger,
  fetch: runtimeFetch,
} as const

/** The options that set an address and the key, as an error names them. */
const SET_BY = {
  management: '`baseUrl` or SHORTLINK_BASE_URL',
  opener: '`openerUrl` or SHORTLINK_OPENER_URL',
  key: '`apiKey` or SHORTLINK_API_KEY',
}

/** Fills in the options of a client. @throws {ConfigurationError} where an option does not fit */
export function resolveSettings(given: ShortLinkClientOptions): Settings {
  refuse(checkClientOptions(given), given?.apiKey)
  const options = ownProperties(given)
  const { allowInsecureHttp = false, openerAuth = defaults.openerAuth } = options
  const baseUrl = options.baseUrl ?? environment('SHORTLINK_BASE_URL')
  const openerUrl = options.openerUrl ?? environment('SHORTLINK_OPENER_URL')
  if (baseUrl === undefined && openerUrl === undefined) {
    throw new ConfigurationError(`no address: set ${SET_BY.management}, ${SET_BY.opener}, or both`)
  }
  const openerUsesKey = openerAuth === 'bearer'
  const apiKey = new ApiKey(keySource(options, baseUrl !== undefined || openerUsesKey))
  const address = (name: string, value: string | URL | undefined) =>
    value === undefined ? undefined : parseAddress(name, value, allowInsecureHttp, (text) => apiKey.redact(text))
  const limiter = rateLimiter(options.rateLimit)
  return {
    management: { address: address('baseUrl', baseUrl), setBy: SET_BY.management, usesKey: true, limiter },
    opener: {
      address: address('openerUrl', openerUrl),
      setBy: SET_BY.opener,
      usesKey: openerUsesKey,
      limiter: limiter && openerLimiter(limiter),
    },
    apiKey,
    timeout: options.timeout ?? defaults.timeout,
    retry: retryOptions(options.retry, defaults.retry),
    maxResponseSize: options.maxResponseSize ?? defaults.maxResponseSize,
    validation: options.validation ?? defaults.validation,
    fetch: options.fetch ?? defaults.fetch,
    headers: headerPairs(options.headers),
    observers: [options, logObservers(logLevel(options), options.logger ?? defaults.logger)],
  }
}

function logLevel(options: ShortLinkClientOptions): LogLevel {
  const level = options.logLevel ?? environment('SHORTLINK_LOG') ?? defaults.logLevel
  const issues = checkClientOptions({ logLevel: level })
  if (issues.length) throw new ConfigurationError(`SHORTLINK_LOG: ${issues[0]!.message}`)
  return level as LogLevel
}

/** @throws {ConfigurationError} of the issues, if there are any, without the key that one of them may show */
function refuse(issues: readonly Issue[], apiKey: unknown): void {
  if (issues.length === 0) return
  const redact = typeof apiKey === 'string' && apiKey ? createRedactor(apiKey) : (text: string) => text
  throw new ConfigurationError(describe(redactIssues(redact, issues)))
}

/** The key of the options or the environment. @throws {ConfigurationError} where one is missing, or every visitor could read it */
function keySource({ apiKey, dangerouslyAllowBrowser }: ShortLinkClientOptions, isNeeded: boolean): KeySource {
  const source = apiKey === undefined ? environment('SHORTLINK_API_KEY') : apiKey
  if (source === undefined && isNeeded) {
    throw new ConfigurationError(`no key: set ${SET_BY.key}, or \`apiKey: null\` where a proxy adds it`)
  }
  if (typeof source === 'string' && !dangerouslyAllowBrowser && isBrowser()) {
    throw new ConfigurationError(
      'apiKey: every visitor of a page can read a string. Use `apiKey: null` with a proxy that adds the key (shortlink-sdk/proxy), or set dangerouslyAllowBrowser',
    )
  }
  return source ?? null
}

function rateLimiter(rateLimit: ShortLinkClientOptions['rateLimit']): RateLimiter | undefined {
  if (rateLimit === false) return undefined
  return rateLimit && 'acquire' in rateLimit ? rateLimit : createRateLimiter(rateLimit)
}

// The opener has a budget of its own, unlimited until it says otherwise; clients that share a limiter share it too.
const openerLimiters = /* @__PURE__ */ new WeakMap<RateLimiter, RateLimiter>()

function openerLimiter(management: RateLimiter): RateLimiter {
  const limiter = openerLimiters.get(management) ?? createRateLimiter({ requests: Number.POSITIVE_INFINITY })
  openerLimiters.set(management, limiter)
  return limiter
}
