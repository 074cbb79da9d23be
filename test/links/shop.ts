import { type LinksResource, links } from '../../src/links/index.ts'
import { connect } from '../helpers/client.ts'
import { type Answering, type Canned, type Server, serve } from '../helpers/server.ts'

/** The links section of a server that gives these answers. */
export async function shopOf(...answers: [Answering] | Canned[]): Promise<{ shop: LinksResource; server: Server }> {
  const server = await serve(...answers)
  return { shop: links(connect(server)), server }
}
