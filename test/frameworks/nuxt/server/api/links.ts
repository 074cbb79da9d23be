import { errorResponse } from 'shortlink-sdk/proxy'
import { client } from '../utils/shortlink'

export default defineEventHandler(async (event) => {
  const result = await client.links.list().safe()
  if (result.ok) return result.data.items.map(({ shorturl }) => shorturl)
  const { status, headers } = errorResponse(result.error)
  const retryAfter = headers.get('Retry-After')
  if (retryAfter) setResponseHeader(event, 'Retry-After', Number(retryAfter))
  throw createError({ statusCode: status, statusMessage: 'Please try again later.' })
})
