/**
 * The types that the reference documents, written by hand from it and from the field notes. Nothing here comes from the
 * schemas of the package, so that a mistake in those shows.
 */
import type { CallName } from '../fixtures/reference.ts'

/** Throws where a value is not of a type. Puts every documented scalar into `found`. */
type Type = (value: unknown, at: string, found: unknown[]) => void

function scalar(name: string, fits: (value: unknown) => boolean): Type {
  return (value, at, found) => {
    if (!fits(value)) throw new Error(`${at} is documented as ${name}, but is ${JSON.stringify(value)}`)
    found.push(value)
  }
}

const integer = scalar('an integer', (value) => typeof value === 'number' && Number.isSafeInteger(value))
const string = scalar('a string', (value) => typeof value === 'string')
const boolean = scalar('a boolean', (value) => value === true || value === false)
/** What a deployment may leave out. */
const orNull =
  (type: Type): Type =>
  (value, at, found) =>
    value === null || type(value, at, found)
const orFalse =
  (type: Type): Type =>
  (value, at, found) =>
    value === false || type(value, at, found)

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

const counts: Type = (value, at, found) => {
  if (!isObject(value)) throw new Error(`${at} is not a map, but ${JSON.stringify(value)}`)
  for (const [label, count] of Object.entries(value)) integer(count, `${at}.${label}`, found)
}

const numbers = { result: integer, perpage: integer, currentpage: integer, nextpage: orNull(integer), maxpage: integer }

const pageOf = (row: Type): Type => {
  const page = object({ ...numbers, items: array(row) })
  return (value, at, found) => {
    page(value, at, found)
    const { currentpage, nextpage, maxpage, hasNextPage } = value as Record<string, number | null>
    const expected = nextpage !== null && nextpage! > currentpage! && currentpage! < maxpage!
    if ((hasNextPage as unknown) !== expected) throw new Error(`${at}.hasNextPage is ${hasNextPage}, not ${expected}`)
  }
}

const message = object({ message: string })
const created = object({ id: integer })
const campaign = object({
  id: integer,
  name: string,
  public: boolean,
  rotator: orFalse(string),
  list: string,
})
const channel = object({
  id: integer,
  name: string,
  description: orNull(string),
  color: orNull(string),
  starred: boolean,
})
const qr = object({ id: integer, link: string, scans: integer, name: string, date: string })
const statistics = object({
  clicks: integer,
  uniqueClicks: integer,
  topCountries: counts,
  topReferrers: counts,
  topBrowsers: counts,
  topOs: counts,
  socialCount: object({ facebook: integer, twitter: integer, instagram: integer }),
})

/** What each call answers with. */
export const documented: Record<CallName, Type> = {
  'account.get': object({
    id: integer,
    email: string,
    username: string,
    avatar: orNull(string),
    status: string,
    expires: orNull(string),
    registered: string,
  }),
  'account.update': message,
  'domains.list': pageOf(
    object({ id: integer, domain: string, redirectroot: orNull(string), redirect404: orNull(string) }),
  ),
  'domains.create': created,
  'domains.update': message,
  'domains.delete': message,
  'overlays.list': pageOf(object({ id: integer, type: string, name: string, date: string })),
  'campaigns.list': pageOf(campaign),
  'campaigns.create': campaign,
  'campaigns.assignLink': message,
  'campaigns.update': campaign,
  'campaigns.delete': message,
  'channels.list': pageOf(channel),
  'channels.items': pageOf(
    object({
      type: string,
      id: integer,
      title: orNull(string),
      preview: orNull(string),
      link: string,
      date: string,
    }),
  ),
  'channels.create': channel,
  'channels.assignItem': message,
  'channels.update': message,
  'channels.delete': message,
  'splash.list': pageOf(object({ id: integer, name: string, date: string })),
  'files.list': pageOf(object({ id: integer, name: string, downloads: integer, shorturl: string, date: string })),
  'files.upload': object({ id: integer, shorturl: string }),
  'pixels.list': pageOf(object({ id: integer, type: string, name: string, tag: string, date: string })),
  'pixels.create': created,
  'pixels.update': message,
  'pixels.delete': message,
  'qr.list': pageOf(qr),
  'qr.get': (value, at, found) => {
    object({ details: qr })(value, at, found)
    const { data } = value as { data?: unknown }
    if (data !== undefined) statistics(data, `${at}.data`, found)
  },
  'qr.create': object({ id: integer, link: string }),
  'qr.update': message,
  'qr.delete': message,
  'opener.create': object({
    id: integer,
    shorturl: string,
    status: string,
    provider: string,
    domain: string,
    devicetarget: array(object({ device: string, link: string })),
    'powered-by': string,
  }),
}
