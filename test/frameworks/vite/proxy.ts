import { ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'
import { isSignedIn } from './session.ts' // your own

/** Adds the key to the calls of pages. Address and key are read at its first call. */
export const proxy = createProxy(new ShortLinkClient(), {
  prefix: '/api/shortlink',
  allow: ['GET /urls', 'POST /url/add'],
  authorize: isSignedIn,
})
