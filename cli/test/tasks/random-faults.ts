/** Runs random scenarios of `ensure`, imports and syncs, and checks their results against the server. */

import {
  type ImportOptions,
  importLinks,
  type LinkRow,
  type ReportResult,
  reportLinks,
  type SyncResult,
  syncLinks,
} from 'shortlink-cli'
import { ShortLinkClient } from 'shortlink-sdk'
import type { Sandbox } from 'shortlink-sdk/testing'
import { lettersOf, RandomServer, withOwnWays } from '../../../test/helpers/random-server.ts'
import { memoryJournal } from './set-up.ts'

/** Values that no row has. */
const KEPT = {
  expiry: '2030-01-01 00:00:00',
  geotarget: [{ location: 'Germany', link: 'https://shop.example/de' }],
  devicetarget: [{ device: 'iPhone', link: 'https://shop.example/app' }],
}

/** Returns whether a server may have stored an address as another one: in lower case, or cut. */
const mayBeStoredAs = (longurl: string, url: string) =>
  [url, new URL(url).href].some(
    (sent) => longurl.toLowerCase() === sent.toLowerCase() || (longurl.length >= 60 && sent.startsWith(longurl)),
  )

class Scenario extends RandomServer {
  readonly #client = new ShortLinkClient({
    ...this.sandbox.clientOptions,
    retry: 0,
    logLevel: 'off',
    fetch: (...call: Parameters<typeof fetch>) => this.fetch(...call),
  })

  constructor(seed: number) {
    super(seed, withOwnWays)
  }

  run(): Promise<void> {
    return this.pick([() => this.#ensure(), () => this.#import(), () => this.#sync(), () => this.#report()])()
  }

  async #ensure(): Promise<void> {
    const wanted = this.rows(1 + Math.floor(this.random() * 4)).map((row) => ({ ...row, custom: row.custom! }))
    const ids = new Map<string, number>()
    for (const params of [...wanted, ...wanted]) {
      const result = await this.#client.links.ensure(params).safe()
      if (!result.ok) continue
      this.checkRow(params, result.data.shorturl, result.data.id)
      const key = JSON.stringify(params)
      if (ids.has(key) && ids.get(key) !== result.data.id)
        throw new Error('ensure returned another link the second time')
      ids.set(key, result.data.id)
      if (result.data.created && this.others.has(result.data.id) && !this.#isChaotic())
        throw new Error('ensure reports an existing link as created')
    }
    if (!this.#ignoresAliases()) this.checkNumber(wanted)
  }

  async #import(): Promise<void> {
    let rows: LinkRow[] = this.rows(3 + Math.floor(this.random() * 6))
    for (const row of rows as { custom?: string }[]) if (this.random() < 0.4) delete row.custom
    const journal = memoryJournal()
    const options = { journal, concurrency: this.pick([1, 3, 10]) }
    await this.addShifting()
    const runs = 1 + Math.floor(this.random() * 4)
    /** The largest number of equal rows in one run. They have at most as many links. */
    const most = new Map<string, LinkRow[]>()
    for (let turn = 0; turn < runs; turn++) {
      if (turn > 0) rows = this.#changed(rows)
      for (const { url, custom } of rows) {
        const same = rows.filter((row) => row.url === url && row.custom === custom)
        const name = `${url} ${custom}`
        if (same.length > (most.get(name)?.length ?? 0)) most.set(name, same)
      }
      if (turn === runs - 1 && this.random() < 0.5) this.sandbox.chaos({ rate: 0 })
      const ids: number[] = []
      const urlOf = new Map<number, string>()
      const controller = new AbortController()
      let stepsLeft = this.random() < 0.3 ? Math.floor(this.random() * 10) : Number.POSITIVE_INFINITY
      const write: typeof journal.write = (entry) => {
        journal.write(entry)
        if (stepsLeft-- === 0) controller.abort()
      }
      const own = { ...options, journal: { ...journal, write }, signal: controller.signal }
      const run = importLinks(this.#client, rows, own)
      try {
        for await (const { row, ok, id, shorturl, longurl, differs } of run) {
          // A row cannot know that another program created its link a moment ago.
          if (!ok || (this.dialect.includes('url-existing') && this.others.has(id))) continue
          const shown = this.sandbox.data.links.find((link) => link.id === id)?.longurl
          if (differs.includes('url') && longurl !== shown)
            throw new Error(`${shorturl} shows ${shown}, not ${longurl}`)
          this.checkRow(differs.includes('url') ? { ...row, url: longurl! } : row, shorturl, id)
          if (differs.includes('url') && !mayBeStoredAs(longurl!, String(row.url)))
            throw new Error(`${row.url} is not ${longurl}`)
          const before = urlOf.get(id)
          if (before !== undefined && before !== row.url && decodeURI(before) !== decodeURI(String(row.url)))
            throw new Error(`rows to ${before} and ${row.url} have the same link`)
          urlOf.set(id, String(row.url))
          if (!row.custom && !this.dialect.includes('url-existing')) ids.push(id)
        }
        if ((await run.summary()).failed === 0) await this.#repeat(rows, options)
      } catch (error) {
        if (!['invalid_response', 'aborted', 'connection', 'api'].includes((error as { code: string }).code))
          throw error
        const { strays } = await run.summary()
        const isStray = (error as { reason?: string }).reason === 'other_alias'
        if (isStray && strays.length === 0) throw new Error('a stray link is missing from the summary')
        const there = this.sandbox.data.links.map(({ id }) => id)
        if (strays.some(({ id }) => !there.includes(id))) throw new Error('a stray link does not exist')
      }
      if (new Set(ids).size < ids.length) throw new Error('two rows have the same link')
      if (this.#ignoresAliases()) return
      this.checkNumber([...most.values()].flat())
      // Simulates a kill before the last entry was on disk.
      if (this.random() < 0.3) journal.entries.pop()
    }
  }

  /** Returns the rows of the next run: in another order, with some removed and some added. */
  #changed(rows: readonly LinkRow[]): LinkRow[] {
    if (this.random() < 0.4) return [...rows]
    const left = rows.filter(() => this.random() < 0.8)
    const added: LinkRow[] = this.rows(Math.floor(this.random() * 3))
    for (const row of added as { custom?: string }[]) if (this.random() < 0.5) delete row.custom
    return [...left, ...added].sort(() => this.random() - 0.5)
  }

  /** Checks that repeating a finished import sends nothing, in any order of its rows. */
  async #repeat(rows: readonly LinkRow[], options: ImportOptions): Promise<void> {
    const sent = this.sandbox.requests.length
    const moved = [...rows].sort(() => this.random() - 0.5)
    const { replayed } = await importLinks(this.#client, moved, options).summary()
    if (replayed < rows.length) throw new Error('a finished row was done again')
    if (this.sandbox.requests.length > sent) throw new Error('a repeated import sent requests')
  }

  async #report(): Promise<void> {
    await this.addShifting()
    let previous: ReportResult[] | undefined
    for (let turn = 0; turn < 3; turn++) {
      const there = new Set(this.sandbox.data.links.map(({ id }) => id))
      const run = reportLinks(this.#client, { ...(previous && { previous }) })
      const results: ReportResult[] = []
      try {
        for await (const result of run) results.push(result)
      } catch (error) {
        if (!('code' in (error as object))) throw error
        continue
      }
      const { gone } = await run.summary()
      const stays = new Set(this.sandbox.data.links.map(({ id }) => id).filter((id) => there.has(id)))
      const alive = gone.find((row) => stays.has((row as ReportResult).link.id))
      if (alive) throw new Error('a report lists an existing link as gone')
      const given = new Set(results.map(({ link }) => link.id))
      if (given.size < results.length) throw new Error('a report has a link twice')
      const lost = previous?.find(({ link }) => stays.has(link.id) && !given.has(link.id))
      if (lost) throw new Error('a link of the previous report is neither listed nor gone')
      previous = results
    }
  }

  async #sync(): Promise<void> {
    await this.addShifting()
    const all = this.rows(2 + Math.floor(this.random() * 5))
    const rows = all.filter((row, index) => all.findIndex(({ custom }) => custom === row.custom) === index)
    const mayClear = this.random() < 0.7
    const prune = this.random() < 0.7 && { prune: 'sale' }
    const options = { apply: true, mayClear, concurrency: this.pick([1, 10]), ...prune }
    for (const link of this.sandbox.data.links) Object.assign(link, structuredClone(KEPT), { password: 'open sesame' })
    const known = new Set(this.sandbox.data.links.map(({ id }) => id))
    let failed = 0
    for (const isCalm of [false, true]) {
      if (isCalm) this.sandbox.chaos({ rate: 0 })
      try {
        for await (const result of syncLinks(this.#client, rows, options)) {
          const { action, ok, outcome, alias } = result
          if (!ok) failed++
          // A creation with another alias than requested is a failure.
          if (!ok || outcome !== 'done' || action === 'delete') continue
          const isThere = this.sandbox.data.links.some(
            (link) => lettersOf(link.alias) === lettersOf(alias) && this.#isAsSaid(link, result),
          )
          if (!isThere) throw new Error(`sync reports ${action} ${alias} as done, but it is not`)
        }
      } catch (error) {
        if (!('code' in (error as object))) throw error
        failed++
      }
    }
    const wanted = rows.map(({ custom }) => lettersOf(custom!))
    const lost = this.deleted.find(({ alias }) => wanted.includes(lettersOf(alias)) || !alias.startsWith('sale'))
    if (lost) throw new Error(`sync deleted ${lost.alias}`)
    this.#checkKept(known, mayClear)
    if (failed > 0) return
    this.random = () => 1
    this.shifting.clear()
    for await (const { action, alias } of syncLinks(this.#client, rows, { acceptStored: true })) {
      // An alias that the server spells differently is created again, which the server refuses.
      const isRespelled = this.sandbox.data.links.some(
        (link) => link.alias !== alias && lettersOf(link.alias) === lettersOf(alias),
      )
      if (action !== 'keep' && !(action === 'create' && isRespelled))
        throw new Error(`a second sync has to ${action} ${alias}`)
    }
  }

  /** Returns whether a link matches the result of a sync, except for the reported differences. */
  #isAsSaid(link: Sandbox['data']['links'][number], { url, differs }: SyncResult): boolean {
    return this.leadsTo(link, url!) || (differs.includes('url') && mayBeStoredAs(link.longurl, url!))
  }

  /** Checks that a sync keeps values that its rows do not have, and the password unless it may be cleared. */
  #checkKept(known: ReadonlySet<number>, mayClear: boolean): void {
    for (const link of this.sandbox.data.links.filter(({ id }) => known.has(id))) {
      const { expiry, geotarget, devicetarget, password } = link
      if (JSON.stringify({ expiry, geotarget, devicetarget }) !== JSON.stringify(KEPT))
        throw new Error(`sync cleared ${link.alias}: ${JSON.stringify({ expiry, geotarget, devicetarget })}`)
      if (!mayClear && password === '') throw new Error(`sync cleared the password of ${link.alias}`)
    }
  }

  #ignoresAliases(): boolean {
    return this.dialect.includes('alias-ignored') || this.dialect.includes('url-existing')
  }

  #isChaotic(): boolean {
    return this.sandbox.requests.some(({ status }) => status !== 200)
  }
}

/** The number of concurrent scenarios, which mostly wait for the end of a 429. */
const AT_A_TIME = 50

/** Runs scenarios, and fails with the seed of the first whose results are wrong. */
export async function runScenarios(first: number, count: number): Promise<void> {
  let seed = first
  const runSome = async () => {
    while (seed < first + count) {
      const own = seed++
      await new Scenario(own).run().catch((error) => {
        throw new Error(`seed ${own}: ${(error as Error).message}`, { cause: error })
      })
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, runSome))
}
