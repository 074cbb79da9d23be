/** How many requests the management API takes. @see reference, “Limits” */
export interface SandboxRateLimit {
  /** Requests in one window. Default 30. */
  requests: number
  /** Length of a window in milliseconds. Default 60 000. */
  interval: number
}

/** What the limiter says of one request. */
export interface Verdict {
  /** Whole seconds to wait where the request is over the limit, `undefined` where it is not. */
  readonly retryAfter: number | undefined
  readonly headers: Record<string, string>
}

/** A fixed window, counted from its first request. */
export function createRateWindow({ requests, interval }: SandboxRateLimit, now: () => number) {
  let start = Number.NEGATIVE_INFINITY
  let used = 0

  /** Requests left, and when the window ends (`undefined` while none is open). The exact millisecond decides. */
  function state(): { limit: number; remaining: number; resetAt: number | undefined } {
    const open = now() < start + interval
    return {
      limit: requests,
      remaining: open ? Math.max(0, requests - used) : requests,
      resetAt: open ? start + interval : undefined,
    }
  }

  function take(): Verdict {
    if (now() >= start + interval) {
      start = now()
      used = 0
    }
    used += 1
    const resetAt = start + interval
    return {
      retryAfter: used > requests ? Math.ceil((resetAt - now()) / 1000) : undefined,
      headers: {
        'X-RateLimit-Limit': String(requests),
        'X-RateLimit-Remaining': String(Math.max(0, requests - used)),
        'X-RateLimit-Reset': String(Math.ceil(resetAt / 1000)),
      },
    }
  }

  function reset(): void {
    start = Number.NEGATIVE_INFINITY
    used = 0
  }

  return { take, state, reset }
}
