/** Uses the handlers in a user's own msw. It is compiled and run. */
import { equal } from 'node:assert/strict'
import { setupServer } from 'msw/node'
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { handlers } from 'shortlink-sdk/testing/msw'

const sandbox = createSandbox({ data: sampleData() })
const server = setupServer(...handlers(sandbox))
server.listen()
const { baseUrl, apiKey } = sandbox
new ShortLinkClient({ baseUrl, apiKey }).campaigns
  .list()
  .then(({ items }) => equal(items.length, 3))
  .finally(() => server.close())
