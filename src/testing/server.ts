import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { aFunction, type Checks, string } from '../client/checks/checks.ts'
import { ConfigurationError } from '../client/errors.ts'
import type { Closable } from '../client/runtime/async-disposable.ts'
import { assertOptions, number } from './options.ts'
import { isControlPath, isForPage, pageResponse } from './page/page.ts'
import { withoutSecret } from './platform/request-log.ts'
import type { Sandbox } from './sandbox.ts'

export type { Sandbox }

/** Options for {@link serve}; every one has a default. */
export interface ServeOptions {
  /** Default 0: any free port. */
  port?: number | undefined
  /** Default `127.0.0.1`. */
  host?: string | undefined
  /** Called with one line for each request, after its response or when it was dropped. Default: none. */
  log?: ((line: string) => void) | undefined
}

/** A sandbox on a port. */
export interface SandboxServer extends Closable {
  /** Address of the management API, such as `http://127.0.0.1:4010/api`. */
  readonly baseUrl: string
  /** Address of the app-opener API, such as `http://127.0.0.1:4010/opener`. */
  readonly openerUrl: string
  /** Stops listening and ends every connection at once. */
  close(): Promise<void>
}

const serveChecks: Checks<keyof ServeOptions> = {
  port: number('a whole number from 0 to 65535', (port) => port >= 0 && port < 65_536 && port % 1 === 0),
  host: string,
  log: aFunction,
}

/**
 * Puts a sandbox on a port with Node's http, for programs that cannot be given a `fetch`. Short addresses open below
 * its root, as `http://127.0.0.1:4010/opening` does for `https://sho.rt/opening`, and `/` is a page that shows and
 * controls the sandbox. If the addresses in responses must be those of the server, such as the `link` of a QR code,
 * give the sandbox its address: `createSandbox({ baseUrl: 'http://127.0.0.1:4010/api' })`.
 *
 * @throws {ConfigurationError} if an option does not exist or does not fit; Node's own error, with its `code`, if the
 *   port cannot be used.
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
 * Creates a sandbox for the addresses of a port that listens already, and puts it there.
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
      await writeResponse(await responseTo(incoming, outgoing), outgoing)
    } catch {
      // A fault dropped the connection, or the client closed it. In both cases it is reset.
      incoming.socket.resetAndDestroy()
    }
    const status = outgoing.headersSent ? outgoing.statusCode : 'dropped'
    if (!isForPage(method, url)) {
      log?.(`${method} ${shownAddress(url)} ${status} ${Math.round(performance.now() - start)} ms`)
    }
  }

  async function responseTo(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response> {
    const { method = 'GET', url = '/' } = incoming
    if (isForPage(method, url)) {
      const refuse = (error: string) => Response.json({ error }, { status: 403 })
      if (!isOwnHost(incoming.headers.host, host)) return refuse(unknownHost)
      if (isControlPath(url) && !isOwnOrigin(incoming.headers)) return refuse(foreignPage)
      const body = method === 'GET' ? undefined : await json(incoming).catch(() => undefined)
      return pageResponse(sandbox, method, url, body)
    }
    const left = new AbortController()
    outgoing.on('close', () => left.abort())
    return sandbox.fetch(sandboxAddress(url, sandbox), requestInit(incoming, left.signal))
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        error.message = `port ${port} is in use: choose another one, or 0 for any that is free`
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
  const addresses = { baseUrl: `${origin}/api`, openerUrl: `${origin}/opener` }
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

const unknownHost = 'Unknown host: open the page at localhost or at the address of the sandbox.'

const foreignPage = 'Only the page of the sandbox may do this, not one of another origin.'

/**
 * Returns `true` for a request of the server's own page, and of a program that is no browser. Browsers say so in
 * `Sec-Fetch-Site`; without it (a page served over plain http), `Origin` tells.
 */
function isOwnOrigin({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return origin === undefined || origin === `http://${host}`
}

/**
 * Returns `true` if a `Host` header names this machine, or the `host` that was chosen. The page shows the key, and the
 * DNS of a stranger may point any name of theirs here (DNS rebinding), but not an IP address.
 */
function isOwnHost(header: string | undefined, host: string): boolean {
  const address = `http://${header}`
  if (!URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return /(^|\.)localhost$/.test(hostname) || hostname === host || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}

function requestInit(incoming: IncomingMessage, signal: AbortSignal): RequestInit {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const method = incoming.method ?? 'GET'
  const init: RequestInit & { duplex: 'half' } = { method, headers, signal, duplex: 'half' }
  if (method !== 'GET' && method !== 'HEAD') init.body = Readable.toWeb(incoming) as ReadableStream
  return init
}

function shownAddress(url: string): string {
  const [path, query] = url.split('?', 2)
  if (query === undefined) return url
  const shown = [...new URLSearchParams(query)].map(([name, value]) => [name, String(withoutSecret(name, value))])
  return `${path}?${new URLSearchParams(shown)}`
}

/** Translates a path of the server into an address of the sandbox. */
function sandboxAddress(path: string, { baseUrl, openerUrl }: Sandbox): string {
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
