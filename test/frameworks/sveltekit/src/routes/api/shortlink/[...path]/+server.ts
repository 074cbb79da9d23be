import { createProxy } from 'shortlink-sdk/proxy'
import { SHORTLINK_API_KEY, SHORTLINK_BASE_URL } from '$app/env/private'
import type { RequestHandler } from './$types'

// Vite does not put .env into process.env, so the address and the key are passed on.
const proxy = createProxy({
  baseUrl: SHORTLINK_BASE_URL,
  apiKey: SHORTLINK_API_KEY,
  prefix: '/api/shortlink',
  allow: ['GET /urls', 'POST /url/add'],
})

export const fallback: RequestHandler = ({ request }) => proxy(request)
