import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seed } from '../../helpers/seed.ts'
import { play } from './simulation.ts'

const atOnce = (calls: number) => Array.from({ length: calls }, () => 0)

/** Returns reproducible network latencies from `least` to `most` milliseconds each way. */
function latencies(least: number, most: number, seed = 1) {
  let state = seed
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return least + (state / 2_147_483_647) * (most - least)
  }
  return () => [next(), next()] as [number, number]
}

const second = { limit: 30, interval: 1000 }
const minute = { limit: 30, interval: 60_000 }

describe('120 calls at once against 30 a window, in simulated time', () => {
  it.each([
    ['short windows', { ...second }],
    ['short windows, headers hidden', { ...second, headers: false }],
    ['the real minute', { ...minute }],
    ['the real minute, headers hidden', { ...minute, headers: false }],
    ['the server’s clock an hour ahead', { ...minute, skew: 3_600_000 }],
    ['the server’s clock an hour behind', { ...second, skew: -3_600_000 }],
    ['windows aligned to the server’s clock', { ...minute, aligned: true }],
  ])('none is refused, and no time is lost: %s', async (_, server) => {
    const outcome = await play({ ...server, latency: latencies(1, 5), clients: [atOnce(120)] })
    expect(outcome).toMatchObject({ done: 120, refused: 0 })
    expect(outcome.total).toBeLessThan(3 * server.interval * 1.05)
  })

  it.each([
    [2, true],
    [2, false],
    [3, true],
    [8, true],
    [8, false],
  ])('%i programs with one key lose no call and no time, rate headers: %s', async (count, headers) => {
    const clients = Array.from({ length: count }, () => atOnce(120))
    const outcome = await play({ ...minute, headers, latency: latencies(20, 60), clients })
    expect(outcome).toMatchObject({ done: 120 * count, failed: 0 })
    expect(outcome.total).toBeLessThan((4 * count - 1) * 60_000 * 1.05)
    // At first, the clients do not know of each other. Later, each has at most one refusal per window.
    expect(outcome.refused - 30 * (count - 1)).toBeLessThan(4 * count * count)
  })
})

describe('three clients that share one key over a store like Postgres, in simulated time', () => {
  const processes = Array.from({ length: 3 }, () => atOnce(40))
  const ten = { limit: 30, interval: 10_000 }

  it.each([
    ['the real minute', minute, latencies(20, 60), 1.012],
    ['the real minute, headers hidden', { ...minute, headers: false }, latencies(20, 60), 1.012],
    ['connections that take a second to open', minute, latencies(1000, 1100), 1.09],
    ['windows of ten seconds', ten, latencies(5, 40), 1.025],
  ])('none is refused, and little time is lost: %s', async (_, server, latency, ratio) => {
    const store = { latency: latencies(1, 10), work: 5 }
    const outcome = await play({ ...server, latency, clients: processes, store })
    expect(outcome).toMatchObject({ done: 120, refused: 0 })
    expect(outcome.total / (3 * server.interval)).toBeLessThan(ratio)
  })

  it('none is refused, regardless of when the clients start', async () => {
    const offset = fc.integer({ min: 0, max: 15_000 })
    await fc.assert(
      fc.asyncProperty(fc.tuple(offset, offset, offset), fc.integer({ min: 1, max: 1000 }), async (offsets, seed) => {
        const clients = offsets.map((at) => Array.from({ length: 40 }, () => at))
        const store = { latency: latencies(1, 10, seed), work: 5 }
        const outcome = await play({ ...ten, latency: latencies(5, 80, seed), clients, store })
        expect(outcome).toMatchObject({ done: 120, refused: 0 })
      }),
      { numRuns: 60, seed },
    )
  })

  it('a clock that differs by more than the margin causes a few refusals, but loses no call', async () => {
    const store = { latency: latencies(1, 10), work: 5, clocks: [0, 3000, 0] }
    const outcome = await play({ ...ten, latency: latencies(5, 40), clients: processes, store })
    expect(outcome.done).toBe(120)
    expect(outcome.refused).toBeLessThanOrEqual(5)
  })
})

describe('with any network and any server', () => {
  it('a single client is never refused in a burst, and completes every call', async () => {
    const scenes = fc.record({
      limit: fc.integer({ min: 1, max: 40 }),
      // Longer than the latency of any response.
      interval: fc.integer({ min: 500, max: 60_000 }),
      headers: fc.boolean(),
      aligned: fc.boolean(),
      skew: fc.integer({ min: -10_000_000, max: 10_000_000 }),
      calls: fc.integer({ min: 1, max: 90 }),
      maxLatency: fc.integer({ min: 0, max: 80 }),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
    })
    await fc.assert(
      fc.asyncProperty(scenes, async ({ calls, maxLatency, seed, ...server }) => {
        const latency = latencies(0, maxLatency, seed)
        const outcome = await play({ ...server, latency, clients: [atOnce(calls)] })
        // If a burst begins at the end of an aligned window, that window counts as one.
        const windows = Math.ceil(calls / server.limit) - (server.aligned ? 0 : 1)
        expect(outcome.done).toBe(calls)
        // A burst across the end of an aligned window is in the next test.
        if (server.aligned && outcome.refused > 0) return
        expect(outcome.refused).toBe(0)
        expect(outcome.total).toBeLessThanOrEqual(
          windows * (server.interval * 1.001 + 2 + 2 * maxLatency) + server.interval / 30 + 2 * maxLatency + 1,
        )
      }),
      { numRuns: 60, seed },
    )
  })

  it('a burst across the end of an aligned window may cause a refusal in the next window, but loses no call', async () => {
    const server = { limit: 3, interval: 102, headers: false, aligned: true }
    const outcome = await play({ ...server, latency: latencies(0, 50, 1), clients: [atOnce(6)] })
    expect(outcome).toMatchObject({ done: 6, refused: 1 })
  })

  it('every call succeeds within its retries, regardless of when other busy programs start', async () => {
    const scenes = fc.record({
      headers: fc.boolean(),
      aligned: fc.boolean(),
      starts: fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 2, maxLength: 4 }),
      maxLatency: fc.integer({ min: 0, max: 300 }),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
    })
    await fc.assert(
      fc.asyncProperty(scenes, async ({ starts, maxLatency, seed, ...server }) => {
        const clients = starts.map((at) => Array.from({ length: 120 }, () => at))
        const outcome = await play({ ...minute, ...server, latency: latencies(0, maxLatency, seed), clients })
        expect(outcome).toMatchObject({ done: clients.flat().length, failed: 0 })
      }),
      // Fixed, because no client can prevent three programs in a row from starting just before the same retry.
      { numRuns: 30, seed: 2 },
    )
  })
})

describe('processes that share one key over a store like Redis, in simulated time', () => {
  const store = { latency: latencies(0.2, 1, 3), work: 0.05 }
  /** More calls than the windows allow. */
  const busy = (from = 0) => Array.from({ length: 200 }, () => from)
  const countsIn = (doneAt: number[][], from: number, to: number) =>
    doneAt.map((times) => times.filter((time) => time >= from && time < to).length)

  it.each([2, 3, 5, 6, 8])(
    '%i busy processes each get at least half of an equal share, over five windows',
    async (count) => {
      for (const span of [0, 500, 2000]) {
        const clients = Array.from({ length: count }, (_, index) => busy((index * span) / count))
        const { doneAt, refused } = await play({ ...minute, latency: latencies(20, 60, 2), clients, store })
        expect(Math.min(...countsIn(doneAt, 0, 5 * 60_500))).toBeGreaterThanOrEqual((5 * 30) / count / 2)
        expect(refused).toBe(0)
      }
    },
  )

  it.each([
    [60, 0],
    // Longer than the margin between two windows. A refused request is sent again.
    [400, 2],
  ])('a process that starts later than others catches up, with latencies up to %i ms', async (most, mostRefused) => {
    const clients = [busy(0), busy(150), busy(300)]
    const server = { limit: 30, interval: 6000, latency: latencies(20, most, 2) }
    const { doneAt, refused } = await play({ ...server, clients, store })
    // Three quarters of an equal share of five windows.
    expect(Math.min(...countsIn(doneAt, 0, 5 * 6060))).toBeGreaterThanOrEqual((5 * 30) / 4)
    expect(refused).toBeLessThanOrEqual(mostRefused)
  })

  it('a normal call gets its slot within two windows, and calls of low priority get the rest', async () => {
    const clients = [busy(), busy(), [200_000]]
    const { doneAt } = await play({ ...minute, latency: latencies(20, 60, 2), clients, store, low: [0, 1] })
    expect(doneAt[2]![0]! - 200_000).toBeLessThan(120_000)
    const low = countsIn(doneAt, 30_000, 270_000)
    expect(low[0]! + low[1]!).toBe(4 * 27)
  })

  it('calls of low priority use every second window if each has one slot', async () => {
    const one = { limit: 1, interval: 1000 }
    const clients = [Array.from({ length: 5 }, () => 0), Array.from({ length: 5 }, () => 0)]
    const { doneAt } = await play({ ...one, latency: latencies(1, 5, 2), clients, store, low: [0] })
    expect(doneAt[1]!.at(-1)!).toBeLessThan(11_000)
  })
})
