/** Checks who may call the proxy, by the host and the origin that a browser states. */
import { ConfigurationError, describe } from '../errors.ts'
import { rateHeaders } from '../rate-limit/headers.ts'
import { ownProperties } from '../runtime/own-properties.ts'
import { boolean, type Check, type Checks, checkOptions } from '../schema/checks.ts'
import { formatValue, mismatch } from '../schema/expected.ts'

/** A check for a list of strings, which names the first invalid one. */
function listOf(expected: string, fits: (entry: string) => boolean) {
  const misfit = (list: readonly unknown[]) => list.findIndex((entry) => typeof entry !== 'string' || !fits(entry))
  return {
    expected,
    fits: (value: unknown) => Array.isArray(value) && misfit(value) === -1,
    hint: (value: unknown) =>
      Array.isArray(value) && misfit(value) !== -1 ? `${formatValue(value[misfit(value)])} is invalid` : undefined,
  } satisfies Check
}

const hostPattern = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i
const hostList = listOf("a list of hosts such as ['app.example', 'localhost:3000']", (host) => hostPattern.test(host))

/** The check of the `hosts` option. */
export const hostsCheck: Check = {
  ...hostList,
  fits: (value) => hostList.fits(value) && (value as unknown[]).length > 0,
  hint: (value) => (Array.isArray(value) && !value.length ? 'give at least one' : hostList.hint(value)),
}

/** Whether a request was sent to one of the `hosts`. Without this option, every host is allowed. */
export function hostMatcher(hosts: readonly string[] | undefined): (request: Request) => boolean {
  if (hosts === undefined) return () => true
  const known = new Set<string | undefined>(hosts.map((host) => host.toLowerCase()))
  return (request) => {
    // Some adapters invent the URL of the request, but keep the Host header.
    const host = (request.headers.get('Host') ?? new URL(request.url).host).toLowerCase()
    return known.has(host) || known.has(hostPattern.exec(host)?.[1])
  }
}

/** Pages of other origins that may call the proxy. */
export interface CorsOptions {
  /** The origins, each like `https://app.example`; `'*'` allows every page on the web. */
  origins: readonly string[] | '*'
  /** Lets those pages send their cookies. Not with `'*'`. Default: `false`. */
  credentials?: boolean | undefined
  /** Request headers that `authorize` reads, besides `Authorization` and `Content-Type`. Default: none. */
  headers?: readonly string[] | undefined
}

const isOrigin = (value: string) => URL.canParse(value) && new URL(value).origin === value
const originList = listOf("'*', or a list of origins such as 'https://app.example', without a path", isOrigin)

const optionChecks: Checks<keyof CorsOptions> = {
  origins: { ...originList, fits: (value) => value === '*' || originList.fits(value) },
  credentials: boolean,
  headers: listOf('a list of header names', (name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name)),
}

/** The response headers that a page may read. */
const exposed = Object.values(rateHeaders).join(', ')

/** The rules for pages of other origins. Without the `cors` option, they are refused. */
export class CorsRules {
  readonly #origins: readonly string[] | '*'
  readonly #credentials: boolean
  readonly #headers: readonly string[]

  /** @throws {ConfigurationError} if an option is invalid */
  constructor(options: Partial<CorsOptions> = {}) {
    const issues = checkOptions(options, optionChecks, undefined, ['cors'])
    if (issues.length) throw new ConfigurationError(describe(issues))
    const { origins = [], credentials = false, headers = [] } = ownProperties(options)
    this.#origins = origins
    this.#credentials = credentials
    this.#headers = headers
    if (this.#origins === '*' && this.#credentials) {
      throw new ConfigurationError(
        `cors.credentials: ${mismatch("false, because cors.origins is '*'", true, formatValue)}`,
      )
    }
  }

  /** The origin of the page, if it is another origin that is not allowed. */
  forbiddenOrigin(request: Request): string | undefined {
    const origin = request.headers.get('Origin')
    return isCrossOrigin(request) && !this.#allows(origin) ? (origin ?? 'another site') : undefined
  }

  /** Headers that allow the page to read the response. */
  headers(request: Request): Record<string, string> {
    const origin = request.headers.get('Origin')
    if (this.#origins === '*') return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed }
    if (!this.#allows(origin)) return { Vary: 'Origin' }
    return {
      Vary: 'Origin',
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': exposed,
      ...(this.#credentials && { 'Access-Control-Allow-Credentials': 'true' }),
    }
  }

  /** The response to a preflight. */
  preflight(methods: readonly string[]): Response {
    const headers = {
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': ['Authorization', 'Content-Type', ...this.#headers].join(', '),
      'Access-Control-Max-Age': '600',
    }
    return new Response(null, { status: 204, headers })
  }

  #allows(origin: string | null): origin is string {
    return origin !== null && (this.#origins === '*' || this.#origins.includes(origin))
  }
}

/** Whether a request is a preflight: a browser asking before it sends a page's request to another origin. */
export function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('Access-Control-Request-Method')
}

/**
 * Whether a page of another origin makes the request. Browsers say so in `Sec-Fetch-Site`; without it (a page served over
 * plain http), `Origin` tells. A program that is not a browser sends neither, and is left to `authorize`.
 */
function isCrossOrigin(request: Request): boolean {
  const site = request.headers.get('Sec-Fetch-Site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const origin = request.headers.get('Origin')
  if (origin === null) return false
  const { host } = new URL(request.url)
  // A gateway that ends TLS makes the request an http one.
  return ![`https://${host}`, `http://${host}`].includes(origin)
}
