import { ShortLinkClient } from 'shortlink-sdk'

// The second run fails: the alias is taken.
const client = new ShortLinkClient()
const { shorturl } = await client.links.create({ url: 'https://shop.example/opening', custom: 'opening' })
console.log(shorturl)
