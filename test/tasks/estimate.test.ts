import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Estimate } from '../../src/bulk/estimate.ts'

const MINUTE = 60_000
const WORK = 20

/** An estimate with so many items in work, after two of 20 ms each. `msLeft`: until the rate window ends. */
function setUp({
  limit,
  remaining,
  msLeft,
  concurrency = 1,
  inWork = 0,
}: {
  limit?: number
  remaining?: number
  msLeft?: number
  concurrency?: number
  inWork?: number
}): Estimate {
  const resetAt = () => (msLeft === undefined ? undefined : new Date(Date.now() + msLeft))
  // Every item that has begun has sent a request.
  const rateLimit = {
    limit,
    remaining: remaining === undefined ? undefined : remaining + 2 + inWork,
    resetAt: resetAt(),
    queued: 0,
  }
  const estimate = new Estimate({ rateLimit }, concurrency)
  const begin = () => {
    const end = estimate.begin()
    if (rateLimit.remaining !== undefined) rateLimit.remaining--
    return end
  }
  const ends = [begin(), begin()]
  vi.advanceTimersByTime(WORK)
  rateLimit.resetAt = resetAt()
  for (const { ended, taken } of ends) {
    ended()
    taken()
  }
  for (let i = 0; i < inWork; i++) begin()
  return estimate
}

beforeEach(() => {
  vi.useFakeTimers()
  return () => void vi.useRealTimers()
})

describe('the time that a run still takes', () => {
  it('is not known before anything has ended or a rate window was seen, unless nothing is left', () => {
    const estimate = new Estimate(undefined, 1)
    expect(estimate.timeFor(1)).toBeUndefined()
    expect(estimate.timeFor(0)).toBe(0)
    estimate.begin()
    expect(estimate.timeFor(1)).toBeUndefined()
  })

  it('is told from the rate window alone before the first item has ended', () => {
    const resetAt = new Date(Date.now() + MINUTE)
    const estimate = new Estimate({ rateLimit: { limit: 10, remaining: 0, resetAt, queued: 0 } }, 1)
    estimate.begin()
    // One is in work, ten go in the next window.
    expect(estimate.timeFor(11)).toBe(MINUTE)
    expect(estimate.timeFor(12)).toBe(2 * MINUTE)
  })

  it('is that of the work if there is no limit, or nobody knows what is left of it', () => {
    expect(setUp({}).timeFor(3)).toBe(3 * WORK)
    expect(setUp({ limit: 1, msLeft: MINUTE }).timeFor(3)).toBe(3 * WORK)
    expect(setUp({ remaining: 0, msLeft: MINUTE }).timeFor(3)).toBe(3 * WORK)
  })

  it('is told from the mean of the first items', () => {
    const estimate = setUp({})
    const { ended, taken } = estimate.begin()
    vi.advanceTimersByTime(4 * WORK)
    ended()
    taken()
    expect(estimate.timeFor(1)).toBeCloseTo(2 * WORK)
  })

  it('is shorter if several items are in work at a time', () => {
    expect(setUp({ concurrency: 2 }).timeFor(10)).toBe(5 * WORK)
    expect(setUp({ concurrency: 5 }).timeFor(2)).toBe(WORK)
  })

  it.each([
    // what is left, places left, in work: windows to wait for, items in the last one
    { left: 5, remaining: 5, inWork: 0, windows: 0, last: 5 },
    { left: 6, remaining: 5, inWork: 0, windows: 1, last: 1 },
    { left: 15, remaining: 5, inWork: 0, windows: 1, last: 10 },
    { left: 16, remaining: 5, inWork: 0, windows: 2, last: 1 },
    { left: 7, remaining: 5, inWork: 2, windows: 0, last: 7 },
    { left: 8, remaining: 5, inWork: 2, windows: 1, last: 1 },
  ])('waits for $windows windows of ten with $left left, $remaining free and $inWork in work', (row) => {
    const { left, remaining, inWork, windows, last } = row
    const estimate = setUp({ limit: 10, remaining, msLeft: MINUTE, inWork })
    expect(estimate.timeFor(left)).toBe(windows * MINUTE + last * WORK)
  })

  it('counts windows by the longest that was seen, and the running one by what is left of it', () => {
    const estimate = setUp({ limit: 1, remaining: 0, msLeft: MINUTE })
    vi.advanceTimersByTime(MINUTE - 1000)
    expect(estimate.budget().untilReset).toBe(1000)
    expect(estimate.timeFor(3)).toBe(1000 + 2 * MINUTE + WORK)
  })

  it('is at least that of the work if the work is slower than the budget', () => {
    const estimate = setUp({ limit: 10, remaining: 0, msLeft: 30 })
    expect(estimate.timeFor(10)).toBe(30 + 10 * WORK)
    expect(estimate.timeFor(100)).toBe(100 * WORK)
  })
})
