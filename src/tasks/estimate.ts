import type { RateLimitState } from '../errors.ts'

type Client = { readonly rateLimit: RateLimitState } | undefined

/** The length of a window, in milliseconds, until one was seen. */
const USUAL_INTERVAL = 60_000

/** The rate limit of a client: the requests left, and the milliseconds until the window ends, 0 if none is open. */
function stateOf(client: Client) {
  const { limit = Infinity, remaining = limit, resetAt } = client?.rateLimit ?? {}
  return { limit, remaining, untilReset: resetAt ? Math.max(0, resetAt.getTime() - Date.now()) : 0 }
}

/** How long the rate limit of a client takes until so many more requests may be sent, in milliseconds. */
function requestTime(requests: number, client: Client, interval = USUAL_INTERVAL): number {
  const { limit, remaining, untilReset } = stateOf(client)
  if (requests <= remaining) return 0
  return (untilReset || interval) + (Math.ceil((requests - remaining) / limit) - 1) * interval
}

/** Estimates the remaining time of a run: that of the work at its speed so far, or of the rate limit if that takes longer. */
export class Estimate {
  readonly #client: Client
  readonly #beganAt = performance.now()
  /** Milliseconds in which the work stood still until a window ended. */
  #waited = 0
  /** Requests since the run began, and per item as far as is known. */
  #sent = 0
  #perItem = 1
  /** The length of a window: the longest time until a reset that was seen. */
  #interval = 0
  /** The rate limit when it was last read, and when its window ends. */
  #state
  #endsAt = Infinity

  constructor(client: Client) {
    this.#client = client
    this.#state = stateOf(client)
  }

  /** Milliseconds until `left` more items are done, after `finished`, of those `inWork` now; `undefined` if nobody can say. */
  timeFor(left: number, finished: number, inWork: number): number | undefined {
    if (left === 0) return 0
    if (finished === 0) return undefined
    this.#count(inWork)
    const { limit, remaining } = this.#state
    const speed = (performance.now() - this.#beganAt - this.#waited) / finished
    // Some of the requests are those of items in work, so there are two bounds.
    this.#perItem = Math.min(Math.max(this.#perItem, this.#sent / (finished + inWork)), this.#sent / finished)
    const requests = Math.round(this.#perItem * (finished + left)) - this.#sent
    if (requests <= remaining) return speed * left
    const inLastWindow = ((requests - remaining - 1) % limit) + 1
    const limited = requestTime(requests, this.#client, this.#interval || USUAL_INTERVAL)
    return Math.max(speed * left, limited + (speed * inLastWindow) / this.#perItem)
  }

  /** Reads the rate limit, and counts what was sent since the last time. */
  #count(inWork: number): void {
    const before = this.#state
    const { limit, remaining, untilReset } = stateOf(this.#client)
    if (remaining === Infinity) return
    const now = performance.now()
    if (now < this.#endsAt) this.#sent += Math.max(0, Math.min(before.remaining, limit) - remaining)
    else {
      this.#sent += limit - remaining
      if (before.remaining < this.#perItem * (inWork + 1)) {
        // The items in work have used up the rest of the window, and then waited for its end.
        this.#sent += before.remaining
        this.#waited += before.untilReset
      }
    }
    this.#state = { limit, remaining, untilReset }
    this.#endsAt = untilReset > 0 ? now + untilReset : Infinity
    this.#interval = Math.max(this.#interval, untilReset)
  }
}
