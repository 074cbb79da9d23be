import { ConfigurationError } from '../errors.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import {
  aFunction,
  boolean,
  type Checks,
  checkedElsewhere,
  milliseconds,
  positiveInteger,
  string,
} from '../schema/checks.ts'
import { Chaos, type ChaosOptions } from './chaos.ts'
import { checkSeed, type SandboxData, type SandboxSeed, Store } from './data.ts'
import type { AuthScheme } from './deviations.ts'
import { Dialect, type SandboxDialect } from './dialect.ts'
import { applyFault, doesWork, type Fault, type FaultEffect, FaultQueue, send } from './faults.ts'
import { Request, URL } from './host.ts'
import { SandboxLimiter } from './limiter.ts'
import { throwIfInvalid } from './options.ts'
import type { EndpointCall } from './platform/endpoint.ts'
import { RateWindow, type SandboxRateLimit } from './platform/rate-window.ts'
import { findRoute } from './platform/routes.ts'
import { jsonOrText, readBody, requestEntry, type SandboxRequest } from './request-log.ts'
import { respond } from './respond.ts'
import { abortable, networkError, redirected, type WireResponse } from './wire.ts'

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
   * common, and a list of names has those: see `deviations`. If some of them exclude each other, each endpoint has one
   * of them; of several on `limit`, the first in `deviations` wins.
   */
  dialect?: SandboxDialect | undefined
  /** Initial rows, such as `sampleData()`. Default: none, but an account. */
  data?: SandboxSeed | undefined
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  now?: (() => number) | undefined
  /** `false` counts the bytes of an upload and drops them, so that a test can send gigabytes. Default `true`. */
  keepFiles?: boolean | undefined
}

/** The platform in memory, made by {@link createSandbox}. */
export interface Sandbox {
  /** Takes what `fetch` takes, and answers as the platform does. It can be detached from the sandbox. */
  readonly fetch: typeof globalThis.fetch
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
  readonly requests: readonly SandboxRequest[]
  /** What is stored. Tests may read and change it. */
  readonly data: SandboxData
  /** The rate window now; `undefined` if there is no limit. `resetAt` in milliseconds, `undefined` while none is open. */
  readonly rateLimit: { limit: number; remaining: number; resetAt: number | undefined } | undefined
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
   * The faults that wait for requests: those that `fail` was given and that have not yet failed as many requests as they
   * are for. At the end of a test, each that is left here tested nothing.
   *
   * @example expect(sandbox.pendingFaults).toEqual([])
   */
  readonly pendingFaults: readonly Fault[]
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
  return new MemorySandbox(options)
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
    fits: (value) => typeof value === 'string' || Array.isArray(value),
  },
  data: checkedElsewhere,
  now: aFunction,
  keepFiles: boolean,
}

/** How much of a body is kept if anybody may send it: any page in a browser may, over HTTP. */
const MAX_BYTES_WITHOUT_KEY = 1 << 20

class MemorySandbox implements Sandbox {
  readonly baseUrl: string
  readonly openerUrl: string
  readonly apiKey: string
  readonly dialect: SandboxDialect
  readonly authScheme: AuthScheme
  readonly clientOptions: Sandbox['clientOptions']
  readonly requests: SandboxRequest[] = []
  readonly data: SandboxData
  readonly fetch: typeof globalThis.fetch = (input, init) => this.#fetch(input, init)
  readonly #dialect: Dialect
  readonly #site: string
  readonly #keepFiles: boolean
  readonly #clock: () => number
  readonly #store: Store
  readonly #rateWindow: RateWindow | undefined
  readonly #faults = new FaultQueue()
  #chaos: Chaos | undefined
  readonly #limiter: SandboxLimiter | undefined
  #advanced = 0
  /** Node 20 holds the controller behind a Request's signal weakly: a Request that nobody holds loses its abort. */
  readonly #unfinished = new Set<object>()

  constructor(options: SandboxOptions) {
    throwIfInvalid(options, checks)
    const { data = {} } = options
    checkSeed(data)
    this.baseUrl = withoutSlash(options.baseUrl ?? 'https://sho.rt/api')
    this.openerUrl = withoutSlash(options.openerUrl ?? 'https://opener.example')
    this.apiKey = options.apiKey ?? 'sandbox-key'
    this.dialect = options.dialect ?? 'reference'
    this.#dialect = new Dialect(this.dialect)
    this.authScheme = this.#dialect.authScheme
    this.#site = new URL(this.baseUrl).origin
    this.#keepFiles = options.keepFiles ?? true
    this.#clock = options.now ?? Date.now
    const now = () => this.now()
    this.#store = new Store(data, this.#site, now)
    this.data = this.#store.data
    const { rateLimit = false } = options
    this.#rateWindow = rateLimit ? new RateWindow(rateLimit, now) : undefined
    this.#limiter = this.#rateWindow && new SandboxLimiter(this.#rateWindow, now)
    const { baseUrl, openerUrl, apiKey, authScheme, fetch } = this
    const headers = this.#dialect.clientHeaders
    this.clientOptions = {
      baseUrl,
      openerUrl,
      apiKey,
      authScheme,
      rateLimit: this.#limiter ?? false,
      fetch,
      ...(Object.keys(headers).length > 0 && { headers }),
    }
  }

  get rateLimit(): Sandbox['rateLimit'] {
    return this.#rateWindow?.state
  }

  now(): number {
    return this.#clock() + this.#advanced
  }

  fail(fault: Fault): void {
    this.#faults.add(fault, this.baseUrl)
  }

  get pendingFaults(): Fault[] {
    return this.#faults.pending
  }

  chaos(options: ChaosOptions): void {
    this.#chaos = new Chaos(options)
  }

  advance(ms: number): void {
    if (!Number.isFinite(ms)) throw new ConfigurationError('advance: expected a number of milliseconds')
    this.#advanced += ms
    this.#limiter?.serve()
  }

  reset(): void {
    this.#advanced = 0
    this.#chaos = undefined
    this.requests.length = 0
    this.#unfinished.clear()
    this.#faults.reset()
    this.#rateWindow?.reset()
    this.#store.reset()
    this.#limiter?.reset()
  }

  async #fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    // Without the signal: that of jsdom is none to the Request of Node.
    const { signal: given, ...rest } = init ?? {}
    const request = new Request(input, rest)
    const signal = given ?? request.signal
    if (signal.aborted) throw signal.reason
    const call = { input, request }
    this.#unfinished.add(call)
    const onEnd = () => this.#unfinished.delete(call)
    try {
      const response = await abortable(this.#receive(request, signal, onEnd), signal)
      const next = redirected(request, response)
      if (!next) return response
      onEnd()
      return await this.#fetch(next, { signal })
    } catch (error) {
      onEnd()
      throw error
    }
  }

  /** Everything that depends on the order of requests (log, limit, faults) happens before the first `await`. */
  async #receive(request: Request, signal: AbortSignal, onEnd: () => void): Promise<Response> {
    const url = new URL(request.url)
    const { api, path } = this.#locate(url)
    const entry = requestEntry(request, api, path, this.now())
    this.requests.push(entry)
    const wall = api === 'management' ? this.#dialect.wall(request) : undefined
    const { answer, fault } = wall ? { answer: wall, fault: {} } : await this.#answer(request, url, entry)
    const response = await send(answer, fault, signal, onEnd)
    entry.status = response.status
    return response
  }

  async #answer(
    request: Request,
    url: URL,
    entry: SandboxRequest,
  ): Promise<{ answer: WireResponse; fault: FaultEffect }> {
    const { api, path } = entry
    const decision = api === 'management' ? this.#rateWindow?.take() : undefined
    const overLimit = decision?.retryAfter !== undefined
    const fault = (overLimit ? undefined : (this.#faults.take(request.method, path) ?? this.#chaos?.take())) ?? {}

    const found = api === 'management' ? findRoute(request.method, path) : undefined
    const isUpload = found?.route === 'POST /files/upload/:filename'
    const isAdmitted = api === 'management' && !overLimit && this.#dialect.hasKey(request, this.apiKey)
    const most = isUpload && !this.#keepFiles ? 0 : isAdmitted ? Number.POSITIVE_INFINITY : MAX_BYTES_WITHOUT_KEY
    const { bytes, size } = await readBody(request, most)
    Object.assign(entry, { body: isUpload ? bytes : jsonOrText(bytes), size })

    const honest: WireResponse = { status: 200, headers: {}, body: '' }
    if (doesWork(fault)) {
      const call: EndpointCall = {
        store: this.#store,
        data: this.data,
        params: found?.params ?? {},
        query: entry.query,
        body: isUpload ? undefined : entry.body,
        content: isUpload ? bytes : new Uint8Array(),
        size,
        site: this.#site,
        openerUrl: this.openerUrl,
        isSameAlias: (one, other) => this.#dialect.isSameAlias(one, other),
      }
      const { response, done } = respond(
        { api, request, url, path, found, decision, call },
        { apiKey: this.apiKey, dialect: this.#dialect, now: this.now() },
      )
      Object.assign(honest, response)
      entry.done = done
    }
    const rateHeaders = this.#dialect.rateHeaders(decision?.headers ?? {})
    Object.assign(honest.headers, rateHeaders, { Date: new Date(this.now()).toUTCString() })

    return { answer: applyFault(honest, fault), fault }
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
    const domains = [data.files, data.links, data.qrs].flatMap((rows) => rows.map(({ domain }) => domain))
    if (url.origin === this.#site || domains.includes(url.origin)) return { api: 'visit', path: url.pathname }
    throw networkError('ENOTFOUND', `nothing is at ${url.origin}: this sandbox is ${baseUrl} and ${openerUrl}`)
  }
}

function withoutSlash(address: string | URL): string {
  return new URL(address).href.replace(/\/+$/, '')
}
