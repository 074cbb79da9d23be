/**
 * An opening day: a short link with its QR code, both in a channel, the link in a campaign too, and a QR code for the
 * guests' Wi-Fi.
 *
 *     npx tsx examples/qr-codes.ts     offline, against the sandbox in memory
 */
import assert from 'node:assert/strict'
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'

const sandbox = createSandbox()
const client = new ShortLinkClient(sandbox.clientOptions)

const link = await client.links.ensure({
  url: 'https://shop.example/opening',
  custom: 'opening',
  title: 'Opening day',
  parameters: [{ name: 'utm_source', value: 'poster' }],
})
console.log('link', link.shorturl)

const code = await client.qr.create({ type: 'link', data: link.shorturl, foreground: 'rgb(0,0,80)' })
console.log('QR code', code.link)

const campaign = await client.campaigns.create({ name: 'Opening day', slug: 'opening-day', public: true })
await client.campaigns.assignLink(campaign.id, link.id)
console.log('campaign', campaign.rotator)

const channel = await client.channels.create({ name: 'Posters', color: '#3366FF' })
await client.channels.assignItem(channel.id, 'links', link.id)
await client.channels.assignItem(channel.id, 'qr', code.id)
for await (const { type, link: address } of client.channels.items(channel.id))
  console.log('in the channel:', type, address)

const escapeText = (text: string) => text.replace(/[\\;,":]/g, '\\$&')
const wifi = `WIFI:T:WPA;S:${escapeText('Shop guests')};P:${escapeText('tea; and cake')};;`
await client.qr.create({ type: 'text', data: wifi })
console.log('Wi-Fi', wifi)

assert.deepEqual(
  sandbox.data.qrs.map(({ data }) => data),
  [link.shorturl, 'WIFI:T:WPA;S:Shop guests;P:tea\\; and cake;;'],
)
assert.deepEqual(sandbox.data.campaigns[0]?.links, [link.id])
assert.equal(sandbox.data.channels[0]?.items.length, 2)
