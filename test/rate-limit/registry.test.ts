import { expect, it } from 'vitest'
import { limiterFor } from '../../src/rate-limit/registry.ts'

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

it('keeps at most 500 limiters: the oldest leaves, and serves the calls that it has accepted', () => {
  const owners = Array.from({ length: 501 }, (_, index) => ({ baseUrl, key: `tenant ${index}`, fetch: newFetch() }))
  const [oldest, second] = owners.map((owner) => limiterFor(owner, {}))
  void oldest!.acquire()
  expect(limiterFor(owners[1]!, {})).toBe(second)
  expect(limiterFor(owners[0]!, {})).not.toBe(oldest)
  expect(oldest!.state.remaining).toBe(29)
})
