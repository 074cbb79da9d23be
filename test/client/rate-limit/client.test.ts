import { once } from 'node:events'
import {
  type AcquireOptions,
  type RateLimitError,
  type RateLimiter,
  type RateLimitResponse,
  ShortLinkClient,
  type ShortLinkClientOptions,
  type SlotRefusal,
} from 'shortlink-sdk'
import { createSandbox, type Sandbox, type SandboxOptions } from 'shortlink-sdk/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

const MINUTE = 60_000
const rateLimit = { requests: 30, interval: MINUTE }

function setUp(options: ShortLinkClientOptions = {}, sandboxOptions: SandboxOptions = {}) {
  const sandbox = createSandbox({ rateLimit, ...sandboxOptions })
  const connect = (more: ShortLinkClientOptions = {}) =>
    new ShortLinkClient({ ...sandbox.clientOptions, rateLimit: undefined, ...options, ...more })
  return { sandbox, client: connect(), connect }
}

const refused = ({ requests }: Sandbox) => requests.filter(({ status, done }) => status === 429 || !done).length
const call = (client: ShortLinkClient, options = {}) => client.account.get(options).safe()

/** Advances the fake timers, a second at a time, until a promise has settled. */
async function passUntil<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false
  const settled = () => {
    isSettled = true
  }
  promise.then(settled, settled)
  while (!isSettled) await vi.advanceTimersByTimeAsync(1000)
  return promise
}

/** Expects a call to send the second request of a sandbox after exactly `ms` milliseconds. */
async function expectSecondRequestAfter(ms: number, sandbox: Sandbox, call: PromiseLike<unknown>): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms - 1)
  expect(sandbox.requests).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  await call
  expect(sandbox.requests).toHaveLength(2)
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('120 calls at once, 30 a minute', () => {
  it.each<[string, SandboxOptions]>([
    ['a server as in the reference', {}],
    ['a server that refuses inside a 200', { dialect: 'deployed' }],
  ])('all succeed, and none is refused: %s', async (_, how) => {
    const { sandbox, client } = setUp({}, how)
    const results = await passUntil(Promise.all(Array.from({ length: 120 }, () => call(client))))
    expect(results.filter(({ ok }) => !ok)).toEqual([])
    expect(sandbox.requests).toHaveLength(120)
    expect(refused(sandbox)).toBe(0)
    const took = sandbox.requests.at(-1)!.at - sandbox.requests[0]!.at
    expect(took).toBeGreaterThanOrEqual(3 * MINUTE)
    expect(took).toBeLessThan(3 * (MINUTE + 1000))
  })

  it.each([2, 3])('all succeed with the default retries if %i programs use the key', async (programs) => {
    const { sandbox, connect } = setUp()
    // Clients with different `fetch`es have separate limiters, like different programs.
    const clients = Array.from({ length: programs }, () => connect({ fetch: (...call) => sandbox.fetch(...call) }))
    const calls = clients.flatMap((client) => Array.from({ length: 120 }, () => call(client)))
    const results = await passUntil(Promise.all(calls))
    expect(results.filter(({ ok }) => !ok)).toEqual([])
  })
})

describe('the rate limit of a client', () => {
  it('is shared by clients with the same base URL, key and fetch, with any other options', async () => {
    const { connect } = setUp()
    const [one, other] = [connect(), connect({ retry: 0, logLevel: 'off' })]
    await Promise.all([one.account.get(), other.account.get(), one.withOptions({ timeout: 1000 }).account.get()])
    expect(one.rateLimit).toMatchObject({ limit: 30, remaining: 27, queued: 0 })
    expect(other.rateLimit).toMatchObject({ remaining: 27 })
  })

  it('is separate for another key, so that its calls do not wait after a refusal of the first key', async () => {
    const { sandbox, client } = setUp({ retry: 0 })
    sandbox.fail({ status: 429, headers: { 'Retry-After': '50' } })
    await call(client)
    expect(client.rateLimit.remaining).toBe(0)
    for (const other of [
      { apiKey: () => sandbox.apiKey },
      { apiKey: null, headers: { Authorization: 'Bearer mine' } },
    ]) {
      expect(client.withOptions(other).rateLimit.remaining).toBe(30)
    }
    const error = await client.withOptions({ apiKey: 'another-key' }).account.get().safe()
    expect(error).toMatchObject({ ok: false, error: { code: 'authentication' } })
    expect(sandbox.requests).toHaveLength(2)
  })

  it('belongs to the last Authorization of the client and withOptions, which is sent', async () => {
    const { client } = setUp({ apiKey: null, headers: { Authorization: 'Bearer one' } })
    const other = client.withOptions({ headers: { Authorization: 'Bearer other' } })
    await call(other)
    expect(other.rateLimit.remaining).toBe(29)
    expect(client.rateLimit.remaining).toBe(30)
  })

  it('belongs to the key in the environment at the time of the call', async () => {
    const { client } = setUp({ apiKey: undefined })
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('SHORTLINK_API_KEY', 'one-of-two-keys')
    client.withOptions({ rateLimit: { requests: 4 } })
    expect(client.withOptions({ rateLimit: { requests: 4 } }).rateLimit.limit).toBe(4)
    expect(client.withOptions({}).rateLimit.limit).toBe(4)
    vi.stubEnv('SHORTLINK_API_KEY', 'two-of-two-keys')
    expect(client.withOptions({}).rateLimit.limit).toBe(30)
  })

  it('does not count waiting against the timeout', async () => {
    const one = { requests: 1, interval: MINUTE }
    const { sandbox, client } = setUp({ rateLimit: one, timeout: 300, retry: 0 }, { rateLimit: one })
    await passUntil(Promise.all([client.account.get(), client.account.get()]))
    expect(refused(sandbox)).toBe(0)
  })

  it('is separate from the opener’s', async () => {
    const { client } = setUp({ rateLimit: { requests: 1 } })
    const url = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
    await Promise.all(Array.from({ length: 5 }, () => client.opener.create({ url })))
    expect(client.rateLimit).toMatchObject({ limit: 1, remaining: 1, queued: 0 })
  })

  it('does not exist for the opener until its server states one, for all clients with this address', async () => {
    const onWait = vi.fn()
    const spent = { 'X-RateLimit-Limit': '5', 'X-RateLimit-Remaining': '0' }
    let headers = {}
    const fetch = async () => Response.json({ error: 0, shorturl: 'https://sho.rt/a' }, { headers })
    const { client } = setUp({ openerUrl: 'https://opener.example', fetch, onWait, validation: 'report' })
    const open = (c: ShortLinkClient) => c.opener.create({ url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' })
    await Promise.all(Array.from({ length: 40 }, () => open(client)))
    headers = spent
    await open(client)
    expect(onWait).not.toHaveBeenCalled()

    const waiting = open(client.withOptions({ timeout: 1000 }))
    await vi.advanceTimersByTimeAsync(0)
    expect(onWait).toHaveBeenCalledTimes(1)
    await passUntil(waiting)
  })
})

describe('a refusal by the server', () => {
  it('with a wait above 90 seconds fails the refused call and later calls at once', async () => {
    const { sandbox, client } = setUp()
    sandbox.fail({ status: 429, headers: { 'Retry-After': '86400' } })
    const codes = { code: 'rate_limit', retryAfter: 86_400 }
    await expect(client.account.get()).rejects.toMatchObject({ ...codes, outcome: 'rejected', attempts: 1 })
    const later = client.account.get()
    await expect(later).rejects.toMatchObject({ ...codes, outcome: 'not-sent', attempts: 0 })
    expect(sandbox.requests).toHaveLength(1)
  })

  it.each<[string, object]>([
    ['as the status', { status: 429, headers: { 'Retry-After': '40' } }],
    ['inside a 200', { body: { error: 429, message: 'Slow down', 'Retry-After': 40 } }],
  ])('%s delays the other calls for as long as the server said', async (_, fault) => {
    const { sandbox, client } = setUp({ retry: 0 })
    sandbox.fail(fault)
    await expect(client.account.get()).rejects.toMatchObject({ code: 'rate_limit' })
    expect(client.rateLimit.remaining).toBe(0)
    await expectSecondRequestAfter(40_000, sandbox, client.account.get())
  })
})

describe('a 429 that names no wait although requests remain', () => {
  const headers = { 'X-RateLimit-Limit': '1000', 'X-RateLimit-Remaining': '998', 'X-RateLimit-Reset': '1800000060' }

  it.each<[string, ShortLinkClientOptions]>([
    ['with a limiter', {}],
    ['without a limiter', { rateLimit: false }],
  ])('delays its call by a second, and not until the reset: %s', async (_, limit) => {
    const { sandbox, client } = setUp(limit)
    sandbox.fail({ status: 429, headers: { ...headers, 'Retry-After': null } })
    await expectSecondRequestAfter(1000, sandbox, client.account.get())
  })

  it('stops the other calls for a second', async () => {
    const { sandbox, client } = setUp({ retry: 0 })
    sandbox.fail({ status: 429, headers: { ...headers, 'Retry-After': null } })
    await call(client)
    await expectSecondRequestAfter(1000, sandbox, client.account.get())
  })

  it('delays a low-priority call twice as long each time, up to a minute', async () => {
    const { sandbox, client } = setUp({ priority: 'low', rateLimit: false })
    sandbox.fail({ status: 429, headers: { ...headers, 'Retry-After': null }, times: 9 })
    await passUntil(client.account.get())
    const times = sandbox.requests.map(({ at }) => at)
    expect(times.slice(1).map((at, index) => Math.round((at - times[index]!) / 1000))).toEqual([
      1, 2, 4, 8, 16, 32, 60, 60, 60,
    ])
  })
})

describe('a user’s own limiter', () => {
  /** Creates a limiter that only records its calls. */
  function recorder(): RateLimiter & { calls: unknown[][]; options: AcquireOptions[] } {
    const calls: unknown[][] = []
    const options: AcquireOptions[] = []
    return {
      calls,
      options,
      state: { limit: 7, remaining: 3, resetAt: undefined, queued: 0 },
      acquire(given = {}) {
        calls.push(['acquire'])
        options.push(given)
        return undefined
      },
      observe(response?: RateLimitResponse) {
        calls.push(response ? ['observe', response.refused, response.retryAfter] : ['observe'])
      },
      release() {
        calls.push(['release'])
      },
    }
  }

  it('is called before each attempt, and once after it', async () => {
    const limiter = recorder()
    const { sandbox, client } = setUp({ rateLimit: limiter })
    sandbox.fail({ status: 429, headers: { 'Retry-After': '2' } })
    sandbox.fail({ body: { error: 429, message: 'Slow down', 'Retry-After': 3 } })
    await passUntil(client.account.get())
    expect(limiter.calls).toEqual([
      ['acquire'],
      ['observe', true, 2],
      ['acquire'],
      ['observe', true, 3],
      ['acquire'],
      ['observe', false, undefined],
    ])
    expect(client.rateLimit).toBe(limiter.state)
  })

  it.each<[string, object, unknown[]]>([
    ['a refusal for another reason', { status: 403 }, ['observe', false, undefined]],
    ['a page that is not JSON', { status: 200, body: '<html>' }, ['observe', false, undefined]],
    ['a lost connection', { drop: 'before' }, ['observe']],
    ['a timeout', { delay: Infinity }, ['observe']],
  ])('is notified of %s', async (_, fault, told) => {
    const limiter = recorder()
    const { sandbox, client } = setUp({ rateLimit: limiter, retry: 0, timeout: 1000 })
    sandbox.fail(fault)
    await passUntil(call(client))
    expect(limiter.calls).toEqual([['acquire'], told])
  })

  it('gets the slot back of a request that was never sent', async () => {
    const limiter = recorder()
    const refuse = () => Promise.reject(new TypeError('fetch failed', { cause: { message: '', code: 'ECONNREFUSED' } }))
    const { client } = setUp({ rateLimit: limiter, retry: 0, fetch: refuse })
    expect(await call(client)).toMatchObject({ ok: false, error: { outcome: 'not-sent' } })
    expect(limiter.calls).toEqual([['acquire'], ['release']])
  })

  it('gets the slot back of a call whose key function never settles', async () => {
    const limiter = recorder()
    const { client } = setUp({ rateLimit: limiter, retry: 0, timeout: 1000, apiKey: () => new Promise(() => {}) })
    expect(await passUntil(call(client))).toMatchObject({ ok: false, error: { outcome: 'not-sent' } })
    expect(limiter.calls).toEqual([['acquire'], ['release']])
  })

  it.each([
    [0, 1],
    [1001, 2],
  ])('that has no slot for %i ms fails the call with a RateLimitError', async (ms, retryAfter) => {
    const acquire = () => Promise.reject({ reason: 'deadline', ms })
    const { client, sandbox } = setUp({ rateLimit: { ...recorder(), acquire } })
    const before = Date.now()
    const { error } = await call(client)
    expect(error).toMatchObject({ code: 'rate_limit', outcome: 'not-sent', attempts: 0, retryAfter })
    expect((error as RateLimitError).resetAt!.getTime()).toBeGreaterThanOrEqual(before + ms)
    expect(sandbox.requests).toEqual([])
  })

  it('may lack `release`, and is then notified of the end of every request', async () => {
    const { release: _, ...limiter } = recorder()
    const { client } = setUp({ rateLimit: limiter, retry: 0, timeout: 1000, apiKey: () => new Promise(() => {}) })
    await passUntil(call(client))
    expect(limiter.calls).toEqual([['acquire'], ['observe']])
  })

  it.each(['observe', 'release', 'state'] as const)('that throws in `%s` does not change a call', async (member) => {
    const limiter = { ...recorder(), acquire: () => undefined }
    const get = () => {
      throw new Error('the limiter is broken')
    }
    Object.defineProperty(limiter, member, member === 'state' ? { get } : { value: get })
    const { client, sandbox } = setUp({ rateLimit: limiter, retry: 0 })
    expect(await client.campaigns.create({ name: 'Opening day' })).toMatchObject({ id: 1 })
    sandbox.fail({ status: 429, headers: { 'Retry-After': '7' } })
    expect(await call(client)).toMatchObject({ ok: false, error: { code: 'rate_limit', retryAfter: 7 } })
    expect(await call(client.withOptions({ beforeRequest: get }))).toMatchObject({
      ok: false,
      error: { code: 'configuration', outcome: 'not-sent' },
    })
    expect(await call(client, { deadline: 1 })).toMatchObject({ ok: true })
    expect(client.rateLimit.queued).toBe(0)
  })

  it('may reject with the exported type SlotRefusal', async () => {
    const refusal: SlotRefusal = { reason: 'imposed', ms: 100_000 }
    const { client } = setUp({ rateLimit: { ...recorder(), acquire: () => Promise.reject(refusal) } })
    expect(await call(client)).toMatchObject({ ok: false, error: { code: 'rate_limit', retryAfter: 100 } })
  })

  it('receives the number of the attempt', async () => {
    const limiter = recorder()
    const { sandbox, client } = setUp({ rateLimit: limiter })
    sandbox.fail({ status: 503, headers: { 'Retry-After': '1' } })
    await passUntil(client.account.get())
    expect(limiter.options.map(({ attempt }) => attempt)).toEqual([1, 2])
  })
})

describe('the slot of a call', () => {
  it('is used up by a lost connection, because the server may have counted it', async () => {
    const { sandbox, client } = setUp({ retry: 0 })
    sandbox.fail({ drop: 'before' })
    await call(client)
    expect(client.rateLimit.remaining).toBe(29)
  })

  it('is released if an abort ends the call during its key function', async () => {
    const controller = new AbortController()
    const { client } = setUp({ apiKey: () => new Promise(() => {}), rateLimit: { requests: 1 } })
    const ended = client.account.get({ signal: controller.signal }).catch((reason: unknown) => reason)
    await vi.advanceTimersByTimeAsync(0)
    expect(client.rateLimit.remaining).toBe(0)
    const aborted = once(controller.signal, 'abort')
    controller.abort('enough')
    await aborted
    expect(await ended).toMatchObject({ code: 'aborted', cause: 'enough' })
    expect(client.rateLimit.remaining).toBe(1)
  })
})
