import { classOf, hasMessage, isPromise, isRecord, kind, shorten } from '../runtime/text.ts'

/** Describes an invalid value: `expected an integer, received a boolean`. */
export function mismatch(expected: string, value: unknown, describe: (value: unknown) => string = kind): string {
  if (value === undefined) return `is missing, expected ${expected}`
  return `expected ${expected}, received ${describe(value)}${isPromise(value) ? ': await it first' : ''}`
}

/** Describes a value that is not plain where a plain object is expected. */
export function notPlain(expected: string, value: unknown): string {
  const hasEntries = isRecord(value) && /^(FormData|Headers|Map|URLSearchParams)$/.test(classOf(value))
  return mismatch(expected, value) + (hasEntries ? ': pass Object.fromEntries(…) of it' : '')
}

/** More than a message shows, because secrets are removed before it is shortened. */
const MAX_FORMATTED = 2000

/**
 * The value itself if it is short and plain, else its type. Not for parameters that are secrets. A string stands in
 * double quotes, which our own words never do: the key and passwords are removed from what is quoted.
 */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value, MAX_FORMATTED))
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kind(value)
}

/** The message of a thrown value of any type. */
export function reasonOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  return hasMessage(thrown) ? thrown.message : kind(thrown)
}
