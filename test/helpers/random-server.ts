import type { LinkRow } from 'shortlink-cli'
import { createSandbox, type Deviation, type Sandbox } from 'shortlink-sdk/testing'

const plainAliases = [
  'Tea',
  'sale_may',
  'café',
  'sale-1',
  'p-11',
  'p-1-1',
  '2026-1-11',
  '2026-11-1',
  'Sale-Tea',
  'v1.2',
]
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

const plainUrls = [(number: number) => `https://shop.example/${number}`]

/** The deviations of servers, and the aliases and addresses of rows, that a random server draws from. */
interface Kinds {
  readonly dialects: readonly Deviation[][]
  readonly aliases: readonly string[]
  /** Each creates an address with a number. */
  readonly urls: readonly ((number: number) => string)[]
}

const plain: Kinds = { dialects, aliases: plainAliases, urls: plainUrls }

/** Servers that store, compare or refuse values differently, and rows that are affected by that. */
export const withOwnWays: Kinds = {
  dialects: [
    ...dialects,
    ...dialects.map((dialect): Deviation[] => [...dialect, 'url-respelled']),
    ['url-existing'],
    ['url-existing', 'short-ignored'],
    ['url-ascii'],
    ['url-ascii', 'refusals-in-200', 'messages-translated'],
    ['url-ascii', 'alias-ignored'],
    ['url-cut'],
    ['url-cut', 'alias-slugged'],
    ['url-lower-case'],
    ['url-lower-case', 'short-ignored'],
    ['title-cut'],
    ['update-clears'],
    ['update-clears', 'url-respelled'],
    ['update-clears', 'url-lower-case', 'title-cut'],
    ['alias-as-number'],
    ['alias-as-number', 'ids-sometimes-strings'],
    ['alias-as-number', 'numbers-as-strings'],
    ['plan-limit'],
    ['plan-limit', 'refusals-in-200', 'messages-translated'],
    ['plan-limit', 'url-respelled'],
    ['refused-words'],
    ['refused-words', 'url-ascii'],
    ['order-unstable'],
    ['order-unstable', 'url-respelled'],
  ],
  aliases: [...plainAliases, '007', '7', 'xxx-1'],
  urls: [
    ...plainUrls,
    (number) => `https://shop.example/${number}/`,
    (number) => `https://shop.example/${number}?a=1&b=2`,
    (number) => `https://shop.example/caf%c3%a9/${number}`,
    (number) => `https://shop.example/th\u00e9/${number}`,
    (number) => `https://shop.example/the\u0301-vert/${number}/`,
    (number) => `https://shop.example/two words/${number}`,
    (number) => `https://shop.example/Tea/${number}`,
    (number) => `https://shop.example/tea/${number}`,
    (number) => `https://shop.example/${number}#menu`,
    (number) => `https://shop.example/${number}/?html=<a href=x>`,
    (number) => `https://shop.example/${number}/${'long/'.repeat(20)}`,
  ],
}

/** Creates a generator of reproducible numbers from 0 to 1. */
export function randomOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32
  }
}

/** Returns the letters and digits of an alias. Written independently of the package. */
export const lettersOf = (alias: string) =>
  [...alias.normalize('NFD').toLowerCase()].filter((letter) => /[a-z0-9]/.test(letter)).join('')

type Stored = Sandbox['data']['links'][number]

/** A server with random links, faults and deviations, and another program that writes. Its checks read its links. */
export class RandomServer {
  protected random: () => number
  protected readonly dialect: Deviation[]
  protected readonly sandbox: Sandbox
  /** The ids of links that the programs under test did not create. */
  protected readonly others = new Set<number>()
  protected readonly deleted: Stored[] = []
  /** Links that the other program deleted. */
  protected readonly removed = new Set<Stored>()
  /** The ids of links that the other program will delete, which moves later links to earlier pages during a walk. */
  protected shifting = new Set<number>()
  readonly #kinds: Kinds
  /** The maximum number of links on a page. */
  readonly #pageSize: number

  constructor(seed: number, kinds = plain) {
    this.#kinds = kinds
    this.random = randomOf(seed)
    this.dialect = this.pick(kinds.dialects)
    const links = kinds.aliases
      .filter(() => this.random() < 0.3)
      .map((alias, index) => ({ id: index + 1, alias: this.stored(alias), longurl: this.storedUrl(this.url()) }))
    const distinct = links.filter(({ alias }, index) => links.findIndex((link) => link.alias === alias) === index)
    this.sandbox = createSandbox({ dialect: this.dialect, data: { links: distinct } })
    for (const { id } of distinct) this.others.add(id)
    this.sandbox.chaos({ seed, rate: this.random() * 0.4 })
    this.#pageSize = this.pick([100, 3])
  }

  /** Sends a request to the sandbox. Lets the other program write, and records deleted links. */
  protected async fetch(...call: Parameters<typeof fetch>): Promise<Response> {
    const { links } = this.sandbox.data
    const before = [...links]
    if (before[0] && this.random() < 0.05) {
      const alias = this.random() < 0.5 ? this.pick(this.#kinds.aliases) : `other-${links.length}-${this.removed.size}`
      if (!links.some((link) => lettersOf(link.alias) === lettersOf(alias))) {
        await this.addAsAnother(alias)
      }
    }
    // Keeps the newest link, because the sandbox would reuse its id, which databases do not.
    const newest = Math.max(...links.map(({ id }) => id))
    const shifting = links.filter(({ id }) => this.shifting.has(id) && id < newest)
    if (shifting.length > 0 && this.random() < 0.1) {
      const gone = this.pick(shifting)
      links.splice(links.indexOf(gone), 1)
      this.removed.add(gone)
      this.shifting.delete(gone.id)
      this.others.delete(gone.id)
    }
    // The response may be lost after the work was done.
    const response = await this.sandbox.fetch(smallPage(call[0], this.#pageSize), call[1]).finally(() => {
      this.deleted.push(...before.filter((link) => !links.includes(link) && !this.removed.has(link)))
    })
    return this.random() < 0.05 ? withoutLastRow(response) : response
  }

  /** Adds links that the other program deletes later. */
  protected async addShifting(): Promise<void> {
    for (let count = Math.floor(this.random() * 20); count > 0; count--) {
      const id = await this.addAsAnother(`other-${count}`)
      if (id !== undefined) this.shifting.add(id)
    }
  }

  /** Adds a link as another program would, and returns its id. */
  protected async addAsAnother(alias: string): Promise<number | undefined> {
    const { links } = this.sandbox.data
    if (!links[0]) return undefined
    const known = [...links, ...this.deleted, ...this.removed]
    const id = Math.max(0, ...known.map((link) => link.id)) + 1
    links.push({ ...structuredClone(links[0]), id, alias: this.stored(alias), longurl: this.storedUrl(this.url()) })
    this.others.add(id)
    return id
  }

  /** Throws unless a finished row has a link with its alias that leads to its address. */
  protected checkRow({ url, custom }: LinkRow, shorturl: string, id?: number): void {
    const link = this.sandbox.data.links.find(({ alias }) => decodeURI(shorturl) === `https://sho.rt/${alias}`)
    if (!link) throw new Error(`there is no link ${shorturl}`)
    if (id !== undefined && link.id !== id) throw new Error(`${shorturl} is link ${link.id}, not ${id}`)
    if (!this.leadsTo(link, String(url))) throw new Error(`${shorturl} leads to ${link.longurl}, not to ${url}`)
    if (custom && lettersOf(link.alias) !== lettersOf(custom)) throw new Error(`${shorturl} is not ${custom}`)
  }

  /** Returns whether a link leads to an address as this server stores it, maybe without its fragment and last slash. */
  protected leadsTo({ longurl }: Stored, url: string): boolean {
    return this.#isStoredAs(longurl, url) || plainUrl(longurl) === plainUrl(url)
  }

  /** Returns whether this server stores an address, or its ASCII form, as `longurl`. */
  #isStoredAs(longurl: string, url: string): boolean {
    return [url, new URL(url).href].some((sent) => this.storedUrl(sent) === longurl)
  }

  /** Throws if more links were created for an address than rows have it. */
  protected checkNumber(rows: readonly LinkRow[]): void {
    const made = this.sandbox.data.links.filter(({ id }) => !this.others.has(id))
    for (const { longurl } of made) {
      const [links, wanted] = [
        made.filter((link) => link.longurl === longurl),
        rows.filter(({ url }) => this.#isStoredAs(longurl, String(url))),
      ]
      if (links.length > wanted.length) {
        throw new Error(`${links.length} links were created for ${wanted.length} rows to ${longurl}`)
      }
    }
  }

  protected rows(count: number) {
    return Array.from({ length: count }, () => ({ url: this.url(), custom: this.pick(this.#kinds.aliases) as string }))
  }

  /** Returns an alias as this server stores it. */
  protected stored(alias: string): string {
    if (!this.dialect.includes('alias-slugged')) return alias
    const plain = alias.normalize('NFD').replace(/[\u0300-\u036f.]/g, '')
    return plain.toLowerCase().replace(/[_\s]+/g, '-')
  }

  /** Returns an address as this server stores it. Written independently of the mock server. */
  protected storedUrl(url: string): string {
    let stored = url
    if (this.dialect.includes('url-respelled')) {
      const [address = ''] = stored.split('#')
      const [path = '', ...query] = address.split('?')
      const withoutSlash = path.length > 'https://'.length && path.endsWith('/') ? path.slice(0, -1) : path
      stored = [withoutSlash, ...query]
        .join('?')
        .replaceAll('%c3%a9', '%C3%A9')
        .replaceAll('&', '&amp;')
        .replaceAll('href=', 'rel="nofollow" href=')
        .normalize()
    }
    if (this.dialect.includes('url-cut')) stored = stored.slice(0, 80)
    return this.dialect.includes('url-lower-case') ? stored.toLowerCase() : stored
  }

  protected readonly url = () => this.pick(this.#kinds.urls)(Math.floor(this.random() * 6))

  protected pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)]!
  }
}

/** Returns an address without the parts that servers may change. */
function plainUrl(url: string): string {
  const [address = ''] = url.replaceAll('&amp;', '&').replaceAll('rel="nofollow" ', '').split('#')
  return decodeURI(new URL(address).href)
    .replace(/\/(?=\?|$)/, '')
    .normalize()
}

/** Returns the URL of a request with a smaller `limit`. */
function smallPage(input: string | URL | Request, size: number): string | URL | Request {
  const url = new URL(String(input))
  if (size >= 100 || !url.searchParams.has('limit')) return input
  url.searchParams.set('limit', String(size))
  return url
}

/** Returns a page of links without its last row, but with an unchanged count. */
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
