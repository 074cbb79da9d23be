import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { account as accountBody } from '../../../helpers/responses.ts'
import { listen } from '../../../helpers/server.ts'

/** Handles the socket of a request. May be called after the client has disconnected. */
type Attack = (socket: Socket) => void

/** Starts a server that handles every request with the same attack. */
async function attacker(attack: Attack) {
  const requests: string[] = []
  const closed: Promise<void>[] = []
  const server = createServer((socket) => {
    const closing = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        const line = /^[A-Z]+ \S+ HTTP/.exec(bytes.toString('latin1'))
        if (!line) return
        requests.push(line[0].split(' ')[0]!)
        // Node replaces a lost connection, so only connections with a request count.
        closed.push(closing)
        attack(socket)
      })
  })
  return { origin: await listen(server), requests, closed }
}

/** Writes until the client disconnects. */
function forever(socket: Socket, chunk: string): void {
  const fill = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', fill)
  fill()
}

/** Writes one byte at a time, endlessly. */
function drip(socket: Socket, text: string): void {
  let index = 0
  const timer = setInterval(() => socket.write(text[index++] ?? ' '), 1)
  socket.on('close', () => clearInterval(timer))
}

const json = JSON.stringify(accountBody)
const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const gzipped = gzipSync(json)

/** Writes the parts, then calls the last function. */
const sends =
  (...parts: (string | Uint8Array)[]): Attack =>
  (socket) => {
    for (const part of parts) socket.write(part)
    socket.end()
  }

const sendsAndResets =
  (text: string): Attack =>
  (socket) => {
    socket.write(text, () => socket.resetAndDestroy())
  }

/** Attacks that only the client's timeout ends. */
const endless: Record<string, Attack> = {
  'never responds': () => {},
  'sends its headers a byte at a time': (socket) => drip(socket, `${ok}X-Slow: ${'a'.repeat(1_000_000)}`),
  'sends its body a byte at a time': (socket) => {
    socket.write(`${ok}Content-Length: 1000000\r\n\r\n`)
    drip(socket, json)
  },
  'stalls in the middle of its body': (socket) => void socket.write(`${ok}Content-Length: 1000\r\n\r\n{"error":`),
  'sends interim responses without end': (socket) => forever(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  'sends half of a compressed body and waits': (socket) => {
    socket.write(`${ok}Content-Encoding: gzip\r\nContent-Length: ${gzipped.length}\r\n\r\n`)
    socket.write(gzipped.subarray(0, 40))
  },
}

/** Attacks that end, and the code of the call's error. */
const finite: Record<string, [attack: Attack, code: 'connection' | 'invalid_response']> = {
  'resets before its headers': [(socket) => socket.resetAndDestroy(), 'connection'],
  'resets within its body': [sendsAndResets(`${ok}Content-Length: 1000\r\n\r\n{"error":`), 'connection'],
  'closes within its body': [sends(`${ok}Content-Length: 1000\r\n\r\n{"error":`), 'connection'],
  'closes a body without a length halfway': [sends(`${ok}\r\n`, json.slice(0, 40)), 'invalid_response'],
  'sends chunks without sizes': [
    sends(`${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\n${json}\r\n0\r\n\r\n`),
    'connection',
  ],
  'names two lengths': [sends(`${ok}Content-Length: 5\r\nContent-Length: 500\r\n\r\n${json}`), 'connection'],
  'names a shorter length than it sends': [sends(`${ok}Content-Length: 10\r\n\r\n${json}`), 'invalid_response'],
  'cuts a compressed body off': [
    sends(`${ok}Content-Encoding: gzip\r\nContent-Length: 40\r\n\r\n`, gzipped.subarray(0, 40)),
    'invalid_response',
  ],
  'calls plain text compressed': [
    sends(`${ok}Content-Encoding: gzip\r\nContent-Length: ${json.length}\r\n\r\n${json}`),
    'connection',
  ],
  'sends headers without end': [
    (socket) => {
      socket.write(ok)
      forever(socket, `X-Header: ${'a'.repeat(1000)}\r\n`)
    },
    'connection',
  ],
  'speaks no HTTP': [sends('220 mail.example ESMTP\r\n'), 'connection'],
  'switches protocols': [
    sends('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    'connection',
  ],
  'sends a body without end': [
    (socket) => {
      socket.write(`${ok}\r\n{"error":0,"data":"`)
      forever(socket, 'a'.repeat(60_000))
    },
    'invalid_response',
  ],
}

describe.each([
  ['GET', (client: ReturnType<typeof connect>) => client.account.get()],
  ['POST', (client: ReturnType<typeof connect>) => client.campaigns.create({ name: 'a' })],
] as const)('a %s to a server that', (method, call) => {
  it.each(Object.entries(endless))('%s ends with a timeout, is sent once, and closes its socket', async (_, attack) => {
    const { origin, requests, closed } = await attacker(attack)
    const client = connect({ origin }, { timeout: 300, retry: 0 })
    expect(await failure(call(client))).toMatchObject({ code: 'timeout', outcome: 'unknown', attempts: 1 })
    await Promise.all(closed)
    // A busy machine may time out before the request is sent.
    expect(requests.length).toBeLessThanOrEqual(1)
  })

  it.each(Object.entries(finite))('%s ends with an error, and a POST is sent once', async (_, [attack, code]) => {
    const { origin, requests } = await attacker(attack)
    const client = connect({ origin }, { timeout: 400_000, retry: 1 })
    const isRepeated = method === 'GET' && code === 'connection'
    const attempts = isRepeated ? 2 : 1
    expect(await failure(call(client))).toMatchObject({ code, outcome: 'unknown', attempts })
    expect(requests).toEqual(Array(attempts).fill(method))
  })
})
