import type { LinkRow } from 'shortlink-cli'
import { createSandbox, type Deviation, type Sandbox } from 'shortlink-sdk/testing'

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
  ['link-update-short', 'alias-slugged', 'older-link-rows'],
  ['refusals-in-200', 'messages-translated', 'key-refused-with-403'],
  ['numbers-as-strings', 'booleans-as-digits', 'lists-with-gaps'],
  ['nextpage-repeats', 'error-as-string', 'short-as-list'],
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
export const lettersOf = (alias: string) =>
  [...alias.normalize('NFD').toLowerCase()].filter((letter) => /[a-z0-9]/.test(letter)).join('')

type Stored = Sandbox['data']['links'][number]

/** A server with random links, faults and deviations, another program that writes, and the truth about its links. */
export class RandomServer {
  protected random: () => number
  protected readonly dialect: Deviation[]
  protected readonly sandbox: Sandbox
  /** Links that the programs under test have not made. */
  protected readonly others = new Set<number>()
  protected readonly deleted: Stored[] = []
  /** Links that the other program has deleted. */
  protected readonly removed = new Set<Stored>()
  /** Links that another program deletes, so that those behind them move while a list is read. */
  protected shifting = new Set<number>()
  /** The links on a page at most. */
  readonly #pageSize: number

  constructor(seed: number) {
    this.random = randomOf(seed)
    this.dialect = this.pick(dialects)
    const links = aliases
      .filter(() => this.random() < 0.3)
      .map((alias, index) => ({ id: index + 1, alias: this.stored(alias), longurl: this.url() }))
    const distinct = links.filter(({ alias }, index) => links.findIndex((link) => link.alias === alias) === index)
    this.sandbox = createSandbox({ dialect: this.dialect, data: { links: distinct } })
    for (const { id } of distinct) this.others.add(id)
    this.sandbox.chaos({ seed, rate: this.random() * 0.4 })
    this.#pageSize = this.pick([100, 3])
  }

  /** Another program writes meanwhile, and what is deleted is noted. */
  protected async fetch(...call: Parameters<typeof fetch>): Promise<Response> {
    const { links } = this.sandbox.data
    const before = [...links]
    if (before[0] && this.random() < 0.05) {
      const alias = this.random() < 0.5 ? this.pick(aliases) : `other-${links.length}-${this.removed.size}`
      if (!links.some((link) => lettersOf(link.alias) === lettersOf(alias))) {
        await this.addAsAnother(alias)
      }
    }
    // Not the newest: the sandbox would give its id to the next link, which databases do not.
    const newest = Math.max(...links.map(({ id }) => id))
    const shifting = links.filter(({ id }) => this.shifting.has(id) && id < newest)
    if (shifting.length > 0 && this.random() < 0.1) {
      const gone = this.pick(shifting)
      links.splice(links.indexOf(gone), 1)
      this.removed.add(gone)
      this.shifting.delete(gone.id)
      this.others.delete(gone.id)
    }
    // A response may be lost after the work.
    const response = await this.sandbox.fetch(smallPage(call[0], this.#pageSize), call[1]).finally(() => {
      this.deleted.push(...before.filter((link) => !links.includes(link) && !this.removed.has(link)))
    })
    return this.random() < 0.05 ? withoutLastRow(response) : response
  }

  /** Adds links that another program deletes later. */
  protected async addShifting(): Promise<void> {
    for (let count = Math.floor(this.random() * 20); count > 0; count--) {
      const id = await this.addAsAnother(`other-${count}`)
      if (id !== undefined) this.shifting.add(id)
    }
  }

  /** Adds a link as another program does: a row of the server with the next id. */
  protected async addAsAnother(alias: string): Promise<number | undefined> {
    const { links } = this.sandbox.data
    if (!links[0]) return undefined
    const known = [...links, ...this.deleted, ...this.removed]
    const id = Math.max(0, ...known.map((link) => link.id)) + 1
    links.push({ ...structuredClone(links[0]), id, alias: this.stored(alias), longurl: this.url() })
    this.others.add(id)
    return id
  }

  /** A row that is done has a link with its alias that leads to its address. */
  protected checkRow({ url, custom }: LinkRow, shorturl: string, id?: number): void {
    const link = this.sandbox.data.links.find(({ alias }) => decodeURI(shorturl) === `https://sho.rt/${alias}`)
    if (!link) throw new Error(`there is no link ${shorturl}`)
    if (id !== undefined && link.id !== id) throw new Error(`${shorturl} is link ${link.id}, not ${id}`)
    if (link.longurl !== url) throw new Error(`${shorturl} leads to ${link.longurl}, not to ${url}`)
    if (custom && lettersOf(link.alias) !== lettersOf(custom)) throw new Error(`${shorturl} is not ${custom}`)
  }

  /** No more links were made for an address than rows have it. */
  protected checkNumber(rows: readonly LinkRow[]): void {
    const made = this.sandbox.data.links.filter(({ id }) => !this.others.has(id))
    for (const { longurl } of made) {
      const [links, wanted] = [
        made.filter((link) => link.longurl === longurl),
        rows.filter(({ url }) => url === longurl),
      ]
      if (links.length > wanted.length) {
        throw new Error(`${links.length} links were made for ${wanted.length} rows to ${longurl}`)
      }
    }
  }

  protected rows(count: number) {
    return Array.from({ length: count }, () => ({ url: this.url(), custom: this.pick(aliases) as string }))
  }

  /** An alias as this server has stored it. */
  protected stored(alias: string): string {
    if (!this.dialect.includes('alias-slugged')) return alias
    const plain = alias.normalize('NFD').replace(/[\u0300-\u036f.]/g, '')
    return plain.toLowerCase().replace(/[_\s]+/g, '-')
  }

  protected readonly url = () => `https://shop.example/${Math.floor(this.random() * 6)}`

  protected pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)]!
  }
}

/** The address of a list, with smaller pages than were asked for. */
function smallPage(input: string | URL | Request, size: number): string | URL | Request {
  const url = new URL(String(input))
  if (size >= 100 || !url.searchParams.has('limit')) return input
  url.searchParams.set('limit', String(size))
  return url
}

/** A page of links whose last row is lost on the way, while its count stays. */
async function withoutLastRow(response: Response): Promise<Response> {
  const { status, headers } = response
  const text = await response.text()
  try {
    const body = JSON.parse(text)
    body.data.urls.pop()
    return new Response(JSON.stringify(body), { status, headers })
  } catch {
    return new Response(text, { status, headers })
  }
}
