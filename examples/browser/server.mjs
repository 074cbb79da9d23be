/**
 * Serves a page that uses the platform and never sees the key: page → proxy → platform.
 *
 *     npm run build && cd examples/browser && npm install && npm start
 *
 * The platform is the sandbox, on a port of its own. With SHORTLINK_BASE_URL, SHORTLINK_OPENER_URL and
 * SHORTLINK_API_KEY set, it is your server.
 */
import { fileURLToPath } from 'node:url'
import { ShortLinkClient } from 'shortlink-sdk'
import { serve as serveSandbox } from 'shortlink-sdk/node'
import { createProxy } from 'shortlink-sdk/proxy'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { serve } from 'srvx'
import { staticMiddleware } from 'srvx/static'

const folder = (path) => fileURLToPath(new URL(path, import.meta.url))

async function startSandbox() {
  const sandbox = createSandbox({ data: sampleData(8), rateLimit: { requests: 30 } })
  const { baseUrl, openerUrl } = await serveSandbox(sandbox)
  return { baseUrl, openerUrl, apiKey: sandbox.apiKey }
}

const client = new ShortLinkClient(process.env.SHORTLINK_BASE_URL ? {} : await startSandbox())
const proxy = createProxy(client, {
  prefix: '/api/shortlink',
  // Only the calls that this page needs: it cannot read the account or delete a campaign.
  allow: ['GET /campaigns', 'GET /files', 'POST /files/upload/:filename', 'POST /opener/v3/api'],
  // The server listens on this machine alone. A real site asks here who is signed in:
  // authorize: async (request) => (await findSession(request)) !== null
  authorize: 'everyone',
})

const server = serve({
  port: Number(process.env.PORT ?? 3000),
  hostname: '127.0.0.1',
  middleware: [
    async (_request, next) => {
      const response = await next()
      // Only this site's own files run in the page, and it connects to no other server.
      response.headers.set('Content-Security-Policy', "default-src 'self'")
      return response
    },
    staticMiddleware({ dir: folder('dist') }),
  ],
  fetch: proxy,
  silent: true,
})
await server.ready()
console.log(`Open ${server.url}`)
