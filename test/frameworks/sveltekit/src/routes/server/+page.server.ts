import { client } from '../../lib/server/shortlink'

export async function load() {
  const { items } = await client.links.list()
  return { addresses: items.map(({ shorturl }) => shorturl) }
}
