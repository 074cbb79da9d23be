import { ShortLinkClient } from 'shortlink-sdk'

// Names the page size of the platform's own samples, and so gets 15 rows a request.
const client = new ShortLinkClient()
let total = 0
for (let page = 1, isMore = true; isMore; page++) {
  const { items, hasNextPage } = await client.links.list({ limit: 15, page })
  for (const { clicks } of items) total += clicks ?? 0
  isMore = hasNextPage
}
console.log(total)
