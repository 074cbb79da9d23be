import { createProxy } from 'shortlink-sdk/proxy'

// SHORTLINK_BASE_URL and SHORTLINK_API_KEY are read at the first request, so `next build` does not need them.
const proxy = createProxy({ prefix: '/api/shortlink', allow: ['GET /urls', 'POST /url/add'] })

export const GET = proxy
export const POST = proxy
