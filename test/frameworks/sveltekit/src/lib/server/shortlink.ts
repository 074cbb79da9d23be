import { ShortLinkClient } from 'shortlink-sdk'
import { SHORTLINK_API_KEY, SHORTLINK_BASE_URL } from '$app/env/private'

/** The client of the server. Vite does not put .env into process.env, so the address and the key are passed on. */
export const client = new ShortLinkClient({
  baseUrl: SHORTLINK_BASE_URL,
  apiKey: SHORTLINK_API_KEY,
  deadline: 10_000,
})
