/** @jest-environment jest-fixed-jsdom */
const { setupServer } = require('msw/node')
const { ShortLinkClient } = require('shortlink-sdk')
const { createSandbox } = require('shortlink-sdk/testing')
const { handlers } = require('shortlink-sdk/testing/msw')

const sandbox = createSandbox({ data: { campaigns: [{ name: 'Sale' }] } })
const server = setupServer(...handlers(sandbox))

beforeAll(() => server.listen())
afterAll(() => server.close())

test('the client of the app reaches the sandbox through msw', async () => {
  const { baseUrl, apiKey } = sandbox
  const client = new ShortLinkClient({ baseUrl, apiKey })

  await client.campaigns.create({ name: 'Opening day' })

  expect(sandbox.data.campaigns.map(({ name }) => name)).toEqual(['Sale', 'Opening day'])
})
