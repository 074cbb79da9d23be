import { client } from '../utils/shortlink'

export default defineEventHandler(async (event) => {
  const result = await client.links.list().safe()
  if (result.ok) return result.data.items.map(({ shorturl }) => shorturl)
  const { code, outcome } = result.error
  const isBusy = code === 'rate_limit' || (code === 'timeout' && outcome === 'not-sent')
  if (isBusy) setResponseHeader(event, 'Retry-After', 60)
  throw createError({ statusCode: isBusy ? 429 : 502, statusMessage: 'Please try again later.' })
})
