import { ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'

// Everybody may call it.
export const handler = createProxy(new ShortLinkClient(), {
  prefix: '/api/shortlink',
  allow: ['GET /campaigns'],
  authorize: 'everyone',
})
