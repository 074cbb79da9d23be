import { ConfigurationError, describe, type RateLimitState } from '../errors.ts'
import { type Check, type Checks, checkOptions } from '../schema/checks.ts'
import { DAY } from './headers.ts'
import { type AcquireOptions, type Forecast, WaitingQueue } from './queue.ts'
import { type RateLimitAnswer, RateLimitWindow } from './window.ts'

export type { AcquireOptions, BudgetWait } from './queue.ts'
export type { RateLimitAnswer } from './window.ts'

/** A budget of requests. Clients that are given the same limiter share its budget. */
export interface RateLimiter {
  /** The state now. */
  readonly state: RateLimitState
  /**
   * Takes a place in the budget: returns `undefined` if one is free at once, else a promise that resolves when the call
   * has its place. First come, first served, except for calls that read ahead. An abort leaves the queue and rejects
   * with the signal's reason.
   *
   * @throws {RateLimitError} with `outcome: 'not-sent'` if the wait would be longer than the limiter's `maxWait`, or if
   * the server has refused requests for longer than `options.maxDelay`.
   */
  acquire(signal?: AbortSignal, options?: AcquireOptions): Promise<void> | undefined
  /** Must be called exactly once for each place taken: with what the response said, or with nothing if none came. */
  observe(answer?: RateLimitAnswer): void
  /** Called instead of `observe` if the request was never sent. Gives the place back. */
  release?(): void
}

/** How many requests the client sends, and how long calls wait for their turn. */
export interface RateLimitOptions {
  /**
   * Requests in one window. This is a ceiling: the server's `X-RateLimit-Limit` may lower it but never raises it.
   * `Infinity`: no limit until the server states one. Default: 30 until the server states its own limit.
   */
  requests?: number
  /** The length of a window in milliseconds, at most a day. Default: 60,000. */
  interval?: number
  /**
   * The longest a call may wait for its turn, in milliseconds. A call that would have to wait longer fails at once.
   * Default: `Infinity`.
   */
  maxWait?: number
}

const number = (expected: string, fits: (value: number) => boolean): Check => ({
  expected,
  fits: (value) => typeof value === 'number' && fits(value),
})

/** What the options may be, those of a client too. @internal */
export const rateLimitChecks = {
  requests: number('a whole number from 1, or Infinity', (count) => count > 0 && Math.floor(count) === count),
  interval: number(`milliseconds above 0 and up to ${DAY}`, (ms) => ms > 0 && ms <= DAY),
  maxWait: number('milliseconds from 0, or Infinity', (ms) => ms >= 0),
} satisfies Checks<keyof RateLimitOptions>

/** A source of time that tests can control. `now` counts milliseconds and never jumps. */
export interface Clock {
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

// The globals are looked up on each call, so that fake timers installed later take effect.
const systemClock: Clock = {
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
 * @throws {ConfigurationError} if an option is not valid.
 */
export function createRateLimiter(options: RateLimitOptions = {}, clock: Clock = systemClock): RateLimiter {
  return new LocalRateLimiter(options, clock)
}

/** The budget of one process. */
export class LocalRateLimiter implements RateLimiter {
  readonly #clock: Clock
  readonly #window: RateLimitWindow
  readonly #queue: WaitingQueue
  #timer: unknown
  #wakesAt = Infinity

  constructor(options: RateLimitOptions, clock: Clock = systemClock) {
    const issues = checkOptions(options, rateLimitChecks, ['rateLimit'])
    if (issues.length) throw new ConfigurationError(describe(issues))
    const { requests, interval = 60_000, maxWait = Infinity } = options
    this.#clock = clock
    this.#window = new RateLimitWindow(requests, interval)
    this.#queue = new WaitingQueue(maxWait, () => this.state)
  }

  get state(): RateLimitState {
    const now = this.#clock.now()
    const endsAt = this.#window.endsAt(now)
    return {
      limit: finite(this.#window.limit),
      remaining: finite(this.#window.remaining(now)),
      resetAt: endsAt === undefined ? undefined : new Date(Date.now() + endsAt - now),
      queued: this.#queue.size,
    }
  }

  /** How long calls that come now have to wait. */
  get forecast(): Forecast {
    const now = this.#clock.now()
    return {
      wait: (ahead) => this.#window.estimateWait(now, ahead),
      imposed: this.#window.imposedWait(now),
    }
  }

  acquire(signal?: AbortSignal, options: AcquireOptions = {}): Promise<void> | undefined {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const now = this.#clock.now()
    if (this.#queue.size === 0 && this.#window.take(now, false)) return undefined
    const place = this.#queue.join(now, this.forecast, signal, options, () => this.#setTimer())
    this.#setTimer()
    return place
  }

  observe(answer?: RateLimitAnswer): void {
    this.#window.observe(this.#clock.now(), answer)
    this.#serve()
  }

  release(): void {
    this.#window.release()
    this.#serve()
  }

  /** Gives the free places to the calls that wait, and sets the timer for the rest. */
  #serve(): void {
    const now = this.#clock.now()
    while (this.#queue.size > 0 && this.#window.take(now, true)) this.#queue.admitNext()
    this.#queue.rejectOverdue(now, this.forecast)
    this.#queue.rejectExpired(now)
    this.#queue.tellWaits(this.forecast)
    this.#setTimer()
  }

  /** Keeps one timer while calls wait, and none otherwise. */
  #setTimer(): void {
    const time = this.#queue.size > 0 ? Math.min(this.#window.nextAt, this.#queue.nextDeadline) : Infinity
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
