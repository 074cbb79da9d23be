import { ShortLinkClient } from 'shortlink-sdk'

/** The client of the server. The address and the key come from SHORTLINK_BASE_URL and SHORTLINK_API_KEY. */
export const client = new ShortLinkClient({ deadline: 10_000 })
