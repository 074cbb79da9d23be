import { type EndpointCall, type JsonReply, list } from './endpoint.ts'
import { getFields as getChannelFields } from './endpoints/channels.ts'
import { createLinkResponse, createListRow } from './endpoints/links.ts'
import { PlatformRefusal } from './refusal.ts'

/** The scheme in a request: `Authorization: Bearer KEY`, `Token KEY`, or only the key. */
export type KeyScheme = 'Bearer' | 'Token' | 'raw'

/** One way in which a server differs from the reference. */
export interface DeviationRule {
  /** A sentence that describes it. */
  readonly sentence: string
  /** The scheme before the key in `Authorization`; none with `raw`. */
  readonly authScheme?: KeyScheme
  /** Responds in place of the endpoint, which then does nothing. */
  readonly instead?: (route: string, call: EndpointCall) => object | undefined
  /** Changes the query, or throws a `PlatformRefusal`. */
  readonly query?: (query: Record<string, string>) => Record<string, string>
  /** Changes the JSON of a body. */
  readonly body?: (body: unknown, route: string) => unknown
  /** Compares aliases and short addresses. Default: they must be equal. */
  readonly isSameAlias?: (one: string, other: string) => boolean
  /** Changes a copy of a response, a success or a refusal. */
  readonly reply?: ReplyChange
  /** Changes the rate headers. */
  readonly rateHeaders?: (headers: Record<string, string>) => Record<string, string>
}

// biome-ignore lint/suspicious/noExplicitAny: each deviation knows the JSON that it changes.
type Json = Record<string, any>
type ReplyChange = (reply: JsonReply & { json: Json }, route: string, call: EndpointCall) => void
type Change = (json: Json, call: EndpointCall) => unknown

/** Defines the deviations, and keeps their names in the type of the table. */
const defineRules = <Name extends string>(rules: Record<Name, DeviationRule>) => rules

/**
 * Every known deviation. To add one, add it here: the sandbox and the exported list read this table. Several deviations
 * apply in the order of the table.
 */
export const rules = defineRules({
  // If several of these are used, the first one here wins.
  'key-as-token': {
    sentence: 'The key is expected as Authorization: Token KEY. Bearer KEY is refused.',
    authScheme: 'Token',
  },
  'key-raw': {
    sentence: 'The key is expected without a scheme, as Authorization: KEY. Bearer KEY is refused.',
    authScheme: 'raw',
  },

  // The query. If several `limit` deviations are used, the first one here wins.
  'limit-refused': {
    sentence: 'A list refuses the parameter limit.',
    query: (query) => {
      if (query.limit !== undefined) throw new PlatformRefusal(400, 'The parameter limit is not known.')
      return query
    },
  },
  'limit-capped': {
    sentence: 'A limit above 25 gives 25 rows a page.',
    query: (query) => (Number(query.limit) > 25 ? { ...query, limit: '25' } : query),
  },
  'short-ignored': {
    sentence: 'GET /urls ignores the parameter short, and responds with the whole list (outside the reference).',
    query: ({ short: _, ...query }) => query,
  },

  // Aliases and domains that servers change.
  'alias-ignored': {
    sentence:
      'The alias in custom is ignored: a link gets a random one or keeps its own, and the response is a success (outside the reference).',
    body: changeCustom(() => undefined),
  },
  'alias-slugged': {
    sentence:
      'The alias of a link is stored in lower case, with - for _ and spaces, without accents and dots; it is not found by the spelling that was sent (outside the reference).',
    body: changeCustom((alias) => {
      const plain = alias.normalize('NFD').replace(/[\p{Mark}.]/gu, '')
      return plain.toLowerCase().replace(/[_\s]+/g, '-')
    }),
  },
  'alias-case-ignored': {
    sentence:
      'Aliases are compared without case: Tea and tea are the same, in the spelling that came first (outside the reference).',
    isSameAlias: (one, other) => one.toLowerCase() === other.toLowerCase(),
  },
  'refused-words': {
    sentence: 'An alias that contains a listed word, such as xxx or kkk, is refused (outside the reference).',
    body: changeCustom((alias) => {
      if (/xxx|kkk|666/i.test(alias)) throw new PlatformRefusal(400, 'This alias is not available.')
      return alias
    }),
  },
  'domain-ignored': {
    sentence:
      'The domain of a new link is ignored: it gets the domain of the platform, and the response is a success (outside the reference).',
    body: (body, route) => (route === 'POST /url/add' ? { ...(body as Json), domain: undefined } : body),
  },

  // Addresses and titles that servers change, and side effects of updates.
  'url-respelled': {
    sentence:
      'Addresses are stored in another spelling: & as &amp;, %c3 as %C3, href= as rel="nofollow" href=, composed as in NFC, without the trailing slash and the fragment (outside the reference).',
    body: changeUrl((url) =>
      url
        .replace(/#.*$/s, '')
        .replace(/^([^?]*[^/?])\/(?=\?|$)/, '$1')
        .replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase())
        .replaceAll('&', '&amp;')
        .replaceAll('href=', 'rel="nofollow" href=')
        .normalize('NFC'),
    ),
  },
  'url-cut': {
    sentence: 'Addresses are truncated to 80 characters (outside the reference).',
    body: changeUrl((url) => url.slice(0, 80)),
  },
  'url-lower-case': {
    sentence: 'Addresses are stored in lower case (outside the reference).',
    body: changeUrl((url) => url.toLowerCase()),
  },
  'url-ascii': {
    sentence: 'An address with a space or a character beyond ASCII is refused (outside the reference).',
    body: changeUrl((url) => {
      if (/[^!-~]/.test(url)) throw new PlatformRefusal(400, 'Please enter a valid URL.')
      return url
    }),
  },
  'title-cut': {
    sentence:
      'Titles are stored without tags and surrounding spaces, and truncated to 191 characters (outside the reference).',
    body: changeText('title', (title) =>
      title
        .replace(/<[^>]*>/g, '')
        .trim()
        .slice(0, 191),
    ),
  },
  'update-clears': {
    sentence:
      'The update of a link clears the password, the expiry, the domain and the targets that it leaves out (outside the reference).',
    body: (body, route) => {
      if (route !== 'PUT /url/:id/update') return body
      const targets = { geotarget: [], devicetarget: [], languagetarget: [] }
      return { password: '', expiry: '', domain: '', ...targets, ...(body as Json) }
    },
  },

  // Contents of responses.
  'same-url-same-link': {
    sentence: 'POST /url/add without custom responds with an existing link to the same URL (outside the reference).',
    instead: (route, { data, body = {}, site }) => {
      if (route !== 'POST /url/add') return undefined
      const { url, custom, domain } = body as Json
      if (custom) return undefined
      const row = data.links.find((link) => link.longurl === url && link.domain === (domain || site))
      return row && createLinkResponse(row)
    },
  },
  'url-existing': {
    sentence:
      'POST /url/add ignores custom, and responds with an existing link whose address is the same apart from case, accents and trailing spaces (outside the reference).',
    body: (body, route) => (route === 'POST /url/add' ? { ...(body as Json), custom: undefined } : body),
    instead: (route, { data, body = {} }) => {
      if (route !== 'POST /url/add') return undefined
      const normalize = (url: unknown) =>
        String(url)
          .normalize('NFD')
          .replace(/\p{Mark}/gu, '')
          .trimEnd()
          .toLowerCase()
      const row = data.links.find((link) => normalize(link.longurl) === normalize((body as Json).url))
      return row && createLinkResponse(row)
    },
  },
  'plan-limit': {
    sentence: 'The plan has room for five links: the sixth is refused (outside the reference).',
    instead: (route, { data }) => {
      if (route !== 'POST /url/add' || data.links.length < 5) return undefined
      throw new PlatformRefusal(400, 'You have reached the limit of your plan.')
    },
  },
  'short-as-list': {
    sentence:
      'GET /urls?short= responds with a list of one link or none, not with a single link (outside the reference).',
    reply: (reply, route, call) => {
      const isAnswer = reply.status < 400 || reply.status === 404
      if (route !== 'GET /urls' || call.query.short === undefined || !isAnswer) return
      const rows = call.data.links.filter(({ id }) => id === reply.json.id)
      Object.assign(reply, { status: 200, json: list(call, 'urls', rows, (row) => createListRow(call, row)) })
    },
  },
  'extra-keys': {
    sentence: 'Responses have keys that the reference does not list: planid, views, linkedin.',
    reply: changeSuccesses({
      'GET /account': ({ data }) => Object.assign(data, { planid: 3 }),
      'GET /campaigns': ({ data }) => data.campaigns.map((row: Json) => Object.assign(row, { views: 12 })),
      'GET /qr/:id': ({ data }) => Object.assign(data.socialCount, { linkedin: 0 }),
      'GET /url/:id': ({ data }) => Object.assign(data.socialCount, { linkedin: 0 }),
    }),
  },
  'unknown-types': {
    sentence: 'Overlays and pixels have types that the reference does not list.',
    reply: changeSuccesses({
      'GET /overlay': ({ data }) => retype(data.cta, 'contact', 'coupon'),
      'GET /pixels': ({ data }) => retype(data.pixels, 'fbpixel', 'metapixel'),
    }),
  },
  'absent-as-null': {
    sentence: 'Fields that are not set are null: expires of a plan that never ends, redirectroot and redirect404.',
    reply: changeAbsent((json, key) => Object.assign(json, { [key]: null })),
  },
  'absent-as-missing': {
    sentence: 'Fields that are not set are missing: expires of a plan that never ends, redirectroot and redirect404.',
    reply: changeAbsent((json, key) => omit(json, key)),
  },
  'older-link-rows': {
    sentence: 'Links in lists have no uniqueclicks, domain, campaign or channel (outside the reference).',
    reply: changeSuccesses({
      'GET /urls': ({ data }) => {
        for (const row of data.urls ?? []) omit(row, 'uniqueclicks', 'domain', 'campaign', 'channel')
      },
    }),
  },
  'channel-update-echoes': {
    sentence: 'The update of a channel responds with the whole channel and no message.',
    reply: changeSuccesses({
      'PUT /channel/:id/update': (json, { data, params }) => {
        omit(json, 'message')
        Object.assign(json, getChannelFields(data.channels.find(({ id }) => String(id) === params.id)!))
      },
    }),
  },
  'message-missing': {
    sentence: 'Actions respond without a message.',
    reply: changeSuccess((json) => omit(json, 'message')),
  },
  'messages-translated': {
    sentence: 'Messages are in the language of the site, here German.',
    reply: ({ status, json }) => {
      if ('message' in json) json.message = status < 400 ? 'Der Vorgang war erfolgreich.' : 'Die Anfrage ist ungültig.'
    },
  },

  'alias-as-number': {
    sentence: 'An alias of digits is a number in responses, without its zeros: 7 for 007 (outside the reference).',
    reply: changeEveryValue((value, key) => (key === 'alias' && isNumeric(value) ? Number(value) : value)),
  },

  // Pages.
  'order-unstable': {
    sentence:
      'Links with equal dates are in a different order on each page, so some appear twice and others never (outside the reference).',
    reply: (reply, route, call) => {
      if (route !== 'GET /urls' || call.query.order !== 'date' || call.query.short !== undefined) return
      const turn = Number(call.query.page ?? 1) + Number(call.query.limit ?? 15)
      const getShuffledRank = (row: { id: number }) => (row.id * 7919 * turn) % 1009
      const rows = [...call.data.links].sort(
        (one, other) => other.date.localeCompare(one.date) || getShuffledRank(one) - getShuffledRank(other),
      )
      Object.assign(reply, { json: list(call, 'urls', rows, (row) => createListRow(call, row)) })
    },
  },
  'count-too-high': {
    sentence:
      'A list counts a page that it does not show: result and maxpage are too high, nextpage is null before maxpage, and of three or more pages the second is empty.',
    reply: changeSuccess((json) => {
      const page = getPage(json)
      if (!page.result) return
      if (page.currentpage === 2 && page.nextpage !== null) {
        for (const [key, value] of Object.entries(page)) if (Array.isArray(value)) page[key] = []
      }
      page.result += page.perpage
      page.maxpage += 1
    }),
  },
  'nextpage-repeats': {
    sentence: 'On the last page nextpage is that page again, not null.',
    reply: changeSuccess((json) => {
      const page = getPage(json)
      if (page.nextpage === null) page.nextpage = page.currentpage
    }),
  },

  // Types of values.
  'booleans-as-digits': {
    sentence: 'Booleans are 1 and 0, or "1" and "0" if numbers are strings.',
    // A rotator is an address or false, never a digit.
    reply: changeEveryValue((value, key) => (typeof value === 'boolean' && key !== 'rotator' ? Number(value) : value)),
  },
  'numbers-as-strings': {
    sentence: 'Numbers are strings: "id": "5".',
    reply: changeEveryValue((value) => (typeof value === 'number' ? String(value) : value)),
  },
  'ids-sometimes-strings': {
    sentence: 'Some ids are strings: in every second row of a list, and in responses to POST.',
    reply: changeEveryValue((value, key, route) => {
      const isCreated = key === '' && route.startsWith('POST')
      const rows = Array.isArray(value) ? value.filter((_, index) => index % 2 === 1) : isCreated ? [value] : []
      for (const row of rows) if (row.id) row.id = String(row.id)
      return value
    }),
  },
  'empty-maps-as-lists': {
    sentence: 'An empty map is an empty list: "topCountries": [].',
    reply: changeEveryValue((value) => (isEmptyMap(value) ? [] : value)),
  },
  'empty-maps-as-zero': {
    sentence: 'An empty map in statistics is the number 0: "topCountries": 0.',
    reply: changeEveryValue((value, key) => (isEmptyMap(value) && key.startsWith('top') ? 0 : value)),
  },
  'lists-with-gaps': {
    sentence: 'A list of two or more is an object with number keys, one of which is missing.',
    reply: changeEveryValue((value) => {
      if (!Array.isArray(value) || value.length < 2) return value
      return Object.fromEntries(value.map((item, index) => [index === 0 ? 0 : index + 1, item]))
    }),
  },

  // Names of keys.
  'overlay-key': {
    sentence: 'The list of overlays is under overlay, not under cta.',
    reply: changeSuccesses({ 'GET /overlay': ({ data }) => rename(data, 'cta', 'overlay') }),
  },
  'campaign-key': {
    sentence: 'The name of a campaign that was created or updated is under campaign, not under domain.',
    reply: changeSuccesses({
      'POST /campaign/add': (json) => rename(json, 'domain', 'campaign'),
      'PUT /campaign/:id/update': (json) => rename(json, 'domain', 'campaign'),
    }),
  },
  'upload-id-under-1': {
    sentence: 'The id of an uploaded file is under the key 1: {"0": "id", "1": 123}.',
    reply: changeSuccesses({
      'POST /files/upload/:filename': (json) => {
        rename(json, 'id', '1')
        json[0] = 'id'
      },
    }),
  },
  'qr-date-under-data': {
    sentence: 'The date of a single QR code is under details.data, not under details.date.',
    reply: changeSuccesses({ 'GET /qr/:id': ({ details }) => rename(details, 'date', 'data') }),
  },
  'link-update-short': {
    sentence: 'The update of a link responds with its address under short, not under shorturl (outside the reference).',
    reply: changeSuccesses({ 'PUT /url/:id/update': (json) => rename(json, 'shorturl', 'short') }),
  },
  'social-google': {
    sentence: 'socialCount of a link has google in place of instagram (outside the reference).',
    reply: changeSuccesses({ 'GET /url/:id': ({ data }) => rename(data.socialCount, 'instagram', 'google') }),
  },

  // The envelope.
  'error-as-number': {
    sentence: 'error of a list is the number 0, as everywhere else, not the string "0".',
    reply: spellError((error) => error),
  },
  'error-as-string': {
    sentence: 'error is a string everywhere: "0", and "1" in a refusal.',
    reply: spellError(String),
  },
  'error-as-boolean': {
    sentence: 'error is false, and true in a refusal.',
    reply: spellError(Boolean),
  },
  'error-missing': {
    sentence: 'A success has no error key.',
    reply: changeSuccess((json) => omit(json, 'error')),
  },

  // Refusals.
  'key-refused-with-403': {
    sentence: 'A wrong or missing key is refused with HTTP 403, not 401.',
    reply: (reply) => {
      if (reply.status === 401) reply.status = 403
    },
  },
  'error-as-status': {
    sentence: 'error of a refusal is its HTTP status: 404, 405, 429.',
    reply: ({ status, json }) => {
      if (status > 403 && typeof json.error !== 'string') json.error = status
    },
  },
  'refusals-in-200': {
    sentence:
      'Refusals have HTTP status 200, unless the key is wrong; over the rate limit, error is 429, with Retry-After.',
    reply: (reply) => {
      const { status, json, headers } = reply
      if (status === 401 || status === 403) return
      if (status === 429) {
        Object.assign(json, { error: 429, 'Retry-After': Number(headers['Retry-After']) })
        omit(headers, 'Retry-After')
      }
      reply.status = 200
    },
  },

  'rate-headers-hidden': {
    sentence: 'No response has rate headers.',
    rateHeaders: () => ({}),
  },
})

function changeCustom(change: (custom: string) => string | undefined) {
  return changeText('custom', change)
}

function changeUrl(change: (url: string) => string) {
  return changeText('url', change)
}

/** Changes a text field of links when they are created or updated. */
function changeText(name: string, change: (text: string) => string | undefined): NonNullable<DeviationRule['body']> {
  return (body, route) => {
    const isForLink = route === 'POST /url/add' || route === 'PUT /url/:id/update'
    const text = (body as Json | undefined)?.[name]
    return isForLink && typeof text === 'string' ? { ...(body as Json), [name]: change(text) } : body
  }
}

const isNumeric = (value: unknown) => typeof value === 'string' && /^\d+(e\d)?$/.test(value)

/** Changes every successful response. */
function changeSuccess(change: Change): ReplyChange {
  return ({ status, json }, _, call) => {
    if (status < 400) change(json, call)
  }
}

/** Changes successful responses of these endpoints. */
function changeSuccesses(changes: Record<string, Change>): ReplyChange {
  return (reply, route, call) => changeSuccess((json) => changes[route]?.(json, call))(reply, route, call)
}

/** Changes every value of a successful response except `error`, innermost first. The root has the key `''`. */
// biome-ignore lint/suspicious/noExplicitAny: JSON.parse gives any.
function changeEveryValue(change: (value: any, key: string, route: string) => unknown): ReplyChange {
  return (reply, route) => {
    if (reply.status >= 400) return
    const revive = (key: string, value: unknown) => (key === 'error' ? value : change(value, key, route))
    reply.json = JSON.parse(JSON.stringify(reply.json), revive)
  }
}

/** Changes the fields that may be absent: the end of the plan, and empty redirects of a domain. */
function changeAbsent(change: (json: Json, key: string) => unknown): ReplyChange {
  return changeSuccesses({
    'GET /account': ({ data }) => change(data, 'expires'),
    'GET /domains': ({ data }) => {
      for (const row of data.domains) for (const key of ['redirectroot', 'redirect404']) if (!row[key]) change(row, key)
    },
  })
}

function spellError(spell: (error: number) => unknown): ReplyChange {
  return ({ json }) => {
    // Refusals of the opener keep the text in their `error`.
    if (/^[01]$/.test(String(json.error))) json.error = spell(Number(json.error))
  }
}

/** Returns the object with the numbers of a page: `data`, or the whole response. */
function getPage(json: Json): Json {
  return json.data?.maxpage === undefined ? json : json.data
}

function retype(rows: Json[], from: string, to: string): void {
  for (const row of rows) if (row.type === from) row.type = to
}

function rename(json: Json, from: string, to: string): void {
  json[to] = json[from]
  delete json[from]
}

function omit(json: Json, ...keys: string[]): void {
  for (const key of keys) delete json[key]
}

function isEmptyMap(value: unknown): boolean {
  return JSON.stringify(value) === '{}'
}
