import type { RateLimitState } from '../errors.ts'

/** Estimates the remaining time of a run from the duration of the work, its requests and the rate limit of the client. */
export class Estimate {
  readonly #client: { readonly rateLimit: RateLimitState } | undefined
  readonly #concurrency: number
  /** The length of a rate-limit window: the longest time until a reset that was seen. */
  #interval = 0
  #inWork = 0
  #finished = 0
  /** Items that have ended, and whose results have not been taken yet. */
  #untaken = 0
  /** The average milliseconds of work per item, and the number of items; the last twenty count most. */
  #perItem = 0
  #timed = 0
  /** Requests used since the run began. */
  #spent = 0
  /** Known requests per item. */
  #perItemSent = 1
  /** The rate-limit window when it was last read, and how many have ended. */
  #window: { readonly left: number; readonly endsAt: number } | undefined
  #windows = 0

  constructor(client: { readonly rateLimit: RateLimitState } | undefined, concurrency: number) {
    this.#client = client
    this.#concurrency = concurrency
  }

  /** The rate limit now: the requests left, and the milliseconds until the window ends, 0 if none is open. */
  budget(): { limit: number; remaining: number; untilReset: number } {
    const { limit, remaining, resetAt } = this.#client?.rateLimit ?? {}
    const now = Date.now()
    const untilReset = resetAt ? Math.max(0, resetAt.getTime() - now) : 0
    this.#interval = Math.max(this.#interval, untilReset)
    if (limit !== undefined && remaining !== undefined) {
      const { left = remaining, endsAt = Infinity } = this.#window ?? {}
      if (now < endsAt) this.#spent += Math.max(0, left - remaining)
      else {
        this.#windows++
        // The items in progress have used the rest, if it was at most one request for each.
        this.#spent += (left <= this.#inWork && left < limit ? left : 0) + limit - remaining
      }
      this.#window = { left: remaining, endsAt: now + untilReset }
    }
    return { limit: limit ?? Infinity, remaining: remaining ?? Infinity, untilReset }
  }

  /** To be called when an item begins, has ended, and when its result was taken. */
  begin(): { ended: () => void; taken: () => void } {
    this.budget()
    this.#inWork++
    const beganAt = performance.now()
    const windowsBefore = this.#windows
    const ended = () => {
      this.budget()
      this.#inWork--
      this.#finished++
      this.#untaken++
      // An item that continues in another window has waited for it, so its duration is not representative.
      if (this.#windows !== windowsBefore && this.#timed > 0) return
      this.#timed++
      this.#perItem += (performance.now() - beganAt - this.#perItem) * Math.max(1 / this.#timed, 1 / 20)
    }
    const taken = () => {
      this.#untaken--
    }
    return { ended, taken }
  }

  /** Milliseconds until the last item is done, with `untaken` results still to be taken. */
  timeFor(untaken: number): number | undefined {
    const left = untaken - this.#untaken
    const { limit, remaining, untilReset } = this.budget()
    if (this.#finished === 0 && this.#interval === 0) return left === 0 ? 0 : undefined
    const working = this.#workFor(left)
    const requests = this.#requestsPerItem()
    const sentInWork = Math.min(
      Math.max(this.#spent - requests * this.#finished, this.#inWork),
      requests * this.#inWork,
    )
    const beyondThisWindow = Math.round(requests * left - sentInWork) - remaining
    if (beyondThisWindow <= 0 || limit === Infinity) return working
    const inLastWindow = ((beyondThisWindow - 1) % limit) + 1
    const waiting = untilReset + ((beyondThisWindow - inLastWindow) / limit) * this.#interval
    return Math.max(working, waiting + this.#workFor(Math.min(left, inLastWindow / requests)))
  }

  /**
   * Requests per item. It is unknown how many of those sent belong to the items in progress, so there are two bounds; an
   * earlier value is kept as long as it is between them.
   */
  #requestsPerItem(): number {
    if (this.#finished === 0) return this.#perItemSent
    const atLeast = this.#spent / (this.#finished + this.#inWork)
    const atMost = this.#spent / this.#finished
    this.#perItemSent = Math.min(Math.max(this.#perItemSent, atLeast), atMost)
    return this.#perItemSent
  }

  #workFor(items: number): number {
    return (items * this.#perItem) / Math.min(this.#concurrency, Math.max(1, items))
  }
}
