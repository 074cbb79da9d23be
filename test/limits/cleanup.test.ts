import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pass } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { ShortLinkClient, type ShortLinkClientOptions } from '../../src/index.ts'
import { createSandbox } from '../../src/testing/index.ts'

function setUp(options: ShortLinkClientOptions = {}) {
  const sandbox = createSandbox({ rateLimit: false })
  const client = new ShortLinkClient({ ...sandbox.clientOptions, ...options })
  return { sandbox, client }
}

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) }
}

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

describe('what a call leaves behind', () => {
  it('nothing on a signal that is used for 10,000 calls', { timeout: 60_000 }, async () => {
    const { client } = setUp({ rateLimit: false })
    const { signal } = new AbortController()
    for (let i = 0; i < 10_000; i += 10) {
      await Promise.all(Array.from({ length: 10 }, () => client.account.get({ signal })))
    }
    expect(listeners(signal)).toBe(0)
  })

  it.each([
    ['that wait for budget', { requests: 1 }],
    ['that are on their way', false],
  ] as const)('nothing on a signal that 1,000 calls use at once %s, and no warning of a leak', async (_, rateLimit) => {
    const warned = vi.fn()
    process.on('warning', warned)
    const { sandbox, client } = setUp({ rateLimit, retry: 0 })
    if (rateLimit) await client.account.get()
    sandbox.fail({ delay: Infinity, times: Infinity })
    const { signal, ...controller } = abortable()
    const waiting = Array.from({ length: 1000 }, () => client.account.get({ signal }))
    await pass(0)
    if (rateLimit) expect(client.rateLimit.queued).toBe(1000)
    expect(listeners(signal)).toBe(1)
    controller.abort('enough')
    for (const end of await Promise.allSettled(waiting)) expect(end).toEqual({ status: 'rejected', reason: 'enough' })
    expect(client.rateLimit.queued).toBe(0)
    expect(listeners(signal)).toBe(0)
    await pass(0)
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })

  it.each([
    ['an answer', {}, {}],
    ['an error', { status: 404 }, {}],
    ['a timeout', { delay: Infinity }, { timeout: 30 }],
    ['an abort while the server works', { delay: Infinity }, { abortAfter: 30 }],
    ['an abort while the answer comes', { stall: true }, { abortAfter: 30 }],
    ['an abort before a retry', { status: 503, headers: { 'Retry-After': '60' } }, { abortAfter: 30 }],
    ['an abort while waiting for budget', {}, { abortAfter: 30, full: true }],
  ] as const)(
    'no timer and no listener after %s',
    async (_, fault, how: { timeout?: number; abortAfter?: number; full?: boolean }) => {
      const before = timers()
      const { sandbox, client } = setUp({ retry: how.abortAfter ? 2 : 0, rateLimit: { requests: 1 } })
      if (how.full) await client.account.get()
      sandbox.fail(fault)
      const controller = new AbortController()
      const { signal } = controller
      const call = client.account.get({ signal, timeout: how.timeout ?? 10_000 }).safe()
      if (how.abortAfter) {
        await pass(how.abortAfter)
        controller.abort('enough')
      }
      await call.catch((reason) => expect(reason).toBe('enough'))
      await pass(0)
      expect(listeners(signal)).toBe(0)
      expect(timers()).toBeLessThanOrEqual(before)
      expect(client.rateLimit.queued).toBe(0)
    },
  )

  it.each(['abort', 'timeout'])('no socket after an %s', async (end) => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => {
      // Node opens another connection in the place of one that was cut off: those that carried a request count.
      socket.once('data', () => sockets.add(socket))
      socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    })
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const client = new ShortLinkClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'KEY', retry: 0 })
    const controller = new AbortController()
    const calls = Array.from({ length: 5 }, () =>
      client.account.get({ signal: controller.signal, timeout: end === 'timeout' ? 200 : false }).safe(),
    )
    const ended = Promise.allSettled(calls)
    await vi.waitFor(() => expect(sockets.size).toBe(5))
    if (end === 'abort') controller.abort()
    await ended
    await vi.waitFor(() => expect(sockets.size).toBe(0))
    silent.close()
  })
})

describe('a process', () => {
  /** Runs a program, and tells what it said and how long it stayed after its last word. */
  async function run(name: string): Promise<{ lines: string[]; stayed: number; code: unknown }> {
    const program = fileURLToPath(new URL(`children/${name}.ts`, import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    const lines: string[] = []
    let last = 0
    for await (const line of createInterface(child.stdout)) {
      lines.push(line)
      last = performance.now()
    }
    const [code] = await exited
    return { lines, stayed: performance.now() - last, code }
  }

  it('ends at once when nothing is left to do, though calls were aborted and the window is still open', async () => {
    const { lines, stayed, code } = await run('aborts-and-ends')
    expect(lines).toEqual(['1 answered', '3 aborted'])
    expect(code).toBe(0)
    expect(stayed).toBeLessThan(5000)
  })

  it('stays as long as calls wait for budget', async () => {
    const { lines, code } = await run('waits-for-budget')
    expect(lines).toEqual(['3 answered'])
    expect(code).toBe(0)
  })
})
