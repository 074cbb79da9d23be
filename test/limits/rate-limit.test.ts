import { describe, expect, it, vi } from 'vitest'
import { ConfigurationError, RateLimitError } from '../../src/errors.ts'
import { createRateLimiter, type RateLimitAnswer, type RateLimitOptions } from '../../src/rate-limit/limiter.ts'
import { FakeClock } from './clock.ts'

const EPOCH = 1_800_000_000

/** An answer as a server gives it whose clock shows `EPOCH`: the reset is in so many seconds from then. */
function answer(limit?: unknown, remaining?: unknown, resetIn?: number): RateLimitAnswer {
  const headers = new Headers({ Date: new Date(EPOCH * 1000).toUTCString() })
  if (limit !== undefined) headers.set('X-RateLimit-Limit', String(limit))
  if (remaining !== undefined) headers.set('X-RateLimit-Remaining', String(remaining))
  if (resetIn !== undefined) headers.set('X-RateLimit-Reset', String(EPOCH + resetIn))
  return { headers, refused: false, retryAfter: undefined }
}

const refusal = (retryAfter?: number, resetIn?: number): RateLimitAnswer => ({
  ...answer(30, 0, resetIn),
  refused: true,
  retryAfter,
})

function setUp(options: RateLimitOptions = {}) {
  const clock = new FakeClock()
  const limiter = createRateLimiter(options, clock)
  const granted: number[] = []
  /** Asks for places, and notes which came. */
  const take = (count: number, signal?: AbortSignal) => {
    const calls = Array.from({ length: count }, () => {
      const order = asked++
      const place = limiter.acquire(signal)
      if (place === undefined) granted.push(order)
      return place?.then(() => void granted.push(order))
    })
    return calls
  }
  let asked = 0
  const answered = (count: number, what?: RateLimitAnswer) => {
    for (let i = 0; i < count; i++) limiter.observe(what)
  }
  return { clock, limiter, granted, take, answered }
}

describe('the budget', () => {
  it('gives 30 places a minute at once, and the next when the window has surely ended', async () => {
    const { clock, granted, take, answered, limiter } = setUp()
    take(70)
    expect(granted).toHaveLength(30)
    await clock.advance(20)
    answered(30, answer())
    await clock.advance(60_000)
    expect(granted).toHaveLength(30)
    await clock.advance(100)
    // The first one goes ahead, so that its answer is here soon.
    expect(granted).toHaveLength(31)
    answered(1, answer())
    await clock.advance(0)
    expect(granted).toHaveLength(60)
    answered(29, answer())
    await clock.advance(60_100)
    answered(1, answer())
    await clock.advance(0)
    expect(granted).toEqual(Array.from({ length: 70 }, (_, i) => i))
    expect(limiter.state.queued).toBe(0)
  })

  it('waits one interval after the first answer, because the server counts only when the request is there', async () => {
    const { clock, granted, take, answered } = setUp({ interval: 1000 })
    take(31)
    await clock.advance(400)
    answered(1)
    await clock.advance(999)
    expect(granted).toHaveLength(30)
    await clock.advance(4)
    expect(granted).toHaveLength(31)
  })

  it('sends nothing while the server may or may not have opened its next window', async () => {
    const { clock, granted, take, answered } = setUp({ interval: 1000 })
    take(1)
    await clock.advance(100)
    answered(1)
    await clock.advance(950)
    take(1)
    expect(granted).toEqual([0])
    await clock.advance(52)
    expect(granted).toEqual([0, 1])
  })

  it('lets the first of a window go ahead, but does not wait long for its answer', async () => {
    const { clock, granted, take, answered } = setUp({ interval: 1000 })
    take(60)
    answered(30)
    await clock.advance(1002)
    expect(granted).toHaveLength(31)
    await clock.advance(50)
    expect(granted).toHaveLength(60)
    expect(clock.timers).toBe(0)
  })

  it('does not wait for ever for an answer that never comes', async () => {
    const { clock, granted, take } = setUp({ interval: 1000 })
    take(31)
    await clock.advance(2000)
    expect(granted).toHaveLength(31)
  })

  it('takes the limit from the server when the plan changes, up and down', () => {
    const up = setUp()
    up.take(1)
    up.answered(1, answer(120, 119, 60))
    up.take(200)
    expect(up.granted).toHaveLength(120)

    const down = setUp()
    down.take(1)
    down.answered(1, answer(10, 9, 60))
    down.take(20)
    expect(down.granted).toHaveLength(10)
    expect(down.limiter.state.limit).toBe(10)
  })

  it('sends fewer when others use the key, and believes the smaller number', () => {
    const { granted, take, answered, limiter } = setUp()
    take(1)
    answered(1, answer(30, 12, 40))
    expect(limiter.state.remaining).toBe(12)
    take(30)
    expect(granted).toHaveLength(13)
    answered(12, answer(30, 29, 40))
    expect(granted).toHaveLength(13)
  })

  it('takes off what is in flight, in whatever order answers come', () => {
    const { granted, take, answered, limiter } = setUp()
    take(20)
    answered(1, answer(30, 10, 60))
    expect(limiter.state.remaining).toBe(0)
    answered(18, answer(30, 15, 60))
    expect(limiter.state.remaining).toBe(9)
    answered(1, answer(30, 29, 60))
    expect(limiter.state.remaining).toBe(10)
    take(20)
    expect(granted).toHaveLength(30)
  })

  it('ends the window when the server says, if that is sooner than an interval after the first request', async () => {
    const { clock, granted, take, answered } = setUp()
    take(1)
    answered(1, answer(30, 0, 20))
    take(1)
    await clock.advance(20_000)
    expect(granted).toHaveLength(1)
    await clock.advance(1000)
    expect(granted).toHaveLength(2)
  })

  it('keeps its own finer knowledge of a short window, where the server speaks in whole seconds', async () => {
    const { clock, granted, take, answered } = setUp({ interval: 200 })
    take(31)
    answered(30, answer(30, 0, 1))
    await clock.advance(202)
    expect(granted).toHaveLength(31)
  })

  it.each([
    ['an hour ahead', 3600],
    ['an hour behind', -3600],
  ])('measures the reset against the clock of the server: %s', async (_, skew) => {
    const { clock, granted, take, limiter } = setUp()
    const headers = new Headers({
      Date: new Date((EPOCH + skew) * 1000).toUTCString(),
      'X-RateLimit-Limit': '30',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(EPOCH + skew + 15),
    })
    take(2)
    limiter.observe({ headers, refused: false, retryAfter: undefined })
    take(29)
    await clock.advance(15_000)
    expect(granted).toHaveLength(2)
    await clock.advance(1000)
    expect(granted.length).toBeGreaterThan(2)
  })

  it.each([
    ['a reset in the past', answer(30, 0, -5)],
    ['a reset a year away', answer(30, 0, 31_536_000)],
    ['a reset in milliseconds', answer(30, 0, EPOCH * 1000)],
    ['words', answer('many', 'none')],
    ['nothing at all', answer('', '')],
    ['negative numbers', answer(-30, -1)],
    ['a limit of 0', answer(0, 3)],
    ['NaN', answer('NaN', 'NaN', Number.NaN)],
    ['more remaining than the limit', answer(30, 5000, 60)],
  ])('is not misled by %s', async (_, lie) => {
    const { clock, granted, take, answered, limiter } = setUp()
    take(30)
    answered(30, lie)
    expect(limiter.state.limit).toBe(30)
    expect(limiter.state.remaining).toBe(0)
    take(1)
    expect(granted).toHaveLength(30)
    await clock.advance(60_061)
    expect(granted).toHaveLength(31)
  })

  it('ignores what late answers of the last window say of what remains', async () => {
    const { clock, granted, take, answered } = setUp({ interval: 1000 })
    take(30)
    answered(29, answer(30, 1, 1))
    await clock.advance(1002)
    take(5)
    answered(1, answer(30, 0, 1))
    take(25)
    expect(granted).toHaveLength(60)
  })

  it('is unlimited until the server says otherwise, where no rate is known', () => {
    const { granted, take, answered, limiter } = setUp({ requests: Infinity })
    take(500)
    expect(granted).toHaveLength(500)
    expect(limiter.state).toMatchObject({ limit: undefined, remaining: undefined })
    answered(500, answer(1000, 500, 60))
    expect(limiter.state).toMatchObject({ limit: 1000, remaining: 500 })
  })
})

describe('a refusal', () => {
  it('that may be sent again at once gives its place back and blocks nobody', () => {
    const { granted, take, answered, limiter } = setUp()
    take(1)
    answered(1, { ...answer(30, 29, 60), refused: true, retryAfter: 0 })
    expect(limiter.state.remaining).toBe(29)
    take(40)
    expect(granted).toHaveLength(30)
  })

  it('blocks everybody until the server allows more, then asks with one request what is left', async () => {
    const { clock, granted, take, answered } = setUp()
    take(40)
    answered(20, answer(30, 0, 60))
    answered(10, refusal(41))
    expect(granted).toHaveLength(30)
    await clock.advance(40_999)
    expect(granted).toHaveLength(30)
    await clock.advance(1)
    expect(granted).toHaveLength(31)
    answered(1, answer(30, 29, 60))
    await clock.advance(0)
    expect(granted).toHaveLength(40)
  })

  it('falls back from Retry-After to the reset, and from that to its own window', async () => {
    for (const [said, wait] of [
      [refusal(undefined, 25), 26_000],
      [refusal(0, 25), 26_000],
      [refusal(31_536_000, 25), 26_000],
      [refusal(undefined, 31_536_000), 60_061],
      [{ headers: new Headers(), refused: true, retryAfter: undefined }, 60_061],
    ] as const) {
      const { clock, granted, take, answered } = setUp()
      take(2)
      answered(2, said)
      take(1)
      await clock.advance(wait - 2)
      expect(granted).toHaveLength(2)
      await clock.advance(3)
      expect(granted).toHaveLength(3)
    }
  })

  it('shares the key with others: only a part of what is left is in flight, until they are gone', async () => {
    const { clock, granted, take, answered } = setUp()
    take(100)
    answered(30, refusal(10))
    await clock.advance(10_000)
    expect(granted).toHaveLength(31)
    answered(1, answer(30, 28, 60))
    await clock.advance(0)
    expect(granted).toHaveLength(31 + 14)
    answered(14, answer(30, 0, 60))
    await clock.advance(0)
    expect(granted).toHaveLength(45)
    await clock.advance(60_100)
    expect(granted).toHaveLength(46)
    answered(1, answer(30, 29, 60))
    await clock.advance(0)
    expect(granted).toHaveLength(46 + 15)
  })
})

describe('a number of requests that the user set', () => {
  it('is a ceiling that no header raises, and that a header may lower', () => {
    const { granted, take, answered, limiter } = setUp({ requests: 5 })
    take(1)
    answered(1, answer(30, 29, 60))
    expect(limiter.state).toMatchObject({ limit: 5, remaining: 4 })
    take(20)
    expect(granted).toHaveLength(5)
    answered(4, answer(3, 0, 60))
    expect(limiter.state.limit).toBe(3)
    answered(0, answer(30, 29, 60))
    expect(limiter.state.limit).toBe(3)
  })

  it('limits every window, also after a refusal', async () => {
    const { clock, granted, take, answered } = setUp({ requests: 2, interval: 1000 })
    take(6)
    answered(2, { ...answer(30, 0), refused: true, retryAfter: 1 })
    await clock.advance(1000)
    answered(1, answer(30, 29, 1))
    await clock.advance(0)
    expect(granted).toHaveLength(4)
  })
})

describe('a refusal that imposes a wait beyond maxDelay', () => {
  const DAY = 86_400

  it('rejects later calls at once, until what is left of it is shorter', async () => {
    const { clock, limiter, take, answered } = setUp()
    take(1)
    answered(1, refusal(DAY))
    const failed = await limiter.acquire(undefined, { maxDelay: 90_000 })!.catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'rate_limit', outcome: 'not-sent', retryable: true, retryAfter: DAY })
    expect((failed as Error).message).toBe(
      'the server said to wait another 86400000 ms, which is longer than maxDelay (90000 ms)',
    )
    expect(limiter.state.queued).toBe(0)
    expect(clock.timers).toBe(0)
    await clock.advance(DAY * 1000 - 90_000)
    let isGranted = false
    void limiter.acquire(undefined, { maxDelay: 90_000 })!.then(() => {
      isGranted = true
    })
    await clock.advance(89_999)
    expect(isGranted).toBe(false)
    await clock.advance(1)
    expect(isGranted).toBe(true)
  })

  it('rejects the calls that wait already, but not those that allow for it', async () => {
    const { clock, limiter, take, answered } = setUp({ requests: 1 })
    take(1)
    const impatient = limiter.acquire(undefined, { maxDelay: 90_000 })
    const patient = limiter.acquire(undefined, { maxDelay: Infinity })
    const silent = limiter.acquire()
    answered(1, refusal(91))
    await expect(impatient).rejects.toMatchObject({ code: 'rate_limit', retryAfter: 91 })
    expect(limiter.state.queued).toBe(2)
    await clock.advance(91_000)
    await patient
    answered(1)
    await clock.advance(60_061)
    await silent
  })

  it.each([
    ['a long queue', { requests: 1, interval: 60_000 }, undefined],
    ['a long window', { requests: 1, interval: 3_600_000 }, undefined],
    ['a refusal that names no time', { requests: 1, interval: 3_600_000 }, { ...answer(), refused: true }],
  ])('does not concern %s', async (_, options, said) => {
    const { clock, limiter, take, answered } = setUp(options)
    take(5)
    answered(1, said)
    let isGranted = false
    void limiter.acquire(undefined, { maxDelay: 1000 })!.then(() => {
      isGranted = true
    })
    for (let i = 0; i < 5; i++) {
      await clock.advance(options.interval * 1.001 + 2)
      answered(1)
    }
    expect(isGranted).toBe(true)
  })
})

describe('onWait', () => {
  it('is called once for each call that has to wait, with the estimated wait and how many are waiting', async () => {
    const { clock, limiter, take, answered } = setUp({ requests: 2 })
    const onWait = vi.fn()
    limiter.acquire(undefined, { onWait })
    limiter.acquire(undefined, { onWait })
    expect(onWait).not.toHaveBeenCalled()
    for (let i = 0; i < 3; i++) limiter.acquire(undefined, { onWait })
    expect(onWait.mock.calls).toEqual([
      [{ waitMs: 60_000, queued: 1 }],
      [{ waitMs: 60_000, queued: 2 }],
      [{ waitMs: 120_000, queued: 3 }],
    ])
    answered(2)
    await clock.advance(200_000)
    expect(onWait).toHaveBeenCalledTimes(3)
    take(0)
  })

  it('is called later if it only turns out later that a call has to wait', async () => {
    const { clock, limiter, take, answered } = setUp()
    take(60)
    answered(30, answer(30, 0, 60))
    await clock.advance(60_061)
    // A single request has gone ahead. As far as is known, there are places left for the others.
    const onWait = vi.fn()
    const { queued } = limiter.state
    limiter.acquire(undefined, { onWait })
    expect(onWait.mock.calls).toEqual([[{ waitMs: 60_000, queued: queued + 1 }]])
    const urgent = vi.fn()
    answered(1, answer(30, 29, 60))
    await clock.advance(0)
    expect(urgent).not.toHaveBeenCalled()
  })

  it('cannot break a call by throwing', () => {
    const { limiter, take } = setUp({ requests: 1 })
    take(1)
    const onWait = () => {
      throw new Error('mine')
    }
    void limiter.acquire(undefined, { onWait })
    expect(limiter.state.queued).toBe(1)
  })
})

describe('reading ahead', () => {
  it('stands behind the other calls, whenever they come, until it becomes urgent', async () => {
    const { clock, limiter, take, answered } = setUp({ requests: 1, interval: 1000 })
    const order: string[] = []
    const ask = (name: string, readAhead?: boolean | (() => boolean)) =>
      limiter.acquire(undefined, readAhead === undefined ? {} : { readAhead })?.then(() => order.push(name))
    let isUrgent = false
    take(1)
    ask('page 2', () => !isUrgent)
    ask('page 3', true)
    ask('write 1')
    ask('write 2')
    const next = async () => {
      answered(1)
      await clock.advance(1002)
    }
    await next()
    expect(order).toEqual(['write 1'])
    isUrgent = true
    await next()
    expect(order).toEqual(['write 1', 'page 2'])
    ask('write 3')
    for (let i = 0; i < 3; i++) await next()
    expect(order).toEqual(['write 1', 'page 2', 'write 2', 'write 3', 'page 3'])
  })

  it('takes a free place at once while nobody waits', () => {
    const { limiter } = setUp()
    expect(limiter.acquire(undefined, { readAhead: true })).toBeUndefined()
  })

  it('counts the calls before it when it estimates its wait, and is not counted by others', () => {
    const { limiter, take } = setUp({ requests: 1 })
    take(1)
    const onWait = vi.fn()
    const ask = (readAhead: boolean) => limiter.acquire(undefined, { readAhead, onWait })
    for (const readAhead of [true, false, true, false]) void ask(readAhead)
    const waits = onWait.mock.calls.map(([{ waitMs }]) => waitMs)
    expect(waits).toEqual([60_000, 60_000, 180_000, 120_000])
  })
})

describe('waiting', () => {
  it('is first come, first served, also for those who come while others wait', async () => {
    const { clock, granted, take, answered } = setUp({ requests: 2, interval: 1000 })
    take(3)
    answered(2)
    await clock.advance(1000)
    take(2)
    for (let i = 0; i < 3; i++) {
      await clock.advance(1002)
      answered(2)
    }
    expect(granted).toEqual([0, 1, 2, 3, 4])
  })

  it('ends at an abort with the reason of the signal, and frees the place', async () => {
    const { clock, granted, take, limiter } = setUp({ requests: 1, interval: 1000 })
    const controller = new AbortController()
    const reason = new Error('enough')
    take(1)
    const [waiting] = take(1, controller.signal)
    take(1)
    expect(limiter.state.queued).toBe(2)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(limiter.state.queued).toBe(1)
    limiter.observe()
    await clock.advance(1002)
    expect(granted).toEqual([0, 2])
  })

  it('does not begin with a signal that is aborted already', async () => {
    const { limiter } = setUp()
    await expect(limiter.acquire(AbortSignal.abort('no'))).rejects.toBe('no')
    expect(limiter.state).toMatchObject({ remaining: 30, queued: 0 })
  })

  it('leaves no listener on the signal and no timer, however it ends', async () => {
    const { clock, take, limiter } = setUp({ requests: 1, interval: 1000 })
    const controller = new AbortController()
    const added = vi.spyOn(controller.signal, 'addEventListener')
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    const calls = take(4, controller.signal)
    expect(clock.timers).toBe(1)
    // One listener, however many calls: Node warns of a leak at the eleventh.
    limiter.observe()
    await clock.advance(1002)
    controller.abort('stop')
    await Promise.allSettled(calls)
    expect(added).toHaveBeenCalledTimes(1)
    expect(removed).toHaveBeenCalledTimes(1)
    expect(clock.timers).toBe(0)
  })

  it('needs no timer while nobody waits, and one however many wait', async () => {
    const { clock, take, answered } = setUp()
    take(30)
    expect(clock.timers).toBe(0)
    take(50)
    answered(30, answer(30, 0, 60))
    expect(clock.timers).toBe(1)
  })

  it('fails before it begins, where it would be longer than maxWait', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    const { take, answered, limiter } = setUp({ maxWait: 61_000 })
    take(60)
    answered(30)
    const failed = await take(1)[0]!.catch((error: unknown) => error)
    vi.useRealTimers()
    expect(failed).toBeInstanceOf(RateLimitError)
    expect(failed).toMatchObject({ status: 429, outcome: 'not-sent', attempts: 0, retryable: true, retryAfter: 121 })
    expect((failed as RateLimitError).resetAt?.getTime()).toBe(1_060_061)
    expect(limiter.state.queued).toBe(30)
  })

  it('ends where a refusal makes it longer than maxWait', async () => {
    const { take, answered, limiter, clock } = setUp({ maxWait: 61_000 })
    const waiting = take(31)[30]
    answered(30, refusal(80))
    await expect(waiting).rejects.toMatchObject({ code: 'rate_limit', outcome: 'not-sent', retryAfter: 80 })
    expect(limiter.state.queued).toBe(0)
    expect(clock.timers).toBe(0)
  })

  it('is never longer than maxWait, though the prediction was better', async () => {
    const { take, clock, answered } = setUp({ maxWait: 500, interval: 10_000 })
    take(20)
    answered(1, answer(30, 10, 10))
    const held = take(1)[0]!
    const failed = expect(held).rejects.toMatchObject({ outcome: 'not-sent' })
    await clock.advance(502)
    await failed
    expect(clock.timers).toBe(0)
  })
})

describe('the state', () => {
  it('is true at every moment', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 5_000_000 })
    const { clock, take, answered, limiter } = setUp()
    expect(limiter.state).toEqual({ limit: 30, remaining: 30, resetAt: undefined, queued: 0 })
    take(3)
    expect(limiter.state).toEqual({ limit: 30, remaining: 27, resetAt: new Date(5_060_000), queued: 0 })
    answered(3, answer(30, 20, 60))
    expect(limiter.state.remaining).toBe(20)
    take(25)
    expect(limiter.state).toMatchObject({ remaining: 0, queued: 5 })
    limiter.release?.()
    expect(limiter.state).toMatchObject({ remaining: 0, queued: 4 })
    answered(20, answer(30, 0, 60))
    await clock.advance(60_061)
    expect(limiter.state.queued).toBe(3)
    vi.useRealTimers()
  })
})

describe('options', () => {
  it.each([
    [{ requests: 0 }, 'rateLimit.requests: expected a whole number from 1, or Infinity, received 0'],
    [{ requests: 1.5 }, 'received 1.5'],
    [{ requests: '30' }, 'received "30"'],
    [null, 'rateLimit: expected an object of options, received null'],
    [{ interval: 0 }, 'rateLimit.interval: expected milliseconds above 0 and up to 86400000, received 0'],
    [{ interval: Infinity }, 'received Infinity'],
    [{ maxWait: -1 }, 'rateLimit.maxWait: expected milliseconds from 0, or Infinity, received -1'],
    [{ maxWait: Number.NaN }, 'received NaN'],
  ])('%j does not fit', (options, message) => {
    expect(() => createRateLimiter(options as RateLimitOptions)).toThrow(ConfigurationError)
    expect(() => createRateLimiter(options as RateLimitOptions)).toThrow(message)
  })
})
