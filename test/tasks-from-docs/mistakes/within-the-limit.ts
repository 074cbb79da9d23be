import { ShortLinkClient } from 'shortlink-sdk'

// A client for each call, so that none knows of the others.
const linkIds = Array.from({ length: 25 }, (_, index) => index + 1)
await Promise.all(linkIds.map((id) => new ShortLinkClient({ retry: 0 }).campaigns.assignLink(1, id).safe()))
