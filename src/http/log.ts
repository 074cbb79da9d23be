import { formatDuration, hasMessage, isShortLinkError } from '../errors.ts'
import type { Listeners } from './observers.ts'

/** How much to log. Each level includes those before it. */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug'

/** Where to log: `console`, pino, winston and others have these methods. */
export interface Logger {
  error(message: string): void
  warn(message: string): void
  info(message: string): void
  debug(message: string): void
}

/** The methods of a logger. @internal */
export const logMethods = ['error', 'warn', 'info', 'debug'] as const

/** The levels, each of which includes those before it. @internal */
export const logLevels: readonly LogLevel[] = ['off', ...logMethods]

/** A wait for the rate limit that is logged as a warning, in milliseconds. */
const LONG_WAIT = 5000

/** Listeners that write the log. There are none beyond the level, so that events nobody reads cost nothing. @internal */
export function logObservers(level: LogLevel, logger: Logger): Listeners[number] {
  const includes = (other: LogLevel) => logLevels.indexOf(level) >= logLevels.indexOf(other)
  let warnedUntil = 0

  // Each returns the result of the logger, which may be a promise that rejects.
  const warn: Listeners[number] = {
    onWait: ({ method, path, waitMs, queued }) => {
      const now = performance.now()
      if (waitMs <= LONG_WAIT || now < warnedUntil) return
      warnedUntil = now + waitMs
      const others = queued > 1 ? `; ${queued} calls are waiting` : ''
      return logger.warn(
        `shortlink-sdk: ${method} ${path} waits ${formatDuration(waitMs)} for the rate limit${others}. Nothing is lost: see the options rateLimit and onWait.`,
      )
    },
  }
  const info: Listeners[number] = {
    onSuccess: ({ method, path, status, attempts, durationMs }) =>
      logger.info(`shortlink-sdk: ${method} ${path} ${status} in ${formatDuration(durationMs)}${times(attempts)}`),
    onError: ({ method, path, error, attempts, durationMs }) => {
      // The reason of an abort may be anything, and a user's schema may throw any error.
      const other = (hasMessage(error) && error.name) || 'aborted'
      const what = isShortLinkError(error) ? `${error.code}, ${error.outcome}` : other
      return logger.info(
        `shortlink-sdk: ${method} ${path} failed (${what}) in ${formatDuration(durationMs)}${times(attempts)}`,
      )
    },
  }
  const debug: Listeners[number] = {
    onRequest: ({ id, method, url, attempt }) =>
      logger.debug(`shortlink-sdk: #${id} ${method} ${url}, attempt ${attempt}`),
    onResponse: ({ id, status, durationMs, rateLimit }) => {
      const left = rateLimit.remaining === undefined ? '' : `, ${rateLimit.remaining} requests left`
      return logger.debug(`shortlink-sdk: #${id} responded ${status} in ${formatDuration(durationMs)}${left}`)
    },
    onRetry: ({ id, delayMs, reason }) =>
      logger.debug(`shortlink-sdk: #${id} retries in ${formatDuration(delayMs)}: ${reason}`),
  }
  return { ...(includes('warn') && warn), ...(includes('info') && info), ...(includes('debug') && debug) }
}

const times = (attempts: number): string => (attempts > 1 ? ` after ${attempts} attempts` : '')
