import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { shorten, shutdown } from './shorten.ts'

const app = new Hono()

app.post('/links', async (context) => {
  const { url } = await context.req.json()
  return shorten(url, (name) => context.req.header(name))
})

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) })

process.once('SIGTERM', () => {
  setTimeout(() => shutdown.abort(new Error('the service ends')), 5000).unref()
  server.close()
})
