import type { SandboxLink } from '../data.ts'
import {
  type EndpointCall,
  type Endpoints,
  find,
  formatShortUrl,
  list,
  pick,
  refuseTakenAlias,
  remove,
  requireRow,
} from '../endpoint.ts'
import {
  address,
  dateTime,
  fields,
  host,
  id,
  ids,
  listOf,
  type ParameterCheck,
  parseParameters,
  text,
} from '../parameters.ts'
import { createStatistics } from '../statistics.ts'

const parameters = {
  url: address,
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
export const links = {
  'GET /urls': (call) => {
    const { short, order } = call.query
    if (short !== undefined) return createDetailsResponse(findByAddress(call, short))
    const { links } = call.data
    const compareNewestFirst = (one: SandboxLink, other: SandboxLink) =>
      other.date.localeCompare(one.date) || other.id - one.id
    return list(call, 'urls', order === 'date' ? [...links].sort(compareNewestFirst) : links, (row) =>
      createListRow(call, row),
    )
  },

  'GET /url/:id': ({ data, params }) => createDetailsResponse(find(data.links, params.id, 'Link')),

  'POST /url/add': (call) => {
    const { url, custom, campaign, channel, ...options } = parseParameters(call.body, { ...parameters, domain: host }, [
      'url',
    ])
    const domain = options.domain || call.site
    refuseTakenAlias(call, domain, custom)
    const assign = createAssigner(call, campaign, channel)
    const row = { title: url, ...options, longurl: url, domain, ...(custom && { alias: custom }) }
    return createLinkResponse(assign(call.store.add('links', row)))
  },

  'PUT /url/:id/update': (call) => {
    const row = find(call.data.links, call.params.id, 'Link')
    const {
      url: longurl = row.longurl,
      custom,
      campaign,
      channel,
      domain = row.domain,
      ...changes
    } = parseParameters(call.body, {
      ...parameters,
      domain: host,
      channel: idOrNone,
      campaign: idOrNone,
    })
    if (campaign === null) for (const other of call.data.campaigns) leaveCampaign(other, row.id)
    if (channel === null) for (const other of call.data.channels) leaveChannel(other, row.id)
    refuseTakenAlias(call, domain || call.site, custom ?? row.alias, row)
    const assign = createAssigner(call, campaign ?? undefined, channel ?? undefined)
    const moved = { longurl, domain: domain || call.site }
    return createLinkResponse(assign(Object.assign(row, changes, moved, custom && { alias: custom })))
  },

  'DELETE /url/:id/delete': (call) => {
    const response = remove('links', 'Link')(call)
    for (const campaign of call.data.campaigns) leaveCampaign(campaign, Number(call.params.id))
    return response
  },
} satisfies Endpoints

/** An id, or `null` or an empty text for none. */
const idOrNone: ParameterCheck<number | null> = (value, name) =>
  value === null || value === '' ? null : id(value, name)

/** Creates the response to creating or updating a link. */
export function createLinkResponse(row: SandboxLink): object {
  return { error: 0, id: row.id, shorturl: formatShortUrl(row) }
}

/** Creates the row of a link in a list, with the fields of newer servers. */
export function createListRow({ data }: Pick<EndpointCall, 'data'>, row: SandboxLink): object {
  const isIn = ({ items }: { items: { type: string; id: number }[] }) =>
    items.some(({ type, id }) => type === 'links' && id === row.id)
  return {
    ...pick(row, 'id', 'alias'),
    shorturl: formatShortUrl(row),
    ...pick(row, 'longurl', 'title', 'description', 'clicks', 'uniqueclicks', 'domain'),
    campaign: data.campaigns.find(({ links }) => links.includes(row.id))?.id ?? null,
    channel: data.channels.filter(isIn).map(({ id }) => id),
    date: row.date,
  }
}

/** Creates the response with a single link and its statistics. */
function createDetailsResponse(row: SandboxLink): object {
  const details = {
    id: row.id,
    shorturl: formatShortUrl(row),
    ...pick(row, 'longurl', 'title', 'description'),
    location: Object.fromEntries(row.geotarget.map(({ location, link }) => [location, link])),
    device: Object.fromEntries(row.devicetarget.map(({ device, link }) => [device, link])),
    expiry: row.expiry || null,
    date: row.date,
  }
  return { error: 0, id: row.id, details, data: createStatistics(row.clicks, row) }
}

/** Finds a link by its alias or short address, with or without the scheme, or refuses with 404. */
function findByAddress({ data, isSameAlias }: EndpointCall, short: string): SandboxLink {
  const isMeant = (row: SandboxLink) => {
    const address = formatShortUrl(row)
    return [row.alias, address, address.replace(/^https?:\/\//, '')].some((name) => isSameAlias(name, short))
  }
  return requireRow(data.links.find(isMeant), 'Link')
}

/**
 * Creates a function that adds a link to a campaign and a channel. Refuses at once, before anything is stored, if one
 * does not exist.
 */
function createAssigner(
  { data }: EndpointCall,
  campaignId?: number,
  channelId?: number,
): (row: SandboxLink) => SandboxLink {
  const campaign = campaignId === undefined ? undefined : find(data.campaigns, String(campaignId), 'Campaign')
  const channel = channelId === undefined ? undefined : find(data.channels, String(channelId), 'Channel')
  return (row) => {
    // A link shows one campaign, so it leaves the others.
    if (campaign) for (const other of data.campaigns) leaveCampaign(other, row.id)
    campaign?.links.push(row.id)
    const isThere = channel?.items.some(({ type, id }) => type === 'links' && id === row.id)
    if (!isThere) channel?.items.push({ type: 'links', id: row.id })
    return row
  }
}

function leaveCampaign(campaign: { links: number[] }, linkId: number): void {
  campaign.links = campaign.links.filter((id) => id !== linkId)
}

function leaveChannel(channel: { items: { type: string; id: number }[] }, linkId: number): void {
  channel.items = channel.items.filter(({ type, id }) => type !== 'links' || id !== linkId)
}
