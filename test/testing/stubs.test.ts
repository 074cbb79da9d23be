import {
  type ApiPromise,
  type Campaign,
  ConfigurationError,
  InvalidRequestError,
  type ListPromise,
  ShortLinkClient,
} from 'shortlink-sdk'
import { apiPromise, listPromise } from 'shortlink-sdk/testing'
import { expect, expectTypeOf, test, vi } from 'vitest'

const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: null, fetch: () => Promise.reject() })
const opening = { id: 1, shorturl: 'https://sho.rt/opening' }
const refusal = new InvalidRequestError([{ path: ['url'], message: 'is missing' }])
const campaign = (id: number): Campaign => ({
  ...{ id, name: `Campaign ${id}`, public: true, rotator: false },
  list: `https://sho.rt/u/owner/list-${id}`,
})

test('a stubbed method resolves with the value, however the call is used', async () => {
  vi.spyOn(client.links, 'create').mockReturnValue(apiPromise(opening))
  const create = () => client.links.create({ url: 'https://shop.example/opening' })
  expect(await create()).toEqual(opening)
  expect(await create().safe()).toEqual({ ok: true, data: opening })
  expect(await create().then(({ id }) => id)).toBe(1)
  const { data, response, rateLimit, attempts } = await create().withResponse()
  expect([data, response.status, rateLimit.limit, rateLimit.queued, attempts]).toEqual([opening, 200, undefined, 0, 1])
})

test('a stubbed method rejects with the error, and .safe() returns it', async () => {
  vi.spyOn(client.links, 'create').mockReturnValue(apiPromise(refusal))
  const create = () => client.links.create({ url: '' })
  await expect(create()).rejects.toBe(refusal)
  await expect(create().withResponse()).rejects.toBe(refusal)
  expect(await create().safe()).toEqual({ ok: false, error: refusal })
})

test('a stub that is never called causes no unhandled rejection', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  apiPromise(refusal)
  listPromise(refusal)
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

test('a stubbed list returns its rows in a loop, from .pages() and from .toArray(), repeatedly', async () => {
  const rows = [campaign(1), campaign(2), campaign(3)]
  vi.spyOn(client.campaigns, 'list').mockReturnValue(listPromise(rows))
  for (let round = 1; round <= 2; round++) {
    const seen: Campaign[] = []
    for await (const row of client.campaigns.list({ limit: 50 }, { retry: 0 })) seen.push(row)
    expect(seen).toEqual(rows)
    const pages: number[] = []
    for await (const { items, currentpage } of client.campaigns.list().pages()) pages.push(items.length, currentpage)
    expect(pages).toEqual([3, 1])
    expect(await client.campaigns.list().toArray()).toEqual(rows)
    expect(await client.campaigns.list().toArray({ limit: 2 })).toEqual(rows.slice(0, 2))
  }
})

test('awaiting a stubbed list returns one page with all rows', async () => {
  vi.spyOn(client.campaigns, 'list').mockReturnValue(listPromise([campaign(1), campaign(2)]))
  const page = { result: 2, perpage: 100, currentpage: 1, nextpage: null, maxpage: 1 }
  expect(await client.campaigns.list()).toEqual({ items: [campaign(1), campaign(2)], ...page })
  const { data, response } = await client.campaigns.list().withResponse()
  expect([data.items.length, response.ok]).toEqual([2, true])
  const result = await client.campaigns.list().safe()
  expect(result.data?.items.map(({ id }) => id)).toEqual([1, 2])
  expect((await listPromise([])).items).toEqual([])
})

test('a stubbed list rejects with the error, however it is used', async () => {
  const error = new ConfigurationError('no key')
  vi.spyOn(client.campaigns, 'list').mockReturnValue(listPromise(error))
  const loop = async (rows: AsyncIterable<unknown>) => {
    for await (const row of rows) expect(row).toBe('none')
  }
  await expect(client.campaigns.list()).rejects.toBe(error)
  await expect(loop(client.campaigns.list())).rejects.toBe(error)
  await expect(loop(client.campaigns.list().pages())).rejects.toBe(error)
  await expect(client.campaigns.list().toArray()).rejects.toBe(error)
  expect(await client.campaigns.list().safe()).toEqual({ ok: false, error })
})

test('a stub has the return type of its method, and other values are type errors', () => {
  expectTypeOf(apiPromise(opening)).toEqualTypeOf<ApiPromise<{ id: number; shorturl: string }>>()
  expectTypeOf(listPromise([campaign(1)])).toEqualTypeOf<ListPromise<Campaign>>()
  const create = vi.spyOn(client.links, 'create')
  // @ts-expect-error a created link has an id
  create.mockReturnValue(apiPromise({ shorturl: 'https://sho.rt/opening' }))
  const list = vi.spyOn(client.campaigns, 'list')
  // @ts-expect-error a list returns rows of its resource
  list.mockReturnValue(listPromise([opening]))
})
