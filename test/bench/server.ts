/** A platform that responds at once, in a separate process, so that it does not share a thread with the client. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

/** Returns the base URL of a list with this many rows, a default page size, and a delay in milliseconds. */
export type Address = (rows: number, perPage?: number, delay?: number) => string

/** Runs the server while `use` runs. */
export async function withServer<T>(use: (address: Address) => Promise<T>): Promise<T> {
  const child = fork(file)
  try {
    const [port] = await once(child, 'message')
    return await use((rows, perPage = rows, delay = 0) => `http://127.0.0.1:${port}/${rows}/${perPage}/${delay}`)
  } finally {
    child.disconnect()
  }
}

const file = fileURLToPath(import.meta.url)

const createCampaign = (id: number) => ({
  id,
  name: `Campaign ${id}: spring sale, newsletter and posters`,
  public: id % 2 === 0,
  rotator: id % 3 === 0 && `https://sho.rt/r/spring-sale-newsletter-${id}`,
  list: `https://sho.rt/u/someone/campaign-${id}/links-of-the-spring-sale`,
  views: id * 7,
  createdon: '2026-03-20 09:30:00',
  note: 'A field that the reference does not know.',
})

interface Page {
  rows: number
  perPage: number
  page: number
}

function createPage({ rows, perPage, page }: Page) {
  const first = (page - 1) * perPage
  const length = Math.max(0, Math.min(perPage, rows - first))
  const maxpage = Math.ceil(rows / perPage)
  const position = { result: rows, perpage: perPage, currentpage: page, nextpage: page < maxpage ? page + 1 : null }
  return {
    error: '0',
    data: { ...position, maxpage, campaigns: Array.from({ length }, (_, index) => createCampaign(first + index + 1)) },
  }
}

const headers = {
  'content-type': 'application/json',
  'x-ratelimit-limit': '1000000000',
  'x-ratelimit-remaining': '999999999',
}

function serve(): void {
  const written = new Map<string, string>()
  const server = createServer((request, response) => {
    if (request.method === 'POST') return void receive(request, response)
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
    const [rows, perPage, delay] = pathname.split('/').slice(1).map(Number) as [number, number, number]
    const page = Number(searchParams.get('page') ?? 1)
    const asked = { rows, perPage: Number(searchParams.get('limit') ?? perPage), page }
    if (!pathname.endsWith('/campaigns'))
      return void response.writeHead(404, headers).end('{"error":1,"message":"Not found"}')
    const text = written.get(request.url!) ?? JSON.stringify(createPage(asked))
    // The pages of a long list are not cached, to save memory.
    if (rows <= 10_000) written.set(request.url!, text)
    const send = () => {
      const reset = String(Math.ceil(Date.now() / 1000) + 60)
      response.writeHead(200, { ...headers, 'x-ratelimit-reset': reset, 'content-length': Buffer.byteLength(text) })
      response.end(text)
    }
    if (delay > 0) setTimeout(send, delay)
    else send()
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}

/** Receives an upload. The `shorturl` of the response has the received and the announced number of bytes. */
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let bytes = 0
  for await (const chunk of request) bytes += (chunk as Buffer).length
  const shorturl = `https://sho.rt/${bytes}/${request.headers['content-length'] ?? 'none'}`
  response.writeHead(200, headers).end(JSON.stringify({ error: 0, id: 1, shorturl }))
}

if (process.argv[1] === file) serve()
