import {
  AbortError,
  type AnyShortLinkError,
  ConfigurationError,
  type Outcome,
  type RateLimitState,
} from 'shortlink-sdk'
import { createAbortError, getAbortReason, onAbort } from '../../../src/client/runtime/abort.ts'
import { asyncIterator } from '../abort.ts'
import type { Closable } from '../closable.ts'

/**
 * A running task. It starts when you loop over its results or call `summary`. Leaving the loop or disposing of the task
 * (`await using`) ends it: items in progress see an abort, and the journal records how they ended.
 */
export interface Task<Result, Summary> extends AsyncIterable<Result>, Closable {
  /**
   * Waits for the end and returns the totals. If you don't loop over the results, this call runs the task, and rejects
   * with the error that ends it early.
   */
  summary(): Promise<Summary>
}

/** The error of an item: an error of `shortlink-sdk`, whose `code` narrows its type, or any other error. */
export type TaskError = AnyShortLinkError | (Error & { readonly code?: undefined })

/** The result of one item: the properties of `Item` in every case, and those of `Done` if the item is done. */
export type TaskResult<Item, Done> = Item &
  (
    | (Done & { readonly ok: true; readonly outcome: 'done'; readonly error?: undefined })
    | ({ readonly [Name in keyof Done]?: undefined } & {
        readonly ok: false
        readonly outcome: Outcome
        readonly error: TaskError
      })
  )

/** The totals that all tasks have. */
export interface TaskSummary {
  /** All items: those that this run worked on, and those that were done already. */
  readonly total: number
  /** Items done, including those of earlier runs. */
  readonly done: number
  /** Items that failed in this run, including those whose outcome is unknown. */
  readonly failed: number
  /** Failed items that may have been done anyway. */
  readonly unknown: number
}

/** The progress of a task. */
export interface TaskProgress {
  /** Items done, including those of earlier runs. */
  readonly done: number
  /** Items that failed in this run. */
  readonly failed: number
  /** The number of items; `undefined` if it is not known. */
  readonly total: number | undefined
  /** Milliseconds since this run began. */
  readonly elapsedMs: number
  /**
   * Estimated milliseconds until the last item is done, based on the rate limit and the speed so far; `undefined` while
   * no estimate is possible.
   */
  readonly etaMs: number | undefined
}

/** The second argument of a worker. */
export interface BulkContext {
  /** The position of the item, from 0. */
  readonly index: number
  /** Aborts when the run ends early. Pass it to the calls of the worker. */
  readonly signal: AbortSignal
}

/** The result of one item of `bulk`. */
export type BulkResult<T, R> = TaskResult<
  {
    readonly item: T
    /** The position of the item, from 0. */
    readonly index: number
  },
  {
    /** The value that the worker returned. */
    readonly data: R
    /** Whether an earlier run did the work, and `data` comes from the journal. Only with the option `replay`. */
    readonly replayed: boolean
  }
>

/** The totals of `bulk`. */
export interface BulkSummary extends TaskSummary {
  /** Items that earlier runs had done. */
  readonly skipped: number
  /** How long this run took, in milliseconds. */
  readonly elapsedMs: number
}

/** Returns whether an item was done or may have been done, so that a repetition could do it twice. */
export const mayBeDone = (outcome: Outcome): boolean => outcome === 'unknown' || outcome === 'done'

/** Ends a task, and signals the end to its parts. */
export class TaskControl {
  readonly #calls = new AbortController()
  readonly #ending = new AbortController()
  /** Aborts when the task is aborted. Calls in flight see this signal. */
  readonly signal = this.#calls.signal
  /** Aborts when no further item may begin, because the task was aborted or has failed. */
  readonly ending = this.#ending.signal
  #failure: { readonly error: unknown } | undefined

  /** Ends the task at once: calls in flight are aborted. */
  abort(reason: unknown): void {
    this.#ending.abort(reason)
    this.#calls.abort(reason)
  }

  /** Ends the task with an error, after the calls in flight have finished. */
  fail(error: unknown): void {
    if (!this.ending.aborted) this.#failure = { error }
    this.#ending.abort(error)
  }

  /** @throws {AbortError} if no further item may begin */
  throwIfEnding(): void {
    if (this.ending.aborted) throw new AbortError(getAbortReason(this.ending))
  }

  /** @throws the error that the task failed with, or an `AbortError` if it was aborted */
  throwIfEnded(outcome: Outcome = 'not-sent'): void {
    if (this.#failure) throw this.#failure.error
    if (this.ending.aborted) throw new AbortError(getAbortReason(this.ending), { outcome })
  }
}

/** Creates a task whose results come from a generator. */
export function createTask<Result, Summary>(
  userSignal: AbortSignal | undefined,
  generate: (control: TaskControl) => AsyncGenerator<Result>,
  summarize: () => Summary,
): Task<Result, Summary> {
  const control = new TaskControl()
  let results: AsyncGenerator<Result> | undefined
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })

  async function* run(): AsyncGenerator<Result> {
    const abort = () => control.abort(getAbortReason(userSignal!))
    const unsubscribe = userSignal && onAbort(userSignal, abort)
    try {
      if (userSignal?.aborted) abort()
      control.throwIfEnded()
      yield* generate(control)
    } finally {
      unsubscribe?.()
      end()
    }
  }

  return {
    [asyncIterator]() {
      if (results) throw new ConfigurationError('the results of a task can be iterated over only once')
      results = run()
      return results
    },
    async summary() {
      if (!results) for await (const _ of this);
      await ended
      return summarize()
    },
    async [Symbol.asyncDispose]() {
      control.abort(createAbortError('The task was disposed.'))
      await results?.return(undefined).catch(() => {})
    },
  }
}

/** Returns a function that returns the milliseconds since this call. If the clock goes back, it starts again at 0. */
export function startStopwatch(): () => number {
  let startedAt = performance.now()
  return () => {
    const now = performance.now()
    startedAt = Math.min(startedAt, now)
    return Math.round(now - startedAt)
  }
}

/** The assumed length of a rate limit window while the real one is unknown, in milliseconds. */
const DEFAULT_INTERVAL = 60_000

/** Estimates the time until a task is done, and learns the length of the rate limit's windows for it. */
export class TimeLeft {
  /** The time between the ends of two windows; before two are known, the longest time that a window had left. */
  #interval = 0
  #resetAt: number | undefined

  /**
   * Returns the estimated time until `left` more items are done, in milliseconds; `undefined` if no estimate is
   * possible. It is the larger of two estimates: one from the pace of the `finished` items, and one from the rate limit
   * at one request per item.
   */
  estimate(
    left: number | undefined,
    { finished, elapsedMs }: { readonly finished: number; readonly elapsedMs: number },
    { limit = Infinity, remaining = limit, resetAt }: Partial<RateLimitState> = {},
  ): number | undefined {
    const untilReset = resetAt ? this.#updateInterval(resetAt.getTime()) : DEFAULT_INTERVAL
    if (left === 0) return 0
    if (left === undefined || finished === 0) return undefined
    const pace = (elapsedMs / finished) * left
    if (left <= remaining) return Math.round(pace)
    const windows = Math.ceil((left - remaining) / limit) - 1
    return Math.round(Math.max(pace, untilReset + windows * (this.#interval || DEFAULT_INTERVAL)))
  }

  /** Updates the length of a window from the end of the current one. Returns the time until that end. */
  #updateInterval(resetAt: number): number {
    const now = Date.now()
    const previous = this.#resetAt
    this.#resetAt = resetAt
    if (previous !== undefined && previous <= now && resetAt > previous) this.#interval = resetAt - previous
    else this.#interval = Math.max(this.#interval, resetAt - now)
    return Math.max(0, resetAt - now)
  }
}
