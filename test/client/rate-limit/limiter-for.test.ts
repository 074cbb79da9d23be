import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getLimiter } from '../../../src/client/rate-limit/registry.ts'

const baseUrl = 'https://sho.rt/api'
const otherUrl = 'https://go.example/api'
const newFetch = () => async () => new Response()
const newKey = () => () => 'the-key-1'

it('returns one limiter for each combination of base URL, key and fetch', () => {
  const [fetch, key] = [newFetch(), newKey()]
  const owner = { baseUrl, key, fetch }
  const limiter = getLimiter(owner, {})
  expect(getLimiter({ ...owner }, { requests: 5 })).toBe(limiter)
  const others = [
    { ...owner, baseUrl: otherUrl },
    { ...owner, key: newKey() },
    { ...owner, key: 'the-key-1' },
    { ...owner, key: null },
    { ...owner, fetch: newFetch() },
  ]
  const all = new Set([limiter, ...others.map((other) => getLimiter(other, {}))])
  expect(all.size).toBe(6)
  for (const other of others) expect(all.has(getLimiter(other, {}))).toBe(true)
})

it('uses the smallest number of requests and the longest interval of all callers', async () => {
  const owner = { baseUrl, key: 'the-key-2', fetch: newFetch() }
  const limiter = getLimiter(owner, { requests: Infinity, interval: 5000 })
  expect(limiter.state.limit).toBeUndefined()
  getLimiter(owner, {})
  expect(limiter.state.limit).toBe(30)
  getLimiter(owner, { requests: 10, interval: 7000 })
  getLimiter(owner, { requests: 20, interval: 1000 })
  expect(limiter.state.limit).toBe(10)
  const before = Date.now()
  await limiter.acquire()
  const length = limiter.state.resetAt!.getTime() - before
  expect(length).toBeGreaterThan(6900)
  expect(length).toBeLessThan(8000)
})

it('uses the limit that the server states, unless a client has set a smaller one', async () => {
  const owner = { baseUrl, key: 'the-key-3', fetch: newFetch() }
  const limiter = getLimiter(owner, {})
  await limiter.acquire()
  limiter.observe({ headers: new Headers({ 'X-RateLimit-Limit': '120' }), refused: false, retryAfter: undefined })
  getLimiter(owner, {})
  expect(limiter.state.limit).toBe(120)
  getLimiter(owner, { requests: 60 })
  expect(limiter.state.limit).toBe(60)
})

it('returns one limiter for clients with one name, even with different keys and fetches', () => {
  const owner = () => ({ baseUrl, key: newKey(), fetch: newFetch() })
  const limiter = getLimiter(owner(), { name: 'tenant-7' })
  expect(getLimiter(owner(), { name: 'tenant-7' })).toBe(limiter)
  expect(getLimiter(owner(), { name: 'tenant-8' })).not.toBe(limiter)
  expect(getLimiter({ ...owner(), baseUrl: otherUrl }, { name: 'tenant-7' })).not.toBe(limiter)
})

it('keeps the limiters of ten thousand tenants while their windows are open', async () => {
  const owners = Array.from({ length: 10_000 }, (_, index) => ({ baseUrl, key: `tenant ${index}`, fetch: newFetch() }))
  for (const owner of owners) await getLimiter(owner, {}).acquire()
  expect(owners.filter((owner) => getLimiter(owner, {}).state.remaining !== 29)).toEqual([])
})

describe('with many other tenants', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())
  const minutesOfTenants = (minutes: number) => {
    for (let tenant = 0; tenant < minutes * 60; tenant++) {
      vi.advanceTimersByTime(1000)
      getLimiter({ baseUrl, key: newKey(), fetch: globalThis.fetch }, {})
    }
  }

  it('keeps a limiter that is used again', () => {
    const owner = { baseUrl, key: newKey(), fetch: newFetch() }
    const limiter = getLimiter(owner, { requests: 10 })
    for (let minute = 0; minute < 10; minute++) {
      expect(getLimiter(owner, {})).toBe(limiter)
      minutesOfTenants(0.9)
    }
  })

  it('keeps a limiter while its window is open or calls wait, and removes it after that', async () => {
    const owner = { baseUrl, key: newKey(), fetch: newFetch() }
    const limiter = getLimiter(owner, { requests: 1, interval: 300_000 })
    await limiter.acquire()
    const second = limiter.acquire()
    minutesOfTenants(9)
    expect(getLimiter(owner, {})).toBe(limiter)
    minutesOfTenants(2)
    await second
    minutesOfTenants(12)
    expect(getLimiter(owner, {})).not.toBe(limiter)
  })
})

it('does not reveal keys or base URLs in inspections of the process', () => {
  getLimiter({ baseUrl, key: 'the-key-that-nobody-sees', fetch: newFetch() }, {})
  const symbols = Object.getOwnPropertySymbols(globalThis).filter(({ description }) => /shortlink/.test(description!))
  expect(symbols).not.toEqual([])
  for (const symbol of symbols) {
    expect(Object.prototype.propertyIsEnumerable.call(globalThis, symbol)).toBe(false)
    const shown = inspect(Reflect.get(globalThis, symbol), { showHidden: true, depth: 9 })
    expect(shown).not.toMatch(/the-key-that-nobody-sees|sho\.rt/)
  }
})
