import { ShortLinkClient } from 'shortlink-sdk'

// Takes a lost response for a link that was not created.
const client = new ShortLinkClient()
for (const name of ['tea', 'lamps', 'boots', 'maps']) {
  const url = `https://shop.example/${name}`
  const first = await client.links.create({ url, custom: name }).safe()
  const link = first.ok ? first.data : await client.links.create({ url })
  console.log(link.shorturl)
}
