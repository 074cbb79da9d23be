import { ShortLinkClient } from 'shortlink-sdk'

// Rows of the next page move to pages that the loop has passed.
const client = new ShortLinkClient()
for await (const { id, name } of client.pixels.list()) {
  if (name.startsWith('Old')) await client.pixels.delete(id)
}
