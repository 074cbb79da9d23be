import { shorten } from '../errors.ts'
import { isResponse } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import { AllowList } from './allow.ts'
import { Forwarder } from './forward.ts'
import { ownOptions, type ProxyOptions } from './options.ts'
import { CorsRules, hostMatcher, isPreflight } from './origins.ts'
import { ProxyRefusal, refusalResponse } from './response.ts'
import { Routes } from './routes.ts'

/**
 * Creates a proxy handler between a browser and the platform that adds the key, so that the key stays on the server.
 * It is a plain function from `Request` to `Response`: the `fetch` of a Worker, a Next.js route, a Hono handler.
 *
 * In the page, give the client the address of the proxy and no key:
 * `new ShortLinkClient({ baseUrl: '/api/shortlink', apiKey: null })`.
 *
 * Its own refusals look like the platform's, `{ error: 1, message: 'this proxy: …' }`: 403 for a call, page or host that is not allowed, 404
 * for a path outside of `prefix`, 414 for a path above 2,048 or a query above 8,192 characters, 502 if the platform cannot
 * be reached, redirects or sends more than `maxResponseSize`, 504 if it takes longer than `timeout`, 500 for an error on
 * your side, such as a missing key. Errors are printed with `console.error`, unless `onError` is given.
 *
 * @example
 * // Addresses and key come from the environment.
 * const proxy = createProxy({
 *   prefix: '/api/shortlink',
 *   allow: ['GET /campaigns', 'POST /files/upload/:filename'],
 *   authorize: async (request) => (await session(request)) !== null,
 * })
 *
 * @throws {ConfigurationError} if an option is invalid. What is missing fails in the first request
 */
export function createProxy(options: ProxyOptions): (request: Request) => Promise<Response> {
  const own = ownOptions(options)
  const { authorize, onError = printError } = own
  const routes = new Routes(own)
  const isKnownHost = hostMatcher(own.hosts)
  const allow = new AllowList(own.allow)
  const cors = new CorsRules(own.cors)
  const forwarder = new Forwarder(own, routes)

  /** Cheap checks come first, so that strangers cannot cause expensive work. */
  async function handle(request: Request): Promise<Response> {
    if (!isKnownHost(request)) throw new ProxyRefusal(403, 'unknown host')
    const route = routes.of(request)
    const origin = cors.forbiddenOrigin(request)
    if (origin) throw new ProxyRefusal(403, `pages of ${shorten(origin, 200)} may not call it`)
    if (isPreflight(request)) return cors.preflight(allow.methods)
    const call = allow.match(request.method, route.path)
    if (!call) throw new ProxyRefusal(403, `${request.method} ${shorten(route.path, 200)} is not allowed`)
    const verdict = authorize ? await authorize(request, call) : true
    if (isResponse(verdict)) return verdict as Response
    if (verdict !== true) throw new ProxyRefusal(403, 'you are not allowed to do this')
    return await forwarder.forward(request, route)
  }

  return async function proxy(request) {
    try {
      return withHeaders(await handle(request), cors.headers(request))
    } catch (error) {
      const cause = error instanceof ProxyRefusal ? error.cause : error
      if (cause !== undefined) notify((cause: unknown) => onError(cause, request), cause)
      return withHeaders(refusalResponse(error), cors.headers(request))
    }
  }
}

/** Prints an error and its call. */
function printError(error: unknown, { method, url }: Request): void {
  console.error(`shortlink-sdk/proxy: ${method} ${shorten(new URL(url).pathname, 200)}:`, error)
}

/** Copies a response and adds headers, because the headers of a given response may be immutable. */
function withHeaders(response: Response, added: Record<string, string>): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(added)) headers.append(name, value)
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}
