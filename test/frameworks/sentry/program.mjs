import * as Sentry from '@sentry/node'
import { ShortLinkClient } from 'shortlink-sdk'
import { envelopes } from './instrument.mjs'

const client = new ShortLinkClient()
const names = []
let error

await Sentry.startSpan({ name: 'the app' }, async () => {
  await client.campaigns.create({ name: 'Sale' })
  for await (const { name } of client.campaigns.list()) names.push(name)
  error = (await client.qr.get(999).safe()).error
  await client.files.upload('menu.txt', new Blob(['Tea 3.00']))
  Sentry.captureException(error)
})
await Sentry.flush(5000)

const items = envelopes.flatMap((text) => text.split('\n')).flatMap((line) => JSON.parse(line).items ?? [])
const spans = items.flatMap(({ attributes }) => {
  const [method, path] = ['http.request.method', 'url.path'].map((name) => attributes[name]?.value)
  return method ? [`${method} ${path}`] : []
})
console.log(JSON.stringify({ names, code: error.code, spans, envelopes }))
