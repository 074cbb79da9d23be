import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Socket, Server as TcpServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { portsFrom } from '../everywhere/runner/listen.ts'

/** A request as it came over the wire, its body read to the end. */
interface Seen {
  readonly method: string
  /** Path and query, as they stood in the request line. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** What is answered: a string as it is, anything else as JSON. */
export interface Canned {
  readonly status?: number
  readonly statusText?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Answers one request. `destroy` ends the connection instead; `undefined` leaves it open without an answer. */
export type Answering = (request: Seen, destroy: () => void) => Canned | undefined | Promise<Canned | undefined>

/** A server on loopback. */
export interface Server {
  readonly origin: string
  /** Every request, in the order in which they came in whole. */
  readonly seen: Seen[]
}

/** Opens a server on a free port of loopback, which closes with its connections after the test. Gives its origin. */
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

/** The origin of a port of loopback where nobody listens, not even a test that runs beside this one. */
export const closedOrigin = async (): Promise<string> => `http://127.0.0.1:${await closedPort()}`

/** A server that gives these answers in turn, the last one ever after, or asks a function each time. */
export async function serve(...answers: [Answering] | Canned[]): Promise<Server> {
  const seen: Seen[] = []
  const [first] = answers
  const next: Answering =
    typeof first === 'function' ? first : () => (answers[seen.length - 1] ?? answers.at(-1)) as Canned | undefined
  const origin = await listen(async (incoming, outgoing) => {
    const body = await bytesOf(incoming)
    if (body === undefined) return
    const request: Seen = { method: incoming.method!, url: incoming.url!, headers: incoming.headers, body }
    seen.push(request)
    const answer = await next(request, () => incoming.socket.destroy())
    if (!answer || outgoing.destroyed) return
    const { status = 200, statusText, headers } = answer
    const type = { 'content-type': typeof answer.body === 'string' ? 'text/html' : 'application/json' }
    if (statusText === undefined) outgoing.writeHead(status, { ...type, ...headers })
    else outgoing.writeHead(status, statusText, { ...type, ...headers })
    outgoing.end(typeof answer.body === 'string' ? answer.body : wire(answer.body ?? { error: 0 }))
  })
  return { origin, seen }
}

/** JSON as PHP writes it: slashes escaped, and what lies beyond ASCII too. */
function wire(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  try {
    return Buffer.concat(await incoming.toArray())
  } catch {
    // The client left midway.
    return undefined
  }
}
