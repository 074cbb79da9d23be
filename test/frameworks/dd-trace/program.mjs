import tracer from 'dd-trace'
import { ShortLinkClient } from 'shortlink-sdk'

const client = new ShortLinkClient()

await tracer.trace('the app', async (span) => {
  await client.campaigns.create({ name: 'Sale' })
  const names = []
  for await (const { name } of client.campaigns.list()) names.push(name)
  const { error } = await client.qr.get(999).safe()
  await client.files.upload('menu.txt', new Blob(['Tea 3.00']))
  const isInSpan = tracer.scope().active() === span
  console.log(JSON.stringify({ names, code: error.code, isInSpan }))
})
