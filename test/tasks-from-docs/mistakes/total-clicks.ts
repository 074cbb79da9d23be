import { ShortLinkClient } from 'shortlink-sdk'

// Counts pages itself, and so gets 15 rows a request.
const client = new ShortLinkClient()
let total = 0
for (let page = 1, isMore = true; isMore; page++) {
  const { items, hasNextPage } = await client.links.list({ page })
  for (const { clicks } of items) total += clicks
  isMore = hasNextPage
}
console.log(total)
