import {
  alias,
  anyUrl,
  type Check,
  checks,
  dateTime,
  httpUrl,
  id,
  nonEmptyString,
  secret,
  string,
} from '../../checks/checks.ts'
import { type PageQuery, pageChecks } from '../../http/list.ts'
import { isRecord } from '../../runtime/text.ts'
import type { Id } from '../resource.ts'

/** Parameters for listing links. */
export interface LinkQuery extends PageQuery {
  /** `date`: the newest first. Some servers accept other values. */
  order?: 'date' | (string & {}) | undefined
}

/** Parameters for updating a link. Unlisted parameters are sent as they are. */
export interface LinkUpdate {
  /** The URL that the link leads to. */
  url?: string | URL | undefined
  /** The alias, instead of a random one. */
  custom?: string | undefined
  /** A branded domain of the account. */
  domain?: string | undefined
  /** The password for visitors. */
  password?: string | undefined
  /** The end of the link, as `YYYY-MM-DD HH:MM:SS` in the server's time zone. */
  expiry?: string | undefined
  /** The way visitors are redirected, or the id of an overlay or a custom splash page. */
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
  /** Other addresses, by country. */
  geotarget?: readonly { readonly location: string; readonly link: string }[] | undefined
  /** Other addresses, by device. */
  devicetarget?: readonly { readonly device: string; readonly link: string }[] | undefined
  /** Other addresses, by language. */
  languagetarget?: readonly { readonly language: string; readonly link: string }[] | undefined
  /** Parameters to add to the URL. */
  parameters?: readonly { readonly name: string; readonly value: string }[] | undefined
}

/** Parameters for creating a link. `url` is required. */
export interface LinkCreate extends LinkUpdate {
  url: string | URL
}

/** A check for a list of objects with these two strings, the second of which passes a check of its own. */
function pairs<Name extends string, Other extends string>(
  name: Name,
  other: Other,
  second: Check<string | URL>,
): Check<readonly Readonly<Record<Name | Other, string>>[]> {
  const fits = (item: unknown) => isRecord(item) && nonEmptyString.fits(item[name]) && second.fits(item[other])
  return {
    expected: `a list of { ${name}, ${other} }, each ${other} ${second.expected}`,
    fits: (value) => Array.isArray(value) && value.every(fits),
  }
}

const url = { ...anyUrl, otherNames: ['longurl', 'link', 'target'] }

const rest = {
  custom: { ...alias, otherNames: ['alias', 'slug'] },
  domain: string,
  password: secret,
  expiry: dateTime,
  type: {
    expected: 'direct, frame, splash, or an id',
    fits: (value: unknown) => string.fits(value) || id.fits(value),
  } satisfies Check,
  status: string,
  metatitle: string,
  metadescription: string,
  metaimage: string,
  title: string,
  description: string,
  pixels: {
    expected: 'a list of ids',
    fits: (value: unknown) => Array.isArray(value) && value.every(id.fits),
    isId: true,
  } satisfies Check,
  channel: id,
  campaign: id,
  deeplink: {
    expected: '{ auto, apple, google }, the last two as strings',
    fits: (value: unknown) =>
      isRecord(value) && [value.apple, value.google].every((store) => store === undefined || string.fits(store)),
  } satisfies Check,
  geotarget: /* @__PURE__ */ pairs('location', 'link', httpUrl),
  devicetarget: /* @__PURE__ */ pairs('device', 'link', httpUrl),
  languagetarget: /* @__PURE__ */ pairs('language', 'link', httpUrl),
  parameters: /* @__PURE__ */ pairs('name', 'value', string),
}

/** @internal */
export const linkQuery = /* @__PURE__ */ checks<LinkQuery>({}, { ...pageChecks, order: string })

/** @internal */
export const linkCreate = /* @__PURE__ */ checks<LinkCreate>({ url }, rest)

/** @internal */
export const linkUpdate = /* @__PURE__ */ checks<LinkUpdate>({}, { url, ...rest })
