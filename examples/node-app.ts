/**
 * A small web service on Node that keeps the key: `POST /links` shortens an address, and `GET /links?page=2` returns a
 * page of links, for a table with a “next” button.
 *
 *     npx tsx examples/node-app.ts           against the sandbox: sends itself three requests, and ends
 *     npx tsx examples/node-app.ts 3000      at a port, for the server in SHORTLINK_BASE_URL and SHORTLINK_API_KEY
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { isShortLinkError, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'

/** Creates the service. A visitor waits for each response, so a call takes at most ten seconds, queue included. */
function createApp(options: ShortLinkClientOptions) {
  const { links } = new ShortLinkClient({ deadline: 10_000, ...options })
  return createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const respond = (status: number, body: unknown, headers = {}) =>
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
    try {
      if (pathname !== '/links') respond(404, { message: 'Not found' })
      else if (request.method === 'POST') {
        const { url } = (await json(request)) as { url: string }
        const { shorturl } = await links.create({ url })
        respond(201, { shorturl })
      } else {
        const page = await links.list({ page: Number(searchParams.get('page') ?? 1), limit: 20 })
        respond(200, { items: page.items.map(({ shorturl }) => shorturl), all: page.result, next: page.nextpage })
      }
    } catch (error) {
      if (isShortLinkError(error) && error.code === 'rate_limit') {
        respond(429, { message: 'Too many requests' }, { 'Retry-After': error.retryAfter ?? 60 })
      } else if (isShortLinkError(error) && error.code === 'invalid_request') respond(400, { message: error.message })
      else {
        console.error(error)
        respond(502, { message: 'The short-link server cannot be used' })
      }
    }
  })
}

const [port] = process.argv.slice(2)
if (port) createApp({}).listen(Number(port), () => console.log(`http://localhost:${port}/links`))
else {
  const sandbox = createSandbox({ data: sampleData(50) })
  const app = createApp(sandbox.clientOptions).listen(0)
  await once(app, 'listening')
  const address = `http://localhost:${(app.address() as AddressInfo).port}/links`
  const send = async (path = '', body?: object) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(address + path, init)
    console.log(response.status, JSON.stringify(await response.json()))
  }
  await send('', { url: 'https://shop.example/opening' })
  await send('', { url: 'shop.example' })
  await send('?page=3')
  app.close()
}
