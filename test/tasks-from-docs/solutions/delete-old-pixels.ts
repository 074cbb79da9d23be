import { ShortLinkClient } from 'shortlink-sdk'
import { bulk } from 'shortlink-sdk/tasks'

const client = new ShortLinkClient()
const pixels = await client.pixels.list().toArray()
const old = pixels.filter(({ name }) => name.startsWith('Old'))

const run = bulk(old, ({ id }, { signal }) => client.pixels.delete(id, { signal }), { client })
for await (const result of run) if (!result.ok) throw result.error
