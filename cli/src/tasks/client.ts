import type { Drift, ShortLinkClient } from 'shortlink-sdk'

/** The client of a task: a `ShortLinkClient`. */
export type TaskClient = Pick<ShortLinkClient, 'baseUrl' | 'links' | 'rateLimit' | 'redact' | 'withOptions'>

/**
 * Returns a client for the lists of a task. It reports rows that do not match instead of failing, so that the task can
 * tell them apart from the others.
 */
export const createReader = (client: TaskClient, onDrift: (drift: Drift) => void): ShortLinkClient =>
  client.withOptions({ priority: 'low', deadline: false, validation: 'report', onDrift })

/** Returns a client for the writes of a task and whatever decides about them, which reads strictly. */
export const createWriter = (client: TaskClient): ShortLinkClient =>
  client.withOptions({ priority: 'low', deadline: false, validation: 'strict' })
