import { setImmediate as settled } from 'node:timers/promises'
import type { RateLimitOptions } from 'shortlink-sdk'
import { Limiter } from '../../../src/client/rate-limit/limiter.ts'
import { RateLimitWindow } from '../../../src/client/rate-limit/window.ts'
import type { Clock } from '../../../src/client/runtime/clock.ts'

/** Creates a limiter that is not shared. */
export const createRateLimiter = (options: RateLimitOptions, clock: Clock): Limiter =>
  new Limiter(new RateLimitWindow(options), clock)

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** A clock that only a test advances. */
export class FakeClock implements Clock {
  #now = 0
  /** The active timers, in the order in which they fire. */
  readonly #timers: Timer[] = []

  now = (): number => this.#now

  setTimeout = (run: () => void, ms: number): Timer => {
    const timer = { at: this.#now + ms, run }
    this.#timers.splice(this.#findPlace(timer.at), 0, timer)
    return timer
  }

  clearTimeout = (timer: unknown): void => {
    if (timer === undefined) return
    let place = this.#findPlace((timer as Timer).at) - 1
    while (place >= 0 && this.#timers[place] !== timer) place--
    if (place >= 0) this.#timers.splice(place, 1)
  }

  /** The number of active timers. */
  get timers(): number {
    return this.#timers.length
  }

  /** Advances the clock and runs due timers. Lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    while (this.#timers.length > 0 && this.#timers[0]!.at <= until) {
      const timer = this.#timers.shift()!
      this.#now = Math.max(this.#now, timer.at)
      timer.run()
      await settled()
    }
    this.#now = until
    await settled()
  }

  /** Advances the clock until no timer is left, at most by a day. */
  async drain(): Promise<void> {
    await settled()
    const end = this.#now + 86_400_000
    while (this.#timers.length > 0 && this.#now < end) await this.advance(this.#timers[0]!.at - this.#now)
  }

  /** Returns how many timers fire before a new one at this time. */
  #findPlace(at: number): number {
    let [from, to] = [0, this.#timers.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#timers[middle]!.at <= at) from = middle + 1
      else to = middle
    }
    return from
  }
}
