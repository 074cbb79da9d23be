import { setImmediate as settled } from 'node:timers/promises'
import type { RateLimitOptions } from 'shortlink-sdk'
import { Limiter } from '../../../src/client/rate-limit/limiter.ts'
import { RateLimitWindow } from '../../../src/client/rate-limit/window.ts'
import type { Clock } from '../../../src/client/runtime/clock.ts'

/** Creates a limiter that is not shared. */
export const createRateLimiter = (options: RateLimitOptions, clock: Clock): Limiter =>
  new Limiter(new RateLimitWindow(options), clock)

/** A clock that only a test advances. */
export class FakeClock implements Clock {
  #now = 0
  #next = 1
  readonly #timers = new Map<number, { at: number; run: () => void }>()

  now = (): number => this.#now

  setTimeout = (run: () => void, ms: number): number => {
    this.#timers.set(this.#next, { at: this.#now + ms, run })
    return this.#next++
  }

  clearTimeout = (timer: unknown): void => {
    this.#timers.delete(timer as number)
  }

  /** The number of active timers. */
  get timers(): number {
    return this.#timers.size
  }

  /** Advances the clock and runs due timers. Lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    for (let due = this.#due(until); due !== undefined; due = this.#due(until)) {
      const timer = this.#timers.get(due)!
      this.#timers.delete(due)
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
    while (this.#timers.size > 0 && this.#now < end) {
      await this.advance(Math.min(...[...this.#timers.values()].map(({ at }) => at)) - this.#now)
    }
  }

  #due(until: number): number | undefined {
    let earliest: number | undefined
    for (const [id, { at }] of this.#timers) {
      if (at <= until && (earliest === undefined || at < this.#timers.get(earliest)!.at)) earliest = id
    }
    return earliest
  }
}
