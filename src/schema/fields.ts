import type { Issue } from '../errors.ts'
import { isRecord, kind } from './expected.ts'

/**
 * How the platform spells values. Its server side is PHP, where the database driver decides whether a 5 arrives
 * as `5` or `"5"`, a false as `0` or `""`, and an empty map as `[]`. Every quirk of a value has its home here:
 * a word reads one value generously and gives it back in its documented type.
 */
export type Word<T> = (value: unknown, reading: Reading, key?: string | number) => T

/** Reads a whole answer or a row of one. */
export type Reader<T> = (value: unknown, reading: Reading) => T

/** Where a reading stands, and what did not fit so far. */
export interface Reading {
  readonly path: (string | number)[]
  readonly issues: Issue[]
  /** Whether no `validation` may let it pass. */
  unusable?: boolean
}

/** An id or a count: an integer, or the same as a string. */
export const integer: Word<number> = (value, reading, key) => {
  if (Number.isSafeInteger(value)) return value as number
  if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value)
  return mismatch('an integer', value, reading, key)
}

/** A count that is 0 where the server leaves it out. */
export const countOrZero: Word<number> = (value, reading, key) => (isAbsent(value) ? 0 : integer(value, reading, key))

/** A string. PHP turns a string of digits into a number now and then. */
export const text: Word<string> = (value, reading, key) => {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : mismatch('a string', value, reading, key)
}

/** A string that is `null` where the server has none: `null`, `""` and no key at all are the same thing. */
export const textOrNull: Word<string | null> = (value, reading, key) =>
  isAbsent(value) ? null : text(value, reading, key)

/** A string that is `''` where the server has none. */
export const textOrEmpty: Word<string> = (value, reading, key) => (isAbsent(value) ? '' : text(value, reading, key))

/** A yes or no: `true`, `1` and `"1"`; `false`, `0`, `"0"`, `""` and `null`. */
export const flag: Word<boolean> = (value, reading, key) => {
  if (typeof value === 'boolean') return value
  if (value === 1 || value === '1') return true
  if (value === 0 || value === '0' || value === '' || value === null) return false
  return mismatch('a boolean', value, reading, key)
}

/** A string, or `false` where there is none. */
export const textOrFalse: Word<string | false> = (value, reading, key) =>
  isAbsent(value) || value === false || value === 0 || value === '0' ? false : text(value, reading, key)

/** A map of labels to counts. An empty one arrives as `[]`. */
export const counts: Word<Record<string, number>> = (value, reading, key) =>
  inside(reading, key, () => {
    const labels = isAbsent(value) ? {} : object(value, reading)
    if (!labels) return value as never
    return Object.fromEntries(Object.entries(labels).map(([label, count]) => [label, integer(count, reading, label)]))
  })

/** Documented names, each with the names that deployments use in its place. */
export type OtherNames = Readonly<Record<string, readonly string[]>>

/** An object, its keys under their documented names, or `undefined` where the value is none. An empty one may arrive as `[]`. */
export function object(value: unknown, reading: Reading, names?: OtherNames): Record<string, unknown> | undefined {
  let row = Array.isArray(value) && value.length === 0 ? {} : value
  if (!isRecord(row)) {
    mismatch('an object', value, reading)
    return undefined
  }
  for (const name in names) row = renamed(row as Record<string, unknown>, name, names[name]!)
  return row as Record<string, unknown>
}

/** A list of rows. PHP encodes one with gaps as an object with number keys. */
export const list =
  <T>(read: Reader<T>): Word<T[]> =>
  (value, reading, key) =>
    inside(reading, key, () => {
      const rows = rowsOf(value) ?? mismatch<unknown[]>('a list', value, reading, undefined, [])
      return rows.map((row, index) => inside(reading, index, () => read(row, reading)))
    })

/** A part with a reader of its own. */
export const part =
  <T>(read: Reader<T>): Word<T> =>
  (value, reading, key) =>
    inside(reading, key, () => read(value, reading))

/** A part that a deployment may leave out. */
export const optional =
  <T>(word: Word<T>): Word<T | undefined> =>
  (value, reading, key) =>
    orUndefined(value) === undefined ? undefined : word(value, reading, key)

/** An object, each key read by its word. Keys without one stay as they came. */
export const reader =
  <S extends Record<string, Word<unknown>>>(
    words: S,
    names?: OtherNames,
  ): Reader<{ [Key in keyof S]: ReturnType<S[Key]> }> =>
  (value, reading) => {
    const row = object(value, reading, names)
    if (!row) return value as never
    const result: Record<string, unknown> = { ...row }
    for (const key in words) result[key] = words[key]!(row[key], reading, key)
    return result as never
  }

/** The rows of a list, in order, or `undefined` where the value is none. */
export function rowsOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  return isRecord(value) && Object.keys(value).every((key) => /^\d+$/.test(key)) ? Object.values(value) : undefined
}

/** A part that a deployment may leave out: `null`, `""`, `[]` and no key at all are `undefined`. */
export function orUndefined(value: unknown): unknown {
  return isAbsent(value) || (Array.isArray(value) && value.length === 0) ? undefined : value
}

/** Reads something that stands under a key, so that its issues say where. */
export function inside<T>(reading: Reading, key: string | number | undefined, read: () => T): T {
  if (key === undefined) return read()
  reading.path.push(key)
  const result = read()
  reading.path.pop()
  return result
}

/** Gives a key its documented name where the server used another. */
function renamed(row: Record<string, unknown>, name: string, others: readonly string[]): Record<string, unknown> {
  const other = name in row ? undefined : others.find((key) => key in row)
  if (other === undefined) return row
  const { [other]: value, ...rest } = row
  return { ...rest, [name]: value }
}

/** Notes an issue and hands the value on as it came, or a stand-in that the rest of the reading can go on with. */
export function mismatch<T>(expected: string, value: unknown, reading: Reading, key?: string | number, standIn?: T): T {
  const path = key === undefined ? [...reading.path] : [...reading.path, key]
  const message =
    value === undefined ? `is missing, expected ${expected}` : `expected ${expected}, received ${kind(value)}`
  reading.issues.push({ path, message })
  return standIn ?? (value as T)
}

function isAbsent(value: unknown): value is null | undefined | '' {
  return value === null || value === undefined || value === ''
}
