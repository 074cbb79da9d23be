import Fastify from 'fastify'
import { shorten, shutdown } from './shorten.ts'

const app = Fastify({ keepAliveTimeout: 5000 }) // Node's default; Fastify's 72 s would delay the shutdown

app.post<{ Body: { url: string } }>('/links', (request) =>
  shorten(request.body.url, (name) => request.headers[name.toLowerCase()] as string | undefined),
)

await app.listen({ port: Number(process.env.PORT ?? 3000) })

process.once('SIGTERM', () => {
  setTimeout(() => shutdown.abort(new Error('the service ends')), 5000).unref()
  app.close()
})
