import { type BulkOptions, checkArguments } from './options.ts'
import type { BulkContext, BulkRun } from './results.ts'
import { Run } from './run.ts'

/**
 * Runs a worker for many items, a few at a time. Items are read from the source only as workers become free, so memory use
 * is constant. Results come as they are ready, and a failed item does not end the run.
 *
 * The outcome of a failed item is that of its `ShortLinkError`. Any other error is `unknown`, because the work may have been
 * done, except that a worker that throws synchronously, before it calls a client, counts as `not-sent`. Outcomes are only
 * reliable for simple workers, so make one write per item.
 *
 * @example
 * const run = bulk(linkIds, (id, { signal }) => client.campaigns.assignLink(7, id, { signal }), {
 *   client,
 *   journal: fileJournal('assign.journal'),
 * })
 * for await (const result of run) {
 *   if (!result.ok) console.error(result.item, result.outcome, result.error)
 * }
 * console.log(await run.summary())
 *
 * @throws {ConfigurationError} if an argument is invalid. During the run: if the journal is in use, unreadable, or belongs to
 * other items. An error from the journal, the source of the items or `onUnknown` ends the run too.
 */
export function bulk<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  worker: (item: T, context: BulkContext) => Promise<R> | R,
  options: BulkOptions<T> = {},
): BulkRun<T, R> {
  checkArguments(items, worker, options)
  return new Run(items, worker, options)
}
