import { checkOptions, checkParams, oneOf } from '../../checks/checks.ts'
import { formatValue } from '../../checks/mismatch.ts'
import {
  type ErrorContext,
  InvalidResponseError,
  isShortLinkError,
  LinkConflictError,
  type Outcome,
} from '../../errors.ts'
import type { Api } from '../../http/api.ts'
import type { CallResult } from '../../http/api-promise.ts'
import { path } from '../../http/path.ts'
import { type RequestOptions, requestOptionChecks } from '../../http/request-options.ts'
import { askForLink, isRefusal, responseTo, searchNewest } from './find.ts'
import { type CreatedLink, createdLink, type EnsuredLink, type Link } from './link.ts'
import { addressOf, candidates, hasAlias, isOnDomain, isSameAddress, isSameSpelling, type WantedLink } from './match.ts'
import { type LinkCreate, linkCreate } from './params.ts'

/** Options for `links.ensure`. */
export interface EnsureOptions extends RequestOptions {
  /**
   * What to do if the alias leads to another URL. `'suffix'`: take the first of `opening-2` … `opening-10` that is free or
   * already leads to the URL. Default: a `LinkConflictError`.
   */
  onTaken?: 'suffix' | undefined
}

/** Parameters for `links.ensure`. `url` and `custom` are required. */
export interface LinkEnsure extends LinkCreate {
  custom: string
}

const optionChecks = { ...requestOptionChecks, onTaken: oneOf(['suffix']) }

const operation = 'links.ensure'

/** Checks what is given to `links.ensure`, and ensures the link. */
export async function checkAndEnsure(
  api: Api,
  params: LinkEnsure,
  options: EnsureOptions = {},
): Promise<CallResult<EnsuredLink>> {
  const call = api.begin({ operation, deadline: options?.deadline })
  const issues = [...checkParams(params, linkCreate, Object.keys(optionChecks)), ...checkOptions(options, optionChecks)]
  // Without an alias, any link to the URL would do.
  if (issues.length === 0 && !params.custom) {
    const message = 'is missing: without an alias use `create`, or `importLinks` with `reuse`'
    issues.push({ path: ['custom'], message })
  }
  call.transport.throwIfInvalid(issues)
  return ensureLink(call, params, options, { operation, looksFirst: true })
}

/** Options for the lookups of `ensureLink`. */
interface Lookup {
  /** The method that the user called, for errors. */
  readonly operation?: string
  /**
   * True to look before the creation, which takes one request if the link exists and two if it does not. Otherwise it is the
   * other way round.
   */
  readonly looksFirst: boolean
  /**
   * Searches links that were read already for one whose alias the server calls taken, but does not find. Default: the newest
   * links are read.
   */
  readonly searchRead?: (wanted: WantedLink) => Promise<Link | undefined>
  /** The API for the creation. Default: that of the lookups. */
  readonly creating?: Api
}

/** Looks for a link with an alias, creates it if there is none, and looks again if it is unknown whether that has worked. */
export async function ensureLink(
  api: Api,
  params: LinkEnsure,
  { onTaken, ...options }: EnsureOptions,
  { operation, looksFirst, searchRead, creating = api }: Lookup,
): Promise<CallResult<EnsuredLink>> {
  const { domain } = params
  const url = String(params.url)
  /** The outcome of the creation so far, which is that of everything: a look changes nothing. */
  let outcome: Outcome = 'not-sent'
  let conflict: LinkConflictError | undefined
  const conflictWith = ({ shorturl, longurl }: Link, response: CallResult<unknown>) =>
    new LinkConflictError(
      { shorturl, longurl: longurl! },
      { ...contextOf('GET', '/urls', response, operation), outcome },
    )
  for (const alias of candidates(params.custom, onTaken)) {
    const wanted = { alias, domain }
    if (looksFirst) {
      // No search is needed: if the response is inconclusive, the server refuses to create a second link.
      const before = await askForLink(api.with({ operation, outcome }), wanted, options)
      const link = before?.data
      // A server that leaves out `longurl` is trusted to have returned the right link.
      if (link && (link.longurl === null || isSameAddress(link.longurl, url))) return ensured(before, link, false)
      // Another spelling may be another link: the server decides.
      if (link && isSameSpelling(link, alias)) {
        conflict = conflictWith(link, before)
        continue
      }
    }
    try {
      const own = creating.with({ operation, isRepeatable: true })
      const created = await createLink(own, { ...params, custom: alias }, options, operation)
      return { ...created, data: { ...created.data, created: true, link: undefined } }
    } catch (error) {
      if (!isShortLinkError(error) || isOtherAlias(error)) throw error
      outcome = error.outcome
      const isUnknown = outcome === 'unknown'
      if (!isUnknown && !isRefusal(error)) throw error
      const looking = api.with({ operation, outcome })
      const search = async () =>
        searchRead && isRefusal(error)
          ? responseTo(error, await searchRead(wanted))
          : searchNewest(looking, wanted, options)
      const lookAgain = async () => {
        const asked = await askForLink(looking, wanted, options, { asSlugToo: true })
        // If the alias is taken, the link is there, whatever the server says.
        return asked && (asked.data || isUnknown) ? asked : search()
      }
      const after = await lookAgain().catch((failure) => {
        throw isShortLinkError(failure) && isUnknown ? error : failure
      })
      const link = after.data
      if (!link || link.longurl === null) throw error
      if (isSameAddress(link.longurl, url)) return ensured(after, link, isUnknown)
      if (isUnknown && !isSameSpelling(link, alias)) throw error
      // Another link has the alias, so the creation whose outcome was unknown was not done.
      outcome = 'rejected'
      conflict = conflictWith(link, after)
    }
  }
  throw conflict
}

/** Creates a link, and checks that it has the alias and the domain that it was to have, in the server's spelling. */
export async function createLink(
  api: Api,
  params: LinkCreate,
  options: RequestOptions,
  operation?: string,
): Promise<CallResult<CreatedLink>> {
  const sent = { json: params, checks: linkCreate, schema: createdLink }
  const created = await api.post(path`/url/add`, sent, options).result()
  const { custom: alias, domain } = params
  const { id, shorturl } = created.data
  // With `validation: 'report'`, they may be anything, and nobody can tell which link was made.
  if (typeof shorturl !== 'string' || !Number.isSafeInteger(id)) {
    const message = 'the response has no id and short address of the new link'
    const issues = [{ path: ['shorturl'], message }]
    const context = { ...contextOf('POST', '/url/add', created, operation), outcome: 'unknown' as const }
    throw new InvalidResponseError(message, { status: created.status, body: created.data, issues }, context)
  }
  const isOnItsDomain = !domain || isOnDomain(created.data, domain)
  if (isOnItsDomain && (!alias || hasAlias(shorturl, alias))) return created
  const onDomain = alias ? addressOf({ alias, domain }) : `a link on ${domain}`
  const wanted = domain ? onDomain : `the alias ${formatValue(alias)}`
  const message = `the server has made ${shorturl} (id ${id}) instead of ${wanted}`
  const issues = [{ path: [isOnItsDomain ? 'custom' : 'domain'], message }]
  throw new InvalidResponseError(
    message,
    { status: created.status, body: created.data, issues, mark: 'other-alias' },
    { ...contextOf('POST', '/url/add', created, operation), outcome: 'unknown' },
  )
}

/** The error of a link that the server has made with another alias or domain than the one that was sent; it is its `body`. */
interface OtherAliasError extends InvalidResponseError {
  readonly body: CreatedLink
}

/**
 * True if the server has given a link another alias or domain than the one that was sent. It will do so with the next link
 * too.
 */
export function isOtherAlias(error: unknown): error is OtherAliasError {
  return isShortLinkError(error) && error.code === 'invalid_response' && error.mark === 'other-alias'
}

function ensured(response: CallResult<unknown>, link: Link, created: boolean): CallResult<EnsuredLink> {
  const { id, shorturl } = link
  return { ...response, data: { id, shorturl, created, link: created ? undefined : link } }
}

function contextOf(
  method: string,
  path: string,
  { attempts, url }: CallResult<unknown>,
  operation: string | undefined,
): ErrorContext {
  return { operation, method, path, url, attempts }
}
