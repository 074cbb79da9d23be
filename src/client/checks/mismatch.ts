import { classOf, hasMessage, isPromise, isRecord, kind } from '../runtime/text.ts'

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

/**
 * Formats a value: itself if it is plain, else its type. It is not shortened, because secrets must be removed first.
 * Not for parameters that are secrets. A string stands in double quotes, which our own words never do: the key and
 * passwords are removed from what is quoted.
 */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kind(value)
}

/** Returns the first character of a text that does not match. */
export const misfitIn = (text: string, allowed: RegExp): string | undefined =>
  Array.from(text).find((char) => !allowed.test(char))

/** The number of a character, such as `U+2026`. */
export const codePointOf = (char: string): string =>
  `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`

/** The message of a thrown value of any type. */
export function reasonOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  return hasMessage(thrown) ? thrown.message : kind(thrown)
}
