import type { Outcome } from '../errors.ts'

/** The second argument of the worker. */
export interface BulkContext {
  /** The position of the item, from 0. */
  readonly index: number
  /** Aborts when the run ends early. Pass it to the calls. */
  readonly signal: AbortSignal
}

/** The result of one item. */
export type BulkResult<T, R> =
  | {
      readonly ok: true
      readonly item: T
      readonly index: number
      readonly data: R
      readonly outcome: 'done'
      /** Whether an earlier run did the work, and `data` comes from the journal. Only with the option `replay`. */
      readonly replayed: boolean
    }
  | { readonly ok: false; readonly item: T; readonly index: number; readonly error: unknown; readonly outcome: Outcome }

/** The progress of a run. */
export interface BulkProgress {
  /** Items done, including those of earlier runs. */
  readonly done: number
  /** Items that failed in this run. */
  readonly failed: number
  /** The number of items; `undefined` if it is not known. */
  readonly total: number | undefined
  /** Milliseconds since this run began. */
  readonly elapsedMs: number
  /**
   * Estimated milliseconds until the last item is done, from the rate limit and the speed so far; `undefined` while
   * there is too little to go by.
   */
  readonly etaMs: number | undefined
}

/** The totals of a run that has ended. */
export interface BulkSummary {
  /** Items done, including those of earlier runs. */
  readonly done: number
  /** Items that earlier runs had done already. */
  readonly skipped: number
  /** Items that failed in this run, including those whose outcome is unknown. */
  readonly failed: number
  /** Failed items that may have been done nevertheless. */
  readonly unknown: number
  /** The duration of this run in milliseconds. */
  readonly elapsedMs: number
}

// What `await using` needs, for programs whose `lib` and types do not have it. The same as in TypeScript and @types/node.
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
  interface AsyncDisposable {
    [Symbol.asyncDispose](): PromiseLike<void>
  }
}

/**
 * A run over many items. It begins when its results are iterated over, or when `summary` is called. Disposing of it
 * (`await using`) ends it: items in progress see an abort, and the journal records how they ended.
 */
export interface BulkRun<T, R> extends AsyncIterable<BulkResult<T, R>>, AsyncDisposable {
  /**
   * The totals, once the run has ended. If the results are not iterated over, this call does the work. It rejects
   * with the error that ends the run early.
   */
  summary(): Promise<BulkSummary>
}

/** An earlier run began the item, and it is unknown how it ended: the work may have been done. */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError'

  constructor() {
    super('an earlier run began this item, and it is unknown how it ended: it may have been done')
  }
}

/** The result of an item that failed. */
export function failure<T>(item: T, index: number, error: unknown, outcome: Outcome) {
  return { ok: false, item, index, error, outcome } as const
}
