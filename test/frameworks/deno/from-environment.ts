import { ShortLinkClient } from 'shortlink-sdk'

// The address and the key come from the environment, which takes `--allow-env`.
const client = new ShortLinkClient()

for await (const { shorturl } of client.links.list()) console.log(shorturl)
