import fetchMock from 'fetch-mock'
import { createServer, Response as MirageResponse } from 'miragejs'
import { ShortLinkClient } from 'shortlink-sdk'
import { afterEach, expect, test, vi } from 'vitest'

const page = {
  error: 0,
  data: {
    result: 1,
    perpage: 15,
    currentpage: 1,
    nextpage: 1,
    maxpage: 1,
    campaigns: [{ id: 1, name: 'Sale', public: true, rotator: false, list: 'x' }],
  },
}
const options = { baseUrl: 'https://sho.rt/api', apiKey: null, retry: 0 }

afterEach(() => vi.unstubAllGlobals())

test('reads one Response that a test has mocked for two calls', async () => {
  const response = Response.json(page)
  const client = new ShortLinkClient({ ...options, fetch: async () => response.clone() })
  await client.campaigns.list()

  expect((await client.campaigns.list()).items[0]?.name).toBe('Sale')
})

test('says that a mocked Response was read before, and does not try again', async () => {
  const response = Response.json(page)
  const fetch = vi.fn(async () => response)
  const client = new ShortLinkClient({ ...options, retry: 2, fetch })
  await client.campaigns.list()

  await expect(client.campaigns.list()).rejects.toThrow(/already|used|read/)
  expect(fetch).toHaveBeenCalledTimes(2)
})

test('reads what fetch-mock gives', async () => {
  const mock = fetchMock.createInstance().get('https://sho.rt/api/campaigns?limit=100', page)
  const client = new ShortLinkClient({ ...options, fetch: mock.fetchHandler })

  expect((await client.campaigns.list()).items[0]?.name).toBe('Sale')
  expect((await client.campaigns.list()).items[0]?.name).toBe('Sale')
})

test.runIf(typeof document !== 'undefined')('reads what MirageJS gives', async () => {
  const server = createServer({
    environment: 'test',
    routes() {
      this.get('https://sho.rt/api/campaigns', () => new MirageResponse(200, {}, page))
    },
  })
  try {
    const client = new ShortLinkClient(options)
    expect((await client.campaigns.list()).items[0]?.name).toBe('Sale')
    expect((await client.campaigns.list()).items[0]?.name).toBe('Sale')
  } finally {
    server.shutdown()
  }
})
