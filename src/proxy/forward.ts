import { ConfigurationError } from '../errors.ts'
import { ApiKey } from '../http/api-key.ts'
import { BodyTooLargeError, DEFAULT_MAX_BYTES } from '../http/body.ts'
import { isRedirectError } from '../http/fetch-failure.ts'
import { headerPairs } from '../http/request-options.ts'
import { redactCause } from '../http/secrets.ts'
import { openSource, withLength } from '../http/upload.ts'
import { EXPIRED, withDeadline } from '../runtime/deadline.ts'
import { isDeno, streamedRedirect } from '../runtime/environment.ts'
import { type Fetch, runtimeFetch } from '../runtime/fetch.ts'
import type { ProxyOptions } from './options.ts'
import { ProxyRefusal } from './refusal.ts'
import { toPageResponse } from './response.ts'
import type { Targets } from './target.ts'

/** The headers that are sent on. Cookies, credentials and whatever else the browser sent stay here. */
const requestHeaders = ['Accept', 'Accept-Language', 'Content-Type', 'Content-Length']

/** An allowed request, as it is sent to the platform. */
interface ForwardedCall {
  readonly request: Request
  /** Below the prefix. */
  readonly path: string
  readonly query: string
  readonly key: ApiKey
}

/** Sends requests to the platform with the key, and returns its responses without it. */
export class Forwarder {
  readonly #targets: Targets
  readonly #keyFor: (request: Request) => ApiKey
  readonly #openerHasKey: boolean
  readonly #timeout: number | false
  readonly #maxResponseSize: number
  readonly #headers: readonly (readonly [string, string])[]
  readonly #fetch: Fetch

  /** @throws {ConfigurationError} for a key that is missing or does not fit */
  constructor(options: ProxyOptions, targets: Targets) {
    this.#targets = targets
    this.#keyFor = keySource(options)
    this.#openerHasKey = options.openerAuth === 'bearer'
    this.#timeout = options.timeout ?? 120_000
    this.#maxResponseSize = options.maxResponseSize ?? DEFAULT_MAX_BYTES
    this.#headers = headerPairs(options.headers)
    this.#fetch = options.fetch ?? runtimeFetch
  }

  /** @throws {ProxyRefusal} if the platform gives no response that can be passed on */
  async forward(request: Request, path: string, query: string): Promise<Response> {
    if (request.bodyUsed) {
      throw new ConfigurationError('authorize: it read the body of the request, so nothing is left to send on')
    }
    const call: ForwardedCall = { request, path, query, key: this.#keyFor(request) }
    try {
      return await withDeadline((signal) => this.#exchange(call, signal), this.#timeout, request.signal ?? undefined)
    } catch (error) {
      throw this.#refusalFor(error, call)
    }
  }

  async #exchange(call: ForwardedCall, signal: AbortSignal): Promise<Response> {
    const { request, path, query, key } = call
    const { url, isOpener } = this.#targets.of(path)
    const headers = new Headers()
    for (const name of requestHeaders) {
      const value = request.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    for (const [name, value] of this.#headers) headers.set(name, value)
    if (!isOpener || this.#openerHasKey) headers.set('Authorization', String(await key.authorization()))
    signal.throwIfAborted()

    // Deno sends the length of the request's own stream, and of no other (denoland/deno#24197).
    const source = request.body && !isDeno() ? openSource(request.body) : undefined
    const length = Number(request.headers.get('Content-Length') ?? Number.NaN)
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
      return await toPageResponse(await fetch(url + query, init), key, this.#maxResponseSize, signal)
    } finally {
      // Whatever the page still uploads is of no use now, and Node would read on even after an abort.
      stop()
    }
  }

  #refusalFor(error: unknown, { request, key }: ForwardedCall): unknown {
    if (error instanceof ProxyRefusal || error instanceof ConfigurationError) return error
    if (request.signal?.aborted) return new ProxyRefusal(499, 'The browser closed the connection.')
    if (error === EXPIRED) {
      const cause = new Error(`no response within ${this.#timeout} ms`)
      return new ProxyRefusal(504, 'The platform did not answer in time.', cause)
    }
    if (error instanceof BodyTooLargeError) {
      return new ProxyRefusal(502, 'The response of the platform is too large.', error)
    }
    const cause = redactCause((text) => key.redact(text), error)
    const message = isRedirectError(error) ? 'The platform answered with a redirect.' : 'The platform gave no answer.'
    return new ProxyRefusal(502, message, cause)
  }
}

/** The key for a request. */
function keySource({ apiKey, authScheme }: ProxyOptions): (request: Request) => ApiKey {
  if (typeof apiKey === 'function') return (request) => new ApiKey(() => apiKey(request), authScheme)
  const key = new ApiKey(apiKey, authScheme)
  return () => key
}
