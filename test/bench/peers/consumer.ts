import { NotFoundError, RateLimitError, ShortLinkClient } from 'shortlink-sdk'

const client = new ShortLinkClient({
  baseUrl: 'https://sho.rt/api',
  openerUrl: 'https://opener.example',
  apiKey: 'key',
})

const { email, expires } = await client.account.get()
console.log(email.toLowerCase(), expires?.slice(0, 10))

for await (const campaign of client.campaigns.list({ limit: 50 }, { concurrency: 4 })) {
  if (campaign.public && campaign.rotator) console.log(campaign.id, campaign.name, new URL(campaign.rotator))
}

const { id } = await client.domains.create({ domain: 'https://go.example.com', redirectroot: 'https://example.com' })
const { data, rateLimit } = await client.qr.get(id).withResponse()
console.log(data.details.scans, data.data?.topCountries, rateLimit.remaining)

const deleted = await client.channels.delete(7).safe()
if (!deleted.ok && deleted.error instanceof NotFoundError) console.log(deleted.error.status, deleted.error.path)

try {
  const { shorturl } = await client.files.upload('a b.pdf', new Blob(['…']), { expiry: '2027-01-31' })
  const { devicetarget } = await client.opener.create({ url: shorturl, status: 'public' })
  for (const { device, link } of devicetarget) console.log(device, link)
} catch (error) {
  if (error instanceof RateLimitError) console.log(error.retryAfter, error.resetAt)
}
