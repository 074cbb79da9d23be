import { setTimeout as pass } from 'node:timers/promises'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it, vi } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { type StoreAnswer, type StoreChange, sharedRateLimiter } from '../../src/rate-limit/shared.ts'

const refused = (retryAfter: number) => ({ headers: new Headers(), refused: true, retryAfter })

/** A store in which a test says what is answered. */
function createStore(answers: (() => Promise<StoreAnswer>)[] = []) {
  return {
    points: 2,
    duration: 60,
    consume: vi.fn((_key: string) => (answers.shift() ?? granted(1))()),
    block: vi.fn(async (_key: string, _seconds: number) => undefined),
  }
}

const granted = (remainingPoints: number) => async () => ({ remainingPoints, msBeforeNext: 60_000 })
const full = (msBeforeNext: number) => () => Promise.reject({ remainingPoints: 0, msBeforeNext })
const broken = () => Promise.reject(new Error('ECONNREFUSED'))
const hanging = () => new Promise<never>(() => {})

describe('sharedRateLimiter', () => {
  it('is one budget for all that use the same store', async () => {
    const store = new RateLimiterMemory({ points: 4, duration: 1 })
    const limiters = [sharedRateLimiter(store), sharedRateLimiter(store)]
    const begin = performance.now()
    const times = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        await limiters[i % 2]!.acquire()
        return performance.now() - begin
      }),
    )
    expect(times.filter((time) => time < 900)).toHaveLength(4)
  })

  it('gives places first come, first served', async () => {
    const limiter = sharedRateLimiter(new RateLimiterMemory({ points: 50, duration: 1 }))
    const order: number[] = []
    await Promise.all(Array.from({ length: 20 }, (_, i) => limiter.acquire()!.then(() => order.push(i))))
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i))
  })

  it('tells the smaller of what the store and the server say, and who waits', async () => {
    const limiter = sharedRateLimiter(createStore([granted(0), full(60_000)]))
    expect(limiter.state).toEqual({ limit: 2, remaining: 2, resetAt: undefined, queued: 0 })
    await limiter.acquire()
    const controller = new AbortController()
    const waiting = limiter.acquire(controller.signal)
    expect(limiter.state).toMatchObject({ limit: 2, remaining: 0, queued: 1 })
    expect(limiter.state.resetAt!.getTime() - Date.now()).toBeGreaterThan(59_000)
    controller.abort('enough')
    await expect(waiting).rejects.toBe('enough')
    expect(limiter.state.queued).toBe(0)
  })

  it('gives the place of a call that left the line to the next one', async () => {
    const store = createStore([full(30), granted(0)])
    const limiter = sharedRateLimiter(store)
    const controller = new AbortController()
    const first = limiter.acquire(controller.signal)
    const second = limiter.acquire()
    controller.abort('enough')
    await expect(first).rejects.toBe('enough')
    await second
    expect(store.consume).toHaveBeenCalledTimes(2)
  })

  it('fails before it waits, where that would be longer than maxWait', async () => {
    const limiter = sharedRateLimiter(createStore([granted(0), full(60_000)]), { maxWait: 5000 })
    await limiter.acquire()
    await expect(limiter.acquire()).rejects.toMatchObject({ code: 'rate_limit', outcome: 'not-sent', retryAfter: 62 })
    const surprised = sharedRateLimiter(createStore([full(60_000)]), { maxWait: 5000 })
    await expect(surprised.acquire()).rejects.toMatchObject({ code: 'rate_limit', outcome: 'not-sent' })
  })

  it('closes the window to everybody when the server refuses', async () => {
    const store = createStore()
    const limiter = sharedRateLimiter(store, { key: 'shop' })
    await limiter.acquire()
    limiter.observe(refused(41))
    expect(store.consume).toHaveBeenCalledWith('shop')
    expect(store.block).toHaveBeenCalledWith('shop', 41)
  })

  it.each([
    ['fails', broken],
    ['does not answer', hanging],
  ])('goes on with its own budget while the store %s, says so, and comes back', async (_, trouble) => {
    const changes: StoreChange[] = []
    const store = createStore([trouble])
    const onStateChange = (change: StoreChange) => {
      changes.push(change)
      throw new Error('an observer that throws breaks nothing')
    }
    const limiter = sharedRateLimiter(store, { storeTimeout: 50, onStateChange })
    await limiter.acquire()
    await limiter.acquire()
    // The store is left alone for a second.
    expect(store.consume).toHaveBeenCalledTimes(1)
    expect(limiter.state).toMatchObject({ remaining: 0 })
    expect(changes).toEqual([{ shared: false, error: expect.any(Error) }])
    limiter.release?.()
    await pass(1050)
    await limiter.acquire()
    expect(changes).toEqual([{ shared: false, error: expect.any(Error) }, { shared: true }])
  })

  it.each([
    [{ points: 30 }, {}, 'limiter: expected a limiter of rate-limiter-flexible'],
    [createStore(), { key: '' }, 'key: expected a name'],
    [createStore(), { maxWait: -1 }, 'maxWait: expected milliseconds from 0'],
    [createStore(), { storeTimeout: 0 }, 'storeTimeout: expected milliseconds above 0'],
  ])('refuses what does not fit: %#', (store, options, message) => {
    expect(() => sharedRateLimiter(store as never, options)).toThrow(ConfigurationError)
    expect(() => sharedRateLimiter(store as never, options)).toThrow(message)
  })
})
