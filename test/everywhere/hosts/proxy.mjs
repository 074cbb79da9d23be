// The proxy in the server of the runtime that runs this file: Bun, Deno, or Node with a Hono route.
import { ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'

const { PROXY_PORT, PROXY_OPTIONS } = process.env
const options = JSON.parse(PROXY_OPTIONS)
const proxy = createProxy(new ShortLinkClient(options.client), options.proxy)
const address = { port: Number(PROXY_PORT), hostname: '127.0.0.1' }

if (globalThis.Bun) Bun.serve({ ...address, fetch: proxy })
else if (globalThis.Deno) Deno.serve(address, proxy)
else {
  const { Hono } = await import('hono')
  const { serve } = await import('@hono/node-server')
  const app = new Hono().all('/api/shortlink/*', (context) => proxy(context.req.raw))
  serve({ ...address, fetch: app.fetch })
}
