import { MAX_TIMER } from '../checks/checks.ts'
import type { RateLimitState } from '../errors.ts'
import { abortReason, onAbort } from '../runtime/abort.ts'
import { notify } from '../runtime/notify.ts'
import { isRecord } from '../runtime/text.ts'
import type { RateLimitAnswer, RateLimitWindow } from './window.ts'

/** The longest wait that a server may impose on a call, in milliseconds. The call fails at once if it asks for more. */
export const MAX_IMPOSED_WAIT = 90_000

/** A budget of requests. Clients with the same limiter share its budget. */
export interface RateLimiter {
  /** The state now. */
  readonly state: RateLimitState
  /**
   * Takes a slot: returns `undefined` if one is free at once, else a promise that resolves when the call has its slot.
   * First come, first served. An abort leaves the queue and rejects with the signal's reason.
   *
   * It rejects with a {@link SlotRefusal}, which is no error, if there is no slot in time. The call then fails with a
   * `RateLimitError`, and with a `ConnectionError` if it rejects with anything else; nothing is sent.
   */
  acquire(options?: AcquireOptions): Promise<void> | undefined
  /** Must be called exactly once for each slot taken: with the response, or with nothing if there was none. */
  observe(answer?: RateLimitAnswer): void
  /** Called instead of `observe` if the request was never sent. Releases the slot. */
  release?(): void
}

/** Why a call gets no slot. */
export interface SlotRefusal {
  /** `deadline`: the slot cannot be there in time. `imposed`: the server has refused requests for longer than 90 seconds. */
  readonly reason: 'deadline' | 'imposed'
  /** How long the call would still have to wait, in milliseconds. */
  readonly ms: number
}

/** Whether a limiter has rejected with a `SlotRefusal`. Not a class, because the limiter may be of another copy of the package. */
export function isSlotRefusal(value: unknown): value is SlotRefusal {
  return isRecord(value) && (value.reason === 'deadline' || value.reason === 'imposed') && typeof value.ms === 'number'
}

/** Options for acquiring a slot. */
export interface AcquireOptions {
  /** Ends the wait. */
  signal?: AbortSignal | undefined
  /** The time within which the slot must be there, in milliseconds from now. Default: no limit. */
  deadline?: number | undefined
  /** The number of the attempt that the slot is for. Later attempts go first, because their calls came first. Default: 1. */
  attempt?: number | undefined
  /** Called once if the call has to wait, as soon as that is known. */
  onWait?: ((event: BudgetWait) => void) | undefined
}

/** A call has to wait for the rate limit. */
export interface BudgetWait {
  /** The estimated wait in milliseconds. */
  readonly waitMs: number
  /** Calls that are waiting now, this one included. */
  readonly queued: number
}

/** A source of time that tests can control. `now` counts milliseconds and never jumps. */
export interface Clock {
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

// The globals are looked up on each call, so that fake timers installed later take effect.
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as number),
}

/** The window of this process, or the one that it shares with others over a store. */
export interface BudgetWindow
  extends Pick<
    RateLimitWindow,
    'limit' | 'nextAt' | 'release' | 'observe' | 'remaining' | 'estimateWait' | 'imposedWait' | 'endsAt'
  > {
  /** Whether a slot was requested from the store. Waiting for it is not waiting for the rate limit. */
  readonly isAsking?: boolean
  /** Takes a slot if one is free. A window that has to ask calls `wake` later. */
  take(now: number, wake: () => void): boolean
}

interface Waiter {
  readonly attempt: number
  /** When the deadline passes. */
  readonly expiresAt: number
  /** Removed after it was called. */
  onWait: AcquireOptions['onWait']
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
  /** Stops listening to the signal. */
  unsubscribe?: (() => void) | undefined
}

/** Hands the slots of a window to calls: first come, first served. */
export class Limiter implements RateLimiter {
  readonly #window: BudgetWindow
  readonly #clock: Clock
  /** The waiting calls, in the order in which they get their slots. */
  readonly #queue: Waiter[] = []
  /** The earliest time at which the deadline of a waiting call may pass. */
  #expiresAt = Infinity
  #timer: unknown
  #wakesAt = Infinity

  constructor(window: BudgetWindow, clock: Clock) {
    this.#window = window
    this.#clock = clock
  }

  get state(): RateLimitState {
    const now = this.#clock.now()
    const endsAt = this.#window.endsAt(now)
    return {
      limit: finite(this.#window.limit),
      remaining: finite(this.#window.remaining(now)),
      resetAt: endsAt === undefined ? undefined : new Date(Date.now() + endsAt - now),
      queued: this.#queue.length,
    }
  }

  acquire({ signal, deadline = Infinity, attempt = 1, onWait }: AcquireOptions = {}): Promise<void> | undefined {
    if (signal?.aborted) return Promise.reject(abortReason(signal))
    const now = this.#clock.now()
    if (this.#queue.length === 0 && this.#window.take(now, this.#serve)) return undefined
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { attempt, expiresAt: now + deadline, onWait, resolve, reject }
      const abort = () => {
        this.#remove(waiter)
        reject(abortReason(signal!))
        this.#setTimer()
      }
      waiter.unsubscribe = signal && onAbort(signal, abort)
      const later = this.#queue.findIndex((other) => other.attempt < attempt)
      const ahead = later === -1 ? this.#queue.length : later
      this.#queue.splice(ahead, 0, waiter)
      this.#review(waiter, now, ahead)
      this.#setTimer()
    })
  }

  observe(answer?: RateLimitAnswer): void {
    this.#window.observe(this.#clock.now(), answer)
    this.#serve()
  }

  release(): void {
    this.#window.release()
    this.#serve()
  }

  /** Gives free slots to waiting calls, and looks at the rest again. */
  #serve = (): void => {
    const now = this.#clock.now()
    while (this.#queue.length > 0 && this.#window.take(now, this.#serve)) {
      const first = this.#queue[0]!
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
    // An observer of another call may have aborted this one already.
    if (at !== -1) this.#queue.splice(at, 1)
    waiter.unsubscribe?.()
  }

  /** Rejects a call that cannot get its slot in time, or reports its wait. Returns whether it still waits. */
  #review(waiter: Waiter, now: number, ahead: number): boolean {
    const wait = this.#window.estimateWait(now, ahead)
    const refusal = this.#refusalOf(waiter, now, wait)
    if (refusal) {
      this.#remove(waiter)
      waiter.reject(refusal)
      return false
    }
    if (wait > 0) {
      notify(waiter.onWait, { waitMs: Math.ceil(wait), queued: this.#queue.length })
      waiter.onWait = undefined
    }
    this.#expiresAt = Math.min(this.#expiresAt, waiter.expiresAt)
    return true
  }

  /** Why a call must not wait any longer, if so. */
  #refusalOf({ expiresAt }: Waiter, now: number, wait: number): SlotRefusal | undefined {
    const imposed = this.#window.imposedWait(now)
    const ms = Math.max(1, wait, imposed)
    if (now >= expiresAt || now + Math.max(wait, imposed) > expiresAt) return { reason: 'deadline', ms }
    return imposed > MAX_IMPOSED_WAIT ? { reason: 'imposed', ms: imposed } : undefined
  }

  /** Keeps one timer while calls wait, and none otherwise. */
  #setTimer(): void {
    const now = this.#clock.now()
    const nextAt = this.#window.isAsking ? Infinity : this.#window.nextAt(now)
    const time = this.#queue.length === 0 ? Infinity : Math.min(nextAt, this.#expiresAt)
    if (time === this.#wakesAt) return
    this.#clock.clearTimeout(this.#timer)
    this.#wakesAt = time
    if (time === Infinity) return
    const wake = () => {
      this.#wakesAt = Infinity
      this.#serve()
    }
    const ms = Math.ceil(time - now)
    this.#timer = this.#clock.setTimeout(wake, Math.min(Math.max(1, ms), MAX_TIMER))
  }
}

function finite(count: number): number | undefined {
  return count < Infinity ? count : undefined
}
