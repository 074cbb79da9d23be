import { ConfigurationError, type RateLimitState } from '../errors.ts'
import { kind } from '../schema/expected.ts'
import { DAY } from './headers.ts'
import { createLine } from './queue.ts'
import { createWindow, type RateLimitAnswer } from './window.ts'

export type { RateLimitAnswer } from './window.ts'

/** A budget of requests that calls share. One limiter given to several clients makes them share it. */
export interface RateLimiter {
  /** The state now. */
  readonly state: RateLimitState
  /**
   * Takes a place in the budget: `undefined` where one is free at once, else a promise that waits for it.
   * First come, first served. An abort frees the place and rejects with the signal's reason.
   *
   * @throws {RateLimitError} with `outcome: 'not-sent'`, where the wait would be longer than `maxWait`.
   */
  acquire(signal?: AbortSignal): Promise<void> | undefined
  /** To be called exactly once after each place taken: with what the answer said, or nothing where none came. */
  observe(answer?: RateLimitAnswer): void
  /** To be called instead of `observe` where the request was never sent: gives the place back. */
  release?(): void
}

/** The rate that the client keeps to. @see reference, “Limits” */
export interface RateLimitOptions {
  /** Requests in one window, until the server's `X-RateLimit-Limit` says otherwise. Default: 30; `Infinity`: no limit. */
  requests?: number
  /** The length of a window in milliseconds, a day at most. Default: 60,000. */
  interval?: number
  /** The longest a call may wait for its turn, in milliseconds; a longer wait is an error at once. Default: `Infinity`. */
  maxWait?: number
}

/** Time, so that tests can move it. `now` counts milliseconds and never jumps. */
export interface Clock {
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

// The globals are looked up each time, so that a test's fake timers are found.
const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as number),
}

/**
 * A budget of requests for the clients of one process. It sends in bursts while there is budget, learns the rate
 * from the headers of the answers, and works without them.
 *
 * @throws {ConfigurationError} where an option does not fit.
 */
export function createRateLimiter(options: RateLimitOptions = {}, clock: Clock = systemClock): RateLimiter {
  const { requests = 30, interval = 60_000, maxWait = Infinity } = options
  check('requests', requests, 'a whole number from 1, or Infinity', requests > 0 && Math.floor(requests) === requests)
  check('interval', interval, `milliseconds above 0 and up to ${DAY}`, interval > 0 && interval <= DAY)
  check('maxWait', maxWait, 'milliseconds from 0, or Infinity', maxWait >= 0)

  const window = createWindow(requests, interval)
  const line = createLine(maxWait, () => limiter.state)
  let timer: unknown
  let wakesAt = Infinity

  /** Gives the free places to those who wait, first come, first served, and sets the timer for the others. */
  function serve(): void {
    const now = clock.now()
    while (line.size > 0 && window.take(now, true)) line.next()
    line.thin(now, (ahead) => window.wait(now, ahead))
    wakeAt(line.size > 0 ? Math.min(window.nextAt, line.patience) : Infinity)
  }

  /** Keeps one timer while somebody waits, and none otherwise. */
  function wakeAt(time: number): void {
    if (time === wakesAt) return
    if (wakesAt < Infinity) clock.clearTimeout(timer)
    wakesAt = time
    if (time === Infinity) return
    const wake = () => {
      wakesAt = Infinity
      serve()
    }
    timer = clock.setTimeout(wake, Math.max(1, Math.ceil(time - clock.now())))
  }

  const limiter: RateLimiter = {
    get state() {
      const now = clock.now()
      const end = window.end(now)
      return {
        limit: finite(window.limit),
        remaining: finite(window.left(now)),
        resetAt: end === undefined ? undefined : new Date(Date.now() + end - now),
        queued: line.size,
      }
    },

    acquire(signal) {
      if (signal?.aborted) return Promise.reject(signal.reason)
      const now = clock.now()
      if (line.size === 0 && window.take(now, false)) return undefined
      const place = line.join(now, window.wait(now, line.size), signal, serve)
      serve()
      return place
    },

    observe(answer) {
      window.observe(clock.now(), answer)
      if (line.size > 0) serve()
    },

    release() {
      window.release()
      if (line.size > 0) serve()
    },
  }
  return limiter
}

const finite = (count: number) => (count < Infinity ? count : undefined)

function check(name: keyof RateLimitOptions, value: unknown, accepted: string, fits: boolean): void {
  if (typeof value === 'number' && fits) return
  const received = typeof value === 'number' ? value : kind(value)
  throw new ConfigurationError(`rateLimit.${name}: expected ${accepted}, received ${received}`)
}
