import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { aFunction, type Checks, string } from '../client/checks/checks.ts'
import { ConfigurationError } from '../client/errors.ts'
import type { Closable } from '../client/runtime/async-disposable.ts'
import { isControlPath, respondToControl } from './control.ts'
import { formatIntroduction } from './introduction.ts'
import { assertOptions, createNumberCheck } from './options.ts'
import { hideSecret } from './platform/request-log.ts'
import { decode } from './platform/routes.ts'
import type { Sandbox } from './sandbox.ts'

export type { Sandbox }

/** Options for {@link serve}. All have defaults. */
export interface ServeOptions {
  /** The port. Default 0: any free port. */
  port?: number | undefined
  /** The host name or IP address. Default `127.0.0.1`. */
  host?: string | undefined
  /** Called with one line for each request, after its response or when it was dropped. Default: no log. */
  log?: ((line: string) => void) | undefined
}

/** A sandbox that is served over HTTP on a port. */
export interface SandboxServer extends Closable {
  /** The address of the management API, such as `http://127.0.0.1:4010/api`. */
  readonly baseUrl: string
  /** The address of the app-opener API, such as `http://127.0.0.1:4010/opener`. */
  readonly openerUrl: string
  /** Stops listening and ends every connection at once. */
  close(): Promise<void>
}

const serveChecks: Checks<keyof ServeOptions> = {
  port: createNumberCheck('a whole number from 0 to 65535', (port) => port >= 0 && port < 65_536 && port % 1 === 0),
  host: string,
  log: aFunction,
}

/**
 * Serves a sandbox over HTTP on a port, for programs that cannot use a custom `fetch`. Short addresses open below its
 * root: `http://127.0.0.1:4010/opening` is `https://sho.rt/opening`. `/` responds with the addresses and the key as text.
 * If addresses in responses, such as the `link` of a QR code, must point to the server, pass its address:
 * `createSandbox({ baseUrl: 'http://127.0.0.1:4010/api' })`.
 *
 * @throws {ConfigurationError} if an option is unknown or invalid; Node's own error, with its `code`, if the port
 *   cannot be used.
 * @example
 * await using server = await serve(createSandbox(), { port: 4010 })
 * console.log(server.baseUrl) // until the end of the block, or until server.close()
 */
export async function serve(sandbox: Sandbox, options: ServeOptions = {}): Promise<SandboxServer> {
  if (typeof (sandbox as Partial<Sandbox> | undefined)?.fetch !== 'function') {
    throw new ConfigurationError('serve: expected a sandbox, made with createSandbox()')
  }
  return (await createAndServe(() => sandbox, options)).server
}

/**
 * Listens on a port, creates a sandbox for its addresses, and serves it.
 *
 * @internal
 */
export async function createAndServe(
  create: (addresses: Pick<SandboxServer, 'baseUrl' | 'openerUrl'>) => Sandbox,
  options: ServeOptions,
): Promise<{ sandbox: Sandbox; server: SandboxServer }> {
  assertOptions(options, serveChecks, 'serve')
  const { port = 0, host = '127.0.0.1', log } = options
  const server = createServer()
  // Node's own timeouts must not end a test of a stalled request.
  server.requestTimeout = 0

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming
    const start = performance.now()
    try {
      await writeResponse(await getResponse(incoming, outgoing), outgoing)
    } catch {
      // A fault dropped the connection, or the client closed it. In both cases it is reset.
      incoming.socket.resetAndDestroy()
    }
    const status = outgoing.headersSent ? outgoing.statusCode : 'dropped'
    const duration = Math.round(performance.now() - start)
    log?.(`${method} ${formatPath(url, sandbox.apiKey)} ${status} ${duration} ms`)
  }

  async function getResponse(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response> {
    const { method = 'GET', url = '/' } = incoming
    const isRoot = method === 'GET' && url === '/'
    if (isRoot || isControlPath(url)) {
      const refuse = (error: string) => Response.json({ error }, { status: 403 })
      const origin = findOwnOrigin(incoming.headers.host, host)
      if (origin === undefined) return refuse('unknown host: use localhost or the address of the sandbox')
      if (isRoot) return createTextResponse(formatIntroduction(sandbox, createAddresses(origin)))
      if (!isFromOwnOrigin(incoming.headers)) return refuse('a page of another origin may not control the sandbox')
      return respondToControl(sandbox, method, url, await text(incoming))
    }
    const controller = new AbortController()
    outgoing.on('close', () => controller.abort())
    return sandbox.fetch(toSandboxUrl(url, sandbox), createRequestInit(incoming, controller.signal))
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        error.message = `port ${port} is in use: choose another one, or 0 for any free port`
      reject(error)
    })
    server.listen(port, host, resolve)
  })
  const { address, family, port: taken } = server.address() as AddressInfo
  const origin = `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  const addresses = createAddresses(origin)
  let sandbox: Sandbox
  try {
    sandbox = create(addresses)
  } catch (error) {
    await close()
    throw error
  }
  server.on('request', (incoming, outgoing) => void respond(incoming, outgoing))
  return { sandbox, server: { ...addresses, close, [Symbol.asyncDispose]: close } }
}

const createAddresses = (origin: string) => ({ baseUrl: `${origin}/api`, openerUrl: `${origin}/opener` })

function createTextResponse(body: string): Response {
  return new Response(body, { headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
}

/**
 * Returns whether a request is from a page of the server's own origin, or from a program that is not a browser. Browsers
 * state that in `Sec-Fetch-Site`, or only in `Origin` for a page over plain http.
 */
function isFromOwnOrigin({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return origin === undefined || origin === `http://${host}`
}

/**
 * Returns the origin that a `Host` header names, if it is this machine or the chosen `host`. The response shows the key,
 * and an attacker's DNS may point any of their names here (DNS rebinding), but not an IP address.
 */
function findOwnOrigin(header: string | undefined, host: string): string | undefined {
  const address = `http://${header}`
  if (!URL.canParse(address)) return undefined
  const { hostname, origin } = new URL(address)
  const isOwn = /(^|\.)localhost$/.test(hostname) || hostname === host || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  return isOwn ? origin : undefined
}

function createRequestInit(incoming: IncomingMessage, signal: AbortSignal): RequestInit {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const method = incoming.method ?? 'GET'
  const init: RequestInit & { duplex: 'half' } = { method, headers, signal, duplex: 'half' }
  if (method !== 'GET' && method !== 'HEAD') init.body = Readable.toWeb(incoming) as ReadableStream
  return init
}

/** Formats a path with its query for a log, without passwords, and without the key in any parameter or segment. */
function formatPath(url: string, apiKey: string): string {
  const hideKey = (text: string) => {
    if (apiKey === '') return text
    const shown = text.replaceAll(apiKey, '***')
    return decode(shown).includes(apiKey) ? '***' : shown
  }
  const [path = '', query] = url.split('?', 2)
  if (query === undefined) return hideKey(path)
  const shown = [...new URLSearchParams(query)].map(([name, value]) => [
    hideKey(name),
    String(hideSecret(name, hideKey(value))),
  ])
  return `${hideKey(path)}?${new URLSearchParams(shown)}`
}

/** Translates a path of the server into an address of the sandbox. */
function toSandboxUrl(path: string, { baseUrl, openerUrl }: Sandbox): string {
  if (path.startsWith('/api/')) return baseUrl + path.slice('/api'.length)
  if (path.startsWith('/opener/')) return openerUrl + path.slice('/opener'.length)
  return new URL(baseUrl).origin + path
}

async function writeResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (!response.body) return void outgoing.end()
  outgoing.flushHeaders()
  await pipeline(Readable.fromWeb(response.body as NodeReadableStream), outgoing)
}
