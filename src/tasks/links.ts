import type { ShortLinkClient } from '../client.ts'
import { ConfigurationError } from '../errors.ts'
import { isRecord, mismatch } from '../schema/expected.ts'

/** What a task needs of a client. */
export type TaskClient = Pick<ShortLinkClient, 'rateLimit' | 'links'>

/** @throws {ConfigurationError} for anything else than a client */
export function checkClient(task: string, client: unknown): asserts client is TaskClient {
  if (isRecord(client) && isRecord(client.links)) return
  throw new ConfigurationError(`${task}: client: ${mismatch('a ShortLinkClient', client)}`)
}
