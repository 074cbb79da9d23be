import { MAX_TIMER } from '../checks/checks.ts'
import type { RateLimitState } from '../errors.ts'
import { onAbort, throwIfAborted } from '../runtime/abort.ts'
import { type Clock, isPast } from '../runtime/clock.ts'
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

/** How much later than estimated a call looks again that is not the first, in milliseconds. Usually it is woken. */
const GRACE = 250

/** How much longer a wait becomes before it is reported again, in milliseconds. */
const TOLERANCE = 1000

/** How long a window may take to confirm a slot, in milliseconds. */
const CONFIRMATION = 1000

/** A call that wants a slot. */
interface Waiter {
  readonly number: number
  readonly attempt: number
  readonly isLow: boolean
  /** The deadline. */
  readonly expiresAt: number
  /** When it gets its slot, as estimated when it last looked. */
  expectedAt: number
  /** When it looks again. */
  looksAt: number
  timer: unknown
  /** Makes it look now. */
  wake: () => void
}

/**
 * Gives the slots of a window to calls: first come, first served.
 *
 * Each waiting call runs a loop of its own with its own timer, and takes its slot itself. The queue is only the order.
 * So no call depends on the timer of another one, which a Worker drops when the request of that call ends.
 */
export class Limiter implements RateLimiter {
  readonly #window: RateLimitWindow
  readonly #clock: Clock
  /** The waiting calls, in the order in which they get their slots. */
  readonly #queue: Waiter[] = []
  #calls = 0

  constructor(window: RateLimitWindow, clock: Clock) {
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
    const { signal, attempt = 1, priority, deadline = Infinity } = options
    const now = this.#clock.now()
    const me: Waiter = {
      ...{ number: this.#calls++, attempt, isLow: priority === 'low', expiresAt: now + deadline },
      ...{ expectedAt: now, looksAt: now, timer: undefined, wake: () => {} },
    }
    if (!me.isLow) this.#window.countNormalCall()
    const isFirst = !signal?.aborted && !this.#window.confirm && this.#findPlace(me) === 0
    const wait = isFirst ? this.#estimateWait(me, 0, now) : Infinity
    if (wait > 0 || this.#findRefusal(me, wait, now)) return this.#wait(me, options)
    this.#window.take(now, me.isLow)
    return undefined
  }

  observe(response?: RateLimitResponse): void {
    const now = this.#clock.now()
    this.#window.observe(now, response)
    for (const waiter of this.#hasGrown(now) ? [...this.#queue] : this.#queue.slice(0, 1)) {
      // Its wait has not grown again until it has looked.
      waiter.expectedAt = Infinity
      waiter.wake()
    }
  }

  release(): void {
    this.#window.release()
    this.#queue[0]?.wake()
  }

  /** Whether it has state to keep: an open window or waiting calls. */
  get isInUse(): boolean {
    const now = this.#clock.now()
    return this.#window.getEnd(now) !== undefined || this.#queue.some((waiter) => !isOverdue(waiter, now))
  }

  /** Applies the options of a client that uses the limiter now. */
  restrict(options: RateLimitOptions): void {
    this.#window.restrict(options)
  }

  /** Waits until the call has its slot. @throws {SlotRefusal} if there is none in time, and the reason of an abort */
  async #wait(me: Waiter, { signal, onWait }: AcquireOptions): Promise<void> {
    const unsubscribe = signal && onAbort(signal, () => me.wake())
    let reportedAt = -Infinity
    try {
      for (;;) {
        throwIfAborted(signal)
        const now = this.#clock.now()
        const place = this.#enter(me)
        if (place > 0 && this.#wakeOverdue(me, now)) {
          // A call that was only late returns to its place now.
          await undefined
          continue
        }
        const wait = this.#estimateWait(me, place, now)
        const refusal = this.#findRefusal(me, wait, now)
        if (refusal) throw refusal
        if (place === 0 && wait === 0) {
          me.looksAt = now + CONFIRMATION
          if ((await this.#window.confirm?.(me.isLow, me.expiresAt - now, signal)) === false) continue
          return this.#window.take(this.#clock.now(), me.isLow)
        }
        me.expectedAt = now + wait
        const woken = this.#sleep(me, place > 0 ? wait + GRACE : wait, now)
        // An observer may abort its own call, which is asleep by now.
        if (wait > 0 && me.expectedAt > reportedAt + TOLERANCE) {
          reportedAt = me.expectedAt
          notify(onWait, { waitMs: Math.ceil(wait), queued: this.#queue.length })
        }
        await woken
      }
    } finally {
      unsubscribe?.()
      this.#clock.clearTimeout(me.timer)
      this.#leave(me)
    }
  }

  #estimateWait({ isLow }: Waiter, place: number, now: number): number {
    return isLow ? this.#window.estimateLowWait(now, place) : this.#window.estimateWait(now, place)
  }

  /** Returns why a call cannot wait any longer, or `undefined`. */
  #findRefusal({ expiresAt }: Waiter, wait: number, now: number): SlotRefusal | undefined {
    const imposed = this.#window.getImposedWait(now)
    const ms = Math.max(1, wait, imposed)
    if (isPast(expiresAt, now) || (now < expiresAt && now + ms > expiresAt)) return { reason: 'deadline', ms }
    return imposed > MAX_IMPOSED_WAIT ? { reason: 'imposed', ms: imposed } : undefined
  }

  /**
   * Returns whether calls have to wait longer than they know. The last two calls show all changes, because at most one
   * of them is the first in its window.
   */
  #hasGrown(now: number): boolean {
    const last = this.#queue.length - 1
    return [last, last - 1].some((place) => {
      const waiter = this.#queue[place]
      return waiter && now + this.#estimateWait(waiter, place, now) > waiter.expectedAt + TOLERANCE
    })
  }

  /** Returns a promise that resolves after a time, at the deadline of the call, or when it is woken. */
  #sleep(me: Waiter, ms: number, now: number): Promise<void> {
    const left = me.expiresAt > now ? me.expiresAt - now : Infinity
    const delay = Math.min(Math.max(1, Math.ceil(Math.min(ms, left))), MAX_TIMER)
    me.looksAt = now + delay
    // Not in `wake`, which may run in another request of a Worker.
    this.#clock.clearTimeout(me.timer)
    return new Promise((resolve) => {
      me.wake = () => {
        me.looksAt = Math.min(me.looksAt, this.#clock.now())
        resolve()
      }
      me.timer = this.#clock.setTimeout(me.wake, delay)
    })
  }

  /** Returns the number of calls before this one in the queue. */
  #findPlace(me: Waiter): number {
    let [from, to] = [0, this.#queue.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (goesBefore(this.#queue[middle]!, me)) from = middle + 1
      else to = middle
    }
    return from
  }

  /** Adds a call to the queue, unless it is there. Returns its place. */
  #enter(me: Waiter): number {
    const place = this.#findPlace(me)
    if (this.#queue[place] !== me) this.#queue.splice(place, 0, me)
    return place
  }

  #leave(me: Waiter): void {
    const place = this.#findPlace(me)
    if (this.#queue[place] === me) this.#queue.splice(place, 1)
    if (place === 0) this.#queue[0]?.wake()
  }

  /**
   * Removes and wakes the calls before this one that have not looked in time: the request of a Worker that they belong
   * to has ended, or a test has removed its fake timers. Returns whether there were any.
   */
  #wakeOverdue(me: Waiter, now: number): boolean {
    let first = this.#queue[0]!
    if (!isOverdue(first, now)) return false
    for (; first !== me && isOverdue(first, now); first = this.#queue[0]!) {
      this.#queue.shift()
      first.wake()
    }
    return true
  }
}

/** Returns whether one call gets its slot before another. */
function goesBefore(one: Waiter, other: Waiter): boolean {
  if (one.isLow !== other.isLow) return other.isLow
  return one.attempt === other.attempt ? one.number < other.number : one.attempt > other.attempt
}

/** Returns whether a call has not looked in time. A busy program runs the timers of calls in the order of their times. */
function isOverdue({ looksAt }: Waiter, now: number): boolean {
  return now >= looksAt + GRACE
}

function toFinite(count: number): number | undefined {
  return count < Infinity ? count : undefined
}
