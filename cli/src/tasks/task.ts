import {
  AbortError,
  type AnyShortLinkError,
  ConfigurationError,
  type Outcome,
  type RateLimitState,
} from 'shortlink-sdk'
import { asyncIterator, createAbortError, getAbortReason, onAbort } from '../abort.ts'
import type { Closable } from '../closable.ts'

/**
 * Work under way. It begins when its results are iterated over, or when `summary` is called. Disposing of it
 * (`await using`) or leaving the loop ends it: items in progress see an abort, and the journal records how they ended.
 */
export interface Task<Result, Summary> extends AsyncIterable<Result>, Closable {
  /**
   * The totals, once the work has ended. If nobody iterates over the results, this call does the work, and rejects with
   * whatever ends it early.
   */
  summary(): Promise<Summary>
}

/** The error of an item: one of this package, whose `code` narrows it, or another, which has no such code. */
export type TaskError = AnyShortLinkError | (Error & { readonly code?: undefined })

/** The result of one item: what it belongs to, and what came of it if that is done. */
export type TaskResult<Item, Done> = Item &
  (
    | (Done & { readonly ok: true; readonly outcome: 'done'; readonly error?: undefined })
    | ({ readonly [Name in keyof Done]?: undefined } & {
        readonly ok: false
        readonly outcome: Outcome
        readonly error: TaskError
      })
  )

/** The totals of every task. */
export interface TaskSummary {
  /** Items that were worked on or found to be done. */
  readonly total: number
  /** Items done, including those of earlier runs. */
  readonly done: number
  /** Items that failed in this run, including those whose outcome is unknown. */
  readonly failed: number
  /** Failed items that may have been done nevertheless. */
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
   * Estimated milliseconds until the last item is done, from the rate limit and the speed so far; `undefined` while
   * there is too little to go by.
   */
  readonly etaMs: number | undefined
}

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
    /** Whether an earlier run did the work, and `data` comes from the journal. Only with the option `replay`. */
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

/** Returns whether an item was or may have been done, so that repeating it could do it twice. */
export const mayBeDone = (outcome: Outcome): boolean => outcome === 'unknown' || outcome === 'done'

/** The end of a task, and its signals. */
export class TaskControl {
  readonly #calls = new AbortController()
  readonly #ending = new AbortController()
  /** Aborts when the task is aborted, and with it its calls. */
  readonly signal = this.#calls.signal
  /** Aborts when nothing more may begin, because the task was aborted or has failed. */
  readonly ending = this.#ending.signal
  #failure: { readonly error: unknown } | undefined

  /** Ends the task as its user's signal does, or leaving its loop: calls in flight are aborted. */
  abort(reason: unknown): void {
    this.#ending.abort(reason)
    this.#calls.abort(reason)
  }

  /** Ends the task with an error, after the calls in flight. */
  fail(error: unknown): void {
    if (!this.ending.aborted) this.#failure = { error }
    this.#ending.abort(error)
  }

  /** @throws an `AbortError` for an item that must not begin any more */
  throwIfEnding(): void {
    if (this.ending.aborted) throw new AbortError(getAbortReason(this.ending))
  }

  /** @throws what has ended the task: the error it failed with, or an `AbortError` */
  throwIfEnded(outcome: Outcome = 'not-sent'): void {
    if (this.#failure) throw this.#failure.error
    if (this.ending.aborted) throw new AbortError(getAbortReason(this.ending), { outcome })
  }
}

/** Creates a task from the generator of its results. */
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

/** Returns a function that returns the milliseconds since now. If the clock goes back, it starts anew. */
export function startStopwatch(): () => number {
  let startedAt = performance.now()
  return () => {
    const now = performance.now()
    startedAt = Math.min(startedAt, now)
    return Math.round(now - startedAt)
  }
}

/** The length of a window that nobody knows, in milliseconds. */
const DEFAULT_INTERVAL = 60_000

/** Estimates the time until a task is done. It learns how long the windows of the rate limit are. */
export class TimeLeft {
  /** The time between the ends of two windows, or until then the longest time that one had left. */
  #interval = 0
  #resetAt: number | undefined

  /**
   * Returns the time until `left` more items are done, in milliseconds: the larger of what the pace of the `finished`
   * ones says, and what the rate limit needs for a request each. `undefined` if nobody can say.
   */
  estimate(
    left: number | undefined,
    { finished, elapsedMs }: { readonly finished: number; readonly elapsedMs: number },
    { limit = Infinity, remaining = limit, resetAt }: Partial<RateLimitState> = {},
  ): number | undefined {
    const untilReset = resetAt ? this.#learn(resetAt.getTime()) : DEFAULT_INTERVAL
    if (left === 0) return 0
    if (left === undefined || finished === 0) return undefined
    const pace = (elapsedMs / finished) * left
    if (left <= remaining) return Math.round(pace)
    const windows = Math.ceil((left - remaining) / limit) - 1
    return Math.round(Math.max(pace, untilReset + windows * (this.#interval || DEFAULT_INTERVAL)))
  }

  /** Learns when a window ends. Returns the time until then. */
  #learn(resetAt: number): number {
    const now = Date.now()
    const before = this.#resetAt
    this.#resetAt = resetAt
    if (before !== undefined && before <= now && resetAt > before) this.#interval = resetAt - before
    else this.#interval = Math.max(this.#interval, resetAt - now)
    return Math.max(0, resetAt - now)
  }
}
