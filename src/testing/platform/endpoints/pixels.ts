import { type Endpoints, list, remove, update } from '../endpoint.ts'
import { oneOf, parseParameters, text } from '../parameters.ts'
import { refuseIf } from '../refusal.ts'

const types =
  'gtmpixel gapixel fbpixel adwordspixel linkedinpixel twitterpixel adrollpixel quorapixel pinterest bing snapchat reddit tiktok'
const pixelType = oneOf(...types.split(' '))

export const pixels = {
  'GET /pixels': (call) => list(call, 'pixels', call.data.pixels),

  'POST /pixel/add': ({ store, data, body }) => {
    const row = parseParameters(body, { type: pixelType, name: text, tag: text }, ['type', 'name', 'tag'])
    const isTaken = data.pixels.some(({ type, tag }) => type === row.type && tag === row.tag)
    refuseIf(isTaken, 'There is a pixel with that tag.')
    return { error: 0, id: store.add('pixels', row).id }
  },

  'PUT /pixel/:id/update': update('pixels', 'Pixel', { name: text, tag: text }, ['tag']),
  'DELETE /pixel/:id/delete': remove('pixels', 'Pixel'),
} satisfies Endpoints
