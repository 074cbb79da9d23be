import { type Endpoints, find, list, PlatformRefusal, remove } from '../endpoint.ts'
import { given, oneOf, text } from '../parameters.ts'

const pixelType = oneOf(
  'gtmpixel',
  'gapixel',
  'fbpixel',
  'adwordspixel',
  'linkedinpixel',
  'twitterpixel',
  'adrollpixel',
  'quorapixel',
  'pinterest',
  'bing',
  'snapchat',
  'reddit',
  'tiktok',
)

export const pixels: Endpoints = {
  'GET /pixels': (call) => list(call, 'pixels', call.data.pixels),

  'POST /pixel/add': ({ store, data, body }) => {
    const row = given(body, { type: pixelType, name: text, tag: text }, ['type', 'name', 'tag'])
    if (data.pixels.some(({ type, tag }) => type === row.type && tag === row.tag)) {
      throw new PlatformRefusal(400, 'There is a pixel with that tag.')
    }
    return { error: 0, id: store.add('pixels', row).id }
  },

  'PUT /pixel/:id/update': ({ data, params, body }) => {
    const row = find(data.pixels, params.id, 'Pixel')
    Object.assign(row, given(body, { name: text, tag: text }, ['tag']))
    return { error: 0, message: 'Pixel has been updated successfully.' }
  },

  'DELETE /pixel/:id/delete': ({ data, params }) => {
    remove(data.pixels, params.id, 'Pixel')
    return { error: 0, message: 'Pixel has been deleted successfully.' }
  },
}
