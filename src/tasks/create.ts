import { isShortLinkError, LinkConflictError, type Outcome } from '../errors.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { isRefusal } from '../resources/links/find.ts'
import { addressOf, candidates, isSameAddress } from '../resources/links/match.ts'
import type { LinkCreate } from '../resources/links/params.ts'
import type { Links } from './links.ts'

/** A link that a row has got. */
export interface PlacedLink {
  readonly id: number
  readonly shorturl: string
  readonly created: boolean
}

/**
 * Creates a link with an alias and looks only if the server refuses it, or if the outcome is unknown: one request for a
 * new link, two for one that exists. `links.ensure` looks first, which suits links that mostly exist.
 */
export async function createOrFind(
  links: Links,
  params: LinkCreate & { custom: string },
  onTaken: 'suffix' | undefined,
  options: RequestOptions,
): Promise<PlacedLink> {
  let conflict: unknown
  for (const custom of candidates(params.custom, onTaken)) {
    try {
      return { ...(await links.create({ ...params, custom }, options)), created: true }
    } catch (error) {
      if (!isShortLinkError(error) || !(error.outcome === 'unknown' || isRefusal(error))) throw error
      const link = await links.find(addressOf(custom, params.domain), options).catch((failure) => {
        throw error.outcome === 'unknown' ? error : withOutcome(failure, 'rejected')
      })
      if (!link) throw error
      const { id, shorturl, longurl } = link
      // A server that does not say where its links lead is taken at its word that this is the one.
      if (longurl === null || isSameAddress(longurl, params.url)) {
        return { id, shorturl, created: error.outcome === 'unknown' }
      }
      const { method, path, url, attempts } = error
      const context = { ...(method && { method }), ...(path && { path }), ...(url && { url }), attempts }
      conflict = new LinkConflictError({ shorturl, longurl }, { ...context, outcome: 'rejected' })
    }
  }
  throw conflict
}

/** An error of a look, which says nothing about the link itself, with what is known of that. */
export function withOutcome(error: unknown, outcome: Outcome): unknown {
  return isShortLinkError(error) ? Object.assign(error, { outcome }) : error
}
