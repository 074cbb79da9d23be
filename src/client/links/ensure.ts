import { aFunction, boolean, type Checks, checkOptions, checkParams } from '../checks/checks.ts'
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
import { isRecord } from '../runtime/text.ts'
import { createDomainFinder } from './domains.ts'
import { askForLinks, searchNewest } from './find.ts'
import { formatShort, hasAlias, hasExactAlias, isOnDomain, isSameTarget, pickLinks } from './match.ts'

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
  /** The domains of the account, for callers that ensure many links. Default: requested when needed. */
  domains?: readonly string[] | undefined
  /**
   * Returns the newest links, for callers that ensure many links on a server that ignores `?short=`, so that these
   * links are read once. A link that is not among them is searched for. Default: each call searches for its link.
   */
  newest?: (() => Promise<readonly Link[]>) | undefined
}

const ensureOptionChecks = {
  ...requestOptionChecks,
  createFirst: boolean,
  domains: {
    expected: 'a list of domains',
    isValid: (value: unknown) => Array.isArray(value) && value.every((domain) => typeof domain === 'string'),
  },
  newest: aFunction,
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
  const { createFirst = false, domains, newest, ...options } = given
  const { custom: alias, domain } = params
  const wanted = { alias, domain }
  const otherDomains = createDomainFinder(api, options, domains)
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
  const matches = (link: Link) => isSameTarget(link.longurl, String(params.url), isUnknown)
  const lookAgain = async (): Promise<CallResult<Link[]>> => {
    const asked = await askForLinks(api, wanted, options, { asSlugToo: true, matches, otherDomains })
    // If the alias is taken, the link exists, even if the response to this lookup is empty.
    if (asked && (asked.data.length > 0 || isUnknown)) return asked
    if (newest && !isUnknown && canMeanAliasTaken(error)) {
      const known = pickLinks(await newest().catch(() => []), wanted)
      if (known.some(matches)) return createResult(error, known)
    }
    return searchNewest(api, wanted, options, matches)
  }
  const after = await reportOutcome(error.outcome, lookAgain()).catch((failure) => {
    throw isShortLinkError(failure) && isUnknown ? error : failure
  })
  const link = after.data.find(matches)
  if (link) return createEnsured(after, link, isUnknown)
  const isConflicting = (link: Link) => link.longurl !== null && (!isUnknown || hasExactAlias(link, alias))
  const taken = after.data.filter(isConflicting)
  throw taken.length > 0 ? createConflict(api, taken, after, error.outcome) : error
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
  if (isOnItsDomain && hasAlias(shorturl, alias)) return { created }
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
function createResult<T>({ status, headers, rateLimit, attempts, url = '' }: ApiError, data: T): CallResult<T> {
  return { data, rateLimit, attempts, status, url, toResponse: () => new Response(null, { status, headers }) }
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
