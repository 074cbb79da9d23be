import { error } from '@sveltejs/kit'
import { client } from '../../lib/server/shortlink'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async ({ request, setHeaders }) => {
  const result = await client.links.list({}, { signal: request.signal }).safe()
  if (result.ok) return { addresses: result.data.items.map(({ shorturl }) => shorturl) }
  const { code, outcome } = result.error
  const isBusy = code === 'rate_limit' || (code === 'timeout' && outcome === 'not-sent')
  if (isBusy) setHeaders({ 'Retry-After': '60' })
  error(isBusy ? 429 : 502, 'Please try again later.')
}
