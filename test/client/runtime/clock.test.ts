import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/client/runtime/clock.ts'

const DAY = 86_400_000
let time: number

/** Returns a rounded time, because other tests may have left a fraction on the clock. */
const since = (start: number): number => Math.round(systemClock.now() - start)

/** Advances the timers, and `performance.now()` as the runtime rounds it. */
function pass(ms: number): void {
  time += ms
  vi.advanceTimersByTime(ms)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  time = Math.ceil(performance.now() / 1000) * 1000
  vi.spyOn(performance, 'now').mockImplementation(() => time)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('the clock of the process', () => {
  it('advances like performance.now()', () => {
    const start = systemClock.now()
    const passed = [0, 1, 60_000, 400 * DAY].map((ms) => {
      time += ms
      return since(start)
    })
    expect(passed).toEqual([0, 1, 60_001, 60_001 + 400 * DAY])
  })

  it.each([1, 60_000, DAY])('jumps more than a year ahead if performance.now() goes back by %i ms', (ms) => {
    time += DAY
    const start = systemClock.now()
    time -= ms
    expect(since(start)).toBe(366 * DAY)
    time += 1000
    expect(since(start)).toBe(366 * DAY + 1000)
  })

  it('has reached the time of a timer when it fires', () => {
    const start = systemClock.now()
    const passed: number[] = []
    const next = () => {
      if (passed.push(since(start)) < 5) systemClock.setTimeout(next, 100)
    }
    next()
    vi.advanceTimersByTime(400)
    expect(passed).toEqual([0, 100, 200, 300, 400])
    time += 1000
    expect(since(start)).toBeGreaterThanOrEqual(1000)
  })

  it('does not run fast if the runtime rounds the time to 100 ms', () => {
    vi.mocked(performance.now).mockImplementation(() => Math.floor(time / 100) * 100)
    const [start, startTime] = [systemClock.now(), time]
    const next = () => systemClock.setTimeout(next, 66)
    next()
    for (let step = 0; step < 10_000; step++) {
      pass(10)
      const ahead = since(start) - (time - startTime)
      expect(Math.abs(ahead)).toBeLessThanOrEqual(100)
    }
  })
})
