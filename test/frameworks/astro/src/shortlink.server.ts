import { getSecret } from 'astro:env/server'
import { ShortLinkClient } from 'shortlink-sdk'

/** The client of the server. Astro does not put .env into process.env, so the address and the key are passed on. */
export const client = new ShortLinkClient({
  baseUrl: getSecret('SHORTLINK_BASE_URL'),
  apiKey: getSecret('SHORTLINK_API_KEY'),
  deadline: 10_000,
})
