/**
 * How to test your own app with node:test. This app reads its addresses from the environment, so it needs a real port.
 *
 *     npx tsx --test examples/testing/node-test.ts
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ShortLinkClient } from 'shortlink-sdk'
import { type SandboxServer, serve } from 'shortlink-sdk/node'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'

/** The app under test: counts the QR codes that were scanned at least once. */
async function countScannedCodes(): Promise<number> {
  let scanned = 0
  for await (const { scans } of new ShortLinkClient().qr.list()) if (scans > 0) scanned += 1
  return scanned
}

const sandbox = createSandbox({ data: sampleData(250) })
let served: SandboxServer

before(async () => {
  served = await serve(sandbox)
  process.env.SHORTLINK_BASE_URL = served.baseUrl
  process.env.SHORTLINK_API_KEY = sandbox.apiKey
})
after(() => served.close())

test('every page is counted', async () => {
  assert.equal(await countScannedCodes(), 249)
  assert.deepEqual(
    sandbox.requests.map(({ query }) => query.page ?? '1'),
    ['1', '2', '3'],
  )
})

test('a request is retried if its connection is lost', async () => {
  sandbox.fail({ drop: 'before' })
  assert.equal(await countScannedCodes(), 249)
})
