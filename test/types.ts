/**
 * The documented types, written by hand from the reference and the field notes. Nothing here is derived from the
 * package's schemas, so that the tests find mistakes in them.
 */
import type { Page } from 'shortlink-sdk'

/** Throws if a value does not have the type. Adds every documented scalar to `found`. */
export type Type = (value: unknown, at: string, found: unknown[]) => void

function scalar(name: string, fits: (value: unknown) => boolean): Type {
  return (value, at, found) => {
    if (!fits(value)) throw new Error(`${at} is documented as ${name}, but is ${JSON.stringify(value)}`)
    found.push(value)
  }
}

const integer = scalar('an integer', (value) => typeof value === 'number' && Number.isSafeInteger(value))
const string = scalar('a string', (value) => typeof value === 'string')
const boolean = scalar('a boolean', (value) => value === true || value === false)

const orNull =
  (type: Type): Type =>
  (value, at, found) =>
    value === null || type(value, at, found)

const orFalse =
  (type: Type): Type =>
  (value, at, found) =>
    value === false || type(value, at, found)

const orUndefined =
  (type: Type): Type =>
  (value, at, found) =>
    value === undefined || type(value, at, found)

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const object =
  (fields: Record<string, Type>): Type =>
  (value, at, found) => {
    if (!isObject(value)) throw new Error(`${at} is not an object, but ${JSON.stringify(value)}`)
    for (const [name, type] of Object.entries(fields)) type(value[name], `${at}.${name}`, found)
  }

const array =
  (type: Type): Type =>
  (value, at, found) => {
    if (!Array.isArray(value)) throw new Error(`${at} is not an array, but ${JSON.stringify(value)}`)
    for (const [index, row] of value.entries()) type(row, `${at}[${index}]`, found)
  }

const mapOf =
  (type: Type): Type =>
  (value, at, found) => {
    if (!isObject(value)) throw new Error(`${at} is not a map, but ${JSON.stringify(value)}`)
    for (const [label, inner] of Object.entries(value)) type(inner, `${at}.${label}`, found)
  }

const numbers = {
  result: orUndefined(integer),
  perpage: integer,
  currentpage: integer,
  // It is computed, so it may be no value of the body. `pageOf` compares it with the other numbers.
  nextpage: (value: unknown, at: string) => orNull(integer)(value, at, []),
  maxpage: orUndefined(integer),
}

export const pageOf = (row: Type): Type => {
  const page = object({ ...numbers, items: array(row) })
  return (value, at, found) => {
    page(value, at, found)
    const { items, currentpage, nextpage, maxpage } = value as Page<unknown>
    // `maxpage` decides, unless the server leaves it out. An empty page is always the last one.
    const hasNext = items.length > 0 && (maxpage === undefined ? nextpage !== null : currentpage < maxpage)
    if (nextpage !== (hasNext ? currentpage + 1 : null)) throw new Error(`${at}.nextpage is ${nextpage}`)
  }
}

export const actionResult = object({ message: string })
export const created = object({ id: integer })
export const account = object({
  id: integer,
  email: string,
  username: string,
  avatar: orNull(string),
  status: string,
  expires: orNull(string),
  registered: string,
})
export const domain = object({
  id: integer,
  domain: string,
  redirectroot: orNull(string),
  redirect404: orNull(string),
})
export const overlay = object({ id: integer, type: string, name: string, date: string })
export const campaign = object({ id: integer, name: string, public: boolean, rotator: orFalse(string), list: string })
/** A new or changed campaign. Servers may send only its id. */
export const createdCampaign = object({
  id: integer,
  name: orUndefined(string),
  public: orUndefined(boolean),
  rotator: orUndefined(orFalse(string)),
  list: orUndefined(string),
})
export const channel = object({
  id: integer,
  name: string,
  description: orNull(string),
  color: orNull(string),
  starred: boolean,
})
/** A new channel. Servers may send only its id. */
export const createdChannel = object({
  id: integer,
  name: orUndefined(string),
  description: orUndefined(orNull(string)),
  color: orUndefined(orNull(string)),
  starred: orUndefined(boolean),
})
export const channelItem = object({
  type: string,
  id: integer,
  title: orNull(string),
  preview: orNull(string),
  link: string,
  date: string,
})
export const splash = object({ id: integer, name: string, date: string })
export const file = object({ id: integer, name: string, downloads: integer, shorturl: string, date: string })
/** An uploaded file, and a new or changed link. */
export const shortened = object({ id: integer, shorturl: string })
export const pixel = object({ id: integer, type: string, name: string, tag: string, date: string })
export const qrCode = object({ id: integer, link: string, scans: integer, name: string, date: string })
export const createdQrCode = object({ id: integer, link: string })

const visits = {
  clicks: integer,
  uniqueClicks: integer,
  topCountries: mapOf(integer),
  topReferrers: mapOf(integer),
  topBrowsers: mapOf(integer),
  topOs: mapOf(integer),
}
const socialCount = { facebook: integer, twitter: integer, instagram: integer }

export const qrDetails = object({
  details: qrCode,
  data: orUndefined(object({ ...visits, socialCount: object(socialCount) })),
})
export const link = object({
  id: integer,
  shorturl: string,
  alias: orNull(string),
  longurl: orNull(string),
  title: orNull(string),
  description: orNull(string),
  clicks: orNull(integer),
  uniqueclicks: orNull(integer),
  domain: orNull(string),
  campaign: orNull(integer),
  channel: orNull(array(integer)),
  date: orNull(string),
})
export const linkDetails = object({
  id: orUndefined(integer),
  details: object({
    id: integer,
    shorturl: string,
    longurl: orNull(string),
    title: orNull(string),
    description: orNull(string),
    location: mapOf(string),
    device: mapOf(string),
    expiry: orNull(string),
    date: orNull(string),
  }),
  data: object({ ...visits, socialCount: object({ ...socialCount, google: integer }) }),
})
export const openerLink = object({
  id: integer,
  shorturl: string,
  status: string,
  provider: string,
  domain: string,
  devicetarget: array(object({ device: string, link: string })),
  'powered-by': string,
})
