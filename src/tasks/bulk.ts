import { type BulkContext, type BulkOptions, type BulkResult, type BulkSummary, bulkChecks } from './items.ts'
import { checkTask } from './options.ts'
import { ItemRun } from './run.ts'
import { createTask, type Task } from './task.ts'

/**
 * Runs a worker for many items, a few at a time. Items are read from the source only as workers become free, so memory use
 * is constant. Results come as they are ready, and a failed item does not end the run.
 *
 * The outcome of a failed item is that of its `ShortLinkError`; any other error is `unknown`, because the work may have been
 * done. Outcomes are only reliable for simple workers, so make one write per item.
 *
 * @example
 * import { bulk } from 'shortlink-sdk/tasks'
 * const run = bulk(linkIds, (id, { signal }) => client.campaigns.assignLink(7, id, { signal }), {
 *   client,
 *   journal: fileJournal('assign.journal'),
 * })
 * for await (const result of run) {
 *   if (!result.ok) console.error(result.item, result.outcome, result.error.message)
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
): Task<BulkResult<T, R>, BulkSummary> {
  checkTask('bulk', { items, worker }, options, bulkChecks)
  let summary: BulkSummary = { total: 0, done: 0, skipped: 0, failed: 0, unknown: 0, elapsedMs: 0 }
  return createTask(
    options.signal,
    async function* (control) {
      const run = new ItemRun(items, worker, options, control)
      try {
        yield* run.results()
      } finally {
        summary = run.summary
      }
    },
    () => summary,
  )
}
