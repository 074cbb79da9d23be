import { TimeoutError } from '../errors.ts'
import type { AcquireOptions, RateLimiter } from '../rate-limit/limiter.ts'
import type { RateWindow } from './platform/rate-window.ts'

/**
 * The rate limiter of a sandbox's client. It sees the window of the platform itself, so that a wait ends as soon as the
 * sandbox's clock is advanced, and not when a second and a margin have passed.
 */
export class SandboxLimiter implements RateLimiter {
  readonly #window: RateWindow
  readonly #now: () => number
  readonly #waiting = new Set<() => void>()
  /** Slots taken, for which no response has come yet. */
  #underWay = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(window: RateWindow, now: () => number) {
    this.#window = window
    this.#now = now
  }

  get state(): RateLimiter['state'] {
    const { limit, remaining, resetAt } = this.#window.state
    return {
      limit,
      remaining: Math.max(0, remaining - this.#underWay),
      resetAt: resetAt === undefined ? undefined : new Date(resetAt),
      queued: this.#waiting.size,
    }
  }

  acquire(options: AcquireOptions = {}): Promise<void> | undefined {
    const { signal, deadline = Number.POSITIVE_INFINITY, onWait } = options
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (this.#waiting.size === 0 && this.#take()) return undefined
    const waitMs = this.#untilReset() + Math.floor(this.#waiting.size / this.#window.requests) * this.#window.interval
    if (waitMs > deadline) {
      const context = { outcome: 'not-sent', retryable: true } as const
      return Promise.reject(new TimeoutError(deadline, context, `would wait ${waitMs} ms for the rate limit`))
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(admit)
        reject(signal?.reason)
      }
      const admit = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave)
      this.#waiting.add(admit)
      onWait?.({ waitMs, queued: this.#waiting.size })
      this.serve()
    })
  }

  observe(): void {
    this.release()
  }

  release(): void {
    this.#underWay = Math.max(0, this.#underWay - 1)
    this.serve()
  }

  /** Gives free slots to calls that wait. Called when there may be some: after a response, or when the clock was moved. */
  serve(): void {
    for (const admit of this.#waiting) {
      if (!this.#take()) break
      this.#waiting.delete(admit)
      admit()
    }
    clearTimeout(this.#timer)
    // If no window is open, the first response opens it.
    const isOpen = this.#window.state.resetAt !== undefined
    if (isOpen && this.#waiting.size > 0) this.#timer = setTimeout(() => this.serve(), this.#untilReset())
  }

  /** Lets all go that wait, and forgets the requests that are under way. */
  reset(): void {
    this.#underWay = 0
    this.serve()
  }

  #take(): boolean {
    if (this.state.remaining === 0) return false
    this.#underWay += 1
    return true
  }

  /** How long until the window ends, or the one that is about to open, in milliseconds. */
  #untilReset(): number {
    const { resetAt } = this.#window.state
    return resetAt === undefined ? this.#window.interval : resetAt - this.#now()
  }
}
