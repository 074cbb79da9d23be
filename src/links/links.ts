import type { ShortLinkClient } from '../client.ts'
import { ApiPromise } from '../http/api-promise.ts'
import { unwrapBody } from '../http/envelope.ts'
import type { ListPromise } from '../http/lists/list-promise.ts'
import type { ListOptions } from '../http/lists/page.ts'
import { path } from '../http/path.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { type ActionResult, actionResult, type Id, Resource } from '../resources/resource.ts'
import { checkParams, nonEmptyString } from '../schema/params.ts'
import { ensureLink } from './ensure.ts'
import { LinkFinder, linkList } from './find.ts'
import { type CreatedLink, createdLink, type EnsuredLink, type Link, type LinkDetails, linkDetails } from './link.ts'
import { type LinkCreate, type LinkQuery, type LinkUpdate, linkChecks } from './params.ts'

/** Short links. Outside the reference: see {@link links}. */
export class LinksResource extends Resource {
  /** @internal */
  constructor({ account }: ShortLinkClient) {
    // Every resource of a client sends through the same transport.
    super({
      call: (call, options) => account.call(call, options),
      list: (list, options) => account.pages(list, options),
    })
  }

  /**
   * Lists the links of the account: GET `/urls`. 5 sources.
   *
   * @example
   * for await (const { shorturl, clicks } of shop.list({ order: 'date' })) console.log(shorturl, clicks)
   */
  list(query?: LinkQuery, options?: ListOptions): ListPromise<Link> {
    return this.pages(linkList(query), options)
  }

  /**
   * Gets a link with its statistics: GET `/url/:id`. 4 sources.
   *
   * The counts by country, referrer, browser and system are strings on the wire. For a link without visits, `0` or `[]` stands
   * in the place of an empty map.
   *
   * @example
   * const { details, data } = await shop.get(2)
   * console.log(details.longurl, data.clicks)
   *
   * @throws {NotFoundError} where there is no such link
   */
  get(id: Id, options?: RequestOptions): ApiPromise<LinkDetails> {
    return this.call({ method: 'GET', path: path`/url/${{ id }}`, unwrap: unwrapBody(linkDetails) }, options)
  }

  /**
   * Finds a link by its short address or alias: GET `/urls?short=`. 3 sources.
   *
   * Some deployments answer with the single link, in the form of GET `/url/:id`, others with a list of one.
   *
   * @remarks
   * Where the answer shows that the server does not know this parameter, the list is searched, the newest links first: 10
   * pages at most, which are 1,000 links, or fewer where the server gives less than 100 a page.
   *
   * `undefined` means that the server said so, or that the link is not on those pages: an older one may still exist.
   * An alias that exists at several domains gives any one of these links, so give the whole address there.
   *
   * @example
   * const { shorturl } = await shop.create({ url: 'https://shop.example/opening', custom: 'opening' })
   * const link = await shop.find(shorturl) // or 'opening'
   * console.log(link?.id, link?.longurl)
   *
   * @param addressOrAlias The short address of a link, or its alias.
   * @returns The link, alone or in a list.
   * @throws {InvalidRequestError} where the argument is not a string, or is empty; nothing is sent
   */
  find(addressOrAlias: string, options?: RequestOptions): ApiPromise<Link | undefined> {
    const invalid = checkParams({ addressOrAlias }, { addressOrAlias: nonEmptyString }, ['addressOrAlias'])
    return new ApiPromise(new LinkFinder(this, invalid, options).find(addressOrAlias))
  }

  /**
   * Creates a link: POST `/url/add`. 4 sources.
   *
   * @example
   * const { id, shorturl } = await shop.create({ url: 'https://shop.example/opening', custom: 'opening' })
   * console.log(id, shorturl)
   *
   * @throws {InvalidRequestError} where the address is missing, or a parameter does not fit; nothing is sent
   * @throws {ApiError} where the alias is taken
   */
  create(params: LinkCreate, options?: RequestOptions): ApiPromise<CreatedLink> {
    return this.call(
      {
        method: 'POST',
        path: path`/url/add`,
        json: params,
        checks: linkChecks,
        required: ['url'],
        unwrap: unwrapBody(createdLink),
      },
      options,
    )
  }

  /**
   * Updates a link: PUT `/url/:id/update`. 3 sources.
   *
   * Some deployments answer with the short address under `short`, others under `shorturl`.
   *
   * @example
   * const { shorturl } = await shop.update(2, { url: 'https://shop.example/closing', expiry: '2027-01-31 18:00:00' })
   * console.log(shorturl)
   *
   * @throws {InvalidRequestError} where a parameter does not fit; nothing is sent
   * @throws {NotFoundError} where there is no such link
   * @throws {ApiError} where the alias is taken
   */
  update(id: Id, params: LinkUpdate, options?: RequestOptions): ApiPromise<CreatedLink> {
    return this.call(
      {
        method: 'PUT',
        path: path`/url/${{ id }}/update`,
        json: params,
        checks: linkChecks,
        unwrap: unwrapBody(createdLink),
      },
      options,
    )
  }

  /**
   * Deletes a link: DELETE `/url/:id/delete`. 4 sources.
   *
   * @example
   * const { message } = await shop.delete(3)
   * console.log(message)
   *
   * @throws {NotFoundError} where there is no such link
   */
  delete(id: Id, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.call({ method: 'DELETE', path: path`/url/${{ id }}/delete`, unwrap: unwrapBody(actionResult) }, options)
  }

  /**
   * Makes sure that a link exists: creates it only where there is none. It can be called again after anything, such as a
   * crash, a timeout or an error whose outcome is `unknown`, and makes no second link.
   *
   * - With `custom`, this is exact, because an alias exists once: it looks for the alias, creates the link, and looks again
   *   where the alias is taken or the outcome is unknown. That is one request for a link that exists, two for a new one.
   *   The other parameters of an existing link are left as they are.
   * - Without `custom`, it searches the newest links for the address, 10 pages at most, as {@link find} does. This is
   *   weaker: an older link is not found, and two calls at the same time can both create one. Where you have no aliases,
   *   derive them from the addresses, for example with a hash.
   *
   * @example
   * const { shorturl, created } = await shop.ensure({ url: 'https://shop.example/opening', custom: 'opening' })
   * console.log(shorturl, created)
   *
   * @throws {LinkConflictError} where the alias leads to another address
   * @throws {InvalidRequestError} where the address is missing, or a parameter does not fit; nothing is sent
   */
  ensure(params: LinkCreate, options?: RequestOptions): ApiPromise<EnsuredLink> {
    return new ApiPromise(ensureLink(this, params, options))
  }
}
