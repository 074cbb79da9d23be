/**
 * A random week of an account: imports, repeated imports of results in any order, Ctrl+C, reports, syncs, a colleague
 * who uses the same account, two domains, and an invalid row. All results are checked against the server.
 */

import { importLinks, type LinkRow, type ReportResult, reportLinks, syncLinks } from 'shortlink-cli'
import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, type Sandbox } from 'shortlink-sdk/testing'
import { lettersOf, RandomServer, withOwnWays } from '../../../test/helpers/random-server.ts'
import { memoryJournal } from './set-up.ts'

const main = 'https://sho.rt'
const branded = 'https://go.shop.example'

/** Kinds of servers on which each row can get its own link to its own address. */
const kinds = {
  ...withOwnWays,
  dialects: withOwnWays.dialects.filter(
    (dialect) => !dialect.some((name) => /^(url-existing|url-cut|url-lower-case|plan-limit)$/.test(name)),
  ),
  urls: ['', '/', '?a=1&b=2', '/?a=1'].map((end) => (number: number) => `https://shop.example/${number}${end}`),
}

/** Values that an update may clear. */
const RICH = {
  password: 'open sesame',
  expiry: '2030-01-01 00:00:00',
  geotarget: [{ location: 'us', link: 'https://us.shop.example' }],
  devicetarget: [{ device: 'iphone', link: 'com.example.shop://open' }],
  languagetarget: [{ language: 'de', link: 'https://shop.example/de' }],
}

type Stored = Sandbox['data']['links'][number]

/** A row of the file, or of a result. */
interface WeekRow extends LinkRow {
  readonly url: string
  readonly custom?: string
  readonly domain?: string
  /** The position of the row in the first file. */
  readonly line: number
}

/** A file to import, with its journal: the first file, or the result of an import. */
interface WeekFile {
  readonly rows: readonly WeekRow[]
  readonly journal: ReturnType<typeof memoryJournal>
}

/** Returns whether two short addresses are the same. Results may have encoded ones. */
const isSameLink = (one: string, other: string) => decodeURI(one) === decodeURI(other)

/** Returns whether the path of an address ends with a slash. */
const hasLastSlash = (url: string) => new URL(url).pathname.endsWith('/')

class Week extends RandomServer {
  readonly client = new ShortLinkClient({
    ...this.sandbox.clientOptions,
    retry: 0,
    logLevel: 'off',
    fetch: (...call: Parameters<typeof fetch>) => this.fetch(...call),
  })
  protected readonly files: WeekFile[] = []
  /** The short addresses of finished rows, by line. */
  readonly #shortOf = new Map<number, string>()
  /** The links whose rows are invalid in lists. */
  #odd = new Set<number>()
  /** The click counts that each link has had. */
  readonly #clicks = new Map<number, Set<number>>()
  #previous: ReportResult[] | undefined
  /** The links that another program deleted, for each reading of the list. */
  readonly #deletionsOfReadings: number[] = []
  #isAtFirstPage = false

  constructor(seed: number) {
    super(seed, kinds)
    const { data } = this.sandbox
    const blank = createSandbox({ data: { links: [{}], domains: [{ domain: branded }] } }).data
    data.domains.push(...blank.domains)
    // The main domain may be missing from the list of domains.
    if (this.random() < 0.3) data.domains.push({ ...blank.domains[0]!, id: 2, domain: main })
    const [row] = blank.links as [Stored]
    for (const alias of ['Tea', 'p-11', 'sale-1', 'v1.2']) {
      if (this.random() < 0.3)
        this.#add({ ...row, alias: this.stored(alias), domain: branded, longurl: this.storedUrl(this.url()) })
    }
    this.#add({ ...row, alias: 'first', domain: main, longurl: this.storedUrl(this.url()) })
    for (const link of data.links) if (this.random() < 0.5) Object.assign(link, structuredClone(RICH))
    if (this.random() < 0.3) this.sandbox.chaos({ rate: 0 })
  }

  async run(): Promise<void> {
    this.files.push({ rows: this.#firstFile(), journal: memoryJournal() })
    await this.addShifting()
    for (let step = 0; step < 8; step++) {
      this.#visit()
      await this.pick([
        () => this.#import(this.pick(this.files)),
        () => this.#import(this.pick(this.files)),
        () => this.#import(this.files[0]!),
        () => this.#report(),
        () => this.#sync(),
        async () => {
          this.#odd = new Set(this.random() < 0.5 ? [this.pick(this.sandbox.data.links).id] : [])
        },
      ])()
    }
    // The last run has no faults, so it does everything that can be done.
    this.sandbox.chaos({ rate: 0 })
    this.random = () => 0.99
    this.#odd = new Set()
    for (const file of this.files) await this.#import(file)
    await this.#report()
  }

  /** Creates rows that each have their own address or their own alias, so that their links can be counted. */
  #firstFile(): WeekRow[] {
    const taken = new Set<string>()
    return Array.from({ length: 3 + Math.floor(this.random() * 5) }, (_, line) => {
      const domain = this.pick([undefined, undefined, branded, main])
      const own = { line, ...(domain && { domain }) }
      const custom = this.pick(['Tea', 'sale_may', 'café', 'sale-1', 'p-11', '2026-1-11', 'v1.2'])
      if (this.random() < 0.5 || taken.has(lettersOf(custom)))
        return { ...own, url: `https://shop.example/own-${line}` }
      taken.add(lettersOf(custom))
      return { ...own, url: this.url(), custom }
    })
  }

  async #import({ rows, journal }: WeekFile): Promise<void> {
    const controller = new AbortController()
    let resultsLeft = this.random() < 0.3 ? Math.floor(this.random() * rows.length) : Number.POSITIVE_INFINITY
    const results: WeekRow[] = []
    const seen = new Set<number>()
    try {
      const run = importLinks(this.client, rows, {
        journal,
        concurrency: this.pick([1, 3, 10]),
        signal: controller.signal,
      })
      for await (const result of run) {
        const { row, ok, id, shorturl, error, outcome } = result
        if (seen.has(row.line)) throw new Error(`row ${row.line} has two results`)
        seen.add(row.line)
        const { alias } = result as { alias?: string }
        results.push({ ...row, ...(alias !== undefined && { custom: alias }) })
        if (ok) this.#checkDone(row, shorturl, id)
        else if (outcome !== 'unknown') this.#checkFailed(row, error)
        if (resultsLeft-- === 0) controller.abort()
      }
    } catch (error) {
      if (!isShortLinkError(error)) throw error
    }
    this.#noteDraws(journal)
    this.#checkLinks()
    // A result without aliases could not tell which link belongs to which row.
    const isWhole = results.every(({ custom }) => custom !== undefined)
    if (isWhole && results.length === rows.length && this.files.length < 4) {
      this.files.push({ rows: results, journal: memoryJournal() })
    }
    // Simulates a kill before the last entry was on disk.
    if (this.random() < 0.1) journal.entries.pop()
  }

  #checkDone({ line, url, custom, domain }: WeekRow, shorturl: string, id: number): void {
    const link = this.sandbox.data.links.find((link) => link.id === id)
    if (!link && this.#deletedBySync.has(id)) return
    if (!link || !isSameLink(shorturl, `${link.domain}/${link.alias}`)) {
      throw new Error(`row ${line}: there is no link ${shorturl}`)
    }
    if (!this.leadsTo(link, url) && !this.#synced.has(link.id))
      throw new Error(`row ${line}: ${shorturl} leads to ${link.longurl}, not ${url}`)
    if (custom && lettersOf(custom) !== lettersOf(link.alias))
      throw new Error(`row ${line}: ${shorturl} is not ${custom}`)
    if (domain && domain !== link.domain) throw new Error(`row ${line}: ${shorturl} is not on ${domain}`)
    const before = this.#shortOf.get(line)
    // An alias may exist on both domains, and lead to the same address on both.
    const mayBeAnother = (!domain && this.files[0]!.rows[line]!.custom) || this.#countDraws(url) > 1
    if (before && !mayBeAnother && !isSameLink(before, shorturl) && !this.#isGone(before)) {
      throw new Error(`row ${line} got ${before} and ${shorturl}`)
    }
    this.#shortOf.set(line, shorturl)
  }

  /** The links whose addresses a sync may have changed, and the links that it deleted. */
  readonly #synced = new Set<number>()
  readonly #deletedBySync = new Set<number>()

  #isGone(shorturl: string): boolean {
    return !this.sandbox.data.links.some((link) => isSameLink(shorturl, `${link.domain}/${link.alias}`))
  }

  /** Checks a conflict: no link with the alias leads to the row's address, and the error has the link's own address. */
  #checkFailed({ line, url, custom, domain }: WeekRow, error: unknown): void {
    if (!isShortLinkError(error)) throw new Error(`row ${line}: ${String(error)}`, { cause: error })
    if (error.code !== 'link_conflict') return
    const { shorturl, longurl, message } = error
    const named = this.sandbox.data.links.find((link) => isSameLink(shorturl, `${link.domain}/${link.alias}`))
    if (named?.longurl !== longurl)
      throw new Error(`row ${line}: ${shorturl} leads to ${named?.longurl}, not ${longurl}`)
    // A stored address with one more slash is another address.
    const fitting = this.sandbox.data.links.find(
      (link) =>
        link.alias === custom &&
        this.leadsTo(link, url) &&
        (hasLastSlash(url) || !hasLastSlash(link.longurl)) &&
        (!domain || domain === link.domain),
    )
    if (fitting)
      throw new Error(`row ${line}: ${fitting.domain}/${fitting.alias} leads to ${url}, but the error is: ${message}`)
  }

  /** Checks that each row has at most one link. */
  #checkLinks(): void {
    if (this.dialect.includes('alias-ignored')) return
    const made = this.sandbox.data.links.filter(({ id }) => !this.others.has(id))
    for (const { line, url, custom } of this.files[0]!.rows) {
      const own = made.filter((link) =>
        custom ? lettersOf(link.alias) === lettersOf(custom) : this.leadsTo(link, url),
      )
      if (own.length > Math.max(1, this.#countDraws(url)))
        throw new Error(`row ${line} has ${own.length} links: ${own.map(({ alias }) => alias).join(' ')}`)
    }
  }

  /** The aliases that were drawn for each address. */
  readonly #draws = new Map<string, Set<string>>()

  #noteDraws({ entries }: WeekFile['journal']): void {
    for (const { key, data } of entries) {
      const { alias } = Object(data) as { alias?: string }
      const [, url] = JSON.parse(key) as string[]
      if (alias) this.#draws.set(url!, (this.#draws.get(url!) ?? new Set()).add(alias))
    }
  }

  /**
   * Returns how many aliases were drawn for an address. A result from before the second draw has the first alias, and
   * importing it creates a link with that alias.
   */
  #countDraws(url: string): number {
    return this.#draws.get(url)?.size ?? 0
  }

  async #report(): Promise<void> {
    const there = new Set(this.sandbox.data.links.map(({ id }) => id))
    this.#deletionsOfReadings.length = 0
    this.#isAtFirstPage = false
    const run = reportLinks(this.client, { ...(this.#previous && { previous: this.#previous }) })
    const results: ReportResult[] = []
    let sum = 0
    try {
      for await (const result of run) {
        const { ok, link, newClicks } = result
        if (!ok) continue
        results.push(result)
        if (!this.#clicks.get(link.id)?.has(link.clicks ?? -1)) {
          throw new Error(`a report has ${link.clicks} clicks for ${link.shorturl}`)
        }
        const before = this.#previous?.find((earlier) => earlier.link.id === link.id)?.link.clicks ?? 0
        if (newClicks !== link.clicks! - before)
          throw new Error(`a report has ${newClicks} new clicks for ${link.shorturl}`)
        sum += link.clicks!
      }
    } catch (error) {
      if (!isShortLinkError(error)) throw error
      return
    }
    const { clicks, gone } = await run.summary()
    if (clicks !== sum) throw new Error(`a report has ${clicks} clicks in total, but its links have ${sum}`)
    const stays = this.sandbox.data.links.filter(({ id }) => there.has(id)).map(({ id }) => id)
    const alive = gone.find((row) => stays.includes((row as ReportResult).link.id))
    // If links are deleted during both readings, both may miss an existing link.
    const mayBeHidden = this.#deletionsOfReadings.length === 2 && !this.#deletionsOfReadings.includes(0)
    if (alive && !mayBeHidden) throw new Error('a report lists an existing link as gone')
    const given = new Set(results.map(({ link }) => link.id))
    // If as many links are created as deleted meanwhile, moved links go unnoticed, and a new link may be missing.
    const known = (this.#previous ?? []).map(({ link }) => link.id)
    const missing = known.find((id) => stays.includes(id) && !given.has(id) && !this.#odd.has(id))
    if (missing !== undefined && !mayBeHidden) throw new Error(`a report lacks link ${missing}`)
    this.#previous = results
  }

  async #sync(): Promise<void> {
    // The newest link is never deleted: the mock server would reuse its id, which databases do not.
    await this.addAsAnother(`guard-${this.sandbox.requests.length}`)
    const rows = ['sale_may', 'sale-1', 'v1.2']
      .filter(() => this.random() < 0.6)
      .map((custom) => ({ custom, url: this.url(), domain: this.pick([main, branded]) }))
    const prune = this.random() < 0.3 ? { prune: 'sale' } : {}
    const mayClear = this.random() < 0.6
    const before = structuredClone(this.sandbox.data.links)
    const writesBefore = this.#countWrites()
    try {
      for await (const { ok, action, alias, url, domain, outcome } of syncLinks(this.client, rows, {
        apply: true,
        mayClear,
        ...prune,
      })) {
        if (!ok || outcome !== 'done' || action === 'delete') continue
        const link = this.sandbox.data.links.find(
          (link) =>
            lettersOf(link.alias) === lettersOf(alias) &&
            this.leadsTo(link, url!) &&
            link.domain.endsWith(domain ?? ''),
        )
        if (!link) throw new Error(`a sync reports ${action} ${alias} as done, but it is not`)
        this.#synced.add(link.id)
        this.others.add(link.id)
      }
    } catch (error) {
      if (!isShortLinkError(error)) throw error
      if (error.code === 'invalid_request' && this.#countWrites() > writesBefore)
        throw new Error('a rejected sync sent writes')
    }
    this.#checkKept(before, mayClear)
    // Links that a failed sync created belong to no row of an import.
    for (const link of this.sandbox.data.links) {
      if (rows.some(({ custom }) => lettersOf(custom) === lettersOf(link.alias))) {
        this.#synced.add(link.id)
        this.others.add(link.id)
      }
    }
    const wanted = new Set(rows.map(({ custom }) => lettersOf(custom)))
    const lost = this.deleted.find(({ alias }) => wanted.has(lettersOf(alias)) || !alias.startsWith('sale'))
    if (lost) throw new Error(`a sync deleted ${lost.alias}`)
    for (const { id } of this.deleted) this.#deletedBySync.add(id)
    this.deleted.length = 0
  }

  #countWrites(): number {
    return this.sandbox.requests.filter(({ method }) => method !== 'GET').length
  }

  /** Checks that a sync keeps values that its rows do not have. */
  #checkKept(before: readonly Stored[], mayClear: boolean): void {
    const shown = ({ domain, expiry, geotarget, devicetarget }: Stored) => ({ domain, expiry, geotarget, devicetarget })
    const hidden = ({ password, languagetarget }: Stored) => ({ password, languagetarget })
    for (const link of this.sandbox.data.links) {
      const earlier = before.find(({ id }) => id === link.id)
      if (!earlier) continue
      const [was, is] = [earlier, link].map((one) => JSON.stringify({ ...shown(one), ...(!mayClear && hidden(one)) }))
      if (was !== is) throw new Error(`a sync changed ${link.alias} from ${was} to ${is}`)
    }
  }

  /** Simulates clicks between the steps. */
  #visit(): void {
    for (const link of this.sandbox.data.links) {
      if (this.random() < 0.3) link.clicks += Math.ceil(this.random() * 5)
      this.#noteClicks(link)
    }
  }

  #noteClicks({ id, clicks }: Stored): void {
    this.#clicks.set(id, (this.#clicks.get(id) ?? new Set()).add(clicks))
  }

  #add(link: Stored): void {
    const id = Math.max(0, ...this.sandbox.data.links.map((link) => link.id)) + 1
    this.sandbox.data.links.push({ ...structuredClone(link), id })
    this.others.add(id)
  }

  protected override async fetch(...call: Parameters<typeof fetch>): Promise<Response> {
    const isFirstPage = (new URL(String(call[0])).searchParams.get('page') ?? '1') === '1'
    // Otherwise the first page is requested again after a fault.
    if (isFirstPage && !this.#isAtFirstPage) this.#deletionsOfReadings.push(0)
    this.#isAtFirstPage = isFirstPage
    const before = this.removed.size
    const response = await super.fetch(...call)
    const readings = this.#deletionsOfReadings
    if (!isFirstPage && readings.length > 0) readings[readings.length - 1]! += this.removed.size - before
    for (const link of this.sandbox.data.links) this.#noteClicks(link)
    return this.#odd.size > 0 ? withOddRows(response, this.#odd) : response
  }
}

/** Returns a response in which the rows of these links have an invalid channel. */
async function withOddRows(response: Response, ids: ReadonlySet<number>): Promise<Response> {
  const { status, headers } = response
  const text = await response.text()
  try {
    const body = JSON.parse(text)
    for (const row of body.data.urls) if (ids.has(Number(row.id))) row.channel = ['odd']
    return new Response(JSON.stringify(body), { status, headers })
  } catch {
    return new Response(text, { status, headers })
  }
}

/** Runs weeks, and fails with the seed of the first with a wrong result. */
export async function playWeeks(first: number, count: number): Promise<void> {
  for (let seed = first; seed < first + count; seed++) {
    await new Week(seed).run().catch((error) => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    })
  }
}
