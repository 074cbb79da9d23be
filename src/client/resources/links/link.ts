import {
  countOrNull,
  countOrZero,
  counts,
  idOrNull,
  idsOrNull,
  integer,
  object,
  optional,
  orDefaults,
  text,
  textOrNull,
  texts,
} from '../../fields/fields.ts'
import type { SocialCount } from '../qr.ts'
import { aliasIn } from './match.ts'

/** A link in a list. Only `id` and `shorturl` are certain. */
export interface Link {
  id: number
  /** The short address. Read from `short` too. */
  shorturl: string
  /**
   * The alias: the short address without its domain, from which it is read if it is left out; `null` if there is none.
   */
  alias: string | null
  /** The address that the link leads to; `null` if it is left out. */
  longurl: string | null
  /** `null` if there is none. */
  title: string | null
  /** `null` if there is none. */
  description: string | null
  /** `null` if it is left out. */
  clicks: number | null
  /** Visitors, each counted once; `null` if it is left out, as older servers do. */
  uniqueclicks: number | null
  /** The domain of the short address; `null` if it is left out, as older servers do. */
  domain: string | null
  /** The id of the campaign that it is in; `null` if there is none, or if older servers leave it out. */
  campaign: number | null
  /** The ids of the channels that it is in; `null` if it is left out, as older servers do. */
  channel: number[] | null
  /** The time of creation, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` if it is left out. */
  date: string | null
}

const shortNames = { shorturl: ['short'] }

export const Link = /* @__PURE__ */ object<Link>(
  {
    id: integer,
    shorturl: text,
    alias: textOrNull,
    longurl: textOrNull,
    title: textOrNull,
    description: textOrNull,
    clicks: countOrNull,
    uniqueclicks: countOrNull,
    domain: textOrNull,
    campaign: idOrNull,
    channel: idsOrNull,
    date: textOrNull,
  },
  shortNames,
  (row) => (row.alias || typeof row.shorturl !== 'string' ? row : { ...row, alias: aliasIn(row.shorturl) }),
)

/** A link without its statistics. Only `id` and `shorturl` are certain. */
export interface LinkFields {
  id: number
  /** The short address. Read from `short` too. */
  shorturl: string
  /** The address that the link leads to; `null` if it is left out. */
  longurl: string | null
  /** `null` if there is none. */
  title: string | null
  /** `null` if there is none. */
  description: string | null
  /** Other addresses, by country. */
  location: Record<string, string>
  /** Other addresses, by device. */
  device: Record<string, string>
  /** The end, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` if it does not. */
  expiry: string | null
  /** The time of creation, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` if it is left out. */
  date: string | null
}

export const LinkFields = /* @__PURE__ */ object<LinkFields>(
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

/** Visits by social network. A server counts either Google or Instagram; the other is 0. */
export interface LinkSocialCount extends SocialCount {
  google: number
}

export const LinkSocialCount = /* @__PURE__ */ object<LinkSocialCount>({
  facebook: countOrZero,
  twitter: countOrZero,
  instagram: countOrZero,
  google: countOrZero,
})

/** The statistics of a link. Missing values are 0 or empty. */
export interface LinkStatistics {
  clicks: number
  /** Visitors, each counted once. */
  uniqueClicks: number
  /** Visits by country. */
  topCountries: Record<string, number>
  /** Visits by referring page. */
  topReferrers: Record<string, number>
  /** Visits by browser. */
  topBrowsers: Record<string, number>
  /** Visits by operating system. */
  topOs: Record<string, number>
  /** Visits by social network. */
  socialCount: LinkSocialCount
}

export const LinkStatistics = /* @__PURE__ */ object<LinkStatistics>({
  clicks: countOrZero,
  uniqueClicks: countOrZero,
  topCountries: counts,
  topReferrers: counts,
  topBrowsers: counts,
  topOs: counts,
  socialCount: /* @__PURE__ */ orDefaults(LinkSocialCount),
})

/** A link with its statistics. */
export interface LinkDetails {
  /** The id of the link, which `details` has too; `undefined` if it is left out. */
  id?: number | undefined
  details: LinkFields
  data: LinkStatistics
}

export const LinkDetails = /* @__PURE__ */ object<LinkDetails>({
  id: /* @__PURE__ */ optional(integer),
  details: LinkFields,
  data: /* @__PURE__ */ orDefaults(LinkStatistics),
})

/** The result of creating or updating a link. */
export interface CreatedLink {
  id: number
  /** The short address. Read from `short` too. */
  shorturl: string
}

export const CreatedLink = /* @__PURE__ */ object<CreatedLink>({ id: integer, shorturl: text }, shortNames)

/** The link that `ensure` created or found. */
export interface EnsuredLink extends CreatedLink {
  /** True if this call created it, as far as can be known: a creation whose outcome is unknown counts as its own. */
  created: boolean
  /** The link as it was found, so that you see what differs; `undefined` if this call created it. */
  link: Link | undefined
}
