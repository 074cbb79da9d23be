import { describeType, hasMessage, isPromise } from '../runtime/text.ts'

/** Describes an invalid value: `expected an integer, received a boolean`. */
export function describeMismatch(
  expected: string,
  value: unknown,
  describe: (value: unknown) => string = describeType,
): string {
  if (value === undefined) return `is missing, expected ${expected}`
  return `expected ${expected}, received ${describe(value)}${isPromise(value) ? ': await it first' : ''}`
}

/**
 * Formats a string, number or boolean, or the type of any other value. It is not shortened, because secrets must be
 * removed first. Do not use it for secret parameters. A string is in double quotes, which messages use for nothing
 * else.
 */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : describeType(value)
}

/** Returns the first character of a text that is not allowed. */
export const findMisfit = (text: string, allowed: RegExp): string | undefined =>
  Array.from(text).find((char) => !allowed.test(char))

/** Formats the code point of a character, such as `U+2026`. */
export const formatCodePoint = (char: string): string =>
  `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`

/** Returns the message of a thrown value of any type. */
export function getReason(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  return hasMessage(thrown) ? thrown.message : describeType(thrown)
}
