import type { BudgetWindow } from '../rate-limit/limiter.ts'
import type { RateWindow } from './platform/rate-window.ts'

/**
 * The platform's own window, as the limiter of the sandbox's client asks it. So a wait ends as soon as the sandbox's clock is
 * advanced, and not when a second and a margin have passed.
 */
export class ClientWindow implements BudgetWindow {
  /** Lets the limiter look again, after the window or the clock was moved. */
  wake = () => {}
  readonly #window: RateWindow
  /** Slots taken, for which no response has come yet. */
  #underWay = 0

  constructor(window: RateWindow) {
    this.#window = window
  }

  get limit(): number {
    return this.#window.requests
  }

  take(_: number, wake: () => void): boolean {
    this.wake = wake
    const isFree = this.remaining() > 0
    if (isFree) this.#underWay += 1
    return isFree
  }

  release(): void {
    this.#underWay = Math.max(0, this.#underWay - 1)
  }

  observe(): void {
    this.release()
  }

  remaining(): number {
    return Math.max(0, this.#window.state.remaining - this.#underWay)
  }

  endsAt(): number | undefined {
    return this.#window.state.resetAt
  }

  /** If no window is open, the first response opens it. */
  nextAt(): number {
    return this.endsAt() ?? Number.POSITIVE_INFINITY
  }

  estimateWait(now: number, ahead: number): number {
    const behind = ahead - this.remaining()
    if (behind < 0) return 0
    const { requests, interval } = this.#window
    return (this.endsAt() ?? now + interval) - now + Math.floor(behind / requests) * interval
  }

  imposedWait(): number {
    return 0
  }

  reset(): void {
    this.#underWay = 0
    this.wake()
  }
}
