import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setupServer } from 'msw/node'
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { handlers } from 'shortlink-sdk/testing/msw'

const sandbox = createSandbox({ data: { campaigns: [{ name: 'Sale' }] } })
const server = setupServer(...handlers(sandbox))

test('the client of the app reaches the sandbox through msw', async () => {
  server.listen()
  const client = new ShortLinkClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey })

  await client.campaigns.create({ name: 'Opening day' })

  const { items } = await client.campaigns.list()
  assert.deepEqual(
    items.map(({ name }) => name),
    ['Sale', 'Opening day'],
  )
  server.close()
})
