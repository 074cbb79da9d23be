import { ShortLinkClient } from 'shortlink-sdk'
import { SHORTLINK_API_KEY, SHORTLINK_BASE_URL } from '$app/env/private'

/** The client of the server, with the key. */
export const client = new ShortLinkClient({ baseUrl: SHORTLINK_BASE_URL, apiKey: SHORTLINK_API_KEY })
