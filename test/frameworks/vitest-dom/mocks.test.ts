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

test('fails for a mocked Response that was read before', async () => {
  const response = Response.json(page)
  const client = new ShortLinkClient({ ...options, retry: 0, fetch: async () => response })
  await client.campaigns.list()

  expect((await client.campaigns.list().safe()).ok).toBe(false)
})

test('reads responses of fetch-mock', async () => {
  const mock = fetchMock.createInstance().get('https://sho.rt/api/campaigns', page)
  const client = new ShortLinkClient({ ...options, fetch: mock.fetchHandler })

  expect((await client.campaigns.list()).items[0]?.name).toBe('Sale')
  expect((await client.campaigns.list()).items[0]?.name).toBe('Sale')
})

test.runIf(typeof document !== 'undefined')('reads responses of MirageJS', async () => {
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
