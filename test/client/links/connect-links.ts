import type { ShortLinkClient } from 'shortlink-sdk'
import { connect } from '../../helpers/client.ts'
import { type Answering, type Canned, type Server, serve } from '../../helpers/server.ts'

/** Connects to the links of a server with these responses. */
export async function shopOf(
  ...responses: [Answering] | Canned[]
): Promise<{ shop: ShortLinkClient['links']; server: Server }> {
  const server = await serve(...responses)
  return { shop: connect(server).links, server }
}
