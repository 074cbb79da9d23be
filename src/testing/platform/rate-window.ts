/** The rate limit of the management API. */
export interface SandboxRateLimit {
  /** Requests in one window. Default 30. */
  requests?: number | undefined
  /** The length of a window in milliseconds. Default 60,000. */
  interval?: number | undefined
}

/** The result of counting a request: the wait if it is over the limit, and the rate headers of its response. */
export interface RateDecision {
  /** Whole seconds to wait if the request is over the limit, `undefined` if it is not. */
  readonly retryAfter: number | undefined
  readonly headers: Record<string, string>
}

/** A fixed window that starts with its first request. */
export class RateWindow {
  readonly requests: number
  readonly interval: number
  readonly #now: () => number
  #start = Number.NEGATIVE_INFINITY
  #used = 0

  constructor({ requests = 30, interval = 60_000 }: SandboxRateLimit, now: () => number) {
    this.requests = requests
    this.interval = interval
    this.#now = now
  }

  /** The requests left, and when the window ends, in milliseconds; `undefined` if no window is open. */
  get state(): { limit: number; remaining: number; resetAt: number | undefined } {
    const isOpen = this.#isOpen(this.#now())
    return {
      limit: this.requests,
      remaining: isOpen ? Math.max(0, this.requests - this.#used) : this.requests,
      resetAt: isOpen ? this.#start + this.interval : undefined,
    }
  }

  /** Counts one request. */
  take(): RateDecision {
    const now = this.#now()
    if (!this.#isOpen(now)) {
      this.#start = now
      this.#used = 0
    }
    this.#used += 1
    const { remaining, resetAt = now } = this.state
    return {
      retryAfter: this.#used > this.requests ? Math.ceil((resetAt - now) / 1000) : undefined,
      headers: {
        'X-RateLimit-Limit': String(this.requests),
        'X-RateLimit-Remaining': String(remaining),
        'X-RateLimit-Reset': String(Math.ceil(resetAt / 1000)),
      },
    }
  }

  reset(): void {
    this.#start = Number.NEGATIVE_INFINITY
    this.#used = 0
  }

  /** Returns whether a window is open. One that starts in the future is not: the clock was set back. */
  #isOpen(now: number): boolean {
    return now >= this.#start && now < this.#start + this.interval
  }
}
