import { createProxy } from 'shortlink-sdk/proxy'
import type { Route } from './+types/shortlink'

// The address and the key come from SHORTLINK_BASE_URL and SHORTLINK_API_KEY.
const proxy = createProxy({ prefix: '/api/shortlink', allow: ['GET /urls', 'POST /url/add'] })

export const loader = ({ request }: Route.LoaderArgs) => proxy(request)
export const action = ({ request }: Route.ActionArgs) => proxy(request)
