import type { ShortLinkClient } from 'shortlink-sdk'
import { connect } from '../../helpers/client.ts'
import { type Answering, type Canned, type Server, serve } from '../../helpers/server.ts'

/** Connects to the links of a server with these responses, whose base URL is `https://sho.rt/api`. */
export async function shopOf(
  ...responses: [Answering] | Canned[]
): Promise<{ shop: ShortLinkClient['links']; server: Server }> {
  const server = await serve(...responses)
  const origin = 'https://sho.rt'
  const fetch: typeof globalThis.fetch = (input, init) =>
    globalThis.fetch(String(input).replace(origin, server.origin), init)
  return { shop: connect({ origin }, { fetch }).links, server }
}
