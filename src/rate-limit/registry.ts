import { type Checks, milliseconds, positiveInteger } from '../checks/checks.ts'
import type { Fetch } from '../runtime/fetch.ts'
import { DAY } from './headers.ts'
import { Limiter, systemClock } from './limiter.ts'
import { type RateLimitOptions, RateLimitWindow } from './window.ts'

/** The checks of the options. @internal */
export const rateLimitChecks = {
  requests: {
    expected: 'a whole number from 1, or Infinity',
    fits: (value) => value === Number.POSITIVE_INFINITY || positiveInteger.fits(value),
    otherNames: ['limit', 'max'],
  },
  interval: {
    expected: `milliseconds above 0 and up to ${DAY}`,
    fits: (value) => milliseconds.fits(value) && Number(value) <= DAY,
    otherNames: ['window', 'windowMs'],
  },
} satisfies Checks<keyof RateLimitOptions>

/** Whose quota a limiter counts. */
export interface QuotaOwner {
  /** `undefined` while it is not known. */
  readonly baseUrl: string | undefined
  /** The key or the function that returns it; `null` or `undefined` if none is sent. */
  readonly key: string | (() => unknown) | null | undefined
  readonly fetch: Fetch
}

interface Entry extends QuotaOwner {
  readonly window: RateLimitWindow
  readonly limiter: Limiter
}

const MAX_LIMITERS = 500

/** The limiters of this process, in the order of their creation. */
const entries: Entry[] = []

/**
 * The limiter for a base URL, a key and a `fetch`: the same one however often it is requested. The smallest `requests` and
 * the longest `interval` that were given for it hold.
 *
 * There are at most 500. Beyond that, the oldest one leaves: the calls that it has accepted stay with it, and later calls
 * begin with a new one.
 */
export function limiterFor({ baseUrl, key, fetch }: QuotaOwner, options: RateLimitOptions): Limiter {
  const known = entries.find((entry) => entry.key === key && entry.baseUrl === baseUrl && entry.fetch === fetch)
  if (known) {
    known.window.restrict(options)
    return known.limiter
  }
  if (entries.length === MAX_LIMITERS) entries.shift()
  const window = new RateLimitWindow(options)
  const limiter = new Limiter(window, systemClock)
  entries.push({ baseUrl, key, fetch, window, limiter })
  return limiter
}
