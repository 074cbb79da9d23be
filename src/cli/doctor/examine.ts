import { ShortLinkClient } from '../../client.ts'
import type { AnyShortLinkError, Issue } from '../../errors.ts'
import { openEnvelope } from '../../http/envelope.ts'
import type { PageQuery } from '../../http/page.ts'
import { parseRateHeaders, parseRetryAfter, rateLimitStateOf } from '../../rate-limit/headers.ts'
import { account } from '../../resources/account.ts'
import { linkDetails } from '../../resources/links/link.ts'
import { qrDetails } from '../../resources/qr.ts'
import { isRecord } from '../../schema/expected.ts'
import { integer, object } from '../../schema/fields.ts'
import { ORIGIN, preflightInit } from './browser.ts'
import { failureOf } from './failure.ts'
import type { Call, Findings, Purpose, Reply, Stop, Subject } from './findings.ts'
import { itemsOf, type List, lists, numberOf, type ReadPage, readPage } from './lists.ts'
import { type Sample, samplesOf } from './samples.ts'
import { type Exchange, MAX_REQUESTS, Wire } from './wire.ts'

/** A key that no account has. */
const WRONG_KEY = 'shortlink-sdk-doctor-wrong-key'
/** An id, and an alias, that nothing has. It fits into 32 bits. */
const UNKNOWN_ID = 2_147_483_600
const UNKNOWN_ALIAS = 'shortlink-sdk-doctor-unknown-alias'

const pageNumbers = object({ result: integer, perpage: integer, currentpage: integer, maxpage: integer })

/** Reads from a deployment, and changes nothing there: it sends GET, and one OPTIONS. It never throws what a server did. */
export function examine(subject: Subject): Promise<Findings> {
  return new Examination(subject).run()
}

class Examination {
  readonly #subject: Subject
  readonly #wire: Wire
  readonly #calls: Call[] = []
  readonly #pages: ReadPage[] = []
  readonly #limits: Findings['limits'] = []
  readonly #samples: Sample[] = []
  readonly #leftOut: string[] = []
  #drift: readonly Issue[] = []
  #stopped: Stop | undefined
  /** Requests that the deployment takes until its rate window ends, and when that is. */
  #left = Number.POSITIVE_INFINITY
  #resetAt: Date | undefined
  #unanswered = 0

  constructor(subject: Subject) {
    this.#subject = subject
    this.#wire = new Wire(subject.fetch)
  }

  async run(): Promise<Findings> {
    const checkedAt = new Date()
    if (this.#subject.baseUrl !== undefined) await this.#examineManagement()
    if (this.#subject.openerUrl !== undefined) await this.#examineOpener()
    return {
      subject: this.#subject,
      checkedAt,
      requests: this.#wire.requests,
      calls: this.#calls,
      pages: this.#pages,
      limits: this.#limits,
      samples: this.#samples,
      stopped: this.#stopped,
      leftOut: this.#leftOut,
    }
  }

  async #examineManagement(): Promise<void> {
    const client = this.#client(this.#subject.apiKey)
    const first = await this.#ask('account.get()', '/account', 'account', () => client.account.get())
    if (first?.failure) {
      this.#stop({ why: 'failure' })
      return this.#lookUnderApi(first)
    }
    if (first?.reply?.status === 401 || first?.reply?.status === 403) return this.#compareKeys()
    this.#addSamples('data', account, first?.reply?.body.data)
    if (first?.reply?.ok) await this.#tryKey('a wrong key', 'wrong key', WRONG_KEY)
    const isOpenToBrowsers = await this.#preflight()

    for (const list of lists) {
      // The last one is asked as a page of another origin would ask.
      const headers = isOpenToBrowsers && list === lists.at(-1) ? { origin: ORIGIN } : undefined
      await this.#askList(list, client, headers)
    }
    await this.#askLimits(client)
    await this.#askSingles(client)
  }

  /** Where the address answers with a page: whether the API is under `/api` there. Sent without the key. */
  async #lookUnderApi({ failure, exchange }: Call): Promise<void> {
    const { baseUrl } = this.#subject
    const isPage = failure?.kind === 'HTML' || failure?.kind === 'not JSON'
    if (!isPage || exchange.status === undefined || baseUrl === undefined || /\/api$/.test(baseUrl)) return
    const client = this.#client(null, `${baseUrl}/api`)
    await this.#send('the same under /api', '/api/account', 'api path', () => client.account.get())
  }

  /** What the server says to no key, and to a wrong one: where it says to both what it said to ours, ours may not arrive. */
  async #compareKeys(): Promise<void> {
    await this.#tryKey('no key', 'no key', null)
    await this.#tryKey('a wrong key', 'wrong key', WRONG_KEY)
    this.#stop({ why: 'key refused' })
  }

  #tryKey(name: string, purpose: Purpose, key: string | null): Promise<Call | undefined> {
    const client = this.#client(key)
    return this.#ask(`account.get() with ${name}`, '/account', purpose, () => client.account.get())
  }

  async #preflight(): Promise<boolean> {
    const { timeout, baseUrl } = this.#subject
    const send = () => this.#wire.fetch(`${baseUrl}/account`, preflightInit(timeout))
    const call = await this.#ask('the preflight of a browser', '/account', 'preflight', send, 'OPTIONS')
    const { status = 0, headers } = call?.exchange ?? {}
    return status >= 200 && status < 300 && headers?.has('Access-Control-Allow-Origin') === true
  }

  async #askList(list: List, client: ShortLinkClient, headers?: Record<string, string>): Promise<void> {
    const options = headers ? { headers } : {}
    const call = await this.#ask(list.call, list.path, 'list', () => list.ask(client, {}, options))
    if (!call?.reply?.ok) return
    const page = readPage(list, call.reply.body)
    this.#pages.push(page)
    this.#addPageSamples(page)
  }

  /** Asks for a large and for a small page, of the list with the most rows. */
  async #askLimits(client: ShortLinkClient): Promise<void> {
    const rowsOf = ({ page }: ReadPage) => numberOf(page.result) ?? 0
    const [largest] = [...this.#pages].sort((one, other) => rowsOf(other) - rowsOf(one))
    if (!largest) return
    const { list } = largest
    // A page that does not exist may be refused for that alone.
    const small: PageQuery = rowsOf(largest) > 1 ? { limit: 1, page: 2 } : { limit: 1 }
    for (const asked of [{ limit: 100 }, small]) {
      const query = Object.entries(asked).map(([name, value]) => `${name}: ${value}`)
      const name = list.call.replace(/\(\)$/, `({ ${query.join(', ')} })`)
      const call = await this.#ask(name, list.path, 'limit', () => list.ask(client, asked, {}))
      const { reply } = call ?? {}
      if (reply) this.#limits.push({ asked, reply, page: reply.ok ? readPage(list, reply.body) : undefined })
    }
  }

  async #askSingles(client: ShortLinkClient): Promise<void> {
    // A code that nobody scanned, and a link that nobody visited, have empty maps.
    const qrId = this.#idOf('/qr', 'scans')
    const linkId = this.#idOf('/urls', 'clicks')
    const channelId = this.#idOf('/channels')
    if (qrId !== undefined) {
      const qr = await this.#ask('qr.get(id)', '/qr/:id', 'single', () => client.qr.get(qrId))
      if (qr?.reply?.ok) this.#addSamples('', qrDetails, withoutError(qr.reply.body))
    }
    if (linkId !== undefined) {
      const get = () => client.links.get(linkId)
      const link = await this.#ask('client.links.get(id)', '/url/:id', 'single', get)
      if (link?.reply?.ok) this.#addSamples('', linkDetails, link.reply.body, false)
    }
    if (channelId !== undefined) await this.#askList(itemsOf(channelId), client)

    const hasLinks = this.#calls.some(({ path, reply }) => path === '/urls' && reply?.ok)
    if (hasLinks) {
      const find = () => client.request('GET', '/urls', { query: { short: UNKNOWN_ALIAS } })
      const found = await this.#ask('a search for an unknown alias', '/urls?short=', 'unknown id', find)
      if (found?.reply && !found.reply.ok) return
    }
    await this.#ask('qr.get() of an unknown id', '/qr/:id', 'unknown id', () => client.qr.get(UNKNOWN_ID))
  }

  async #examineOpener(): Promise<void> {
    const { openerUrl, timeout } = this.#subject
    // A GET is refused there: it shows who answers, and makes no link.
    const init = { redirect: 'manual', signal: AbortSignal.timeout(timeout) } as const
    await this.#send('the opener', '/v3/api', 'opener', () => this.#wire.fetch(`${openerUrl}/v3/api`, init))
  }

  #client(apiKey: string | null | undefined, baseUrl = this.#subject.baseUrl): ShortLinkClient {
    const { allowInsecureHttp, timeout, openerUrl } = this.#subject
    return new ShortLinkClient({
      ...(baseUrl !== undefined && { baseUrl }),
      ...(openerUrl !== undefined && { openerUrl }),
      apiKey: apiKey ?? null,
      fetch: this.#wire.fetch,
      retry: 0,
      rateLimit: false,
      timeout,
      validation: 'report',
      onDrift: ({ issues }) => {
        this.#drift = issues
      },
      logLevel: 'off',
      allowInsecureHttp,
    })
  }

  /** Sends a request of the management API, unless its budget is used up, or the examination was stopped. */
  async #ask(
    name: string,
    path: string,
    purpose: Purpose,
    send: () => PromiseLike<unknown>,
    method = 'GET',
  ): Promise<Call | undefined> {
    const reserved = this.#subject.openerUrl === undefined ? 0 : 1
    if (!this.#stopped && this.#left < 1) this.#stop({ why: 'rate', seconds: secondsUntil(this.#resetAt) })
    if (this.#stopped || this.#wire.requests >= MAX_REQUESTS - reserved) {
      this.#leftOut.push(name)
      return undefined
    }
    const call = await this.#send(name, path, purpose, send, method)
    this.#countRate(call)
    return call
  }

  async #send(
    name: string,
    path: string,
    purpose: Purpose,
    send: () => PromiseLike<unknown>,
    method = 'GET',
  ): Promise<Call> {
    const { onProgress, baseUrl = '', openerUrl = '' } = this.#subject
    onProgress(this.#wire.requests + 1, `${method} ${path}`)
    this.#drift = []
    const error = await Promise.resolve(send()).then(
      () => undefined,
      (thrown: unknown) => thrown as AnyShortLinkError,
    )
    const exchange = await this.#wire.last
    if (!exchange) throw error
    const issues = error?.code === 'invalid_response' ? error.issues : this.#drift
    const isOpener = purpose === 'opener'
    const names = isOpener
      ? { variable: 'SHORTLINK_OPENER_URL', option: '--opener-url' }
      : { variable: 'SHORTLINK_BASE_URL', option: '--base-url' }
    // The answer to a preflight has no body.
    const isRead = purpose !== 'preflight' || exchange.status === undefined
    const failure = isRead ? failureOf(exchange, isOpener ? openerUrl : baseUrl, names) : undefined
    const reply = isRead && !failure ? replyOf(exchange) : undefined
    const call = { call: name, method, path, purpose, exchange, failure, reply, issues }
    this.#calls.push(call)
    return call
  }

  #countRate({ exchange, reply, failure }: Call): void {
    const { remaining } = parseRateHeaders(exchange.headers)
    this.#left = remaining ?? this.#left - 1
    this.#resetAt = rateLimitStateOf(exchange.headers).resetAt ?? this.#resetAt
    if (reply?.status === 429) {
      const seconds = parseRetryAfter(exchange.headers, reply.body) ?? secondsUntil(this.#resetAt)
      this.#stop({ why: 'rate', seconds })
    }
    this.#unanswered = failure?.kind === 'unreachable' ? this.#unanswered + 1 : 0
    if (this.#unanswered > 1) this.#stop({ why: 'no answers' })
  }

  #stop(stop: Stop): void {
    this.#stopped ??= stop
  }

  #addSamples(where: string, schema: Sample['schema'], raw: unknown, inReference = true): void {
    this.#samples.push(...samplesOf({ where, schema, raw, inReference }))
  }

  #addPageSamples({ list, page, rows }: ReadPage): void {
    const key = list.keys[0]!
    this.#addSamples(list.path, pageNumbers, page, false)
    for (const row of rows) this.#addSamples(`${key}[]`, list.row, row, list.inReference)
  }

  /** The id of a row of a list, of the one with the least of a count where one is named. */
  #idOf(path: string, count?: string): number | undefined {
    const rows = this.#pages.find(({ list }) => list.path === path)?.rows.filter(isRecord) ?? []
    const countOf = (row: Record<string, unknown>) => (count === undefined ? 0 : (numberOf(row[count]) ?? 0))
    const [least] = rows.sort((one, other) => countOf(one) - countOf(other))
    return numberOf(least?.id)
  }
}

/** An answer of the platform, as the client understands it. */
function replyOf({ body, status = 0 }: Exchange): Reply | undefined {
  const envelope = openEnvelope(body, status)
  if (!envelope || !isRecord(body)) return undefined
  return { ok: envelope.ok, status: envelope.ok ? status : envelope.status, body }
}

function withoutError({ error: _, ...answer }: Reply['body']): object {
  return answer
}

function secondsUntil(time: Date | undefined): number | undefined {
  return time && Math.max(0, Math.ceil((time.getTime() - Date.now()) / 1000))
}
