import type { RateLimitState } from '../client/errors.ts'

/** The length of a window, in milliseconds. */
const USUAL_INTERVAL = 60_000

/**
 * Estimates the time until `left` more items are done, in milliseconds: the larger of what the pace of the `finished` ones
 * says, and what the rate limit needs for a request each. `undefined` if nobody can say.
 */
export function timeLeft(
  left: number,
  { finished, elapsedMs }: { readonly finished: number; readonly elapsedMs: number },
  { limit = Infinity, remaining = limit, resetAt }: Partial<RateLimitState> = {},
): number | undefined {
  if (left === 0) return 0
  if (finished === 0) return undefined
  const pace = (elapsedMs / finished) * left
  if (left <= remaining) return Math.round(pace)
  const untilReset = resetAt ? Math.max(0, resetAt.getTime() - Date.now()) : USUAL_INTERVAL
  const windows = Math.ceil((left - remaining) / limit) - 1
  return Math.round(Math.max(pace, untilReset + windows * USUAL_INTERVAL))
}
