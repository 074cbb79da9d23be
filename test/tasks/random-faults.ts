/** Random scenarios of `ensure`, imports and syncs, and a check that whatever they say is true. */
import { ShortLinkClient } from '../../src/index.ts'
import { importLinks, type LinkRow, syncLinks } from '../../src/tasks/index.ts'
import { createSandbox, type Deviation, type Sandbox } from '../../src/testing/index.ts'
import { memoryJournal } from './set-up.ts'

const aliases = ['Tea', 'sale_may', 'café', 'sale-1', 'p-11', 'p-1-1', '2026-1-11', '2026-11-1', 'Sale-Tea', 'v1.2']
const dialects: Deviation[][] = [
  [],
  ['alias-slugged'],
  ['alias-case-ignored'],
  ['alias-ignored'],
  ['short-ignored'],
  ['short-as-list'],
  ['older-link-rows'],
  ['count-too-high'],
  ['limit-capped'],
  ['alias-slugged', 'short-ignored'],
  ['alias-slugged', 'count-too-high', 'limit-refused'],
]

/** Repeatable numbers from 0 to 1. */
function randomOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32
  }
}

/** The letters and digits of an alias, by another way than that of the package. */
const lettersOf = (alias: string) =>
  [...alias.normalize('NFD').toLowerCase()].filter((letter) => /[a-z0-9]/.test(letter)).join('')

type Stored = Sandbox['data']['links'][number]

class Scenario {
  #random: () => number
  readonly #dialect: Deviation[]
  readonly #sandbox: Sandbox
  readonly #client: ShortLinkClient
  /** Links that the programs under test have not made. */
  readonly #others = new Set<number>()
  readonly #deleted: Stored[] = []

  constructor(seed: number) {
    this.#random = randomOf(seed)
    this.#dialect = this.#pick(dialects)
    const links = aliases
      .filter(() => this.#random() < 0.3)
      .map((alias, index) => ({ id: index + 1, alias: this.#stored(alias), longurl: this.#url() }))
    const distinct = links.filter(({ alias }, index) => links.findIndex((link) => link.alias === alias) === index)
    this.#sandbox = createSandbox({ dialect: this.#dialect, data: { links: distinct } })
    for (const { id } of distinct) this.#others.add(id)
    this.#sandbox.chaos({ seed, rate: this.#random() * 0.4 })
    this.#client = new ShortLinkClient({
      ...this.#sandbox.clientOptions,
      retry: 0,
      logLevel: 'off',
      fetch: (...call: Parameters<typeof fetch>) => this.#fetch(...call),
    })
  }

  run(): Promise<void> {
    return this.#pick([() => this.#ensure(), () => this.#import(), () => this.#sync()])()
  }

  /** Another program writes meanwhile, and what is deleted is noted. */
  async #fetch(...call: Parameters<typeof fetch>): Promise<Response> {
    const { links } = this.#sandbox.data
    const before = [...links]
    if (before[0] && this.#random() < 0.05) {
      const alias = this.#random() < 0.5 ? this.#pick(aliases) : `other-${links.length}`
      if (!links.some((link) => lettersOf(link.alias) === lettersOf(alias))) {
        // As any row of the server, with the next id.
        const { id } = await this.#addAsAnother(alias)
        this.#others.add(id)
      }
    }
    const response = await this.#sandbox.fetch(...call)
    this.#deleted.push(...before.filter((link) => !links.includes(link)))
    return response
  }

  async #addAsAnother(alias: string): Promise<{ id: number }> {
    const { links } = this.#sandbox.data
    const id = Math.max(0, ...links.map((link) => link.id), ...this.#deleted.map((link) => link.id)) + 1
    links.push({ ...structuredClone(links[0]!), id, alias: this.#stored(alias), longurl: this.#url() })
    return { id }
  }

  async #ensure(): Promise<void> {
    const wanted = this.#rows(1 + Math.floor(this.#random() * 4)).map((row) => ({ ...row, custom: row.custom! }))
    const ids = new Map<string, number>()
    for (const params of [...wanted, ...wanted]) {
      const result = await this.#client.links.ensure(params).safe()
      if (!result.ok) continue
      this.#checkRow(params, result.data.id, result.data.shorturl)
      const key = JSON.stringify(params)
      // Of several spellings that the server tells apart, one may have been made meanwhile.
      const letters = lettersOf(params.custom)
      const isOnly = this.#sandbox.data.links.filter(({ alias }) => lettersOf(alias) === letters).length === 1
      if (isOnly && ids.has(key) && ids.get(key) !== result.data.id) {
        throw new Error('ensure gave another link the second time')
      }
      ids.set(key, result.data.id)
      if (result.data.created && this.#others.has(result.data.id) && !this.#isChaotic())
        throw new Error('ensure says that it made a link that was there')
    }
    if (!this.#dialect.includes('alias-ignored')) this.#checkNumber(new Set(wanted.map(({ custom }) => custom)).size)
  }

  async #import(): Promise<void> {
    const rows: LinkRow[] = this.#rows(3 + Math.floor(this.#random() * 6))
    for (const row of rows as { custom?: string }[]) if (this.#random() < 0.4) delete row.custom
    const journal = memoryJournal()
    const options = { journal, reuse: this.#random() < 0.5, concurrency: this.#pick([1, 3, 10]) }
    const runs = 1 + Math.floor(this.#random() * 4)
    for (let turn = 0; turn < runs; turn++) {
      if (turn === runs - 1 && this.#random() < 0.5) this.#sandbox.chaos({ rate: 0 })
      const ids: number[] = []
      try {
        for await (const { row, ok, id, shorturl } of importLinks(this.#client, rows, options)) {
          if (!ok) continue
          this.#checkRow(row, id, shorturl)
          if (!row.custom) ids.push(id)
        }
      } catch (error) {
        if ((error as { code?: string }).code !== 'invalid_response') throw error
      }
      if (!options.reuse && new Set(ids).size < ids.length) throw new Error('two rows have got one link')
      if (this.#dialect.includes('alias-ignored')) return
      this.#checkNumber(rows.length)
      // As after a kill before the last entry was on disk.
      if (this.#random() < 0.3) journal.entries.pop()
    }
  }

  async #sync(): Promise<void> {
    const all = this.#rows(2 + Math.floor(this.#random() * 5))
    const rows = all.filter((row, index) => all.findIndex(({ custom }) => custom === row.custom) === index)
    const options = { apply: true, concurrency: this.#pick([1, 10]), ...(this.#random() < 0.7 && { prune: 'sale' }) }
    let failed = 0
    for (const isCalm of [false, true]) {
      if (isCalm) this.#sandbox.chaos({ rate: 0 })
      try {
        for await (const result of syncLinks(this.#client, rows, options)) {
          const { action, ok, outcome, alias } = result
          if (!ok) failed++
          if (outcome !== 'done' || action === 'delete') continue
          const isThere = this.#sandbox.data.links.some(
            (link) => lettersOf(link.alias) === lettersOf(alias) && link.longurl === result.url,
          )
          if (!isThere) throw new Error(`sync says ${action} ${alias} is done`)
        }
      } catch (error) {
        if (!('code' in (error as object))) throw error
        failed++
      }
    }
    const wanted = rows.map(({ custom }) => lettersOf(custom!))
    const lost = this.#deleted.find(({ alias }) => wanted.includes(lettersOf(alias)) || !alias.startsWith('sale'))
    if (lost) throw new Error(`sync has deleted ${lost.alias}`)
    if (failed > 0) return
    this.#random = () => 1
    const { create, update, delete: deletions } = await syncLinks(this.#client, rows, { apply: false }).summary()
    if (create + update + deletions > 0) throw new Error('a second sync is not all keep')
  }

  /** A row that is done has a link with its alias that leads to its address. */
  #checkRow({ url, custom }: LinkRow, id: number, shorturl: string): void {
    const link = this.#sandbox.data.links.find((row) => row.id === id)
    if (!link) throw new Error(`there is no link ${id}`)
    if (link.longurl !== url) throw new Error(`${shorturl} leads to ${link.longurl}, not to ${url}`)
    if (custom && lettersOf(link.alias) !== lettersOf(custom)) throw new Error(`${shorturl} is not ${custom}`)
  }

  /** No more links were made than there are rows. */
  #checkNumber(rows: number): void {
    const made = this.#sandbox.data.links.filter(({ id }) => !this.#others.has(id)).length
    if (made > rows) throw new Error(`${made} links were made for ${rows} rows`)
  }

  #isChaotic(): boolean {
    return this.#sandbox.requests.some(({ status }) => status !== 200)
  }

  #rows(count: number) {
    return Array.from({ length: count }, () => ({ url: this.#url(), custom: this.#pick(aliases) as string }))
  }

  /** An alias as this server has stored it. */
  #stored(alias: string): string {
    if (!this.#dialect.includes('alias-slugged')) return alias
    const plain = alias.normalize('NFD').replace(/[\u0300-\u036f.]/g, '')
    return plain.toLowerCase().replace(/[_\s]+/g, '-')
  }

  readonly #url = () => `https://shop.example/${Math.floor(this.#random() * 6)}`

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)]!
  }
}

/** Runs scenarios, and fails with the seed of the first that says what is not true. */
export async function runScenarios(first: number, count: number): Promise<void> {
  for (let seed = first; seed < first + count; seed++) {
    await new Scenario(seed).run().catch((error) => {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
    })
  }
}
