import { ConfigurationError, describe, RateLimitError, type RateLimitState } from '../errors.ts'
import { onAbort } from '../runtime/abort.ts'
import { notify } from '../runtime/notify.ts'
import { type Check, type Checks, checkOptions } from '../schema/checks.ts'
import { DAY } from './headers.ts'
import { type RateLimitAnswer, RateLimitWindow } from './window.ts'

export type { RateLimitAnswer } from './window.ts'

/** A budget of requests. Clients with the same limiter share its budget. */
export interface RateLimiter {
  /** The state now. */
  readonly state: RateLimitState
  /**
   * Takes a slot: returns `undefined` if one is free at once, else a promise that resolves when the call has its slot.
   * First come, first served. An abort leaves the queue and rejects with the signal's reason. If it rejects, the call
   * fails with that error.
   *
   * @throws {RateLimitError} with `outcome: 'not-sent'` if the wait would be longer than the limiter's `maxWait`, or if
   * the server has refused requests for longer than `options.maxDelay`.
   */
  acquire(options?: AcquireOptions): Promise<void> | undefined
  /** Must be called exactly once for each slot taken: with the response, or with nothing if there was none. */
  observe(answer?: RateLimitAnswer): void
  /** Called instead of `observe` if the request was never sent. Releases the slot. */
  release?(): void
}

/** Options for acquiring a slot. */
export interface AcquireOptions {
  /** Ends the wait. */
  signal?: AbortSignal | undefined
  /**
   * The longest wait, in milliseconds, that a refusal by the server may impose on this call. If the server has said to
   * wait longer, the call fails at once. Waiting for a slot is not affected. Default: `Infinity`.
   */
  maxDelay?: number | undefined
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

/** Options for a rate limiter. */
export interface RateLimitOptions {
  /**
   * Requests in one window. This is a ceiling: the server's `X-RateLimit-Limit` may lower it but never raises it.
   * `Infinity`: no limit until the server states one. Default: 30 until the server states its own limit.
   */
  requests?: number | undefined
  /** The length of a window in milliseconds, at most a day. Default: 60,000. */
  interval?: number | undefined
  /**
   * The longest a call may wait for the rate limit, in milliseconds. A call that would have to wait longer fails at once.
   * Default: `Infinity`.
   */
  maxWait?: number | undefined
}

const number = (expected: string, fits: (value: number) => boolean, otherNames: string[] = []): Check => ({
  expected,
  otherNames,
  fits: (value) => typeof value === 'number' && fits(value),
})

/** The checks of the options, for the `rateLimit` of a client too. @internal */
export const rateLimitChecks = {
  requests: number('a whole number from 1, or Infinity', (count) => count > 0 && Math.floor(count) === count, [
    'limit',
    'max',
  ]),
  interval: number(`milliseconds above 0 and up to ${DAY}`, (ms) => ms > 0 && ms <= DAY, ['window', 'windowMs']),
  maxWait: number('milliseconds from 0, or Infinity', (ms) => ms >= 0),
} satisfies Checks<keyof RateLimitOptions>

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

/**
 * Creates a budget of requests for the clients of one process. It sends in bursts while there is budget, learns the
 * rate from the headers of the responses, and works without them.
 *
 * @example
 * import { createRateLimiter, ShortLinkClient } from 'shortlink-sdk'
 * const rateLimit = createRateLimiter({ requests: 10 })
 * const shop = new ShortLinkClient({ rateLimit })
 * const blog = new ShortLinkClient({ rateLimit, timeout: 5_000 })
 * await Promise.all([shop.account.get(), blog.account.get()])
 * console.log(shop.rateLimit.remaining === blog.rateLimit.remaining)
 *
 * @throws {ConfigurationError} if an option is invalid.
 */
export function createRateLimiter(options: RateLimitOptions = {}, clock: Clock = systemClock): RateLimiter {
  const issues = checkOptions(options, rateLimitChecks, undefined, ['rateLimit'])
  if (issues.length) throw new ConfigurationError(describe(issues))
  const { requests, interval = 60_000, maxWait = Infinity } = options
  return new Limiter(new RateLimitWindow(requests, interval), maxWait, clock)
}

/** The known state of the rate limit. Times are in milliseconds on the clock of the limiter, which passes it as `now`. */
export interface BudgetWindow {
  readonly limit: number
  /** When to try to take a slot again, if no response arrives before. */
  readonly nextAt: number
  /** Whether a slot was requested from the store. Waiting for it is not waiting for the rate limit. */
  readonly isAsking?: boolean
  /** Takes a slot if one is free. `awaited`: a call has been waiting for it. A window that has to ask calls `wake` later. */
  take(now: number, awaited: boolean, wake: () => void): boolean
  /** Releases a slot whose request was never sent. */
  release(): void
  /** Learns from a response, or from the end of a request that got none. */
  observe(now: number, answer?: RateLimitAnswer): void
  /** Slots that are left, not counting those in flight. */
  remaining(now: number): number
  /** How long a call waits with `ahead` calls in front of it. */
  estimateWait(now: number, ahead: number): number
  /** How much longer the server said to wait when it refused a request. */
  imposedWait(now: number): number
  /** When the window ends, as far as is known; `undefined` if none is open. */
  endsAt(now: number): number | undefined
}

interface Waiter {
  readonly since: number
  readonly maxDelay: number
  /** Removed after it was called. */
  onWait: AcquireOptions['onWait']
  readonly admit: () => void
  readonly refuse: (reason: unknown) => void
}

/** Hands the slots of a window to calls: first come, first served. */
export class Limiter implements RateLimiter {
  readonly #window: BudgetWindow
  readonly #maxWait: number
  readonly #clock: Clock
  /** The waiting calls, in order of arrival. */
  readonly #waiters = new Set<Waiter>()
  /** Whether a call waits although a slot seemed to be free. */
  #hasUntold = false
  #timer: unknown
  #wakesAt = Infinity

  constructor(window: BudgetWindow, maxWait: number, clock: Clock) {
    this.#window = window
    this.#maxWait = maxWait
    this.#clock = clock
  }

  get state(): RateLimitState {
    const now = this.#clock.now()
    const endsAt = this.#window.endsAt(now)
    return {
      limit: finite(this.#window.limit),
      remaining: finite(this.#window.remaining(now)),
      resetAt: endsAt === undefined ? undefined : new Date(Date.now() + endsAt - now),
      queued: this.#waiters.size,
    }
  }

  acquire({ signal, maxDelay = Infinity, onWait }: AcquireOptions = {}): Promise<void> | undefined {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const now = this.#clock.now()
    const ahead = this.#waiters.size
    if (ahead === 0 && this.#window.take(now, false, this.#serve)) return undefined
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.delete(waiter)
        forget?.()
      }
      const admit = () => {
        leave()
        resolve()
      }
      const refuse = (reason: unknown) => {
        leave()
        reject(reason)
      }
      const waiter: Waiter = { since: now, maxDelay, onWait, admit, refuse }
      const abort = () => {
        refuse(signal?.reason)
        this.#setTimer()
      }
      const forget = signal && onAbort(signal, abort)
      this.#waiters.add(waiter)
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

  /** Gives free slots to waiting calls, and sets the timer for the rest. */
  #serve = (): void => {
    const now = this.#clock.now()
    for (const waiter of this.#waiters) {
      if (!this.#window.take(now, true, this.#serve)) break
      waiter.admit()
    }
    this.#reviewAll(now)
    this.#setTimer()
  }

  #reviewAll(now: number): void {
    if (this.#maxWait === Infinity && this.#window.imposedWait(now) === 0 && !this.#hasUntold) return
    this.#hasUntold = false
    let ahead = 0
    for (const waiter of this.#waiters) if (this.#review(waiter, now, ahead)) ahead++
  }

  /** Rejects a call that would wait too long, or reports its wait. Returns whether it still waits. */
  #review(waiter: Waiter, now: number, ahead: number): boolean {
    const wait = this.#window.estimateWait(now, ahead)
    const refusal = this.#refusal(waiter, now, wait)
    if (refusal) {
      waiter.refuse(refusal)
      return false
    }
    if (wait > 0) {
      notify(waiter.onWait, { waitMs: Math.ceil(wait), queued: this.#waiters.size })
      waiter.onWait = undefined
    } else if (waiter.onWait) this.#hasUntold = true
    return true
  }

  /** The error of a call that must not wait any longer, if any. */
  #refusal({ since, maxDelay }: Waiter, now: number, wait: number): RateLimitError | undefined {
    const imposed = this.#window.imposedWait(now)
    if (imposed > maxDelay) {
      const message = `the server said to wait another ${about(imposed)}, longer than maxDelay (${shown(maxDelay)})`
      return this.#error(message, imposed)
    }
    const waited = now - since
    const maxWait = this.#maxWait
    if (wait === 0) {
      // A slot seems to be free, but responses that would free it do not arrive.
      if (waited < maxWait || this.#window.isAsking) return undefined
      return this.#error(`waited ${about(waited)} for the rate limit, as long as maxWait (${shown(maxWait)}) allows`, 0)
    }
    if (waited + wait <= maxWait) return undefined
    const would = waited
      ? `waited ${about(waited)} and would wait about ${about(wait)} more`
      : `would wait about ${about(wait)}`
    return this.#error(`${would} for the rate limit, longer than maxWait (${shown(maxWait)})`, wait)
  }

  #error(message: string, wait: number): RateLimitError {
    const refusal = {
      status: 429,
      httpStatus: 429,
      serverMessage: '',
      isOfPlatform: false,
      body: undefined,
      headers: new Headers(),
      rateLimit: this.state,
    }
    return new RateLimitError(message, refusal, { outcome: 'not-sent', retryable: true }, Math.ceil(wait / 1000))
  }

  /** Keeps one timer while calls wait, and none otherwise. */
  #setTimer(): void {
    const [first] = this.#waiters
    const time = !first || this.#window.isAsking ? Infinity : Math.min(this.#window.nextAt, first.since + this.#maxWait)
    if (time === this.#wakesAt) return
    this.#clock.clearTimeout(this.#timer)
    this.#wakesAt = time
    if (time === Infinity) return
    const wake = () => {
      this.#wakesAt = Infinity
      this.#serve()
    }
    this.#timer = this.#clock.setTimeout(wake, Math.max(1, Math.ceil(time - this.#clock.now())))
  }
}

function finite(count: number): number | undefined {
  return count < Infinity ? count : undefined
}

const about = (ms: number): string => (ms < 1000 ? `${Math.ceil(ms)} ms` : `${Math.ceil(ms / 1000)} s`)
const shown = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)
