import type { AnyShortLinkError, InvalidResponseError, Issue, RateLimitState } from '../errors.ts'
import { SDK_NAME } from '../platform/apis.ts'
import { systemClock } from '../runtime/clock.ts'
import { notify } from '../runtime/notify.ts'
import { formatDuration } from '../runtime/text.ts'
import type { Redact } from '../secrets.ts'

/** Callbacks for events. Events contain no key and no password. Errors that a callback throws are ignored. */
export interface Observers {
  /** Called with the problems of an invalid response. Needs `validation: 'report'`. */
  onDrift?: ((drift: Drift) => void) | undefined
  /** Called before each attempt is sent. */
  onRequest?: ((event: CallRequestEvent) => void) | undefined
  /** Called after each response, whether a success or a failure. */
  onResponse?: ((event: CallResponseEvent) => void) | undefined
  /** Called before the wait for a retry. */
  onRetry?: ((event: CallRetryEvent) => void) | undefined
  /** Called when a call has to wait for the rate limit. */
  onWait?: ((event: CallWaitEvent) => void) | undefined
  /**
   * Called when a call has failed, after all retries. A call with invalid parameters never starts, so it is not
   * reported.
   */
  onError?: ((event: CallErrorEvent) => void) | undefined
}

/** The problems of a response: paths and types, but no values. */
export interface Drift {
  /** The HTTP method of the call. */
  readonly method: string
  /** The path relative to the base URL, without secrets. */
  readonly path: string
  /** The problems, at most 100. */
  readonly issues: readonly Issue[]
}

/** An attempt that is about to be sent. */
export interface CallRequestEvent {
  /** The same for all attempts of a call. */
  readonly id: string
  /** The HTTP method. */
  readonly method: string
  /** The path relative to the base URL, without secrets. */
  readonly path: string
  /** The URL, without secrets. */
  readonly url: string
  /** Counted from 1. */
  readonly attempt: number
}

/** A response. */
export interface CallResponseEvent extends CallRequestEvent {
  /** The HTTP status. */
  readonly status: number
  /** From sending the request to the last byte of the response, in milliseconds. */
  readonly durationMs: number
  /** The state of the rate limit after the response. */
  readonly rateLimit: RateLimitState
}

/** An attempt that failed and will be retried. */
export interface CallRetryEvent extends CallRequestEvent {
  /** The wait before the retry, in milliseconds. */
  readonly delayMs: number
  /** The message of the error that ended the attempt. */
  readonly reason: string
}

/** A call that has to wait for the rate limit. */
export interface CallWaitEvent extends Omit<CallRequestEvent, 'attempt'> {
  /** The estimated wait, in milliseconds. */
  readonly waitMs: number
  /** Calls that are waiting, this one included. */
  readonly queued: number
}

/** A call that has failed. */
export interface CallErrorEvent extends Omit<CallRequestEvent, 'attempt'> {
  /** The error that the call rejects with. */
  readonly error: AnyShortLinkError
  /** The number of times that the request was sent. */
  readonly attempts: number
  /** From the call to its end, including waits, in milliseconds. */
  readonly durationMs: number
}

/** The listeners to the events of a client: the user's callbacks, and the log, which includes successful calls. */
export type Listeners = readonly (Observers & {
  onSuccess?: ((event: Omit<CallErrorEvent, 'error'> & { readonly status: number }) => void) | undefined
})[]

type EventName = Exclude<keyof Listeners[number], 'onDrift'>

/** A call, as far as its events depend on it. */
interface EventSource {
  readonly id: string
  readonly path: string
  readonly url: string
  readonly redact: Redact
  readonly spec: { readonly method: string }
  readonly client: { readonly environment: () => { readonly listeners: Listeners } }
}

/** Passes an event of a call to its listeners. The event is created only if there are any. */
export function emit<Name extends EventName>(
  { id, path, url, redact, client, spec: { method } }: EventSource,
  name: Name,
  makeEvent: () => Omit<Parameters<NonNullable<Listeners[number][Name]>>[0], 'id' | 'method' | 'path' | 'url'>,
): void {
  for (const listener of client.environment().listeners) {
    const observer = listener[name] as ((event: object) => void) | undefined
    if (observer) notify(observer, { id, method, path: redact(path), url: redact(url), ...makeEvent() })
  }
}

/** Passes the problems of a response to `onDrift`. */
export function reportDrift(listeners: Listeners, { method = '', path = '', issues }: InvalidResponseError): void {
  for (const { onDrift } of listeners) notify(onDrift, { method, path, issues })
}

/** A level of the log. Each includes those before it. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug'

/** A logger: `console`, pino, winston and others have these methods. */
export interface Logger {
  error(message: string): void
  warn(message: string): void
  info(message: string): void
  debug(message: string): void
}

/** The methods of a logger. @internal */
export const logMethods = ['error', 'warn', 'info', 'debug'] as const

/** The levels in order. Each includes those before it. @internal */
export const logLevels: readonly LogLevel[] = ['off', ...logMethods]

/** Waits for the rate limit above this are logged as warnings, in milliseconds. */
const LONG_WAIT = 5000

/** Creates listeners that write the log, only for the events that the level includes. @internal */
export function createLogObservers(level: LogLevel, logger: Logger): Listeners[number] {
  const includes = (other: LogLevel) => logLevels.indexOf(level) >= logLevels.indexOf(other)
  let warnedUntil = 0

  // Each returns the result of the logger, so that `notify` handles a promise that rejects.
  const warn: Listeners[number] = {
    onWait: ({ method, path, waitMs, queued }) => {
      const now = systemClock.now()
      if (waitMs <= LONG_WAIT || now < warnedUntil) return
      warnedUntil = now + waitMs
      const others = queued > 1 ? `; ${queued} calls are waiting` : ''
      return logger.warn(`${SDK_NAME}: ${method} ${path} waits ${formatDuration(waitMs)} for the rate limit${others}`)
    },
  }
  const info: Listeners[number] = {
    onSuccess: ({ method, path, status, attempts, durationMs }) =>
      logger.info(
        `${SDK_NAME}: ${method} ${path} ${status} in ${formatDuration(durationMs)}${formatAttempts(attempts)}`,
      ),
    onError: ({ method, path, error: { code, outcome }, attempts, durationMs }) =>
      logger.info(
        `${SDK_NAME}: ${method} ${path} failed (${code}, ${outcome}) in ${formatDuration(durationMs)}${formatAttempts(attempts)}`,
      ),
  }
  const debug: Listeners[number] = {
    onRequest: ({ id, method, url, attempt }) =>
      logger.debug(`${SDK_NAME}: #${id} ${method} ${url}, attempt ${attempt}`),
    onResponse: ({ id, status, durationMs, rateLimit }) => {
      const left = rateLimit.remaining === undefined ? '' : `, ${rateLimit.remaining} requests left`
      return logger.debug(`${SDK_NAME}: #${id} responded ${status} in ${formatDuration(durationMs)}${left}`)
    },
    onRetry: ({ id, delayMs, reason }) =>
      logger.debug(`${SDK_NAME}: #${id} retries in ${formatDuration(delayMs)}: ${reason}`),
  }
  return { ...(includes('warn') && warn), ...(includes('info') && info), ...(includes('debug') && debug) }
}

const formatAttempts = (attempts: number): string => (attempts > 1 ? ` after ${attempts} attempts` : '')
