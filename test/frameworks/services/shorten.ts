import { ShortLinkClient } from 'shortlink-sdk'
import { errorResponse } from 'shortlink-sdk/proxy'
import { keyOf } from './tenants.ts' // your own

const platform = new ShortLinkClient()

/** Aborted when calls have to end. */
export const shutdown = new AbortController()

/** Shortens a URL with the API key of the signed-in user. */
export async function shorten(url: string, header: (name: string) => string | undefined): Promise<Response> {
  const apiKey = keyOf(header('Authorization'))
  if (apiKey === undefined) return Response.json({ message: 'Please sign in.' }, { status: 401 })
  const deadline = Math.min(Number(header('X-Timeout-Ms')) || 10_000, 10_000)

  const client = platform.withOptions({ apiKey, deadline })
  const result = await client.links.create({ url }, { signal: shutdown.signal }).safe()
  if (result.ok) return Response.json({ shorturl: result.data.shorturl }, { status: 201 })

  if (result.error.outcome === 'unknown') console.error(url, result.error) // the link may exist
  return errorResponse(result.error)
}
