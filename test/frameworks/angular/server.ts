import { readFile } from 'node:fs/promises'
import { createProxy } from 'shortlink-sdk/proxy'
import { serve } from 'srvx'
import { staticMiddleware } from 'srvx/static'

// The address and the key come from SHORTLINK_BASE_URL and SHORTLINK_API_KEY.
const proxy = createProxy({ prefix: '/api/shortlink', allow: ['GET /urls', 'POST /url/add'] })

serve({
  port: process.env.PORT ?? 3000,
  middleware: [staticMiddleware({ dir: 'dist/browser' })],
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/api/shortlink/')) return await proxy(request)
    return new Response(await readFile('dist/browser/index.html'), { headers: { 'Content-Type': 'text/html' } })
  },
})
