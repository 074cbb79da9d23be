import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import type { Server } from './server.ts'

/** A key with the characters that keys have and that addresses, JSON and patterns escape. */
export const KEY = 'secret/key+of=the"account$&1'

/** A client of a server's two APIs that sends each call once and counts no rate, unless told otherwise. */
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
