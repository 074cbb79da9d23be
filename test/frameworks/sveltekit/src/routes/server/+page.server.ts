import { error } from '@sveltejs/kit'
import { errorResponse } from 'shortlink-sdk/proxy'
import { client } from '../../lib/server/shortlink'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async ({ request, setHeaders }) => {
  const result = await client.links.list({}, { signal: request.signal }).safe()
  if (result.ok) return { addresses: result.data.items.map(({ shorturl }) => shorturl) }
  const { status, headers } = errorResponse(result.error)
  const retryAfter = headers.get('Retry-After')
  if (retryAfter) setHeaders({ 'Retry-After': retryAfter })
  error(status, 'Please try again later.')
}
