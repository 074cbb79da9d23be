import { bulk } from 'shortlink-cli'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setUp } from './set-up.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Returns the estimates during a run of 20 calls, five per window. */
async function readEstimates(interval: number) {
  const client = setUp().client.withOptions({ rateLimit: { requests: 5, interval } })
  const etas: number[] = []
  const onProgress = ({ etaMs }: { etaMs: number | undefined }) => void etas.push(etaMs!)
  const run = bulk(numbers(20), () => client.account.get(), { client, concurrency: 1, onProgress }).summary()
  await vi.advanceTimersByTimeAsync(10 * interval)
  await run
  return etas
}

test.each([10_000, 60_000, 3_600_000])('windows of %i ms are estimated correctly', async (interval) => {
  const etas = await readEstimates(interval)
  // 15 more items are three more windows, then two, then one.
  for (const [windows, eta] of [etas[14]!, etas[9]!, etas[4]!].entries()) {
    expect(eta / interval).toBeGreaterThan(windows + 0.8)
    expect(eta / interval).toBeLessThan(windows + 1.3)
  }
})

test('the remaining time of a window that another program started is not used as the length of the next one', async () => {
  const { sandbox, client } = setUp()
  const start = Date.now()
  let sent = 0
  // The windows take a minute, and the first one has ten seconds left.
  const fetch: typeof globalThis.fetch = async (...call) => {
    const response = await sandbox.fetch(...call)
    const window = Math.floor((Date.now() - start + 50_000) / 60_000)
    const reset = Math.ceil((start + 10_000 + window * 60_000) / 1000)
    const headers = {
      ...Object.fromEntries(response.headers),
      'x-ratelimit-limit': '5',
      'x-ratelimit-reset': `${reset}`,
    }
    return new Response(response.body, { headers: { ...headers, 'x-ratelimit-remaining': `${4 - (sent++ % 5)}` } })
  }
  const limited = client.withOptions({ fetch, rateLimit: 5 })
  const etas: number[] = []
  const onProgress = ({ etaMs }: { etaMs: number | undefined }) => void etas.push(etaMs!)
  const run = bulk(numbers(30), () => limited.account.get(), { client: limited, concurrency: 1, onProgress }).summary()
  await vi.advanceTimersByTimeAsync(600_000)
  await run
  // 15 left after the third window of five.
  expect(etas[14]! / 60_000).toBeGreaterThan(2.7)
  expect(etas[14]! / 60_000).toBeLessThan(3.5)
})
