import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import type { Server } from './server.ts'

/** A key with characters that URLs, JSON and regular expressions escape. */
export const KEY = 'secret/key+of=the"account$&1'

/** Creates a client for both APIs of a server. By default, it has no rate limit and no retries. */
export function connect({ origin }: Pick<Server, 'origin'>, options: ShortLinkClientOptions = {}): ShortLinkClient {
  return new ShortLinkClient({
    baseUrl: `${origin}/api`,
    openerUrl: `${origin}/opener`,
    apiKey: KEY,
    rateLimit: false,
    retry: 0,
    ...options,
  })
}
