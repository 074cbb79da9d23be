import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { until } from '../../../test/helpers/outcome.ts'
import { listen } from '../../../test/helpers/server.ts'

function setUp(options: ShortLinkClientOptions = {}) {
  const sandbox = createSandbox({ rateLimit: false })
  const client = new ShortLinkClient({ ...sandbox.clientOptions, ...options })
  return { sandbox, client }
}

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

describe('calls', () => {
  it('leave no listener on a signal after 10,000 calls', { timeout: 400_000 }, async () => {
    const { client } = setUp({ rateLimit: false })
    const { signal } = new AbortController()
    for (let i = 0; i < 10_000; i += 10) {
      await Promise.all(Array.from({ length: 10 }, () => client.account.get({ signal })))
    }
    expect(listeners(signal)).toBe(0)
  })

  it.each([
    ['wait for the rate limit', { requests: 1 }],
    ['wait for a response', false],
  ] as const)(
    'leave no listener on a signal after 1,000 concurrent calls that %s, and no leak warning',
    async (_, rateLimit) => {
      const warned = vi.fn()
      process.on('warning', warned)
      onTestFinished(() => void process.off('warning', warned))
      const onRequest = vi.fn()
      const { sandbox, client } = setUp({ rateLimit, retry: 0, onRequest })
      if (rateLimit) await client.account.get()
      sandbox.fail({ delay: Infinity, times: Infinity })
      const controller = new AbortController()
      const { signal } = controller
      const calls = Promise.allSettled(Array.from({ length: 1000 }, () => client.account.get({ signal })))
      await until(() => (rateLimit ? client.rateLimit.queued : onRequest.mock.calls.length) === 1000)
      expect(listeners(signal)).toBe(1)
      controller.abort('enough')
      for (const end of await calls) expect(end).toMatchObject({ reason: { code: 'aborted', cause: 'enough' } })
      expect(client.rateLimit.queued).toBe(0)
      expect(listeners(signal)).toBe(0)
      // Node emits its warnings in the next turn.
      await nextTurn()
      expect(warned).not.toHaveBeenCalled()
    },
  )

  /** When to abort. */
  type Moment = 'asked' | 'retrying' | 'queued'

  it.each<[string, fault: object, abortWhen?: Moment]>([
    ['a response', { delay: 0 }],
    ['an error', { status: 404 }],
    ['a timeout', { delay: Infinity }],
    ['an abort while the server works', { delay: Infinity }, 'asked'],
    ['an abort while the body arrives', { stall: true }, 'asked'],
    ['an abort before a retry', { status: 503, headers: { 'Retry-After': '60' } }, 'retrying'],
    ['an abort during a wait for the rate limit', { delay: 0 }, 'queued'],
  ])('leave no timer and no listener after %s', async (_, fault, abortWhen) => {
    const before = timers()
    const happened = new EventTarget()
    const emit = (moment: Moment) => () => void happened.dispatchEvent(new Event(moment))
    const { sandbox, client } = setUp({
      retry: abortWhen ? 2 : 0,
      rateLimit: { requests: 1 },
      onRequest: emit('asked'),
      onRetry: emit('retrying'),
      onWait: emit('queued'),
    })
    if (abortWhen === 'queued') await client.account.get()
    sandbox.fail(fault)
    const controller = new AbortController()
    const { signal } = controller
    const reached = abortWhen && once(happened, abortWhen)
    const timeout = abortWhen ? 10_000 : 30
    const call = client.account
      .get({ signal, timeout })
      .safe()
      .catch((reason: unknown) => reason)
    if (reached) {
      await reached
      await nextTurn()
      controller.abort('enough')
      expect(await call).toMatchObject({ ok: false, error: { code: 'aborted', cause: 'enough' } })
    }
    await call
    await nextTurn()
    expect(listeners(signal)).toBe(0)
    expect(timers()).toBeLessThanOrEqual(before)
    expect(client.rateLimit.queued).toBe(0)
  })

  it('leave no listener on a signal after a list whose first page failed', async () => {
    const { sandbox, client } = setUp({ retry: 0 })
    sandbox.fail({ status: 404 })
    const { signal } = new AbortController()
    await expect(client.splash.list({}, { signal }).toArray()).rejects.toThrow('404')
    expect(listeners(signal)).toBe(0)
  })

  it.each(['abort', 'timeout'])('leave no socket after an %s', async (end) => {
    const sockets = new Set<Socket>()
    let requests = 0
    const silent = createServer((socket) => {
      // Node opens another connection when one is closed, so only connections with a request count.
      socket.once('data', () => {
        sockets.add(socket)
        requests++
      })
      socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    })
    const client = new ShortLinkClient({ baseUrl: await listen(silent), apiKey: 'KEY', retry: 0 })
    const controller = new AbortController()
    const calls = Array.from({ length: 5 }, () =>
      client.account.get({ signal: controller.signal, timeout: end === 'timeout' ? 1000 : false }).safe(),
    )
    const ended = Promise.allSettled(calls)
    if (end === 'abort') {
      await until(() => requests === 5)
      controller.abort()
    }
    await ended
    expect(requests).toBeGreaterThan(0)
    await until(() => sockets.size === 0)
  })
})

describe('a process', () => {
  /** Runs a program. Returns its output, and how long it kept running after its last line. */
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

  it('ends when its work is done, even if calls were aborted and the rate-limit window is still open', {
    timeout: 400_000,
  }, async () => {
    const { lines, stayed, code } = await run('aborts-and-ends')
    expect(lines).toEqual(['1 answered', '3 aborted'])
    expect(code).toBe(0)
    // Anything that kept it alive would do so for a minute.
    expect(stayed).toBeLessThan(30_000)
  })

  it('keeps running while calls wait for the rate limit', { timeout: 400_000 }, async () => {
    const { lines, code } = await run('waits-for-budget')
    expect(lines).toEqual(['3 answered'])
    expect(code).toBe(0)
  })
})
