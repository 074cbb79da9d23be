import { ApiError, isError, RateLimitError, type ShortLinkError } from '../errors.ts'
import { parseRetryAfter } from '../rate-limit/headers.ts'

/** How often a call is sent again, and how long it may wait for that. */
export interface RetryOptions {
  /** Retries after the first attempt. Default 2; 0: none. */
  limit?: number
  /** The longest wait before a retry, in milliseconds; a longer one is an error at once. Default 90,000. */
  maxDelay?: number
}

/** What sending again depends on. */
export interface Attempted {
  readonly method: string
  /** Whether the body can be read a second time. */
  readonly replayable: boolean
  /** Whether the connection never opened. */
  readonly notSent: boolean
  /** What the server answered; `undefined` where no answer came. */
  readonly status: number | undefined
}

const passingStatuses = [408, 429, 500, 502, 503, 504]

/**
 * Whether a failed request may be sent again without doing its work twice.
 *
 * GET, PUT and DELETE say the same thing however often they arrive, so they go again after lost connections,
 * timeouts and the statuses that pass. A POST makes something each time, so it goes again only when it was surely
 * not done: refused because of the rate, or never out of the door. A body that can be read only once is gone.
 */
export function mayRepeat({ method, replayable, notSent, status }: Attempted): boolean {
  if (!replayable) return false
  if (notSent || status === 429) return true
  return method !== 'POST' && method !== 'PATCH' && (status === undefined || passingStatuses.includes(status))
}

/**
 * How long to wait before the next attempt, in milliseconds: what the server said, then the end of the rate window,
 * then a back-off that doubles from half a second, spread so that callers who failed together do not come back
 * together.
 */
export function retryDelay(error: ShortLinkError, attempt: number): number {
  const said = error instanceof ApiError ? parseRetryAfter(error.headers, error.body) : undefined
  if (said !== undefined) return said * 1000
  if (error instanceof RateLimitError && error.resetAt) return Math.max(0, error.resetAt.getTime() - Date.now())
  return 500 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2)
}

/** Whether a request surely never left, by what fetch threw: the codes of Node and Bun, the words of Deno. */
export function neverOpened(cause: unknown, depth = 0): boolean {
  if (!isError(cause) || depth > 4) return false
  const { code } = cause as { code?: unknown }
  return (
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(
      String(code),
    ) ||
    /client error \(Connect\)/.test(cause.message) ||
    neverOpened(cause.cause, depth + 1)
  )
}
