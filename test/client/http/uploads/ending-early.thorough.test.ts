import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { listen } from '../../../helpers/server.ts'
import type { EndingEarlyArgs } from '../children/ending-early.ts'
import { childProgram } from '../children.ts'

const start = childProgram('ending-early')

/** Starts a server that responds to every request with headers, but never with the body. */
async function stallingServer() {
  const closed: Promise<void>[] = []
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', () => {
        closed.push(new Promise<void>((resolve) => socket.on('close', () => resolve())))
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"error":')
      })
  })
  return { origin: await listen(server), closed }
}

describe('an upload that ends after the response headers', { timeout: 400_000 }, () => {
  const attempts = 20

  it.each<[EndingEarlyArgs['sender'], EndingEarlyArgs['end'], isWhole: boolean, said: string]>([
    ['client', 'abort', true, 'aborted'],
    ['client', 'abort', false, 'aborted'],
    ['client', 'timeout', true, 'timeout'],
    ['client', 'timeout', false, 'timeout'],
    ['proxy', 'abort', false, '499'],
    ['proxy', 'timeout', true, '504'],
    ['proxy', 'timeout', false, '408'],
  ])('closes its socket: %s, %s, all content sent: %s', async (sender, end, isWhole, said) => {
    const { origin, closed } = await stallingServer()
    const child = start({ origin, attempts, sender, end, isWhole } satisfies EndingEarlyArgs, ['--expose-gc'])
    const lines: unknown[] = []
    for await (const line of child.lines) lines.push(line)
    // On a busy machine, an attempt may time out before its request reaches the server, which is a 504 of the proxy.
    const isEarly = (line: unknown) => end === 'timeout' && sender === 'proxy' && line === '504'
    expect(lines).toHaveLength(attempts)
    expect(lines.filter((line) => line !== said && !isEarly(line))).toEqual([])
    expect(lines).toContain(said)
    // An open socket would keep the process running for 300 s.
    await Promise.all(closed)
    if (end === 'abort') expect(closed).toHaveLength(attempts)
    else expect(closed.length).toBeLessThanOrEqual(attempts)
    expect(await child.exited).toBe(0)
  })
})
