import { ConfigurationError } from '../client/errors.ts'
import type { RateLimiter } from '../client/rate-limit/rate-limiter.ts'
import { Chaos, type ChaosOptions } from './faults/chaos.ts'
import { createNetworkError, deliver, rejectOnAbort } from './faults/connection.ts'
import { applyFault, doesWork, type Fault, type FaultEffect, FaultQueue } from './faults/faults.ts'
import { SandboxLimiter } from './limiter.ts'
import { checkSandboxOptions, type SandboxOptions } from './options.ts'
import { type SandboxData, Store } from './platform/data.ts'
import { Dialect, type SandboxDialect } from './platform/dialect.ts'
import { type Exchange, findRoute } from './platform/exchange.ts'
import { Request, URL } from './platform/globals.ts'
import { type RateDecision, RateWindow } from './platform/rate-window.ts'
import { createEntry, parseJsonOrText, type SandboxRequest } from './platform/request-log.ts'
import { findRoutes } from './platform/routes.ts'
import { listDomains } from './platform/short-addresses.ts'
import { type Platform, work } from './platform/work.ts'

/** Options for a client of a sandbox. */
export interface SandboxClientOptions {
  baseUrl: string
  openerUrl: string
  apiKey: string
  authScheme: 'Bearer' | 'Token' | 'raw'
  /** A limiter on the sandbox's clock if it has a rate limit, so that `advance` also ends waits of the client. */
  rateLimit: RateLimiter | false
  fetch: typeof globalThis.fetch
}

/** The platform in memory, created by {@link createSandbox}. */
export interface Sandbox {
  readonly baseUrl: string
  readonly openerUrl: string
  readonly apiKey: string
  readonly dialect: SandboxDialect
  /** The scheme before the key in a request: `Bearer`, unless the dialect has `key-as-token` or `key-raw`. */
  readonly authScheme: SandboxClientOptions['authScheme']
  /** Options for a client of this sandbox: `new ShortLinkClient(sandbox.clientOptions)`. */
  readonly clientOptions: SandboxClientOptions
  /** Every received request, oldest first. */
  readonly requests: readonly SandboxRequest[]
  /** The stored rows. Tests can read and change them. */
  readonly data: SandboxData
  /** The current rate window; `undefined` without a limit. `resetAt`: in milliseconds, `undefined` if none is open. */
  readonly rateLimit: { limit: number; remaining: number; resetAt: number | undefined } | undefined
  /**
   * The faults passed to `fail` that have not failed all of their requests yet. A fault that is still here at the end
   * of a test has not been tested.
   *
   * @example expect(sandbox.pendingFaults).toEqual([])
   */
  readonly pendingFaults: readonly Fault[]
  /**
   * Accepts the arguments of `fetch`, and responds like the platform. It can be detached from the sandbox. It does not
   * follow redirects: the response to a short address has its `Location`.
   */
  readonly fetch: typeof globalThis.fetch
  /** The sandbox's clock, in milliseconds since 1970. */
  now(): number
  /**
   * Makes requests fail. `method`, `path`, `after` and `times` select the requests; the other fields set how they fail.
   * Several faults can wait at the same time.
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
  /** Moves the clock forward, for the client too, so that tests do not have to wait. In milliseconds. */
  advance(ms: number): void
  /** Restores the initial state: rows, requests, faults, chaos, rate window and clock. */
  reset(): void
}

/** A sandbox. Each request passes through the log, the rate limit, the faults and the platform. */
class InMemorySandbox implements Sandbox {
  readonly baseUrl: string
  readonly openerUrl: string
  readonly apiKey: string
  readonly dialect: SandboxDialect
  readonly authScheme: SandboxClientOptions['authScheme']
  readonly clientOptions: SandboxClientOptions
  readonly requests: SandboxRequest[] = []
  readonly data: SandboxData
  readonly #platform: Platform
  readonly #clock: () => number
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
    this.baseUrl = removeSlash(baseUrl)
    this.openerUrl = removeSlash(openerUrl)
    this.dialect = dialect
    this.#clock = now
    const site = new URL(this.baseUrl).origin
    const store = new Store(data, site, () => this.now())
    this.#platform = { store, dialect: new Dialect(dialect), site, openerUrl: this.openerUrl }
    this.authScheme = this.#platform.dialect.authScheme
    this.data = store.data
    this.#rateWindow = rateLimit ? new RateWindow(rateLimit, () => this.now()) : undefined
    this.#limiter = this.#rateWindow && new SandboxLimiter(this.#rateWindow)
    this.clientOptions = {
      ...{ baseUrl: this.baseUrl, openerUrl: this.openerUrl, apiKey, authScheme: this.authScheme },
      rateLimit: this.#limiter ?? false,
      fetch: this.fetch,
    }
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    // Without the signal, because Node's Request rejects a signal of jsdom.
    const { signal: given, ...rest } = init ?? {}
    const request = new Request(input, rest)
    const signal = given ?? request.signal
    if (signal.aborted) throw signal.reason
    const { entry, reply, fault } = await rejectOnAbort(this.#receive(request), signal)
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
    this.#platform.store.reset()
    this.#limiter?.reset()
  }

  /** Processes a request. Steps that depend on the order of requests come before the first `await`. */
  async #receive(request: Request): Promise<Exchange> {
    const exchange = this.#log(request)
    exchange.limit = this.#takeSlot(exchange)
    exchange.fault = this.#findFault(exchange)
    exchange.routes = findRoutes(exchange.entry.api, exchange.entry.path)
    await receiveBody(exchange)
    if (doesWork(exchange.fault)) exchange.reply = work(exchange, this.#platform)
    this.#addHeaders(exchange)
    exchange.reply = applyFault(exchange.reply, exchange.fault)
    return exchange
  }

  #log(request: Request): Exchange {
    const { api, path } = this.#locate(new URL(request.url))
    const entry = createEntry(request, api, path, this.now())
    this.requests.push(entry)
    const hasKey = this.#platform.dialect.hasKey(request, this.apiKey)
    const reply = { status: 200, headers: {}, body: '' }
    return { request, entry, hasKey, limit: undefined, fault: {}, routes: [], reply }
  }

  /** Only the management API has a rate limit. */
  #takeSlot({ entry }: Exchange): RateDecision | undefined {
    return entry.api === 'management' ? this.#rateWindow?.take() : undefined
  }

  /** Faults do not apply to requests over the rate limit. */
  #findFault({ limit, entry }: Exchange): FaultEffect {
    if (limit?.retryAfter !== undefined) return {}
    return this.#faults.take(entry.method, entry.path) ?? this.#chaos?.take() ?? {}
  }

  #addHeaders({ reply, limit }: Exchange): void {
    const rateHeaders = this.#platform.dialect.changeRateHeaders(limit?.headers ?? {})
    Object.assign(reply.headers, rateHeaders, { Date: new Date(this.now()).toUTCString() })
  }

  /** Finds the API that an address belongs to. @throws the error of `fetch` if there is none */
  #locate(url: URL): Pick<SandboxRequest, 'api' | 'path'> {
    const { baseUrl, openerUrl, data } = this
    const address = url.origin + url.pathname
    if (address.startsWith(`${baseUrl}/`)) return { api: 'management', path: address.slice(baseUrl.length) }
    if (address.startsWith(`${openerUrl}/`)) return { api: 'opener', path: address.slice(openerUrl.length) }
    if (url.origin === this.#platform.site || listDomains(data).includes(url.origin))
      return { api: 'visit', path: url.pathname }
    throw createNetworkError(
      'ENOTFOUND',
      `nothing is at ${url.origin}: this sandbox serves ${baseUrl} and ${openerUrl}`,
    )
  }
}

/** Reads the body into the log, unless the key is missing: strangers must not fill the log. */
async function receiveBody(exchange: Exchange): Promise<void> {
  const { request, entry, hasKey } = exchange
  if (entry.api === 'management' && !hasKey) return
  const bytes = new Uint8Array(await request.arrayBuffer())
  entry.size = bytes.length
  entry.body = findRoute(exchange)?.route === 'POST /files/upload/:filename' ? bytes : parseJsonOrText(bytes)
}

function removeSlash(address: string | URL): string {
  return new URL(address).href.replace(/\/+$/, '')
}

/**
 * Creates the platform in memory: both APIs, with state, limits and faults. By default it has only an account and no
 * rate limit. It needs neither a network nor Node.
 *
 * @throws {ConfigurationError} if an option, deviation, list or field is unknown or invalid.
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
