import { isShortLinkError } from '../errors.ts'

/** How often a call is sent again, and how long it may wait for that. */
export interface RetryOptions {
  /** Retries after the first attempt. Default 2; 0: none. */
  limit?: number | undefined
  /** The longest wait before a retry, in milliseconds; a longer one is an error at once. Default 90,000. */
  maxDelay?: number | undefined
}

/** An attempt that failed. */
export interface Failure {
  /** One of our errors, or the reason of an abort. */
  readonly error: unknown
  /** How long the server said to wait before the next attempt, in milliseconds. */
  readonly wait?: number | undefined
}

/** How a call is retried. */
export interface Retry {
  readonly limit: number
  readonly maxDelay: number
}

/** Both forms of the option `retry`, filled in. */
export function retryOptions(retry: number | RetryOptions | undefined, defaults: Retry): Retry {
  const { limit = defaults.limit, maxDelay = defaults.maxDelay }: RetryOptions =
    typeof retry === 'object' ? retry : { limit: retry }
  return { limit, maxDelay }
}

/** What a retry depends on. */
export interface Attempt {
  readonly method: string
  /** Whether the body can be read a second time. */
  readonly replayable: boolean
  /** Whether the connection never opened. */
  readonly notSent: boolean
  /** What the server answered; `undefined` where no answer came. */
  readonly status: number | undefined
}

const transientStatuses = [408, 429, 500, 502, 503, 504]

/**
 * Whether a failed request may be sent again without doing its work twice.
 *
 * GET, PUT and DELETE have the same effect however often they arrive, so they are sent again after lost connections,
 * timeouts and transient statuses. A POST creates something each time, so it is sent again only where it was certainly
 * not done: refused by the rate limit, or never sent. A body that can be read only once cannot be sent again.
 */
export function mayRepeat({ method, replayable, notSent, status }: Attempt): boolean {
  if (!replayable) return false
  if (notSent || status === 429) return true
  return method !== 'POST' && method !== 'PATCH' && (status === undefined || transientStatuses.includes(status))
}

/**
 * How long to wait before the next attempt, in milliseconds; `undefined` if there is none: what the server said, else a
 * backoff that doubles from half a second, with jitter, so that calls that failed together do not return together.
 */
export function retryDelay({ error, wait }: Failure, attempt: number, { limit, maxDelay }: Retry): number | undefined {
  if (!isShortLinkError(error) || !error.retryable || attempt > limit) return undefined
  const delay = wait ?? 500 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
  return delay > maxDelay ? undefined : delay
}
