import type { AcquireOptions, RateLimitOptions, RateLimitResponse } from 'shortlink-sdk'
import type { SlotRefusal } from '../../../src/client/rate-limit/limiter.ts'
import { createRateLimiter, FakeClock } from './clock.ts'

/** What the server's clock shows, in Unix seconds. */
export const SERVER_TIME = 1_800_000_000

/** A response of the server; the reset is `resetIn` seconds after the response. */
export function response(limit?: unknown, remaining?: unknown, resetIn?: number): RateLimitResponse {
  const headers = new Headers({ Date: new Date(SERVER_TIME * 1000).toUTCString() })
  if (limit !== undefined) headers.set('X-RateLimit-Limit', String(limit))
  if (remaining !== undefined) headers.set('X-RateLimit-Remaining', String(remaining))
  if (resetIn !== undefined) headers.set('X-RateLimit-Reset', String(SERVER_TIME + resetIn))
  return { headers, refused: false, retryAfter: undefined }
}

/** A refusal by the server. */
export function refusal(retryAfter?: number, resetIn?: number): RateLimitResponse {
  return { ...response(30, 0, resetIn), refused: true, retryAfter }
}

/** A refusal without any header. */
export const silentRefusal: RateLimitResponse = { headers: new Headers(), refused: true, retryAfter: undefined }

/** The rejection of a call that waits for a slot; `undefined` if it gets one. */
export const refusalOf = (slot: Promise<unknown> | undefined): Promise<SlotRefusal | undefined> =>
  slot!.then(
    () => undefined,
    (error) => error,
  )

/** A limiter on a clock that only the test moves. */
export function setUp(options: RateLimitOptions = {}) {
  const clock = new FakeClock()
  const limiter = createRateLimiter(options, clock)
  const granted: number[] = []
  let asked = 0

  /** Asks for places. The numbers of the calls that get one are added to `granted`. */
  function take(count: number, options?: AcquireOptions): (Promise<void> | undefined)[] {
    return Array.from({ length: count }, () => {
      const call = asked++
      const place = limiter.acquire(options)
      if (place === undefined) granted.push(call)
      return place?.then(() => void granted.push(call))
    })
  }

  /** Ends requests: with a response, or without any. */
  async function end(count: number, what?: RateLimitResponse): Promise<void> {
    for (let i = 0; i < count; i++) limiter.observe(what)
    await clock.advance(0)
  }

  return { clock, limiter, granted, take, end }
}
