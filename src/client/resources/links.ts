import type * as z from 'zod/v4/mini'
import {
  alias,
  anyUrl,
  type Check,
  dateTime,
  defineChecks,
  id,
  ids,
  nonEmptyString,
  secret,
  string,
} from '../checks/checks.ts'
import { formatValue } from '../checks/mismatch.ts'
import { type PageQuery, pageChecks } from '../definition.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListPromise } from '../http/list.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { defineCall, defineList } from '../platform/define.ts'
import { renameFields } from '../platform/prepare.ts'
import {
  countMap,
  countOrNull,
  countOrZero,
  idOrNull,
  idsOrNull,
  integer,
  nested,
  object,
  optional,
  orDefaults,
  stringMap,
  text,
  textOrNull,
} from '../platform/values.ts'
import { parseAlias } from '../runtime/short-address.ts'
import { isRecord } from '../runtime/text.ts'
import { ActionResult, type Id, Resource } from './resource.ts'

/** A link in a list. Only `id` and `shorturl` are always known. */
export interface Link extends z.infer<typeof Link> {}

export const Link = /* @__PURE__ */ object({
  id: integer,
  /** The short address. Also read from `short`. */
  shorturl: text,
  /**
   * The alias: the path of the short address, from which it is read if the server omits it; `null` if there is none.
   */
  alias: textOrNull,
  /** The address that the link leads to; `null` if the server omits it. */
  longurl: textOrNull,
  /** `null` if there is none. */
  title: textOrNull,
  /** `null` if there is none. */
  description: textOrNull,
  /** `null` if the server omits it. */
  clicks: countOrNull,
  /** The number of unique visitors; `null` if the server omits it, as older ones do. */
  uniqueclicks: countOrNull,
  /** The domain of the short address; `null` if the server omits it, as older ones do. */
  domain: textOrNull,
  /** The id of its campaign; `null` if it has none, or if the server omits it, as older ones do. */
  campaign: idOrNull,
  /** The ids of its channels; `null` if the server omits them, as older ones do. */
  channel: idsOrNull,
  /** When it was created, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` if the server omits it. */
  date: textOrNull,
})

const otherNames = { shorturl: ['short'] } as const

export const prepareLink = /* @__PURE__ */ renameFields<Link>(otherNames, (row) => {
  const { alias, shorturl } = row
  // A server that turns aliases into numbers loses the zeros of `007`, and changes `1e5`.
  const mayBeNumber = /^\d+$/.test(String(alias))
  if ((alias && !mayBeNumber) || typeof shorturl !== 'string') return row
  const own = parseAlias(shorturl)
  const last = own?.slice(own.lastIndexOf('/') + 1)
  if (!alias) return { ...row, alias: own }
  return last && Number(last) === Number(alias) ? { ...row, alias: last } : row
})

/** A link without its statistics. Only `id` and `shorturl` are always known. */
export interface LinkFields extends z.infer<typeof LinkFields> {}

export const LinkFields = /* @__PURE__ */ object({
  id: integer,
  /** The short address. Also read from `short`. */
  shorturl: text,
  /** The address that the link leads to; `null` if the server omits it. */
  longurl: textOrNull,
  /** `null` if there is none. */
  title: textOrNull,
  /** `null` if there is none. */
  description: textOrNull,
  /** Addresses for visitors from some countries, by country. */
  location: stringMap,
  /** Addresses for visitors with some devices, by device. */
  device: stringMap,
  /** When the link expires, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` if it never does. */
  expiry: textOrNull,
  /** When it was created, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` if the server omits it. */
  date: textOrNull,
})

/** Visits by social network. A server counts either `google` or `instagram`; the other is 0. */
export interface LinkSocialCount extends z.infer<typeof LinkSocialCount> {}

export const LinkSocialCount = /* @__PURE__ */ object({
  facebook: countOrZero,
  twitter: countOrZero,
  instagram: countOrZero,
  google: countOrZero,
})

/** The statistics of a link. Missing values are 0 or empty. */
export interface LinkStatistics extends z.infer<typeof LinkStatistics> {}

export const LinkStatistics = /* @__PURE__ */ object({
  clicks: countOrZero,
  /** The number of unique visitors. */
  uniqueClicks: countOrZero,
  /** Visits by country. */
  topCountries: countMap,
  /** Visits by referrer. */
  topReferrers: countMap,
  /** Visits by browser. */
  topBrowsers: countMap,
  /** Visits by operating system. */
  topOs: countMap,
  /** Visits by social network. */
  socialCount: /* @__PURE__ */ orDefaults<LinkSocialCount>(LinkSocialCount),
})

/** A link with its statistics. */
export interface LinkDetails extends z.infer<typeof LinkDetails> {}

export const LinkDetails = /* @__PURE__ */ object({
  /** The id of the link, which is also in `details`; `undefined` if the server omits it. */
  id: /* @__PURE__ */ optional(integer),
  details: /* @__PURE__ */ nested<LinkFields>(LinkFields),
  data: /* @__PURE__ */ orDefaults<LinkStatistics>(LinkStatistics),
})

const prepareDetails = /* @__PURE__ */ renameFields<LinkDetails>({ details: otherNames })

/** The result of creating or updating a link. */
export interface CreatedLink extends z.infer<typeof CreatedLink> {}

export const CreatedLink = /* @__PURE__ */ object({
  id: integer,
  /** The short address. Also read from `short`. */
  shorturl: text,
})

const prepareCreated = /* @__PURE__ */ renameFields<CreatedLink>(otherNames)

/** Parameters for listing links. */
export interface LinkQuery extends PageQuery {
  /** `date`: newest first. Some servers accept other values. */
  order?: 'date' | (string & {}) | undefined
}

/** Parameters for updating a link. Parameters that are not listed here are sent unchanged. */
export interface LinkUpdate {
  /** The URL that the link leads to. */
  url?: string | URL | undefined
  /** The alias, instead of a random one. */
  custom?: string | undefined
  /** A branded domain of the account. */
  domain?: string | undefined
  /** The password for visitors. */
  password?: string | undefined
  /** When the link expires, as `YYYY-MM-DD HH:MM:SS` in the server's time zone. */
  expiry?: string | undefined
  /** How visitors are redirected, or the id of an overlay or a custom splash page. */
  type?: 'direct' | 'frame' | 'splash' | (string & {}) | number | undefined
  /** The visibility of the link. */
  status?: 'public' | 'private' | (string & {}) | undefined
  /** The title of the preview in social networks. */
  metatitle?: string | undefined
  /** The description of the preview. */
  metadescription?: string | undefined
  /** The URL of the image of the preview. */
  metaimage?: string | undefined
  /** The title in the account. */
  title?: string | undefined
  /** A note in the account. */
  description?: string | undefined
  /** The ids of pixels. */
  pixels?: readonly Id[] | undefined
  /** The id of a channel. */
  channel?: Id | undefined
  /** The id of a campaign. */
  campaign?: Id | undefined
  /** The addresses that open in apps. */
  deeplink?:
    | {
        readonly auto?: boolean | number | undefined
        readonly apple?: string | undefined
        readonly google?: string | undefined
      }
    | undefined
  /** Addresses for visitors from some countries, instead of `url`. */
  geotarget?: readonly { readonly location: string; readonly link: string }[] | undefined
  /** Addresses for visitors with some devices, instead of `url`. */
  devicetarget?: readonly { readonly device: string; readonly link: string }[] | undefined
  /** Addresses for visitors with some languages, instead of `url`. */
  languagetarget?: readonly { readonly language: string; readonly link: string }[] | undefined
  /** Parameters to add to the URL. */
  parameters?: readonly { readonly name: string; readonly value: string }[] | undefined
}

/** Parameters for creating a link. `url` is required. */
export interface LinkCreate extends LinkUpdate {
  url: string | URL
}

/** Creates a check for a list of objects with two strings. The second string must also pass a check. */
function listOfPairs<Name extends string, Other extends string>(
  name: Name,
  other: Other,
  second: Check<string | URL>,
): Check<readonly Readonly<Record<Name | Other, string>>[]> {
  const isPair = (item: unknown) => isRecord(item) && nonEmptyString.isValid(item[name]) && second.isValid(item[other])
  return {
    expected: `a list of { ${name}, ${other} }, each ${other} ${second.expected}`,
    isValid: (value) => Array.isArray(value) && value.every(isPair),
    items: { [name]: nonEmptyString, [other]: second },
    hint: (value) => {
      const items: unknown[] = Array.isArray(value) ? value : []
      const at = items.findIndex((item) => !isPair(item))
      const item = items[at]
      const misfit = isRecord(item) ? (nonEmptyString.isValid(item[name]) ? other : name) : undefined
      const shown = misfit
        ? `${misfit} is ${formatValue((item as Record<string, unknown>)[misfit])}`
        : formatValue(item)
      return at < 0 ? undefined : `entry ${at + 1}: ${shown}`
    },
  }
}

const url = { ...anyUrl, otherNames: ['longurl', 'link', 'target'] }

const optionalChecks = {
  custom: { ...alias, otherNames: ['alias', 'slug'] },
  domain: string,
  password: secret,
  expiry: dateTime,
  type: {
    expected: 'direct, frame, splash, or an id',
    isValid: (value: unknown) => string.isValid(value) || id.isValid(value),
  } satisfies Check,
  status: string,
  metatitle: string,
  metadescription: string,
  metaimage: string,
  title: string,
  description: string,
  pixels: ids,
  channel: id,
  campaign: id,
  deeplink: {
    expected: '{ auto, apple, google }, the last two as strings',
    isValid: (value: unknown) =>
      isRecord(value) && [value.apple, value.google].every((store) => store === undefined || string.isValid(store)),
  } satisfies Check,
  geotarget: /* @__PURE__ */ listOfPairs('location', 'link', anyUrl),
  devicetarget: /* @__PURE__ */ listOfPairs('device', 'link', anyUrl),
  languagetarget: /* @__PURE__ */ listOfPairs('language', 'link', anyUrl),
  parameters: /* @__PURE__ */ listOfPairs('name', 'value', string),
}

const linkQuery = /* @__PURE__ */ defineChecks<LinkQuery>({}, { ...pageChecks, order: string })

const linkSearch = /* @__PURE__ */ defineChecks<{ short: string }>({ short: string }, {})

/** @internal */
export const linkCreate = /* @__PURE__ */ defineChecks<LinkCreate>({ url }, optionalChecks)

const linkUpdate = /* @__PURE__ */ defineChecks<LinkUpdate>({}, { url, ...optionalChecks })

/** The plain calls of the links section. `links/` adds those that make several requests. */
export class LinkCalls extends Resource {
  /**
   * Lists the links of the account: GET `/urls`.
   *
   * @example
   * for await (const { shorturl, clicks } of client.links.list({ order: 'date' })) console.log(shorturl, clicks)
   */
  list(query?: LinkQuery, options?: RequestOptions): ListPromise<Link> {
    return this.api.list(calls.list, { query }, options)
  }

  /**
   * Gets a link with its statistics: GET `/url/:id`.
   *
   * The counts by country, referrer, browser and system are strings in the response. For a link without visits, some
   * servers send `0` or `[]` for an empty map.
   *
   * @example
   * const { details, data } = await client.links.get(2)
   * console.log(details.longurl, data.clicks)
   *
   * @throws {NotFoundError} if there is no such link
   */
  get(id: Id, options?: RequestOptions): ApiPromise<LinkDetails> {
    return this.api.call(calls.get, { path: { id } }, options)
  }

  /**
   * Creates a link: POST `/url/add`.
   *
   * @remarks If the account has already shortened this address, some servers respond with the existing link, and others
   *   create a second one. With an alias (`custom`), they always create one.
   *
   * Some older servers respond without the id. The link is then created, and the call fails with the `outcome` `done`.
   * `ensure` finds the id with two more requests.
   *
   * @example
   * const { id, shorturl } = await client.links.create({ url: 'https://shop.example/opening', custom: 'opening' })
   * console.log(id, shorturl)
   *
   * @throws {InvalidRequestError} if the address is missing, or a parameter is invalid; nothing is sent
   * @throws {InvalidResponseError} if the response has no id or no short address; `outcome` is `done`
   * @throws {ApiError} if the alias is taken
   */
  create(params: LinkCreate, options?: RequestOptions): ApiPromise<CreatedLink> {
    return this.api.call(calls.create, { body: params }, options)
  }

  /**
   * Updates a link: PUT `/url/:id/update`. Some servers clear fields that an update leaves out: the password, the
   * expiry, the domain and the targets.
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
    return this.api.call(calls.update, { path: { id }, body: params }, options)
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
    return this.api.call(calls.delete, { path: { id } }, options)
  }
}

/** The calls of this file's methods, by method. */
export const calls = {
  list: /* @__PURE__ */ defineList('GET /urls', { query: linkQuery, listKey: 'urls', row: Link, prepare: prepareLink }),
  // Servers answer with a link or with a list, which links/find.ts reads.
  find: /* @__PURE__ */ defineCall('GET /urls', { query: linkSearch, result: LinkDetails, prepare: prepareDetails }),
  get: /* @__PURE__ */ defineCall('GET /url/:id', { result: LinkDetails, prepare: prepareDetails }),
  create: /* @__PURE__ */ defineCall('POST /url/add', {
    body: linkCreate,
    result: CreatedLink,
    prepare: prepareCreated,
  }),
  update: /* @__PURE__ */ defineCall('PUT /url/:id/update', {
    body: linkUpdate,
    result: CreatedLink,
    prepare: prepareCreated,
  }),
  delete: /* @__PURE__ */ defineCall('DELETE /url/:id/delete', { result: ActionResult }),
}
