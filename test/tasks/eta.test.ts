import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { ShortLinkClient } from '../../src/index.ts'
import { bulk, type TaskProgress } from '../../src/tasks/index.ts'
import { createSandbox } from '../../src/testing/index.ts'

const MINUTE = 60_000
const ITEMS = 90

// The first call loads modules, during which the fake time would run on.
beforeAll(() => new ShortLinkClient(createSandbox().clientOptions).account.get())

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
  return () => void vi.useRealTimers()
})

/** What `etaMs` said after each item, and how long the run took from there. */
async function estimates(requestsOf: (item: number) => number, concurrency: number, latency: number) {
  const sandbox = createSandbox({ rateLimit: { requests: 30, interval: MINUTE } })
  const slowFetch: typeof fetch = async (...call) => {
    await new Promise((resolve) => setTimeout(resolve, latency))
    return sandbox.fetch(...call)
  }
  const client = new ShortLinkClient({
    ...sandbox.clientOptions,
    rateLimit: undefined,
    fetch: slowFetch,
    logLevel: 'off',
  })
  const worker = async (item: number) => {
    for (let sent = 0; sent < requestsOf(item); sent++) await client.account.get()
  }
  const reports: TaskProgress[] = []
  const items = Array.from({ length: ITEMS }, (_, index) => index)
  const summary = bulk(items, worker, { client, concurrency, onProgress: (now) => reports.push(now) }).summary()
  let isRunning = true
  const end = () => {
    isRunning = false
  }
  summary.then(end, end)
  while (isRunning) await vi.advanceTimersToNextTimerAsync()
  const { elapsedMs } = await summary
  return reports.map((report) => ({ eta: report.etaMs!, left: elapsedMs - report.elapsedMs }))
}

it.each([
  { requests: 'one request', requestsOf: () => 1 },
  { requests: 'two requests', requestsOf: () => 2 },
  { requests: 'three requests', requestsOf: () => 3 },
  { requests: 'one or two requests', requestsOf: (item: number) => 1 + (item % 2) },
])('etaMs is true to a quarter from the tenth item on, if an item takes $requests', async ({ requestsOf }) => {
  for (const [concurrency, latency] of [
    [1, 3000],
    [1, 17_000],
    [3, 1000],
    [10, 50],
    [10, 3000],
  ] as const) {
    const said = (await estimates(requestsOf, concurrency, latency)).slice(9)
    // In the last second, nobody asks for a quarter.
    const oneItem = Math.max(1500, 3 * latency)
    expect(said.filter(({ eta, left }) => Math.abs(eta - left) > Math.max(left / 4, oneItem))).toEqual([])
  }
})
