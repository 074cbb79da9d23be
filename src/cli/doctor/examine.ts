import { ShortLinkClient } from '../../client.ts'
import { type Issue, isShortLinkError } from '../../errors.ts'
import { type AuthScheme, authSchemes } from '../../http/api-key.ts'
import { openEnvelope, readWhole } from '../../http/envelope.ts'
import type { PageQuery } from '../../http/page.ts'
import { Transport } from '../../http/transport.ts'
import { resolveSettings, type ShortLinkClientOptions } from '../../options.ts'
import { parseRateHeaders, parseRetryAfter, rateLimitStateOf } from '../../rate-limit/headers.ts'
import { account } from '../../resources/account.ts'
import { linkDetails } from '../../resources/links/link.ts'
import { qrDetails } from '../../resources/qr.ts'
import type { Fetch } from '../../runtime/fetch.ts'
import { isRecord } from '../../schema/expected.ts'
import { integer, object } from '../../schema/fields.ts'
import { itemsOf, type List, lists, numberOf, type ReadPage, readPage } from './lists.ts'
import { type Sample, samplesOf } from './samples.ts'
import { type Exchange, Wire } from './wire.ts'

/** The most requests of one examination. */
export const MAX_REQUESTS = 22

/** An origin that stands for the pages of users. Nothing is there (RFC 2606). */
export const ORIGIN = 'https://app.example'

/** A key that no account has. */
const WRONG_KEY = 'shortlink-sdk-doctor-wrong-key'
/** An id, and an alias, that nothing has. It fits into 32 bits. */
const UNKNOWN_ID = 2_147_483_600
const UNKNOWN_ALIAS = 'shortlink-sdk-doctor-unknown-alias'

/** What to examine. */
export interface Subject {
  readonly baseUrl?: string | undefined
  readonly openerUrl?: string | undefined
  /** Needed for the management API. */
  readonly apiKey?: string | undefined
  readonly authScheme: AuthScheme
  readonly allowInsecureHttp: boolean
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
  readonly exchange: Exchange
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

/** A request that is to be sent. */
type Request = [purpose: Purpose, call: string, path: string, send: () => PromiseLike<unknown>, method?: string]

/** Why an examination ends early. */
type Stop = { readonly why: 'no platform' | 'key refused' | 'silence' | 'rate'; readonly seconds?: number }

/** Everything that was seen. */
export interface Findings {
  readonly subject: Subject
  readonly checkedAt: Date
  readonly calls: Call[]
  readonly pages: ReadPage[]
  /** What a list gave for `limit`: 100 rows, and then a single one. */
  readonly limits: { readonly asked: PageQuery; readonly reply: Reply; readonly page: ReadPage | undefined }[]
  readonly samples: Sample[]
  /** How the key was sent when it was taken. */
  scheme: AuthScheme
  stopped: Stop | undefined
  readonly leftOut: string[]
}

const pageNumbers = object({ result: integer, perpage: integer, currentpage: integer, maxpage: integer })

/** Reads from a server, and changes nothing there: it sends GET, and one OPTIONS. It never throws what a server did. */
export async function examine(subject: Subject): Promise<Findings> {
  const examination = new Examination(subject)
  if (subject.baseUrl !== undefined) await examination.ofManagement()
  if (subject.openerUrl !== undefined) await examination.ofOpener()
  return examination.findings
}

class Examination {
  readonly findings: Findings
  readonly #subject: Subject
  readonly #wire: Wire
  #drift: readonly Issue[] = []
  /** Requests that the server takes until its rate window ends, and when that is. */
  #left = Number.POSITIVE_INFINITY
  #resetAt: Date | undefined
  #unanswered = 0

  constructor(subject: Subject) {
    this.#subject = subject
    this.#wire = new Wire(subject.fetch)
    const seen = { calls: [], pages: [], limits: [], samples: [], leftOut: [] }
    this.findings = { subject, checkedAt: new Date(), scheme: subject.authScheme, stopped: undefined, ...seen }
  }

  async ofManagement(): Promise<void> {
    const first = await this.#askAccount('account', 'account.get()')
    if (!first?.reply) {
      this.#stop({ why: 'no platform' })
      return this.#lookUnderApi()
    }
    const refused = first.reply.status === 401 || first.reply.status === 403
    const known = refused ? await this.#tryKeys() : first
    if (!known) return this.#stop({ why: 'key refused' })
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

  async ofOpener(): Promise<void> {
    // The opener refuses a GET: that shows who responds, and makes no link.
    const read = readWhole(undefined)
    const transport = new Transport(resolveSettings(this.#options({})))
    await this.#send('opener', 'the opener', '/v3/api', () =>
      transport.run({ method: 'GET', path: '/v3/api', api: 'opener', read }),
    )
  }

  /** The other ways to send the key, until one is taken. If none is, no key and a wrong one, to see whether ours arrives. */
  async #tryKeys(): Promise<Call | undefined> {
    for (const scheme of authSchemes.filter((name) => name !== this.#subject.authScheme)) {
      const call = await this.#askAccount('scheme', `account.get() with ${schemes[scheme]}`, { authScheme: scheme })
      if (!call?.reply?.ok) continue
      this.findings.scheme = scheme
      return call
    }
    await this.#askAccount('no key', 'account.get() without a key', { apiKey: null })
    await this.#askAccount('wrong key', 'account.get() with a wrong key', { apiKey: WRONG_KEY })
    return undefined
  }

  /** If the address leads to a page: whether the API is below `/api` there. Sent without the key. */
  async #lookUnderApi(): Promise<void> {
    const { baseUrl = '' } = this.#subject
    const { status = 0, body } = this.findings.calls[0]!.exchange
    if (status < 200 || (status >= 300 && status < 400) || isRecord(body) || baseUrl.endsWith('/api')) return
    const client = this.#client({ apiKey: null, baseUrl: `${baseUrl}/api` })
    await this.#send('api path', 'the same below /api', '/api/account', () => client.account.get())
  }

  #askAccount(purpose: Purpose, call: string, options: ShortLinkClientOptions = {}): Promise<Call | undefined> {
    return this.#ask(purpose, call, '/account', () => this.#client(options).account.get())
  }

  /** Asks as a browser does before it sends the request of a page. */
  async #preflight(): Promise<boolean> {
    const { timeout, baseUrl } = this.#subject
    const headers = {
      origin: ORIGIN,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,content-type',
    }
    const send = () => {
      const signal = AbortSignal.timeout(timeout)
      return this.#wire.fetch(`${baseUrl}/account`, { method: 'OPTIONS', redirect: 'manual', signal, headers })
    }
    const call = await this.#ask('preflight', 'the preflight of a browser', '/account', send, 'OPTIONS')
    const { status = 0, headers: answered } = call?.exchange ?? {}
    return status >= 200 && status < 300 && answered?.has('Access-Control-Allow-Origin') === true
  }

  async #askList(list: List, headers: Record<string, string> = {}): Promise<void> {
    const call = await this.#ask('list', list.call, list.path, () => list.ask(this.#client(), {}, { headers }))
    if (!call?.reply?.ok) return
    const page = readPage(list, call.reply.body)
    this.findings.pages.push(page)
    this.#addSamples(list.path, pageNumbers, page.page, false)
    for (const row of page.rows) this.#addSamples(`${list.keys[0]}[]`, list.row, row, list.path !== '/urls')
  }

  /** Asks for a large and for a small page, of the list with the most rows. */
  async #askLimits(): Promise<void> {
    const total = ({ page }: ReadPage) => numberOf(page.result) ?? 0
    const [largest] = [...this.findings.pages].sort((one, other) => total(other) - total(one))
    if (!largest) return
    const { list } = largest
    // A page that does not exist may be refused for that alone.
    const small: PageQuery = total(largest) > 1 ? { limit: 1, page: 2 } : { limit: 1 }
    for (const asked of [{ limit: 100 }, small]) {
      const query = Object.entries(asked).map(([name, value]) => `${name}: ${value}`)
      const name = list.call.replace('()', `({ ${query.join(', ')} })`)
      const call = await this.#ask('limit', name, list.path, () => list.ask(this.#client(), asked, {}))
      const { reply } = call ?? {}
      if (reply) this.findings.limits.push({ asked, reply, page: reply.ok ? readPage(list, reply.body) : undefined })
    }
  }

  async #askSingles(): Promise<void> {
    const client = this.#client()
    // A code that nobody scanned, and a link that nobody visited, have empty maps.
    const [qrId, linkId, channelId] = [
      this.#idOf('/qr', 'scans'),
      this.#idOf('/urls', 'clicks'),
      this.#idOf('/channels'),
    ]
    if (qrId !== undefined) {
      const qr = await this.#ask('single', 'qr.get(id)', '/qr/:id', () => client.qr.get(qrId))
      const { error: _, ...details } = qr?.reply?.body ?? {}
      if (qr?.reply?.ok) this.#addSamples('', qrDetails, details)
    }
    if (linkId !== undefined) {
      const link = await this.#ask('single', 'links.get(id)', '/url/:id', () => client.links.get(linkId))
      if (link?.reply?.ok) this.#addSamples('', linkDetails, link.reply.body, false)
    }
    if (channelId !== undefined) await this.#askList(itemsOf(channelId))
    if (this.findings.calls.some(({ path, reply }) => path === '/urls' && reply?.ok)) {
      const find = () => client.request('GET', '/urls', { query: { short: UNKNOWN_ALIAS } })
      const found = await this.#ask('unknown id', 'a search for an unknown alias', '/urls?short=', find)
      if (found?.reply && !found.reply.ok) return
    }
    await this.#ask('unknown id', 'qr.get() of an unknown id', '/qr/:id', () => client.qr.get(UNKNOWN_ID))
  }

  #client(options: ShortLinkClientOptions = {}): ShortLinkClient {
    return new ShortLinkClient(this.#options(options))
  }

  #options(options: ShortLinkClientOptions): ShortLinkClientOptions {
    const { baseUrl, openerUrl, apiKey = null, timeout, allowInsecureHttp } = this.#subject
    return {
      ...{ baseUrl, openerUrl, apiKey, timeout, allowInsecureHttp },
      authScheme: this.findings.scheme,
      fetch: this.#wire.fetch,
      retry: 0,
      rateLimit: false,
      validation: 'report',
      onDrift: ({ issues }) => {
        this.#drift = issues
      },
      logLevel: 'off',
      ...options,
    }
  }

  /** Sends a request of the management API, unless its budget is used up, or the examination was stopped. */
  async #ask(...request: Request): Promise<Call | undefined> {
    const { stopped, calls, leftOut } = this.findings
    const reserved = this.#subject.openerUrl === undefined ? 0 : 1
    if (!stopped && this.#left < 1) this.#stop(rateStop(secondsUntil(this.#resetAt)))
    if (this.findings.stopped || calls.length >= this.#subject.maxRequests - reserved) {
      leftOut.push(request[1])
      return undefined
    }
    const call = await this.#send(...request)
    this.#countRate(call)
    return call
  }

  async #send(...[purpose, call, path, send, method = 'GET']: Request): Promise<Call> {
    const { calls, subject } = this.findings
    subject.onProgress(calls.length + 1, `${method} ${path}`)
    this.#drift = []
    this.#wire.last = undefined
    const sentAt = Date.now()
    const started = performance.now()
    const error: unknown = await Promise.resolve(send()).then(
      () => undefined,
      (thrown) => thrown,
    )
    const ms = Math.round(performance.now() - started)
    const exchange = this.#wire.last as Exchange | undefined
    if (!exchange) throw error
    const message = isShortLinkError(error) ? error.message : undefined
    const issues = isShortLinkError(error) && error.code === 'invalid_response' ? error.issues : this.#drift
    const done: Call = { purpose, call, method, path, exchange, sentAt, ms, reply: replyOf(exchange), message, issues }
    calls.push(done)
    return done
  }

  #countRate({ exchange, reply }: Call): void {
    const { remaining } = parseRateHeaders(exchange.headers)
    this.#left = remaining ?? this.#left - 1
    this.#resetAt = rateLimitStateOf(exchange.headers).resetAt ?? this.#resetAt
    if (reply?.status === 429) {
      this.#stop(rateStop(parseRetryAfter(exchange.headers, reply.body) ?? secondsUntil(this.#resetAt)))
    }
    this.#unanswered = exchange.status === undefined ? this.#unanswered + 1 : 0
    if (this.#unanswered > 1) this.#stop({ why: 'silence' })
  }

  #stop(stop: Stop): void {
    this.findings.stopped ??= stop
  }

  #addSamples(where: string, schema: Sample['schema'], raw: unknown, inReference = true): void {
    this.findings.samples.push(...samplesOf({ where, schema, raw, inReference }))
  }

  /** The id of a row of a list, of the one with the least of a count if one is named. */
  #idOf(path: string, count = ''): number | undefined {
    const rows = this.findings.pages.find(({ list }) => list.path === path)?.rows.filter(isRecord) ?? []
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

const rateStop = (seconds: number | undefined): Stop => ({ why: 'rate', ...(seconds !== undefined && { seconds }) })

function secondsUntil(time: Date | undefined): number | undefined {
  return time && Math.max(0, Math.ceil((time.getTime() - Date.now()) / 1000))
}
