import { ShortLinkClient } from 'shortlink-sdk'

const client = new ShortLinkClient({ deadline: 5000 })

export async function handler(event) {
  const { ok, data, error } = await client.links.create({ url: event.url }).safe()
  if (ok) return { statusCode: 201, body: data.shorturl }
  console.error(error)
  return { statusCode: error.code === 'rate_limit' ? 429 : 502, body: 'no short URL' }
}
