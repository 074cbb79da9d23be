import { createProxy } from 'shortlink-sdk/proxy'
import { client } from '../../../server-client'
import { isSignedIn } from '../../../session' // your own

const proxy = createProxy(client, {
  prefix: '/api/shortlink',
  allow: ['GET /urls', 'POST /url/add'],
  authorize: (request) => isSignedIn(request),
})

export const GET = proxy
export const POST = proxy
