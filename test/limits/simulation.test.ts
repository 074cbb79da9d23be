import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { play } from './simulation.ts'

const atOnce = (calls: number) => Array.from({ length: calls }, () => 0)

/** Times of travel between `least` and `most` milliseconds each way, repeatable from the seed. */
function travelling(least: number, most: number, seed = 1) {
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
    ['the clock of the server an hour ahead', { ...minute, skew: 3_600_000 }],
    ['the clock of the server an hour behind', { ...second, skew: -3_600_000 }],
    ['windows on the beat of the clock', { ...minute, aligned: true }],
  ])('nothing is refused, and no time is lost: %s', async (_, server) => {
    const outcome = await play({ ...server, travel: travelling(1, 5), clients: [atOnce(120)] })
    expect(outcome).toMatchObject({ done: 120, refused: 0 })
    expect(outcome.total).toBeLessThan(3 * server.interval * 1.05)
  })

  it.each([2, 3, 8])('%i clients of one key find their shares, and none loses a call', async (count) => {
    const clients = Array.from({ length: count }, () => atOnce(120))
    const outcome = await play({ ...minute, travel: travelling(20, 60), clients })
    expect(outcome.done).toBe(120 * count)
    expect(outcome.total).toBeLessThan((4 * count - 1) * 60_000 * 1.05)
    // Nobody knows of the others at first; after that, a few of each window find it full.
    const windows = 4 * count
    expect(outcome.refused - 30 * (count - 1)).toBeLessThan(windows * 2 * count)
  })
})

describe('whatever the network and the server are like', () => {
  it('a client alone is never refused in a burst, and every call is done', async () => {
    const scenes = fc.record({
      limit: fc.integer({ min: 1, max: 40 }),
      interval: fc.integer({ min: 100, max: 60_000 }),
      headers: fc.boolean(),
      aligned: fc.boolean(),
      skew: fc.integer({ min: -10_000_000, max: 10_000_000 }),
      calls: fc.integer({ min: 1, max: 90 }),
      latency: fc.integer({ min: 0, max: 80 }),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
    })
    await fc.assert(
      fc.asyncProperty(scenes, async ({ calls, latency, seed, ...server }) => {
        const travel = travelling(0, latency, seed)
        const outcome = await play({ ...server, travel, clients: [atOnce(calls)] })
        const windows = Math.ceil(calls / server.limit) - 1
        expect(outcome.done).toBe(calls)
        // On the beat of the clock a burst may stand on both sides of it, which the next test shows.
        if (server.aligned && outcome.refused > 0) return
        expect(outcome.refused).toBe(0)
        // The first request of an awaited window goes ahead of the others until it is answered.
        const alone = Math.min(2 * latency, server.interval / 20)
        expect(outcome.total).toBeLessThanOrEqual(
          windows * (server.interval * 1.001 + 2 + 2 * latency + alone) + 2 * latency + 1,
        )
      }),
      { numRuns: 60 },
    )
  })

  it('a burst on both sides of the beat of a clock may cost a refusal in the next window, and loses nothing', async () => {
    const server = { limit: 3, interval: 102, headers: false, aligned: true }
    const outcome = await play({ ...server, travel: travelling(0, 50, 1), clients: [atOnce(6)] })
    expect(outcome).toMatchObject({ done: 6, refused: 1 })
  })

  it('every call is done, however many clients come whenever they like', async () => {
    const scenes = fc.record({
      limit: fc.integer({ min: 1, max: 20 }),
      interval: fc.integer({ min: 500, max: 10_000 }),
      headers: fc.boolean(),
      aligned: fc.boolean(),
      clients: fc.array(fc.array(fc.integer({ min: 0, max: 15_000 }), { minLength: 1, maxLength: 30 }), {
        minLength: 1,
        maxLength: 3,
      }),
      latency: fc.integer({ min: 0, max: 300 }),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
    })
    await fc.assert(
      fc.asyncProperty(scenes, async ({ latency, seed, ...scene }) => {
        const outcome = await play({ ...scene, travel: travelling(0, latency, seed) })
        expect(outcome.done).toBe(scene.clients.flat().length)
      }),
      { numRuns: 60 },
    )
  })
})
