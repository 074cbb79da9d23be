import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'

/** Creates a sandbox with its own clock, which does not start at a full second. */
function createLimited(interval = 60_000, now?: () => number) {
  const start = Date.UTC(2025, 5, 1) + 250
  const sandbox = createSandbox({ now: now ?? (() => start), rateLimit: { requests: 2, interval } })
  const headers = { Authorization: `Bearer ${sandbox.apiKey}` }
  const ask = async () => {
    const response = await sandbox.fetch(`${sandbox.baseUrl}/account`, { headers })
    const [remaining, reset, retryAfter] = ['X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].map((name) =>
      response.headers.get(name),
    )
    return { status: response.status, remaining, reset: Number(reset), retryAfter, body: await response.json() }
  }
  return { sandbox, ask, start }
}

test('a window starts with its first request, and its last allowed request succeeds', async () => {
  const { sandbox, ask, start } = createLimited()
  const reset = Math.ceil((start + 60_000) / 1000)
  expect(await ask()).toMatchObject({ status: 200, remaining: '1', reset })
  sandbox.advance(59_000)
  expect(await ask()).toMatchObject({ status: 200, remaining: '0', reset })
  expect(await ask()).toMatchObject({ status: 429, remaining: '0', reset, retryAfter: '1' })
  sandbox.advance(999)
  expect(await ask()).toMatchObject({ status: 429, retryAfter: '1' })
  sandbox.advance(1)
  expect(await ask()).toMatchObject({ status: 200, remaining: '1', reset: Math.ceil((start + 120_000) / 1000) })
})

test('a request over the limit does nothing, and gets a 429 with Retry-After', async () => {
  const { sandbox, ask } = createLimited()
  await ask()
  await ask()
  expect(await ask()).toMatchObject({
    status: 429,
    retryAfter: '60',
    body: { error: 1, message: 'Too many requests. Please wait.' },
  })
  expect(sandbox.requests.map(({ done }) => done)).toEqual([true, true, false])
})

test('the default window is a minute, and the default limit is 30 requests', async () => {
  const requests = createSandbox({ now: () => 0, rateLimit: { requests: 2 } })
  const interval = createSandbox({ now: () => 0, rateLimit: { interval: 1000 } })
  const resets = []
  for (const { fetch, baseUrl } of [requests, interval]) {
    resets.push((await fetch(`${baseUrl}/account`)).headers.get('X-RateLimit-Reset'))
  }
  expect(resets).toEqual(['60', '1'])
  expect([requests.rateLimit?.remaining, interval.rateLimit?.remaining]).toEqual([1, 29])
})

test.each([
  ['a day', 86_400_000],
  ['a millisecond', 1],
])('a new window starts if the clock is set back to %s before the start of the window', async (_, ms) => {
  let time = Date.UTC(2025, 5, 1)
  const { sandbox, ask } = createLimited(60_000, () => time)
  for (const status of [200, 200, 429]) expect((await ask()).status).toBe(status)
  time -= ms
  expect(sandbox.rateLimit).toEqual({ limit: 2, remaining: 2, resetAt: undefined })
  const reset = Math.ceil((time + 60_000) / 1000)
  expect(await ask()).toMatchObject({ status: 200, remaining: '1', reset })
  expect(await ask()).toMatchObject({ status: 200, remaining: '0', reset })
  expect(await ask()).toMatchObject({ status: 429, retryAfter: '60' })
})

test('a window shorter than a second ends at its exact millisecond', async () => {
  const { sandbox, ask } = createLimited(200)
  await ask()
  await ask()
  sandbox.advance(199)
  expect((await ask()).status).toBe(429)
  sandbox.advance(1)
  expect((await ask()).status).toBe(200)
})

test('a fault does not count a request over the limit, and stays pending', async () => {
  const { sandbox, ask } = createLimited()
  await ask()
  await ask()
  sandbox.fail({ status: 500 })
  expect((await ask()).status).toBe(429)
  sandbox.advance(60_000)
  expect((await ask()).status).toBe(500)
})

test('there are no rate headers without a rate limit, and never from the app opener', async () => {
  const sandbox = createSandbox({ rateLimit: false })
  for (let index = 0; index < 40; index += 1) {
    const response = await sandbox.fetch(`${sandbox.baseUrl}/account`, {
      headers: { Authorization: `Bearer ${sandbox.apiKey}` },
    })
    expect([response.status, response.headers.get('X-RateLimit-Limit')]).toEqual([200, null])
  }
  const limits = createLimited()
  for (let index = 0; index < 5; index += 1) {
    const response = await limits.sandbox.fetch(`${limits.sandbox.openerUrl}/v3/api`, { method: 'POST', body: '{}' })
    expect([response.status, response.headers.get('X-RateLimit-Limit')]).toEqual([400, null])
  }
})

describe('the client of a sandbox with a rate limit', () => {
  const connect = () => {
    const sandbox = createSandbox({ rateLimit: { requests: 2 }, now: () => 0 })
    return { sandbox, client: new ShortLinkClient(sandbox.clientOptions) }
  }

  test('the client of a sandbox waits for the window, and advance() ends the window and the wait', async () => {
    const { sandbox, client } = connect()
    const calls = [1, 2, 3, 4, 5].map(() => client.account.get())
    await Promise.all(calls.slice(0, 2))
    expect(client.rateLimit).toMatchObject({ limit: 2, remaining: 0, queued: 3 })
    sandbox.advance(59_999)
    expect(client.rateLimit.queued).toBe(3)
    sandbox.advance(1)
    await Promise.all(calls.slice(0, 4))
    sandbox.advance(60_000)
    await Promise.all(calls)
    expect(sandbox.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })

  test('the client of a sandbox can send at once after reset()', async () => {
    const { sandbox, client } = connect()
    await Promise.all([client.account.get(), client.account.get()])
    sandbox.reset()
    await Promise.all([client.account.get(), client.account.get()])
    expect(sandbox.requests.map(({ status }) => status)).toEqual([200, 200])
  })

  test('the client of a sandbox can send at once after reset(), even after a Retry-After of a day', async () => {
    const { sandbox, client } = connect()
    sandbox.fail({ status: 429, headers: { 'Retry-After': '86400' } })
    await expect(client.account.get()).rejects.toThrow('429')
    await expect(client.account.get()).rejects.toThrow('86400 s')
    sandbox.reset()
    await client.account.get()
    expect(sandbox.requests.map(({ status }) => status)).toEqual([200])
  })

  test('the client of a sandbox can send at once after the clock is set back', async () => {
    const { sandbox, client } = connect()
    sandbox.advance(86_400_000)
    await Promise.all([client.account.get(), client.account.get()])
    sandbox.advance(-86_400_000)
    await Promise.all([client.account.get(), client.account.get()])
    expect(sandbox.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })
})

test('sandbox.rateLimit shows the window, and reset() ends it', async () => {
  const { sandbox, ask, start } = createLimited()
  expect(sandbox.rateLimit).toEqual({ limit: 2, remaining: 2, resetAt: undefined })
  await ask()
  expect(sandbox.rateLimit).toEqual({ limit: 2, remaining: 1, resetAt: start + 60_000 })
  sandbox.reset()
  expect(sandbox.rateLimit).toEqual({ limit: 2, remaining: 2, resetAt: undefined })
  expect(createSandbox({ rateLimit: false }).rateLimit).toBeUndefined()
})
