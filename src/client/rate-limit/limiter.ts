import { type Checks, MAX_TIMER, milliseconds, nonEmptyString, positiveInteger } from '../checks/checks.ts'
import type { RateLimitState } from '../errors.ts'
import { DAY } from '../platform/rate-headers.ts'
import { getAbortReason, onAbort } from '../runtime/abort.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import type { Fetch } from '../runtime/fetch.ts'
import { notify } from '../runtime/notify.ts'
import { isRecord } from '../runtime/text.ts'
import { type RateLimitOptions, type RateLimitResponse, RateLimitWindow } from './window.ts'

/**
 * The longest wait that a server can impose on a call, in milliseconds. If it asks for more, the call fails at once.
 */
export const MAX_IMPOSED_WAIT = 90_000

/** A limiter of requests. Clients with the same limiter share its rate limit. */
export interface RateLimiter {
  /** The current state. */
  readonly state: RateLimitState
  /**
   * Takes a slot. Returns `undefined` if one is free, else a promise that resolves when the call has its slot. First
   * come, first served. If the signal aborts, the promise rejects with its reason. If it rejects with a {@link
   * SlotRefusal}, the call fails with a `RateLimitError`; any other rejection becomes the `cause` of an error.
   */
  acquire(options?: AcquireOptions): Promise<void> | undefined
  /** Must be called exactly once for each slot: with the response, or without one if there was none. */
  observe(response?: RateLimitResponse): void
  /** Releases the slot of a request that was never sent. Called instead of `observe`. */
  release?(): void
}

/** Options for acquiring a slot. */
export interface AcquireOptions {
  /** Ends the wait. */
  signal?: AbortSignal | undefined
  /** How long the call can wait for its slot, in milliseconds. Default: no limit. */
  deadline?: number | undefined
  /**
   * The number of the attempt that the slot is for. Later attempts go first, because their calls came first. Default:
   * 1.
   */
  attempt?: number | undefined
  /** `low`: the call waits behind all normal calls. Default: `normal`. */
  priority?: 'normal' | 'low' | undefined
  /**
   * Called as soon as it is known that the call has to wait, and again if the wait becomes more than a second longer.
   */
  onWait?: ((event: SlotWait) => void) | undefined
}

/** A call has to wait for the rate limit. */
export interface SlotWait {
  /** The estimated wait in milliseconds. */
  readonly waitMs: number
  /** Calls that are waiting now, this one included. */
  readonly queued: number
}

/** What a limiter rejects with if it has no slot in time. */
export interface SlotRefusal {
  /**
   * `deadline`: no slot becomes free within `AcquireOptions.deadline`. `imposed`: the server asked for a longer wait
   * than a call accepts.
   */
  readonly reason: 'deadline' | 'imposed'
  /** How long the call would have to wait, in milliseconds. */
  readonly ms: number
}

/** Returns whether a value is a {@link SlotRefusal}, from any copy of the package. */
export function isSlotRefusal(value: unknown): value is SlotRefusal {
  return isRecord(value) && (value.reason === 'deadline' || value.reason === 'imposed') && typeof value.ms === 'number'
}

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

/** @internal */
export const rateLimitChecks = {
  requests: {
    expected: 'a whole number from 1, or Infinity',
    isValid: (value) => value === Number.POSITIVE_INFINITY || positiveInteger.isValid(value),
  },
  interval: {
    expected: `milliseconds above 0 and up to ${DAY}`,
    isValid: (value) => milliseconds.isValid(value) && Number(value) <= DAY,
  },
  name: nonEmptyString,
} satisfies Checks<keyof RateLimitOptions>

/** Identifies a limiter: base URL, key and fetch. */
export interface LimiterOwner {
  /** `undefined` while unknown. */
  readonly baseUrl: string | undefined
  /** The key or the function that returns it; `null` or `undefined` if none is sent. */
  readonly key: string | (() => unknown) | null | undefined
  readonly fetch: Fetch
}

/** How long a limiter is kept after its last use, in milliseconds. */
const IDLE = 60_000

type GetLimiter = (owner: LimiterOwner, options: RateLimitOptions) => Limiter

/**
 * Creates the function that finds the limiters of a process. The limiters are hidden in its closure, so that inspecting
 * an object does not show the keys that identify them.
 *
 * Idle limiters, with a window that is over and no waiting calls, are removed when a new one is created.
 */
function createLimiterRegistry(): GetLimiter {
  const known = new Map<string, { readonly limiter: Limiter; usedAt: number }>()
  const numbers = new WeakMap<object, number>()
  let nextNumber = 1
  let sweptAt = 0

  function getNumber(value: object): number {
    const number = numbers.get(value) ?? nextNumber++
    numbers.set(value, number)
    return number
  }

  function createId({ baseUrl, key, fetch }: LimiterOwner, name: string | undefined): string {
    if (name !== undefined) return JSON.stringify([baseUrl, name])
    return JSON.stringify([baseUrl, typeof key === 'function' ? getNumber(key) : [key], getNumber(fetch)])
  }

  function removeIdle(now: number): void {
    sweptAt = now
    for (const [id, { limiter, usedAt }] of known) if (now - usedAt >= IDLE && !limiter.isInUse) known.delete(id)
  }

  return (owner, options) => {
    const now = systemClock.now()
    const id = createId(owner, options.name)
    const found = known.get(id)
    if (found) {
      found.usedAt = now
      found.limiter.restrict(options)
      return found.limiter
    }
    if (now - sweptAt >= IDLE) removeIdle(now)
    const limiter = new Limiter(new RateLimitWindow(options), systemClock)
    known.set(id, { limiter, usedAt: now })
    return limiter
  }
}

// Shared by all copies of the package in a process: Next.js bundles one copy per route.
const LIMITERS = Symbol.for('shortlink-sdk.limiters.2')

/**
 * Returns the limiter for a base URL, a key and a `fetch`, or for a base URL and a `name`. It is the same one each
 * time. The smallest `requests` and the longest `interval` of all its options take effect.
 */
export function getLimiter(owner: LimiterOwner, options: RateLimitOptions): Limiter {
  const holder = globalThis as { [LIMITERS]?: GetLimiter }
  // Not enumerable, so that `console.log(globalThis)` does not show it.
  if (!holder[LIMITERS]) Object.defineProperty(holder, LIMITERS, { value: createLimiterRegistry() })
  return holder[LIMITERS]!(owner, options)
}
