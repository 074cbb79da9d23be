import type { Link, ShortLinkClient } from 'shortlink-sdk'
import { getOrigin } from '../../../src/client/links/match.ts'
import { listDomains, listDomainsOfLinks } from '../domains.ts'

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
      for (const link of items) links.push(link)
      if (--pagesLeft === 0) break
    }
    return links
  }

  async #readDomains(): Promise<readonly string[]> {
    const listed = await listDomains(this.#client, this.#options)
    const ofLinks = await listDomainsOfLinks(this.#client, this.#options)
    return [...(listed ?? []), getOrigin(this.#client.baseUrl ?? ''), ...ofLinks]
  }
}
