import { afterEach, describe, expect, it, vi } from 'vitest'
import { RateLimitError } from '../../src/errors.ts'
import { errorOf, refusal, response, setUp, silentRefusal } from './rate-limit-setup.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Whether a promise has resolved so far. */
function watch(place: Promise<unknown> | undefined): { isGranted: boolean } {
  const seen = { isGranted: place === undefined }
  place?.then(() => {
    seen.isGranted = true
  })
  return seen
}

describe('waiting for budget', () => {
  it('is first come, first served, also for calls that come while others wait', async () => {
    const { clock, granted, take, end } = setUp({ requests: 2, interval: 1000 })
    take(3)
    await end(2)
    await clock.advance(1000)
    take(2)
    for (let i = 0; i < 3; i++) {
      await clock.advance(1002)
      await end(2)
    }
    expect(granted).toEqual([0, 1, 2, 3, 4])
  })

  it('is first come, first served, also if the timer of the limiter is late', () => {
    const { clock, limiter, take } = setUp({ requests: 1, interval: 1000 })
    take(2)
    clock.now = () => 5000
    expect(limiter.acquire()).toBeInstanceOf(Promise)
    expect(limiter.state.queued).toBe(2)
  })

  it('ends at an abort with the reason of the signal', async () => {
    const { clock, granted, take, limiter, end } = setUp({ requests: 1, interval: 1000 })
    const controller = new AbortController()
    const reason = new Error('enough')
    take(1)
    const [waiting] = take(1, controller.signal)
    take(1)
    expect(limiter.state.queued).toBe(2)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(limiter.state.queued).toBe(1)
    await end(1)
    await clock.advance(1002)
    expect(granted).toEqual([0, 2])
  })

  it('does not start if the signal has been aborted before', async () => {
    const { limiter } = setUp()
    await expect(limiter.acquire({ signal: AbortSignal.abort('no') })).rejects.toBe('no')
    expect(limiter.state).toMatchObject({ remaining: 30, queued: 0 })
  })

  it('leaves no listener on the signal and no timer, however it ends', async () => {
    const { clock, take, end } = setUp({ requests: 1, interval: 1000 })
    const controller = new AbortController()
    const added = vi.spyOn(controller.signal, 'addEventListener')
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    const calls = take(4, controller.signal)
    expect(clock.timers).toBe(1)
    await end(1)
    await clock.advance(1002)
    controller.abort('stop')
    await Promise.allSettled(calls)
    // One listener, however many calls: Node warns of a leak at the eleventh.
    expect(added).toHaveBeenCalledTimes(1)
    expect(removed).toHaveBeenCalledTimes(1)
    expect(clock.timers).toBe(0)
  })

  it('needs no timer while no call waits, and one however many do', async () => {
    const { clock, take, end } = setUp()
    const setTimer = vi.spyOn(clock, 'setTimeout')
    take(30)
    expect(clock.timers).toBe(0)
    take(50)
    expect(clock.timers).toBe(1)
    expect(setTimer).toHaveBeenCalledTimes(1)
    await end(30, response(30, 0, 60))
    expect(clock.timers).toBe(1)
  })
})

describe('maxWait', () => {
  it('rejects a call at once that would have to wait longer', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    const { take, end, limiter } = setUp({ maxWait: 61_000 })
    take(60)
    await end(30)
    const error = await errorOf(take(1)[0])
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ status: 429, outcome: 'not-sent', attempts: 0, retryable: true, retryAfter: 121 })
    expect(error?.message).toBe('would wait about 121 s for the rate limit, longer than maxWait (61 s)')
    expect(error?.resetAt?.getTime()).toBe(1_060_061)
    expect(limiter.state.queued).toBe(30)
  })

  it('accepts a wait of exactly that length', async () => {
    const { clock, granted, take } = setUp({ requests: 1, maxWait: 60_000 })
    take(2)
    await clock.advance(0)
    expect(granted).toEqual([0])
    const exact = setUp({ requests: 1, maxWait: 60_061 })
    exact.take(1)
    await exact.end(1)
    exact.take(1)
    await exact.clock.advance(60_061)
    expect(exact.granted).toEqual([0, 1])
  })

  it('rejects waiting calls when a refusal makes their wait too long', async () => {
    const { take, end, limiter, clock } = setUp({ maxWait: 61_000 })
    const waiting = errorOf(take(31)[30])
    await end(30, refusal(80))
    expect(await waiting).toMatchObject({ code: 'rate_limit', outcome: 'not-sent', retryAfter: 80 })
    expect(limiter.state.queued).toBe(0)
    expect(clock.timers).toBe(0)
  })

  it('counts the time that a call has waited already', async () => {
    const { take, end, clock, limiter } = setUp({ requests: 2, maxWait: 80_000 })
    take(2)
    await clock.advance(1000)
    const waiting = take(1)[0]
    await clock.advance(30_000)
    const later = take(1)[0]
    // 30 s of waiting and 51 s to go are too long for the first, not for the second.
    const error = errorOf(waiting)
    await end(1, refusal(51))
    expect((await error)?.message).toBe(
      'waited 30 s and would wait about 51 s more for the rate limit, longer than maxWait (80 s)',
    )
    expect(limiter.state.queued).toBe(1)
    await clock.advance(51_000)
    await later
  })

  it('counts the calls before each, but not those that are rejected', async () => {
    const { take, end, limiter } = setUp({ requests: 1, maxWait: 130_000 })
    const calls = take(3)
    const errors = calls.slice(1).map(errorOf)
    expect(limiter.state.queued).toBe(2)
    await end(1, refusal(71))
    expect(await errors[1]).toMatchObject({ retryAfter: 131 })
    expect(limiter.state.queued).toBe(1)
  })

  it('is kept to for each call even if the estimated wait was shorter', async () => {
    const { take, clock, end, limiter } = setUp({ maxWait: 500, interval: 10_000, requests: 10 })
    take(10)
    await end(10, { ...silentRefusal, retryAfter: 0.3 })
    await clock.advance(300)
    // Others use the key: only half of what is left may be in flight, and the responses do not arrive.
    take(1)
    await end(1, response(10, 9, 10))
    take(5)
    const held = errorOf(take(1)[0])
    expect(limiter.state).toMatchObject({ remaining: 4, queued: 1 })
    await clock.advance(200)
    const later = errorOf(take(1)[0])
    await clock.advance(299)
    expect(limiter.state.queued).toBe(2)
    await clock.advance(1)
    expect(await held).toMatchObject({ outcome: 'not-sent', message: expect.stringMatching('waited 500 ms') })
    await clock.advance(199)
    expect(limiter.state.queued).toBe(1)
    await clock.advance(1)
    expect(await later).toMatchObject({ outcome: 'not-sent', message: expect.stringMatching('waited 500 ms') })
    expect(clock.timers).toBe(0)
  })

  it('of 0 rejects every call that finds no free place', async () => {
    const { take } = setUp({ requests: 1, maxWait: 0 })
    const [first, second] = take(2)
    expect(first).toBeUndefined()
    expect(await errorOf(second)).toMatchObject({ code: 'rate_limit' })
  })
})

describe('a wait that the server imposes by a refusal', () => {
  const DAY = 86_400

  it('beyond maxDelay rejects later calls at once, until what is left of it is short enough', async () => {
    const { clock, limiter, take, end } = setUp()
    take(1)
    await end(1, refusal(DAY))
    const error = await errorOf(limiter.acquire({ maxDelay: 90_000 }))
    expect(error).toMatchObject({ code: 'rate_limit', outcome: 'not-sent', retryable: true, retryAfter: DAY })
    expect(error?.message).toBe('the server said to wait another 86400 s, longer than maxDelay (90 s)')
    expect(limiter.state.queued).toBe(0)
    expect(clock.timers).toBe(0)
    await clock.advance(DAY * 1000 - 90_000)
    const late = watch(limiter.acquire({ maxDelay: 90_000 }))
    await clock.advance(89_999)
    expect(late.isGranted).toBe(false)
    await clock.advance(1)
    expect(late.isGranted).toBe(true)
  })

  it('rejects the calls that wait already, except those that allow for it', async () => {
    const { clock, limiter, take, end } = setUp({ requests: 1 })
    take(1)
    const impatient = errorOf(limiter.acquire({ maxDelay: 90_000 }))
    const patient = watch(limiter.acquire({ maxDelay: 91_000 }))
    const indifferent = watch(limiter.acquire())
    await end(1, refusal(91))
    expect(await impatient).toMatchObject({ code: 'rate_limit', retryAfter: 91 })
    expect(limiter.state.queued).toBe(2)
    await clock.advance(91_000)
    expect(patient.isGranted).toBe(true)
    await end(1)
    await clock.advance(60_061)
    expect(indifferent.isGranted).toBe(true)
  })

  it('is the longest of several', async () => {
    const { limiter, take, end } = setUp()
    take(3)
    await end(1, silentRefusal)
    await end(1, refusal(100))
    await end(1, refusal(10))
    expect(await errorOf(limiter.acquire({ maxDelay: 90_000 }))).toMatchObject({ retryAfter: 100 })
  })

  it('may be stated by the reset alone', async () => {
    const { limiter, take, end } = setUp({ interval: 3_600_000 })
    take(1)
    await end(1, refusal(undefined, 600))
    expect(await errorOf(limiter.acquire({ maxDelay: 90_000 }))).toMatchObject({ retryAfter: 601 })
  })

  it.each([
    ['a long queue', { requests: 1, interval: 60_000 }, undefined],
    ['a long window', { requests: 1, interval: 3_600_000 }, undefined],
    ['a refusal that states no time', { requests: 1, interval: 3_600_000 }, silentRefusal],
  ])('is not %s', async (_, options, said) => {
    const { clock, limiter, take, end } = setUp(options)
    take(4)
    await end(1, said)
    const last = watch(limiter.acquire({ maxDelay: 1000 }))
    for (let i = 0; i < 4; i++) {
      expect(last.isGranted).toBe(false)
      await clock.advance(options.interval * 1.001 + 2)
      await end(1)
    }
    expect(last.isGranted).toBe(true)
  })
})

describe('onWait', () => {
  it('is called once for each call that has to wait, with the estimated wait and the number of waiting calls', async () => {
    const { clock, limiter, end } = setUp({ requests: 2 })
    const onWait = vi.fn()
    for (let i = 0; i < 2; i++) limiter.acquire({ onWait })
    expect(onWait).not.toHaveBeenCalled()
    for (let i = 0; i < 3; i++) limiter.acquire({ onWait })
    const expected = [
      [{ waitMs: 60_000, queued: 1 }],
      [{ waitMs: 60_000, queued: 2 }],
      [{ waitMs: 120_000, queued: 3 }],
    ]
    expect(onWait.mock.calls).toEqual(expected)
    await end(2, refusal(80))
    await clock.advance(200_000)
    expect(onWait.mock.calls).toEqual(expected)
  })

  it('is called later if it turns out only later that a call has to wait', async () => {
    const { clock, limiter, take, end } = setUp()
    take(31)
    await end(30, response(30, 0, 60))
    await clock.advance(60_061)
    // One request has gone alone. As far as is known, there are places for the calls that come now.
    const onWait = vi.fn()
    take(1)
    limiter.acquire({ onWait })
    limiter.acquire()
    expect(onWait).not.toHaveBeenCalled()
    await end(1, response(30, 0, 40))
    expect(onWait.mock.calls).toEqual([[{ waitMs: 41_000, queued: 3 }]])
  })

  it('is not called while a call may be sent any moment, because there are places left', async () => {
    const { clock, limiter, take, end } = setUp({ interval: 10_000, requests: 10 })
    take(10)
    await end(10, refusal(1))
    await clock.advance(1000)
    take(1)
    await end(1, response(10, 9, 10))
    take(5)
    // Others use the key, so only five requests are in flight at a time.
    const onWait = vi.fn()
    limiter.acquire({ onWait })
    expect(limiter.state).toMatchObject({ remaining: 4, queued: 1 })
    expect(onWait).not.toHaveBeenCalled()
  })

  it('is called in whole milliseconds', () => {
    const { limiter } = setUp({ requests: 1, interval: 10.5 })
    const onWait = vi.fn()
    limiter.acquire()
    limiter.acquire({ onWait })
    expect(onWait).toHaveBeenCalledWith({ waitMs: 11, queued: 1 })
  })

  it('is not called for a call that is rejected or aborted instead', async () => {
    const { limiter, take, end, clock } = setUp({ maxWait: 70_000 })
    take(31)
    await end(30, response(30, 0, 60))
    await clock.advance(60_061)
    const onWait = vi.fn()
    const controller = new AbortController()
    const aborted = errorOf(limiter.acquire({ signal: controller.signal, onWait }))
    const rejected = errorOf(limiter.acquire({ onWait, maxDelay: 1000 }))
    controller.abort('enough')
    await end(1, refusal(41))
    expect(await aborted).toBe('enough')
    expect(await rejected).toMatchObject({ retryAfter: 41 })
    expect(await errorOf(limiter.acquire({ onWait, maxDelay: 1000 }))).toMatchObject({ retryAfter: 41 })
    expect(onWait).not.toHaveBeenCalled()
  })

  it('cannot break a call by throwing', () => {
    const { limiter, take } = setUp({ requests: 1 })
    take(1)
    const onWait = () => {
      throw new Error('mine')
    }
    void limiter.acquire({ onWait })
    expect(limiter.state.queued).toBe(1)
  })
})
