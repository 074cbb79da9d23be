import { RateLimitError, type RateLimitState } from '../errors.ts'
import { onAbort } from '../runtime/on-abort.ts'

interface Waiter {
  readonly since: number
  /** Ends the wait: with the place, or with the reason why there is none. */
  readonly end: (refusal?: RateLimitError) => void
}

/** Calls that wait for budget, in the order in which they came, and not longer than `maxWait` milliseconds each. */
export function createLine(maxWait: number, state: () => RateLimitState) {
  const waiters = new Set<Waiter>()

  function tooLong(wait: number): RateLimitError {
    const message = `the next free place in the rate budget is ${Math.ceil(wait)} ms away, and maxWait is ${maxWait}`
    const refusal = { status: 429, body: undefined, headers: new Headers(), rateLimit: state() }
    return new RateLimitError(message, refusal, { outcome: 'not-sent', retryable: true }, Math.ceil(wait / 1000))
  }

  return {
    get size() {
      return waiters.size
    },

    /** When the first of them will have waited as long as it may. */
    get patience() {
      const [first] = waiters
      return first ? first.since + maxWait : Infinity
    },

    /** Joins, unless the wait would be too long. An abort ends it; then the `abandoned` line is to be looked at. */
    join(now: number, wait: number, signal: AbortSignal | undefined, abandoned: () => void): Promise<void> {
      if (wait > maxWait) return Promise.reject(tooLong(wait))
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiters.delete(waiter)
          forget?.()
        }
        const forget =
          signal &&
          onAbort(signal, () => {
            leave()
            abandoned()
            reject(signal.reason)
          })
        const end = (refusal?: RateLimitError) => {
          leave()
          if (refusal) reject(refusal)
          else resolve()
        }
        const waiter = { since: now, end }
        waiters.add(waiter)
      })
    },

    /** Gives the place to the first. */
    next(): void {
      const [first] = waiters
      first?.end()
    },

    /** Sends away those who would wait too long, given the wait behind so many others. */
    thin(now: number, wait: (ahead: number) => number): void {
      if (maxWait === Infinity) return
      let ahead = 0
      for (const waiter of waiters) {
        const whole = now - waiter.since + wait(ahead)
        if (whole > maxWait) waiter.end(tooLong(whole))
        else ahead++
      }
    },
  }
}
