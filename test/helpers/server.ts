import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Socket, Server as TcpServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { portsFrom } from '../everywhere/runner/listen.ts'

/** A received request with its whole body. */
interface Seen {
  readonly method: string
  /** The path and query of the request line. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A response. A body that is a string is sent unchanged, any other as JSON. */
export interface Canned {
  readonly status?: number
  readonly statusText?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Returns the response to a request; `undefined` sends none. `destroy` closes the connection instead. */
export type Answering = (request: Seen, destroy: () => void) => Canned | undefined | Promise<Canned | undefined>

/** A server on loopback. */
export interface Server {
  readonly origin: string
  /** All requests, in the order in which they were complete. */
  readonly seen: Seen[]
}

/** Starts a server on a free loopback port, closes it after the test, and returns its origin. */
export async function listen(listener: RequestListener | TcpServer): Promise<string> {
  const server = typeof listener === 'function' ? createServer(listener) : listener
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const closedPort = portsFrom(17_000)

/** Returns the origin of a loopback port that no server uses, including servers of concurrent tests. */
export const closedOrigin = async (): Promise<string> => `http://127.0.0.1:${await closedPort()}`

/** Starts a server that sends these responses in order, then repeats the last one, or calls a function for each. */
export async function serve(...responses: [Answering] | Canned[]): Promise<Server> {
  const seen: Seen[] = []
  const [first] = responses
  const next: Answering =
    typeof first === 'function' ? first : () => (responses[seen.length - 1] ?? responses.at(-1)) as Canned | undefined
  const origin = await listen(async (incoming, outgoing) => {
    const body = await bytesOf(incoming)
    if (body === undefined) return
    const request: Seen = { method: incoming.method!, url: incoming.url!, headers: incoming.headers, body }
    seen.push(request)
    const response = await next(request, () => incoming.socket.destroy())
    if (!response || outgoing.destroyed) return
    const { status = 200, statusText, headers } = response
    const type = { 'content-type': typeof response.body === 'string' ? 'text/html' : 'application/json' }
    if (statusText === undefined) outgoing.writeHead(status, { ...type, ...headers })
    else outgoing.writeHead(status, statusText, { ...type, ...headers })
    outgoing.end(typeof response.body === 'string' ? response.body : wire(response.body ?? { error: 0 }))
  })
  return { origin, seen }
}

/** Returns JSON as PHP writes it: slashes and non-ASCII characters are escaped. */
function wire(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  try {
    return Buffer.concat(await incoming.toArray())
  } catch {
    // The client disconnected.
    return undefined
  }
}
