import type { Read, Refusal } from '../definition.ts'
import { isShortLinkError } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { createSpec } from '../http/call.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { calls } from '../resources/domains.ts'
import { LinkCalls } from '../resources/links.ts'
import { getHost, getOrigin, isOnDomain } from './match.ts'

/** A function that returns the domains of the account, except the domain of a link. */
export type OtherDomains = (link: { readonly shorturl: string }) => Promise<string[]>

/** Creates a function that finds the domains of an account, and requests each list only once. */
export function createDomainFinder(api: Api, options: RequestOptions): OtherDomains {
  let listed: Promise<readonly string[] | undefined> | undefined
  let listedByLinks: Promise<readonly string[]> | undefined
  return async (link) => {
    listed ??= listDomains(api, options)
    const domains = await listed
    // GET /domains may omit the main domain. If the link's domain is not listed, it is the main one.
    const isComplete = domains && !domains.some((domain) => isOnDomain(link, domain))
    if (!isComplete) listedByLinks ??= listDomainsOfLinks(api, options)
    const others = listedByLinks && !isComplete ? [getOrigin(api.baseUrl() ?? ''), ...(await listedByLinks)] : []
    const byHost = new Map([...(domains ?? []), ...others].map((domain) => [getHost(domain), domain]))
    byHost.delete(getHost(link.shorturl))
    return [...byHost.values()]
  }
}

/** Lists the first 100 domains. Returns `undefined` if the server refuses, because of the plan or the key. */
async function listDomains(api: Api, options: RequestOptions): Promise<readonly string[] | undefined> {
  const read: Read<readonly string[] | undefined> = async (received, context) => {
    if (received.envelope?.ok === false) return undefined
    const page = await calls.list.read(received, context)
    return context.unusable ? undefined : page.items.map(({ domain }) => domain)
  }
  const accepts = ({ status }: Refusal) => ![401, 408, 429].includes(status) && status < 500
  const call = { ...createSpec(calls.list, { query: { limit: 100 } }), read, accepts }
  const result = await api.run(call, options).catch(ignoreRefusal)
  return result?.data
}

/** Lists the domains of the newest links, from one page of 100, or fewer if the server sends fewer. */
async function listDomainsOfLinks(api: Api, options: RequestOptions): Promise<readonly string[]> {
  const pages = new LinkCalls(api).list({ order: 'date' }, options).pages()
  try {
    for await (const { items } of pages) return [...new Set(items.map(({ shorturl }) => getOrigin(shorturl)))]
  } catch (error) {
    ignoreRefusal(error)
  }
  return []
}

/** Rethrows an error, unless the server refused the list or sent one that cannot be read. */
function ignoreRefusal(error: unknown): undefined {
  const refusals = ['api', 'permission', 'not_found', 'invalid_response']
  if (!isShortLinkError(error) || !refusals.includes(error.code)) throw error
}
