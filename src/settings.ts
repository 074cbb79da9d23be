import { ConfigurationError, describe } from './errors.ts'
import { ApiKey, type KeySource } from './http/api-key.ts'
import type { Settings } from './http/transport.ts'
import { checkRequestOptions, parseAddress, retryOptions, type ShortLinkClientOptions } from './options.ts'
import { createRateLimiter, type RateLimiter } from './rate-limit/limiter.ts'
import { environment, isBrowser, runtimeFetch } from './runtime/environment.ts'
import { isRecord, kind } from './schema/expected.ts'

/** Fills in the options of a client. @throws {ConfigurationError} for an option that does not fit */
export function resolveSettings(options: ShortLinkClientOptions): Settings {
  checkOptions(options)
  const { allowInsecureHttp = false, openerAuth = 'none', timeout = 30_000, validation = 'strict' } = options
  const baseUrl = options.baseUrl ?? environment('SHORTLINK_BASE_URL')
  const openerUrl = options.openerUrl ?? environment('SHORTLINK_OPENER_URL')
  if (baseUrl === undefined && openerUrl === undefined) {
    throw new ConfigurationError(`no address: set ${SET_BY.management}, ${SET_BY.opener}, or both`)
  }
  const usesKey = { management: baseUrl !== undefined, opener: openerUrl !== undefined && openerAuth === 'bearer' }
  const apiKey = new ApiKey(keySource(options, usesKey.management || usesKey.opener))
  const address = (name: string, value: string | URL | undefined) =>
    value === undefined ? undefined : parseAddress(name, value, allowInsecureHttp, (text) => apiKey.redact(text))
  const limiter = rateLimiter(options.rateLimit)
  return {
    management: { address: address('baseUrl', baseUrl), setBy: SET_BY.management, usesKey: true, limiter },
    opener: {
      address: address('openerUrl', openerUrl),
      setBy: SET_BY.opener,
      usesKey: usesKey.opener,
      limiter: limiter && openerLimiter(limiter),
    },
    apiKey,
    timeout,
    retry: retryOptions(options.retry),
    validation,
    fetch: options.fetch ?? runtimeFetch,
    headers: options.headers ?? {},
    observers: options,
  }
}

const SET_BY = {
  management: '`baseUrl` or SHORTLINK_BASE_URL',
  opener: '`openerUrl` or SHORTLINK_OPENER_URL',
}

function checkOptions(options: ShortLinkClientOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError(`expected an object of options, received ${kind(options)}`)
  }
  const issues = checkRequestOptions(options)
  const functions = ['fetch', 'onDrift', 'onRequest', 'onResponse', 'onRetry'] as const
  const expect = (fits: boolean, name: keyof ShortLinkClientOptions, expected: string) => {
    if (fits) return
    issues.push({ path: [name], message: `expected ${expected}, received ${kind(options[name])}` })
  }
  const isOneOf = (name: 'validation' | 'openerAuth', ...values: unknown[]) =>
    expect(values.includes(options[name]), name, values.slice(1).join(', '))
  for (const name of functions) {
    expect(options[name] === undefined || typeof options[name] === 'function', name, 'a function')
  }
  const { rateLimit = false } = options
  expect(rateLimit === false || isRecord(rateLimit), 'rateLimit', 'an object of options, a RateLimiter, or false')
  isOneOf('validation', undefined, 'strict', 'report', 'off')
  isOneOf('openerAuth', undefined, 'none', 'bearer')
  if (issues.length) throw new ConfigurationError(describe(issues))
}

/** The key of the options or the environment. @throws {ConfigurationError} where one is needed and missing, or would be seen by everybody */
function keySource({ apiKey, dangerouslyAllowBrowser }: ShortLinkClientOptions, isNeeded: boolean): KeySource {
  const source = apiKey === undefined ? environment('SHORTLINK_API_KEY') : apiKey
  if (source === undefined && isNeeded) {
    throw new ConfigurationError('no key: set `apiKey` or SHORTLINK_API_KEY, or `apiKey: null` where a proxy adds it')
  }
  if (typeof source === 'string' && !dangerouslyAllowBrowser && isBrowser()) {
    throw new ConfigurationError(
      'a string apiKey in a browser is open to every visitor: use `apiKey: null` with a proxy (shortlink-sdk/proxy) that adds it, or set dangerouslyAllowBrowser',
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
