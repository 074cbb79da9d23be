import { isError, shorten } from '../errors.ts'

/** Describes an invalid value: `expected an integer, received a boolean`. */
export function mismatch(expected: string, value: unknown, describe: (value: unknown) => string = kind): string {
  return value === undefined ? `is missing, expected ${expected}` : `expected ${expected}, received ${describe(value)}`
}

/** The type of a value, without the value itself. */
export function kind(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Date) return 'a Date'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** More than a message shows, because secrets are removed before it is shortened. */
const MOST_SHOWN = 2000

/** The value itself if it is short and plain, else its type. Not for secrets. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value, MOST_SHOWN))
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kind(value)
}

/** The message of a thrown value of any type. */
export function reasonOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  return isError(thrown) ? thrown.message : kind(thrown)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
