import { ShortLinkClient } from 'shortlink-sdk'

/** The client of the server. Address and key are read at its first call, so `next build` does not need them. */
export const client = new ShortLinkClient({ deadline: 10_000 })
