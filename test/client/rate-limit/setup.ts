import type { AcquireOptions, RateLimitOptions, RateLimitResponse, SlotRefusal } from 'shortlink-sdk'
import { createRateLimiter, FakeClock } from './clock.ts'

/** The time on the server's clock, in Unix seconds. */
export const SERVER_TIME = 1_800_000_000

/** Creates a response whose reset is `resetIn` seconds later. */
export function response(limit?: unknown, remaining?: unknown, resetIn?: number): RateLimitResponse {
  const headers = new Headers({ Date: new Date(SERVER_TIME * 1000).toUTCString() })
  if (limit !== undefined) headers.set('X-RateLimit-Limit', String(limit))
  if (remaining !== undefined) headers.set('X-RateLimit-Remaining', String(remaining))
  if (resetIn !== undefined) headers.set('X-RateLimit-Reset', String(SERVER_TIME + resetIn))
  return { headers, refused: false, retryAfter: undefined }
}

/** Creates a refusal. */
export function refusal(retryAfter?: number, resetIn?: number): RateLimitResponse {
  return { ...response(30, 0, resetIn), refused: true, retryAfter }
}

/** A refusal without headers. */
export const silentRefusal: RateLimitResponse = { headers: new Headers(), refused: true, retryAfter: undefined }

/** Returns the reason why a call gets no slot; `undefined` if it gets one. */
export const refusalOf = (slot: Promise<unknown> | undefined): Promise<SlotRefusal | undefined> =>
  slot!.then(
    () => undefined,
    (error) => error,
  )

/** Creates a limiter on a clock that only the test advances. */
export function setUp(options: RateLimitOptions = {}) {
  const clock = new FakeClock()
  const limiter = createRateLimiter(options, clock)
  const granted: number[] = []
  let calls = 0

  /** Requests slots. The numbers of the calls that get one are added to `granted`. */
  function take(count: number, options?: AcquireOptions): (Promise<void> | undefined)[] {
    return Array.from({ length: count }, () => {
      const call = calls++
      const slot = limiter.acquire(options)
      if (slot === undefined) granted.push(call)
      return slot?.then(() => void granted.push(call))
    })
  }

  /** Ends requests, with a response or without. */
  async function end(count: number, response?: RateLimitResponse): Promise<void> {
    for (let i = 0; i < count; i++) limiter.observe(response)
    await clock.advance(0)
  }

  return { clock, limiter, granted, take, end }
}
