import { type ErrorContext, isShortLinkError, LinkConflictError, type Outcome } from '../../errors.ts'
import type { ApiResponse } from '../../http/api-promise.ts'
import { type RequestOptions, requestOptionChecks } from '../../http/request-options.ts'
import type { Transport } from '../../http/transport.ts'
import { checkOptions, checkParams, oneOf } from '../../schema/checks.ts'
import type { FormatValue } from '../../schema/expected.ts'
import { askForLink, findLink, isRefusal, searchLinks } from './find.ts'
import type { CreatedLink, EnsuredLink, Link } from './link.ts'
import { addressOf, candidates, isSameAddress, leadsTo } from './match.ts'
import { type LinkCreate, linkCreate } from './params.ts'

/** Options for `links.ensure`. */
export interface EnsureOptions extends RequestOptions {
  /**
   * What to do if the alias leads to another URL. `'suffix'`: take the first of `opening-2` … `opening-10` that is free or
   * already leads to the URL. Default: a `LinkConflictError`.
   */
  onTaken?: 'suffix' | undefined
}

const optionChecks = { ...requestOptionChecks, onTaken: oneOf(['suffix']) }

/** Creates a link, in one request. */
type Create = (params: LinkCreate, options: RequestOptions) => Promise<ApiResponse<CreatedLink>>

/** Looks for a link, creates it if there is none, and looks again if it is unknown whether that has worked. */
export async function ensureLink(
  api: Transport,
  create: Create,
  params: LinkCreate,
  options: EnsureOptions = {},
): Promise<ApiResponse<EnsuredLink>> {
  const findIssues = (show: FormatValue) => {
    const issues = [
      ...checkParams(params, linkCreate, show, Object.keys(optionChecks)),
      ...checkOptions(options, optionChecks, show),
    ]
    if (issues.length > 0) return issues
    // Without an alias, any link to the URL would do, which an empty form field does not mean.
    if (params.custom === '')
      issues.push({ path: ['custom'], message: 'is empty: leave it out if the link needs no alias' })
    else if (options.onTaken && !params.custom) {
      issues.push({ path: ['custom'], message: 'is missing: `onTaken` needs an alias to begin with' })
    }
    return issues
  }
  api.check(findIssues, { operation })
  const { onTaken, ...requestOptions } = options
  const attempt = new Attempt(api, create, requestOptions)
  let conflict: unknown
  for (const custom of candidates(params.custom, onTaken)) {
    try {
      return await attempt.ensure({ ...params, custom })
    } catch (error) {
      if (!(error instanceof LinkConflictError)) throw attempt.described(error)
      conflict = error
    }
  }
  throw conflict
}

const operation = 'links.ensure'

/** One call of `ensure`, which may make several requests, and the outcome of those that create a link. */
class Attempt {
  readonly #api: Transport
  readonly #create: Create
  readonly #options: RequestOptions
  #outcome: Outcome = 'not-sent'

  constructor(api: Transport, create: Create, options: RequestOptions) {
    this.#api = api
    this.#create = create
    this.#options = options
  }

  async ensure(params: LinkCreate): Promise<ApiResponse<EnsuredLink>> {
    const { url, custom, domain } = params
    const address = custom ? addressOf(custom, domain) : undefined
    const search = () => searchLinks(this.#api, (link) => leadsTo(link, url, domain), this.#options)

    // With an alias no search is needed: if the response is inconclusive, the server refuses to create a second link.
    const before = await (address ? askForLink(this.#api, address, this.#options) : search())
    if (before?.data) return this.#found({ ...before, data: before.data }, url, false)
    try {
      const { data, ...answer } = await this.#create(params, this.#options)
      return { ...answer, data: { ...data, created: true } }
    } catch (error) {
      if (!isShortLinkError(error)) throw error
      this.#outcome = error.outcome
      if (error.outcome !== 'unknown' && !(address && isRefusal(error))) throw error
      const after = await (address ? findLink(this.#api, address, this.#options) : search()).catch((failure) => {
        throw isShortLinkError(failure) && error.outcome === 'unknown' ? error : failure
      })
      if (!after.data) throw error
      return this.#found({ ...after, data: after.data }, url, error.outcome === 'unknown')
    }
  }

  /** Makes an error one of `links.ensure`: the outcome is that of the creation, and an unknown outcome can be retried. */
  described(error: unknown): unknown {
    if (!isShortLinkError(error) || error.code === 'link_conflict') return error
    const outcome = this.#outcome === 'unknown' ? 'unknown' : error.method === 'GET' ? this.#outcome : error.outcome
    const retryable = error.retryable || outcome === 'unknown'
    return Object.assign(error, { outcome, retryable, message: `${operation}: ${error.message}` })
  }

  /** The link that was found. */
  #found({ data, ...answer }: ApiResponse<Link>, url: string, created: boolean): ApiResponse<EnsuredLink> {
    const { id, shorturl, longurl } = data
    // A server that leaves out `longurl` is trusted to have returned the right link.
    if (longurl === null || isSameAddress(longurl, url)) return { ...answer, data: { id, shorturl, created } }
    const { attempts, response } = answer
    // The responses of some fetches have no URL.
    const call = { operation, method: 'GET', path: '/urls' }
    const context: ErrorContext = { ...call, ...(response.url && { url: response.url }), attempts }
    // Another link has the alias, so an attempt whose outcome was unknown did not create it.
    const outcome = this.#outcome === 'not-sent' ? 'not-sent' : 'rejected'
    throw new LinkConflictError({ shorturl, longurl }, { ...context, outcome })
  }
}
