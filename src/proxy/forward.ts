import { ConfigurationError } from '../errors.ts'
import { ApiKey } from '../http/api-key.ts'
import { BodyTooLargeError, MAX_BODY_BYTES } from '../http/body.ts'
import { isRedirectError } from '../http/outcome.ts'
import { headerPairs } from '../http/request-options.ts'
import { redactCause } from '../http/secrets.ts'
import { openSource, withLength } from '../http/upload.ts'
import { EXPIRED, throwIfAborted, withDeadline } from '../runtime/abort.ts'
import { isDeno, streamedRedirect } from '../runtime/environment.ts'
import { type Fetch, runtimeFetch } from '../runtime/fetch.ts'
import type { ProxyOptions } from './options.ts'
import { ProxyRefusal, toPageResponse } from './response.ts'
import type { Route, Routes } from './routes.ts'

/** The headers that are forwarded. Cookies, credentials and everything else from the browser are not. */
const requestHeaders = ['Accept', 'Accept-Language', 'Content-Type', 'Content-Length']

/** Sends requests to the platform with the key, and returns the responses without it. */
export class Forwarder {
  readonly #routes: Routes
  readonly #keyFor: (request: Request) => ApiKey
  readonly #openerHasKey: boolean
  readonly #timeout: number | false
  readonly #maxResponseSize: number
  readonly #headers: readonly (readonly [string, string])[]
  readonly #fetch: Fetch

  /** @throws {ConfigurationError} if the key is invalid */
  constructor(options: ProxyOptions, routes: Routes) {
    this.#routes = routes
    this.#keyFor = keySource(options)
    this.#openerHasKey = options.openerAuth === 'bearer'
    this.#timeout = options.timeout ?? 120_000
    this.#maxResponseSize = options.maxResponseSize ?? MAX_BODY_BYTES
    this.#headers = headerPairs(options.headers)
    this.#fetch = options.fetch ?? runtimeFetch
  }

  /** @throws {ProxyRefusal} if there is no response, or one that must not be forwarded */
  async forward(request: Request, route: Route): Promise<Response> {
    const key = this.#keyFor(request)
    const exchange = (signal: AbortSignal) => this.#exchange(request, route, key, signal)
    try {
      return await withDeadline(exchange, this.#timeout, request.signal ?? undefined)
    } catch (error) {
      throw this.#refusalFor(error, request, key)
    }
  }

  async #exchange(request: Request, route: Route, key: ApiKey, signal: AbortSignal): Promise<Response> {
    const { url, isOpener } = this.#routes.target(route)
    const headers = new Headers()
    for (const name of requestHeaders) {
      const value = request.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    for (const [name, value] of this.#headers) headers.set(name, value)
    if (!isOpener || this.#openerHasKey) headers.set('Authorization', String(await key.authorization()))
    throwIfAborted(signal)

    const length = Number(request.headers.get('Content-Length') ?? Number.NaN)
    if (request.bodyUsed || (length > 0 && !request.body)) throw bodyWasRead()
    // Deno sends the length only of the request's own stream (denoland/deno#24197).
    const source = request.body && !isDeno() ? openSource(unread(request.body, length)) : undefined
    const body = source ? withLength(source.body, Number.isSafeInteger(length) ? length : undefined) : request.body
    const init = {
      method: request.method,
      headers: Object.fromEntries(headers),
      redirect: body ? streamedRedirect() : 'manual',
      signal,
      ...(body && { body, duplex: 'half' }),
    }
    const stop = () => source?.close()
    signal.addEventListener('abort', stop)
    try {
      const fetch = this.#fetch
      return await toPageResponse(await fetch(url, init), key, this.#maxResponseSize, signal)
    } catch (error) {
      throw source?.sourceError() ?? error
    } finally {
      // Stops the upload, because Node would go on reading even after an abort.
      stop()
    }
  }

  #refusalFor(error: unknown, request: Request, key: ApiKey): unknown {
    if (error instanceof ProxyRefusal || error instanceof ConfigurationError) return error
    if (request.signal?.aborted) return new ProxyRefusal(499, 'the browser closed the connection')
    if (error === EXPIRED) {
      const cause = new Error(`no response within ${this.#timeout} ms`)
      return new ProxyRefusal(504, 'the platform did not respond in time', cause)
    }
    if (error instanceof BodyTooLargeError) {
      return new ProxyRefusal(502, 'the response of the platform is too large', error)
    }
    const message = isRedirectError(error) ? 'the platform redirects' : 'the platform did not respond'
    return new ProxyRefusal(
      502,
      message,
      redactCause((text) => key.redact(text), error),
    )
  }
}

/** Reads the bytes of a body. Fails if it was already read, which is unknown before reading. */
function unread(body: ReadableStream<Uint8Array>, length: number): AsyncIterable<Uint8Array> {
  if (body.locked) throw bodyWasRead()
  const reader = body.getReader()
  let isFirst = true
  const next = async () => {
    try {
      const { done, value } = await reader.read()
      // For a body that was read, some adapters create an empty stream, others one that fails.
      if (isFirst && done && length > 0) throw bodyWasRead()
      return done ? { done, value: undefined } : { done, value }
    } catch (error) {
      throw isFirst && error instanceof TypeError ? bodyWasRead() : error
    } finally {
      isFirst = false
    }
  }
  const cancel = async () => {
    await reader.cancel()
    return { done: true as const, value: undefined }
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: cancel }) }
}

function bodyWasRead(): ProxyRefusal {
  const message =
    'the body was already read: put the proxy before the body parser, and leave the body unread in `authorize`'
  return new ProxyRefusal(500, message, new ConfigurationError(message))
}

/** The key for a request. */
function keySource({ apiKey, authScheme }: ProxyOptions): (request: Request) => ApiKey {
  if (typeof apiKey === 'function') return (request) => new ApiKey(() => apiKey(request), authScheme)
  const key = new ApiKey(apiKey, authScheme)
  return () => key
}
