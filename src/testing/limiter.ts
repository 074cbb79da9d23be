import { Limiter } from '../client/rate-limit/limiter.ts'
import { RateLimitWindow } from '../client/rate-limit/window.ts'
import { type Clock, LEAP, systemClock } from '../client/runtime/clock.ts'
import type { RateWindow } from './platform/rate-window.ts'

/** The limiter of a sandbox's client: the client's own, on a clock that a test can move. */
export class SandboxLimiter extends Limiter {
  readonly #clock: MovableClock

  constructor({ requests, interval }: RateWindow) {
    const clock = new MovableClock()
    // No other program uses the key, so no slot is held back.
    super(new RateLimitWindow({ requests, interval }, true), clock)
    this.#clock = clock
  }

  /** Moves the clock. Moving it back makes the limiter forget what it learned. */
  advance(ms: number): void {
    if (ms < 0) this.reset()
    else this.#clock.advance(ms)
  }

  /** Forgets the requests of the window and the refusals, by moving far ahead in time. */
  reset(): void {
    this.#clock.advance(LEAP)
  }
}

/** The system clock, which can be moved forward. */
class MovableClock implements Clock {
  #ahead = 0
  readonly #timers = new Map<unknown, () => void>()

  now(): number {
    return systemClock.now() + this.#ahead
  }

  setTimeout(run: () => void, ms: number): unknown {
    const timer = systemClock.setTimeout(() => {
      this.#timers.delete(timer)
      run()
    }, ms)
    this.#timers.set(timer, run)
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer)
    systemClock.clearTimeout(timer)
  }

  /** Moves the clock forward, and runs all timers, so that waiting calls check it. */
  advance(ms: number): void {
    this.#ahead += ms
    for (const [timer, run] of [...this.#timers]) {
      this.clearTimeout(timer)
      run()
    }
  }
}
