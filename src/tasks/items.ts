import type { RateLimitState } from '../client/errors.ts'
import type { Journal } from './journal.ts'
import type { TaskProgress, TaskResult, TaskSummary } from './task.ts'

/** The second argument of the worker. */
export interface BulkContext {
  /** The position of the item, from 0. */
  readonly index: number
  /** Aborts when the run ends early. Pass it to the calls. */
  readonly signal: AbortSignal
}

/** The result of one item. */
export type BulkResult<T, R> = TaskResult<
  {
    readonly item: T
    /** The position of the item, from 0. */
    readonly index: number
  },
  {
    /** The value that the worker returned. */
    readonly data: R
    /** True if an earlier run did the work, and `data` comes from the journal. Only with the option `replay`. */
    readonly replayed: boolean
  }
>

/** The totals of a run that has ended. */
export interface BulkSummary extends TaskSummary {
  /** Items that earlier runs had done already. */
  readonly skipped: number
  /** The duration of this run in milliseconds. */
  readonly elapsedMs: number
}

/** Options for `bulk`. All are optional. */
export interface BulkOptions<T> {
  /** The number of items to work on at a time. Default 10. */
  concurrency?: number | undefined
  /** Aborts the run: items in progress see the abort and still give results, then the run rejects with an `AbortError`. */
  signal?: AbortSignal | undefined
  /** Called after each item. Errors it throws are ignored. */
  onProgress?: ((progress: TaskProgress) => void) | undefined
  /** The number of items, for `total` and `etaMs`. Default: the length of an array, the size of a set or map. */
  total?: number | undefined
  /**
   * Records which items are done, so that an interrupted run resumes when it is started again. `fileJournal(path)` of
   * `shortlink-sdk/node` keeps it in a file. Default: none.
   */
  journal?: Journal | undefined
  /**
   * The name of an item in the journal, such as its id. Required with `journal`; a run in which two items share a name fails.
   * Items may be moved, added and taken out between two runs.
   */
  key?: ((item: T, index: number) => string | number) | undefined
  /**
   * The choice for an item that an earlier run began, and that may have been done: it is unknown how it ended.
   * `report` (default) fails it with {@link UnknownOutcomeError} without calling the worker; `retry` does it again.
   */
  onUnknown?: UnknownDecision | undefined
  /**
   * Keeps the `data` of each item in the journal, and gives the results of earlier runs too, with `replayed: true`.
   * `data` is then converted to JSON: a date becomes a string, `undefined` becomes `null`. Items done without this
   * option are skipped as usual. A resumed run holds all kept data in memory. Default `false`: items that earlier runs
   * have done give no results.
   */
  replay?: boolean | undefined
  /**
   * The client that the worker uses. Items then begin only when its rate limit allows and no other call waits for it, `etaMs`
   * takes the limit into account, and five items in a row without any response end the run.
   */
  client?: { readonly rateLimit: RateLimitState } | undefined
}

/** The options for an item that an earlier run may have done. */
export type UnknownDecision = 'report' | 'retry'

/** An earlier run began the item, and it is unknown how it ended: the work may have been done. */
export class UnknownOutcomeError extends Error {
  declare readonly code?: undefined
  override readonly name = 'UnknownOutcomeError'

  constructor() {
    super('an earlier run began this item, and it is unknown how it ended: it may have been done')
  }
}
