import { RateLimiterMemory } from 'rate-limiter-flexible'
import { ConfigurationError, type RateLimiter, type StoreState, sharedRateLimiter } from 'shortlink-sdk'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { refusalOf } from './setup.ts'

const MINUTE = 60_000
/** How much later than the store's window the server's may end, if this process has no response. */
const MARGIN = MINUTE / 100
/** During how long the slots of a window become free. */
const SPREAD = 8 * MARGIN

const refused = (retryAfter?: number) => ({ headers: new Headers(), refused: true, retryAfter })

/** Creates a store with these responses, which then grants every slot. */
function createStore(responses: (() => Promise<StoreState>)[] = [], points = 2) {
  return {
    points,
    duration: MINUTE / 1000,
    consume: vi.fn((_key: string) => (responses.shift() ?? granted(1))()),
    block: vi.fn(async (_key: string, _seconds: number): Promise<unknown> => undefined),
  }
}

const granted =
  (remainingPoints: number, msBeforeNext = MINUTE) =>
  async () => ({ remainingPoints, msBeforeNext })
const full = (msBeforeNext: number) => () => Promise.reject({ remainingPoints: 0, msBeforeNext })
const broken = () => Promise.reject(new Error('ECONNREFUSED'))
const hanging = () => new Promise<never>(() => {})

const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms)

let warn: MockInstance<typeof console.warn>

beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.useFakeTimers({ now: 1_000_000 })
})

afterEach(() => {
  // No test may leave a timer that keeps the process alive.
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
  warn.mockRestore()
})

describe('a shared rate limit', () => {
  it('is one for all limiters over the same store', async () => {
    const store = new RateLimiterMemory({ points: 4, duration: 60 })
    const limiters = [sharedRateLimiter(store), sharedRateLimiter(store)]
    let count = 0
    const call = async (limiter: RateLimiter) => {
      await limiter.acquire()
      limiter.observe()
      count++
    }
    for (let i = 0; i < 6; i++) void call(limiters[i % 2]!)
    await advance(MINUTE - 1)
    expect(count).toBe(4)
    await advance(MARGIN + 1)
    expect(count).toBe(6)
    await advance(MINUTE)
  })

  it('is one for all calls with the same key name', async () => {
    const store = createStore()
    await sharedRateLimiter(store).acquire()
    await sharedRateLimiter(store, { key: 'shop' }).acquire()
    expect(store.consume.mock.calls).toEqual([['shortlink-sdk'], ['shop']])
  })

  it('is first come, first served', async () => {
    const limiter = sharedRateLimiter(createStore([], 20))
    const order: number[] = []
    const calls = Array.from({ length: 20 }, (_, i) => limiter.acquire()!.then(() => order.push(i)))
    await advance(5000)
    await Promise.all(calls)
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i))
  })

  it('waits for the end of the store’s window and a margin, because the server’s window opens later', async () => {
    const store = createStore([full(30_000)])
    const place = sharedRateLimiter(store).acquire()
    await advance(30_000 + MARGIN - 1)
    expect(store.consume).toHaveBeenCalledTimes(1)
    await advance(1)
    expect(store.consume).toHaveBeenCalledTimes(2)
    await place
  })

  it('has the smaller number of the store and the server, and the number of waiting calls, in its state', async () => {
    const limiter = sharedRateLimiter(createStore([granted(0, 45_000)]))
    expect(limiter.state).toEqual({ limit: 2, remaining: 2, resetAt: undefined, queued: 0 })
    await limiter.acquire()
    const controller = new AbortController()
    const waiting = refusalOf(limiter.acquire(controller))
    await advance(0)
    expect(limiter.state).toEqual({ limit: 2, remaining: 0, resetAt: new Date(1_045_000), queued: 1 })
    controller.abort('enough')
    expect(await waiting).toBe('enough')
    expect(limiter.state.queued).toBe(0)
  })

  it('gives the slot of an aborted call to the next one', async () => {
    const store = createStore([full(30_000), granted(0)])
    const limiter = sharedRateLimiter(store)
    const controller = new AbortController()
    const first = refusalOf(limiter.acquire(controller))
    const second = limiter.acquire()
    controller.abort('enough')
    expect(await first).toBe('enough')
    await advance(30_000 + MARGIN)
    await second
    expect(store.consume).toHaveBeenCalledTimes(2)
  })

  it('keeps no slot for a call that was aborted during the request to the store', async () => {
    let resolveState = (_: StoreState) => {}
    const asked = () =>
      new Promise<StoreState>((resolve) => {
        resolveState = resolve
      })
    const limiter = sharedRateLimiter(createStore([asked], 1))
    const controller = new AbortController()
    const aborted = refusalOf(limiter.acquire(controller))
    await advance(0)
    controller.abort('enough')
    resolveState(await granted(0)())
    expect(await aborted).toBe('enough')
    await advance(0)
    await limiter.acquire()
  })
})

describe('a slot that is reserved for normal calls', () => {
  it('is given back by a low-priority call, and stays for a normal call of the same process', async () => {
    const store = { ...createStore([granted(10), granted(1), granted(1)], 20), reward: vi.fn(async () => {}) }
    const limiter = sharedRateLimiter(store)
    await limiter.acquire()
    const low = refusalOf(limiter.acquire({ priority: 'low', deadline: 10_000 }))
    await advance(SPREAD / 20)
    expect(store.reward.mock.calls).toEqual([['shortlink-sdk', 1]])
    expect(limiter.state.remaining).toBe(2)
    expect(await low).toMatchObject({ reason: 'deadline' })
    await limiter.acquire()
    expect(store.consume).toHaveBeenCalledTimes(3)
  })
})

describe('a deadline', () => {
  const late = { reason: 'deadline' }

  it('rejects a call at once if the store is known to be full for longer', async () => {
    const store = createStore([granted(0)])
    const limiter = sharedRateLimiter(store)
    await limiter.acquire()
    const error = await refusalOf(limiter.acquire({ deadline: 5000 }))
    expect(error).toEqual({ ...late, ms: 60_000 + MARGIN })
    expect(store.consume).toHaveBeenCalledTimes(1)
  })

  it('rejects a call if the store responds that it is full for longer', async () => {
    const limiter = sharedRateLimiter(createStore([full(MINUTE)]))
    expect(await refusalOf(limiter.acquire({ deadline: 5000 }))).toMatchObject(late)
    expect(limiter.state.queued).toBe(0)
  })

  it('rejects a call when it passes before the store responds', async () => {
    const limiter = sharedRateLimiter(createStore([hanging]))
    const waiting = refusalOf(limiter.acquire({ deadline: 100 }))
    await advance(99)
    expect(limiter.state.queued).toBe(1)
    await advance(1)
    expect(await waiting).toMatchObject(late)
    await advance(900)
  })
})

describe('a refusal by the server', () => {
  it('closes the window to every process', async () => {
    const store = createStore()
    const limiter = sharedRateLimiter(store, { key: 'shop' })
    await limiter.acquire()
    limiter.observe(refused(41))
    expect(store.block.mock.calls).toEqual([['shop', 41]])
  })

  it('closes it for the rest of the window if the server states no time', async () => {
    const store = createStore()
    const limiter = sharedRateLimiter(store)
    await limiter.acquire()
    limiter.observe(refused())
    expect(store.block.mock.calls).toEqual([['shortlink-sdk', 61]])
  })

  it('closes it for a second if the server says Retry-After: 0', async () => {
    const store = createStore()
    const limiter = sharedRateLimiter(store)
    await limiter.acquire()
    limiter.observe(refused(0))
    expect(store.block.mock.calls).toEqual([['shortlink-sdk', 1]])
  })

  it('is harmless if the store can no longer be reached', async () => {
    const store = createStore()
    store.block.mockImplementation(broken)
    const limiter = sharedRateLimiter(store)
    await limiter.acquire()
    limiter.observe(refused(41))
    await advance(0)
    expect(store.block).toHaveBeenCalledTimes(1)
  })

  it('for longer than 90 seconds rejects waiting and later calls', async () => {
    const limiter = sharedRateLimiter(createStore([granted(1), full(30_000)]))
    await limiter.acquire()
    const waiting = refusalOf(limiter.acquire())
    await advance(0)
    limiter.observe(refused(86_400))
    expect(await waiting).toEqual({ reason: 'imposed', ms: 86_400_000 })
    expect(await refusalOf(limiter.acquire())).toEqual({ reason: 'imposed', ms: 86_400_000 })
  })

  it('of another process rejects calls too, because the store is blocked for longer than a window', async () => {
    const limiter = sharedRateLimiter(createStore([granted(1), full(100_000)]))
    await limiter.acquire()
    await advance(5000)
    const onWait = vi.fn()
    const error = await refusalOf(limiter.acquire({ onWait }))
    expect(error).toMatchObject({ reason: 'imposed', ms: 100_000 })
    expect(onWait).not.toHaveBeenCalled()
  })
})

describe('onWait of a shared rate limit', () => {
  it('is called for a call that the store refuses unexpectedly', async () => {
    const limiter = sharedRateLimiter(createStore([full(30_000)]))
    const onWait = vi.fn()
    const place = limiter.acquire({ onWait })
    expect(onWait).not.toHaveBeenCalled()
    await advance(30_000 + MARGIN)
    await place
    expect(onWait.mock.calls).toEqual([[{ waitMs: 30_000 + MARGIN, queued: 1 }]])
  })

  it('may abort another call without taking the slot of a third', async () => {
    const limiter = sharedRateLimiter(createStore([full(30_000)]))
    const controller = new AbortController()
    const first = limiter.acquire({ onWait: () => controller.abort('enough') })
    const second = refusalOf(limiter.acquire({ signal: controller.signal, deadline: 20_000 }))
    const third = limiter.acquire()
    expect(await second).toBe('enough')
    await advance(30_000 + 6 * MARGIN)
    await Promise.all([first, third])
  })
})

describe('a store that is unavailable', () => {
  it.each([
    ['fails', broken, 'ECONNREFUSED'],
    ['does not respond within a second', hanging, 'it did not respond within 1000 ms'],
  ])('is replaced by the window of the process until it is back, if it %s', async (_, trouble, why) => {
    const store = createStore([trouble], 3)
    const limiter = sharedRateLimiter(store)
    const first = limiter.acquire()
    await advance(1000)
    await first
    expect(warn.mock.calls).toEqual([
      [
        `shortlink-sdk: the store of the shared rate limit is unavailable (${why}). Until it is available again, this process counts alone.`,
      ],
    ])
    expect(limiter.state).toMatchObject({ limit: 3, remaining: 2 })
    // A store that has just failed is not asked again for a second.
    const asked = store.consume.mock.calls.length
    await limiter.acquire()
    expect(store.consume).toHaveBeenCalledTimes(trouble === broken ? 2 : asked)
    limiter.observe(refused(0))
    const third = limiter.acquire()
    await advance(SPREAD)
    await third
    expect(store.consume).toHaveBeenCalledTimes(trouble === broken ? 3 : 2)
  })

  it('is reported once, even if it fails again, and its old state is dropped', async () => {
    const limiter = sharedRateLimiter(createStore([granted(1), broken, broken], 5))
    await limiter.acquire()
    expect(limiter.state.remaining).toBe(1)
    const second = limiter.acquire()
    await advance(SPREAD)
    await second
    expect(limiter.state.remaining).toBe(3)
    await advance(1000)
    await limiter.acquire()
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it.each([[undefined], [{ msBeforeNext: 'soon' }], [{ msBeforeNext: -1 }]])(
    'may also reject with %j',
    async (reason) => {
      await sharedRateLimiter(createStore([() => Promise.reject(reason)])).acquire()
      expect(warn).toHaveBeenCalledTimes(1)
    },
  )
})

describe('a store whose next window starts now', () => {
  it('does not count as an outage', async () => {
    const slot = sharedRateLimiter(createStore([full(0)])).acquire()
    await advance(MARGIN)
    await slot
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('the options of a shared rate limit', () => {
  const { block: _, ...withoutBlock } = createStore()

  it.each([
    [undefined, {}, 'limiter: is missing, expected a limiter of rate-limiter-flexible'],
    ['redis://localhost', {}, 'limiter: expected a limiter of rate-limiter-flexible, received a string'],
    [{ ...createStore(), points: 0 }, {}, 'limiter.points: expected a number above 0, received 0'],
    [{ ...createStore(), duration: '60' }, {}, 'limiter.duration: expected a number above 0, received "60"'],
    [withoutBlock, {}, 'limiter.block: is missing, expected a function'],
    [{ ...createStore(), consume: 1 }, {}, 'limiter.consume: expected a function, received 1'],
    [createStore(), null, 'expected an object of options, received null'],
    [createStore(), { key: '' }, 'key: expected a string that is not empty, received ""'],
    [createStore(), { Key: 'shop' }, 'Key: unknown option, did you mean key?'],
  ])('are checked: %#', (store, options, message) => {
    const create = () => sharedRateLimiter(store as never, options as never)
    expect(create).toThrow(new ConfigurationError(`sharedRateLimiter: ${message}`))
  })
})
