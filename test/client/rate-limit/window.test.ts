import { afterEach, describe, expect, it, vi } from 'vitest'
import { refusal, response, SERVER_TIME, setUp, silentRefusal } from './setup.ts'

const DAY = 86_400

afterEach(() => {
  vi.useRealTimers()
})

describe('the window', () => {
  it('grants 30 slots a minute at once, and the next ones when the window has certainly ended', async () => {
    const { clock, granted, take, end, limiter } = setUp()
    take(70)
    expect(granted).toHaveLength(30)
    await clock.advance(20)
    await end(30, response())
    await clock.advance(60_060)
    expect(granted).toHaveLength(30)
    await clock.advance(1)
    expect(granted).toHaveLength(31)
    // The slots become free over two seconds.
    await clock.advance(1933)
    expect(granted).toHaveLength(59)
    await clock.advance(1)
    expect(granted).toHaveLength(60)
    await end(30, response())
    await clock.advance(62_000)
    expect(granted).toEqual(Array.from({ length: 70 }, (_, i) => i))
    expect(limiter.state.queued).toBe(0)
  })

  it('opens the next window after two intervals without a response', async () => {
    const { clock, granted, take } = setUp({ interval: 1000 })
    take(31)
    await clock.advance(1999)
    expect(granted).toHaveLength(30)
    await clock.advance(1)
    expect(granted).toHaveLength(31)
  })

  it('uses the server’s limit, higher or lower, if the user set none', async () => {
    const up = setUp()
    up.take(1)
    await up.end(1, response(120, 119, 60))
    up.take(200)
    expect(up.granted).toHaveLength(120)

    const down = setUp()
    down.take(1)
    await down.end(1, response(10, 9, 60))
    down.take(20)
    expect(down.granted).toHaveLength(10)
    expect(down.limiter.state.limit).toBe(10)
  })

  it('uses the user’s `requests` as a ceiling: headers may lower it, but never raise it', async () => {
    const { granted, take, end, limiter } = setUp({ requests: 5 })
    take(1)
    await end(1, response(30, 29, 60))
    expect(limiter.state).toMatchObject({ limit: 5, remaining: 4 })
    take(20)
    expect(granted).toHaveLength(5)
    await end(1, response(3, 0, 60))
    expect(limiter.state.limit).toBe(3)
    await end(1, response(30, 29, 60))
    expect(limiter.state.limit).toBe(5)
  })

  it('sends fewer requests when others use the key, according to the smaller number', async () => {
    const { granted, take, end, limiter } = setUp()
    take(1)
    await end(1, response(30, 12, 40))
    expect(limiter.state.remaining).toBe(12)
    take(30)
    expect(granted).toHaveLength(13)
    await end(1, response(30, 0, 40))
    await end(11, response(30, 11, 40))
    expect(granted).toHaveLength(13)
  })

  it('subtracts the requests in flight, in any order of responses', async () => {
    const { granted, take, end, limiter } = setUp()
    take(20)
    await end(1, response(30, 10, 60))
    expect(limiter.state.remaining).toBe(0)
    await end(18, response(30, 15, 60))
    expect(limiter.state.remaining).toBe(9)
    await end(1, response(30, 29, 60))
    expect(limiter.state.remaining).toBe(10)
    take(20)
    expect(granted).toHaveLength(30)
  })

  it('ends the window when the server says, if that is before an interval has passed', async () => {
    const { clock, granted, take, end } = setUp()
    take(1)
    await end(1, response(30, 0, 20))
    take(1)
    // The server may have rounded the reset down.
    await clock.advance(20_999)
    expect(granted).toHaveLength(1)
    await clock.advance(1)
    expect(granted).toHaveLength(2)
  })

  it.each([
    ['a reset in the past', response(30, 0, -5)],
    ['a reset a year away', response(30, 0, 31_536_000)],
    ['a reset in milliseconds', response(30, 0, SERVER_TIME * 1000)],
    ['empty headers', response('', '')],
    ['negative numbers', response(-30, -1)],
    ['a limit of 0', response(0, 3)],
    ['more requests remaining than the limit', response(30, 5000, 60)],
  ])('is not misled by %s', async (_, lie) => {
    const { clock, granted, take, end, limiter } = setUp()
    take(30)
    await end(30, lie)
    expect(limiter.state.limit).toBe(30)
    expect(limiter.state.remaining).toBe(0)
    take(1)
    await clock.advance(60_060)
    expect(granted).toHaveLength(30)
    await clock.advance(1)
    expect(granted).toHaveLength(31)
  })

  it('never waits without a limit, not even between two windows', async () => {
    const { clock, granted, take, limiter } = setUp({ requests: Infinity })
    take(500)
    expect(granted).toHaveLength(500)
    expect(limiter.state).toMatchObject({ limit: undefined, remaining: undefined })
    await clock.advance(90_000)
    take(500)
    expect(granted).toHaveLength(1000)
    expect(limiter.state).toMatchObject({ limit: undefined, remaining: undefined })
  })
})

describe('the limit of several clients', () => {
  it('is the smallest of those that used this window or the last one, so that it rises again', async () => {
    const { clock, limiter, take, end } = setUp()
    const limits: unknown[] = []
    for (let window = 0; window < 3; window++) {
      take(1)
      await end(1)
      limiter.restrict({})
      if (window === 0) limiter.restrict({ requests: 2, interval: 120_000 })
      limits.push(limiter.state.limit)
      await clock.advance(120_122)
    }
    expect(limits).toEqual([2, 2, 30])
    take(1)
    await clock.advance(60_000)
    expect(limiter.state.resetAt!.getTime() - Date.now()).toBeLessThanOrEqual(60_000)
  })

  it('holds while calls wait, although no client asks anew', async () => {
    const { clock, limiter, granted, take } = setUp({ requests: 1, interval: 1000 })
    take(5)
    await clock.advance(4000)
    expect(granted).toEqual([0, 1, 2])
    expect(limiter.state.limit).toBe(1)
  })
})

describe('a call that was never sent', () => {
  it('releases its slot for the next call', async () => {
    const { granted, take, limiter, clock } = setUp({ requests: 1 })
    take(2)
    expect(granted).toEqual([0])
    limiter.release!()
    await clock.advance(0)
    expect(granted).toEqual([0, 1])
  })

  it('opens no window, which starts with the first request that is sent', async () => {
    const { clock, granted, take, limiter } = setUp({ requests: 2, interval: 1000 })
    take(2)
    limiter.release!()
    limiter.release!()
    await clock.advance(1500)
    take(1)
    expect(granted).toEqual([0, 1, 2])
    await clock.advance(999)
    take(1)
    expect(granted).toEqual([0, 1, 2, 3])
  })
})

describe('a window whose requests were all released', () => {
  it('starts anew with the next request, although a late response has told an end', async () => {
    const { clock, granted, take, limiter } = setUp({ requests: 1, interval: 1000 })
    take(1)
    await clock.advance(2000)
    take(1)
    limiter.release!()
    limiter.observe(response())
    await clock.advance(500)
    take(2)
    expect(granted).toEqual([0, 1, 2])
    await clock.advance(999)
    expect(granted).toEqual([0, 1, 2])
    expect(limiter.state.remaining).toBe(0)
  })
})

describe('a refusal', () => {
  it.each([
    ['Retry-After, up to a day', refusal(DAY, 25), DAY * 1000],
    ['a second, if Retry-After says 0', { ...response(30, 29, 60), refused: true, retryAfter: 0 }, 1000],
    ['a second, if Retry-After says 0 and nothing else', { ...silentRefusal, retryAfter: 0 }, 1000],
    ['a second, without Retry-After if requests remain', { ...response(30, 12, 60), refused: true }, 1000],
    ['the reset, without Retry-After', refusal(undefined, 25), 26_000],
    ['the reset, if Retry-After says 0 but nothing remains', refusal(0, 25), 26_000],
    ['the reset, if Retry-After is beyond a day', refusal(DAY + 1, 25), 26_000],
    ['the reset, up to two seconds after the end of its window', refusal(undefined, 62), 63_000],
    ['its own window, if the reset is later', refusal(undefined, 63), 60_061],
    ['its own window, if the server states nothing', silentRefusal, 60_061],
  ])('waits according to %s', async (_, said, wait) => {
    const { clock, limiter, take, end } = setUp()
    take(30)
    await end(30, said)
    await clock.advance(wait - 1)
    expect(limiter.state.remaining).toBe(0)
    await clock.advance(1)
    expect(limiter.state.remaining).toBe(30)
  })

  it('is not shortened by a later, shorter refusal or by a late success', async () => {
    const { clock, granted, take, end } = setUp()
    take(4)
    await end(1, refusal(50))
    await end(1, refusal(10))
    await end(1, response(30, 20, 5))
    take(1)
    await clock.advance(49_999)
    expect(granted).toHaveLength(4)
    await clock.advance(1)
    expect(granted).toHaveLength(5)
  })
})

describe('a key that another program also uses', () => {
  it('frees the slots of an hour’s window in half a minute, and those of a second’s sooner', async () => {
    for (const [interval, half] of [
      [3_600_000, 30_000],
      [1000, 500],
    ] as const) {
      const { clock, granted, take, end } = setUp({ interval })
      take(90)
      await end(30, { ...silentRefusal, retryAfter: 10 })
      await clock.advance(10_000 + half * 0.96)
      expect(granted).toHaveLength(59)
      await clock.advance(half / 100)
      expect(granted).toHaveLength(60)
    }
  })

  it('frees slots slowly after a single refusal, because one program alone never exceeds the limit', async () => {
    const { clock, granted, take, end } = setUp()
    take(45)
    await end(29, response(30, 0, 60))
    await end(1, refusal(60))
    await clock.advance(60_000)
    expect(granted).toHaveLength(31)
    await clock.advance(2000)
    expect(granted).toHaveLength(33)
  })

  it('does not slow calls down after a refusal if the headers show no other program', async () => {
    const { clock, granted, take, end } = setUp()
    take(1)
    await end(1, { ...response(30, 29, 60), refused: true, retryAfter: 1 })
    const onWait = vi.fn()
    take(15, { onWait })
    expect(onWait.mock.lastCall).toEqual([{ waitMs: 1934, queued: 15 }])
    await clock.advance(1000)
    // The server continues its old window.
    await end(1, response(30, 28, 59))
    await clock.advance(1000)
    expect(granted).toHaveLength(16)
  })

  it('recognizes within two seconds that they have stopped, and estimates waits until then', async () => {
    const { clock, granted, take, end } = setUp()
    take(1)
    await end(1, refusal(5))
    const onWait = vi.fn()
    take(15, { onWait })
    expect(onWait.mock.lastCall).toEqual([{ waitMs: 19_000, queued: 15 }])
    await clock.advance(5000)
    await end(1, response(30, 29, 60))
    await clock.advance(1000)
    expect(granted).toHaveLength(3)
    await end(1, response(30, 28, 59))
    expect(granted).toHaveLength(16)
    expect(onWait).toHaveBeenCalledTimes(15)
  })

  it('slows down again, with new estimates, when they come back', async () => {
    const { clock, granted, take, end } = setUp()
    take(60)
    const waits: number[] = []
    take(1, { onWait: ({ waitMs }) => waits.push(waitMs) })
    await end(30, response(30, 0, 60))
    await clock.advance(60_061)
    expect(granted).toHaveLength(31)
    await end(1, response(30, 20, 60))
    expect(waits).toEqual([120_000, 69_061])
  })

  it('does not slow down later calls if no call waited for the window', async () => {
    const { clock, granted, take, end } = setUp()
    take(30)
    await end(30, refusal(10))
    await clock.advance(40_000)
    take(30)
    expect(granted).toHaveLength(60)
  })
})

describe('the state', () => {
  it('is always accurate', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 5_000_000 })
    const { clock, take, end, limiter } = setUp()
    expect(limiter.state).toEqual({ limit: 30, remaining: 30, resetAt: undefined, queued: 0 })
    take(3)
    expect(limiter.state).toEqual({ limit: 30, remaining: 27, resetAt: new Date(5_060_000), queued: 0 })
    await end(3, response(30, 20, 60))
    expect(limiter.state.remaining).toBe(20)
    take(25)
    expect(limiter.state).toMatchObject({ remaining: 0, queued: 5 })
    limiter.release!()
    await clock.advance(0)
    expect(limiter.state).toMatchObject({ remaining: 0, queued: 4 })
    await end(20, response(30, 0, 60))
    await clock.advance(60_061)
    expect(limiter.state.queued).toBe(3)
  })
})
