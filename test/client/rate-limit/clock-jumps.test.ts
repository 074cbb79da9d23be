import { setImmediate as settled } from 'node:timers/promises'
import { type RateLimitResponse, ShortLinkClient, type ShortLinkClientOptions, sharedRateLimiter } from 'shortlink-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Limiter } from '../../../src/client/rate-limit/limiter.ts'
import { getLimiter } from '../../../src/client/rate-limit/registry.ts'
import { account } from '../../helpers/responses.ts'
import { refusal, refusalOf, response, silentRefusal } from './setup.ts'

const MINUTE = 60_000
/** The length of a window after its first response: a server's clock may be 0.1 % slower. */
const WINDOW = 60_061
const DAY = 86_400_000
const baseUrl = 'https://sho.rt/api'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Events that set the clock of a process back. */
const jumps = [
  {
    name: 'real timers return after fake ones were advanced by a day',
    begin: () => void vi.useFakeTimers().advanceTimersByTime(DAY),
    jump: () => void vi.useRealTimers(),
  },
  {
    name: 'fake timers, which begin at 0, replace real ones',
    begin: () => {},
    jump: () => void vi.useFakeTimers(),
  },
  {
    name: 'new fake timers replace others',
    begin: () => void vi.useFakeTimers().advanceTimersByTime(1000),
    jump: () => {
      vi.useRealTimers()
      vi.useFakeTimers()
    },
  },
  {
    name: 'fake timers replace performance.now alone',
    begin: () => {},
    jump: () => void vi.useFakeTimers({ toFake: ['performance'] }),
  },
] as const

const newLimiter = () => getLimiter({ baseUrl, key: 'k', fetch: async () => new Response() }, { requests: 2 })

/** Makes the two requests of a window. The first gets a response with these headers. */
function sendTwo(limiter: Limiter, said?: RateLimitResponse): void {
  for (let i = 0; i < 2; i++) expect(limiter.acquire()).toBeUndefined()
  if (said) limiter.observe(said)
}

describe.each(jumps)('when $name', ({ begin, jump }) => {
  it.each<[string, (limiter: Limiter) => void]>([
    ['a window without a response', (limiter) => sendTwo(limiter)],
    ['a window without rate headers', (limiter) => sendTwo(limiter, response())],
    ['a window with a stated end', (limiter) => sendTwo(limiter, response(2, 0, 40))],
    ['a refusal that states no time', (limiter) => sendTwo(limiter, silentRefusal)],
    ['a refusal for 80 seconds', (limiter) => sendTwo(limiter, refusal(80))],
    ['a refusal for a day', (limiter) => sendTwo(limiter, refusal(DAY / 1000))],
  ])('%s is over, and a new one begins', (_, use) => {
    begin()
    const limiter = newLimiter()
    use(limiter)
    expect(limiter.state.remaining).toBe(0)
    jump()
    expect(limiter.state).toMatchObject({ remaining: 2, resetAt: undefined })
    expect(limiter.acquire()).toBeUndefined()
    const untilReset = limiter.state.resetAt!.getTime() - Date.now()
    expect(untilReset).toBeGreaterThan(MINUTE - 5000)
    expect(untilReset).toBeLessThanOrEqual(MINUTE + 1)
  })

  it.each([
    ['is full', () => Promise.reject({ remainingPoints: 0, msBeforeNext: 50_000 })],
    ['is closed for a day', () => Promise.reject({ remainingPoints: 0, msBeforeNext: DAY })],
    ['cannot be reached', () => Promise.reject(new Error('ECONNREFUSED'))],
  ])('a store that %s is asked again', async (_, state) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    begin()
    const consume = vi.fn<() => Promise<{ remainingPoints: number; msBeforeNext: number }>>(state)
    const limiter = sharedRateLimiter({ points: 2, duration: 60, consume, block: async () => {} })
    const controller = new AbortController()
    const first = refusalOf(limiter.acquire(controller))
    await settled()
    controller.abort()
    await first
    expect(consume).toHaveBeenCalledTimes(1)
    consume.mockResolvedValue({ remainingPoints: 1, msBeforeNext: MINUTE })
    jump()
    await limiter.acquire()
    expect(consume).toHaveBeenCalledTimes(2)
  })

  it('idle limiters are removed', () => {
    begin()
    const owner = { baseUrl, key: 'idle', fetch: async () => new Response() }
    const limiter = getLimiter(owner, {})
    jump()
    getLimiter({ ...owner, key: 'other' }, {})
    expect(getLimiter(owner, {})).not.toBe(limiter)
  })
})

describe('clients of a process', () => {
  const init = { headers: { 'X-RateLimit-Limit': '30' } }

  /** Creates two clients that share a limiter, like those of two tests. */
  function twoClients() {
    const fetch = vi.fn(async () => new Response(JSON.stringify(account), init))
    const connect = (options: ShortLinkClientOptions = {}) =>
      new ShortLinkClient({ baseUrl, apiKey: 'the-key-of-tests', fetch, ...options })
    return { fetch, connect }
  }

  it('send at once after another test used up a window under fake timers and advanced them by a day', async () => {
    const { fetch, connect } = twoClients()
    vi.useFakeTimers()
    const first = connect()
    await first.account.get()
    vi.advanceTimersByTime(DAY)
    await Promise.all(Array.from({ length: 30 }, () => first.account.get()))
    expect(first.rateLimit).toMatchObject({ remaining: 0 })
    vi.useRealTimers()

    const onWait = vi.fn()
    const second = connect({ onWait })
    expect(second.rateLimit).toEqual({ limit: 30, remaining: 30, resetAt: undefined, queued: 0 })
    await second.account.get()
    expect(fetch).toHaveBeenCalledTimes(32)
    expect(onWait).not.toHaveBeenCalled()
    expect(second.rateLimit.resetAt!.getTime() - Date.now()).toBeLessThanOrEqual(WINDOW)
  })

  it.each([DAY, -DAY])('wait equally long if the date changes by %i ms', async (ms) => {
    const { connect } = twoClients()
    vi.useFakeTimers()
    const waits: number[] = []
    const client = connect({ onWait: ({ waitMs }) => waits.push(waitMs) })
    await Promise.all(Array.from({ length: 30 }, () => client.account.get()))
    const before = client.rateLimit.resetAt!.getTime()
    vi.setSystemTime(Date.now() + ms)
    expect(client.rateLimit).toMatchObject({ remaining: 0, resetAt: new Date(before + ms) })
    const next = client.account.get()
    await vi.advanceTimersByTimeAsync(WINDOW)
    await next
    expect(waits).toEqual([WINDOW])
  })
})

describe('fake timers that do not replace performance.now', () => {
  const toFake = ['setTimeout', 'clearTimeout', 'Date'] as const

  it('end each wait after the announced time', async () => {
    vi.useFakeTimers({ toFake: [...toFake] })
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    const limiter = newLimiter()
    sendTwo(limiter)
    for (let i = 0; i < 2; i++) limiter.observe(response(2, 0))
    let granted = 0
    for (let i = 0; i < 6; i++) void limiter.acquire()!.then(() => granted++)
    const grantedAfter: number[] = []
    for (let window = 0; window < 3; window++) {
      // The second slot of a window becomes free a second after the first.
      for (const ms of [WINDOW, 1000]) {
        await vi.advanceTimersByTimeAsync(ms)
        grantedAfter.push(granted)
      }
      for (let i = 0; i < 2; i++) limiter.observe(response(2, 0))
    }
    expect(grantedAfter).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('leave a window that ends one interval after the real timers are back', async () => {
    let time = performance.now()
    vi.useFakeTimers({ toFake: [...toFake] })
    vi.spyOn(performance, 'now').mockImplementation(() => time)
    const limiter = newLimiter()
    sendTwo(limiter, response(2, 0))
    for (let window = 0; window < 3; window++) {
      const places = [limiter.acquire(), limiter.acquire()]
      await vi.advanceTimersByTimeAsync(2 * MINUTE)
      await Promise.all(places)
      for (let i = 0; i < 2; i++) limiter.observe(response(2, 0))
    }
    vi.useRealTimers()
    expect(limiter.state.remaining).toBe(0)
    time += WINDOW
    expect(limiter.state.remaining).toBe(2)
  })
})

describe('a call that waits for a timer of removed fake timers', () => {
  it('gets its slot with the next call after the window is over', async () => {
    let time = 1000
    vi.spyOn(performance, 'now').mockImplementation(() => time)
    const install = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    install()
    const limiter = newLimiter()
    sendTwo(limiter)
    const granted: string[] = []
    void limiter.acquire()!.then(() => granted.push('first'))

    vi.useRealTimers()
    install()
    time += 1000
    void limiter.acquire()!.then(() => granted.push('second'))
    for (let minute = 0; minute < 3; minute++) {
      time += MINUTE
      await vi.advanceTimersByTimeAsync(MINUTE)
    }
    expect(granted).toEqual(['first', 'second'])
  })

  it('gets its slot with the next call under real timers', async () => {
    vi.useFakeTimers().advanceTimersByTime(DAY)
    const limiter = newLimiter()
    sendTwo(limiter)
    const granted: string[] = []
    const first = limiter.acquire()!.then(() => granted.push('first'))
    vi.useRealTimers()
    const second = limiter.acquire()!.then(() => granted.push('second'))
    await Promise.all([first, second])
    expect(granted).toEqual(['first', 'second'])
  })
})

it('the deadline of a running call does not become longer', async () => {
  vi.useFakeTimers()
  await vi.advanceTimersByTimeAsync(DAY)
  const fetch = vi.fn(async () => {
    vi.useRealTimers()
    return Response.json({ error: 1 }, { status: 503, headers: { 'Retry-After': '1' } })
  })
  const client = new ShortLinkClient({ baseUrl: 'https://sho.rt', apiKey: 'a-key', fetch, rateLimit: false })
  const { error } = await client.account.get({ deadline: 900, retry: 2 }).safe()
  expect(error).toMatchObject({ code: 'server', attempts: 1 })
})
