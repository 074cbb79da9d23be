import { type ApiError, isShortLinkError } from '../../errors.ts'
import type { Api } from '../../http/api.ts'
import { type Read, type Refusal, readPage } from '../../http/envelope.ts'
import { path } from '../../http/path.ts'
import type { RequestOptions } from '../../http/request-options.ts'
import { Domain } from '../domains.ts'
import { Link, prepareLink } from './link.ts'
import { hostOf, isOnDomain, originOf } from './match.ts'
import { type LinkQuery, linkQuery } from './params.ts'

/** The domains of an account, each list read once, when it is needed. GET `/domains` need not have the main one. */
export class AccountDomains {
  #listed: Promise<readonly string[] | undefined> | undefined
  #ofLinks: Promise<readonly string[]> | undefined

  /** Returns the domains that the server lists; `undefined` if it does not, because of the plan or the key. */
  listed(api: Api, options: RequestOptions = {}): Promise<readonly string[] | undefined> {
    this.#listed ??= listDomains(api, options).catch((error) => {
      this.#listed = undefined
      throw error
    })
    return this.#listed
  }

  /** Returns the domains of the newest links. */
  ofLinks(api: Api, options: RequestOptions = {}): Promise<readonly string[]> {
    this.#ofLinks ??= domainsOfLinks(api, options).catch((error) => {
      this.#ofLinks = undefined
      throw error
    })
    return this.#ofLinks
  }

  /** Returns the domains other than that of a link. */
  async besides(link: { readonly shorturl: string }, api: Api, options: RequestOptions): Promise<string[]> {
    const listed = await this.listed(api, options)
    // A link on a domain that is not listed is on the main one, so all are known.
    const isOnMain = listed && !listed.some((domain) => isOnDomain(link, domain))
    const others = isOnMain ? [] : [originOf(api.baseUrl()), ...(await this.ofLinks(api, options))]
    const byHost = new Map([...(listed ?? []), ...others].map((domain) => [hostOf(domain), domain]))
    byHost.delete(hostOf(link.shorturl))
    return [...byHost.values()]
  }
}

/** Lists the domains. Reads only the first 100. */
function listDomains(api: Api, options: RequestOptions): Promise<readonly string[] | undefined> {
  const readDomains = readPage('domains', Domain)
  const read: Read<readonly string[] | undefined> = async (received, context) => {
    if (received.envelope?.ok === false) return undefined
    const page = await readDomains(received, context)
    return context.unusable ? undefined : page.items.map(({ domain }) => domain)
  }
  const accepts = ({ status }: Refusal) => ![401, 408, 429].includes(status) && status < 500
  const call = { method: 'GET', path: path`/domains`, query: { limit: 100 }, read, accepts }
  return api
    .run(call, options)
    .then(({ data }) => data)
    .catch(unlessNotTold)
}

async function domainsOfLinks(api: Api, options: RequestOptions): Promise<readonly string[]> {
  const query: LinkQuery = { order: 'date' }
  const list = { query, checks: linkQuery, under: 'urls', row: Link, prepare: prepareLink }
  const links = api.list(path`/urls`, list, options)
  try {
    // The first page of a loop has 100 rows, or as many as the server allows.
    for await (const { items } of links.pages()) return [...new Set(items.map(({ shorturl }) => originOf(shorturl)))]
  } catch (error) {
    unlessNotTold(error)
  }
  return []
}

/** True if the server does not tell, because of the plan, the key, or its age. */
const isRefused = (error: unknown): error is ApiError =>
  isShortLinkError(error) && ['api', 'permission', 'not_found'].includes(error.code)

/** Returns `undefined` for the error of a server that does not tell. @throws any other error */
function unlessNotTold(error: unknown): undefined {
  const isOdd = isShortLinkError(error) && error.code === 'invalid_response'
  if (!isOdd && !isRefused(error)) throw error
}
