import { getEffect } from '../definition.ts'
import { MAX_IMPOSED_WAIT } from '../rate-limit/rate-limiter.ts'
import { systemClock } from '../runtime/clock.ts'
import type { Attempt, Call, Failure } from './call.ts'

/** Statuses after which a request may succeed: these, and every 5xx but the permanent ones. */
const statuses = { transient: [408, 425, 429], permanent: [501, 505] }

const isTransient = (status: number): boolean =>
  statuses.transient.includes(status) || (status >= 500 && !statuses.permanent.includes(status))

/**
 * Returns whether a failed request can be retried without doing its work twice.
 *
 * Reads and idempotent writes are retried after lost connections, timeouts and transient statuses. Any other call is
 * retried only if it was certainly not done: refused because of the rate limit, or never sent. A body that can be read
 * only once cannot be retried.
 */
export function canRepeat(
  { spec }: Call<unknown>,
  { isSent, status }: { readonly isSent: boolean; readonly status?: number },
): boolean {
  if (spec.upload?.replayable === false) return false
  if (!isSent || status === 429) return true
  return getEffect(spec) !== 'once' && (status === undefined || isTransient(status))
}

/** The number of consecutive rate-limit refusals that do not count as retries of a low-priority call. */
const MAX_REFUSALS = 10

/** Returns the attempt updated with its failure, for the next one. */
export function recordFailure(call: Call<unknown>, attempt: Attempt, { error, outcome }: Failure): Attempt {
  const refusals = error.code === 'rate_limit' ? attempt.refusals + 1 : 0
  const isUncounted = isLowPriorityRefusal(call, error) && refusals < MAX_REFUSALS
  return {
    ...attempt,
    earlierSends: error.attempts,
    mayHaveSucceeded: attempt.mayHaveSucceeded || (getEffect(call.spec) !== 'read' && outcome === 'unknown'),
    uncounted: attempt.uncounted + (isUncounted ? 1 : 0),
    refusals,
  }
}

const isLowPriorityRefusal = ({ options: { priority } }: Call<unknown>, { code }: Failure['error']) =>
  priority === 'low' && code === 'rate_limit'

/** The shortest wait after a 429, in milliseconds. Some servers send `Retry-After: 0` and refuse again. */
const MIN_REFUSED_WAIT = 1000

/** How long a low-priority call waits after a 429 without a `Retry-After` or reset, in milliseconds. */
const USUAL_WINDOW = 60_000

/**
 * Returns the wait after a 429 that names none although requests remain, in milliseconds: a second. It doubles for
 * low-priority calls, which are not retried a limited number of times.
 */
export function getPause({ options }: Call<unknown>, { refusals }: Attempt): number {
  return options.priority === 'low' ? Math.min(MIN_REFUSED_WAIT * 2 ** refusals, USUAL_WINDOW) : MIN_REFUSED_WAIT
}

/**
 * Returns the wait before the next attempt, in milliseconds: what the server asked for, or a backoff that doubles from
 * half a second, with jitter, so that calls that failed together are not retried together. Returns `undefined` if there
 * is no next attempt.
 */
export function getRetryDelay(
  call: Call<unknown>,
  { number, uncounted }: Attempt,
  { error, mayRepeat, retryAfterMs = isLowPriorityRefusal(call, error) ? USUAL_WINDOW : undefined }: Failure,
): number | undefined {
  const { options, endsAt } = call
  if (!mayRepeat || number - uncounted > options.retry) return undefined
  const backoff = retryAfterMs ?? 500 * 2 ** (number - 1) * (0.5 + Math.random() / 2)
  const delayMs = error.code === 'rate_limit' ? Math.max(MIN_REFUSED_WAIT, backoff) : backoff
  return delayMs <= MAX_IMPOSED_WAIT && delayMs < endsAt - systemClock.now() ? delayMs : undefined
}
