import { ShortLinkClient } from 'shortlink-sdk'

const client = new ShortLinkClient()
let total = 0
for await (const { clicks } of client.links.list()) total += clicks ?? 0
console.log(total)
