import { checkParams, checkValue, shortAddress } from '../checks/checks.ts'
import { addIssueCode, InvalidRequestError, type Issue } from '../errors.ts'
import { type ApiPromise, createApiPromise } from '../http/api-promise.ts'
import { callOptionNames, type RequestOptions } from '../http/request-options.ts'
import { type Link, LinkCalls, type LinkCreate, linkCreate } from '../resources/links.ts'
import { type EnsuredLink, type EnsureOptions, ensureLink, type LinkEnsure } from './ensure.ts'
import { findLink } from './find.ts'

/**
 * Short links. **Not in the reference**, which does not show this section: the calls, parameters and fields are those
 * that public documentation and open-source clients agree on.
 */
export class LinksResource extends LinkCalls {
  /**
   * Finds a link by its short address or alias: GET `/urls?short=`.
   *
   * Some servers respond with a single link, in the form of GET `/url/:id`, others with a list of one. A single link
   * has no domain, campaign or channels, so these are `null`.
   *
   * The server decides whether two spellings are one alias: `Tea` finds `tea` only if the server answers it with that
   * link. The slug of an alias is not asked for. An address may be in any form that is equal, such as
   * `https://SHO.RT:443/tea/`.
   *
   * @remarks If the server does not support this search, `find` searches the newest links: at most 10 pages, which are
   *   1,000 links, or fewer if the server sends fewer than 100 per page.
   *
   * `undefined` means that the server has no such link, or that it is not on those pages: an older one may still exist.
   *
   * An alias may exist on several domains. Then `find` fails and names them: pass the whole short address. Because most
   * servers respond with only one link, finding an alias takes one more request for the domains of the account, and one
   * for each other domain. If there are more than ten, the newest links are searched instead. A whole short address
   * takes one request.
   *
   * @example
   * const { shorturl } = await client.links.create({ url: 'https://shop.example/opening', custom: 'opening' })
   * const link = await client.links.find(shorturl) // or 'opening'
   * console.log(link?.id, link?.longurl)
   *
   * @param addressOrAlias The short address of a link, or its alias.
   * @returns The link, or `undefined`.
   * @throws {InvalidRequestError} if several domains have the alias, or if the argument is not a string, is empty or
   *   has an invisible character; in the latter case nothing is sent
   * @throws {InvalidResponseError} if a row that may be the link is invalid, even with `validation: 'report'`
   */
  find(addressOrAlias: string, options?: RequestOptions): ApiPromise<Link | undefined> {
    const api = this.api.forOperation({ deadline: options?.deadline }).strict()
    const find = async () => {
      const issues = checkValue(['addressOrAlias'], addressOrAlias, shortAddress)
      if (issues.length > 0) throw new InvalidRequestError(issues, api.createOperationContext('links.find'))
      return findLink(api, addressOrAlias, options)
    }
    return createApiPromise(find())
  }

  /**
   * Makes sure that a link exists: creates it only if it does not. It is safe to call again, for example after a crash,
   * a timeout or an error whose outcome is `unknown`, and never creates a second link.
   *
   * It needs `custom`, because an alias is unique. It looks up the alias, creates the link, and looks it up again if
   * the alias is taken or the outcome is unknown. That is one request for an existing link, and two for a new one. The
   * other parameters of an existing link are not changed; `link` has their values.
   *
   * Servers may respell aliases: `Sale_May` may become `sale-may`, and `shorturl` has the
   * server's spelling. If the creation is refused, a link with the slug of the alias is accepted only if it leads to the
   * address. They may respell addresses too, and remove the trailing slash. If the
   * server does not send the address of an existing link, it is assumed to be the right one. On a server that truncates
   * addresses or lower-cases them, a second call is a conflict.
   *
   * Without `domain`, a link with this alias and address on any domain of the account is accepted, except after a
   * creation whose outcome is unknown: then it must be on the domain of new links.
   *
   * @example
   * const { shorturl, created } = await client.links.ensure({ url: 'https://shop.example/opening', custom: 'opening' })
   * console.log(shorturl, created)
   *
   * @param options `createFirst` skips the first lookup: one request for a new link.
   * @throws {LinkConflictError} if the alias leads to another address, on every domain that has it. `outcome` is
   *   `unknown` if that link may be the one that this call created, also if it is on another domain
   * @throws {InvalidResponseError} if the server created the link with a different alias, as it does if the plan has no
   *   custom aliases, or on a different domain; `outcome` is `done`, and the message contains both the requested and
   *   the created link
   * @throws {InvalidRequestError} if the address or the alias is missing, or a parameter is invalid; nothing is sent
   */
  ensure(params: LinkEnsure, options: EnsureOptions = {}): ApiPromise<EnsuredLink> {
    const api = this.api.forOperation({ deadline: options?.deadline }).strict()
    return createApiPromise(ensureLink(api, params, options))
  }

  /**
   * Checks the parameters of a new link without sending anything.
   *
   * @example
   * const issues = client.links.check({ url: 'shop.example', expiry: '2027-02-30 12:00:00' })
   * for (const { path, message } of issues) console.log(path.join('.'), message)
   *
   * @returns The issues that {@link create} would reject them for; empty if they are valid.
   */
  check(params: LinkCreate): readonly Issue[] {
    return checkParams(params, linkCreate, callOptionNames).map(addIssueCode)
  }
}
