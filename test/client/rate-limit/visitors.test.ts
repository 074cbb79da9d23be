import { expect, it } from 'vitest'
import { createRateLimiter, FakeClock } from './clock.ts'
import { response } from './setup.ts'

const MINUTE = 60_000

/** Plays six minutes of an import with ten calls at a time, and of a visitor every five seconds, in simulated time. */
async function play(latency: number, firstVisit: number) {
  const clock = new FakeClock()
  const limiter = createRateLimiter({}, clock)
  const pass = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms))
  let [opensAt, used] = [-Infinity, 0]
  const imported: number[] = []
  const served: number[] = []

  async function request(priority: 'low' | 'normal', deadline = Infinity): Promise<void> {
    await limiter.acquire({ priority, deadline })
    await pass(latency / 2)
    if (clock.now() >= opensAt + MINUTE) [opensAt, used] = [clock.now(), 0]
    used++
    expect(used).toBeLessThanOrEqual(30)
    const resetIn = Math.ceil((opensAt + MINUTE - clock.now()) / 1000)
    const answer = response(30, 30 - used, resetIn)
    await pass(latency / 2)
    limiter.observe(answer)
  }

  async function work(): Promise<void> {
    while (clock.now() < 6 * MINUTE) {
      await request('low')
      imported.push(clock.now())
    }
  }

  async function visit(at: number): Promise<void> {
    await pass(at)
    await request('normal', 10_000)
    served.push(at)
  }

  for (let at = firstVisit; at < 6 * MINUTE; at += 5000) visit(at).catch(() => {})
  for (let i = 0; i < 10; i++) void work()
  await clock.advance(0)
  await clock.advance(6 * MINUTE)
  return {
    served: served.filter((at) => at >= MINUTE).length,
    imported: imported.filter((at) => at >= MINUTE).length / 5,
  }
}

it.each([
  [0, 0],
  [50, 0],
  [50, 2500],
  [150, 700],
  [150, 4900],
  [1000, 3700],
])(
  '57 of 60 visitors beside an import are served, and it gets 16 slots a minute: latency %i, from %i ms',
  async (latency, firstVisit) => {
    const { served, imported } = await play(latency, firstVisit)
    expect(served).toBeGreaterThanOrEqual(57)
    expect(imported).toBeGreaterThanOrEqual(16)
  },
)
