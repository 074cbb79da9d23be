import { describe, expect, it } from 'vitest'
import { createRateLimiter, ShortLinkClient, type ShortLinkClientOptions } from '../../src/index.ts'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/testing/index.ts'
import { serve } from '../../src/testing/server.ts'

const rateLimit = { requests: 30, interval: 1000 }
const HOUR = 3_600_000

async function withServer(
  how: SandboxOptions,
  test: (sandbox: Sandbox, connect: (options?: ShortLinkClientOptions) => ShortLinkClient) => Promise<void>,
): Promise<void> {
  const sandbox = createSandbox({ rateLimit, ...how })
  const { baseUrl, close } = await serve(sandbox)
  const connect = (options: ShortLinkClientOptions = {}) =>
    new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, rateLimit, ...options })
  await test(sandbox, connect).finally(close)
}

const hideRate: typeof fetch = async (...call) => {
  const response = await fetch(...call)
  const shown = [...response.headers].filter(([name]) => !name.startsWith('x-ratelimit'))
  return new Response(response.body, { status: response.status, headers: shown })
}

const refused = ({ requests }: Sandbox) => requests.filter(({ status, done }) => status === 429 || !done).length

describe('120 calls at once over HTTP, 30 a window', () => {
  it.concurrent.each([
    ['plain', {}, {}],
    ['headers hidden', {}, { fetch: hideRate }],
    ['a server that refuses inside a 200', { dialect: 'deployed' }, {}],
    ['the clock of the server an hour ahead', { now: () => Date.now() + HOUR }, {}],
    ['the clock of the server an hour behind', { now: () => Date.now() - HOUR }, {}],
  ] satisfies [string, SandboxOptions, ShortLinkClientOptions][])(
    'nothing fails, nothing is sent in vain: %s',
    { timeout: 60_000 },
    async (_, server, options) => {
      await withServer(server, async (sandbox, connect) => {
        const client = connect(options)
        const answers = await Promise.all(Array.from({ length: 120 }, () => client.account.get().safe()))
        expect(answers.filter(({ ok }) => !ok)).toEqual([])
        expect(sandbox.requests).toHaveLength(120)
        expect(refused(sandbox)).toBe(0)
        // Four windows: the last of them begins three intervals after the first. The bench measures how much later it is.
        const took = sandbox.requests.at(-1)!.at - sandbox.requests[0]!.at
        expect(took).toBeGreaterThanOrEqual(3 * rateLimit.interval)
        expect(took).toBeLessThan(6 * rateLimit.interval)
      })
    },
  )

  it('a second client on the same key: nothing fails, and after the first window hardly anything is refused', {
    timeout: 60_000,
  }, async () => {
    await withServer({}, async (sandbox, connect) => {
      const clients = [connect(), connect()]
      const calls = clients.flatMap((client) => Array.from({ length: 120 }, () => client.account.get().safe()))
      const answers = await Promise.all(calls)
      expect(answers.filter(({ ok }) => !ok)).toEqual([])
      expect(refused(sandbox)).toBeLessThan(30 + 30)
    })
  })
})

describe('one budget', () => {
  it('is shared by clients that are given the same limiter, and by withOptions', async () => {
    await withServer({}, async (_, connect) => {
      const limiter = createRateLimiter({ requests: 30, interval: 60_000 })
      const one = connect({ rateLimit: limiter })
      const other = connect({ rateLimit: limiter })
      await Promise.all([one.account.get(), other.account.get(), one.withOptions({ timeout: 1000 }).account.get()])
      expect(one.rateLimit).toMatchObject({ limit: 30, remaining: 27, queued: 0 })
      expect(other.rateLimit).toMatchObject({ remaining: 27 })
    })
  })

  it('does not count waiting against the timeout', async () => {
    await withServer({ rateLimit: { requests: 1, interval: 600 } }, async (sandbox, connect) => {
      const client = connect({ rateLimit: { requests: 1, interval: 600 }, timeout: 300, retry: 0 })
      await Promise.all([client.account.get(), client.account.get()])
      expect(refused(sandbox)).toBe(0)
    })
  })

  it('of the opener is its own', async () => {
    const sandbox = createSandbox({ rateLimit })
    const client = new ShortLinkClient({ ...sandbox.clientOptions, rateLimit: { requests: 1 } })
    const url = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
    await Promise.all(Array.from({ length: 5 }, () => client.opener.create({ url })))
    expect(client.rateLimit).toMatchObject({ limit: 1, remaining: 1, queued: 0 })
  })
})
