import type { RateLimitState } from '../errors.ts'

/** What takes time in a run: the work itself, and the rate of the client it goes through. */
export function createEstimate(client: { readonly rateLimit: RateLimitState } | undefined, concurrency: number) {
  /** The longest distance to a reset that was seen, which is the length of a window. */
  let interval = 0
  let finished = 0
  /** How long the work for one item takes, on average; the last twenty items count most. */
  let perItem = 0

  /** Milliseconds until the window ends; 0 where none is open. */
  function untilReset(): number {
    const { resetAt } = client?.rateLimit ?? {}
    return resetAt ? Math.max(0, resetAt.getTime() - Date.now()) : 0
  }

  return {
    untilReset,

    /** To be called when an item has begun. */
    begun(): void {
      interval = Math.max(interval, untilReset())
    },

    /** To be called when an item has ended. */
    ended(ms: number): void {
      finished++
      perItem += (ms - perItem) * Math.max(1 / finished, 1 / 20)
    },

    /** How long so many items take, of which some are in work already. */
    time(left: number, inWork: number): number | undefined {
      const { limit, remaining } = client?.rateLimit ?? {}
      if (finished === 0 && interval === 0) return left === 0 ? 0 : undefined
      const work = (items: number) => (items * perItem) / Math.min(concurrency, Math.max(1, items))
      const working = work(left)
      if (!limit || remaining === undefined) return working
      const beyond = left - inWork - remaining
      if (beyond <= 0) return working
      const lastWindow = ((beyond - 1) % limit) + 1
      const waiting = untilReset() + ((beyond - lastWindow) / limit) * interval
      return Math.max(working, waiting + work(lastWindow))
    },
  }
}
