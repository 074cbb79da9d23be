import { isShortLinkError } from '../errors.ts'
import { MAX_IMPOSED_WAIT } from '../rate-limit/limiter.ts'

/** An attempt that failed. */
export interface Failure {
  /** An error of this package, or the reason of an abort. */
  readonly error: unknown
  /** How long the server said to wait before the next attempt, in milliseconds. */
  readonly wait?: number | undefined
}

/** What a retry depends on. */
export interface Attempt {
  readonly method: string
  /** Whether the body can be read a second time. */
  readonly replayable: boolean
  /** Whether the connection never opened. */
  readonly notSent: boolean
  /** The status of the response; `undefined` if there was none. */
  readonly status: number | undefined
}

const transientStatuses = [408, 429, 500, 502, 503, 504]

/**
 * Whether a failed request can be retried without doing its work twice.
 *
 * GET, PUT and DELETE have the same effect however often they arrive, so they are retried after lost connections, timeouts
 * and transient statuses. A POST creates something each time, so it is retried only if it was certainly not done: refused
 * because of the rate limit, or never sent. A body that can be read only once cannot be retried.
 */
export function mayRepeat({ method, replayable, notSent, status }: Attempt): boolean {
  if (!replayable) return false
  if (notSent || status === 429) return true
  return method !== 'POST' && method !== 'PATCH' && (status === undefined || transientStatuses.includes(status))
}

/**
 * How long to wait before the next attempt, in milliseconds; `undefined` if there is none. Either as long as the server said,
 * or a backoff that doubles from half a second, with jitter, so that calls that failed together are not retried together.
 */
export function retryDelay({ error, wait }: Failure, attempt: number, retries: number): number | undefined {
  if (!isShortLinkError(error) || !error.retryable || attempt > retries) return undefined
  const delay = wait ?? 500 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
  return delay > MAX_IMPOSED_WAIT ? undefined : delay
}
