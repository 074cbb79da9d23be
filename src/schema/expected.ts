import { hasMessage, shorten } from '../errors.ts'

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

/** The type of a value, without the value itself. */
export function kind(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'object') return `a ${typeof value}`
  const name = isPlain(value) ? 'object' : classOf(value)
  return `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`
}

const isPromise = (value: unknown): boolean => typeof (value as { then?: unknown } | null)?.then === 'function'

/** The class of an object if the runtime has it, such as `FormData`; `Object` for the classes of a program. */
const classOf = (value: object): string =>
  isPromise(value) ? 'Promise' : Object.prototype.toString.call(value).slice(8, -1)

/** More than a message shows, because secrets are removed before it is shortened. */
const MAX_FORMATTED = 2000

/** How a value or a name that is not ours appears in a message. */
export type FormatValue = (value: unknown) => string

/** The value itself if it is short and plain, else its type. Not for secrets. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value, MAX_FORMATTED))
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kind(value)
}

/** The message of a thrown value of any type. */
export function reasonOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  return hasMessage(thrown) ? thrown.message : kind(thrown)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is an object of the program, whose properties are its contents: not a Promise, a FormData or a Map. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && ['Object', 'Module'].includes(classOf(value))
}
