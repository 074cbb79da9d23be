import { createProxy } from 'shortlink-sdk/proxy'
import { isSignedIn } from '../session.server' // your own
import { client } from '../shortlink.server'
import type { Route } from './+types/shortlink'

const proxy = createProxy(client, {
  prefix: '/api/shortlink',
  allow: ['GET /urls', 'POST /url/add'],
  authorize: (request) => isSignedIn(request),
})

export const loader = ({ request }: Route.LoaderArgs) => proxy(request)
export const action = ({ request }: Route.ActionArgs) => proxy(request)
