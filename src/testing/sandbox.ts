import { aFunction, type Checks, checkedElsewhere, milliseconds, positiveInteger, string } from '../checks/checks.ts'
import { ConfigurationError } from '../errors.ts'
import { Limiter, type RateLimiter, systemClock } from '../rate-limit/limiter.ts'
import { Chaos, type ChaosOptions } from './chaos.ts'
import { checkSeed, type SandboxData, type SandboxSeed, Store } from './data.ts'
import type { AuthScheme } from './deviations.ts'
import { Dialect, type SandboxDialect } from './dialect.ts'
import { applyFault, doesWork, type Fault, type FaultEffect, FaultQueue, send } from './faults.ts'
import { Request, URL } from './host.ts'
import { ClientWindow } from './limiter.ts'
import { throwIfInvalid } from './options.ts'
import { RateWindow, type SandboxRateLimit } from './platform/rate-window.ts'
import { routesAt } from './platform/routes.ts'
import { jsonOrText, requestEntry, type SandboxRequest } from './request-log.ts'
import { respond } from './respond.ts'
import { abortable, networkError, type WireResponse } from './wire.ts'

/** Options of {@link createSandbox}; every one has a default. */
export interface SandboxOptions {
  /** The key that the management API asks for. Default `'sandbox-key'`. */
  apiKey?: string | undefined
  /** Address of the management API. Default `https://sho.rt/api`. Short addresses are at its origin. */
  baseUrl?: string | URL | undefined
  /** Address of the app-opener API. Default `https://opener.example`. */
  openerUrl?: string | URL | undefined
  /** The limit of the management API: 30 requests in 60 000 ms, as far as the object does not say otherwise. Default `false`: none. */
  rateLimit?: SandboxRateLimit | false | undefined
  /**
   * How it answers. `'reference'` (default) follows the reference exactly, `'deployed'` has the deviations that are
   * common, and a list of names has those: see `deviations`. If some of them exclude each other, one of them wins.
   */
  dialect?: SandboxDialect | undefined
  /** Initial rows, such as `sampleData()`. Default: none, but an account. */
  data?: SandboxSeed | undefined
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  now?: (() => number) | undefined
}

const rateLimitChecks: Checks<keyof SandboxRateLimit> = {
  requests: { ...positiveInteger, otherNames: ['limit', 'max'] },
  interval: { ...milliseconds, otherNames: ['window', 'windowMs'] },
}

const address = {
  expected: 'an absolute URL such as https://sho.rt/api',
  fits: (value: unknown) => URL.canParse(String(value)),
}

const checks: Checks<keyof SandboxOptions> = {
  apiKey: string,
  baseUrl: address,
  openerUrl: address,
  rateLimit: {
    expected: '{ requests, interval } or false',
    fits: (value) => value === false,
    hint: (value) => (typeof value === 'number' ? `did you mean { requests: ${value} }?` : undefined),
    options: rateLimitChecks,
  },
  dialect: {
    expected: "'reference', 'deployed' or a list of deviations",
    fits: (value) => value === 'reference' || value === 'deployed' || Array.isArray(value),
  },
  data: checkedElsewhere,
  now: aFunction,
}

/** The platform in memory, made by {@link createSandbox}. */
export class Sandbox {
  readonly baseUrl: string
  readonly openerUrl: string
  readonly apiKey: string
  readonly dialect: SandboxDialect
  /** How the key is wanted: `Bearer`, unless the dialect has `key-as-token` or `key-raw`. */
  readonly authScheme: AuthScheme
  /**
   * What a client needs to talk to this sandbox: `new ShortLinkClient(sandbox.clientOptions)`. With a rate limit that is a
   * limiter that sees the sandbox's own window, so that `advance` ends the waits of the client too.
   */
  readonly clientOptions: {
    baseUrl: string
    openerUrl: string
    apiKey: string
    authScheme: AuthScheme
    rateLimit: RateLimiter | false
    fetch: typeof globalThis.fetch
    /** Only with the deviation `bot-wall-beget`: the cookie that lets a program through. */
    headers?: Record<string, string>
  }
  /** Every request that came in, oldest first. */
  readonly requests: readonly SandboxRequest[] = []
  /** What is stored. Tests may read and change it. */
  readonly data: SandboxData
  readonly #dialect: Dialect
  readonly #site: string
  readonly #clock: () => number
  readonly #store: Store
  readonly #rateWindow: RateWindow | undefined
  readonly #clientWindow: ClientWindow | undefined
  readonly #faults = new FaultQueue()
  #chaos: Chaos | undefined
  #advanced = 0

  /** @internal */
  constructor(options: SandboxOptions) {
    throwIfInvalid(options, checks)
    const { apiKey = 'sandbox-key', baseUrl = 'https://sho.rt/api', openerUrl = 'https://opener.example' } = options
    const { dialect = 'reference', rateLimit = false, data = {}, now = Date.now } = options
    checkSeed(data)
    this.apiKey = apiKey
    this.baseUrl = withoutSlash(baseUrl)
    this.openerUrl = withoutSlash(openerUrl)
    this.dialect = dialect
    this.#dialect = new Dialect(dialect)
    this.authScheme = this.#dialect.authScheme
    this.#site = new URL(this.baseUrl).origin
    this.#clock = now
    const clock = { ...systemClock, now: () => this.now() }
    this.#store = new Store(data, this.#site, clock.now)
    this.data = this.#store.data
    this.#rateWindow = rateLimit ? new RateWindow(rateLimit, clock.now) : undefined
    this.#clientWindow = this.#rateWindow && new ClientWindow(this.#rateWindow)
    const headers = this.#dialect.clientHeaders
    this.clientOptions = {
      ...{ baseUrl: this.baseUrl, openerUrl: this.openerUrl, apiKey, authScheme: this.authScheme },
      rateLimit: this.#clientWindow ? new Limiter(this.#clientWindow, clock) : false,
      fetch: this.fetch,
      ...(Object.keys(headers).length > 0 && { headers }),
    }
  }

  /**
   * Takes what `fetch` takes, and answers as the platform does. It can be detached from the sandbox. It follows no redirect:
   * the response to a short address says where it leads.
   */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    // Without the signal: that of jsdom is none to the Request of Node.
    const { signal: given, ...rest } = init ?? {}
    const request = new Request(input, rest)
    const signal = given ?? request.signal
    if (signal.aborted) throw signal.reason
    const { entry, answer, fault } = await abortable(this.#receive(request), signal)
    const response = await send(answer, fault, signal)
    entry.status = response.status
    return response
  }

  /** The rate window now; `undefined` if there is no limit. `resetAt` in milliseconds, `undefined` while none is open. */
  get rateLimit(): { limit: number; remaining: number; resetAt: number | undefined } | undefined {
    return this.#rateWindow?.state
  }

  /** The sandbox's clock, in milliseconds since 1970. */
  now(): number {
    return this.#clock() + this.#advanced
  }

  /**
   * Makes requests fail. `method`, `path`, `after` and `times` choose which ones; the other fields say how. Several
   * faults can wait at the same time.
   *
   * @throws {ConfigurationError} if the fault could never take effect, as with a misspelled field or path.
   * @example sandbox.fail({ path: '/campaign/:id/update', status: 503 })
   */
  fail(fault: Fault): void {
    this.#faults.add(fault)
  }

  /**
   * The faults that wait for requests: those that `fail` was given and that have not yet failed as many requests as they
   * are for. At the end of a test, each that is left here tested nothing.
   *
   * @example expect(sandbox.pendingFaults).toEqual([])
   */
  get pendingFaults(): readonly Fault[] {
    return this.#faults.pending
  }

  /**
   * Makes requests fail at random. The same seed gives the same failures.
   *
   * @throws {ConfigurationError} if `rate` is not from 0 to 1.
   * @example sandbox.chaos({ seed: 1, rate: 0.3 })
   */
  chaos(options: ChaosOptions): void {
    this.#chaos = new Chaos(options)
  }

  /** Moves the clock forward, for the client too, so that a test need not wait a minute for a minute to pass. */
  advance(ms: number): void {
    if (!Number.isFinite(ms)) throw new ConfigurationError('advance: expected a number of milliseconds')
    this.#advanced += ms
    this.#clientWindow?.wake()
  }

  /** Restores the initial state: rows, requests, faults, chaos, rate window and clock. */
  reset(): void {
    this.#advanced = 0
    this.#chaos = undefined
    this.#log.length = 0
    this.#faults.reset()
    this.#rateWindow?.reset()
    this.#store.reset()
    this.#clientWindow?.reset()
  }

  get #log(): SandboxRequest[] {
    return this.requests as SandboxRequest[]
  }

  /** Everything that depends on the order of requests (log, limit, faults) happens before the first `await`. */
  async #receive(request: Request): Promise<{ entry: SandboxRequest; answer: WireResponse; fault: FaultEffect }> {
    const { api, path } = this.#locate(new URL(request.url))
    const entry = requestEntry(request, api, path, this.now())
    this.#log.push(entry)
    const isManagement = api === 'management'
    const wall = isManagement ? this.#dialect.wall(request) : undefined
    if (wall) return { entry, answer: wall, fault: {} }

    const { retryAfter, headers = {} } = (isManagement && this.#rateWindow?.take()) || {}
    const chosen =
      retryAfter === undefined ? (this.#faults.take(request.method, path) ?? this.#chaos?.take()) : undefined
    const fault = chosen ?? {}

    const routes = isManagement ? routesAt(path) : []
    const found = routes.find(({ method }) => method === request.method)
    const hasKey = this.#dialect.hasKey(request, this.apiKey)
    const bytes = new Uint8Array(await request.arrayBuffer())
    entry.size = bytes.length
    entry.body = found?.route === 'POST /files/upload/:filename' ? bytes : jsonOrText(bytes)

    let answer: WireResponse = { status: 200, headers: {}, body: '' }
    if (doesWork(fault)) {
      const call = {
        ...{ store: this.#store, data: this.data, site: this.#site, openerUrl: this.openerUrl },
        ...{ params: found?.params ?? {}, query: entry.query, body: entry.body },
        isSameAlias: (one: string, other: string) => this.#dialect.isSameAlias(one, other),
      }
      const arrival = { api, request, path, routes, found, retryAfter, hasKey, call }
      const { response, done } = respond(arrival, this.#dialect, this.now())
      answer = response
      entry.done = done
    }
    Object.assign(answer.headers, this.#dialect.rateHeaders(headers), { Date: new Date(this.now()).toUTCString() })
    return { entry, answer: applyFault(answer, fault), fault }
  }

  /** Finds the API that an address belongs to. No other address can be reached. */
  #locate(url: URL): Pick<SandboxRequest, 'api' | 'path'> {
    const { baseUrl, openerUrl, data } = this
    const address = url.origin + url.pathname
    if (address.startsWith(`${baseUrl}/`)) return { api: 'management', path: address.slice(baseUrl.length) }
    if (address.startsWith(`${openerUrl}/`)) {
      const path = address.slice(openerUrl.length)
      return { api: data.openerLinks.some(({ alias }) => path === `/${alias}`) ? 'visit' : 'opener', path }
    }
    const isHere = [...data.files, ...data.links, ...data.qrs].some(({ domain }) => domain === url.origin)
    if (isHere || url.origin === this.#site) return { api: 'visit', path: url.pathname }
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
  return new Sandbox(options)
}
