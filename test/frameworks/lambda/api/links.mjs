import { ShortLinkClient } from 'shortlink-sdk'
import { errorResponse } from 'shortlink-sdk/proxy'

const client = new ShortLinkClient({ deadline: 5000 })

export async function POST(request) {
  const { url } = await request.json()
  const result = await client.links.create({ url }).safe()
  return result.ok ? Response.json({ shorturl: result.data.shorturl }, { status: 201 }) : errorResponse(result.error)
}
