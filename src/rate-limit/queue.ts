import { RateLimitError, type RateLimitState } from '../errors.ts'
import { notify } from '../runtime/notify.ts'
import { onAbort } from '../runtime/on-abort.ts'

/** What a call says of itself when it asks for a place in the rate budget. All optional. */
export interface AcquireOptions {
  /**
   * The longest wait, in milliseconds, that a refusal by the server may impose on this call. If the server has said to
   * wait longer, the call fails at once. Waiting for budget is not affected. Default: `Infinity`.
   */
  maxDelay?: number
  /** Called once if the call has to wait, as soon as that is known. */
  onWait?: (event: BudgetWait) => void
  /**
   * Whether the request only reads ahead. While other calls wait, such a call stands behind them. A function is asked
   * each time a place becomes free, so that the request can become urgent while it waits: it then joins the calls that
   * wait already, as the last. Default: `false`.
   */
  readAhead?: boolean | (() => boolean) | undefined
}

/** A call has to wait for rate budget. */
export interface BudgetWait {
  /** The estimated wait in milliseconds. */
  readonly waitMs: number
  /** Calls that are waiting now, this one included. */
  readonly queued: number
}

/** How long calls have to wait, in milliseconds. */
export interface Forecast {
  /** The wait of a call that has so many others before it. */
  readonly wait: (ahead: number) => number
  /** The part of it that the server imposed when it refused a request. */
  readonly imposed: number
}

interface Waiter {
  readonly since: number
  readonly options: AcquireOptions
  /** Ends the wait: with the place, or with the reason why there is none. */
  readonly settle: (error?: RateLimitError) => void
}

/**
 * Calls that wait for budget, each at most `maxWait` milliseconds: first come, first served, except that calls which
 * read ahead let the others go first.
 */
export class WaitingQueue {
  /** All of them, in the order in which they came. */
  readonly #waiters = new Set<Waiter>()
  /** Those that do not read ahead, in the order in which they came or became urgent. */
  readonly #urgent = new Set<Waiter>()
  readonly #readingAhead = new Set<Waiter>()
  /** Those that are yet to be told how long they wait. */
  readonly #untold = new Set<Waiter>()
  readonly #maxWait: number
  readonly #state: () => RateLimitState

  constructor(maxWait: number, state: () => RateLimitState) {
    this.#maxWait = maxWait
    this.#state = state
  }

  get size(): number {
    return this.#waiters.size
  }

  /** When the call that has been waiting longest reaches `maxWait`. */
  get nextDeadline(): number {
    const [first] = this.#waiters
    return first ? first.since + this.#maxWait : Infinity
  }

  /**
   * Adds a call, unless its wait would be too long. An abort removes it, and then calls `onLeave`.
   *
   * @throws {RateLimitError} if the wait would be longer than `maxWait`, or the imposed part longer than `maxDelay`
   */
  join(
    now: number,
    { wait, imposed }: Forecast,
    signal: AbortSignal | undefined,
    options: AcquireOptions,
    onLeave: () => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        for (const waiters of [this.#waiters, this.#urgent, this.#readingAhead, this.#untold]) waiters.delete(waiter)
        removeListener?.()
      }
      const settle = (error?: RateLimitError) => {
        leave()
        if (error) reject(error)
        else resolve()
      }
      const waiter: Waiter = { since: now, options, settle }
      this.#findUrgent()
      const readsAhead = isReadingAhead(waiter)
      const waitMs = wait(readsAhead ? this.size : this.#urgent.size)
      const overdue = this.#overdue(waiter, now, waitMs, imposed)
      if (overdue) return reject(overdue)
      const removeListener =
        signal &&
        onAbort(signal, () => {
          leave()
          onLeave()
          reject(signal.reason)
        })
      this.#waiters.add(waiter)
      const line = readsAhead ? this.#readingAhead : this.#urgent
      line.add(waiter)
      this.#untold.add(waiter)
      this.#tell(waiter, waitMs)
    })
  }

  /** Gives a place to the next call. */
  admitNext(): void {
    const [next] = this.#inOrder()
    next?.settle()
  }

  /** Rejects the calls that would have to wait too long by what is known now. */
  rejectOverdue(now: number, { wait, imposed }: Forecast): void {
    if (this.#maxWait === Infinity && imposed === 0) return
    let ahead = 0
    for (const waiter of [...this.#inOrder()]) {
      const overdue = this.#overdue(waiter, now, wait(ahead), imposed)
      if (overdue) waiter.settle(overdue)
      else ahead++
    }
  }

  /** Rejects the calls that have waited too long, though a place seemed to be free. */
  rejectExpired(now: number): void {
    for (const waiter of this.#waiters) {
      const waited = now - waiter.since
      if (waited < this.#maxWait) return
      waiter.settle(this.#noPlace(waited, 0))
    }
  }

  /** Tells the calls how long they wait that did not seem to have to wait before. */
  tellWaits({ wait }: Forecast): void {
    if (this.#untold.size === 0) return
    let ahead = 0
    for (const waiter of [...this.#inOrder()]) this.#tell(waiter, wait(ahead++))
  }

  #tell(waiter: Waiter, wait: number): void {
    if (wait === 0 || !this.#untold.delete(waiter)) return
    notify(waiter.options.onWait, { waitMs: Math.ceil(wait), queued: this.size })
  }

  /** Why a call has to wait too long, if it does. */
  #overdue({ since, options }: Waiter, now: number, wait: number, imposed: number): RateLimitError | undefined {
    const { maxDelay = Infinity } = options
    const waited = now - since
    if (imposed > maxDelay) {
      return this.#error(
        `the server said to wait another ${Math.ceil(imposed)} ms, which is longer than maxDelay (${maxDelay} ms)`,
        imposed,
      )
    }
    return wait > 0 && waited + wait > this.#maxWait ? this.#noPlace(waited, wait) : undefined
  }

  #noPlace(waited: number, wait: number): RateLimitError {
    return this.#error(
      `no place in the rate budget within maxWait (${this.#maxWait} ms): waited ${Math.ceil(waited)} ms, about ${Math.ceil(wait)} ms to go`,
      wait,
    )
  }

  #error(message: string, wait: number): RateLimitError {
    const refusal = { status: 429, body: undefined, headers: new Headers(), rateLimit: this.#state() }
    return new RateLimitError(message, refusal, { outcome: 'not-sent', retryable: true }, Math.ceil(wait / 1000))
  }

  *#inOrder(): Generator<Waiter> {
    this.#findUrgent()
    yield* this.#urgent
    yield* this.#readingAhead
  }

  /** Lets the calls that have become urgent join the line behind those that were urgent before. */
  #findUrgent(): void {
    for (const waiter of this.#readingAhead) {
      if (isReadingAhead(waiter)) continue
      this.#readingAhead.delete(waiter)
      this.#urgent.add(waiter)
    }
  }
}

function isReadingAhead({ options: { readAhead = false } }: Waiter): boolean {
  return typeof readAhead === 'function' ? readAhead() : readAhead
}
