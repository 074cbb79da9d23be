import type { ShortLinkClient } from '../client.ts'
import { type ApiError, type ErrorContext, type Issue, isShortLinkError } from '../errors.ts'
import { ApiPromise, type ApiResponse } from '../http/api-promise.ts'
import { type Unwrap, unwrapBody } from '../http/envelope.ts'
import type { ListPromise } from '../http/lists/list-promise.ts'
import type { ListOptions, PageQuery } from '../http/lists/page.ts'
import { path } from '../http/path.ts'
import type { RequestOptions } from '../http/request-options.ts'
import type { List } from '../http/transport.ts'
import type { SocialCount } from '../resources/qr.ts'
import { type ActionResult, actionResult, type Id, Resource } from '../resources/resource.ts'
import { isRecord } from '../schema/expected.ts'
import {
  countOrZero,
  counts,
  idOrNull,
  ids,
  integer,
  object,
  optional,
  orDefaults,
  rowsOf,
  text,
  textOrNull,
  texts,
} from '../schema/fields.ts'
import {
  type Check,
  type Checks,
  checkParams,
  dateTime,
  httpUrl,
  id,
  nonEmptyString,
  secret,
  string,
  wellFormedString,
} from '../schema/params.ts'
import { parse } from '../schema/parse.ts'
import { LinkConflictError } from './conflict.ts'
import { isAt, isOnDomain, isSameAddress } from './match.ts'

/** How many pages a search reads at most. They have 100 links, unless the server gives fewer. */
const SEARCHED_PAGES = 10

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
    return new ApiPromise(this.#find(addressOrAlias, invalid, options))
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
        checks,
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
      { method: 'PUT', path: path`/url/${{ id }}/update`, json: params, checks, unwrap: unwrapBody(createdLink) },
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
    return new ApiPromise(this.#ensure(params, options))
  }

  async #ensure(params: LinkCreate, options: RequestOptions | undefined): Promise<ApiResponse<EnsuredLink>> {
    const { url, custom, domain } = isRecord(params) ? params : ({} as LinkCreate)
    const invalid = checkParams(params, checks, ['url'])
    const address = custom && invalid.length === 0 ? addressOf(custom, domain) : undefined
    const leadsThere = (link: Link) => link.longurl !== null && isSameAddress(link.longurl, url)
    const search = () =>
      this.#search((link) => leadsThere(link) && (!domain || isOnDomain(link, domain)), invalid, options)

    // With an alias it is enough to ask: where that leaves it open, the server refuses to create a second one.
    const before = await (address ? this.#ask(address, invalid, options) : search())
    if (before?.data) return ensured({ ...before, data: before.data }, url)
    try {
      const { data, ...answer } = await this.create(params, options).withResponse()
      return { ...answer, data: { ...data, created: true } }
    } catch (error) {
      if (!isShortLinkError(error) || !(error.outcome === 'unknown' || (address && isRefusal(error)))) throw error
      const after = await (address ? this.#find(address, invalid, options) : search()).catch((failure) => {
        throw isShortLinkError(failure) && error.outcome === 'unknown' ? error : failure
      })
      if (!after.data) throw error
      return ensured({ ...after, data: after.data }, url, error)
    }
  }

  async #find(
    addressOrAlias: string,
    invalid: readonly Issue[],
    options: RequestOptions | undefined,
  ): Promise<ApiResponse<Link | undefined>> {
    const answer = await this.#ask(addressOrAlias, invalid, options)
    return answer ?? this.#search((link) => isAt(link, addressOrAlias), invalid, options)
  }

  /** Asks the server for the link with this address or alias. `undefined`: the answer leaves it open. */
  async #ask(
    short: string,
    invalid: readonly Issue[],
    options: RequestOptions | undefined,
  ): Promise<ApiResponse<Link | undefined> | undefined> {
    const call = { method: 'GET', path: path`/urls`, query: { short }, invalid, unwrap: unwrapMatches }
    try {
      const { data, ...answer } = await this.call(call, options).withResponse()
      const link = data?.find((row) => isAt(row, short))
      return link || data?.length === 0 ? { ...answer, data: link } : undefined
    } catch (error) {
      if (!isRefusal(error)) throw error
      // Other refusals may have other reasons.
      if (error.code !== 'not_found') return undefined
      const { status, headers, rateLimit, attempts } = error
      return { data: undefined, response: new Response(null, { status, headers }), rateLimit, attempts }
    }
  }

  /** Searches the newest links. */
  async #search(
    isWanted: (link: Link) => boolean,
    invalid: readonly Issue[],
    options: RequestOptions | undefined,
  ): Promise<ApiResponse<Link | undefined>> {
    const list = this.pages({ ...linkList({ order: 'date' }), invalid }, options)
    let link: Link | undefined
    let pages = 0
    for await (const { items } of list.pages()) {
      link = items.find(isWanted)
      if (link || ++pages === SEARCHED_PAGES) break
    }
    return { ...(await list.withResponse()), data: link }
  }
}

const linkList = (query: LinkQuery | undefined): List<Link> => ({
  path: path`/urls`,
  query,
  checks: { order: string },
  listKeys: ['urls'],
  row: link,
})

/**
 * The links that answer `?short=`: a single one in the form of GET `/url/:id`, or a list. `undefined` for any other form.
 */
const unwrapMatches: Unwrap<Link[] | undefined> = ({ id, details, data, urls }, { issues }, validate) => {
  const read = (row: unknown, at: (string | number)[]) =>
    validate ? parse(link, row, { path: at, issues }) : (row as Link)
  if (isRecord(details)) {
    const { clicks, uniqueClicks: uniqueclicks } = isRecord(data) ? data : {}
    return [read({ id, clicks, uniqueclicks, ...details }, ['details'])]
  }
  const rows = isRecord(data) ? data.urls : (urls ?? data)
  return rowsOf(rows)?.map((row, index) => read(row, isRecord(data) ? ['data', 'urls', index] : ['urls', index]))
}

/** The link that `ensure` found, `error` being what its attempt to create it ended with. */
function ensured(
  { data, ...answer }: ApiResponse<Link>,
  url: string,
  error?: { readonly outcome: string },
): ApiResponse<EnsuredLink> {
  const { id, shorturl, longurl } = data
  // A deployment that does not say where its links lead is taken at its word that this is the one.
  if (longurl !== null && !isSameAddress(longurl, url)) {
    const { attempts, response } = answer
    // The responses of some fetches have no address.
    const context: ErrorContext = { method: 'GET', path: '/urls', ...(response.url && { url: response.url }), attempts }
    throw new LinkConflictError({ shorturl, longurl }, { ...context, outcome: error ? 'rejected' : 'not-sent' })
  }
  return { ...answer, data: { id, shorturl, created: error?.outcome === 'unknown' } }
}

/** What to ask for: the alias, or its whole address where the domain is known. */
function addressOf(alias: string, domain: string | undefined): string {
  return domain ? `${domain.replace(/\/$/, '')}/${encodeURIComponent(alias)}` : alias
}

/** Whether the platform said no, for a reason that only its message tells, in the language of the site. */
function isRefusal(error: unknown): error is ApiError {
  return (
    isShortLinkError(error) &&
    (error.code === 'api' || error.code === 'not_found') &&
    error.outcome === 'rejected' &&
    isRecord(error.body)
  )
}

/** A list of objects, of which each has these texts and may have a link. */
const listOf = (names: readonly [string, string], isLink: boolean): Check => {
  const [name, other] = names
  const fits = (item: unknown) =>
    isRecord(item) && nonEmptyString.fits(item[name]) && (isLink ? httpUrl : string).fits(item[other])
  const misfit = (value: unknown) => (Array.isArray(value) ? value.findIndex((item) => !fits(item)) : undefined)
  return {
    expected: `a list of { ${names.join(', ')} }${isLink ? ', each link an absolute http:// or https:// URL' : ''}`,
    fits: (value) => misfit(value) === -1,
    hint: (value) => (Array.isArray(value) ? `see position ${misfit(value)}` : undefined),
  }
}

const checks: Checks = {
  url: httpUrl,
  custom: wellFormedString,
  domain: string,
  password: secret,
  expiry: dateTime,
  type: { expected: 'direct, frame, splash, or an id', fits: (value) => string.fits(value) || id.fits(value) },
  status: string,
  metatitle: string,
  metadescription: string,
  metaimage: string,
  title: string,
  description: string,
  pixels: { expected: 'a list of ids', fits: (value) => Array.isArray(value) && value.every(id.fits) },
  channel: id,
  campaign: id,
  deeplink: {
    expected: '{ auto, apple, google }, the last two as strings',
    fits: (value) =>
      isRecord(value) && [value.apple, value.google].every((store) => store === undefined || string.fits(store)),
  },
  geotarget: listOf(['location', 'link'], true),
  devicetarget: listOf(['device', 'link'], true),
  languagetarget: listOf(['language', 'link'], true),
  parameters: listOf(['name', 'value'], false),
}

/** Which links to list, and in which order. */
export interface LinkQuery extends PageQuery {
  /** `date`: the newest first. Deployments may know others. 5 sources name the parameter. */
  order?: 'date' | (string & {})
}

/** A link in a list. Only `id` and `shorturl` are certain. */
export interface Link {
  /** 5 sources. */
  id: number
  /** The short address. Read from `short` too. 5 sources. */
  shorturl: string
  /** The last part of the short address; `null` where it is left out. 5 sources. */
  alias: string | null
  /** The address that the link leads to; `null` where it is left out. 5 sources. */
  longurl: string | null
  /** `null` where there is none. 5 sources. */
  title: string | null
  /** `null` where there is none. 5 sources. */
  description: string | null
  /** 0 where it is left out. 5 sources. */
  clicks: number
  /** Visitors, each counted once; 0 where it is left out, as older deployments do. */
  uniqueclicks: number
  /** The domain of the short address; `null` where it is left out, as older deployments do. */
  domain: string | null
  /** The id of the campaign that it is in; `null` where there is none, or older deployments leave it out. */
  campaign: number | null
  /** The ids of the channels that it is in; empty where older deployments leave it out. */
  channel: number[]
  /** When it was created, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` where it is left out. 5 sources. */
  date: string | null
}

const shortNames = { shorturl: ['short'] }

/** @internal */
export const link = /* @__PURE__ */ object<Link>(
  {
    id: integer,
    shorturl: text,
    alias: textOrNull,
    longurl: textOrNull,
    title: textOrNull,
    description: textOrNull,
    clicks: countOrZero,
    uniqueclicks: countOrZero,
    domain: textOrNull,
    campaign: idOrNull,
    channel: ids,
    date: textOrNull,
  },
  shortNames,
)

/** What a link is. Only `id` and `shorturl` are certain. */
export interface LinkFields {
  /** 4 sources. */
  id: number
  /** The short address. Read from `short` too. 4 sources. */
  shorturl: string
  /** The address that the link leads to; `null` where it is left out. 4 sources. */
  longurl: string | null
  /** `null` where there is none. 4 sources. */
  title: string | null
  /** `null` where there is none. 4 sources. */
  description: string | null
  /** Other addresses, by country. 4 sources. */
  location: Record<string, string>
  /** Other addresses, by device. 4 sources. */
  device: Record<string, string>
  /** When it ends, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` where it does not. 4 sources. */
  expiry: string | null
  /** When it was created, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` where it is left out. 4 sources. */
  date: string | null
}

/** @internal */
export const linkFields = /* @__PURE__ */ object<LinkFields>(
  {
    id: integer,
    shorturl: text,
    longurl: textOrNull,
    title: textOrNull,
    description: textOrNull,
    location: texts,
    device: texts,
    expiry: textOrNull,
    date: textOrNull,
  },
  shortNames,
)

/** Visits by social network. A deployment counts either Google or Instagram; the other is 0. */
export interface LinkSocialCount extends SocialCount {
  google: number
}

/** @internal */
export const socialCount = /* @__PURE__ */ object<LinkSocialCount>({
  facebook: countOrZero,
  twitter: countOrZero,
  instagram: countOrZero,
  google: countOrZero,
})

/** The statistics of a link. What a deployment leaves out is 0 or empty. */
export interface LinkStatistics {
  /** 4 sources. */
  clicks: number
  /** Visitors, each counted once. 4 sources. */
  uniqueClicks: number
  /** Visits by country. 4 sources. */
  topCountries: Record<string, number>
  /** Visits by referring page. 4 sources. */
  topReferrers: Record<string, number>
  /** Visits by browser. 4 sources. */
  topBrowsers: Record<string, number>
  /** Visits by operating system. 4 sources. */
  topOs: Record<string, number>
  /** Visits by social network. 4 sources. */
  socialCount: LinkSocialCount
}

/** @internal */
export const linkStatistics = /* @__PURE__ */ object<LinkStatistics>({
  clicks: countOrZero,
  uniqueClicks: countOrZero,
  topCountries: counts,
  topReferrers: counts,
  topBrowsers: counts,
  topOs: counts,
  socialCount: /* @__PURE__ */ orDefaults(socialCount),
})

/** A link with its statistics. */
export interface LinkDetails {
  /** The id of the link, which `details` has too; `undefined` where it is left out. 4 sources. */
  id?: number | undefined
  details: LinkFields
  data: LinkStatistics
}

/** @internal */
export const linkDetails = /* @__PURE__ */ object<LinkDetails>({
  id: /* @__PURE__ */ optional(integer),
  details: linkFields,
  data: /* @__PURE__ */ orDefaults(linkStatistics),
})

/** The answer to the creation and to the update of a link. */
export interface CreatedLink {
  /** 4 sources. */
  id: number
  /** The short address. Read from `short` too. 4 sources. */
  shorturl: string
}

/** @internal */
export const createdLink = /* @__PURE__ */ object<CreatedLink>({ id: integer, shorturl: text }, shortNames)

/** The link that `ensure` created or found. */
export interface EnsuredLink extends CreatedLink {
  /** Whether this call created it, as far as can be known: an attempt whose outcome is unknown counts as its own. */
  created: boolean
}

/** What can be changed about a link. A parameter that is not listed here is sent as it is. */
export interface LinkUpdate {
  /** The address that the link leads to. All sources. */
  url?: string
  /** The alias, instead of a random one. 3 sources. */
  custom?: string
  /** A branded domain of the account. 2 sources. */
  domain?: string
  /** The password that visitors are asked for. 2 sources. */
  password?: string
  /** When the link ends, as `YYYY-MM-DD HH:MM:SS` in the server's time zone. 3 sources. */
  expiry?: string
  /** How visitors are sent on, or the id of an overlay or a custom splash page. 2 sources. */
  type?: 'direct' | 'frame' | 'splash' | (string & {}) | number
  /** Whether the link is shown in public. 1 source. */
  status?: 'public' | 'private' | (string & {})
  /** The title of the preview in social networks. 3 sources. */
  metatitle?: string
  /** The description of the preview. 3 sources. */
  metadescription?: string
  /** The address of the image of the preview. 3 sources. */
  metaimage?: string
  /** The title in the account. 2 sources. */
  title?: string
  /** A note in the account. 2 sources. */
  description?: string
  /** The ids of pixels. 1 source. */
  pixels?: readonly Id[]
  /** The id of a channel. 1 source. */
  channel?: Id
  /** The id of a campaign. 1 source. */
  campaign?: Id
  /** What opens in apps. 1 source. */
  deeplink?: { readonly auto?: boolean | number; readonly apple?: string; readonly google?: string }
  /** Other addresses, by country. 4 sources. */
  geotarget?: readonly { readonly location: string; readonly link: string }[]
  /** Other addresses, by device. 4 sources. */
  devicetarget?: readonly { readonly device: string; readonly link: string }[]
  /** Other addresses, by language. 3 sources. */
  languagetarget?: readonly { readonly language: string; readonly link: string }[]
  /** Added to the query of the address. 3 sources. */
  parameters?: readonly { readonly name: string; readonly value: string }[]
}

/** The parameters of a new link; the address is required. */
export interface LinkCreate extends LinkUpdate {
  url: string
}
