import { ConfigurationError } from '../errors.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import { Chaos, type ChaosOptions } from './faults/chaos.ts'
import { abortable, deliver, networkError } from './faults/connection.ts'
import { applyFault, doesWork, type Fault, type FaultEffect, FaultQueue } from './faults/faults.ts'
import { SandboxLimiter } from './limiter.ts'
import { checkSandboxOptions, type SandboxOptions } from './options.ts'
import { type SandboxData, Store } from './platform/data.ts'
import { Dialect, type SandboxDialect } from './platform/dialect.ts'
import { Request, URL } from './platform/globals.ts'
import { RateWindow } from './platform/rate-window.ts'
import { jsonOrText, requestEntry, type SandboxRequest } from './platform/request-log.ts'
import { respond } from './platform/respond.ts'
import type { PlatformResponse } from './platform/response.ts'
import { routesAt } from './platform/routes.ts'
import { domainsOf } from './platform/short-addresses.ts'

/** Options for a client of a sandbox. */
export interface SandboxClientOptions {
  baseUrl: string
  openerUrl: string
  apiKey: string
  authScheme: 'Bearer' | 'Token' | 'raw'
  /** With a rate limit, a limiter on the clock of the sandbox, so that `advance` ends the waits of the client too. */
  rateLimit: RateLimiter | false
  fetch: typeof globalThis.fetch
}

/** The platform in memory, made by {@link createSandbox}. */
export interface Sandbox {
  readonly baseUrl: string
  readonly openerUrl: string
  readonly apiKey: string
  readonly dialect: SandboxDialect
  /** The form of the key in a request: `Bearer`, unless the dialect has `key-as-token` or `key-raw`. */
  readonly authScheme: SandboxClientOptions['authScheme']
  /** Options for a client of this sandbox: `new ShortLinkClient(sandbox.clientOptions)`. */
  readonly clientOptions: SandboxClientOptions
  /** Every request that came in, oldest first. */
  readonly requests: readonly SandboxRequest[]
  /** The stored rows. Tests may read and change them. */
  readonly data: SandboxData
  /** The rate window now; `undefined` if there is no limit. `resetAt` in milliseconds, `undefined` while none is open. */
  readonly rateLimit: { limit: number; remaining: number; resetAt: number | undefined } | undefined
  /**
   * The faults that wait for requests: those that `fail` was given and that have not yet failed as many requests as they
   * are for. At the end of a test, each that is left here tested nothing.
   *
   * @example expect(sandbox.pendingFaults).toEqual([])
   */
  readonly pendingFaults: readonly Fault[]
  /**
   * Takes what `fetch` takes, and responds as the platform does. It can be detached from the sandbox. It follows no redirect:
   * the response to a short address says where it leads.
   */
  readonly fetch: typeof globalThis.fetch
  /** The sandbox's clock, in milliseconds since 1970. */
  now(): number
  /**
   * Makes requests fail. `method`, `path`, `after` and `times` choose which ones; the other fields say how. Several
   * faults can wait at the same time.
   *
   * @throws {ConfigurationError} if the fault could never take effect, as with a misspelled field or path.
   * @example sandbox.fail({ path: '/campaign/:id/update', status: 503 })
   */
  fail(fault: Fault): void
  /**
   * Makes requests fail at random. The same seed gives the same failures.
   *
   * @throws {ConfigurationError} if `rate` is not from 0 to 1.
   * @example sandbox.chaos({ seed: 1, rate: 0.3 })
   */
  chaos(options: ChaosOptions): void
  /** Moves the clock forward, for the client too, so that a test need not wait a minute for a minute to pass. */
  advance(ms: number): void
  /** Restores the initial state: rows, requests, faults, chaos, rate window and clock. */
  reset(): void
}

/** Holds the state of a sandbox, and takes each request through the log, the limit, the faults and the platform. */
class InMemorySandbox implements Sandbox {
  readonly baseUrl: string
  readonly openerUrl: string
  readonly apiKey: string
  readonly dialect: SandboxDialect
  readonly authScheme: SandboxClientOptions['authScheme']
  readonly clientOptions: SandboxClientOptions
  readonly requests: SandboxRequest[] = []
  readonly data: SandboxData
  readonly #dialect: Dialect
  readonly #site: string
  readonly #clock: () => number
  readonly #store: Store
  readonly #rateWindow: RateWindow | undefined
  readonly #limiter: SandboxLimiter | undefined
  readonly #faults = new FaultQueue()
  #chaos: Chaos | undefined
  #advanced = 0

  constructor(options: SandboxOptions) {
    checkSandboxOptions(options)
    const { apiKey = 'sandbox-key', baseUrl = 'https://sho.rt/api', openerUrl = 'https://opener.example' } = options
    const { dialect = 'reference', rateLimit = false, data = {}, now = Date.now } = options
    this.apiKey = apiKey
    this.baseUrl = withoutSlash(baseUrl)
    this.openerUrl = withoutSlash(openerUrl)
    this.dialect = dialect
    this.#dialect = new Dialect(dialect)
    this.authScheme = this.#dialect.authScheme
    this.#site = new URL(this.baseUrl).origin
    this.#clock = now
    this.#store = new Store(data, this.#site, () => this.now())
    this.data = this.#store.data
    this.#rateWindow = rateLimit ? new RateWindow(rateLimit, () => this.now()) : undefined
    this.#limiter = this.#rateWindow && new SandboxLimiter(this.#rateWindow)
    this.clientOptions = {
      ...{ baseUrl: this.baseUrl, openerUrl: this.openerUrl, apiKey, authScheme: this.authScheme },
      rateLimit: this.#limiter ?? false,
      fetch: this.fetch,
    }
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    // Without the signal: that of jsdom is none to the Request of Node.
    const { signal: given, ...rest } = init ?? {}
    const request = new Request(input, rest)
    const signal = given ?? request.signal
    if (signal.aborted) throw signal.reason
    const { entry, reply, fault } = await abortable(this.#receive(request), signal)
    const response = await deliver(reply, fault, signal)
    entry.status = response.status
    return response
  }

  get rateLimit() {
    return this.#rateWindow?.state
  }

  get pendingFaults() {
    return this.#faults.pending
  }

  now(): number {
    return this.#clock() + this.#advanced
  }

  fail(fault: Fault): void {
    this.#faults.add(fault)
  }

  chaos(options: ChaosOptions): void {
    this.#chaos = new Chaos(options)
  }

  advance(ms: number): void {
    if (!Number.isFinite(ms)) throw new ConfigurationError('advance: expected a number of milliseconds')
    this.#advanced += ms
    this.#limiter?.advance(ms)
  }

  reset(): void {
    this.#advanced = 0
    this.#chaos = undefined
    this.requests.length = 0
    this.#faults.reset()
    this.#rateWindow?.reset()
    this.#store.reset()
    this.#limiter?.reset()
  }

  /** Everything that depends on the order of requests (log, limit, faults) happens before the first `await`. */
  async #receive(request: Request): Promise<{ entry: SandboxRequest; reply: PlatformResponse; fault: FaultEffect }> {
    const { api, path } = this.#locate(new URL(request.url))
    const entry = requestEntry(request, api, path, this.now())
    this.requests.push(entry)
    const isManagement = api === 'management'
    const { retryAfter, headers = {} } = (isManagement && this.#rateWindow?.take()) || {}
    const chosen =
      retryAfter === undefined ? (this.#faults.take(request.method, path) ?? this.#chaos?.take()) : undefined
    const fault = chosen ?? {}

    const routes = isManagement ? routesAt(path) : []
    const found = routes.find(({ method }) => method === request.method)
    const hasKey = this.#dialect.hasKey(request, this.apiKey)
    // Nobody without the key fills the log.
    const bytes = isManagement && !hasKey ? new Uint8Array() : new Uint8Array(await request.arrayBuffer())
    entry.size = bytes.length
    entry.body = found?.route === 'POST /files/upload/:filename' ? bytes : jsonOrText(bytes)

    let reply: PlatformResponse = { status: 200, headers: {}, body: '' }
    if (doesWork(fault)) {
      const call = {
        ...{ store: this.#store, data: this.data, site: this.#site, openerUrl: this.openerUrl },
        ...{ params: found?.params ?? {}, query: entry.query, body: entry.body },
        isSameAlias: (one: string, other: string) => this.#dialect.isSameAlias(one, other),
      }
      const arrival = { api, request, path, routes, found, retryAfter, hasKey, call }
      const { response, done } = respond(arrival, this.#dialect)
      reply = response
      entry.done = done
    }
    Object.assign(reply.headers, this.#dialect.rateHeaders(headers), { Date: new Date(this.now()).toUTCString() })
    return { entry, reply: applyFault(reply, fault), fault }
  }

  /** Finds the API that an address belongs to. No other address can be reached. */
  #locate(url: URL): Pick<SandboxRequest, 'api' | 'path'> {
    const { baseUrl, openerUrl, data } = this
    const address = url.origin + url.pathname
    if (address.startsWith(`${baseUrl}/`)) return { api: 'management', path: address.slice(baseUrl.length) }
    if (address.startsWith(`${openerUrl}/`)) return { api: 'opener', path: address.slice(openerUrl.length) }
    if (url.origin === this.#site || domainsOf(data).includes(url.origin)) return { api: 'visit', path: url.pathname }
    throw networkError('ENOTFOUND', `nothing is at ${url.origin}: this sandbox is ${baseUrl} and ${openerUrl}`)
  }
}

function withoutSlash(address: string | URL): string {
  return new URL(address).href.replace(/\/+$/, '')
}

/**
 * Creates the platform in memory: both APIs, with state, limits and faults. It is empty but for an account, has no rate
 * limit, and needs no network and no Node.
 *
 * @throws {ConfigurationError} if an option, deviation, list or field does not exist or does not fit.
 * @example
 * import { ShortLinkClient } from 'shortlink-sdk'
 * import { createSandbox } from 'shortlink-sdk/testing'
 * const sandbox = createSandbox()
 * const client = new ShortLinkClient(sandbox.clientOptions)
 * await client.campaigns.create({ name: 'Opening day' })
 * console.log(sandbox.data.campaigns.length, sandbox.requests[0]?.path)
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return new InMemorySandbox(options)
}
