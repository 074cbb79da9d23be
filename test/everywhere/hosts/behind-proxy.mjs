// Makes calls through the network proxy of the environment: with undici's dispatcher for `DISPATCHER=undici`, which
// Node 20 needs, otherwise with Node's own fetch.
import { ShortLinkClient } from 'shortlink-sdk'

const options = {}
if (process.env.DISPATCHER === 'undici') {
  const { EnvHttpProxyAgent, fetch } = await import('undici')
  const dispatcher = new EnvHttpProxyAgent()
  options.fetch = (url, init) => fetch(url, { ...init, dispatcher })
}
const client = new ShortLinkClient(options)
const rows = await client.campaigns.list({ limit: 2 }).toArray()
await client.files.upload('a.txt', new Blob(['hello']))
console.log(`${rows.length} campaigns`)
