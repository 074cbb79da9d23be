import type { ShortLinkClient } from '../client.ts'
import { ConfigurationError } from '../errors.ts'
import type { LinksResource } from '../resources/links/links.ts'
import { isRecord, mismatch } from '../schema/expected.ts'

/** The links of a client, as far as the tasks use them. */
export type Links = Pick<LinksResource, 'create' | 'delete' | 'find' | 'get' | 'list' | 'update'>

/** What a task needs of a client. */
export interface TaskClient extends Pick<ShortLinkClient, 'rateLimit'> {
  readonly links: Links
}

/** @throws {ConfigurationError} for anything else than a client */
export function checkClient(task: string, client: unknown): asserts client is TaskClient {
  if (isRecord(client) && isRecord(client.links)) return
  throw new ConfigurationError(`${task}: client: ${mismatch('a ShortLinkClient', client)}`)
}
