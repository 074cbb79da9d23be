import type { AnyShortLinkError, Issue, RateLimitState } from '../errors.ts'
import { notify } from '../runtime/notify.ts'

/** Functions that are called with what happens. They see no key and no password, and cannot break a call by throwing. */
export interface Observers {
  /** Called, under `validation: 'report'`, with what does not fit. */
  onDrift?: ((drift: Drift) => void) | undefined
  /** Called before each attempt is sent. */
  onRequest?: ((event: RequestEvent) => void) | undefined
  /** Called when an answer has come, whatever it says. */
  onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Called before the wait for a retry begins. */
  onRetry?: ((event: RetryEvent) => void) | undefined
  /** Called when a call has to wait for rate budget. */
  onWait?: ((event: WaitEvent) => void) | undefined
  /** Called when a call has failed for good. One whose parameters do not fit never begins, and is not reported. */
  onError?: ((event: ErrorEvent) => void) | undefined
}

/** What does not fit in an answer: where, and what kind of thing came, but no values. */
export interface Drift {
  /** The HTTP method of the call. */
  readonly method: string
  /** The path below the base address, without secrets. */
  readonly path: string
  /** Everything that does not fit, 100 issues at most. */
  readonly issues: readonly Issue[]
}

/** The call that an event belongs to. */
export interface CallEvent {
  /** The same for all attempts of a call. */
  readonly id: string
  /** The HTTP method. */
  readonly method: string
  /** The path below the base address, without secrets. */
  readonly path: string
  /** The whole address, without secrets. */
  readonly url: string
}

/** An attempt that is about to be sent. */
export interface RequestEvent extends CallEvent {
  /** Counted from 1. */
  readonly attempt: number
}

/** An answer that has come. */
export interface ResponseEvent extends RequestEvent {
  /** The HTTP status. */
  readonly status: number
  /** From sending to the last byte of the answer, in milliseconds. */
  readonly durationMs: number
  /** The rate budget after the answer. */
  readonly rateLimit: RateLimitState
}

/** An attempt that failed and will be followed by another. */
export interface RetryEvent extends RequestEvent {
  /** How long the wait is, in milliseconds. */
  readonly delayMs: number
  /** The message of the error that ended the attempt. */
  readonly reason: string
}

/** A call that waits for rate budget. */
export interface WaitEvent extends CallEvent {
  /** How long the wait is expected to be, in milliseconds. */
  readonly waitMs: number
  /** Calls that wait, this one included. */
  readonly queued: number
}

/** A call that has failed for good. */
export interface ErrorEvent extends CallEvent {
  /** An error of this package, or the reason of an abort. */
  readonly error: AnyShortLinkError | unknown
  /** How many times the request was sent. */
  readonly attempts: number
  /** From the call to its end, waiting included, in milliseconds. */
  readonly durationMs: number
}

/** A call that has succeeded; only the log listens to it. */
interface SuccessEvent extends Omit<ErrorEvent, 'error'> {
  readonly status: number
}

/** Who is called with the events of a client: the user's observers and the log. */
export type Listeners = readonly (Observers & { onSuccess?: ((event: SuccessEvent) => void) | undefined })[]

type EventName = Exclude<keyof Listeners[number], 'onDrift'>
type EventOf<Name extends EventName> = Parameters<NonNullable<Listeners[number][Name]>>[0]

/** Tells whoever listens about an event of a call. The event is only made where somebody does. */
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
