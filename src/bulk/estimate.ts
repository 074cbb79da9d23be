import type { RateLimitState } from '../errors.ts'

/** Estimates how long a run takes, from the time the work takes and the rate budget of the client. */
export class Estimate {
  readonly #client: { readonly rateLimit: RateLimitState } | undefined
  readonly #concurrency: number
  /** The length of a rate window: the longest time until a reset that was seen. */
  #interval = 0
  #inWork = 0
  #finished = 0
  /** Milliseconds of work for one item on average; the last twenty items count most. */
  #perItem = 0

  constructor(client: { readonly rateLimit: RateLimitState } | undefined, concurrency: number) {
    this.#client = client
    this.#concurrency = concurrency
  }

  /** Milliseconds until the rate window ends; 0 if none is open. */
  untilReset(): number {
    const { resetAt } = this.#client?.rateLimit ?? {}
    return resetAt ? Math.max(0, resetAt.getTime() - Date.now()) : 0
  }

  /** To be called when an item has begun. */
  itemBegun(): void {
    this.#inWork++
    this.#interval = Math.max(this.#interval, this.untilReset())
  }

  /** To be called when an item has ended. */
  itemEnded(durationMs: number): void {
    this.#inWork--
    this.#finished++
    this.#perItem += (durationMs - this.#perItem) * Math.max(1 / this.#finished, 1 / 20)
  }

  /** Milliseconds until the last of so many items is done, those in work included. */
  timeFor(left: number): number | undefined {
    const { limit, remaining } = this.#client?.rateLimit ?? {}
    if (this.#finished === 0 && this.#interval === 0) return left === 0 ? 0 : undefined
    const working = this.#workFor(left)
    if (!limit || remaining === undefined) return working
    const beyondThisWindow = left - this.#inWork - remaining
    if (beyondThisWindow <= 0) return working
    const inLastWindow = ((beyondThisWindow - 1) % limit) + 1
    const waiting = this.untilReset() + ((beyondThisWindow - inLastWindow) / limit) * this.#interval
    return Math.max(working, waiting + this.#workFor(inLastWindow))
  }

  #workFor(items: number): number {
    return (items * this.#perItem) / Math.min(this.#concurrency, Math.max(1, items))
  }
}
