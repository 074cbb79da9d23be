import type { Issue } from '../errors.ts'
import type { HeadersInput } from '../runtime/fetch.ts'
import { abortSignal, type Checks, count, milliseconds } from '../schema/checks.ts'
import { type FormatValue, kind } from '../schema/expected.ts'

/** Options for one call, which override the client's. All are optional. */
export interface RequestOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** How long one attempt may take, in milliseconds. `false`: no limit. Default: the client's, 30,000. */
  timeout?: number | false | undefined
  /** The number of retries after the first attempt. Default: the client's, 2. */
  retry?: number | undefined
  /** Headers to add to the request. */
  headers?: HeadersInput | undefined
}

/** @internal */
export const timeoutCheck = {
  expected: `${milliseconds.expected}, or false`,
  fits: (value: unknown) => value === false || milliseconds.fits(value),
}

/** Checks for the options that a client and a call have in common. @internal */
export const requestOptionChecks = {
  signal: { ...abortSignal, otherNames: ['abortSignal', 'cancelToken'] },
  timeout: { ...timeoutCheck, otherNames: ['timeoutMs', 'timeoutMillis', 'requestTimeout'] },
  retry: { ...count, otherNames: ['retries', 'maxRetries', 'maxNetworkRetries'] },
  headers: {
    expected: 'names and values of headers, each a line without control characters',
    fits: (value: unknown) => headerEntries(value)?.every(isHeader) ?? false,
    otherNames: ['defaultHeaders'],
    // Only the name is shown, because the value may be a secret.
    secret: true,
    hint: (value: unknown, show: FormatValue) => {
      const misfit = headerEntries(value)?.find((entry) => !isHeader(entry))
      return misfit && `${show(misfit[0])} is invalid, its value is ${kind(misfit[1])}`
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

/** @internal */
export const authorizationBesideKey: Issue = {
  path: ['headers'],
  message:
    'Authorization is set by the client, from `apiKey` and `authScheme`: leave it out, or set `apiKey: null` to send your own',
}

/** The names and values of anything that `new Headers` takes, of any realm; `undefined` if it is something else. */
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
