import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
})

/** Creates a mock server, and a normal and a low-priority client that share a rate limit. */
function setUp(options: ShortLinkClientOptions = {}) {
  const sandbox = createSandbox({ data: { links: [{ id: 1 }] } })
  const client = new ShortLinkClient({ ...sandbox.clientOptions, logLevel: 'off', ...options })
  return { sandbox, client, low: client.withOptions({ priority: 'low' }) }
}

const url = 'https://shop.example'

describe('a call of low priority', () => {
  it.each(['client', 'call'] as const)('waits behind all normal calls, if the %s has this priority', async (where) => {
    vi.useFakeTimers()
    const { sandbox, client, low } = setUp({ rateLimit: { requests: 1 } })
    await client.account.get()
    const calls = [
      where === 'client' ? low.links.get(1) : client.links.get(1, { priority: 'low' }),
      client.domains.list().toArray(),
      client.pixels.list().toArray(),
    ]
    await vi.advanceTimersByTimeAsync(200_000)
    await Promise.all(calls)
    expect(sandbox.requests.map(({ path }) => path)).toEqual(['/account', '/domains', '/pixels', '/url/1'])
  })

  it('waits after nine refusals in a row, at least a second each time', async () => {
    vi.useFakeTimers()
    const { sandbox, low } = setUp()
    sandbox.fail({ status: 429, headers: { 'Retry-After': '0' }, times: 9 })
    const call = low.links.get(1).withResponse()
    await vi.advanceTimersByTimeAsync(8500)
    expect(sandbox.requests.length).toBeLessThanOrEqual(9)
    await vi.advanceTimersByTimeAsync(5000)
    expect((await call).attempts).toBe(10)
  })

  it('fails at the tenth refusal in a row', async () => {
    vi.useFakeTimers()
    const { sandbox, low } = setUp({ retry: 0 })
    sandbox.fail({ status: 429, headers: { 'Retry-After': '0' }, times: Number.POSITIVE_INFINITY })
    const call = low.links.get(1).safe()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await call).toMatchObject({ error: { code: 'rate_limit', attempts: 10, outcome: 'rejected' } })
  })

  it('counts the refusals of concurrent calls once, and restarts the count after a success', async () => {
    vi.useFakeTimers()
    const { sandbox, low } = setUp({ retry: 0, rateLimit: false })
    sandbox.fail({ status: 429, headers: { 'Retry-After': '1' }, times: 20 })
    const calls = Array.from({ length: 5 }, () => low.links.get(1).safe())
    await vi.advanceTimersByTimeAsync(30_000)
    for (const result of await Promise.all(calls)) expect(result.ok).toBe(true)
    sandbox.fail({ status: 429, headers: { 'Retry-After': '1' }, times: 9 })
    const again = low.links.get(1).safe()
    await vi.advanceTimersByTimeAsync(30_000)
    expect((await again).ok).toBe(true)
  })

  it('waits 60 s after a 429 that states no wait, and fails if the server states more than 90 s', async () => {
    vi.useFakeTimers()
    const { sandbox, low } = setUp({ rateLimit: false })
    const unnamed = { status: 429, headers: { 'X-RateLimit-Reset': '', 'Retry-After': '' } }
    sandbox.fail(unnamed)
    const call = low.links.get(1).safe()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(sandbox.requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2000)
    expect((await call).ok).toBe(true)
    sandbox.fail({ status: 429, headers: { 'Retry-After': '91' } })
    expect(await low.links.get(1).safe()).toMatchObject({ error: { code: 'rate_limit', retryAfter: 91 } })
  })

  it.each([
    ['a normal write', 'normal', 'POST'],
    ['a read', 'low', 'GET'],
  ] as const)('an abort immediately ends %s that was sent', async (_what, priority, method) => {
    const { sandbox, client } = setUp()
    sandbox.fail({ delay: 10_000 })
    const controller = new AbortController()
    const options = { priority, signal: controller.signal }
    const call = method === 'GET' ? client.links.get(1, options) : client.links.create({ url }, options)
    const result = call.safe()
    await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1))
    controller.abort()
    expect(await result).toMatchObject({ error: { code: 'aborted', outcome: 'unknown' } })
  })

  it('a write that was sent settles with its result after an abort', async () => {
    const { sandbox, low } = setUp()
    sandbox.fail({ delay: 20 })
    const controller = new AbortController()
    const call = low.links.create({ url }, { signal: controller.signal })
    await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1))
    controller.abort()
    expect(await call).toMatchObject({ shorturl: expect.any(String) })
  })

  it('a write that hangs ends after an abort, 30 s later if it has no timeout', async () => {
    vi.useFakeTimers()
    const fetch = () => new Promise<never>(() => {})
    const { low } = setUp({ fetch, timeout: false })
    const controller = new AbortController()
    let settled = false
    const call = low.links
      .create({ url }, { signal: controller.signal })
      .safe()
      .finally(() => {
        settled = true
      })
    await vi.advanceTimersByTimeAsync(100_000)
    controller.abort()
    await vi.advanceTimersByTimeAsync(29_000)
    expect(settled).toBe(false)
    await vi.advanceTimersByTimeAsync(1500)
    expect(await call).toMatchObject({ error: { code: 'aborted', outcome: 'unknown' } })
  })

  it('an abort before a write is sent ends it at once', async () => {
    const { sandbox, client, low } = setUp({ rateLimit: { requests: 1 } })
    await client.account.get()
    const controller = new AbortController()
    const call = low.links.create({ url }, { signal: controller.signal }).safe()
    controller.abort()
    expect(await call).toMatchObject({ error: { code: 'aborted', outcome: 'not-sent', attempts: 0 } })
    expect(sandbox.requests).toHaveLength(1)
  })
})

it('an unknown priority is refused', async () => {
  expect(() => setUp({ priority: 'high' as 'low' })).toThrow('priority: expected one of normal, low, received "high"')
})
