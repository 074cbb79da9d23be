import { reactive, readonly, ref, shallowReactive } from '@vue/reactivity'
import type { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, it, vi } from 'vitest'
import { ShortLinkClient as Client } from '../../src/client/client.ts'

/** Wraps an object and everything that it returns, except promises, as tracers do. */
function traced<T extends object>(target: T): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      const value = Reflect.get(object, key, receiver)
      // A Proxy must return the `prototype` of a class unchanged.
      return key === 'prototype' ? value : wrapped(value)
    },
    apply: (method, self, args) => wrapped(Reflect.apply(method as never, self, args)),
  }) as T
}

function wrapped(value: unknown): unknown {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isObject && !(value instanceof Promise) ? traced(value) : value
}

const wrappers: [string, (client: ShortLinkClient) => ShortLinkClient][] = [
  ['a ref', (client) => ref(client).value as ShortLinkClient],
  ['reactive', (client) => reactive(client) as ShortLinkClient],
  ['a field of a reactive store', (client) => reactive({ api: { client } }).api.client as ShortLinkClient],
  ['readonly', (client) => readonly(client) as ShortLinkClient],
  ['shallowReactive', (client) => shallowReactive(client)],
  ['a Proxy', (client) => new Proxy(client, {})],
  ['a Proxy of a Proxy', (client) => new Proxy(new Proxy(client, {}), {})],
  ['a Proxy that wraps what it returns', traced],
]

it.each(wrappers)('works in %s', async (_, wrap) => {
  const sandbox = createSandbox()
  const client = wrap(new Client(sandbox.clientOptions))
  const { id } = await client.campaigns.create({ name: 'Opening' })
  expect((await client.campaigns.list()).items).toMatchObject([{ id }])
  for await (const campaign of client.campaigns.list()) expect(campaign.id).toBe(id)
  expect(await client.campaigns.list().toArray()).toHaveLength(1)
  expect((await client.account.get().withResponse()).response.status).toBe(200)
  expect(await client.qr.get(99).safe()).toMatchObject({ error: { code: 'not_found' } })
  const link = { url: 'https://shop.example/tea', custom: 'tea' }
  expect(await client.links.ensure(link)).toMatchObject({ created: true })
  expect(await client.links.find('tea')).toMatchObject({ alias: 'tea' })
  expect(await client.request('GET', '/account')).toMatchObject({ error: 0 })
  expect(await client.paginate('/urls', { listKey: 'urls' }).toArray()).toHaveLength(1)
  expect(client.rateLimit.queued).toBe(0)
  expect(await client.withOptions({ retry: 0 }).account.get()).toMatchObject({ id: 1 })
})

it('is not copied by Vue', () => {
  const client = new Client({ baseUrl: 'https://sho.rt/api', apiKey: null })
  expect(reactive({ client }).client).toBe(client)
  expect(reactive({ links: client.links }).links).toBe(client.links)
  expect(Object.keys(client).filter((name) => name.startsWith('__'))).toEqual([])
})

it('its methods can be spied on and stubbed', async () => {
  const client = new Client(createSandbox().clientOptions)
  const get = vi.spyOn(client.account, 'get')
  await client.account.get()
  expect(get).toHaveBeenCalledTimes(1)
  const request = vi.spyOn(client, 'request').mockResolvedValue('stubbed' as never)
  expect(await client.request('GET', '/account')).toBe('stubbed')
  request.mockRestore()
})
