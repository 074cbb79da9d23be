import { type BulkOptions, checkArguments } from './options.ts'
import type { BulkContext, BulkRun } from './results.ts'
import { Run } from './run.ts'

/**
 * Runs a worker over many items, a few at a time. Items are taken from the source only as workers become free, so memory
 * stays flat. Results come in the order in which they are ready, and an item that fails does not end the run.
 *
 * The outcome of a failed item is that of the error where it is a `ShortLinkError`. Any other error is `unknown`, because
 * the work may have been done, with one exception: a worker that throws before its first `await` and has called no client
 * by then, as a plain bug makes it do, is `not-sent`. Outcomes are only as good as the worker is simple, so give it one
 * write per item.
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
 * @throws {ConfigurationError} for an argument that does not fit. During the run: if the journal is in use, cannot be
 * understood, or belongs to other items. What the journal, the source of the items or `onUnknown` throws ends the run too.
 */
export function bulk<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  worker: (item: T, context: BulkContext) => Promise<R> | R,
  options: BulkOptions<T> = {},
): BulkRun<T, R> {
  checkArguments(items, worker, options)
  return new Run(items, worker, options)
}
