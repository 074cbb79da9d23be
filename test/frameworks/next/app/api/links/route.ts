import { client } from '../../server-client'
import { isSignedIn } from '../../session'

export async function POST(request: Request) {
  if (!isSignedIn(request)) return Response.json({ message: 'Please sign in.' }, { status: 401 })
  const { url } = await request.json()
  const result = await client.links.create({ url }, { signal: request.signal }).safe()
  if (result.ok) return Response.json({ shorturl: result.data.shorturl })
  const { code, outcome } = result.error
  const isBusy = code === 'rate_limit' || (code === 'timeout' && outcome === 'not-sent')
  const init = isBusy ? { status: 429, headers: { 'Retry-After': '60' } } : { status: 502 }
  return Response.json({ message: 'Please try again later.' }, init)
}
