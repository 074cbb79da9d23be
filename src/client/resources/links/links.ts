import { checkValue, nonEmptyString } from '../../checks/checks.ts'
import { type ApiPromise, startNow } from '../../http/api-promise.ts'
import type { ListOptions, ListPromise } from '../../http/list.ts'
import { path } from '../../http/path.ts'
import type { RequestOptions } from '../../http/request-options.ts'
import { ActionResult, type Id, Resource } from '../resource.ts'
import { checkAndEnsure, type EnsureOptions, type LinkEnsure } from './ensure.ts'
import { findLink } from './find.ts'
import {
  CreatedLink,
  type EnsuredLink,
  Link,
  LinkDetails,
  prepareCreated,
  prepareDetails,
  prepareLink,
} from './link.ts'
import { type LinkCreate, type LinkQuery, type LinkUpdate, linkCreate, linkQuery, linkUpdate } from './params.ts'

/**
 * Short links. **Outside the reference**, which does not show this section: the calls, parameters and fields are those
 * that public documentation and open-source clients agree on.
 */
export class LinksResource extends Resource {
  /**
   * Lists the links of the account: GET `/urls`.
   *
   * @example
   * for await (const { shorturl, clicks } of client.links.list({ order: 'date' })) console.log(shorturl, clicks)
   */
  list(query?: LinkQuery, options?: ListOptions): ListPromise<Link> {
    return this.api.list(
      path`/urls`,
      { query, checks: linkQuery, under: 'urls', row: Link, prepare: prepareLink },
      options,
    )
  }

  /**
   * Gets a link with its statistics: GET `/url/:id`.
   *
   * The counts by country, referrer, browser and system are strings on the wire. For a link without visits, `0` or `[]`
   * stands in place of an empty map.
   *
   * @example
   * const { details, data } = await client.links.get(2)
   * console.log(details.longurl, data.clicks)
   *
   * @throws {NotFoundError} if there is no such link
   */
  get(id: Id, options?: RequestOptions): ApiPromise<LinkDetails> {
    return this.api.get(path`/url/${{ id }}`, { schema: LinkDetails, prepare: prepareDetails }, options)
  }

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
   * @throws {InvalidResponseError} if a row that may be the link does not fit, with `validation: 'report'` too
   */
  find(addressOrAlias: string, options?: RequestOptions): ApiPromise<Link | undefined> {
    const find = async () => {
      const api = this.api
        .forOperation({ operation: 'links.find', deadline: options?.deadline })
        .inContext({ isStrict: true })
      api.throwIfInvalid(checkValue(['addressOrAlias'], addressOrAlias, nonEmptyString))
      return findLink(api, addressOrAlias, options)
    }
    return startNow(find())
  }

  /**
   * Creates a link: POST `/url/add`.
   *
   * @remarks
   * For an address that the account has shortened already, some servers respond with the link that exists, others make
   * a second one. With an alias (`custom`), each link is its own.
   *
   * Some older servers respond without the id. The link exists then, and the error says that the outcome is unknown:
   * {@link ensure} finds the id, in two more requests.
   *
   * @example
   * const { id, shorturl } = await client.links.create({ url: 'https://shop.example/opening', custom: 'opening' })
   * console.log(id, shorturl)
   *
   * @throws {InvalidRequestError} if the address is missing, or a parameter is invalid; nothing is sent
   * @throws {InvalidResponseError} if the response has no id or no short address; `outcome` is `unknown`
   * @throws {ApiError} if the alias is taken
   */
  create(params: LinkCreate, options?: RequestOptions): ApiPromise<CreatedLink> {
    return this.api.post(
      path`/url/add`,
      { json: params, checks: linkCreate, schema: CreatedLink, prepare: prepareCreated },
      options,
    )
  }

  /**
   * Updates a link: PUT `/url/:id/update`.
   *
   * Some servers respond with the short address under `short`, others under `shorturl`.
   *
   * @example
   * const params = { url: 'https://shop.example/closing', expiry: '2027-01-31 18:00:00' }
   * const { shorturl } = await client.links.update(2, params)
   * console.log(shorturl)
   *
   * @throws {InvalidRequestError} if a parameter is invalid; nothing is sent
   * @throws {NotFoundError} if there is no such link
   * @throws {ApiError} if the alias is taken
   */
  update(id: Id, params: LinkUpdate, options?: RequestOptions): ApiPromise<CreatedLink> {
    return this.api.put(
      path`/url/${{ id }}/update`,
      { json: params, checks: linkUpdate, schema: CreatedLink, prepare: prepareCreated },
      options,
    )
  }

  /**
   * Deletes a link: DELETE `/url/:id/delete`.
   *
   * @example
   * const { message } = await client.links.delete(3)
   * console.log(message)
   *
   * @throws {NotFoundError} if there is no such link
   */
  delete(id: Id, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.delete(path`/url/${{ id }}/delete`, { schema: ActionResult }, options)
  }

  /**
   * Makes sure that a link exists: creates it only if there is none. It can be called again after anything, such as a
   * crash, a timeout or an error whose outcome is `unknown`, and makes no second link.
   *
   * It needs `custom`, because an alias exists once: it looks for the alias, creates the link, and looks again if the
   * alias is taken or the outcome is unknown. That is one request for a link that exists, two for a new one. The other
   * parameters of an existing link are left as they are; `link` shows what they are.
   *
   * Servers spell aliases their way: `Sale_May` may become `sale-may`. The same letters and digits, without case and
   * accents, are the same alias, unless a sign has moved (`p-11` is not `p-1-1`), and `shorturl` has it as the server
   * writes it. A link that is found is trusted to lead to the address if the server leaves out where it leads.
   *
   * Without `domain`, a link with the alias that leads to the address is the one, on whatever domain of the account it
   * is.
   *
   * @example
   * const { shorturl, created } = await client.links.ensure({ url: 'https://shop.example/opening', custom: 'opening' })
   * console.log(shorturl, created)
   *
   * @param options `onTaken: 'suffix'` takes `opening-2` … `opening-10` if the alias leads elsewhere.
   * @throws {LinkConflictError} if the alias leads to another address, on every domain that has it
   * @throws {InvalidResponseError} if the server has made the link with another alias, as it does if the plan has no
   *   aliases of its own, or on another domain; `outcome` is `unknown`, and the message has both
   * @throws {InvalidRequestError} if the address or the alias is missing, or a parameter is invalid; nothing is sent
   */
  ensure(params: LinkEnsure, options?: EnsureOptions): ApiPromise<EnsuredLink> {
    return startNow(checkAndEnsure(this.api, params, options))
  }
}
