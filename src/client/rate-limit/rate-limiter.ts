import { type Checks, milliseconds, nonEmptyString, positiveInteger } from '../checks/checks.ts'
import type { RateLimitState } from '../errors.ts'
import { DAY, type HeadersLike } from '../platform/rate-headers.ts'
import { notify } from '../runtime/notify.ts'
import { isRecord } from '../runtime/text.ts'

/** Options for the rate of a client. */
export interface RateLimitOptions {
  /**
   * Requests in one window. This is a ceiling: the server's `X-RateLimit-Limit` may lower it but never raises it.
   * `Infinity`: no limit until the server states one. Default: 30 until the server states its own limit.
   */
  requests?: number | undefined
  /** The length of a window in milliseconds, at most a day. Default: 60,000. */
  interval?: number | undefined
  /**
   * Identifies the owner of the limit, such as `'tenant-7'`: clients with the same base URL and name share one rate
   * limit. Needed only if a key function or a `fetch` is created for each request. Default: clients with the same base
   * URL, key and `fetch` share one.
   */
  name?: string | undefined
}

/** @internal */
export const rateLimitChecks = {
  requests: {
    expected: 'a whole number from 1, or Infinity',
    isValid: (value) => value === Infinity || positiveInteger.isValid(value),
  },
  interval: {
    expected: `milliseconds above 0 and up to ${DAY}`,
    isValid: (value) => milliseconds.isValid(value) && Number(value) <= DAY,
  },
  name: nonEmptyString,
} satisfies Checks<keyof RateLimitOptions>

/**
 * The longest wait that a server can impose on a call, in milliseconds. If it asks for more, the call fails at once.
 */
export const MAX_IMPOSED_WAIT = 90_000

/** A limiter of requests. Clients with the same limiter share its rate limit. */
export interface RateLimiter {
  /** The current state. */
  readonly state: RateLimitState
  /**
   * Takes a slot. Returns `undefined` if one is free, else a promise that resolves when the call has its slot. First
   * come, first served. If the signal aborts, the promise rejects with its reason. If it rejects with a {@link
   * SlotRefusal}, the call fails with a `RateLimitError`; any other rejection becomes the `cause` of an error.
   */
  acquire(options?: AcquireOptions): Promise<void> | undefined
  /** Must be called exactly once for each slot: with the response, or without one if there was none. */
  observe(response?: RateLimitResponse): void
  /** Releases the slot of a request that was never sent. Called instead of `observe`. */
  release?(): void
}

/** Options for acquiring a slot. */
export interface AcquireOptions {
  /** Ends the wait. */
  signal?: AbortSignal | undefined
  /** How long the call can wait for its slot, in milliseconds. Default: no limit. */
  deadline?: number | undefined
  /**
   * The number of the attempt that the slot is for. Later attempts go first, because their calls came first. Default:
   * 1.
   */
  attempt?: number | undefined
  /** `low`: the call waits behind all normal calls. Default: `normal`. */
  priority?: 'normal' | 'low' | undefined
  /**
   * Called as soon as it is known that the call has to wait, and again if the wait becomes more than a second longer.
   * `waitMs`: the estimated wait in milliseconds. `queued`: how many calls are waiting now, this one included.
   */
  onWait?: ((event: { readonly waitMs: number; readonly queued: number }) => void) | undefined
}

/** What a limiter rejects with if it has no slot in time. */
export interface SlotRefusal {
  /**
   * `deadline`: no slot becomes free within `AcquireOptions.deadline`. `imposed`: the server asked for a longer wait
   * than a call accepts.
   */
  readonly reason: 'deadline' | 'imposed'
  /** How long the call would have to wait, in milliseconds. */
  readonly ms: number
}

/** The state before anything is known. */
export const unknownState: RateLimitState = { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 }

/**
 * Returns a limiter of the user's whose methods do not throw after a request was sent, because they would change the
 * outcome of its call. `acquire` may throw: then nothing is sent.
 */
export function guardLimiter(limiter: RateLimiter): Required<RateLimiter> {
  return {
    get state() {
      try {
        return limiter.state ?? unknownState
      } catch {
        return unknownState
      }
    },
    acquire: (options) => limiter.acquire(options),
    observe: (response) => notify((given) => limiter.observe(given), response),
    release: () => notify(() => (limiter.release ? limiter.release() : limiter.observe()), undefined),
  }
}

/** Returns whether a value is a {@link SlotRefusal}, from any copy of the package. */
export function isSlotRefusal(value: unknown): value is SlotRefusal {
  return isRecord(value) && typeof value.reason === 'string' && typeof value.ms === 'number'
}

/** The part of a response that concerns the rate limit. */
export interface RateLimitResponse {
  readonly headers: HeadersLike
  /** Whether the server refused the request because of its rate: 429, as the status or in the body. */
  readonly refused: boolean
  /** The wait in seconds, if the `Retry-After` header or the body states one. */
  readonly retryAfter: number | undefined
}
