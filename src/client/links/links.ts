import { checkParams, checkValue, nonEmptyString } from '../checks/checks.ts'
import { InvalidRequestError, type Issue } from '../errors.ts'
import { type ApiPromise, startNow } from '../http/api-promise.ts'
import { callOptionNames, type RequestOptions } from '../http/request-options.ts'
import { type Link, LinkCalls, type LinkCreate, linkCreate } from '../resources/links.ts'
import { type EnsuredLink, type EnsureOptions, ensureLink, type LinkEnsure } from './ensure.ts'
import { findLink } from './find.ts'

/**
 * Short links. **Outside the reference**, which does not show this section: the calls, parameters and fields are those
 * that public documentation and open-source clients agree on.
 */
export class LinksResource extends LinkCalls {
  /**
   * Finds a link by its short address or alias: GET `/urls?short=`.
   *
   * Some servers respond with the single link, in the form of GET `/url/:id`, others with a list of one. The single one
   * lacks the domain, the campaign and the channels, which are `null` then.
   *
   * An alias is found in the server's own spelling too: `sale_may` finds `sale-may` where the server has made that of
   * it.
   *
   * @remarks
   * If the server does not support this search, `find` goes through the newest links: 10 pages at most, which are 1,000
   * links, or fewer if the server sends less than 100 a page.
   *
   * `undefined` means that the server said so, or that the link is not on those pages: an older one may still exist.
   *
   * An alias may stand on several domains. Then `find` fails and names them: give the whole address. Most servers
   * respond with one link all the same, so an alias costs a request more, for the domains of the account, and one for
   * each other domain; if there are more than ten, the newest links are searched instead. The whole address costs one
   * request.
   *
   * @example
   * const { shorturl } = await client.links.create({ url: 'https://shop.example/opening', custom: 'opening' })
   * const link = await client.links.find(shorturl) // or 'opening'
   * console.log(link?.id, link?.longurl)
   *
   * @param addressOrAlias The short address of a link, or its alias.
   * @returns The link, alone or in a list.
   * @throws {InvalidRequestError} if the argument is not a string, or is empty; nothing is sent. If several domains
   *   have the alias; nothing is changed
   * @throws {InvalidResponseError} if a row that may be the link is invalid, with `validation: 'report'` too
   */
  find(addressOrAlias: string, options?: RequestOptions): ApiPromise<Link | undefined> {
    const api = this.api.forOperation({ deadline: options?.deadline }).strict()
    const find = async () => {
      const issues = checkValue(['addressOrAlias'], addressOrAlias, nonEmptyString)
      if (issues.length > 0) throw new InvalidRequestError(issues, api.createOperationContext('links.find'))
      return findLink(api, addressOrAlias, options)
    }
    return startNow(find())
  }

  /**
   * Makes sure that a link exists: creates it only if there is none. It can be called again after anything, such as a
   * crash, a timeout or an error whose outcome is `unknown`, and makes no second link.
   *
   * It needs `custom`, because an alias exists once: it looks for the alias, creates the link, and looks again if the
   * alias is taken or the outcome is unknown. That is one request for a link that exists, two for a new one. The other
   * parameters of an existing link are left as they are; `link` shows what they are.
   *
   * Servers spell aliases their way: `Sale_May` may become `sale-may` ({@link isSameAlias}), and `shorturl` has it as the
   * server writes it. They spell addresses their way too ({@link isSameAddress}), and may leave out the last slash. A link
   * that is found is trusted to lead to the address if the server leaves out where it leads. On a server that cuts
   * addresses or makes them lower case, a second call is a conflict.
   *
   * Without `domain`, a link with the alias that leads to the address is the one, on whatever domain of the account it
   * is.
   *
   * @example
   * const { shorturl, created } = await client.links.ensure({ url: 'https://shop.example/opening', custom: 'opening' })
   * console.log(shorturl, created)
   *
   * @param options `createFirst` skips the first look: one request for a new link.
   * @throws {LinkConflictError} if the alias leads to another address, on every domain that has it. `outcome` is `unknown`
   *   if the link that leads there may be the one that this call created
   * @throws {InvalidResponseError} if the server has made the link with another alias, as it does if the plan has no
   *   aliases of its own, or on another domain; `outcome` is `done`, and the message has both
   * @throws {InvalidRequestError} if the address or the alias is missing, or a parameter is invalid; nothing is sent
   */
  ensure(params: LinkEnsure, options: EnsureOptions = {}): ApiPromise<EnsuredLink> {
    const api = this.api.forOperation({ deadline: options?.deadline }).strict()
    return startNow(ensureLink(api, params, options))
  }

  /**
   * Checks the parameters of a new link without sending anything.
   *
   * @example
   * const issues = client.links.check({ url: 'shop.example', expiry: '2027-02-30 12:00:00' })
   * for (const { path, message } of issues) console.log(path.join('.'), message)
   *
   * @returns The issues with which {@link create} would refuse them; none if they are valid.
   */
  check(params: LinkCreate): readonly Issue[] {
    return checkParams(params, linkCreate, callOptionNames)
  }
}
