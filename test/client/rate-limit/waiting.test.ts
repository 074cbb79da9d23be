import { AsyncLocalStorage } from 'node:async_hooks'
import type { AcquireOptions } from 'shortlink-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { refusal, refusalOf, response, setUp, silentRefusal } from './setup.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Tracks whether a promise has resolved. */
function watch(place: Promise<unknown> | undefined): { isGranted: boolean } {
  const seen = { isGranted: place === undefined }
  place?.then(() => {
    seen.isGranted = true
  })
  return seen
}

describe('waiting for a slot', () => {
  it('is first come, first served, also for calls that arrive while others wait', async () => {
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

  it('ends with the reason of the signal after an abort', async () => {
    const { clock, granted, take, limiter, end } = setUp({ requests: 1, interval: 1000 })
    const controller = new AbortController()
    const reason = new Error('enough')
    take(1)
    const [waiting] = take(1, controller)
    take(1)
    expect(limiter.state.queued).toBe(2)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(limiter.state.queued).toBe(1)
    await end(1)
    await clock.advance(1002)
    expect(granted).toEqual([0, 2])
  })

  it('ends first for the retries of earlier calls', async () => {
    const { clock, granted, take, end } = setUp({ requests: 2, interval: 1000 })
    take(3)
    take(1, { attempt: 2 })
    take(2, { attempt: 3 })
    take(1, { attempt: 2 })
    for (let i = 0; i < 3; i++) {
      await end(2)
      await clock.advance(1002)
    }
    expect(granted).toEqual([0, 1, 4, 5, 3, 6, 2])
  })

  it('does not depend on the timers of other calls, which a Worker drops when their requests end', async () => {
    const { clock, granted, limiter, take, end } = setUp({ requests: 1, interval: 1000 })
    const setTimer = clock.setTimeout
    take(1)
    await end(1)
    // The timers of these calls never fire.
    vi.spyOn(clock, 'setTimeout').mockImplementation(() => setTimer(() => {}, Infinity))
    take(2)
    vi.mocked(clock.setTimeout).mockImplementation(setTimer)
    take(1)
    await clock.advance(10_000)
    expect(granted).toEqual([0, 1, 2, 3])
    expect(limiter.state.queued).toBe(0)
  })

  it('sets no timer longer than runtimes support', async () => {
    const { clock, granted, take, end } = setUp({ requests: 1, interval: 60 * 86_400_000 })
    const setTimer = vi.spyOn(clock, 'setTimeout')
    take(2)
    await end(1)
    await clock.advance(61 * 86_400_000)
    expect(granted).toEqual([0, 1])
    expect(Math.max(...setTimer.mock.calls.map(([, ms]) => ms))).toBe(2 ** 31 - 1)
  })

  it('does not start if the signal is already aborted', async () => {
    const { limiter } = setUp()
    await expect(limiter.acquire({ signal: AbortSignal.abort('no') })).rejects.toBe('no')
    expect(limiter.state).toMatchObject({ remaining: 30, queued: 0 })
  })

  it('never leaves a listener on the signal or a timer', async () => {
    const { clock, take, end } = setUp({ requests: 1, interval: 1000 })
    const controller = new AbortController()
    const added = vi.spyOn(controller.signal, 'addEventListener')
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    const calls = take(4, controller)
    expect(clock.timers).toBe(3)
    await end(1)
    await clock.advance(1002)
    controller.abort('stop')
    await Promise.allSettled(calls)
    // One listener for all calls, because Node warns of a leak at the eleventh.
    expect(added).toHaveBeenCalledTimes(1)
    expect(removed).toHaveBeenCalledTimes(1)
    expect(clock.timers).toBe(0)
  })

  it('needs a timer for each waiting call, and none while no call waits', async () => {
    const { clock, take, end } = setUp()
    take(30)
    expect(clock.timers).toBe(0)
    take(50)
    expect(clock.timers).toBe(50)
    await end(30, response(30, 0, 60))
    expect(clock.timers).toBe(50)
    await clock.advance(62_000)
    expect(clock.timers).toBe(20)
  })
})

describe('a deadline', () => {
  it('rejects a call at once that would have to wait longer', async () => {
    const { take, end, limiter } = setUp()
    take(60)
    await end(30)
    const refusal = await refusalOf(take(1, { deadline: 61_000 })[0])
    expect(refusal?.reason).toBe('deadline')
    expect(Math.ceil(refusal!.ms / 1000)).toBe(121)
    expect(limiter.state.queued).toBe(30)
  })

  it('rejects a waiting call as soon as a refusal makes its wait too long', async () => {
    const { take, end, limiter, clock } = setUp()
    take(30)
    const waiting = refusalOf(take(1, { deadline: 61_000 })[0])
    await clock.advance(1000)
    await end(30, refusal(61))
    expect(await waiting).toMatchObject({ reason: 'deadline' })
    expect(limiter.state.queued).toBe(0)
    expect(clock.timers).toBe(0)
  })

  it('counts the calls before each, but not those that are rejected', async () => {
    const { take, end, limiter } = setUp({ requests: 1 })
    const calls = take(3, { deadline: 130_000 })
    const errors = calls.slice(1).map(refusalOf)
    expect(limiter.state.queued).toBe(2)
    await end(1, refusal(71))
    expect(Math.ceil((await errors[1])!.ms / 1000)).toBe(131)
    expect(limiter.state.queued).toBe(1)
  })

  it('rejects a call as soon as it is known that the wait is longer than estimated', async () => {
    const { clock, limiter, take } = setUp({ requests: 1, interval: 1000 })
    take(1)
    const waiting = refusalOf(take(1, { deadline: 1050 })[0])
    // Without a response, the window may end later.
    await clock.advance(999)
    expect(limiter.state.queued).toBe(1)
    await clock.advance(1)
    expect(await waiting).toMatchObject({ reason: 'deadline' })
    expect(clock.timers).toBe(0)
  })
})

describe('a wait that the server imposes by a refusal', () => {
  const DAY = 86_400

  it('above 90 seconds rejects later calls at once, until the rest of it is short enough', async () => {
    const { clock, limiter, take, end } = setUp()
    take(2)
    await end(1, refusal(DAY))
    // A later, shorter refusal does not shorten the wait.
    await end(1, refusal(1))
    const error = await refusalOf(limiter.acquire())
    expect(error).toEqual({ reason: 'imposed', ms: DAY * 1000 })
    expect(limiter.state.queued).toBe(0)
    expect(clock.timers).toBe(0)
    await clock.advance(DAY * 1000 - 90_000)
    const late = watch(limiter.acquire())
    await clock.advance(89_999)
    expect(late.isGranted).toBe(false)
    await clock.advance(1)
    expect(late.isGranted).toBe(true)
  })

  it('above 90 seconds rejects calls that are already waiting', async () => {
    const { limiter, take, end } = setUp({ requests: 1 })
    const waiting = take(3).slice(1).map(refusalOf)
    await end(1, refusal(91))
    for (const error of await Promise.all(waiting)) expect(error).toEqual({ reason: 'imposed', ms: 91_000 })
    expect(limiter.state.queued).toBe(0)
  })

  it('longer than a deadline rejects because of the deadline', async () => {
    const { limiter, take, end } = setUp()
    take(1)
    await end(1, refusal(50))
    expect(await refusalOf(limiter.acquire({ deadline: 49_000 }))).toMatchObject({ reason: 'deadline' })
    const waiting = refusalOf(limiter.acquire({ deadline: 51_000 }))
    expect(limiter.state.queued).toBe(1)
    await end(1, refusal(91))
    expect(await waiting).toMatchObject({ reason: 'deadline' })
    expect(await refusalOf(limiter.acquire({ deadline: 90_500 }))).toMatchObject({ reason: 'deadline' })
    expect(await refusalOf(limiter.acquire({ deadline: 120_000 }))).toMatchObject({ reason: 'imposed' })
  })

  it.each([
    ['a long queue', { requests: 1, interval: 60_000 }, undefined],
    ['a long window', { requests: 1, interval: 3_600_000 }, undefined],
    ['a refusal that states no time', { requests: 1, interval: 3_600_000 }, silentRefusal],
  ])('is not %s', async (_, options, said) => {
    const { clock, limiter, take, end } = setUp(options)
    take(4)
    await end(1, said)
    const last = watch(limiter.acquire())
    for (let i = 0; i < 4; i++) {
      expect(last.isGranted).toBe(false)
      await clock.advance(options.interval * 1.001 + 2)
      await end(1)
    }
    expect(last.isGranted).toBe(true)
  })
})

describe('onWait', () => {
  it('is called for each call that has to wait, with the estimated wait and the number of waiting calls', async () => {
    const { clock, limiter, end } = setUp({ requests: 2 })
    const onWait = vi.fn()
    for (let i = 0; i < 2; i++) limiter.acquire({ onWait })
    expect(onWait).not.toHaveBeenCalled()
    for (let i = 0; i < 3; i++) limiter.acquire({ onWait })
    const expected = [
      [{ waitMs: 60_000, queued: 1 }],
      [{ waitMs: 61_000, queued: 2 }],
      [{ waitMs: 120_000, queued: 3 }],
    ]
    expect(onWait.mock.calls).toEqual(expected)
    await end(2)
    await clock.advance(60_070)
    await end(1)
    await clock.advance(200_000)
    expect(onWait.mock.calls).toEqual(expected)
  })

  it('is called again when the wait becomes more than a second longer', async () => {
    const { limiter, end } = setUp({ requests: 1 })
    const onWait = vi.fn()
    limiter.acquire()
    limiter.acquire({ onWait })
    await end(1, refusal(80))
    expect(onWait.mock.calls).toEqual([[{ waitMs: 60_000, queued: 1 }], [{ waitMs: 80_000, queued: 1 }]])
  })

  it('runs in the async context of its own call', async () => {
    const { clock, limiter, end } = setUp({ requests: 1 })
    const context = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const acquire = (name: string) =>
      context.run(name, () => limiter.acquire({ onWait: () => seen.push(context.getStore()) }))
    void acquire('first')
    void acquire('second')
    void acquire('third')
    await context.run('response', () => end(1, refusal(80)))
    await clock.advance(0)
    expect(seen).toEqual(['second', 'third', 'second', 'third'])
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

describe('calls of low priority', () => {
  it('leave slots to as many normal calls as the last window had, and fewer as the window passes', async () => {
    const { clock, limiter, take, end } = setUp({ requests: 10, interval: 60_000 })
    take(10, { priority: 'low' })
    await end(10)
    await clock.advance(50_000)
    for (let i = 0; i < 4; i++) void limiter.acquire({ deadline: 1000 })?.catch(() => {})
    let low = 0
    for (let i = 0; i < 20; i++)
      void limiter.acquire({ priority: 'low' })?.then(
        () => low++,
        () => {},
      )
    const counts: number[] = []
    await clock.advance(10_061)
    for (let part = 0; part < 4; part++) {
      await clock.advance(14_000)
      counts.push(low)
    }
    // One slot stays until the end.
    expect(counts).toEqual([6, 7, 8, 9])
    expect(limiter.acquire()).toBeUndefined()
  })

  it('leave nothing if no normal call came', async () => {
    const { clock, take, end, granted } = setUp({ requests: 10, interval: 60_000 })
    take(20, { priority: 'low' })
    await end(10)
    await clock.advance(62_100)
    expect(granted).toHaveLength(20)
  })

  it('leave every second window of one slot to normal calls, while there are any', async () => {
    const { clock, granted, take, end } = setUp({ requests: 1, interval: 1000 })
    take(4, { priority: 'low' })
    take(1, { deadline: 100 })[0]!.catch(() => {})
    await end(1)
    await clock.advance(1002)
    await end(1)
    await clock.advance(1900)
    expect(granted).toEqual([0, 1])
    await clock.advance(200)
    expect(granted).toEqual([0, 1, 2])
  })

  it('wait behind all other calls, even later ones', async () => {
    const { clock, limiter, take } = setUp({ requests: 1, interval: 1000 })
    take(1)
    const order: string[] = []
    const call = (name: string, options: AcquireOptions) => limiter.acquire(options)!.then(() => order.push(name))
    const calls = [
      call('task', { priority: 'low' }),
      call('task again', { priority: 'low', attempt: 2 }),
      call('visitor', {}),
      call('visitor again', { attempt: 2 }),
    ]
    for (let window = 0; window < 8; window++) await clock.advance(1100)
    await Promise.all(calls)
    expect(order).toEqual(['visitor again', 'visitor', 'task again', 'task'])
  })
})
