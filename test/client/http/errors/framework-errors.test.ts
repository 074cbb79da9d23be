import type { ShortLinkClient, ShortLinkClientOptions } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'
import { describe, expect, it, vi } from 'vitest'
import { connect, KEY } from '../../../helpers/client.ts'
import { thrown } from '../../../helpers/outcome.ts'
import { account } from '../../../helpers/responses.ts'

/** The errors that Next.js throws for dynamic pages, redirects and pages that are not found. */
const dynamic = Object.assign(new Error('Dynamic server usage: no-store fetch'), { digest: 'DYNAMIC_SERVER_USAGE' })

const noErrors: [string, unknown][] = [
  ['a Response, as Remix does', Response.redirect('https://app.example/login')],
  ['a plain object, as SvelteKit does', { status: 303, location: '/login' }],
  ['a string', 'stop'],
  ['nothing', undefined],
]

/** Creates a client with a function that throws, and records its slots and its calls of `fetch`. */
function clientThatThrows(reason: unknown, place: 'fetch' | 'fetch at once' | 'key' | 'hook') {
  const slots: string[] = []
  const onError = vi.fn()
  const fetch = vi.fn((): Promise<Response> => {
    if (place === 'fetch at once') throw reason
    return place === 'fetch' ? Promise.reject(reason) : Promise.resolve(Response.json(account))
  })
  const raise = () => {
    throw reason
  }
  const options: ShortLinkClientOptions = {
    fetch,
    retry: 2,
    onError,
    apiKey: place === 'key' ? raise : KEY,
    ...(place === 'hook' && { beforeRequest: raise }),
    rateLimit: {
      acquire: () => void slots.push('taken'),
      observe: () => void slots.push('counted'),
      release: () => void slots.push('released'),
      state: { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 },
    },
  }
  return { client: connect({ origin: 'https://sho.rt' }, options), slots, fetch, onError }
}

const calls: [string, (client: ShortLinkClient) => PromiseLike<unknown>][] = [
  ['a call', (client) => client.account.get()],
  ['withResponse', (client) => client.account.get().withResponse()],
  ['safe', (client) => client.account.get().safe()],
  ['a POST', (client) => client.campaigns.create({ name: 'Opening' })],
  ['an awaited list', (client) => client.campaigns.list()],
  ['a loop', async (client) => (await client.campaigns.list()[Symbol.asyncIterator]().next()).value],
  ['toArray', (client) => client.campaigns.list().toArray()],
  ['find', (client) => client.links.find('opening')],
  ['ensure', (client) => client.links.ensure({ url: 'https://shop.example', custom: 'opening' })],
]

describe.each(calls)('a value that a framework must handle is passed on unchanged: %s', (_, call) => {
  it.each(['fetch', 'fetch at once', 'key', 'hook'] as const)('an error with a digest, thrown by %s', async (place) => {
    const { client, slots, fetch, onError } = clientThatThrows(dynamic, place)
    expect(await thrown(call(client))).toBe(dynamic)
    expect(slots).toEqual(['taken', 'released'])
    expect(fetch).toHaveBeenCalledTimes(place.startsWith('fetch') ? 1 : 0)
    expect(onError).not.toHaveBeenCalled()
  })

  it.each(noErrors)('%s, thrown by the key function or the hook', async (_, reason) => {
    for (const place of ['key', 'hook'] as const) {
      const { client, slots, fetch, onError } = clientThatThrows(reason, place)
      expect(await thrown(call(client))).toBe(reason)
      expect(slots).toEqual(['taken', 'released'])
      expect(fetch).not.toHaveBeenCalled()
      expect(onError).not.toHaveBeenCalled()
    }
  })
})

it('a value without a digest that fetch throws becomes a ShortLinkError', async () => {
  const { client, onError } = clientThatThrows('broken', 'fetch')
  const { error } = await client.campaigns.create({}).safe()
  expect(error).toMatchObject({ code: 'connection', outcome: 'unknown' })
  expect(onError).toHaveBeenCalledTimes(1)
})

it('an aborted call fails with an AbortError, even if fetch throws an error with a digest', async () => {
  const { client } = clientThatThrows(dynamic, 'fetch')
  const { error } = await client.account.get({ signal: AbortSignal.abort('left') }).safe()
  expect(error).toMatchObject({ code: 'aborted', cause: 'left' })
})

it('a proxy passes an error with a digest on to the framework', async () => {
  const { client } = clientThatThrows(dynamic, 'key')
  const allow = ['GET /account'] as const
  const request = () => new Request('https://app.example/account')
  const onError = vi.fn()
  expect(await thrown(createProxy(client, { allow, authorize: 'everyone', onError })(request()))).toBe(dynamic)
  const authorize = () => Promise.reject(dynamic)
  expect(await thrown(createProxy(client, { allow, authorize, onError })(request()))).toBe(dynamic)
  expect(onError).not.toHaveBeenCalled()
})

it('a proxy responds with 500 if its key function throws a value that is not an Error', async () => {
  const { client } = clientThatThrows(undefined, 'key')
  const proxy = createProxy(client, { allow: ['GET /account'], authorize: 'everyone' })
  expect((await proxy(new Request('https://app.example/account'))).status).toBe(500)
})
