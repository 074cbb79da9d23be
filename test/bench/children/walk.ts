/** Walks as many rows as asked and tells how much memory was in use on the way, in MB. */
import type * as Sdk from 'shortlink-sdk'
import { load } from '../peers.ts'

const [baseUrl, rows] = process.argv.slice(2) as [string, string]
const { ShortLinkClient } = await load<typeof Sdk>('shortlink-sdk')
const client = new ShortLinkClient({ baseUrl, apiKey: 'key', rateLimit: { requests: 1e9, interval: 60_000 } })

const inUse: number[] = []
let count = 0
for await (const _ of client.campaigns.list({}, { concurrency: 4 })) {
  if (count++ % (Number(rows) / 20) === 0) {
    globalThis.gc!()
    inUse.push(process.memoryUsage().heapUsed / 1e6)
  }
}
if (count !== Number(rows)) throw new Error(`${count} rows came instead of ${rows}`)
process.send!(inUse)
process.disconnect()
