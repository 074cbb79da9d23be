import type { RateLimitState } from '../errors.ts'

/** Estimates how long a run takes, from the time the work takes, the requests it costs and the rate budget of the client. */
export class Estimate {
  readonly #client: { readonly rateLimit: RateLimitState } | undefined
  readonly #concurrency: number
  /** The length of a rate window: the longest time until a reset that was seen. */
  #interval = 0
  #inWork = 0
  #finished = 0
  /** Items that have ended, and whose results nobody has taken yet. */
  #untaken = 0
  /** Milliseconds of work for one item on average, and from how many items; the last twenty count most. */
  #perItem = 0
  #timed = 0
  /** Requests that the budget has lost since the run began. */
  #spent = 0
  /** Requests that an item costs, as far as is known. */
  #perItemSent = 1
  /** The rate window when it was last looked at, and how many have ended. */
  #window: { readonly left: number; readonly endsAt: number } | undefined
  #windows = 0

  constructor(client: { readonly rateLimit: RateLimitState } | undefined, concurrency: number) {
    this.#client = client
    this.#concurrency = concurrency
  }

  /** The budget now: what is left, and the milliseconds until the rate window ends, 0 if none is open. */
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
        // The items in work have used up what was left, if it was not more than one request for each.
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
      // An item that goes on in another window has waited for it, so it does not tell how long its work takes.
      if (this.#windows !== windowsBefore && this.#timed > 0) return
      this.#timed++
      this.#perItem += (performance.now() - beganAt - this.#perItem) * Math.max(1 / this.#timed, 1 / 20)
    }
    const taken = () => {
      this.#untaken--
    }
    return { ended, taken }
  }

  /** Milliseconds until the last item is done, of whose results so many have not been taken yet. */
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
   * Requests that an item costs. Nobody knows how many of those that were sent belong to the items in work, so this is
   * between two bounds; what was found earlier stays as long as it is.
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
