import { boolean, type Checks, checkOptions, checkParams } from '../checks/checks.ts'
import { formatValue } from '../checks/mismatch.ts'
import {
  type ApiError,
  copyWithOutcome,
  InvalidRequestError,
  InvalidResponseError,
  isShortLinkError,
  LinkConflictError,
  mayBeDone,
  type Outcome,
} from '../errors.ts'
import type { Api } from '../http/api.ts'
import type { CallResult } from '../http/api-promise.ts'
import { type RequestOptions, requestOptionChecks } from '../http/request-options.ts'
import { type CreatedLink, type Link, LinkCalls, type LinkCreate, linkCreate } from '../resources/links.ts'
import { withDeadline } from '../runtime/abort.ts'
import { isRecord } from '../runtime/text.ts'
import { createDomainFinder } from './domains.ts'
import { askForLinks, pickExact, searchNewest } from './find.ts'
import { formatShort, getHost, hasAlias, hasExactAlias, isOnDomain, isSameTarget, toSlug } from './match.ts'
import { getMemory, recallNewest } from './memory.ts'

/** Parameters for `links.ensure`. `url` and `custom` are required. */
export interface LinkEnsure extends LinkCreate {
  custom: string
}

/** Options for `links.ensure`. */
export interface EnsureOptions extends RequestOptions {
  /**
   * Creates the link first and looks it up only if that fails: one request for a new link, and two for an existing one.
   * Default `false`: one request for an existing link, and two for a new one.
   */
  createFirst?: boolean | undefined
}

const ensureOptionChecks = {
  ...requestOptionChecks,
  createFirst: boolean,
} satisfies Checks<keyof EnsureOptions>

/** The link that `ensure` created or found. */
export interface EnsuredLink extends CreatedLink {
  /**
   * Whether this call created it. `true` also if the creation had an unknown outcome and the link was found after it.
   */
  created: boolean
  /** The existing link, to compare with your parameters; `undefined` if this call created it. */
  link: Link | undefined
}

const OPERATION = 'links.ensure'

/**
 * Looks up a link by its alias, creates it if it does not exist, and looks it up again if the alias is taken or the
 * outcome is unknown.
 */
export async function ensureLink(api: Api, params: LinkEnsure, given: EnsureOptions): Promise<CallResult<EnsuredLink>> {
  throwIfInvalid(api, params, given)
  const { createFirst = false, ...options } = given
  const { custom: alias, domain } = params
  const wanted = { alias, domain }
  const otherDomains = createDomainFinder(api, options)
  const isWantedLink = ({ longurl }: Link) => isSameTarget(longurl, String(params.url), false)
  if (!createFirst) {
    // If the server omits `longurl`, the link is assumed to be the right one.
    const canBeWantedLink = (link: Link) => link.longurl === null || isWantedLink(link)
    // If the response is inconclusive, no search is needed: the server refuses to create a second link.
    const before = await reportOutcome(
      'not-sent',
      askForLinks(api, wanted, options, { matches: canBeWantedLink, otherDomains }),
    )
    const link = before?.data.find(isWantedLink) ?? before?.data.find(canBeWantedLink)
    if (link) return createEnsured(before!, link, false)
    // A different spelling may be a different link, so only the server can tell whether the alias is taken.
    const taken = (before?.data ?? []).filter((link) => hasExactAlias(link, alias))
    if (taken.length > 0) throw createConflict(api, taken, before!, 'not-sent')
  }
  const { created, error } = await tryToCreate(api, params, options)
  if (created) return { ...created, data: { ...created.data, created: true, link: undefined } }
  const isUnknown = mayBeDone(error.outcome)
  const hasAddress = ({ longurl }: Link) => isSameTarget(longurl, String(params.url), isUnknown)
  const ownHosts = [getMemory(api).host, getHost(api.baseUrl() ?? '')]
  // After a lost response, a link on another domain may be an older one.
  const isOnOwnDomain = ({ shorturl }: Link) =>
    domain !== undefined || error.outcome !== 'unknown' || ownHosts.includes(getHost(shorturl))
  const matches = (link: Link) => hasAddress(link) && isOnOwnDomain(link)
  const slug = { alias: toSlug(alias) || alias, domain }
  const isSlug = (link: Link) =>
    slug.alias !== alias && hasExactAlias(link, slug.alias) && hasAddress(link) && (!domain || isOnDomain(link, domain))
  const lookAgain = async (): Promise<LookedUp> => {
    const lookup = { matches, otherDomains }
    const asked = await askForLinks(api, wanted, options, lookup)
    if (asked?.data.length) return { response: asked, links: asked.data }
    // Calls whose creations were refused at the same time share one search.
    const { reading } = getMemory(api)
    if (!asked && !isUnknown && reading)
      await withDeadline(() => reading, api.getTimeLeft(), options.signal).catch(() => {})
    const newest = isUnknown ? undefined : recallNewest(api)
    const known = pickExact(newest ?? [], wanted)
    const knownSlug = asked || known.length > 0 ? undefined : newest?.find(isSlug)
    // A conflict may be over by now, so the links are then read again.
    if (knownSlug || (!asked && known.some(matches))) {
      return { response: createResult(error as ApiError), links: known, bySlug: knownSlug }
    }
    const bySlug = slug.alias === alias ? undefined : await askForLinks(api, slug, options, lookup)
    const found = bySlug?.data.find(isSlug)
    // If the alias is taken, the link exists, even if the response to this lookup is empty.
    if (asked && (found || isUnknown || (newest && known.length === 0)))
      return { response: bySlug ?? asked, links: [], bySlug: found }
    const searched = await searchNewest(api, wanted, options, matches)
    return { response: searched, links: searched.data, bySlug: found ?? searched.newest.find(isSlug) }
  }
  const { response, links, bySlug } = await reportOutcome(error.outcome, lookAgain()).catch((failure) => {
    throw isShortLinkError(failure) && isUnknown ? error : failure
  })
  const link = links.find(matches)
  if (link) return createEnsured(response, link, isUnknown)
  const taken = links.filter((link) => link.longurl !== null && (!isUnknown || hasExactAlias(link, alias)))
  if (taken.length > 0) {
    const conflict = createConflict(api, taken, response, error.outcome)
    throw taken.some(hasAddress) ? copyWithOutcome(conflict, 'unknown', true) : conflict
  }
  if (!bySlug) throw error
  if (!isUnknown) return createEnsured(response, bySlug, false)
  const note = `. It may have created ${api.redact(bySlug.shorturl)} (id ${bySlug.id})`
  throw copyWithOutcome(error, error.outcome, error.retryable, note)
}

/** The links that were found after a creation that failed. */
interface LookedUp {
  readonly response: CallResult<unknown>
  /** The links that the server knows by the wanted alias. */
  readonly links: readonly Link[]
  /** The link to the wanted address whose alias is the slug of the wanted one. */
  readonly bySlug?: Link | undefined
}

/** @throws {InvalidRequestError} if a parameter or an option is invalid */
function throwIfInvalid(api: Api, params: LinkEnsure, options: EnsureOptions): void {
  const issues = [
    ...checkParams(params, linkCreate, Object.keys(ensureOptionChecks)),
    ...checkOptions(options, ensureOptionChecks),
  ]
  // Without an alias, any link to the URL would match.
  if (issues.length === 0 && !params.custom) {
    issues.push({ path: ['custom'], message: 'is missing: without an alias use `create`' })
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, api.createOperationContext(OPERATION))
}

/**
 * Creates a link, and checks that it has the requested domain and alias, in the server's spelling. Returns the error if
 * the alias may be taken, or if the link may have been created.
 *
 * @throws any other error
 */
async function tryToCreate(api: Api, params: LinkEnsure, options: RequestOptions) {
  let created: CallResult<CreatedLink>
  try {
    created = await new LinkCalls(api).create(params, options).result()
  } catch (error) {
    if (!isShortLinkError(error)) throw error
    // The same call can be repeated, whether or not the link was created.
    const failure = error.outcome === 'unknown' ? copyWithOutcome(error, 'unknown', true) : error
    if (!mayBeDone(failure.outcome) && !canMeanAliasTaken(failure)) throw failure
    return { error: failure }
  }
  const { custom: alias, domain } = params
  const { id, shorturl } = created.data
  const isOnItsDomain = !domain || isOnDomain(created.data, domain)
  if (isOnItsDomain && hasAlias(shorturl, alias)) {
    if (domain === undefined) getMemory(api).host = getHost(shorturl)
    return { created }
  }
  const wanted = domain ? formatShort({ alias, domain }) : `the alias ${formatValue(alias)}`
  const message = `the server created ${shorturl} (id ${id}) instead of ${wanted}`
  const issues = [{ path: [isOnItsDomain ? 'custom' : 'domain'], message }]
  const read = { reason: 'other_alias', status: created.status, body: created.data, issues } as const
  const { url, attempts } = created
  const request = { method: 'POST', path: '/url/add', url, attempts, outcome: 'done' } as const
  throw new InvalidResponseError(message, read, { ...api.createOperationContext(OPERATION), ...request })
}

/**
 * Returns whether a refusal may mean that the alias is taken. Only its message says so, in the language of the site.
 */
function canMeanAliasTaken(error: unknown): error is ApiError {
  if (!isShortLinkError(error)) return false
  return error.code === 'not_found' ? error.isFromApi : error.code === 'api' && isRecord(error.body)
}

/** Gives errors of a lookup this outcome instead of their own, because a lookup changes nothing. */
async function reportOutcome<T>(outcome: Outcome, lookup: Promise<T>): Promise<T> {
  return lookup.catch((error) => {
    throw isShortLinkError(error) ? copyWithOutcome(error, outcome) : error
  })
}

/** Creates a result with the metadata of a refusal. */
function createResult({ status, headers, rateLimit, attempts, url = '' }: ApiError): CallResult<unknown> {
  return {
    data: undefined,
    rateLimit,
    attempts,
    status,
    url,
    toResponse: () => new Response(null, { status, headers }),
  }
}

function createEnsured(response: CallResult<unknown>, link: Link, created: boolean): CallResult<EnsuredLink> {
  const { id, shorturl } = link
  return { ...response, data: { id, shorturl, created, link: created ? undefined : link } }
}

/** Creates the error for an alias that these links have. */
function createConflict(
  api: Api,
  [first, ...others]: readonly Link[],
  { attempts, url }: CallResult<unknown>,
  outcome: Outcome,
): LinkConflictError {
  const pickAddresses = ({ shorturl, longurl }: Link) => ({ shorturl, longurl: longurl! })
  const context = { ...api.createOperationContext(OPERATION), method: 'GET', path: '/urls', url, attempts, outcome }
  return new LinkConflictError(pickAddresses(first!), context, others.map(pickAddresses))
}
