import type * as z from 'zod/mini'
import { ShortLinkClient } from '../../client.ts'
import { type InvalidResponseError, type Issue, isShortLinkError } from '../../errors.ts'
import { type AuthScheme, authSchemes } from '../../http/api-key.ts'
import { openEnvelope, readWhole } from '../../http/envelope.ts'
import type { Drift } from '../../http/observers.ts'
import type { PageQuery } from '../../http/page.ts'
import { createRedactor, type Redact } from '../../http/secrets.ts'
import { Transport } from '../../http/transport.ts'
import { resolveSettings, type ShortLinkClientOptions } from '../../options.ts'
import { parseRetryAfter, rateLimitStateOf } from '../../rate-limit/headers.ts'
import { account } from '../../resources/account.ts'
import { linkDetails } from '../../resources/links/link.ts'
import { qrDetails } from '../../resources/qr.ts'
import type { Fetch } from '../../runtime/fetch.ts'
import { isRecord } from '../../schema/expected.ts'
import { integer, object } from '../../schema/fields.ts'
import { itemsOf, type List, lists, numberOf, type ReadPage, readPage } from './lists.ts'
import { type Sample, samplesOf } from './samples.ts'
import { type Exchange, recording } from './wire.ts'

/** The most requests of one examination. */
export const MAX_REQUESTS = 22

/** An origin that stands for the pages of users. Nothing is there (RFC 2606). */
export const ORIGIN = 'https://app.example'

/** A key that no account has. */
const WRONG_KEY = 'shortlink-sdk-doctor-wrong-key'
/** An id, and an alias, that nothing has. It fits into 32 bits. */
const UNKNOWN_ID = 2_147_483_600
const UNKNOWN_ALIAS = 'shortlink-sdk-doctor-unknown-alias'

/** What to examine: the options of its client, and how far to go. */
export interface Subject extends ShortLinkClientOptions {
  readonly baseUrl?: string | undefined
  readonly openerUrl?: string | undefined
  /** Needed for the management API. */
  readonly apiKey?: string | undefined
  readonly authScheme: AuthScheme
  readonly fetch: Fetch
  /** The longest wait for one response, in milliseconds. */
  readonly timeout: number
  readonly maxRequests: number
  /** Called before each request. */
  readonly onProgress: (request: number, call: string) => void
}

/** What a request was for. */
export type Purpose =
  | 'account'
  | 'scheme'
  | 'no key'
  | 'wrong key'
  | 'api path'
  | 'preflight'
  | 'list'
  | 'limit'
  | 'single'
  | 'unknown id'
  | 'opener'

/** One request, and what came of it. */
export interface Call {
  readonly purpose: Purpose
  /** As it is written in a program, such as `campaigns.list()`. */
  readonly call: string
  readonly method: string
  /** With the names of parameters in place of ids. */
  readonly path: string
  /** `undefined` if no response came. */
  readonly status: number | undefined
  readonly headers: Headers
  readonly sentAt: number
  /** From sending to the last byte, in milliseconds. */
  readonly ms: number
  /** The JSON object of the response, and whether it says yes; `undefined` if the platform did not respond. */
  readonly reply: Reply | undefined
  /** What the client says, if it threw an error. The error itself would keep the whole body. */
  readonly message: string | undefined
  /** Where the response does not fit what the client reads. */
  readonly issues: readonly Issue[]
}

export interface Reply {
  readonly ok: boolean
  /** The HTTP status, or the number of 400 or more that the body gives instead. */
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** How a request is sent, with a client or its options. */
type Send = (client: ShortLinkClient, options: ShortLinkClientOptions & { fetch: Fetch }) => PromiseLike<unknown>

/** The client that reports what it does not understand, and does nothing by itself. */
const plain = { retry: 0, rateLimit: false, validation: 'report', logLevel: 'off' } as const

const pageNumbers = object({ result: integer, perpage: integer, currentpage: integer, maxpage: integer })

/** Reads from a server, and changes nothing there: it sends GET, and one OPTIONS. It never throws what a server did. */
export async function examine(subject: Subject): Promise<Examination> {
  const examination = new Examination(subject)
  if (subject.baseUrl !== undefined) await examination.ofManagement()
  if (subject.openerUrl !== undefined) await examination.ofOpener()
  return examination
}

/** Sends the requests, and holds everything that was seen. */
export class Examination {
  readonly subject: Subject
  /** Removes the key from a text. */
  readonly redact: Redact
  readonly checkedAt = new Date()
  readonly calls: Call[] = []
  readonly pages: ReadPage[] = []
  /** What a list gave for `limit`: 100 rows, and then a single one. */
  readonly limits: { readonly asked: PageQuery; readonly reply: Reply; readonly page: ReadPage | undefined }[] = []
  readonly samples: Sample[] = []
  readonly leftOut: string[] = []
  /** How the key was sent when it was taken. */
  scheme: AuthScheme
  /** Why it ended early: the server fell silent, or its rate limit is used up. */
  stopped: 'silence' | 'rate' | undefined
  /** When the server takes requests again, as far as is known. */
  resetAt: Date | undefined
  /** Requests that it takes until then. */
  #left = Number.POSITIVE_INFINITY

  constructor(subject: Subject) {
    this.subject = subject
    this.redact = createRedactor(subject.apiKey ?? '')
    this.scheme = subject.authScheme
  }

  /** The calls of the management API. */
  get management(): Call[] {
    return this.calls.filter(({ purpose }) => purpose !== 'opener')
  }

  /** The first call for a purpose. */
  find(purpose: Purpose): Call | undefined {
    return this.calls.find((call) => call.purpose === purpose)
  }

  async ofManagement(): Promise<void> {
    const first = await this.#askAccount('account', 'account.get()')
    if (!first?.reply) return this.#lookUnderApi(first?.status)
    const isRefused = first.reply.status === 401 || first.reply.status === 403
    const known = isRefused ? await this.#tryKeys() : first
    if (!known) return
    this.#addSamples('data', account, known.reply?.body.data)
    if (known.reply?.ok) await this.#askAccount('wrong key', 'account.get() with a wrong key', { apiKey: WRONG_KEY })
    const isOpenToBrowsers = await this.#preflight()
    for (const list of lists) {
      // The last one is asked as a page of another origin would ask.
      await this.#askList(list, isOpenToBrowsers && list === lists.at(-1) ? { origin: ORIGIN } : {})
    }
    await this.#askLimits()
    await this.#askSingles()
  }

  /** The opener refuses a GET: that shows who responds, and makes no link. */
  async ofOpener(): Promise<void> {
    const call = { method: 'GET', path: '/v3/api', api: 'opener', read: readWhole(undefined) } as const
    await this.#ask('opener', 'the opener', call.path, (_, options) =>
      new Transport(resolveSettings(options)).run(call),
    )
  }

  /** The other ways to send the key, until one is taken. If none is, no key and a wrong one, to see whether ours arrives. */
  async #tryKeys(): Promise<Call | undefined> {
    for (const authScheme of authSchemes.filter((name) => name !== this.scheme)) {
      const call = await this.#askAccount('scheme', `account.get() with ${schemes[authScheme]}`, { authScheme })
      if (!call?.reply?.ok) continue
      this.scheme = authScheme
      return call
    }
    await this.#askAccount('no key', 'account.get() without a key', { apiKey: null })
    await this.#askAccount('wrong key', 'account.get() with a wrong key', { apiKey: WRONG_KEY })
    return undefined
  }

  /** If the address leads to a page: whether the API is below `/api` there. Sent without the key. */
  async #lookUnderApi(status = 0): Promise<void> {
    const { baseUrl = '' } = this.subject
    if (status < 200 || (status >= 300 && status < 400) || baseUrl.endsWith('/api')) return
    const options = { apiKey: null, baseUrl: `${baseUrl}/api` }
    await this.#ask('api path', 'the same below /api', '/api/account', (client) => client.account.get(), options)
  }

  #askAccount(purpose: Purpose, call: string, options?: ShortLinkClientOptions): Promise<Call | undefined> {
    return this.#ask(purpose, call, '/account', (client) => client.account.get(), options)
  }

  /** Asks as a browser does before it sends the request of a page. */
  async #preflight(): Promise<boolean> {
    const headers = {
      origin: ORIGIN,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,content-type',
    }
    const { baseUrl, timeout } = this.subject
    const send: Send = (_, { fetch }) => {
      const signal = AbortSignal.timeout(timeout)
      return fetch(`${baseUrl}/account`, { method: 'OPTIONS', redirect: 'manual', signal, headers })
    }
    const call = await this.#ask('preflight', 'the preflight of a browser', '/account', send)
    if (!call?.status || call.status < 200 || call.status > 299) return false
    return call.headers.has('Access-Control-Allow-Origin')
  }

  async #askList(list: List, headers: Record<string, string> = {}): Promise<void> {
    const call = await this.#ask('list', list.call, list.path, (client) => list.ask(client, {}), { headers })
    if (!call?.reply?.ok) return
    const page = readPage(list, call.reply.body)
    this.pages.push(page)
    this.#addSamples(list.path, pageNumbers, page.page, false)
    for (const row of page.rows) this.#addSamples(`${list.keys[0]}[]`, list.row, row, list.path !== '/urls')
  }

  /** Asks for a large and for a small page, of the list with the most rows. */
  async #askLimits(): Promise<void> {
    const total = ({ page }: ReadPage) => numberOf(page.result) ?? 0
    const [largest] = [...this.pages].sort((one, other) => total(other) - total(one))
    if (!largest) return
    const { list } = largest
    // A page that does not exist may be refused for that alone.
    const small: PageQuery = total(largest) > 1 ? { limit: 1, page: 2 } : { limit: 1 }
    for (const asked of [{ limit: 100 }, small]) {
      const query = Object.entries(asked).map(([name, value]) => `${name}: ${value}`)
      const name = list.call.replace('()', `({ ${query.join(', ')} })`)
      const call = await this.#ask('limit', name, list.path, (client) => list.ask(client, asked))
      const { reply } = call ?? {}
      if (reply) this.limits.push({ asked, reply, page: reply.ok ? readPage(list, reply.body) : undefined })
    }
  }

  async #askSingles(): Promise<void> {
    // A code that nobody scanned, and a link that nobody visited, have empty maps.
    const [qrId, linkId] = [this.#idOf('/qr', 'scans'), this.#idOf('/urls', 'clicks')]
    const channelId = this.#idOf('/channels')
    if (qrId !== undefined) {
      const qr = await this.#ask('single', 'qr.get(id)', '/qr/:id', (client) => client.qr.get(qrId))
      const { error: _, ...details } = qr?.reply?.body ?? {}
      if (qr?.reply?.ok) this.#addSamples('', qrDetails, details)
    }
    if (linkId !== undefined) {
      const link = await this.#ask('single', 'links.get(id)', '/url/:id', (client) => client.links.get(linkId))
      if (link?.reply?.ok) this.#addSamples('', linkDetails, link.reply.body, false)
    }
    if (channelId !== undefined) await this.#askList(itemsOf(channelId))
    if (this.pages.some(({ list }) => list.path === '/urls')) {
      const find: Send = (client) => client.request('GET', '/urls', { query: { short: UNKNOWN_ALIAS } })
      const found = await this.#ask('unknown id', 'a search for an unknown alias', '/urls?short=', find)
      if (found?.reply && !found.reply.ok) return
    }
    await this.#ask('unknown id', 'qr.get() of an unknown id', '/qr/:id', (client) => client.qr.get(UNKNOWN_ID))
  }

  /**
   * Sends a request, unless the examination was stopped or has no requests left. The opener gets its own in any case: it
   * is another server.
   */
  async #ask(
    purpose: Purpose,
    call: string,
    path: string,
    send: Send,
    options: ShortLinkClientOptions = {},
  ): Promise<Call | undefined> {
    const { calls, leftOut } = this
    const { maxRequests, onProgress, apiKey = null, ...given } = this.subject
    if (purpose !== 'opener') {
      const reserved = given.openerUrl === undefined ? 0 : 1
      if (this.#left < 1) this.stopped ??= 'rate'
      if (this.stopped || calls.length >= maxRequests - reserved) {
        leftOut.push(call)
        return undefined
      }
    }
    const method = purpose === 'preflight' ? 'OPTIONS' : 'GET'
    onProgress(calls.length + 1, `${method} ${path}`)
    const seen: { exchange?: Exchange; drift?: Drift; error?: unknown } = {}
    const settings = {
      ...{ ...given, ...plain, apiKey, authScheme: this.scheme, ...options },
      fetch: recording(given.fetch, (exchange) => Object.assign(seen, { exchange })),
      onDrift: (drift: Drift) => Object.assign(seen, { drift }),
    }
    const [sentAt, started] = [Date.now(), performance.now()]
    try {
      await send(new ShortLinkClient(settings), settings)
    } catch (error) {
      seen.error = error
    }
    const ms = Math.round(performance.now() - started)
    const { exchange, drift, error } = seen
    if (!exchange) throw error
    const { status, headers } = exchange
    const { message, issues = drift?.issues ?? [] } = isShortLinkError(error)
      ? (error as Partial<InvalidResponseError>)
      : {}
    calls.push({ purpose, call, method, path, status, headers, sentAt, ms, reply: replyOf(exchange), message, issues })
    if (purpose !== 'opener') this.#observe(calls.at(-1)!)
    return calls.at(-1)
  }

  /** Learns from a response how many more the server takes, and whether it still responds. */
  #observe({ headers, reply }: Call): void {
    const { remaining, resetAt } = rateLimitStateOf(headers)
    const isRefused = reply?.status === 429
    const wait = isRefused ? parseRetryAfter(headers, reply.body) : undefined
    this.#left = remaining ?? this.#left - 1
    this.resetAt = wait === undefined ? (resetAt ?? this.resetAt) : new Date(Date.now() + wait * 1000)
    const last = this.calls.slice(-2)
    const isSilent = last.length > 1 && last.every(({ status }) => status === undefined)
    this.stopped = isRefused ? 'rate' : isSilent ? 'silence' : undefined
  }

  #addSamples(where: string, schema: z.ZodMiniType, raw: unknown, inReference = true): void {
    this.samples.push(...samplesOf(where, schema, raw, inReference))
  }

  /** The id of a row of a list, of the one with the least of a count if one is named. */
  #idOf(path: string, count = ''): number | undefined {
    const rows = this.pages.find(({ list }) => list.path === path)?.rows.filter(isRecord) ?? []
    const [least] = [...rows].sort((one, other) => (numberOf(one[count]) ?? 0) - (numberOf(other[count]) ?? 0))
    return numberOf(least?.id)
  }
}

/** How a key is sent. */
export const schemes: Record<AuthScheme, string> = {
  Bearer: 'Authorization: Bearer KEY',
  Token: 'Authorization: Token KEY',
  raw: 'Authorization: KEY',
}

/** What the platform says, as the client understands it. */
function replyOf({ body, status }: Exchange): Reply | undefined {
  if (status === undefined || (status >= 300 && status < 400) || !isRecord(body)) return undefined
  const envelope = openEnvelope(body, status)
  return envelope && { ok: envelope.ok, status: envelope.ok ? status : envelope.status, body }
}
