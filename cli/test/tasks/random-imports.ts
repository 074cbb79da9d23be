/**
 * Random imports against servers that keep, respell, ignore or refuse aliases, or return existing links: with kills,
 * Ctrl+C, lost responses, results that are imported again, and modes that change between runs. All links are counted, and
 * each word of results and journals is compared with what the server did.
 */

import { type ImportResult, importLinks, type Journal, type JournalEntry, type LinkRow } from 'shortlink-cli'
import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, type Deviation } from 'shortlink-sdk/testing'
import { lettersOf, randomOf } from '../../../test/helpers/random-server.ts'
import { createInterruption } from './interruption.ts'

/** How a server treats aliases. */
export interface ServerKind {
  readonly dialect: readonly Deviation[]
  /** Whether the plan has no aliases, so that each link with one is refused. */
  readonly refusesAliases?: boolean
  /** Whether a link gets the alias that was sent, in the spelling of the server. */
  readonly keepsAliases: boolean
}

export const kinds: readonly ServerKind[] = [
  { dialect: [], keepsAliases: true },
  { dialect: ['alias-case-ignored'], keepsAliases: true },
  { dialect: ['alias-slugged'], keepsAliases: true },
  { dialect: ['url-respelled'], keepsAliases: true },
  { dialect: ['url-cut'], keepsAliases: true },
  { dialect: ['url-lower-case', 'short-ignored'], keepsAliases: true },
  { dialect: ['url-ascii', 'refusals-in-200'], keepsAliases: true },
  { dialect: ['same-url-same-link'], keepsAliases: true },
  { dialect: ['alias-ignored'], keepsAliases: false },
  { dialect: ['alias-ignored', 'short-ignored'], keepsAliases: false },
  { dialect: ['alias-ignored', 'same-url-same-link'], keepsAliases: false },
  { dialect: ['url-existing'], keepsAliases: false },
  { dialect: [], refusesAliases: true, keepsAliases: false },
  { dialect: ['refusals-in-200', 'url-respelled'], refusesAliases: true, keepsAliases: false },
]

/** A row of the file, or of a result. Each row of the file has an address of its own. */
export interface FileRow extends LinkRow {
  readonly url: string
  readonly custom?: string
  readonly alias?: string | undefined
  readonly line: number
}

type Result = ImportResult<FileRow>

/** The end of one run of an import. */
interface RunEnd {
  readonly results: Map<number, Result>
  readonly isKilled: boolean
  readonly error: unknown
}

export interface Counts {
  runs: number
  kills: number
  aborts: number
  done: number
  unknown: number
  strays: number
}

type Random = () => number

const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)]!

/** Creates the links that are there before the first run. */
export const createLinks = (random: Random) =>
  [1, 2, 3]
    .filter(() => random() < 0.5)
    .map((number) => ({ url: `https://shop.example/there/${number}`, alias: `there-${number}`, password: 'hush hush' }))

/** Creates two to seven rows, some of them with the alias or the address of a link that is there. */
export function createRows(random: Random): FileRow[] {
  const aliases = ['Tea', 'sale_may', 'café', 'p-11', 'v1.2', 'there-1', 'there-9']
  return Array.from({ length: 2 + Math.floor(random() * 6) }, (_, line) => {
    const end = pick(random, ['', '/', '?a=1&b=2', '#menu', '/two words', `/${'long/'.repeat(20)}`])
    const isThere = random() < 0.15
    const number = pick(random, [1, 2, 3])
    const url = isThere ? `https://shop.example/there/${number}?line=${line}` : `https://shop.example/${line}${end}`
    const isExisting = isThere && random() < 0.5
    const address = isExisting && line < 1 ? `https://shop.example/there/${number}` : url
    const custom = random() < 0.4 ? aliases.splice(Math.floor(random() * aliases.length), 1)[0]! : undefined
    return { line, url: address, ...(random() < 0.3 && { title: `Row ${line}` }), ...(custom && { custom }) }
  })
}

class Scenario {
  readonly #random: Random
  readonly #kind: ServerKind
  readonly #sandbox
  readonly #client: ShortLinkClient
  /** The links that were there before the first run. */
  readonly #others: Set<number>
  readonly #rows: FileRow[]
  readonly #counts: Counts
  /** The links that a killed run created after the next run began. */
  readonly #late = new Set<number>()
  /** Whether a run has sent aliases. Such a run does not read the newest id before it creates the first link. */
  #hasSentAliases = false
  #lossRate = 0
  #stepsLeft = Number.POSITIVE_INFINITY
  #onStep = () => {}
  /** The run in progress. A killed run neither gets a response nor writes to its journal. */
  #run = { isKilled: false }

  constructor(seed: number, counts: Counts) {
    this.#counts = counts
    this.#random = randomOf(seed)
    this.#kind = kinds[seed % kinds.length]!
    const there = createLinks(this.#random)
    this.#sandbox = createSandbox({ dialect: [...this.#kind.dialect], data: { links: there } })
    this.#others = new Set(this.#sandbox.data.links.map(({ id }) => id))
    this.#client = new ShortLinkClient({
      ...this.#sandbox.clientOptions,
      rateLimit: false,
      retry: 0,
      logLevel: 'off',
    })
    this.#rows = createRows(this.#random)
  }

  #pick<T>(values: readonly T[]): T {
    return pick(this.#random, values)
  }

  async #fetch(run: { readonly isKilled: boolean }, ...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    this.#step(run)
    if (run.isKilled) return new Promise(() => {})
    const isPost = init?.method === 'POST'
    const loss = this.#random() < this.#lossRate ? this.#pick(['before', 'after'] as const) : undefined
    if (loss === 'before') throw Object.assign(new TypeError('fetch failed'), { cause: new Error('socket hang up') })
    const refusal = refuse(this.#kind, init)
    if (refusal) return refusal
    const response = await this.#sandbox.fetch(input, init)
    if (isPost && run.isKilled) this.#late.add(((await response.clone().json()) as { id: number }).id)
    if (loss === 'after') throw Object.assign(new TypeError('fetch failed'), { cause: new Error('socket hang up') })
    this.#step(run)
    if (run.isKilled) return new Promise(() => {})
    return response
  }

  #step(run: object): void {
    if (run === this.#run && this.#stepsLeft-- === 0) this.#onStep()
  }

  /** Creates a journal that stores nothing after a kill. */
  #createJournal(run: { readonly isKilled: boolean }, entries: JournalEntry[]): Journal {
    const isSlow = this.#random() < 0.3
    return {
      read: () => [...entries],
      write: async (entry) => {
        this.#step(run)
        if (isSlow) await new Promise(setImmediate)
        if (run.isKilled) return new Promise(() => {})
        entries.push(structuredClone(entry))
        this.#step(run)
        return run.isKilled ? new Promise(() => {}) : undefined
      },
    }
  }

  async #import(
    rows: readonly FileRow[],
    entries: JournalEntry[] | undefined,
    options: object,
    isCalm: boolean,
  ): Promise<RunEnd> {
    this.#counts.runs++
    const current = { isKilled: false }
    this.#run = current
    this.#lossRate = isCalm ? 0 : this.#pick([0, 0, 0.1, 0.3])
    this.#stepsLeft = isCalm || this.#random() < 0.4 ? Number.POSITIVE_INFINITY : Math.floor(this.#random() * 30)
    const isKill = this.#random() < 0.6
    const { signal, killed, end: interrupt } = createInterruption(current, isKill)
    this.#onStep = () => {
      this.#counts[isKill ? 'kills' : 'aborts']++
      interrupt()
    }
    const results = new Map<number, Result>()
    const client = this.#client.withOptions({
      fetch: (...call: Parameters<typeof fetch>) => this.#fetch(current, ...call),
    })
    const run = importLinks(client, rows, {
      ...(entries && { journal: this.#createJournal(current, entries) }),
      concurrency: this.#pick([1, 3, 10]),
      signal,
      ...options,
    })
    const walk = async () => {
      for await (const result of run) {
        const { line } = result.row
        if (results.has(line)) throw new Error(`row ${line} has two results`)
        results.set(line, result)
      }
    }
    let error: unknown
    const end = await Promise.race([walk().catch((thrown) => (error = thrown)), killed])
    if (error !== undefined && !isShortLinkError(error)) throw error
    return { results, isKilled: end === 'killed', error }
  }

  async run(): Promise<void> {
    let rows = this.#rows
    let entries: JournalEntry[] = []
    let hasRetried = false
    for (let turn = 0; turn < 8; turn++) {
      const isCalm = turn > 4
      const isLast = turn === 7
      // Sooner or later the user reads the message.
      const aliases = this.#kind.keepsAliases ? this.#random() < 0.85 || isCalm : this.#random() < 0.4 && !isCalm
      const retries = isLast || this.#random() < 0.05
      hasRetried ||= retries
      this.#hasSentAliases ||= aliases
      const options = { aliases, ...(retries && { onUnknown: 'retry' }) }
      const sent = aliases || this.#kind.keepsAliases || !isCalm ? rows : rows.map(dropAlias)
      const before = new Set(this.#sandbox.data.links.map(({ id }) => id))
      const end = await this.#import(sent, entries, options, isCalm)
      if (!end.isKilled) this.#checkWords(end, entries, before, hasRetried)
      if (!hasRetried) this.#checkNumber()
      if (isLast) this.#checkEnd(end)
      // The user deletes a stray, or not.
      const strays = [...end.results.values()].flatMap(({ stray }) => stray ?? [])
      this.#counts.strays += strays.length
      if (!this.#others.has(strays[0]?.id ?? 0) && (isCalm || this.#random() < 0.5)) {
        for (const { id } of strays) this.#delete(id)
      }
      // The result is imported with a journal of its own.
      if (!end.isKilled && end.results.size === rows.length && this.#random() < 0.25 && !isCalm) {
        const left = rows.filter(({ line }) => !end.results.get(line)!.ok)
        if (left.length === 0) continue
        rows = left.map((row) => toResultRow(row, end.results.get(row.line)!))
        entries = []
      }
    }
  }

  #delete(id: number): void {
    const { links } = this.#sandbox.data
    const index = links.findIndex((link) => link.id === id)
    if (index !== -1) links.splice(index, 1)
  }

  /** Returns the links of an address that the import has made. */
  #made(url: string) {
    const { links } = this.#sandbox.data
    return links.filter(({ id, longurl }) => !this.#others.has(id) && isStoredAs(longurl, url))
  }

  #checkNumber(): void {
    for (const { line, url } of this.#rows) {
      const made = this.#made(url)
      if (made.length > 1) throw new Error(`row ${line} has ${made.length} links: ${made.map(({ alias }) => alias)}`)
    }
  }

  #checkWords(
    { results, error }: RunEnd,
    entries: readonly JournalEntry[],
    before: ReadonlySet<number>,
    hasRetried: boolean,
  ): void {
    const states = new Map<string, string>()
    for (const { key, state } of entries) states.set(key, state)
    const stateOf = ({ url }: FileRow) =>
      [...states].filter(([key]) => JSON.parse(key)[0] === new URL(url).href).map(([, state]) => state)
    for (const [line, result] of results) {
      const { row, ok, outcome, id, shorturl, created, replayed, alias, differs } = result
      const at = `row ${line} (${ok ? 'done' : outcome}${error ? `, ${String(error)}` : ''})`
      if (ok) this.#counts.done++
      else if (outcome === 'unknown') this.#counts.unknown++
      if (ok) {
        const link = this.#sandbox.data.links.find((link) => link.id === id)
        if (!link) throw new Error(`${at}: there is no link ${id}`)
        if (decodeURI(shorturl) !== `${link.domain}/${link.alias}`)
          throw new Error(`${at}: ${shorturl} is ${link.alias}`)
        if (!isStoredAs(link.longurl, row.url)) throw new Error(`${at}: leads to ${link.longurl}`)
        const mayPassForNew = this.#hasSentAliases && returnsExisting(this.#kind, row.custom, link.alias)
        if (created && this.#others.has(id) && !mayPassForNew) throw new Error(`${at}: created an existing link`)
        // If the list of links cannot be read, it is unknown whether a link is new.
        if (!created && !replayed && !before.has(id) && !this.#late.has(id) && this.#lossRate === 0)
          throw new Error(`${at}: found a link that this run created`)
        if (row.custom && lettersOf(row.custom) !== lettersOf(link.alias)) throw new Error(`${at}: has ${link.alias}`)
        if (row.custom && row.custom !== link.alias && !differs.includes('custom'))
          throw new Error(`${at}: differs does not name custom`)
        if (alias !== link.alias) throw new Error(`${at}: alias ${alias} is not ${link.alias}`)
      } else if (outcome !== 'unknown' && outcome !== 'done' && !hasRetried) {
        const [made] = this.#made(row.url)
        if (made) throw new Error(`${at}: has the link ${made.alias}`)
      }
      const journaled = stateOf(row)
      const said = ok ? 'done' : outcome === 'done' || result.stray ? 'unknown' : outcome
      const known = journaled.map((state) => (state === 'begun' ? 'unknown' : state))
      // A row that was mapped to another alias has two entries.
      if (journaled.length > 0 && !known.includes(said)) throw new Error(`${at}: the journal says ${journaled}`)
    }
  }

  /** Checks that the import got to its end. */
  #checkEnd({ results, error }: RunEnd): void {
    for (const [line, { ok, error: own, outcome, row }] of results) {
      // The alias of the row may be that of another link, or of a row that has got an existing link.
      if (ok || (isShortLinkError(own) && ['link_conflict', 'invalid_request'].includes(own.code))) continue
      const isExisting = isShortLinkError(own) && own.code === 'invalid_response' && own.outcome === 'rejected'
      if (isExisting) continue
      throw new Error(`row ${line} (${row.url}) is still ${outcome}: ${own}; ${error}`, { cause: own })
    }
  }
}

/** Returns the response of a plan without aliases to a link that has one. */
export const refuse = ({ refusesAliases }: ServerKind, init?: RequestInit): Response | undefined =>
  refusesAliases && init?.method === 'POST' && String(init.body).includes('"custom"')
    ? Response.json({ error: 1, message: 'Your plan has no such thing.' })
    : undefined

/** Returns whether a server returns an existing link for a row, although the row seems to get its own alias. */
export const returnsExisting = ({ dialect }: ServerKind, custom: string | undefined, alias: string): boolean =>
  dialect.includes('url-existing') && custom === alias

/** Maps the column of aliases to nothing, as `--map 'custom='` does. */
function dropAlias({ custom: _, ...row }: FileRow): FileRow {
  return row
}

/** Creates the row of a result, as the command writes it. */
function toResultRow(row: FileRow, { alias, outcome, stray }: Result): FileRow {
  const isUnknown = outcome === 'unknown' || outcome === 'done'
  return {
    ...row,
    alias,
    outcome: isUnknown ? 'unknown' : outcome,
    stray: stray?.shorturl ?? null,
    strayId: stray?.id ?? null,
  }
}

/** Returns whether a server may have stored an address as `longurl`. */
export function isStoredAs(longurl: string, url: string): boolean {
  const plain = (address: string) =>
    decodeURI(new URL(address.replaceAll('&amp;', '&')).href)
      .replace(/#.*/, '')
      .replace(/\/(?=\?|$)/, '')
      .toLowerCase()
  const [stored, wanted] = [plain(longurl), plain(url)]
  return stored === wanted || (longurl.length >= 80 && wanted.startsWith(stored))
}

/** Runs scenarios, and fails with the seed of the first whose results are wrong. Returns what happened. */
export async function runImports(first: number, count: number): Promise<Counts> {
  const counts: Counts = { runs: 0, kills: 0, aborts: 0, done: 0, unknown: 0, strays: 0 }
  for (let seed = first; seed < first + count; seed++) {
    await new Scenario(seed, counts).run().catch((error) => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    })
  }
  return counts
}
