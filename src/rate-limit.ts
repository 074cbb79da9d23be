import type { RateLimitState } from './errors.ts'

/** What an answer said of the rate. */
export interface RateLimitAnswer {
  /** The headers of the answer. */
  readonly headers: Headers
  /** Whether the server refused the request because of its rate: 429, in the status or in the body. */
  readonly refused: boolean
  /** How long to wait, in seconds, where the body or the `Retry-After` header says so. */
  readonly retryAfter: number | undefined
}

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
}
