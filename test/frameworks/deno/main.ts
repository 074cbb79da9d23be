import { ShortLinkClient } from 'shortlink-sdk'

// Address and key are given, so no variable is read, and `--allow-net` alone is enough.
const [baseUrl, apiKey] = Deno.args
const client = new ShortLinkClient({ baseUrl, apiKey })

await client.links.create({ url: 'https://shop.example/opening', custom: 'opening' })
for await (const { shorturl } of client.links.list()) console.log(shorturl)
