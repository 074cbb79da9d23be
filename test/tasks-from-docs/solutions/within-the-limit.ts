import { ShortLinkClient } from 'shortlink-sdk'

const client = new ShortLinkClient({ rateLimit: { requests: 10, interval: 200 } })
const linkIds = Array.from({ length: 25 }, (_, index) => index + 1)
await Promise.all(linkIds.map((id) => client.campaigns.assignLink(1, id)))
