import { ShortLinkClient } from 'shortlink-sdk'

const client = new ShortLinkClient()
const { shorturl } = await client.links.ensure({ url: 'https://shop.example/opening', custom: 'opening' })
console.log(shorturl)
