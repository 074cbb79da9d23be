import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { pageHtml } from './page/html.ts'
import { pageState } from './page/state.ts'
import type { Sandbox } from './sandbox.ts'

/** Options of {@link serve}; every one has a default. */
export interface ServeOptions {
  /** Default 0: any free port. */
  port?: number
  /** Default `127.0.0.1`. */
  host?: string
  /** Answers preflights and lets pages of any origin read answers and rate headers. Default `false`. */
  cors?: boolean
  /** Called with one line for each request that was answered or dropped. Default: none. */
  log?: (line: string) => void
}

/** A sandbox on a port. */
export interface Served {
  /** Address of the management API, such as `http://127.0.0.1:4010/api`. */
  readonly baseUrl: string
  /** Address of the app-opener API, such as `http://127.0.0.1:4010/opener`. */
  readonly openerUrl: string
  /** Stops listening and ends every connection at once. */
  close(): Promise<void>
}

/**
 * Puts a sandbox on a port with Node's http, for programs that cannot be given a `fetch`. Short addresses stand
 * below its root, and `/` is a page that shows what is stored.
 *
 * @throws The error of Node where the port cannot be had.
 */
export async function serve(sandbox: Sandbox, options: ServeOptions = {}): Promise<Served> {
  const { port = 0, host = '127.0.0.1', cors = false, log } = options
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing))
  // A test of a stalled or endless request must not be ended by Node's own clocks.
  server.requestTimeout = 0

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const start = performance.now()
    const left = new AbortController()
    outgoing.on('close', () => left.abort())
    if (cors) allowEverybody(outgoing)
    try {
      const response =
        ownPage(incoming, sandbox, cors) ?? (await sandbox.fetch(requestOf(incoming, sandbox, left.signal)))
      await writeResponse(response, outgoing)
    } catch {
      // Dropped by a fault, or left by the client: in both cases the connection just ends, with a reset.
      incoming.socket.resetAndDestroy()
    }
    const status = outgoing.headersSent ? outgoing.statusCode : 'dropped'
    if (incoming.url !== '/sandbox.json') {
      log?.(`${incoming.method} ${incoming.url} ${status} ${Math.round(performance.now() - start)} ms`)
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { address, family, port: taken } = server.address() as AddressInfo
  const origin = `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
  return {
    baseUrl: `${origin}/api`,
    openerUrl: `${origin}/opener`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** What the platform itself does not have: the page, its data, and answers to preflights. */
function ownPage({ method, url }: IncomingMessage, sandbox: Sandbox, cors: boolean): Response | undefined {
  if (cors && method === 'OPTIONS') return new Response(null, { status: 204 })
  if (method !== 'GET') return undefined
  if (url === '/sandbox.json') {
    return new Response(pageState(sandbox), { headers: { 'Content-Type': 'application/json' } })
  }
  if (url !== '/') return undefined
  const { html, policy } = pageHtml(crypto.randomUUID())
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy }
  return new Response(html, { headers })
}

/** The request as the sandbox knows it: at its own addresses. */
function requestOf(incoming: IncomingMessage, sandbox: Sandbox, signal: AbortSignal): Request {
  const path = incoming.url ?? '/'
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const method = incoming.method ?? 'GET'
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const init: RequestInit & { duplex: 'half' } = { method, headers, signal, redirect: 'manual', duplex: 'half' }
  if (hasBody) init.body = Readable.toWeb(incoming) as ReadableStream
  return new Request(sandboxAddress(path, sandbox), init)
}

function sandboxAddress(path: string, { baseUrl, openerUrl }: Sandbox): string {
  if (path.startsWith('/api/')) return baseUrl + path.slice('/api'.length)
  if (path.startsWith('/opener/')) return openerUrl + path.slice('/opener'.length)
  return new URL(baseUrl).origin + path
}

async function writeResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (!response.body) {
    outgoing.end()
    return
  }
  outgoing.flushHeaders()
  Readable.fromWeb(response.body as NodeReadableStream)
    .on('error', () => outgoing.destroy())
    .pipe(outgoing)
  await finished(outgoing)
}

/** A browser hides every header that is not named here. */
function allowEverybody(outgoing: ServerResponse): void {
  const exposed = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Date'
  outgoing.setHeader('Access-Control-Allow-Origin', '*')
  outgoing.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE')
  outgoing.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type')
  outgoing.setHeader('Access-Control-Expose-Headers', exposed)
}
