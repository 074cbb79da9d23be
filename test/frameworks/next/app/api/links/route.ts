import { errorResponse } from 'shortlink-sdk/proxy'
import { client } from '../../server-client'
import { isSignedIn } from '../../session'

export async function POST(request: Request) {
  if (!isSignedIn(request)) return Response.json({ message: 'Please sign in.' }, { status: 401 })
  const { url } = await request.json()
  const result = await client.links.create({ url }, { signal: request.signal }).safe()
  return result.ok ? Response.json({ shorturl: result.data.shorturl }) : errorResponse(result.error)
}
