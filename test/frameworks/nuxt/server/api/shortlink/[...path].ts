import { createProxy } from 'shortlink-sdk/proxy'
import { isSignedIn } from '../../utils/session' // your own
import { client } from '../../utils/shortlink'

const proxy = createProxy(client, {
  prefix: '/api/shortlink',
  allow: ['GET /urls', 'POST /url/add'],
  authorize: (request) => isSignedIn(request),
})

export default defineEventHandler((event) => proxy(toWebRequest(event)))
