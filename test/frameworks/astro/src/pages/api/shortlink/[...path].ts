import type { APIRoute } from 'astro'
import { createProxy } from 'shortlink-sdk/proxy'
import { isSignedIn } from '../../../session' // your own
import { client } from '../../../shortlink.server'

const proxy = createProxy(client, {
  prefix: '/api/shortlink',
  allow: ['GET /urls', 'POST /url/add'],
  authorize: (request) => isSignedIn(request),
})

export const prerender = false
export const ALL: APIRoute = ({ request }) => proxy(request)
