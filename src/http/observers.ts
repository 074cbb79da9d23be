import type { Issue, RateLimitState } from '../errors.ts'

/** Functions that are told what happens. They see no key and cannot break a call by throwing. */
export interface Observers {
  /** Told, under `validation: 'report'`, what did not fit. */
  onDrift?: ((drift: Drift) => void) | undefined
  /** Told before each attempt is sent. */
  onRequest?: ((event: RequestEvent) => void) | undefined
  /** Told when an answer came, whatever it says. */
  onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Told before the wait for a retry begins. */
  onRetry?: ((event: RetryEvent) => void) | undefined
}

/** What did not fit in an answer: where, and what kind of thing came, but no values. */
export interface Drift {
  readonly method: string
  readonly path: string
  readonly issues: readonly Issue[]
}

/** A request on its way. */
export interface RequestEvent {
  readonly method: string
  readonly url: string
  /** Counted from 1. */
  readonly attempt: number
}

/** An answer that came. */
export interface ResponseEvent extends RequestEvent {
  readonly status: number
  /** From sending to the last byte of the answer, in milliseconds. */
  readonly durationMs: number
  readonly rateLimit: RateLimitState
}

/** An attempt that failed and will be followed by another. */
export interface RetryEvent extends RequestEvent {
  /** How long the wait is, in milliseconds. */
  readonly delayMs: number
  /** The message of the error that ended the attempt. */
  readonly reason: string
}
