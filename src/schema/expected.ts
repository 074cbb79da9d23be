import { isError, shorten } from '../errors.ts'

/** What does not fit, in one sentence: `expected an integer, received a boolean`. */
export function mismatch(expected: string, value: unknown, describe: (value: unknown) => string = kind): string {
  return value === undefined ? `is missing, expected ${expected}` : `expected ${expected}, received ${describe(value)}`
}

/** What kind of thing a value is, without telling the value. */
export function kind(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Date) return 'a Date'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** More than a message keeps, because secrets are removed before it is cut. */
const MOST_SHOWN = 2000

/** The value itself where it is short and plain, else what kind of thing it is. Not for secrets. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value, MOST_SHOWN))
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kind(value)
}

/** A number itself, of anything else what kind of thing it is. */
export function numberOrKind(value: unknown): string {
  return typeof value === 'number' ? String(value) : kind(value)
}

/** What a thrown value says, whatever it is. */
export function reasonOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  return isError(thrown) ? thrown.message : kind(thrown)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
