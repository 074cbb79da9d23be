/**
 * Lists: every row, page by page, several pages in flight, and stopping.
 *
 *     npx tsx examples/lists.ts     offline, against the sandbox in memory
 */
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'

const sandbox = createSandbox({ data: sampleData(1000) })
const client = new ShortLinkClient(sandbox.clientOptions)

let before = 0

/** Returns the number of requests since the last call of this function. */
function countRequests(): string {
  const count = sandbox.requests.length - before
  before += count
  return count === 1 ? '1 request' : `${count} requests`
}

let clicks = 0
for await (const link of client.links.list()) clicks += link.clicks ?? 0
console.log('every row:', clicks, 'clicks,', countRequests())

for await (const page of client.campaigns.list({ limit: 400 }).pages()) {
  console.log(`page ${page.currentpage} of ${page.maxpage}: ${page.items.length} of ${page.result} campaigns`)
}
console.log('page by page:', countRequests())

const page = await client.campaigns.list({ page: 2, limit: 25 })
console.log('one page:', page.items.length, 'rows, next is', page.nextpage, countRequests())

for await (const { name, rotator } of client.campaigns.list()) {
  if (!name.endsWith('3')) continue
  console.log('found', name, rotator)
  break // no further page is requested
}
console.log('stopped by break:', countRequests())

const controller = new AbortController()
const walk = client.pixels.list({}, { signal: controller.signal })
try {
  for await (const { id } of walk) if (id === 150) controller.abort()
} catch (error) {
  console.log('stopped by a signal:', (error as Error).name, countRequests())
}

const most = await client.files.list().toArray({ limit: 120 })
console.log('the first', most.length, 'files,', countRequests())
