import { type EndpointCall, type JsonReply, list, PlatformRefusal } from './platform/endpoint.ts'
import { fields as channelFields } from './platform/endpoints/channels.ts'
import { addedLink, linkInList } from './platform/endpoints/links.ts'
import { htmlPage } from './platform/visits.ts'
import type { WireResponse } from './wire.ts'

/** Keeps the names of the deviations in the table's type. */
const table = <Name extends string>(rules: Record<Name, DeviationRule>) => rules

/**
 * Every known deviation. To add one, add it here: the sandbox, the command and the exported list read this table.
 * Several deviations apply in the order of the table.
 */
export const rules = table({
  // Before the platform reads a request. Of several ways to send the key, the first one here holds.
  'bot-wall-beget': {
    says: 'Without the cookie beget=begetok or a User-Agent of curl, every call gets an HTML page with status 200.',
    clientHeaders: { Cookie: 'beget=begetok' },
    wall: ({ headers }) => {
      const passes =
        /(^|;\s*)beget=begetok(;|$)/.test(headers.get('Cookie') ?? '') || headers.get('User-Agent')?.startsWith('curl')
      const script = '<script>document.cookie="beget=begetok; path=/";location.reload();</script>'
      return passes ? undefined : htmlPage(200, 'One moment', script)
    },
  },
  'key-as-token': {
    says: 'The key is wanted as Authorization: Token KEY. Bearer KEY is refused.',
    authScheme: 'Token',
  },
  'key-raw': {
    says: 'The key is wanted without a word before it, as Authorization: KEY. Bearer KEY is refused.',
    authScheme: 'raw',
  },

  // How the query is read. Of several `limit` deviations, the first one here wins.
  'limit-refused': {
    says: 'A list refuses the parameter limit.',
    query: (query) => {
      if (query.limit !== undefined) throw new PlatformRefusal(400, 'The parameter limit is not known.')
      return query
    },
  },
  'limit-ignored': {
    says: 'The parameter limit is ignored: every page has 15 rows.',
    query: ({ limit: _, ...query }) => query,
  },
  'limit-forgotten': {
    says: 'The parameter limit holds for the first page only: later pages have 15 rows.',
    query: ({ limit, ...query }) => (limit === undefined || Number(query.page ?? 1) > 1 ? query : { limit, ...query }),
  },
  'limit-capped': {
    says: 'A limit above 25 gives 25 rows a page.',
    query: (query) => (Number(query.limit) > 25 ? { ...query, limit: '25' } : query),
  },
  'short-ignored': {
    says: 'GET /urls ignores the parameter short, and responds with the whole list (outside the reference).',
    query: ({ short: _, ...query }) => query,
  },

  // Aliases that servers change.
  'alias-ignored': {
    says: 'The alias in custom is ignored: a link gets a random one or keeps its own, and the response is a success (outside the reference).',
    body: withCustom(() => undefined),
  },
  'alias-slugged': {
    says: 'The alias of a link is stored in lower case, with - for _ and spaces, without accents and dots; it is not found by the spelling that was sent (outside the reference).',
    body: withCustom(slugOf),
  },
  'alias-case-ignored': {
    says: 'Aliases are compared without case: Tea and tea are the same, in the spelling that came first (outside the reference).',
    isSameAlias: (one, other) => one.toLowerCase() === other.toLowerCase(),
  },

  // Contents of responses.
  'same-url-same-link': {
    says: 'POST /url/add without custom responds with an existing link to the same URL (outside the reference).',
    instead: (route, { data, body, site }) => {
      if (route !== 'POST /url/add') return undefined
      const { url, custom, domain } = { ...(body as Record<string, unknown>) }
      if (custom) return undefined
      const row = data.links.find((link) => link.longurl === url && link.domain === (domain || site))
      return row && addedLink(row)
    },
  },
  'short-as-list': {
    says: 'GET /urls?short= responds with a list of one link or none, not with a single link (outside the reference).',
    reply: (reply, route, call) => {
      const isAnswer = reply.status < 400 || reply.status === 404
      if (route !== 'GET /urls' || call.query.short === undefined || !isAnswer) return reply
      const { id } = reply.json as { id?: number }
      const rows = call.data.links.filter((row) => row.id === id)
      return { ...reply, status: 200, json: list(call, 'urls', rows, (row) => linkInList(call, row)) }
    },
  },
  'extra-keys': {
    says: 'Responses have keys that the reference does not list: planid, views, linkedin.',
    reply: successOf({
      'GET /account': (json) => ({ ...json, data: { ...inside(json, 'data'), planid: 3 } }),
      'GET /campaigns': eachRow('campaigns', (row) => ({ ...row, views: 12 })),
      'GET /qr/:id': withLinkedin,
      'GET /url/:id': withLinkedin,
    }),
  },
  'unknown-types': {
    says: 'Overlays and pixels have types that the reference does not list.',
    reply: successOf({
      'GET /overlay': eachRow('cta', (row) => (row.type === 'contact' ? { ...row, type: 'coupon' } : row)),
      'GET /pixels': eachRow('pixels', (row) => (row.type === 'fbpixel' ? { ...row, type: 'metapixel' } : row)),
    }),
  },
  'absent-as-null': {
    says: 'What is not set is null: expires of a plan without end, redirectroot and redirect404.',
    topic: 'absent values',
    reply: successOf({
      'GET /account': (json) => ({ ...json, data: { ...inside(json, 'data'), expires: null } }),
      'GET /domains': eachRow('domains', (row) => ({
        ...row,
        redirectroot: row.redirectroot || null,
        redirect404: row.redirect404 || null,
      })),
    }),
  },
  'absent-as-missing': {
    says: 'What is not set has no key: expires of a plan without end, redirectroot and redirect404.',
    topic: 'absent values',
    reply: successOf({
      'GET /account': (json) => ({ ...json, data: without(inside(json, 'data'), 'expires') }),
      'GET /domains': eachRow('domains', (row) =>
        without(row, ...['redirectroot', 'redirect404'].filter((key) => !row[key])),
      ),
    }),
  },
  'older-link-rows': {
    says: 'Links in lists have no uniqueclicks, domain, campaign and channel (outside the reference).',
    reply: successOf({
      'GET /urls': eachRow('urls', (row) => without(row, 'uniqueclicks', 'domain', 'campaign', 'channel')),
    }),
  },
  'channel-update-echoes': {
    says: 'The update of a channel responds with the whole channel and no message.',
    reply: successOf({
      'PUT /channel/:id/update': ({ error }, { data, params }) => {
        const channel = data.channels.find(({ id }) => String(id) === params.id)
        return { error, ...(channel && channelFields(channel)) }
      },
    }),
  },
  'message-missing': {
    says: 'Actions respond without a message.',
    topic: 'messages',
    reply: success((json) => without(json, 'message')),
  },
  'messages-translated': {
    says: 'Messages are in the language of the site, here German.',
    topic: 'messages',
    reply: (reply) => {
      if (!('message' in reply.json)) return reply
      const message = reply.status < 400 ? germanSuccess : (germanRefusals[reply.status] ?? 'Unbekannter Fehler.')
      return { ...reply, json: { ...reply.json, message } }
    },
  },

  // Pages.
  'count-too-high': {
    says: 'A list counts a page that it does not show: result and maxpage are too high, nextpage is null before maxpage, and of three or more pages the second is empty.',
    reply: success(countTooHigh),
  },
  'nextpage-repeats': {
    says: 'On the last page nextpage is that page again, not null.',
    reply: success(repeatLastPage),
  },

  // Types of values.
  'booleans-as-digits': {
    says: 'Booleans are 1 and 0, or "1" and "0" if numbers are strings.',
    // A rotator is an address or false, never a digit.
    reply: success(
      everyValue((value, key) => (typeof value === 'boolean' && key !== 'rotator' ? Number(value) : value)),
    ),
  },
  'numbers-as-strings': {
    says: 'Numbers are strings: "id": "5".',
    topic: 'numbers',
    reply: success(everyValue((value) => (typeof value === 'number' ? String(value) : value))),
  },
  'ids-sometimes-strings': {
    says: 'Some ids are strings: in every second row of a list, and in responses to POST.',
    topic: 'numbers',
    reply: success(
      everyValue((value, key, mixed) => (mixed && key === 'id' && typeof value === 'number' ? String(value) : value)),
    ),
  },
  'empty-maps-as-lists': {
    says: 'An empty map is an empty list: "topCountries": [].',
    topic: 'empty maps',
    reply: success(everyValue((value) => (isEmptyMap(value) ? [] : value))),
  },
  'empty-maps-as-zero': {
    says: 'An empty map in statistics is the number 0: "topCountries": 0.',
    topic: 'empty maps',
    reply: success(everyValue((value, key) => (isEmptyMap(value) && key.startsWith('top') ? 0 : value))),
  },
  'lists-with-gaps': {
    says: 'A list of two or more is an object with number keys, one of which is missing.',
    reply: success(everyValue((value) => (Array.isArray(value) && value.length > 1 ? withGap(value) : value))),
  },

  // Names of keys.
  'overlay-key': {
    says: 'The list of overlays is under overlay, not under cta.',
    reply: successOf({
      'GET /overlay': (json) => ({ ...json, data: renamed(inside(json, 'data'), 'cta', 'overlay') }),
    }),
  },
  'campaign-key': {
    says: 'The name of a campaign that was created or updated is under campaign, not under domain.',
    reply: successOf({
      'POST /campaign/add': (json) => renamed(json, 'domain', 'campaign'),
      'PUT /campaign/:id/update': (json) => renamed(json, 'domain', 'campaign'),
    }),
  },
  'upload-id-under-1': {
    says: 'The id of an uploaded file is under the key 1: {"0": "id", "1": 123}.',
    reply: successOf({ 'POST /files/upload/:filename': ({ id, ...json }) => ({ ...json, 0: 'id', 1: id }) }),
  },
  'qr-date-under-data': {
    says: 'The date of a single QR code is under details.data, not under details.date.',
    reply: successOf({
      'GET /qr/:id': (json) => ({ ...json, details: renamed(inside(json, 'details'), 'date', 'data') }),
    }),
  },
  'link-create-short': {
    says: 'A new link comes with its address under short, not under shorturl, and without an id (outside the reference).',
    reply: successOf({ 'POST /url/add': (json) => without(renamed(json, 'shorturl', 'short'), 'id') }),
  },
  'link-update-short': {
    says: 'The update of a link responds with its address under short, not under shorturl (outside the reference).',
    reply: successOf({ 'PUT /url/:id/update': (json) => renamed(json, 'shorturl', 'short') }),
  },
  'social-google': {
    says: 'socialCount of a link has google in place of instagram (outside the reference).',
    reply: successOf({
      'GET /url/:id': (json) => {
        const data = inside(json, 'data')
        return { ...json, data: { ...data, socialCount: renamed(inside(data, 'socialCount'), 'instagram', 'google') } }
      },
    }),
  },

  // The envelope.
  'error-as-number': {
    says: 'error of a list is the number 0, as everywhere else, not the string "0".',
    topic: 'error',
    reply: success((json) => ('error' in json ? { ...json, error: 0 } : json)),
  },
  'error-as-string': {
    says: 'error is a string everywhere: "0", and "1" in a refusal.',
    topic: 'error',
    reply: ({ json, ...reply }) => ({ ...reply, json: spelledError(json, String) }),
  },
  'error-as-boolean': {
    says: 'error is false, and true in a refusal.',
    topic: 'error',
    reply: ({ json, ...reply }) => ({ ...reply, json: spelledError(json, (error) => error === 1) }),
  },
  'error-missing': {
    says: 'A success has no error key.',
    topic: 'error',
    reply: success((json) => without(json, 'error')),
  },

  // Refusals.
  'key-refused-with-403': {
    says: 'A wrong or missing key is refused with HTTP 403, not 401.',
    reply: refusal((reply) => (reply.status === 401 ? { ...reply, status: 403 } : reply)),
  },
  'error-as-status': {
    says: 'error of a refusal is its HTTP status: 404, 405, 429.',
    reply: refusal((reply) =>
      reply.status > 403 && typeof reply.json.error !== 'string'
        ? { ...reply, json: { ...reply.json, error: reply.status } }
        : reply,
    ),
  },
  'refusals-in-200': {
    says: 'Refusals have HTTP status 200, unless the key is wrong; over the rate limit, error is 429, with Retry-After.',
    reply: refusal(({ status, json, headers }) => {
      if (status === 401 || status === 403) return { status, json, headers }
      if (status !== 429) return { status: 200, json, headers }
      const { 'Retry-After': retryAfter, ...rest } = headers
      return { status: 200, json: { ...json, error: 429, 'Retry-After': Number(retryAfter) }, headers: rest }
    }),
  },

  'rate-headers-hidden': {
    says: 'No response has rate headers.',
    rateHeaders: () => ({}),
  },
})

const germanSuccess = 'Der Vorgang war erfolgreich.'
const germanRefusals: Record<number, string> = {
  400: 'Die Anfrage ist ungültig.',
  401: 'Ein gültiger API-Schlüssel wird benötigt.',
  404: 'Der Eintrag existiert nicht.',
  405: 'Diese Methode ist nicht erlaubt.',
  429: 'Zu viele Anfragen. Bitte warten.',
}

function withLinkedin(json: JsonFields): JsonFields {
  const data = inside(json, 'data')
  return { ...json, data: { ...data, socialCount: { ...inside(data, 'socialCount'), linkedin: 0 } } }
}

function withCustom(change: (custom: string) => string | undefined): NonNullable<DeviationRule['body']> {
  return (body, route) => {
    const isForLink = route === 'POST /url/add' || route === 'PUT /url/:id/update'
    const { custom } = { ...(body as { custom?: unknown } | undefined) }
    return isForLink && typeof custom === 'string' ? { ...(body as object), custom: change(custom) } : body
  }
}

function slugOf(alias: string): string {
  return alias
    .normalize('NFD')
    .replace(/[\p{Mark}.]/gu, '')
    .toLowerCase()
    .replace(/[_\s]+/g, '-')
}

function countTooHigh(json: JsonFields): JsonFields {
  if ('result' in inside(json, 'data')) return { ...json, data: countTooHigh(inside(json, 'data')) }
  const { result, perpage, currentpage, nextpage, maxpage } = json as Record<string, number | null>
  if (!result) return json
  const isEmpty = currentpage === 2 && nextpage !== null
  const shown = Object.entries(json).map(([key, value]) => [key, isEmpty && Array.isArray(value) ? [] : value])
  return { ...Object.fromEntries(shown), result: result + perpage!, maxpage: maxpage! + 1 }
}

function repeatLastPage(json: JsonFields): JsonFields {
  if ('nextpage' in inside(json, 'data')) return { ...json, data: repeatLastPage(inside(json, 'data')) }
  return json.nextpage === null ? { ...json, nextpage: json.currentpage } : json
}

function without(json: JsonFields, ...keys: string[]): JsonFields {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !keys.includes(key)))
}

function renamed(json: JsonFields, from: string, to: string): JsonFields {
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key === from ? to : key, value]))
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

/** What PHP makes of a list whose second place was removed. */
function withGap(items: unknown[]): JsonFields {
  return Object.fromEntries(items.map((item, index) => [index === 0 ? 0 : index + 1, item]))
}

/** Refusals of the opener keep the text in their `error`. */
function spelledError(json: object, spell: (error: number) => unknown): JsonFields {
  const { error } = json as JsonFields
  const isText = typeof error === 'string' && error !== '0'
  return error === undefined || isText ? { ...json } : { ...json, error: spell(Number(error)) }
}

/** A JSON object that is being changed. */
export type JsonFields = Record<string, unknown>

/** How the key is sent: `Authorization: Bearer KEY`, `Token KEY`, or the bare key. */
export type AuthScheme = 'Bearer' | 'Token' | 'raw'

/** One way in which a server differs from the reference. */
export interface DeviationRule {
  /** A sentence that describes it. */
  readonly says: string
  /** Deviations with the same topic exclude each other: each endpoint has one of those that were asked for. */
  readonly topic?: string
  /** The word before the key in `Authorization`; none with `raw`. */
  readonly authScheme?: AuthScheme
  /** Responds to a request before the platform sees it. */
  readonly wall?: (request: Request) => WireResponse | undefined
  /** Headers with which a request gets through the wall. */
  readonly clientHeaders?: Readonly<Record<string, string>>
  /** Responds in place of the endpoint, which then does nothing. */
  readonly instead?: (route: string, call: EndpointCall) => object | undefined
  /** Changes the query, or throws a `PlatformRefusal`. */
  readonly query?: (query: Record<string, string>) => Record<string, string>
  /** Changes the JSON of a body. */
  readonly body?: (body: unknown, route: string) => unknown
  /** Compares aliases and short addresses, otherwise by each letter. */
  readonly isSameAlias?: (one: string, other: string) => boolean
  /** Changes a response, be it a success or a refusal. */
  readonly reply?: (reply: JsonReply, route: string, call: EndpointCall) => JsonReply
  /** Changes the rate headers. */
  readonly rateHeaders?: (headers: Record<string, string>) => Record<string, string>
}

type Change = (json: JsonFields, call: EndpointCall, route: string) => JsonFields

/** Changes every success. */
function success(change: Change): NonNullable<DeviationRule['reply']> {
  return (reply, route, call) =>
    reply.status >= 400 ? reply : { ...reply, json: change({ ...reply.json }, call, route) }
}

/** Changes the successes of these endpoints. */
function successOf(changes: Record<string, Change>): NonNullable<DeviationRule['reply']> {
  return success((json, call, route) => changes[route]?.(json, call, route) ?? json)
}

/** Changes every refusal. */
function refusal(change: (reply: JsonReply & { json: JsonFields }) => JsonReply): NonNullable<DeviationRule['reply']> {
  return (reply) => (reply.status < 400 ? reply : change({ ...reply, json: { ...reply.json } }))
}

/** The object under a key; empty if there is none. */
function inside(json: JsonFields, key: string): JsonFields {
  return { ...(json[key] as object | undefined) }
}

/** Changes each row of a list whose page is in `data`. */
function eachRow(listKey: string, change: (row: JsonFields) => JsonFields): Change {
  return (json) => {
    const data = inside(json, 'data')
    const rows = data[listKey] as JsonFields[] | undefined
    return rows ? { ...json, data: { ...data, [listKey]: rows.map(change) } } : json
  }
}

/**
 * Changes every value of a response, except its `error`, from the inside out. `mixed` is true in every second row of a
 * list, and in responses to POST.
 */
function everyValue(change: (value: unknown, key: string, mixed: boolean) => unknown): Change {
  return ({ error, ...json }, _, route) => {
    const walk = (value: unknown, key: string, mixed: boolean): unknown => {
      const inner = Array.isArray(value)
        ? value.map((item, index) => walk(item, key, index % 2 === 1))
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name, mixed)]))
          : value
      return change(inner, key, mixed)
    }
    const changed = walk(json, '', route.startsWith('POST')) as JsonFields
    return error === undefined ? changed : { error, ...changed }
  }
}
