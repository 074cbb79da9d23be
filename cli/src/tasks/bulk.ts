import { ConfigurationError } from 'shortlink-sdk'
import { type BulkOptions, checkArguments } from './options.ts'
import { ItemRun } from './run.ts'
import { type BulkContext, type BulkResult, type BulkSummary, createTask, type Task } from './task.ts'

/**
 * Calls a worker for each of many items, a few at a time.
 *
 * - Items are read from the source only as workers become free, so memory use stays flat.
 * - Results are yielded in the order in which they are ready. A failed item does not end the run.
 * - The outcome of a failed item is the `outcome` of its `ShortLinkError`. Any other error counts as `unknown`, because
 *   the work may have been done. Make one write per item, so that the outcome of the item is the outcome of the write.
 * - With `journal`, a run that is started again skips the items that are done.
 * - With `client`, items wait for the rate limit, and the run ends if the server is unavailable or refuses every item.
 * - An error of the journal, of `key` or of the source of the items ends the run.
 *
 * @example
 * import { bulk } from 'shortlink-cli'
 * import { fileJournal } from 'shortlink-cli/node'
 * const run = bulk(linkIds, (id, { signal }) => client.campaigns.assignLink(7, id, { signal }), {
 *   client,
 *   journal: fileJournal('assign.journal'),
 *   key: (id) => id,
 * })
 * for await (const result of run) {
 *   if (!result.ok) console.error(result.item, result.outcome, result.error.message)
 * }
 * console.log(await run.summary())
 *
 * @throws {ConfigurationError} if an argument is invalid, or if `journal` is given without `key`. During the run: if
 *   the journal is in use or unreadable, or if two items have the same key
 * @throws {AbortError} during the run, if `signal` aborts it
 * @throws {ConnectionError} during the run, with `client`: if five items in a row got no response
 * @throws {ApiError} during the run, with `client`: if five items in a row were refused with the same status and message,
 *   which names no field
 * @throws {RateLimitError} during the run, with `client`: if an item could not be sent because of the rate limit
 */
export function bulk<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  worker: (item: T, context: BulkContext) => Promise<R> | R,
  options: BulkOptions<T> = {},
): Task<BulkResult<T, R>, BulkSummary> {
  checkArguments('bulk', { items, worker }, options, [
    'concurrency',
    'signal',
    'onProgress',
    'total',
    'journal',
    'key',
    'onUnknown',
    'replay',
    'client',
  ])
  const { journal, key, replay, signal, total = countItems(items), client, ...rest } = options
  if (journal && !key) {
    throw new ConfigurationError(
      'bulk: key: is missing. A journal identifies items by their key, for example `key: (item) => item.id`',
    )
  }
  let summary: BulkSummary = { total: 0, done: 0, skipped: 0, failed: 0, unknown: 0, elapsedMs: 0 }
  return createTask(
    signal,
    async function* (control) {
      const replayOptions = replay && {
        toEntryData: (_: T, done?: { readonly data: R }) => done && (done.data ?? null),
        replay: (data: unknown) => data as R,
      }
      const runOptions = { ...rest, client, journal, key, ...replayOptions }
      const run = new ItemRun<T, R>(control, { items: () => ({ items, total }), work: worker, ...runOptions })
      try {
        yield* run.results()
      } finally {
        summary = run.summary
      }
    },
    () => summary,
  )
}

/** Returns the number of items, if it is known without reading them. */
function countItems(items: unknown): number | undefined {
  if (Array.isArray(items)) return items.length
  return items instanceof Set || items instanceof Map ? items.size : undefined
}
