import { abortable } from './abort.ts'
import { type Answer, networkError, send, spoil } from './answers.ts'
import type { Call } from './call.ts'
import { type ChaosOptions, createChaos, type Dice } from './chaos.ts'
import type { SandboxData, SandboxSeed } from './data.ts'
import { createFaults, doesWork, type Fault } from './faults.ts'
import { serveHonestly } from './platform.ts'
import { createRateWindow, type SandboxRateLimit } from './rate.ts'
import { redirected } from './redirect.ts'
import { note, readText, readUpload, type SandboxRequest } from './requests.ts'
import { match } from './routes.ts'
import { createStore } from './store.ts'

/** Options of {@link createSandbox}; every one has a default. */
export interface SandboxOptions {
  /** The key that the management API asks for. Default `'sandbox-key'`. */
  apiKey?: string
  /** Address of the management API. Default `https://sho.rt/api`. Short addresses stand at its origin. */
  baseUrl?: string | URL
  /** Address of the app-opener API. Default `https://opener.example`. */
  openerUrl?: string | URL
  /** The management API's limit, `false` for none. Default 30 requests in 60 000 ms. */
  rateLimit?: SandboxRateLimit | false
  /**
   * How it answers: `'reference'` (default) to the letter of the reference, `'deployed'` with all the deviations of
   * real deployments at once (numbers as strings, other names, failures with HTTP 200, …).
   */
  dialect?: 'reference' | 'deployed'
  /** Rows to start from. A list named here replaces its samples. Default: a few samples of everything. */
  data?: SandboxSeed
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  now?: () => number
  /** `false` counts the bytes of an upload and lets them go, so that a test can send gigabytes. Default `true`. */
  keepFiles?: boolean
}

/** The platform in memory. @see {@link createSandbox} */
export interface Sandbox {
  /** Takes what `fetch` takes and answers as the platform does. It needs no `this`. */
  readonly fetch: typeof globalThis.fetch
  readonly baseUrl: string
  readonly openerUrl: string
  readonly apiKey: string
  readonly dialect: 'reference' | 'deployed'
  /** What a client needs to talk to this sandbox: `new ShortLinkClient({ ...sandbox.clientOptions })`. */
  readonly clientOptions: {
    baseUrl: string
    openerUrl: string
    apiKey: string
    fetch: typeof globalThis.fetch
  }
  /** Every request that came in, oldest first. */
  readonly requests: readonly SandboxRequest[]
  /** What is stored. Read it, push to it, change it. */
  readonly data: SandboxData
  /** The rate window now; `undefined` without a limit. `resetAt` in milliseconds, `undefined` while none is open. */
  readonly rateLimit: { limit: number; remaining: number; resetAt: number | undefined } | undefined
  /** The sandbox's clock, in milliseconds since 1970. */
  now(): number
  /**
   * Makes something go wrong: `when` (method, path, after, times) and `what`. Several faults wait side by side.
   *
   * @throws RangeError where `status` is none.
   */
  fail(fault: Fault): void
  /** Makes things go wrong at random, repeatably. @throws RangeError where `rate` is not from 0 to 1. */
  chaos(options: ChaosOptions): void
  /** Moves the clock on, so that a minute's wait takes no minute. */
  advance(ms: number): void
  /** Back to the start: rows, requests, faults, chaos, rate window and clock. */
  reset(): void
}

/**
 * The platform in memory: both APIs, with state, limits and faults. It needs no network and no Node.
 *
 * @example
 * const sandbox = createSandbox()
 * const client = new ShortLinkClient({ ...sandbox.clientOptions })
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { apiKey = 'sandbox-key', dialect = 'reference', keepFiles = true, rateLimit } = options
  const baseUrl = withoutSlash(options.baseUrl ?? 'https://sho.rt/api')
  const openerUrl = withoutSlash(options.openerUrl ?? 'https://opener.example')
  const site = new URL(baseUrl).origin

  let advanced = 0
  const now = () => (options.now ?? Date.now)() + advanced

  const store = createStore(options.data ?? {}, site, now)
  const { data } = store
  const rateWindow =
    rateLimit === false ? undefined : createRateWindow(rateLimit ?? { requests: 30, interval: 60_000 }, now)
  const faults = createFaults()
  let dice: Dice | undefined
  const requests: SandboxRequest[] = []
  // Node 20 holds the controller behind a Request's signal weakly: a Request that nobody holds loses its abort.
  const unfinished = new Set<object>()

  async function fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    const signal = init?.signal ?? request.signal
    signal.throwIfAborted()
    const call = { input, request }
    unfinished.add(call)
    const end = () => unfinished.delete(call)
    try {
      const response = await abortable(receive(request, signal, end), signal)
      const next = redirected(request, response, signal)
      if (!next) return response
      end()
      return await fetch(next, { signal })
    } catch (error) {
      end()
      throw error
    }
  }

  /**
   * What the order of requests decides (the log, the limit, the faults) comes before the first `await`. `end` is called
   * when the last byte of the body has been handed over.
   */
  async function receive(request: Request, signal: AbortSignal, end: () => void): Promise<Response> {
    const url = new URL(request.url)
    const { api, path } = locate(url)
    const entry = note(request, api, path, now())
    requests.push(entry)
    const verdict = api === 'management' ? rateWindow?.take() : undefined
    const refused = verdict?.retryAfter !== undefined
    const fault = (refused ? undefined : (faults.next(request.method, path) ?? dice?.())) ?? {}

    const found = api === 'management' ? match(request.method, path) : undefined
    const isUpload = found?.route === 'POST /files/upload/:filename'
    Object.assign(entry, isUpload ? await readUpload(request, keepFiles) : await readText(request))

    const honest: Answer = { status: 200, headers: {}, body: '' }
    if (doesWork(fault)) {
      const call: Call = {
        store,
        data,
        params: found?.params ?? {},
        query: entry.query,
        body: isUpload ? undefined : entry.body,
        content: isUpload ? (entry.body as Uint8Array<ArrayBuffer>) : new Uint8Array(),
        size: entry.size,
        site,
        openerUrl,
      }
      const { answer, done } = serveHonestly(
        { api, request, url, path, found, verdict, call },
        { apiKey, dialect, now: now() },
      )
      Object.assign(honest, answer)
      entry.done = done
    }
    Object.assign(honest.headers, verdict?.headers, { Date: new Date(now()).toUTCString() })

    const response = await send(spoil(honest, fault), fault, signal, end)
    entry.status = response.status
    return response
  }

  /** Which API an address belongs to; nothing else can be reached from here. */
  function locate(url: URL): Pick<SandboxRequest, 'api' | 'path'> {
    const address = url.origin + url.pathname
    if (address.startsWith(`${baseUrl}/`)) return { api: 'management', path: address.slice(baseUrl.length) }
    if (address.startsWith(`${openerUrl}/`)) return { api: 'opener', path: address.slice(openerUrl.length) }
    const domains = [data.files, data.links, data.qrs].flatMap((rows) => rows.map(({ domain }) => domain))
    if (url.origin === site || domains.includes(url.origin)) return { api: 'visit', path: url.pathname }
    throw networkError('ENOTFOUND', `nothing is at ${url.origin}: this sandbox is ${baseUrl} and ${openerUrl}`)
  }

  return {
    fetch,
    baseUrl,
    openerUrl,
    apiKey,
    dialect,
    clientOptions: { baseUrl, openerUrl, apiKey, fetch },
    requests,
    data,
    get rateLimit() {
      return rateWindow?.state()
    },
    now,
    fail: faults.add,
    chaos(options) {
      dice = createChaos(options)
    },
    advance(ms) {
      advanced += ms
    },
    reset() {
      advanced = 0
      dice = undefined
      requests.length = 0
      unfinished.clear()
      faults.reset()
      rateWindow?.reset()
      store.reset()
    },
  }
}

function withoutSlash(address: string | URL): string {
  return new URL(address).href.replace(/\/+$/, '')
}
