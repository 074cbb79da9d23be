import type { RequestOptions } from '../http/request-options.ts'
import { SEARCHED_PAGES } from '../resources/links/find.ts'
import type { Link } from '../resources/links/link.ts'
import { leadsTo } from '../resources/links/match.ts'
import type { LinkCreate } from '../resources/links/params.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { type PlacedLink, withOutcome } from './create.ts'
import type { Links } from './links.ts'
import { hostOf } from './rows.ts'

/** The links of rows without an alias, which only their addresses tell apart. */
export class LinksByAddress {
  readonly #links: Links
  /** The newest links, read once, when the first row asks for them. */
  #newest: Promise<Map<string, Link[]>> | undefined
  /** The links of this import, by domain and address. */
  readonly #placed = new Map<string, Promise<PlacedLink>>()

  constructor(links: Links) {
    this.#links = links
  }

  /** Gets the link that leads to the address of a row, or creates it. */
  async place(params: LinkCreate, options: RequestOptions): Promise<PlacedLink> {
    const key = `${params.domain ? hostOf(params.domain) : ''} ${spelled(params.url)}`
    const placed = this.#placed.get(key)
    if (placed) return { ...(await placed), created: false }
    const placing = this.#findOrCreate(params, options)
    this.#placed.set(key, placing)
    placing.catch(() => this.#placed.delete(key))
    return placing
  }

  async #findOrCreate(params: LinkCreate, options: RequestOptions): Promise<PlacedLink> {
    this.#newest ??= this.#read(options)
    const newest = await this.#newest.catch((error) => {
      this.#newest = undefined
      throw withOutcome(error, 'not-sent')
    })
    const found = newest.get(spelled(params.url))?.find((link) => leadsTo(link, params.url, params.domain))
    if (found) return { id: found.id, shorturl: found.shorturl, created: false }
    try {
      return { ...(await this.#links.create(params, options)), created: true }
    } catch (error) {
      if ((error as { outcome?: unknown }).outcome !== 'unknown') throw error
      const link = await this.#search(params, options).catch(() => undefined)
      if (!link) throw error
      return { id: link.id, shorturl: link.shorturl, created: true }
    }
  }

  async #read(options: RequestOptions): Promise<Map<string, Link[]>> {
    const byAddress = new Map<string, Link[]>()
    for await (const link of this.#newestLinks(options)) {
      if (link.longurl === null) continue
      const address = spelled(link.longurl)
      byAddress.set(address, [...(byAddress.get(address) ?? []), link])
    }
    return byAddress
  }

  /** Looks again for a link that may have been created. */
  async #search(params: LinkCreate, options: RequestOptions): Promise<Link | undefined> {
    for await (const link of this.#newestLinks(options)) if (leadsTo(link, params.url, params.domain)) return link
    return undefined
  }

  async *#newestLinks(options: RequestOptions): AsyncGenerator<Link> {
    let pages = 0
    for await (const { items } of this.#links.list({ order: 'date', limit: 100 }, options).pages()) {
      yield* items
      if (++pages === SEARCHED_PAGES) return
    }
  }
}

/** An address in one spelling. */
const spelled = (url: string) => (canParseUrl(url) ? new URL(url).href : url)
