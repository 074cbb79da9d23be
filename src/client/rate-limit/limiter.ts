import { MAX_TIMER } from '../checks/checks.ts'
import type { RateLimitState } from '../errors.ts'
import { getAbortReason, onAbort } from '../runtime/abort.ts'
import type { Clock } from '../runtime/clock.ts'
import { notify } from '../runtime/notify.ts'
import {
  type AcquireOptions,
  MAX_IMPOSED_WAIT,
  type RateLimiter,
  type RateLimitOptions,
  type RateLimitResponse,
  type SlotRefusal,
} from './rate-limiter.ts'
import type { RateLimitWindow } from './window.ts'

/** The window of this process, or one that processes share through a store. */
export interface SlotWindow
  extends Pick<
    RateLimitWindow,
    'limit' | 'release' | 'observe' | 'getRemaining' | 'estimateWait' | 'getImposedWait' | 'getEnd'
  > {
  /** Takes a slot if one is free. A window that has to ask a store calls `wake` later. */
  take(now: number, wake: () => void, isLow: boolean): boolean
  /** Returns when the next slot becomes free, unless a response changes that. */
  getNextSlotTime(now: number, isLow: boolean): number
  restrict?(options: RateLimitOptions): void
}

/** A waiting call. */
interface Waiter {
  readonly attempt: number
  readonly isLow: boolean
  /** The deadline. */
  readonly expiresAt: number
  readonly onWait: AcquireOptions['onWait']
  /** When it gets its slot, as reported by the last `onWait`. */
  expectedAt: number
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
  /** Stops listening to the signal. */
  unsubscribe?: (() => void) | undefined
}

/** Gives the slots of a window to calls: first come, first served. */
export class Limiter implements RateLimiter {
  readonly #window: SlotWindow
  readonly #clock: Clock
  /** The waiting calls, in the order in which they get their slots. */
  readonly #queue: Waiter[] = []
  /** The earliest deadline of the waiting calls. */
  #expiresAt = Infinity
  #timer: unknown

  constructor(window: SlotWindow, clock: Clock) {
    this.#window = window
    this.#clock = clock
  }

  get state(): RateLimitState {
    const now = this.#clock.now()
    const endsAt = this.#window.getEnd(now)
    return {
      limit: toFinite(this.#window.limit),
      remaining: toFinite(this.#window.getRemaining(now)),
      resetAt: endsAt === undefined ? undefined : new Date(Date.now() + endsAt - now),
      queued: this.#queue.length,
    }
  }

  acquire(options: AcquireOptions = {}): Promise<void> | undefined {
    const { signal, deadline = Infinity, attempt = 1, priority, onWait } = options
    if (signal?.aborted) return Promise.reject(getAbortReason(signal))
    const now = this.#clock.now()
    const rank = { attempt, isLow: priority === 'low' }
    let ahead = this.#queue.length
    while (ahead > 0 && canOvertake(rank, this.#queue[ahead - 1]!)) ahead--
    if (ahead === 0 && this.#window.take(now, this.#serve, rank.isLow)) return undefined
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { ...rank, expiresAt: now + deadline, onWait, expectedAt: -Infinity, resolve, reject }
      const abort = () => {
        this.#remove(waiter)
        reject(getAbortReason(signal!))
        this.#setTimer()
      }
      waiter.unsubscribe = signal && onAbort(signal, abort)
      this.#queue.splice(ahead, 0, waiter)
      this.#review(waiter, now, ahead)
      this.#setTimer()
    })
  }

  observe(response?: RateLimitResponse): void {
    this.#window.observe(this.#clock.now(), response)
    this.#serve()
  }

  release(): void {
    this.#window.release()
    this.#serve()
  }

  /** Whether it has state to keep: an open window or waiting calls. */
  get isInUse(): boolean {
    return this.#queue.length > 0 || this.#window.getEnd(this.#clock.now()) !== undefined
  }

  /** Applies more options: the smallest number of requests and the longest interval take effect. */
  restrict(options: RateLimitOptions): void {
    this.#window.restrict?.(options)
  }

  /** Gives free slots to waiting calls, and reviews the calls that still wait. */
  #serve = (): void => {
    const now = this.#clock.now()
    for (
      let first = this.#queue[0];
      first && this.#window.take(now, this.#serve, first.isLow);
      first = this.#queue[0]
    ) {
      this.#remove(first)
      first.resolve()
    }
    this.#expiresAt = Infinity
    let ahead = 0
    for (const waiter of [...this.#queue]) if (this.#review(waiter, now, ahead)) ahead++
    this.#setTimer()
  }

  #remove(waiter: Waiter): void {
    const at = this.#queue.indexOf(waiter)
    // An observer of another call may have aborted this one.
    if (at !== -1) this.#queue.splice(at, 1)
    waiter.unsubscribe?.()
  }

  /** Rejects a call that cannot get its slot in time, or reports its wait. Returns whether it still waits. */
  #review(waiter: Waiter, now: number, ahead: number): boolean {
    const wait = this.#window.estimateWait(now, ahead)
    const refusal = this.#findRefusal(waiter, now, wait)
    if (refusal) {
      this.#remove(waiter)
      waiter.reject(refusal)
      return false
    }
    if (wait > 0 && now + wait > waiter.expectedAt + 1000) {
      waiter.expectedAt = now + wait
      notify(waiter.onWait, { waitMs: Math.ceil(wait), queued: this.#queue.length })
    }
    this.#expiresAt = Math.min(this.#expiresAt, waiter.expiresAt)
    return true
  }

  /** Returns why a call cannot wait any longer, or `undefined`. */
  #findRefusal({ expiresAt }: Waiter, now: number, wait: number): SlotRefusal | undefined {
    const imposed = this.#window.getImposedWait(now)
    const ms = Math.max(1, wait, imposed)
    if (now >= expiresAt || now + ms > expiresAt) return { reason: 'deadline', ms }
    return imposed > MAX_IMPOSED_WAIT ? { reason: 'imposed', ms: imposed } : undefined
  }

  /**
   * Keeps one timer while calls wait. It is set again each time, because the last one is lost if a test has removed its
   * fake timers.
   */
  #setTimer(): void {
    this.#clock.clearTimeout(this.#timer)
    const now = this.#clock.now()
    const nextAt = this.#queue[0] ? this.#window.getNextSlotTime(now, this.#queue[0].isLow) : Infinity
    const time = Math.min(nextAt, this.#expiresAt)
    if (time === Infinity) return
    const ms = Math.ceil(time - now)
    this.#timer = this.#clock.setTimeout(this.#serve, Math.min(Math.max(1, ms), MAX_TIMER))
  }
}

/** Returns whether a call may overtake one that came earlier. */
function canOvertake(one: Pick<Waiter, 'attempt' | 'isLow'>, other: Waiter): boolean {
  if (one.isLow !== other.isLow) return other.isLow
  return one.attempt > other.attempt
}

function toFinite(count: number): number | undefined {
  return count < Infinity ? count : undefined
}
