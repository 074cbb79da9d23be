/** What `fetch` and the user's functions throw can be anything. `.safe()` then gives an error of this package. */
import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { expect, test } from 'vitest'

const throwing = (): never => {
  throw new Error('hostile')
}

const hostileValues: [what: string, value: unknown][] = [
  ['an error whose `digest` throws', Object.defineProperty(new Error('x'), 'digest', { get: throwing })],
  ['an error whose `message` throws', Object.defineProperty(new Error('x'), 'message', { get: throwing })],
  ['an error whose `cause` throws', Object.defineProperty(new Error('x'), 'cause', { get: throwing })],
  ['an error whose `stack` throws', Object.defineProperty(new Error('x'), 'stack', { get: throwing })],
  ['an error whose `code` throws', Object.defineProperty(new Error('x'), 'code', { get: throwing })],
  ['an error whose `name` is a symbol', Object.assign(new Error('x'), { name: Symbol('x') })],
  ['a Proxy that throws', new Proxy(new Error('x'), { get: throwing, getPrototypeOf: throwing, has: throwing })],
]

function connect(options: ConstructorParameters<typeof ShortLinkClient>[0]) {
  const rateLimit = { requests: 2, name: crypto.randomUUID() }
  return new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'KEY', retry: 0, rateLimit, ...options })
}

test.each(hostileValues)('%s, thrown by fetch, is an error with an outcome', async (_, value) => {
  const client = connect({ fetch: () => Promise.reject(value) })
  const result = await client.links.create({ url: 'https://shop.example/' }).safe()
  expect(result).toMatchObject({ ok: false, error: { code: 'connection', outcome: 'unknown' } })
})

test.each(hostileValues)('%s, thrown before anything is sent, gives the slot back', async (_, value) => {
  const isSync = { fetch: () => throwValue(value) }
  const isKey = { apiKey: () => throwValue(value), fetch: throwing }
  const isHook = { beforeRequest: () => throwValue(value), fetch: throwing }
  for (const options of [isSync, isKey, isHook]) {
    const client = connect(options as object)
    const result = await client.links.create({ url: 'https://shop.example/' }).safe()
    expect(result).toMatchObject({ ok: false, error: { outcome: 'not-sent' } })
    expect(isShortLinkError(result.error)).toBe(true)
    expect(client.rateLimit.remaining).toBe(2)
  }
})

function throwValue(value: unknown): never {
  throw value
}
