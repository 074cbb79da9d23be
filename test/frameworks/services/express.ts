import express from 'express'
import { shorten, shutdown } from './shorten.ts'

const app = express().use(express.json())

app.post('/links', async (request, response) => {
  const result = await shorten(request.body.url, (name) => request.get(name))
  response
    .status(result.status)
    .setHeaders(result.headers)
    .send(await result.text())
})

const server = app.listen(Number(process.env.PORT ?? 3000))

process.once('SIGTERM', () => {
  setTimeout(() => shutdown.abort(new Error('the service ends')), 5000).unref()
  server.close()
})
