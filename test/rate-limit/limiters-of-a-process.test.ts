import { expect, it, onTestFinished, vi } from 'vitest'
import { limiterFor } from '../../src/rate-limit/limiter.ts'

const baseUrl = 'https://sho.rt/api'
const otherUrl = 'https://go.example/api'
const newFetch = () => async () => new Response()
const newKey = () => () => 'the-key-1'

it('gives one limiter to a base URL, a key and a fetch, and others to others', () => {
  const [fetch, key] = [newFetch(), newKey()]
  const owner = { baseUrl, key, fetch }
  const limiter = limiterFor(owner, {})
  expect(limiterFor({ ...owner }, { requests: 5 })).toBe(limiter)
  const others = [
    { ...owner, baseUrl: otherUrl },
    { ...owner, key: newKey() },
    { ...owner, key: 'the-key-1' },
    { ...owner, key: null },
    { ...owner, fetch: newFetch() },
  ]
  const all = new Set([limiter, ...others.map((other) => limiterFor(other, {}))])
  expect(all.size).toBe(6)
  for (const other of others) expect(all.has(limiterFor(other, {}))).toBe(true)
})

it('keeps to the smallest number of requests and the longest interval that were given', async () => {
  const owner = { baseUrl, key: 'the-key-2', fetch: newFetch() }
  const limiter = limiterFor(owner, { requests: Infinity, interval: 5000 })
  expect(limiter.state.limit).toBeUndefined()
  limiterFor(owner, {})
  expect(limiter.state.limit).toBe(30)
  limiterFor(owner, { requests: 10, interval: 7000 })
  limiterFor(owner, { requests: 20, interval: 1000 })
  expect(limiter.state.limit).toBe(10)
  const before = Date.now()
  await limiter.acquire()
  const length = limiter.state.resetAt!.getTime() - before
  expect(length).toBeGreaterThan(6900)
  expect(length).toBeLessThan(8000)
})

it('takes the limit that the server states, as long as no client has set a smaller one', async () => {
  const owner = { baseUrl, key: 'the-key-3', fetch: newFetch() }
  const limiter = limiterFor(owner, {})
  await limiter.acquire()
  limiter.observe({ headers: new Headers({ 'X-RateLimit-Limit': '120' }), refused: false, retryAfter: undefined })
  limiterFor(owner, {})
  expect(limiter.state.limit).toBe(120)
  limiterFor(owner, { requests: 60 })
  expect(limiter.state.limit).toBe(60)
})

it('gives one limiter to clients with one name, whatever their keys and fetches are', () => {
  const owner = () => ({ baseUrl, key: newKey(), fetch: newFetch() })
  const limiter = limiterFor(owner(), { name: 'tenant-7' })
  expect(limiterFor(owner(), { name: 'tenant-7' })).toBe(limiter)
  expect(limiterFor(owner(), { name: 'tenant-8' })).not.toBe(limiter)
  expect(limiterFor({ ...owner(), baseUrl: otherUrl }, { name: 'tenant-7' })).not.toBe(limiter)
})

it('forgets no limiter of ten thousand tenants while its window is open', async () => {
  const owners = Array.from({ length: 10_000 }, (_, index) => ({ baseUrl, key: `tenant ${index}`, fetch: newFetch() }))
  for (const owner of owners) await limiterFor(owner, {}).acquire()
  expect(owners.filter((owner) => limiterFor(owner, {}).state.remaining !== 29)).toEqual([])
})

it('keeps the limiter that a long-lived client has, however many others come and go', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const owner = { baseUrl, key: newKey(), fetch: newFetch() }
  const limiter = limiterFor(owner, { requests: 10 })
  for (let tenant = 0; tenant < 600; tenant++) {
    vi.advanceTimersByTime(1000)
    limiterFor({ ...owner, key: newKey() }, {})
  }
  expect(limiterFor(owner, {})).toBe(limiter)
})
