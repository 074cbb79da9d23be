import type * as z from 'zod/mini'
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
  part,
  text,
  textOrNull,
  texts,
} from '../../fields/fields.ts'
import { renameFields } from '../../fields/prepare.ts'
import { aliasIn } from './match.ts'

/** A link in a list. Only `id` and `shorturl` are certain. */
export interface Link extends z.infer<typeof Link> {}

export const Link = /* @__PURE__ */ object({
  id: integer,
  /** The short address. Read from `short` too. */
  shorturl: text,
  /**
   * The alias: the short address without its domain, from which it is read if it is left out; `null` if there is none.
   */
  alias: textOrNull,
  /** The address that the link leads to; `null` if it is left out. */
  longurl: textOrNull,
  /** `null` if there is none. */
  title: textOrNull,
  /** `null` if there is none. */
  description: textOrNull,
  /** `null` if it is left out. */
  clicks: countOrNull,
  /** Visitors, each counted once; `null` if it is left out, as older servers do. */
  uniqueclicks: countOrNull,
  /** The domain of the short address; `null` if it is left out, as older servers do. */
  domain: textOrNull,
  /** The id of the campaign that it is in; `null` if there is none, or if older servers leave it out. */
  campaign: idOrNull,
  /** The ids of the channels that it is in; `null` if it is left out, as older servers do. */
  channel: idsOrNull,
  /** The time of creation, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` if it is left out. */
  date: textOrNull,
})

const otherNames = { shorturl: ['short'] } as const

export const prepareLink = /* @__PURE__ */ renameFields<Link>(otherNames, (row) =>
  row.alias || typeof row.shorturl !== 'string' ? row : { ...row, alias: aliasIn(row.shorturl) },
)

/** A link without its statistics. Only `id` and `shorturl` are certain. */
export interface LinkFields extends z.infer<typeof LinkFields> {}

export const LinkFields = /* @__PURE__ */ object({
  id: integer,
  /** The short address. Read from `short` too. */
  shorturl: text,
  /** The address that the link leads to; `null` if it is left out. */
  longurl: textOrNull,
  /** `null` if there is none. */
  title: textOrNull,
  /** `null` if there is none. */
  description: textOrNull,
  /** Other addresses, by country. */
  location: texts,
  /** Other addresses, by device. */
  device: texts,
  /** The end, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` if it does not. */
  expiry: textOrNull,
  /** The time of creation, `YYYY-MM-DD HH:MM:SS` in the server's time zone; `null` if it is left out. */
  date: textOrNull,
})

/** Visits by social network. A server counts either Google or Instagram; the other is 0. */
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
  /** Visitors, each counted once. */
  uniqueClicks: countOrZero,
  /** Visits by country. */
  topCountries: counts,
  /** Visits by referring page. */
  topReferrers: counts,
  /** Visits by browser. */
  topBrowsers: counts,
  /** Visits by operating system. */
  topOs: counts,
  /** Visits by social network. */
  socialCount: /* @__PURE__ */ orDefaults<LinkSocialCount>(LinkSocialCount),
})

/** A link with its statistics. */
export interface LinkDetails extends z.infer<typeof LinkDetails> {}

export const LinkDetails = /* @__PURE__ */ object({
  /** The id of the link, which `details` has too; `undefined` if it is left out. */
  id: /* @__PURE__ */ optional(integer),
  details: /* @__PURE__ */ part<LinkFields>(LinkFields),
  data: /* @__PURE__ */ orDefaults<LinkStatistics>(LinkStatistics),
})

export const prepareDetails = /* @__PURE__ */ renameFields<LinkDetails>({ details: otherNames })

/** The result of creating or updating a link. */
export interface CreatedLink extends z.infer<typeof CreatedLink> {}

export const CreatedLink = /* @__PURE__ */ object({
  id: integer,
  /** The short address. Read from `short` too. */
  shorturl: text,
})

export const prepareCreated = /* @__PURE__ */ renameFields<CreatedLink>(otherNames)

/** The link that `ensure` created or found. */
export interface EnsuredLink extends CreatedLink {
  /** True if this call created it, as far as can be known: a creation whose outcome is unknown counts as its own. */
  created: boolean
  /** The link as it was found, so that you see what differs; `undefined` if this call created it. */
  link: Link | undefined
}
