import type { Drift, ShortLinkClient } from 'shortlink-sdk'

/** The members of a `ShortLinkClient` that tasks use. */
export type TaskClient = Pick<ShortLinkClient, 'baseUrl' | 'links' | 'rateLimit' | 'redact' | 'withOptions'>

/**
 * Creates a client for the lists of a task. It reports invalid rows instead of failing, so that the task can handle
 * them one by one.
 */
export const createReader = (client: TaskClient, onDrift: (drift: Drift) => void): ShortLinkClient =>
  client.withOptions({ priority: 'low', deadline: false, validation: 'report', onDrift })

/** Creates a client for the writes of a task, and for the reads that decide about them. It validates strictly. */
export const createWriter = (client: TaskClient): ShortLinkClient =>
  client.withOptions({ priority: 'low', deadline: false, validation: 'strict' })
