import { createProxy } from 'shortlink-sdk/proxy'

// The address and the key come from SHORTLINK_BASE_URL and SHORTLINK_API_KEY.
const proxy = createProxy({ prefix: '/api/shortlink', allow: ['GET /urls', 'POST /url/add'] })

export default defineEventHandler((event) => proxy(toWebRequest(event)))
