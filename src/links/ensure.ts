import { type ErrorContext, isShortLinkError } from '../errors.ts'
import type { ApiPromise, ApiResponse } from '../http/api-promise.ts'
import type { RequestOptions } from '../http/request-options.ts'
import type { Resource } from '../resources/resource.ts'
import { isRecord } from '../schema/expected.ts'
import { checkParams } from '../schema/params.ts'
import { LinkConflictError } from './conflict.ts'
import { isRefusal, LinkFinder } from './find.ts'
import type { CreatedLink, EnsuredLink, Link } from './link.ts'
import { isOnDomain, isSameAddress } from './match.ts'
import { type LinkCreate, linkChecks } from './params.ts'

interface Links extends Pick<Resource, 'call' | 'pages'> {
  create(params: LinkCreate, options: RequestOptions | undefined): ApiPromise<CreatedLink>
}

/** Looks for a link, creates it where there is none, and looks again where that may have failed for one that is there. */
export async function ensureLink(
  links: Links,
  params: LinkCreate,
  options: RequestOptions | undefined,
): Promise<ApiResponse<EnsuredLink>> {
  const { url, custom, domain } = isRecord(params) ? params : ({} as LinkCreate)
  const invalid = checkParams(params, linkChecks, ['url'])
  const finder = new LinkFinder(links, invalid, options)
  const address = custom && invalid.length === 0 ? addressOf(custom, domain) : undefined
  const leadsThere = (link: Link) => link.longurl !== null && isSameAddress(link.longurl, url)
  const search = () => finder.search((link) => leadsThere(link) && (!domain || isOnDomain(link, domain)))

  // With an alias it is enough to ask: where that leaves it open, the server refuses to create a second one.
  const before = await (address ? finder.ask(address) : search())
  if (before?.data) return ensured({ ...before, data: before.data }, url)
  try {
    const { data, ...answer } = await links.create(params, options).withResponse()
    return { ...answer, data: { ...data, created: true } }
  } catch (error) {
    if (!isShortLinkError(error) || !(error.outcome === 'unknown' || (address && isRefusal(error)))) throw error
    const after = await (address ? finder.find(address) : search()).catch((failure) => {
      throw isShortLinkError(failure) && error.outcome === 'unknown' ? error : failure
    })
    if (!after.data) throw error
    return ensured({ ...after, data: after.data }, url, error)
  }
}

/** The link that `ensure` found, `error` being what its attempt to create it ended with. */
function ensured(
  { data, ...answer }: ApiResponse<Link>,
  url: string,
  error?: { readonly outcome: string },
): ApiResponse<EnsuredLink> {
  const { id, shorturl, longurl } = data
  // A deployment that does not say where its links lead is taken at its word that this is the one.
  if (longurl !== null && !isSameAddress(longurl, url)) {
    const { attempts, response } = answer
    // The responses of some fetches have no address.
    const context: ErrorContext = { method: 'GET', path: '/urls', ...(response.url && { url: response.url }), attempts }
    throw new LinkConflictError({ shorturl, longurl }, { ...context, outcome: error ? 'rejected' : 'not-sent' })
  }
  return { ...answer, data: { id, shorturl, created: error?.outcome === 'unknown' } }
}

/** What to ask for: the alias, or its whole address where the domain is known. */
function addressOf(alias: string, domain: string | undefined): string {
  return domain ? `${domain.replace(/\/$/, '')}/${encodeURIComponent(alias)}` : alias
}
