import { formatValue } from '../../checks/mismatch.ts'
import {
  type AnyShortLinkError,
  type ErrorContext,
  InvalidResponseError,
  isShortLinkError,
  LinkConflictError,
  type Outcome,
} from '../../errors.ts'
import type { ApiPromise, ApiResponse } from '../../http/api-promise.ts'
import type { RequestOptions } from '../../http/request-options.ts'
import type { Transport } from '../../http/transport.ts'
import { answerOf, askForLink, findLink, isRefusal } from './find.ts'
import type { CreatedLink, EnsuredLink, Link } from './link.ts'
import { addressOf, candidates, isMadeSo, isOnDomain, isSameAddress, isSpelledSo, type WantedLink } from './match.ts'
import type { LinkCreate } from './params.ts'

/** How a link with an alias is looked for and created. */
export interface Placing {
  /** What the user has called, for errors. */
  readonly operation?: string
  /** Options for the requests that look, and for the one that creates. */
  readonly look: RequestOptions
  readonly creation: RequestOptions
  readonly onTaken?: 'suffix' | undefined
  /**
   * Whether to look before creating, which takes one request if the link exists and two if it does not. Otherwise it is the
   * other way round.
   */
  readonly looksFirst: boolean
  /**
   * Searches links that were read already for one whose alias the server calls taken, but does not find. Default: the newest
   * links are read.
   */
  readonly searchRead?: (wanted: WantedLink) => Promise<Link | undefined>
}

/** Creates a link, in one request. */
export interface CreatesLinks {
  create(params: LinkCreate, options: RequestOptions): ApiPromise<CreatedLink>
}

/** Parameters for `links.ensure`. `url` and `custom` are required. */
export interface LinkEnsure extends LinkCreate {
  custom: string
}

/** Looks for a link with an alias, creates it if there is none, and looks again if it is unknown whether that has worked. */
export async function placeLink(
  api: Transport,
  links: CreatesLinks,
  params: LinkEnsure,
  how: Placing,
): Promise<ApiResponse<EnsuredLink>> {
  const attempt = new Attempt(api, links, how)
  let conflict: unknown
  for (const custom of candidates(params.custom, how.onTaken)) {
    try {
      return await attempt.place({ ...params, custom })
    } catch (error) {
      if (!isShortLinkError(error) || error.code !== 'link_conflict') throw attempt.described(error)
      conflict = error
    }
  }
  throw conflict
}

/** Creates a link, and checks that it has the alias and the domain that it was to have, in the server's spelling. */
export async function createLink(
  links: CreatesLinks,
  params: LinkCreate,
  options: RequestOptions,
  operation?: string,
): Promise<ApiResponse<CreatedLink>> {
  const created = await links.create(params, options).withResponse()
  const { custom: alias, domain } = params
  const { shorturl } = created.data
  const isOnItsDomain = !domain || isOnDomain(created.data, domain)
  if (isOnItsDomain && (!alias || isMadeSo(shorturl, alias))) return created
  const onDomain = alias ? addressOf({ alias, domain }) : `a link on ${domain}`
  const wanted = domain ? onDomain : `the alias ${formatValue(alias)}`
  const message = `the server has made ${shorturl} instead of ${wanted}`
  throw new InvalidResponseError(
    message,
    {
      status: created.response.status,
      body: created.data,
      issues: [{ path: [isOnItsDomain ? 'custom' : 'domain'], message }],
    },
    { ...contextOf('POST', '/url/add', created, operation), outcome: 'unknown' },
  )
}

/**
 * Whether an error says that the server has given a link another alias or domain than the one that was sent. It will do so
 * with the next link too.
 */
export function isOtherPlace(error: unknown): boolean {
  if (!isShortLinkError(error) || error.code !== 'invalid_response') return false
  return ['custom', 'domain'].includes(String(error.issues[0]?.path[0]))
}

/** The requests for one link, and the outcome of those that create it. */
class Attempt {
  readonly #api: Transport
  readonly #links: CreatesLinks
  readonly #how: Placing
  #outcome: Outcome = 'not-sent'

  constructor(api: Transport, links: CreatesLinks, how: Placing) {
    this.#api = api
    this.#links = links
    this.#how = how
  }

  async place(params: LinkEnsure): Promise<ApiResponse<EnsuredLink>> {
    const { url, custom: alias, domain } = params
    const wanted = { alias, domain }
    const { look, creation, looksFirst } = this.#how

    if (looksFirst) {
      // No search is needed: if the response is inconclusive, the server refuses to create a second link.
      const before = await askForLink(this.#api, wanted, look)
      const link = before?.data
      // A server that leaves out `longurl` is trusted to have returned the right link.
      if (link && (link.longurl === null || isSameAddress(link.longurl, url))) return this.#found(before, link, false)
      // Another spelling may be another link: the server decides.
      if (link && isSpelledSo(link, alias)) throw this.#conflict(before, link)
    }
    let error: unknown
    try {
      const created = await createLink(this.#links, params, creation, this.#how.operation)
      return { ...created, data: { ...created.data, created: true, link: undefined } }
    } catch (thrown) {
      error = thrown
    }
    if (!isShortLinkError(error) || isOtherPlace(error)) throw error
    const isUnknown = error.outcome === 'unknown'
    this.#outcome = error.outcome
    if (!isUnknown && !isRefusal(error)) throw error
    const after = await this.#findAfter(error, wanted).catch((failure) => {
      throw isShortLinkError(failure) && isUnknown ? error : failure
    })
    const link = after.data
    if (!link || link.longurl === null) throw error
    if (isSameAddress(link.longurl, url)) return this.#found(after, link, isUnknown)
    throw isUnknown && !isSpelledSo(link, alias) ? error : this.#conflict(after, link)
  }

  /** Looks for a link whose creation has failed. */
  #findAfter(error: AnyShortLinkError, wanted: WantedLink): Promise<ApiResponse<Link | undefined>> {
    const { look, searchRead } = this.#how
    if (!isRefusal(error)) return findLink(this.#api, wanted, look)
    const search = searchRead && (async () => answerOf(error, await searchRead(wanted)))
    return findLink(this.#api, wanted, look, { isTaken: true, ...(search && { search }) })
  }

  /** Makes an error one of the operation: the outcome is that of the creation, and an unknown outcome can be retried. */
  described(error: unknown): unknown {
    if (!isShortLinkError(error)) return error
    const { operation } = this.#how
    const outcome = this.#outcome === 'unknown' ? 'unknown' : error.method === 'GET' ? this.#outcome : error.outcome
    const retryable = error.retryable || (outcome === 'unknown' && !isOtherPlace(error))
    const message = operation && !error.message.startsWith(operation) ? `${operation}: ${error.message}` : error.message
    return Object.assign(error, { outcome, retryable, message })
  }

  #found(answer: ApiResponse<unknown>, link: Link, created: boolean): ApiResponse<EnsuredLink> {
    const { id, shorturl } = link
    return { ...answer, data: { id, shorturl, created, link: created ? undefined : link } }
  }

  #conflict(answer: ApiResponse<unknown>, { shorturl, longurl }: Link): LinkConflictError {
    // Another link has the alias, so an attempt whose outcome was unknown did not create it.
    const outcome = this.#outcome === 'not-sent' ? 'not-sent' : 'rejected'
    const context = contextOf('GET', '/urls', answer, this.#how.operation)
    return new LinkConflictError({ shorturl, longurl: longurl! }, { ...context, outcome })
  }
}

function contextOf(
  method: string,
  path: string,
  { attempts, response }: ApiResponse<unknown>,
  operation: string | undefined,
): ErrorContext {
  // The responses of some fetches have no URL.
  return { ...(operation && { operation }), method, path, ...(response.url && { url: response.url }), attempts }
}
