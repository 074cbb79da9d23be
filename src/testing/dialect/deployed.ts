import type { EndpointCall, JsonReply } from '../platform/endpoint.ts'
import { fields as channelFields } from '../platform/endpoints/channels.ts'

/** A JSON object while it is rewritten. */
type Fields = Record<string, unknown>

/**
 * Says an answer of the reference as deployments say it, with every deviation that has been seen, all at once. The
 * endpoints know the reference only; whatever differs from it stands here.
 */
export function deployed(route: string, reply: JsonReply, call: EndpointCall): JsonReply {
  const json = { ...reply.json } as Fields
  if (reply.status >= 400) return refusal({ ...reply, json })
  const renamed = otherNames[route]?.(json, call) ?? json
  const spoken = looselyTyped(pagesWithoutEnd(renamed), route.startsWith('POST')) as Fields
  return { ...reply, json: otherEnvelope(route, spoken) }
}

/** Most failures come with HTTP 200, and only the body tells. */
function refusal({
  status,
  json,
  headers,
}: {
  status: number
  json: Fields
  headers: Record<string, string>
}): JsonReply {
  const { 'Retry-After': retryAfter, ...rest } = headers
  if (typeof json.error === 'string') return { status: 200, json, headers }
  const message = germanRefusals[status] ?? 'Unbekannter Fehler.'
  if (status === 401) return { status: 403, json: { error: true, message }, headers }
  if (status === 400) return { status: 200, json: { error: '1', message }, headers }
  // Any other number acts as the status; a refused rate says its wait in the body.
  const wait = retryAfter === undefined ? {} : { 'Retry-After': Number(retryAfter) }
  return { status: 200, json: { error: status, message, ...wait }, headers: rest }
}

/** Keys that are missing, renamed or more than the reference has, by endpoint. */
const otherNames: Record<string, (json: Fields, call: EndpointCall) => Fields> = {
  'GET /account': (json) => ({ ...json, data: { ...inside(json, 'data'), expires: null, planid: 3 } }),
  'GET /domains': (json) => eachRow(json, 'domains', (row) => ({ ...row, redirectroot: row.redirectroot || null })),
  'GET /overlay': (json) => {
    const { cta, ...rest } = inside(json, 'data')
    return { ...json, data: { ...rest, overlay: cta } }
  },
  'GET /campaigns': (json) => eachRow(json, 'campaigns', (row) => ({ ...row, views: 12 })),
  'POST /campaign/add': campaignUnderCampaign,
  'PUT /campaign/:id/update': campaignUnderCampaign,
  'PUT /channel/:id/update': (json, { data, params }) => {
    const channel = data.channels.find(({ id }) => String(id) === params.id)
    return channel ? { error: json.error, ...channelFields(channel) } : json
  },
  'GET /pixels': (json) =>
    eachRow(json, 'pixels', (row) => (row.type === 'fbpixel' ? { ...row, type: 'metapixel' } : row)),
  // PHP's way of saying an array that was meant as pairs.
  'POST /files/upload/:filename': ({ id, shorturl }) => ({ error: 0, 0: 'id', 1: id, shorturl }),
  'GET /qr/:id': (json) => {
    const { date, ...details } = inside(json, 'details')
    const data = inside(json, 'data')
    const socialCount = { ...inside(data, 'socialCount'), linkedin: 0 }
    return { ...json, details: { ...details, data: date }, data: { ...data, socialCount } }
  },
}

function campaignUnderCampaign({ domain, ...rest }: Fields): Fields {
  return { ...rest, campaign: domain }
}

/** On the last page `nextpage` is that page again. */
function pagesWithoutEnd(json: Fields): Fields {
  if (json.data && 'nextpage' in inside(json, 'data')) {
    return { ...json, data: pagesWithoutEnd(inside(json, 'data')) }
  }
  return json.nextpage === null ? { ...json, nextpage: json.currentpage } : json
}

/**
 * Types as PHP leaves them: answers to POST and every second row of a list have their numbers as strings, booleans
 * are numbers or digits, an empty map is an empty list, and a list has gaps.
 */
function looselyTyped(value: unknown, asStrings: boolean): unknown {
  if (typeof value === 'number') return asStrings ? String(value) : value
  if (typeof value === 'boolean') return asStrings ? String(Number(value)) : Number(value)
  if (Array.isArray(value)) return withGaps(value.map((item, index) => looselyTyped(item, index % 2 === 1)))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  if (entries.length === 0) return []
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      if (key === 'rotator') return [key, inner] // an address or false, nothing else
      return [key, looselyTyped(inner, asStrings || countsAsStrings.has(key))]
    }),
  )
}

const countsAsStrings = new Set(['result', 'currentpage', 'uniqueClicks', 'instagram', 'planid'])

/** A list whose second place is gone becomes an object. */
function withGaps(list: unknown[]): unknown {
  if (list.length < 2) return list
  return Object.fromEntries(list.map((item, index) => [index === 0 ? 0 : index + 1, item]))
}

/** Success is said in four ways, and `message` in the site's language. */
function otherEnvelope(route: string, { error, ...json }: Fields): Fields {
  if (error === undefined) return json // the opener
  if (typeof json.message === 'string') json.message = germanSuccess
  if ('result' in json || 'result' in inside(json, 'data')) return json
  const [method] = route.split(' ')
  return { error: method === 'GET' ? '0' : method === 'POST' ? false : 0, ...json }
}

/** What `message` says on a German site: no client may know an answer by its English words. */
const germanSuccess = 'Der Vorgang war erfolgreich.'
const germanRefusals: Record<number, string> = {
  400: 'Die Anfrage ist ungültig.',
  401: 'Ein gültiger API-Schlüssel wird benötigt.',
  404: 'Der Eintrag existiert nicht.',
  405: 'Diese Methode ist nicht erlaubt.',
  429: 'Zu viele Anfragen. Bitte warten.',
}

function inside(json: Fields, key: string): Fields {
  return { ...(json[key] as object | undefined) } as Fields
}

function eachRow(json: Fields, listKey: string, change: (row: Fields) => Fields): Fields {
  const data = inside(json, 'data')
  return { ...json, data: { ...data, [listKey]: (data[listKey] as Fields[]).map(change) } }
}
