import { ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'

export const handler = createProxy(new ShortLinkClient(), {
  prefix: '/api/shortlink',
  allow: ['GET /campaigns'],
  authorize: (request) => request.headers.get('Cookie') === 'session=ada',
})
