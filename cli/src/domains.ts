/** Reads the domains that the links of an account can be on. */
import { isShortLinkError, type ShortLinkClient } from 'shortlink-sdk'
import { getOrigin } from '../../src/client/links/match.ts'

type Client = Pick<ShortLinkClient, 'domains' | 'links'>

interface ReadOptions {
  readonly signal: AbortSignal | undefined
}

/** Lists the first 100 domains. Returns `undefined` if the server has no such list, or refuses it. */
export async function listDomains(client: Client, options: ReadOptions): Promise<readonly string[] | undefined> {
  const domains = await readFirstPage(client.domains.list({}, options).pages())
  return domains?.map(({ domain }) => domain)
}

/** Lists the domains of the newest 100 links. GET /domains may omit the main domain. */
export async function listDomainsOfLinks(client: Client, options: ReadOptions): Promise<readonly string[]> {
  const newest = await readFirstPage(client.links.list({ order: 'date' }, options).pages())
  return [...new Set(newest?.map(({ shorturl }) => getOrigin(shorturl)))]
}

/** Reads the first page of a list. Returns `undefined` if the server or the key does not allow it. */
async function readFirstPage<T>(
  pages: AsyncIterable<{ readonly items: readonly T[] }>,
): Promise<readonly T[] | undefined> {
  try {
    for await (const { items } of pages) return items
    return []
  } catch (error) {
    const codes = ['api', 'permission', 'not_found', 'invalid_response']
    if (!isShortLinkError(error) || !codes.includes(error.code)) throw error
    return undefined
  }
}
