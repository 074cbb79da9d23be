import { isShortLinkError, type Link, type ShortLinkClient } from 'shortlink-sdk'
import { getOrigin } from '../../../src/client/links/match.ts'

/** How many pages of newest links to read. A page has 100 links unless the server sends fewer. */
const NEWEST_PAGES = 10

/**
 * Reads the newest links and the domains of an account. Each list is read once for all rows, and again after a failure.
 */
export class Account {
  readonly #client: ShortLinkClient
  readonly #options: { readonly signal: AbortSignal }
  #newest: Promise<readonly Link[]> | undefined
  #domains: Promise<readonly string[] | undefined> | undefined

  constructor(client: ShortLinkClient, signal: AbortSignal) {
    this.#client = client
    this.#options = { signal }
  }

  getNewestLinks(): Promise<readonly Link[]> {
    this.#newest ??= this.#readNewest().catch((error) => {
      this.#newest = undefined
      throw error
    })
    return this.#newest
  }

  /** Reads the first page of the newest links again; `undefined` if they cannot be read. */
  readNewest(): Promise<readonly Link[] | undefined> {
    return this.#readNewest(1).catch(() => undefined)
  }

  /** Returns the domains that links can be on; `undefined` if they cannot be read. */
  getDomains(): Promise<readonly string[] | undefined> {
    this.#domains ??= this.#readDomains().catch(() => {
      this.#domains = undefined
      return undefined
    })
    return this.#domains
  }

  async #readNewest(maxPages = NEWEST_PAGES): Promise<readonly Link[]> {
    const links: Link[] = []
    let pagesLeft = maxPages
    for await (const { items } of this.#client.links.list({ order: 'date' }, this.#options).pages()) {
      links.push(...items)
      if (--pagesLeft === 0) break
    }
    return links
  }

  async #readDomains(): Promise<readonly string[]> {
    const list = this.#client.domains.list({}, this.#options)
    const listed = await list.toArray({ limit: 100 }).catch((error) => {
      // The plan may not include domains, or the key may lack the permission.
      if (isShortLinkError(error) && ['api', 'permission', 'not_found'].includes(error.code)) return []
      throw error
    })
    const newest = await this.#readNewest(1)
    const mainDomain = getOrigin(this.#client.baseUrl ?? '')
    return [
      ...listed.map(({ domain }) => domain),
      mainDomain,
      ...new Set(newest.map(({ shorturl }) => getOrigin(shorturl))),
    ]
  }
}
