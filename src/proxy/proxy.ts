import { reasonOf } from '../checks/mismatch.ts'
import { isShortLinkError } from '../errors.ts'
import { isResponse } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import { printable, shorten } from '../runtime/text.ts'
import { isAllowed, parseRule } from './allow.ts'
import { forward, type Route } from './forward.ts'
import { assertProxyOptions, clientFor, type ProxyClient, type ProxyOptions } from './options.ts'
import { forbiddenOrigin, isPreflight, originHeaders, preflightResponse } from './origins.ts'
import { ProxyRefusal, refusalOf, refusalResponse } from './refusal.ts'

/**
 * Creates a proxy handler between a browser and the platform that adds the key, so that the key stays on the server.
 * It is a plain function from `Request` to `Response`: the `fetch` of a Worker, a Next.js route, a Hono handler.
 *
 * Key, addresses, timeout, `fetch` and rate limit are those of the client; nothing is retried, because the client in the page
 * does that. In the page, give the client the address of the proxy and no key:
 * `new ShortLinkClient({ baseUrl: '/api/shortlink', apiKey: null })`.
 *
 * Its own refusals look like the platform's, `{ error: 1, message: 'this proxy: …' }`: 403 for a call or a page that is not
 * allowed, 404 for a path outside of `prefix`, 429 with `Retry-After` if the call would wait more than two seconds for the
 * rate limit, 502 if the platform cannot be reached, redirects or sends more than 16 MiB, 504 if it takes longer than the
 * client's `timeout`, 500 for an error on your side, such as a missing key. Errors are printed with `console.error`, unless
 * `onError` is given.
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
 * @throws {ConfigurationError} if an option is invalid, or `authorize` is missing. An address or a key that is missing fails
 *   in the first request
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
    return await forward(await clientFor(client, request), request, route)
  }

  return async function proxy(request) {
    const added = originHeaders(request, origins)
    try {
      return withHeaders(await handle(request), added)
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal.cause !== undefined) notify((cause: unknown) => onError(cause, request), refusal.cause)
      return withHeaders(refusalResponse(refusal), added)
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
  console.error(`shortlink-sdk/proxy: ${call}${shorten(printable(reasonOf(error)), 600)}`)
}

/** Copies a response and adds headers, because the headers of a given response may be immutable. */
function withHeaders(response: Response, added: Record<string, string>): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(added)) headers.append(name, value)
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}
