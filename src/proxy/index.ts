import { ConfigurationError } from '../errors.ts'
import { parseAddress } from '../http/address.ts'
import { ApiKey } from '../http/api-key.ts'
import { redactCause } from '../http/redact.ts'
import { rateHeaders } from '../rate-limit/headers.ts'
import { EXPIRED, withDeadline } from '../runtime/deadline.ts'
import { environment, streamedRedirect } from '../runtime/environment.ts'
import { runtimeFetch } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import { type AllowedCall, matcher } from './allow.ts'
import { type CorsOptions, corsRules, isPreflight } from './cors.ts'

export type { AllowedCall, CorsOptions }

/** Options of {@link createProxy}. */
export interface ProxyOptions {
  /** Address of the management API. Default: the environment variable `SHORTLINK_BASE_URL`. */
  baseUrl?: string | URL
  /**
   * Address of the app-opener API, which stands below the proxy as `/opener`: `POST /opener/v3/api`. Default: the
   * environment variable `SHORTLINK_OPENER_URL`.
   */
  openerUrl?: string | URL
  /**
   * The API key, or a function that is asked for it on every call and may choose by the request. Default: the
   * environment variable `SHORTLINK_API_KEY`.
   */
  apiKey?: string | ((request: Request) => string | Promise<string>)
  /**
   * The calls that pass, each as a method and a path below `prefix`: `'GET /campaigns'`, `'GET /qr/:id'`,
   * `'POST /files/upload/:filename'`, `'POST /opener/v3/api'`. Everything else is refused with 403. A parameter is one
   * segment; there is no wildcard.
   */
  allow: readonly AllowedCall[]
  /**
   * Asked before every call, with the entry of `allow` that it matched. `false` refuses with 403, a `Response` is
   * answered as it is. It must leave the request's body unread. Without it, everyone who reaches the proxy may make
   * the allowed calls.
   */
  authorize?: (request: Request, call: AllowedCall) => boolean | Response | Promise<boolean | Response>
  /** Where the proxy is mounted, such as `/api/shortlink`. Default: the root. */
  prefix?: string
  /** Pages of other origins that may call the proxy. Default: none; they are refused with 403. */
  cors?: CorsOptions
  /** Whether the app-opener API gets the key too; the reference does not say. Default: `'none'`. */
  openerAuth?: 'none' | 'bearer'
  /** Milliseconds for one call, upload and answer included; `false`: none. Default: `120_000`. */
  timeout?: number | false
  /** Headers added to every request to the platform. Default: none. */
  headers?: Record<string, string>
  /** Told what went wrong on this side, for a log: the browser is not told. Default: nobody. */
  onError?: (error: unknown, request: Request) => void
  /** Any fetch. Default: the global one. */
  fetch?: typeof globalThis.fetch
  /** Lets the addresses be `http:` beyond this machine, where the key travels in the clear. Default: `false`. */
  allowInsecureHttp?: boolean
}

/** What crosses towards the platform. Cookies, credentials and whatever else the browser sent stay here. */
const requestHeaders = ['Accept', 'Accept-Language', 'Content-Type', 'Content-Length']

/** What crosses towards the browser, besides the body. */
const answerHeaders = Object.values(rateHeaders)

/**
 * A handler that stands between a browser and the platform and adds the key, so that the key stays on the server. It
 * is a plain function from `Request` to `Response`: a Worker's `fetch`, a Next.js route, a Hono handler. Addresses and key
 * come from the environment here:
 *
 * ```ts
 * const proxy = createProxy({
 *   prefix: '/api/shortlink',
 *   allow: ['GET /campaigns', 'POST /files/upload/:filename'],
 *   authorize: async (request) => (await session(request)) !== null,
 * })
 * ```
 *
 * In the page, the client is given the proxy's address and no key:
 * `new ShortLinkClient({ baseUrl: new URL('/api/shortlink', location.href), apiKey: null })`.
 *
 * Its own refusals look like the platform's, `{ error: 1, message }`: 403 for what is not allowed, 404 for a path
 * outside of `prefix`, 502 where the platform cannot be reached or redirects, 504 where it takes too long.
 *
 * @throws {ConfigurationError} where an option does not fit
 */
export function createProxy(options: ProxyOptions): (request: Request) => Promise<Response> {
  const { allow, authorize, onError } = options
  const prefix = readPrefix(options.prefix)
  const match = matcher(allow)
  const cors = corsRules(options.cors)
  const forward = forwarder(options)

  async function handle(request: Request): Promise<Response> {
    const path = pathBelow(prefix, request)
    const stranger = cors.stranger(request)
    if (stranger) throw new Refusal(403, `Pages of ${stranger} may not call this proxy.`)
    if (isPreflight(request)) return new Response(null, { status: 204, headers: cors.preflight(methodsOf(allow)) })
    const call = match(request.method, path)
    if (!call) throw new Refusal(403, `This proxy does not allow ${request.method} ${path}.`)
    const verdict = authorize ? await authorize(request, call) : true
    if (verdict && typeof verdict === 'object') return verdict
    if (verdict !== true) throw new Refusal(403, 'You are not allowed to do this.')
    return await forward(request, path)
  }

  return async function proxy(request) {
    const answer = await handle(request).catch((error) => refusal(error, (cause) => onError?.(cause, request)))
    return withHeaders(answer, cors.headers(request))
  }
}

/** Why a request goes no further, as the browser is told. The cause is for this side alone. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/** Sends a request on to the platform, with the key, and brings its answer back without it. */
function forwarder(options: ProxyOptions): (request: Request, path: string) => Promise<Response> {
  const { openerAuth = 'none', timeout = 120_000, headers: added = {} } = options
  const keyFor = keys(options.apiKey ?? needed('apiKey', 'SHORTLINK_API_KEY'))
  if (timeout !== false && !(timeout > 0 && timeout < 2 ** 31)) {
    throw new ConfigurationError(`timeout: expected a number of milliseconds above 0 or false, received ${timeout}`)
  }
  const target = addresses(options)
  const fetch = options.fetch ?? runtimeFetch

  return async (request, path) => {
    if (request.bodyUsed) throw new ConfigurationError('authorize: it read the body of the request, which is then lost')
    const { url, isOpener } = target(path)
    const key = keyFor(request)
    const headers = new Headers()
    copy(request.headers, headers, requestHeaders)
    copy(new Headers(added), headers, Object.keys(added))
    if (!isOpener || openerAuth === 'bearer') headers.set('Authorization', `Bearer ${await key.get()}`)

    const init: RequestInit & { duplex: 'half' } = {
      method: request.method,
      headers,
      body: request.body,
      duplex: 'half',
      redirect: request.body ? streamedRedirect() : 'manual',
    }
    const send = async (signal: AbortSignal) =>
      passOn((await fetch(url + new URL(request.url).search, { ...init, signal })) as Response, key)
    try {
      return await withDeadline(send, timeout, request.signal ?? undefined)
    } catch (error) {
      if (error instanceof Refusal) throw error
      if (request.signal?.aborted) throw new Refusal(499, 'The browser left.')
      if (error === EXPIRED)
        throw new Refusal(504, 'The platform did not answer in time.', new Error(`no answer within ${timeout} ms`))
      throw new Refusal(
        502,
        'The platform gave no answer.',
        redactCause((text) => key.redact(text), error, undefined),
      )
    }
  }
}

/** The platform's answer as the browser gets it. Whatever is not JSON goes as plain text, never as a page of this site. */
async function passOn(answer: Response, key: ApiKey): Promise<Response> {
  const { status, type } = answer
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await answer.body?.cancel()
    const cause = new Error(`status ${status}, to ${key.redact(answer.headers.get('Location') ?? 'nowhere')}`)
    throw new Refusal(502, 'The platform answered with a redirect.', cause)
  }
  const body = key.redact(await answer.text())
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(answer.headers.get('Content-Type') ?? '')
  const headers = new Headers({
    'Content-Type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  copy(answer.headers, headers, answerHeaders)
  return new Response(status === 204 || status === 205 ? null : body, { status, headers })
}

/** An error as an answer. Everything but a refusal is a fault of this side, which is not described. */
function refusal(error: unknown, report: (cause: unknown) => unknown): Response {
  const { status, message, cause } =
    error instanceof Refusal ? error : { status: 500, message: 'The proxy failed.', cause: error }
  if (cause !== undefined) notify(report, cause)
  return Response.json({ error: 1, message }, { status, headers: { 'Cache-Control': 'no-store' } })
}

/** A response with more headers; one from elsewhere may have headers that cannot be changed. */
function withHeaders(answer: Response, added: Record<string, string>): Response {
  const headers = new Headers(answer.headers)
  for (const [name, value] of Object.entries(added)) headers.append(name, value)
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers })
}

function copy(from: Headers, to: Headers, names: readonly string[]): void {
  for (const name of names) {
    const value = from.get(name)
    if (value !== null) to.set(name, value)
  }
}

function methodsOf(allow: readonly AllowedCall[]): string[] {
  return [...new Set(allow.map((call) => call.slice(0, call.indexOf(' '))))]
}

function pathBelow(prefix: string, request: Request): string {
  const { pathname } = new URL(request.url)
  if (!pathname.startsWith(`${prefix}/`)) throw new Refusal(404, `There is nothing at ${pathname}.`)
  return pathname.slice(prefix.length)
}

/** What the environment says in place of an option that nobody gave. */
function needed(option: string, variable: string): string {
  const value = environment(variable)
  if (value === undefined)
    throw new ConfigurationError(`${option} is missing: set the option or the variable ${variable}`)
  return value
}

/** The key for a request. */
function keys(source: unknown): (request: Request) => ApiKey {
  if (typeof source === 'function') return (request) => new ApiKey(() => source(request))
  const key = new ApiKey(typeof source === 'string' ? source : '')
  return () => key
}

/** Where a path leads: to the app-opener API below `/opener`, to the management API otherwise. */
function addresses(options: ProxyOptions): (path: string) => { url: string; isOpener: boolean } {
  const mount = '/opener'
  const { allow, allowInsecureHttp = false } = options
  const baseUrl = options.baseUrl ?? needed('baseUrl', 'SHORTLINK_BASE_URL')
  const openerUrl = options.openerUrl ?? environment('SHORTLINK_OPENER_URL')
  const base = parseAddress('baseUrl', baseUrl, allowInsecureHttp)
  const opener = openerUrl && parseAddress('openerUrl', openerUrl, allowInsecureHttp)
  if (!opener && allow.some((call) => call.includes(` ${mount}/`))) {
    throw new ConfigurationError(`openerUrl: is missing, and allow lists a call below ${mount}`)
  }
  return (path) =>
    opener && path.startsWith(`${mount}/`)
      ? { url: opener + path.slice(mount.length), isOpener: true }
      : { url: base + path, isOpener: false }
}

function readPrefix(prefix = ''): string {
  const trimmed = typeof prefix === 'string' ? prefix.replace(/\/+$/, '') : undefined
  if (trimmed !== undefined && /^(\/[\w.~-]+)*$/.test(trimmed)) return trimmed
  throw new ConfigurationError(`prefix: expected a path such as /api/shortlink, received ${JSON.stringify(prefix)}`)
}
