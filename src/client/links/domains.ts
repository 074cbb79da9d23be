import { isShortLinkError } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { type Read, type Refusal, readPage } from '../http/envelope.ts'
import { path } from '../http/path.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { Domain } from '../resources/domains.ts'
import { LinkCalls } from '../resources/links.ts'
import { hostOf, isOnDomain, originOf } from './match.ts'

/** Returns the domains of the account other than the one that a link is on. */
export type OtherDomains = (link: { readonly shorturl: string }) => Promise<string[]>

/**
 * Returns a function that finds the domains of an account, and asks for each list once.
 *
 * @param known The domains, if the caller knows them.
 */
export function domainFinder(api: Api, options: RequestOptions, known?: readonly string[]): OtherDomains {
  let listed: Promise<readonly string[] | undefined> | undefined
  let ofLinks: Promise<readonly string[]> | undefined
  return async (link) => {
    listed ??= known ? Promise.resolve(known) : listDomains(api, options)
    const domains = await listed
    // GET /domains need not have the main domain: a link on a domain that is not listed is on that one.
    const isWhole = known || (domains && !domains.some((domain) => isOnDomain(link, domain)))
    if (!isWhole) ofLinks ??= domainsOfLinks(api, options)
    const others = ofLinks && !isWhole ? [originOf(api.baseUrl() ?? ''), ...(await ofLinks)] : []
    const byHost = new Map([...(domains ?? []), ...others].map((domain) => [hostOf(domain), domain]))
    byHost.delete(hostOf(link.shorturl))
    return [...byHost.values()]
  }
}

/** Lists the domains, the first 100 of them. Returns `undefined` if the server refuses, because of the plan or the key. */
async function listDomains(api: Api, options: RequestOptions): Promise<readonly string[] | undefined> {
  const readDomains = readPage('domains', Domain)
  const read: Read<readonly string[] | undefined> = async (received, context) => {
    if (received.envelope?.ok === false) return undefined
    const page = await readDomains(received, context)
    return context.unusable ? undefined : page.items.map(({ domain }) => domain)
  }
  const accepts = ({ status }: Refusal) => ![401, 408, 429].includes(status) && status < 500
  const call = { method: 'GET', path: path`/domains`, query: { limit: 100 }, read, accepts }
  const result = await api.run(call, options).catch(ignoreRefusal)
  return result?.data
}

/** Returns the domains of the newest links: 100, or as many as the server sends on a page. */
async function domainsOfLinks(api: Api, options: RequestOptions): Promise<readonly string[]> {
  const pages = new LinkCalls(api).list({ order: 'date' }, options).pages()
  try {
    for await (const { items } of pages) return [...new Set(items.map(({ shorturl }) => originOf(shorturl)))]
  } catch (error) {
    ignoreRefusal(error)
  }
  return []
}

/** @throws any error but that of a server that refuses a list, or sends one that cannot be read */
function ignoreRefusal(error: unknown): undefined {
  const refusals = ['api', 'permission', 'not_found', 'invalid_response']
  if (!isShortLinkError(error) || !refusals.includes(error.code)) throw error
}
