import { ShortLinkClient } from 'shortlink-sdk'

// The client of the server, with the address and the key of the environment.
const client = new ShortLinkClient()

export default defineEventHandler(async () => {
  const { items } = await client.links.list()
  return items.map(({ shorturl }) => shorturl)
})
