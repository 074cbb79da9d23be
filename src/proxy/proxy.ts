import { aFunction, type Check, type Checks, checkOptions, checkValue } from '../client/checks/checks.ts'
import { describeMismatch, getReason } from '../client/checks/mismatch.ts'
import type { ShortLinkClient } from '../client/client.ts'
import { ConfigurationError, formatIssues, isShortLinkError } from '../client/errors.ts'
import { API, type Api, isClient, isForeignClient } from '../client/http/api.ts'
import { isResponse } from '../client/runtime/fetch.ts'
import { hasDigest } from '../client/runtime/framework.ts'
import { notify } from '../client/runtime/notify.ts'
import { shorten, toPrintable } from '../client/runtime/text.ts'
import { type AllowedCall, isAllowed, parseRule } from './allow.ts'
import { ProxyRefusal } from './error-response.ts'
import { forward, type Route } from './forward.ts'
import {
  createOriginHeaders,
  createPreflightResponse,
  findForbiddenOrigin,
  isPreflight,
  originsCheck,
} from './origins.ts'

/** The client that a proxy uses, or a function that returns it for a request, such as one with the key of a tenant. */
export type ProxyClient = ShortLinkClient | ((request: Request) => ShortLinkClient | Promise<ShortLinkClient>)

/** Options for `createProxy`. */
export interface ProxyOptions {
  /**
   * The allowed calls, each as a method and a path below `prefix`: `'GET /campaigns'`, `'GET /qr/:id'`, `'POST
   * /files/upload/:filename'`, `'POST /opener/v3/api'`. Everything else is refused with 403. A parameter is one
   * segment; there are no wildcards. A misspelled known call (`GET /campaings`) throws a `ConfigurationError`.
   */
  allow: readonly AllowedCall[]
  /**
   * Decides who may make these calls: a function that runs before each call, with the matching entry of `allow`. `true`
   * allows the call, a `Response` is sent unchanged, and anything else refuses the call with 403. The function must not
   * read the body of the request. `'everyone'`: anyone who can reach the proxy may call, which suits read-only calls.
   */
  authorize: 'everyone' | ((request: Request, call: AllowedCall) => boolean | Response | Promise<boolean | Response>)
  /** The path where the proxy is mounted, such as `/api/shortlink`. Default: the root. */
  prefix?: string | undefined
  /**
   * Other origins whose pages may call the proxy, with cookies, such as `['https://app.example']`. Default: only pages
   * of the proxy's own origin may call it.
   */
  origins?: readonly string[] | undefined
  /**
   * Called with server-side errors, which are not shown to the page. They contain no key. Default: `console.error`
   * prints one line for each.
   */
  onError?: ((error: unknown, request: Request) => void) | undefined
}

/**
 * Creates a proxy handler between a browser and the platform that adds the key, so that the key stays on the server. It
 * is a plain function from `Request` to `Response`: the `fetch` of a Worker, a Next.js route, a Hono handler.
 *
 * It uses the key, addresses, timeout, `fetch` and rate limit of the client. It does not retry, because the client in
 * the page does that. In the page, give the client the address of the proxy and no key: `new ShortLinkClient({ baseUrl:
 * '/api/shortlink', apiKey: null })`.
 *
 * Its own refusals look like the platform's, `{ error: 1, message: 'this proxy: …' }`:
 * - 400 for a GET with a body
 * - 403 for a call or a page that is not allowed, 404 for a path outside of `prefix`
 * - 408 if the body of the request has not arrived at the client's `timeout`
 * - 429 with `Retry-After` if the call would wait more than two seconds for the rate limit
 * - 502 if the platform cannot be reached, redirects, or sends more than 16 MiB or an invalid status
 * - 504 if the platform takes longer than the client's `timeout`
 * - 500 for an error on your side, such as a missing key
 *
 * Server-side errors are printed with `console.error`, unless you pass `onError`.
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
 * @throws {ConfigurationError} if an option is invalid, or `authorize` is missing. If the base URL or the key is
 *   missing, the first request fails
 */
export function createProxy(client: ProxyClient, options: ProxyOptions): (request: Request) => Promise<Response> {
  assertProxyOptions(client, options)
  const { authorize, origins = [], onError = printError } = options
  const prefix = options.prefix?.replace(/\/+$/, '') ?? ''
  const rules = options.allow.map(parseRule)

  /** Cheap checks come first, so that strangers cannot cause expensive work. */
  async function handle(request: Request): Promise<Response> {
    const route = parseRoute(request, prefix)
    const forbidden = findForbiddenOrigin(request, origins)
    if (forbidden) throw new ProxyRefusal(403, `pages of ${shorten(forbidden, 200)} may not call it`)
    if (isPreflight(request)) return createPreflightResponse(request, rules)
    const rule = rules.find((candidate) => isAllowed(candidate, request.method, route.path))
    if (!rule) throw new ProxyRefusal(403, `${request.method} ${shorten(route.path, 200)} is not allowed`)
    const verdict = authorize === 'everyone' || (await authorize(request, rule.call))
    if (isResponse(verdict)) return verdict as Response
    if (verdict !== true) throw new ProxyRefusal(403, 'you are not allowed to do this')
    return await forward(await getApi(client, request), request, route)
  }

  return async function proxy(request) {
    const added = createOriginHeaders(request, origins)
    try {
      return addHeaders(await handle(request), added)
    } catch (error) {
      // Next.js throws such errors from `cookies()` and `fetch`, and must receive them.
      if (hasDigest(error)) throw error
      const refusal = error instanceof ProxyRefusal ? error : new ProxyRefusal(500, undefined, error)
      if (refusal.cause !== undefined) notify((cause: unknown) => onError(cause, request), refusal.cause)
      return addHeaders(refusal.toResponse('this proxy: '), added)
    }
  }
}

/** @throws {ProxyRefusal} if the URL is outside the prefix */
function parseRoute({ url }: Request, prefix: string): Route {
  const { pathname, search } = new URL(url)
  if (!pathname.startsWith(`${prefix}/`)) throw new ProxyRefusal(404, `there is nothing at ${shorten(pathname, 200)}`)
  return { path: pathname.slice(prefix.length), search }
}

/** Prints an error on one line. */
function printError(error: unknown, { method, url }: Request): void {
  // An error of a call already names the call.
  const hasCall = isShortLinkError(error) && error.method !== undefined
  const call = hasCall ? '' : `${method} ${shorten(new URL(url).pathname, 200)}: `
  console.error(`shortlink-sdk/proxy: ${call}${shorten(toPrintable(getReason(error)), 600)}`)
}

/** Copies a response and adds headers. The headers of the original may be immutable. */
function addHeaders(response: Response, added: Record<string, string>): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(added)) headers.append(name, value)
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}

const UNAUTHORIZED =
  "choose who may make these calls, because anyone on the web can reach a proxy: without a check, POST /url/add is an open shortener. Pass a function that returns true, false or a Response, or 'everyone' for read-only calls"

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

/** @throws {ConfigurationError} if the client or an option is invalid */
function assertProxyOptions(client: ProxyClient, options: ProxyOptions): void {
  if (typeof client !== 'function' && !isClient(client)) {
    throw new ConfigurationError(
      `client: ${describeNoClient('a ShortLinkClient, or a function that returns one', client)}`,
    )
  }
  const issues = checkOptions(options, proxyChecks)
  if (issues.length) throw new ConfigurationError(formatIssues(issues))
  const missing = [
    ...checkValue(['allow'], options.allow, required.allow),
    ...checkValue(['authorize'], options.authorize, required.authorize),
  ]
  if (missing.length) throw new ConfigurationError(formatIssues(missing))
}

/** Describes a value that is not a client of this copy of the package. */
function describeNoClient(expected: string, value: unknown): string {
  if (!isForeignClient(value)) return describeMismatch(expected, value)
  return `expected ${expected}, received a ShortLinkClient of another copy of shortlink-sdk: install the package once, and import both from it`
}

/** Returns the API of the client for a request. @throws {ConfigurationError} if the function returns no client */
async function getApi(client: ProxyClient, request: Request): Promise<Api> {
  const found: unknown = typeof client === 'function' ? await client(request) : client
  if (isClient(found)) return found[API]
  throw new ConfigurationError(`client(): ${describeNoClient('a ShortLinkClient', found)}`)
}
