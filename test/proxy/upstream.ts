import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createProxy, type ProxyOptions } from '../../src/proxy/index.ts'
import { listen } from '../helpers/server.ts'

export const KEY = 'key/of-the-account+1'

interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** A server in the platform's place that keeps what it saw, and goes away with the test. */
async function upstream(handler: RequestListener = ok) {
  const seen: Seen[] = []
  const origin = await listen((request, response) => {
    const entry: Seen = { method: request.method!, url: request.url!, headers: request.headers, body: '' }
    seen.push(entry)
    request.setEncoding('utf8').on('data', (chunk) => {
      entry.body += chunk
    })
    handler(request, response)
  })
  return { baseUrl: `${origin}/api`, seen }
}

function ok(_request: IncomingMessage, response: ServerResponse) {
  response.setHeader('Content-Type', 'application/json').end('{"error":0}')
}

/** A proxy before such a server, and a way to call it as a page would. */
export async function proxied(options: Partial<ProxyOptions> = {}, handler?: RequestListener) {
  const { baseUrl, seen } = await upstream(handler)
  const proxy = createProxy({ baseUrl, apiKey: KEY, allow: ['GET /campaigns'], onError: () => {}, ...options })
  const call = (path: string, init?: RequestInit) => proxy(new Request(`https://app.example${path}`, init))
  return { call, proxy, seen, baseUrl }
}
