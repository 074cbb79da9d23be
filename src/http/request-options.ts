import type { HeadersInput } from '../runtime/fetch.ts'
import { type Checks, count, milliseconds } from '../schema/checks.ts'
import { isRecord, kind, shown } from '../schema/expected.ts'
import type { RetryOptions } from './retry.ts'

/** Options of one call, all optional. They take precedence over the client's. */
export interface RequestOptions {
  /** Ends the call at once, with the signal's reason, as fetch does. */
  signal?: AbortSignal | undefined
  /** How long one attempt may take, in milliseconds. `false`: no limit. */
  timeout?: number | false | undefined
  /** Retries after the first attempt, or `{ limit, maxDelay }`. */
  retry?: number | RetryOptions | undefined
  /** Headers added to this request. */
  headers?: HeadersInput | undefined
}

/** @internal */
export const timeoutCheck = {
  expected: `${milliseconds.expected}, or false`,
  fits: (value: unknown) => value === false || milliseconds.fits(value),
}

/** The checks of the options that a client and a call have in common. @internal */
export const requestOptionChecks = {
  signal: {
    expected: 'an AbortSignal',
    fits: (value: unknown) => typeof (value as Partial<AbortSignal> | null)?.addEventListener === 'function',
    hint: (value: unknown) => (isRecord(value) && 'signal' in value ? 'pass `controller.signal`' : undefined),
  },
  timeout: timeoutCheck,
  retry: {
    expected: 'a whole number of retries from 0, or { limit, maxDelay }',
    fits: count.fits,
    options: {
      limit: count,
      maxDelay: {
        expected: 'milliseconds from 0',
        fits: (value: unknown) => value === 0 || value === Number.POSITIVE_INFINITY || milliseconds.fits(value),
      },
    },
  },
  headers: {
    expected: 'names and values of headers, each a line without control characters',
    fits: (value: unknown) => headerEntries(value)?.every(isHeader) ?? false,
    // The value may be a secret, the name is not.
    secret: true,
    hint: (value: unknown) => {
      const misfit = headerEntries(value)?.find((entry) => !isHeader(entry))
      return misfit && `${shown(misfit[0])} is invalid, its value is ${kind(misfit[1])}`
    },
  },
} satisfies Checks<keyof RequestOptions>

/** The names and values of valid headers. @internal */
export const headerPairs = (headers: HeadersInput = {}) => headerEntries(headers) as HeaderPair[]

/** A header. */
export type HeaderPair = readonly [name: string, value: string]

/** The value of an `Authorization` among headers. @internal */
export function authorizationIn(headers: readonly HeaderPair[]): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1]
}

/** The names and values of anything that `new Headers` takes, of any realm; `undefined` where it is something else. */
function headerEntries(headers: unknown): [unknown, unknown][] | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined
  const entries = Symbol.iterator in headers ? [...(headers as Iterable<unknown>)] : Object.entries(headers)
  return entries.every((entry) => Array.isArray(entry) && entry.length === 2)
    ? (entries as [unknown, unknown][])
    : undefined
}

function isHeader([name, value]: readonly unknown[]): boolean {
  return (
    typeof name === 'string' &&
    /^[!#$%&'*+\-.^_`|~\w]+$/.test(name) &&
    typeof value === 'string' &&
    /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
  )
}
