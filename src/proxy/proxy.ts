import { aFunction, type Check, type Checks, checkOptions, checkValue } from '../client/checks/checks.ts'
import { mismatch, reasonOf } from '../client/checks/mismatch.ts'
import type { ShortLinkClient } from '../client/client.ts'
import { ConfigurationError, describe, isShortLinkError } from '../client/errors.ts'
import { API, type Api, isClient } from '../client/http/api.ts'
import { isResponse } from '../client/runtime/fetch.ts'
import { hasDigest } from '../client/runtime/framework.ts'
import { notify } from '../client/runtime/notify.ts'
import { shorten, toPrintable } from '../client/runtime/text.ts'
import { type AllowedCall, isAllowed, parseRule } from './allow.ts'
import { ProxyRefusal } from './error-response.ts'
import { forward, type Route } from './forward.ts'
import { forbiddenOrigin, isPreflight, originHeaders, originsCheck, preflightResponse } from './origins.ts'

/** The client that a proxy calls with, or a function that returns it for a request: a key for each tenant. */
export type ProxyClient = ShortLinkClient | ((request: Request) => ShortLinkClient | Promise<ShortLinkClient>)

/** Options for `createProxy`. */
export interface ProxyOptions {
  /**
   * The allowed calls, each as a method and a path below `prefix`: `'GET /campaigns'`, `'GET /qr/:id'`,
   * `'POST /files/upload/:filename'`, `'POST /opener/v3/api'`. Everything else is refused with 403. A parameter is one
   * segment; there is no wildcard. A slip for a known call (`GET /campaings`) is refused.
   */
  allow: readonly AllowedCall[]
  /**
   * The check of who may make these calls: a function that is called before each, with the entry of `allow` that the
   * call matched. `true` allows it, a `Response` is returned as it is, anything else refuses the call with 403. It must
   * leave the body of the request unread. `'everyone'`: whoever can reach the proxy may call, which suits calls that
   * only read.
   */
  authorize: 'everyone' | ((request: Request, call: AllowedCall) => boolean | Response | Promise<boolean | Response>)
  /** The path where the proxy is mounted, such as `/api/shortlink`. Default: the root. */
  prefix?: string | undefined
  /**
   * Other origins whose pages may call the proxy, with their cookies, such as `['https://app.example']`. Default: none,
   * only pages of the proxy's own origin may.
   */
  origins?: readonly string[] | undefined
  /**
   * Called with server-side errors, which are not shown to the page. It sees no key. Default: `console.error` prints a
   * line for each.
   */
  onError?: ((error: unknown, request: Request) => void) | undefined
}

/**
 * Creates a proxy handler between a browser and the platform that adds the key, so that the key stays on the server.
 * It is a plain function from `Request` to `Response`: the `fetch` of a Worker, a Next.js route, a Hono handler.
 *
 * Key, addresses, timeout, `fetch` and rate limit are those of the client; nothing is retried, because the client in
 * the page does that. In the page, give the client the address of the proxy and no key:
 * `new ShortLinkClient({ baseUrl: '/api/shortlink', apiKey: null })`.
 *
 * Its own refusals look like the platform's, `{ error: 1, message: 'this proxy: …' }`:
 * - 400 for a GET that announces a body
 * - 403 for a call or a page that is not allowed, 404 for a path outside of `prefix`
 * - 408 if the body of the request stalls until the client's `timeout`
 * - 429 with `Retry-After` if the call would wait more than two seconds for the rate limit
 * - 502 if the platform cannot be reached, redirects, or sends more than 16 MiB or an invalid status
 * - 504 if it takes longer than the client's `timeout`
 * - 500 for an error on your side, such as a missing key
 *
 * Errors on the server's side are printed with `console.error`, unless `onError` is given.
 *
 * @example
 * // Addresses and key come from the environment.
 * const client = new ShortLinkClient()
 * const proxy = createProxy(client, {
 *   prefix: '/api/shortlink',
 *   allow: ['GET /campaigns', 'POST /files/upload/:filename'],
 *   authorize: async (request) => (await session(request)) !== null,
 * })
 *
 * @throws {ConfigurationError} if an option is invalid, or `authorize` is missing. An address or a key that is missing
 *   fails in the first request
 */
export function createProxy(client: ProxyClient, options: ProxyOptions): (request: Request) => Promise<Response> {
  assertProxyOptions(client, options)
  const { authorize, origins = [], onError = printError } = options
  const prefix = options.prefix?.replace(/\/+$/, '') ?? ''
  const rules = options.allow.map(parseRule)

  /** Cheap checks come first, so that strangers cannot cause expensive work. */
  async function handle(request: Request): Promise<Response> {
    const route = routeOf(request, prefix)
    const forbidden = forbiddenOrigin(request, origins)
    if (forbidden) throw new ProxyRefusal(403, `pages of ${shorten(forbidden, 200)} may not call it`)
    if (isPreflight(request)) return preflightResponse(request, rules)
    const rule = rules.find((candidate) => isAllowed(candidate, request.method, route.path))
    if (!rule) throw new ProxyRefusal(403, `${request.method} ${shorten(route.path, 200)} is not allowed`)
    const verdict = authorize === 'everyone' || (await authorize(request, rule.call))
    if (isResponse(verdict)) return verdict as Response
    if (verdict !== true) throw new ProxyRefusal(403, 'you are not allowed to do this')
    return await forward(await apiFor(client, request), request, route)
  }

  return async function proxy(request) {
    const added = originHeaders(request, origins)
    try {
      return withHeaders(await handle(request), added)
    } catch (error) {
      // Next.js throws one out of `cookies()` and `fetch`, and must get it.
      if (hasDigest(error)) throw error
      const refusal = error instanceof ProxyRefusal ? error : new ProxyRefusal(500, undefined, error)
      if (refusal.cause !== undefined) notify((cause: unknown) => onError(cause, request), refusal.cause)
      return withHeaders(refusal.toResponse('this proxy: '), added)
    }
  }
}

/** @throws {ProxyRefusal} if the URL is outside the prefix */
function routeOf({ url }: Request, prefix: string): Route {
  const { pathname, search } = new URL(url)
  if (!pathname.startsWith(`${prefix}/`)) throw new ProxyRefusal(404, `there is nothing at ${shorten(pathname, 200)}`)
  return { path: pathname.slice(prefix.length), search }
}

/** Prints an error in one line. Those of the package name their call. */
function printError(error: unknown, { method, url }: Request): void {
  const isOfCall = isShortLinkError(error) && error.method !== undefined
  const call = isOfCall ? '' : `${method} ${shorten(new URL(url).pathname, 200)}: `
  console.error(`shortlink-sdk/proxy: ${call}${shorten(toPrintable(reasonOf(error)), 600)}`)
}

/** Copies a response and adds headers, because the headers of a given response may be immutable. */
function withHeaders(response: Response, added: Record<string, string>): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(added)) headers.append(name, value)
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}

const UNAUTHORIZED =
  "say who may make these calls, because everybody on the web can reach a proxy: without a check, POST /url/add is an open shortener. Give a function that returns true, false or a Response, or 'everyone' for calls that only read"

const prefixCheck: Check = {
  expected: 'a path such as /api/shortlink',
  isValid: (value) => typeof value === 'string' && /^(\/[\w.~-]+)*\/*$/.test(value),
}

const authorizeCheck: Check = {
  expected: "a function, or 'everyone'",
  isValid: (value) => value === 'everyone' || aFunction.isValid(value),
  hint: () => UNAUTHORIZED,
}

const required = {
  allow: { expected: "a list of calls, such as ['GET /campaigns']", isValid: Array.isArray },
  authorize: authorizeCheck,
}

const proxyChecks = {
  ...required,
  prefix: prefixCheck,
  origins: originsCheck,
  onError: aFunction,
} satisfies Checks<keyof ProxyOptions>

/**
 * Checks the client and the options.
 *
 * @throws {ConfigurationError} if one is invalid
 */
function assertProxyOptions(client: ProxyClient, options: ProxyOptions): void {
  if (typeof client !== 'function' && !isClient(client)) {
    throw new ConfigurationError(`client: ${mismatch('a ShortLinkClient, or a function that returns one', client)}`)
  }
  const issues = checkOptions(options, proxyChecks)
  if (issues.length) throw new ConfigurationError(describe(issues))
  const missing = [
    ...checkValue(['allow'], options.allow, required.allow),
    ...checkValue(['authorize'], options.authorize, required.authorize),
  ]
  if (missing.length) throw new ConfigurationError(describe(missing))
}

/**
 * Returns the calls of the client for a request.
 *
 * @throws {ConfigurationError} if the function returns something else
 */
async function apiFor(client: ProxyClient, request: Request): Promise<Api> {
  const found: unknown = typeof client === 'function' ? await client(request) : client
  if (isClient(found)) return found[API]
  throw new ConfigurationError(`client(): ${mismatch('a ShortLinkClient', found)}`)
}
