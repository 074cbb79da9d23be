import type { HeadersInput } from '../runtime/fetch.ts'
import { kind, shown } from '../schema/expected.ts'
import { type Check, type Checks, count, milliseconds } from '../schema/params.ts'
import type { RetryOptions } from './retry.ts'

/** Options of one call, all optional. They take precedence over the client's. */
export interface RequestOptions {
  /** Ends the call at once, with the signal's reason, as fetch does. */
  signal?: AbortSignal
  /** How long one attempt may take, in milliseconds. `false`: no limit. */
  timeout?: number | false
  /** Retries after the first attempt, or more exactly. */
  retry?: number | RetryOptions
  /** Headers added to this request. */
  headers?: HeadersInput
}

/** @internal */
export const timeoutCheck: Check = {
  expected: `${milliseconds.expected}, or false`,
  fits: (value) => value === false || milliseconds.fits(value),
}

/** What the options that a client and a call have in common may be. @internal */
export const requestOptionChecks: Checks<keyof RequestOptions> = {
  signal: {
    expected: 'an AbortSignal',
    fits: (value) => typeof (value as Partial<AbortSignal> | null)?.addEventListener === 'function',
  },
  timeout: timeoutCheck,
  retry: {
    expected: 'a whole number of retries from 0, or { limit, maxDelay }',
    fits: count.fits,
    options: {
      limit: count,
      maxDelay: {
        expected: 'milliseconds from 0',
        fits: (value) => value === 0 || value === Number.POSITIVE_INFINITY || milliseconds.fits(value),
      },
    },
  },
  headers: {
    expected: 'names and values of headers, each a line without control characters',
    fits: (value) => headerEntries(value)?.every(isHeader) ?? false,
    // The value may be a secret, the name is not.
    secret: true,
    hint: (value) => {
      const misfit = headerEntries(value)?.find((entry) => !isHeader(entry))
      return misfit && `${shown(misfit[0])} does not fit, its value is ${kind(misfit[1])}`
    },
  },
}

/** The names and values of headers that fit. @internal */
export const headerPairs = (headers: HeadersInput = {}) => headerEntries(headers) as [name: string, value: string][]

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
