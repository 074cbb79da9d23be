import { checkOptions, checkParams, oneOf } from '../../checks/checks.ts'
import { formatValue } from '../../checks/mismatch.ts'
import {
  type ErrorContext,
  InvalidResponseError,
  isShortLinkError,
  LinkConflictError,
  mayBeDone,
  type Outcome,
} from '../../errors.ts'
import type { Api } from '../../http/api.ts'
import type { CallResult } from '../../http/api-promise.ts'
import { type Path, path } from '../../http/path.ts'
import { type RequestOptions, requestOptionChecks } from '../../http/request-options.ts'
import { AccountDomains } from './domains.ts'
import { askForLinks, isRefusal, responseTo, searchNewest } from './find.ts'
import { CreatedLink, type EnsuredLink, type Link, prepareCreated } from './link.ts'
import { candidates, hasAlias, isOnDomain, isSameAddress, isSameSpelling, pickLinks, shortOf } from './match.ts'
import { type LinkCreate, linkCreate } from './params.ts'

/** Options for `links.ensure`. */
export interface EnsureOptions extends RequestOptions {
  /**
   * The way on if the alias leads to another URL. `'suffix'`: take the first of `opening-2` … `opening-10` that is free
   * or already leads to the URL. Default: a `LinkConflictError`.
   */
  onTaken?: 'suffix' | undefined
}

/** Parameters for `links.ensure`. `url` and `custom` are required. */
export interface LinkEnsure extends LinkCreate {
  custom: string
}

const ensureOptionChecks = { ...requestOptionChecks, onTaken: oneOf(['suffix']) }

/** Checks what is given to `links.ensure`, and ensures the link. */
export async function checkAndEnsure(
  api: Api,
  params: LinkEnsure,
  options: EnsureOptions = {},
): Promise<CallResult<EnsuredLink>> {
  const call = api.forOperation({ operation: 'links.ensure', deadline: options?.deadline })
  const issues = [
    ...checkParams(params, linkCreate, Object.keys(ensureOptionChecks)),
    ...checkOptions(options, ensureOptionChecks),
  ]
  // Without an alias, any link to the URL would do.
  if (issues.length === 0 && !params.custom) {
    const message = 'is missing: without an alias use `create`, or `importLinks` with `reuse`'
    issues.push({ path: ['custom'], message })
  }
  call.throwIfInvalid(issues)
  return ensureLink(call, params, { ...options, looksFirst: true })
}

/** Options for `ensureLink`. */
interface EnsureLinkOptions extends EnsureOptions {
  /**
   * True to look before the creation, which takes one request if the link exists and two if it does not. Otherwise it
   * is the other way round.
   */
  looksFirst?: boolean
  /**
   * Returns the newest links, which a caller that ensures many links reads once. What they lack is looked for again.
   */
  newest?: () => Promise<readonly Link[]>
}

/**
 * Looks for a link with an alias, creates it if there is none, and looks again if it is unknown whether that has
 * worked.
 *
 * @param domains The domains of the account, for callers that ensure many links.
 */
export async function ensureLink(
  api: Api,
  params: LinkEnsure,
  { onTaken, looksFirst = false, newest, ...options }: EnsureLinkOptions,
  domains = new AccountDomains(),
): Promise<CallResult<EnsuredLink>> {
  const { domain } = params
  const url = String(params.url)
  const leadsThere = ({ longurl }: Link) => longurl !== null && isSameAddress(longurl, url)
  // A server that leaves out `longurl` is trusted to have returned the right link, but not if it has called the alias
  // taken.
  const mayLeadThere = (link: Link) => link.longurl === null || leadsThere(link)
  /** The outcome of the creation so far, which is that of everything: a look changes nothing. */
  let outcome: Outcome = 'not-sent'
  let conflict: LinkConflictError | undefined
  for (const alias of candidates(params.custom, onTaken)) {
    const wanted = { alias, domain }
    const looking = () => api.inContext({ outcome, isStrict: true })
    if (looksFirst) {
      // No search is needed: if the response is inconclusive, the server refuses to create a second link.
      const before = await askForLinks(looking(), wanted, options, { isTheOne: mayLeadThere, domains })
      const link = before?.data.find(leadsThere) ?? before?.data.find(mayLeadThere)
      if (link) return ensured(before!, link, false)
      // Another spelling may be another link: the server decides.
      const taken = (before?.data ?? []).filter((link) => isSameSpelling(link, alias))
      if (taken.length > 0) {
        conflict = conflictWith(api, taken, { ...before!, outcome })
        continue
      }
    }
    try {
      const created = await createLink(api.inContext({ mayRepeat: true }), { ...params, custom: alias }, options)
      return { ...created, data: { ...created.data, created: true, link: undefined } }
    } catch (error) {
      if (!isShortLinkError(error) || isOtherAlias(error)) throw error
      outcome = error.outcome
      const isUnknown = mayBeDone(outcome)
      if (!isUnknown && !isRefusal(error)) throw error
      const lookAgain = async () => {
        const isTheOne = leadsThere
        const asked = await askForLinks(looking(), wanted, options, { asSlugToo: true, isTheOne, domains })
        // If the alias is taken, the link is there, whatever the server says.
        const isEnough = asked && (asked.data.length > 0 || isUnknown)
        if (isEnough) return asked
        if (newest && !isUnknown && isRefusal(error)) {
          // The own search fails with an error of this row.
          const known = pickLinks(await newest().catch(() => []), wanted)
          if (known.some(isTheOne)) return responseTo(error, known)
        }
        return searchNewest(looking(), wanted, options, isTheOne)
      }
      const after = await lookAgain().catch((failure) => {
        throw isShortLinkError(failure) && isUnknown ? error : failure
      })
      const link = after.data.find(leadsThere)
      if (link) return ensured(after, link, isUnknown)
      const taken = after.data.filter((link) => !mayLeadThere(link) && (!isUnknown || isSameSpelling(link, alias)))
      if (taken.length === 0) throw error
      // Another link has the alias, so a creation whose outcome was unknown was not done.
      if (outcome !== 'done') outcome = 'rejected'
      conflict = conflictWith(api, taken, { ...after, outcome })
    }
  }
  throw conflict
}

/** Creates a link, and checks that it has the alias and the domain that it was to have, in the server's spelling. */
export async function createLink(
  api: Api,
  params: LinkCreate,
  options: RequestOptions,
): Promise<CallResult<CreatedLink>> {
  const sent = { json: params, checks: linkCreate, schema: CreatedLink, prepare: prepareCreated }
  // In another row, nobody could tell which link was made.
  const created = await api.inContext({ isStrict: true }).post(path`/url/add`, sent, options).result()
  const { custom: alias, domain } = params
  const { id, shorturl } = created.data
  const isOnItsDomain = !domain || isOnDomain(created.data, domain)
  if (isOnItsDomain && (!alias || hasAlias(shorturl, alias))) return created
  const onDomain = alias ? shortOf({ alias, domain }) : `a link on ${domain}`
  const wanted = domain ? onDomain : `the alias ${formatValue(alias)}`
  const message = `the server has made ${shorturl} (id ${id}) instead of ${wanted}`
  const issues = [{ path: [isOnItsDomain ? 'custom' : 'domain'], message }]
  throw new InvalidResponseError(
    message,
    { reason: 'other_alias', status: created.status, body: created.data, issues },
    { ...contextOf(api, 'POST', path`/url/add`, created), outcome: 'done' },
  )
}

/**
 * The error of a link that the server has made with another alias or domain than the one that was sent; it is its
 * `body`.
 */
interface OtherAliasError extends InvalidResponseError {
  readonly body: CreatedLink
}

/**
 * True if the server has given a link another alias or domain than the one that was sent. It will do so with the next
 * link too.
 */
export function isOtherAlias(error: unknown): error is OtherAliasError {
  return isShortLinkError(error) && error.code === 'invalid_response' && error.reason === 'other_alias'
}

function ensured(response: CallResult<unknown>, link: Link, created: boolean): CallResult<EnsuredLink> {
  const { id, shorturl } = link
  return { ...response, data: { id, shorturl, created, link: created ? undefined : link } }
}

/** The error of an alias that these links have. */
function conflictWith(
  api: Api,
  [first, ...others]: readonly Link[],
  { outcome, ...response }: CallResult<unknown> & { outcome: Outcome },
): LinkConflictError {
  const { operation = '', ...context } = contextOf(api, 'GET', path`/urls`, response)
  const addressesOf = ({ shorturl, longurl }: Link) => ({ shorturl, longurl: longurl! })
  // In a task, the request says nothing to who reads of the row.
  return new LinkConflictError(addressesOf(first!), { ...context, operation, outcome }, others.map(addressesOf))
}

function contextOf(api: Api, method: string, path: Path, { attempts, url }: CallResult<unknown>): ErrorContext {
  return { ...api.contextOf({ method, path }), url, attempts }
}
