import { createProxy } from 'shortlink-sdk/proxy'
import { isSignedIn } from '../../../../lib/server/session' // your own
import { client } from '../../../../lib/server/shortlink'
import type { RequestHandler } from './$types'

const proxy = createProxy(client, {
  prefix: '/api/shortlink',
  allow: ['GET /urls', 'POST /url/add'],
  authorize: (request) => isSignedIn(request),
})

export const fallback: RequestHandler = ({ request }) => proxy(request)
