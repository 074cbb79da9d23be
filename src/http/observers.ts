import type { AnyShortLinkError, Issue, RateLimitState } from '../errors.ts'
import { notify } from '../runtime/notify.ts'

/** Callbacks for events. Events contain no key and no password. Errors that a callback throws are ignored. */
export interface Observers {
  /** Called with what is invalid in a response, with `validation: 'report'`. */
  onDrift?: ((drift: Drift) => void) | undefined
  /** Called before each attempt is sent. */
  onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called after each response, be it a success or a failure. */
  onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Called before the wait for a retry. */
  onRetry?: ((event: RetryEvent) => void) | undefined
  /** Called when a call has to wait for the rate limit. */
  onWait?: ((event: WaitEvent) => void) | undefined
  /** Called when a call has failed, after all retries. A call with invalid parameters never begins, so it is not reported. */
  onError?: ((event: ErrorEvent) => void) | undefined
}

/** What is invalid in a response: paths and types, but no values. */
export interface Drift {
  /** The HTTP method of the call. */
  readonly method: string
  /** The path relative to the base URL, without secrets. */
  readonly path: string
  /** What is invalid, at most 100 issues. */
  readonly issues: readonly Issue[]
}

/** The fields of every event. */
export interface CallEvent {
  /** The same for all attempts of a call. */
  readonly id: string
  /** The HTTP method. */
  readonly method: string
  /** The path relative to the base URL, without secrets. */
  readonly path: string
  /** The URL, without secrets. */
  readonly url: string
}

/** An attempt that is about to be sent. */
export interface RequestEvent extends CallEvent {
  /** Counted from 1. */
  readonly attempt: number
}

/** A response. */
export interface ResponseEvent extends RequestEvent {
  /** The HTTP status. */
  readonly status: number
  /** From sending the request to the last byte of the response, in milliseconds. */
  readonly durationMs: number
  /** The state of the rate limit after the response. */
  readonly rateLimit: RateLimitState
}

/** An attempt that failed and will be retried. */
export interface RetryEvent extends RequestEvent {
  /** How long the wait before the retry is, in milliseconds. */
  readonly delayMs: number
  /** The message of the error that ended the attempt. */
  readonly reason: string
}

/** A call that has to wait for the rate limit. */
export interface WaitEvent extends CallEvent {
  /** The estimated wait, in milliseconds. */
  readonly waitMs: number
  /** Calls that are waiting, this one included. */
  readonly queued: number
}

/** A call that has failed. */
export interface ErrorEvent extends CallEvent {
  /** An error of this package, or the reason of an abort. */
  readonly error: AnyShortLinkError | unknown
  /** How many times the request was sent. */
  readonly attempts: number
  /** From the call to its end, including waits, in milliseconds. */
  readonly durationMs: number
}

/** A call that has succeeded. Only the log listens to it. */
interface SuccessEvent extends Omit<ErrorEvent, 'error'> {
  readonly status: number
}

/** The listeners to the events of a client: the user's callbacks and the log. */
export type Listeners = readonly (Observers & { onSuccess?: ((event: SuccessEvent) => void) | undefined })[]

type EventName = Exclude<keyof Listeners[number], 'onDrift'>
type EventOf<Name extends EventName> = Parameters<NonNullable<Listeners[number][Name]>>[0]

/** Passes an event of a call to its listeners. The event is created only if there are any. */
export function emit<Name extends EventName>(
  { id, method, path, url, listeners }: CallEvent & { readonly listeners: Listeners },
  name: Name,
  makeEvent: () => Omit<EventOf<Name>, keyof CallEvent>,
): void {
  for (const listener of listeners) {
    const observer = listener[name] as ((event: object) => void) | undefined
    if (observer) notify(observer, { id, method, path, url, ...makeEvent() })
  }
}
