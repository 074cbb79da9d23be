import { aFunction, boolean, type Checks, checkOptions, checkParams } from '../checks/checks.ts'
import { formatValue } from '../checks/mismatch.ts'
import {
  type ApiError,
  InvalidRequestError,
  InvalidResponseError,
  isShortLinkError,
  LinkConflictError,
  mayBeDone,
  type Outcome,
  withOutcome,
} from '../errors.ts'
import type { Api } from '../http/api.ts'
import type { CallResult } from '../http/api-promise.ts'
import { type RequestOptions, requestOptionChecks } from '../http/request-options.ts'
import { type CreatedLink, type Link, LinkCalls, type LinkCreate, linkCreate } from '../resources/links.ts'
import { isRecord } from '../runtime/text.ts'
import { domainFinder } from './domains.ts'
import { askForLinks, searchNewest } from './find.ts'
import { hasAlias, isOnDomain, isSameSpelling, leadsTo, pickLinks, shortOf } from './match.ts'

/** Parameters for `links.ensure`. `url` and `custom` are required. */
export interface LinkEnsure extends LinkCreate {
  custom: string
}

/** Options for `links.ensure`. */
export interface EnsureOptions extends RequestOptions {
  /**
   * Creates the link first and looks for it only if that fails: one request for a new link, and two for one that exists.
   * Default `false`: one request for a link that exists, and two for a new one.
   */
  createFirst?: boolean | undefined
  /** The domains of the account, for callers that ensure many links. Default: asked for when they are needed. */
  domains?: readonly string[] | undefined
  /**
   * Returns the newest links, for callers that ensure many links on a server that ignores `?short=`, so that they are
   * read once. What they lack is searched for. Default: each call searches for its link.
   */
  newest?: (() => Promise<readonly Link[]>) | undefined
}

const ensureOptionChecks = {
  ...requestOptionChecks,
  createFirst: boolean,
  domains: {
    expected: 'a list of domains',
    fits: (value: unknown) => Array.isArray(value) && value.every((domain) => typeof domain === 'string'),
  },
  newest: aFunction,
} satisfies Checks<keyof EnsureOptions>

/** The link that `ensure` created or found. */
export interface EnsuredLink extends CreatedLink {
  /** Whether this call created it, as far as can be known: a creation whose outcome is unknown counts as its own. */
  created: boolean
  /** The link as it was found, so that you see what differs; `undefined` if this call created it. */
  link: Link | undefined
}

const OPERATION = 'links.ensure'

/**
 * Looks for a link with an alias, creates it if there is none, and looks again if the alias is taken or the outcome is
 * unknown.
 */
export async function ensureLink(api: Api, params: LinkEnsure, given: EnsureOptions): Promise<CallResult<EnsuredLink>> {
  throwIfInvalid(api, params, given)
  const { createFirst = false, domains, newest, ...options } = given
  const { custom: alias, domain } = params
  const wanted = { alias, domain }
  const otherDomains = domainFinder(api, options, domains)
  const isThere = ({ longurl }: Link) => leadsTo(longurl, String(params.url), false)
  if (!createFirst) {
    // A server that leaves out `longurl` is trusted to have returned the right link.
    const mayBeThere = (link: Link) => link.longurl === null || isThere(link)
    // No search is needed: if the response is inconclusive, the server refuses to create a second link.
    const before = await reportAs('not-sent', askForLinks(api, wanted, options, { matches: mayBeThere, otherDomains }))
    const link = before?.data.find(isThere) ?? before?.data.find(mayBeThere)
    if (link) return ensured(before!, link, false)
    // Another spelling may be another link: the server decides.
    const taken = (before?.data ?? []).filter((link) => isSameSpelling(link, alias))
    if (taken.length > 0) throw conflict(api, taken, before!, 'not-sent')
  }
  const { created, error } = await tryToCreate(api, params, options)
  if (created) return { ...created, data: { ...created.data, created: true, link: undefined } }
  const isUnknown = mayBeDone(error.outcome)
  const matches = (link: Link) => leadsTo(link.longurl, String(params.url), isUnknown)
  const lookAgain = async (): Promise<CallResult<Link[]>> => {
    const asked = await askForLinks(api, wanted, options, { asSlugToo: true, matches, otherDomains })
    // If the alias is taken, the link is there, whatever the server says.
    if (asked && (asked.data.length > 0 || isUnknown)) return asked
    if (newest && !isUnknown && isRefusal(error)) {
      const known = pickLinks(await newest().catch(() => []), wanted)
      if (known.some(matches)) return responseTo(error, known)
    }
    return searchNewest(api, wanted, options, matches)
  }
  const after = await reportAs(error.outcome, lookAgain()).catch((failure) => {
    throw isShortLinkError(failure) && isUnknown ? error : failure
  })
  const link = after.data.find(matches)
  if (link) return ensured(after, link, isUnknown)
  const isOther = (link: Link) => link.longurl !== null && (!isUnknown || isSameSpelling(link, alias))
  const taken = after.data.filter(isOther)
  throw taken.length > 0 ? conflict(api, taken, after, error.outcome) : error
}

/** @throws {InvalidRequestError} if a parameter or an option is invalid */
function throwIfInvalid(api: Api, params: LinkEnsure, options: EnsureOptions): void {
  const issues = [
    ...checkParams(params, linkCreate, Object.keys(ensureOptionChecks)),
    ...checkOptions(options, ensureOptionChecks),
  ]
  // Without an alias, any link to the URL would do.
  if (issues.length === 0 && !params.custom) {
    issues.push({ path: ['custom'], message: 'is missing: without an alias use `create`' })
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, api.createOperationContext(OPERATION))
}

/**
 * Creates a link with the alias and the domain of its parameters, in the server's spelling. Returns the error of a
 * creation that may have found the alias taken, or that may have been done.
 *
 * @throws any other error
 */
async function tryToCreate(api: Api, params: LinkEnsure, options: RequestOptions) {
  let created: CallResult<CreatedLink>
  try {
    created = await new LinkCalls(api).create(params, options).result()
  } catch (error) {
    if (!isShortLinkError(error)) throw error
    // The same call may be repeated whatever became of the creation.
    const failure = error.outcome === 'unknown' ? withOutcome(error, 'unknown', true) : error
    if (!mayBeDone(failure.outcome) && !isRefusal(failure)) throw failure
    return { error: failure }
  }
  const { custom: alias, domain } = params
  const { id, shorturl } = created.data
  const isOnItsDomain = !domain || isOnDomain(created.data, domain)
  if (isOnItsDomain && hasAlias(shorturl, alias)) return { created }
  const wanted = domain ? shortOf({ alias, domain }) : `the alias ${formatValue(alias)}`
  const message = `the server has made ${shorturl} (id ${id}) instead of ${wanted}`
  const issues = [{ path: [isOnItsDomain ? 'custom' : 'domain'], message }]
  const read = { reason: 'other_alias', status: created.status, body: created.data, issues } as const
  const { url, attempts } = created
  const request = { method: 'POST', path: '/url/add', url, attempts, outcome: 'done' } as const
  throw new InvalidResponseError(message, read, { ...api.createOperationContext(OPERATION), ...request })
}

/** Returns whether the server refused a call for a reason that only its message states, in the language of the site. */
function isRefusal(error: unknown): error is ApiError {
  if (!isShortLinkError(error)) return false
  return error.code === 'not_found' ? error.isFromApi : error.code === 'api' && isRecord(error.body)
}

/** Returns the result of a look, whose errors report this outcome: a look changes nothing. */
async function reportAs<T>(outcome: Outcome, look: Promise<T>): Promise<T> {
  return look.catch((error) => {
    throw isShortLinkError(error) ? withOutcome(error, outcome) : error
  })
}

/** Returns a result that a refusal has led to. */
function responseTo<T>({ status, headers, rateLimit, attempts, url = '' }: ApiError, data: T): CallResult<T> {
  return { data, rateLimit, attempts, status, url, toResponse: () => new Response(null, { status, headers }) }
}

function ensured(response: CallResult<unknown>, link: Link, created: boolean): CallResult<EnsuredLink> {
  const { id, shorturl } = link
  return { ...response, data: { id, shorturl, created, link: created ? undefined : link } }
}

/** Returns the error for an alias that these links have. */
function conflict(
  api: Api,
  [first, ...others]: readonly Link[],
  { attempts, url }: CallResult<unknown>,
  outcome: Outcome,
): LinkConflictError {
  const addressesOf = ({ shorturl, longurl }: Link) => ({ shorturl, longurl: longurl! })
  const context = { ...api.createOperationContext(OPERATION), method: 'GET', path: '/urls', url, attempts, outcome }
  return new LinkConflictError(addressesOf(first!), context, others.map(addressesOf))
}
