import { ShortLinkClient } from 'shortlink-sdk'
import type { PageLoad } from './$types'

// A universal load runs on the server first: SvelteKit's own fetch calls the endpoint there without a request.
export const load: PageLoad = async ({ fetch, url }) => {
  const client = new ShortLinkClient({ baseUrl: new URL('/api/shortlink', url), apiKey: null, fetch })
  const { items } = await client.links.list()
  return { addresses: items.map(({ shorturl }) => shorturl) }
}
