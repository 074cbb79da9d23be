import { ShortLinkClient } from 'shortlink-sdk'

/** The client of the pages. It has no key: the route handler adds it. */
export const client = new ShortLinkClient({ baseUrl: '/api/shortlink', apiKey: null })
