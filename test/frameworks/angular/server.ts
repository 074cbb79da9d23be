import { readFile } from 'node:fs/promises'
import { ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'
import { serve } from 'srvx'
import { staticMiddleware } from 'srvx/static'
import { isSignedIn } from './session.ts' // your own

// The address and the key come from SHORTLINK_BASE_URL and SHORTLINK_API_KEY.
const proxy = createProxy(new ShortLinkClient({ deadline: 10_000 }), {
  prefix: '/api/shortlink',
  allow: ['GET /urls', 'POST /url/add'],
  authorize: (request) => isSignedIn(request),
})

serve({
  port: process.env.PORT ?? 3000,
  middleware: [staticMiddleware({ dir: 'dist/browser' })],
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/api/shortlink/')) return await proxy(request)
    return new Response(await readFile('dist/browser/index.html'), { headers: { 'Content-Type': 'text/html' } })
  },
})
