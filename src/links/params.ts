import type { PageQuery } from '../http/lists/page.ts'
import type { Id } from '../resources/resource.ts'
import { isRecord } from '../schema/expected.ts'
import {
  alias,
  type Check,
  type Checks,
  dateTime,
  httpUrl,
  id,
  nonEmptyString,
  secret,
  string,
} from '../schema/params.ts'

/** Which links to list, and in which order. */
export interface LinkQuery extends PageQuery {
  /** `date`: the newest first. Deployments may know others. 5 sources name the parameter. */
  order?: 'date' | (string & {})
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

/** What may be sent when a link is created or updated. @internal */
export const linkChecks: Checks = {
  url: httpUrl,
  custom: alias,
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
