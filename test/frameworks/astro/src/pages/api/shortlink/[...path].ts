import { getSecret } from 'astro:env/server'
import type { APIRoute } from 'astro'
import { createProxy } from 'shortlink-sdk/proxy'

// Astro does not put .env into process.env, so the address and the key are passed on.
const proxy = createProxy({
  baseUrl: getSecret('SHORTLINK_BASE_URL'),
  apiKey: getSecret('SHORTLINK_API_KEY'),
  prefix: '/api/shortlink',
  allow: ['GET /urls', 'POST /url/add'],
})

export const prerender = false
export const ALL: APIRoute = ({ request }) => proxy(request)
