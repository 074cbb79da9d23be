import type { LinkRow } from '../../data.ts'
import { type EndpointCall, type Endpoints, find, list, refuseTakenAlias, remove, shortUrl } from '../endpoint.ts'
import { dateTime, fields, given, host, id, ids, listOf, text, webAddress } from '../parameters.ts'
import { statistics } from '../visits.ts'

const parameters = {
  url: webAddress,
  custom: text,
  title: text,
  description: text,
  password: text,
  expiry: dateTime,
  type: (value: unknown) => String(value),
  status: text,
  metatitle: text,
  metadescription: text,
  metaimage: text,
  pixels: ids,
  channel: id,
  campaign: id,
  deeplink: fields,
  geotarget: listOf('location', 'link'),
  devicetarget: listOf('device', 'link'),
  languagetarget: listOf('language', 'link'),
  parameters: listOf('name', 'value'),
}

/** The links section, which is outside the reference: these are the forms that public documentation agrees on. */
export const links: Endpoints = {
  'GET /urls': (call) => {
    const { short, order } = call.query
    if (short !== undefined) return single(byAddress(call, short))
    const rows = order === 'date' ? newestFirst(call.data.links) : call.data.links
    return list(call, 'urls', rows, (row) => linkInList(call, row))
  },

  'GET /url/:id': ({ data, params }) => single(find(data.links, params.id, 'Link')),

  'POST /url/add': (call) => {
    const { url, custom, campaign, channel, ...options } = given(call.body, { ...parameters, domain: host }, ['url'])
    const domain = options.domain || call.site
    refuseTakenAlias(call, domain, custom)
    const place = () => call.store.add('links', { title: url, ...options, longurl: url, domain, ...alias(custom) })
    return addedLink(assigned(call, { campaign, channel }, place))
  },

  'PUT /url/:id/update': (call) => {
    const row = find(call.data.links, call.params.id, 'Link')
    const { url: longurl = row.longurl, custom, campaign, channel, ...changes } = given(call.body, parameters)
    refuseTakenAlias(call, row.domain, custom, row)
    assigned(call, { campaign, channel }, () => Object.assign(row, changes, { longurl, ...alias(custom) }))
    return addedLink(row)
  },

  'DELETE /url/:id/delete': ({ data, params }) => {
    const { id } = remove(data.links, params.id, 'Link')
    for (const campaign of data.campaigns) campaign.links = campaign.links.filter((link) => link !== id)
    return { error: 0, message: 'Link has been deleted successfully.' }
  },
}

/** The response to creating or updating a link. */
export function addedLink(row: LinkRow): object {
  return { error: 0, id: row.id, shorturl: shortUrl(row) }
}

/** A link as a list shows it, with the fields of newer deployments. */
export function linkInList({ data }: Pick<EndpointCall, 'data'>, row: LinkRow): object {
  const { id, alias, longurl, title, description, clicks, uniqueclicks, domain, date } = row
  const campaign = data.campaigns.find(({ links }) => links.includes(id))?.id ?? null
  const channel = data.channels
    .filter(({ items }) => items.some((item) => item.type === 'links' && item.id === id))
    .map((found) => found.id)
  return {
    id,
    alias,
    shorturl: shortUrl(row),
    longurl,
    title,
    description,
    clicks,
    uniqueclicks,
    domain,
    campaign,
    channel,
    date,
  }
}

/** A single link with its statistics. */
function single(row: LinkRow): object {
  const { id, longurl, title, description, geotarget, devicetarget, expiry, clicks, date } = row
  return {
    error: 0,
    id,
    details: {
      id,
      shorturl: shortUrl(row),
      longurl,
      title,
      description,
      location: Object.fromEntries(geotarget.map(({ location, link }) => [location, link])),
      device: Object.fromEntries(devicetarget.map(({ device, link }) => [device, link])),
      expiry: expiry || null,
      date,
    },
    data: statistics(clicks, row),
  }
}

/** Finds a link by its alias or short address, with or without the scheme, or refuses with 404. */
function byAddress({ data, isSameAlias }: EndpointCall, short: string): LinkRow {
  const found = data.links.filter((row) => {
    const address = shortUrl(row)
    return [row.alias, address, address.replace(/^https?:\/\//, '')].some((name) => isSameAlias(name, short))
  })
  return find(found, String(found[0]?.id), 'Link')
}

function newestFirst(rows: readonly LinkRow[]): LinkRow[] {
  const isNewer = (one: LinkRow, other: LinkRow) =>
    one.date > other.date || (one.date === other.date && one.id > other.id)
  return [...rows].sort((one, other) => (isNewer(one, other) ? -1 : 1))
}

function alias(custom: string | undefined): { alias?: string } {
  return custom ? { alias: custom } : {}
}

/** Stores a link with `place` and assigns it. If the campaign or channel does not exist, it stores nothing. */
function assigned(
  { data }: EndpointCall,
  to: { campaign: number | undefined; channel: number | undefined },
  place: () => LinkRow,
): LinkRow {
  const campaign = to.campaign === undefined ? undefined : find(data.campaigns, String(to.campaign), 'Campaign')
  const channel = to.channel === undefined ? undefined : find(data.channels, String(to.channel), 'Channel')
  const row = place()
  if (campaign) {
    // A link shows one campaign, so it leaves the others.
    for (const other of data.campaigns) other.links = other.links.filter((id) => id !== row.id)
    campaign.links.push(row.id)
  }
  if (channel && !channel.items.some(({ type, id }) => type === 'links' && id === row.id)) {
    channel.items.push({ type: 'links', id: row.id })
  }
  return row
}
