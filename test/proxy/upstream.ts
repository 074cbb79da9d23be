import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { createProxy, type ProxyOptions } from 'shortlink-sdk/proxy'
import { listen } from '../helpers/server.ts'

export const KEY = 'key/of-the-account+1'

interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** Starts a server instead of the platform, which records its requests and closes after the test. */
async function startUpstream(handler: RequestListener = ok) {
  const seen: Seen[] = []
  const origin = await listen((request, response) => {
    const entry: Seen = { method: request.method!, url: request.url!, headers: request.headers, body: '' }
    seen.push(entry)
    request.setEncoding('utf8').on('data', (chunk) => {
      entry.body += chunk
    })
    handler(request, response)
  })
  return { baseUrl: `${origin}/api`, openerUrl: origin, seen }
}

function ok(_request: IncomingMessage, response: ServerResponse) {
  response.setHeader('Content-Type', 'application/json').end('{"error":0}')
}

/** Creates a proxy before such a server, a function that calls it like a page, and a list of the errors in onError. */
export async function proxied(
  options: Partial<ProxyOptions> & { client?: ShortLinkClientOptions } = {},
  handler?: RequestListener,
) {
  const { seen, ...addresses } = await startUpstream(handler)
  const { client, ...others } = options
  const errors: Error[] = []
  const proxy = createProxy(new ShortLinkClient({ ...addresses, apiKey: KEY, rateLimit: false, ...client }), {
    allow: ['GET /campaigns'],
    authorize: 'everyone',
    onError: (error) => errors.push(error as Error),
    ...others,
  })
  const call = (path: string, init?: RequestInit) => proxy(new Request(`https://app.example${path}`, init))
  return { call, proxy, seen, errors, ...addresses }
}

/** Returns the status and the message of a refusal. */
export async function refusal(response: Response): Promise<[number, string]> {
  const { error, message } = await response.json()
  return [response.status, error === 1 ? message : `no refusal: ${message}`]
}
