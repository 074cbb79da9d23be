import type { SandboxChannel, SandboxItemType } from '../data.ts'
import { type EndpointCall, type Endpoints, find, formatShortUrl, list, pick, remove, update } from '../endpoint.ts'
import { flag, hexColor, oneOf, parseParameters, text } from '../parameters.ts'
import { refuseIf } from '../refusal.ts'

const parameters = { name: text, description: text, color: hexColor, starred: flag }
const itemType = oneOf('links', 'bio', 'qr')

export const channels = {
  'GET /channels': (call) => list(call, 'channels', call.data.channels, getFields),

  'GET /channel/:id': (call) =>
    list(
      call,
      'items',
      find(call.data.channels, call.params.id, 'Channel').items.flatMap(({ type, id }) => {
        const row = listOf(call, type).find((candidate) => candidate.id === id)
        if (!row) return [] // deleted since; ids are never reused
        const link = formatShortUrl(row)
        const title = 'title' in row ? row.title : row.name
        return { type, id, title, preview: `${link}/preview`, link, date: row.date.slice(0, 10) }
      }),
    ),

  'POST /channel/add': ({ store, data, body }) => {
    const row = parseParameters(body, parameters, ['name'])
    const isTaken = data.channels.some(({ name }) => name === row.name)
    refuseIf(isTaken, 'There is a channel with that name.')
    return { error: 0, ...getFields(store.add('channels', row)) }
  },

  'POST /channel/:channelid/assign/:type/:itemid': (call) => {
    const { items } = find(call.data.channels, call.params.channelid, 'Channel')
    const type = itemType(call.params.type, 'type')
    const { id } = find<{ id: number }>(listOf(call, type), call.params.itemid, 'Item')
    if (!items.some((item) => item.type === type && item.id === id)) items.push({ type, id })
    return { error: 0, message: 'Item successfully added to the channel.' }
  },

  'PUT /channel/:id/update': update('channels', 'Channel', parameters),
  // The items are kept, unassigned: they are rows of other lists.
  'DELETE /channel/:id/delete': remove('channels', 'Channel'),
} satisfies Endpoints

/** Returns a channel without its items, which another endpoint lists. */
export function getFields(row: SandboxChannel): object {
  return pick(row, 'id', 'name', 'description', 'color', 'starred')
}

function listOf({ data }: EndpointCall, type: SandboxItemType) {
  return { links: data.links, bio: data.bios, qr: data.qrs }[type]
}
