import type { RateLimitState } from '../errors.ts'

/** The rate limit of a client: the requests left, and the milliseconds until the window ends, 0 if none is open. */
export function budgetOf(client: { readonly rateLimit: RateLimitState } | undefined) {
  const { limit = Infinity, remaining = Infinity, resetAt } = client?.rateLimit ?? {}
  return { limit, remaining, untilReset: resetAt ? Math.max(0, resetAt.getTime() - Date.now()) : 0 }
}

/** Estimates the remaining time of a run: that of the work at its speed so far, or of the rate limit if that takes longer. */
export class Estimate {
  readonly #client: { readonly rateLimit: RateLimitState } | undefined
  readonly #beganAt = performance.now()
  /** Milliseconds in which the work stood still until a window ended. */
  #waited = 0
  /** Requests since the run began, and per item as far as is known. */
  #sent = 0
  #perItem = 1
  /** The length of a window: the longest time until a reset that was seen. */
  #interval = 0
  #window = { remaining: Infinity, endsAt: Infinity, readAt: 0 }

  constructor(client: { readonly rateLimit: RateLimitState } | undefined) {
    this.#client = client
  }

  /** Reads the rate limit; to be called when an item begins or ends. */
  read(inWork: number): void {
    const { limit, remaining, untilReset } = budgetOf(this.#client)
    if (limit === Infinity || remaining === Infinity) return
    const now = performance.now()
    const before = this.#window
    this.#interval = Math.max(this.#interval, untilReset)
    if (now < before.endsAt) this.#sent += Math.max(0, Math.min(before.remaining, limit) - remaining)
    else {
      // The items in work have used up the rest of the old window, and then waited for its end.
      const isUsedUp = before.remaining <= inWork
      this.#sent += (isUsedUp ? before.remaining : 0) + limit - remaining
      if (isUsedUp) this.#waited += before.endsAt - before.readAt
    }
    this.#window = { remaining, endsAt: untilReset > 0 ? now + untilReset : Infinity, readAt: now }
  }

  /** Milliseconds until `left` more items are done, after `finished`, of those `inWork` now; `undefined` if nobody can say. */
  timeFor(left: number, finished: number, inWork: number): number | undefined {
    if (left === 0) return 0
    if (finished === 0) return undefined
    this.read(inWork)
    const speed = Math.max(0, performance.now() - this.#beganAt - this.#waited) / finished
    const { limit, remaining, untilReset } = budgetOf(this.#client)
    // Some of the requests are those of items in work, so there are two bounds.
    this.#perItem = Math.min(
      Math.max(this.#perItem, this.#sent / (finished + inWork)),
      Math.max(1, this.#sent / finished),
    )
    const sentInWork = Math.min(Math.max(0, this.#sent - this.#perItem * finished), this.#perItem * inWork)
    const beyond = Math.round(this.#perItem * left - sentInWork) - remaining
    if (beyond <= 0 || limit === Infinity) return speed * left
    const inLastWindow = ((beyond - 1) % limit) + 1
    const waiting = untilReset + ((beyond - inLastWindow) / limit) * this.#interval
    return Math.max(speed * left, waiting + speed * Math.min(left, inLastWindow / this.#perItem))
  }
}
