/** Prepares rows for their schemas, which read only the documented names. */
import { isRecord } from '../runtime/text.ts'

/** Prepares a row before its schema reads it. */
export interface Prepare {
  (row: unknown): unknown
  /** The names that it replaces, for the generated documentation. */
  readonly otherNames?: OtherNames
}

/** Names that some servers use instead of a documented one, including those in nested objects. */
export type OtherNames<T = Record<string, unknown>> = {
  readonly [Name in keyof T]?: readonly string[] | OtherNames<T[Name]>
}

type Row = Readonly<Record<string, unknown>>

/** Returns `{}` for `[]`, which is how PHP encodes an empty object. */
export const toObject = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? {} : value)

/** Returns whether there is no value: servers send `null`, `""` or no key. */
export const isAbsent = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === ''

/** Returns the name that has a value, the first one if several have; else the first that is sent at all. */
export const findSentName = (row: Row, names: readonly string[]): string | undefined =>
  names.find((name) => !isAbsent(row[name])) ?? names.find((name) => name in row)

/** Creates a function that gives fields their documented names. `complete` then adds values from other fields. */
export function renameFields<T>(otherNames: OtherNames<T>, complete?: (row: Row) => Row): Prepare {
  const renames = Object.entries(otherNames as OtherNames).map(([name, others = []]) =>
    isList(others) ? renameField(name, others) : prepareField(name, renameFields(others)),
  )
  const prepare = (value: unknown) => {
    let row = toObject(value)
    if (!isRecord(row)) return row
    for (const rename of renames) row = rename(row as Row)
    return complete ? complete(row as Row) : row
  }
  return Object.assign(prepare, { otherNames })
}

const isList = (others: readonly string[] | OtherNames): others is readonly string[] => Array.isArray(others)

function renameField(name: string, others: readonly string[]): (row: Row) => Row {
  return (row) => {
    const sent = findSentName(row, [name, ...others])
    if (sent === undefined || sent === name) return row
    const { [sent]: value, ...rest } = row
    return { ...rest, [name]: value }
  }
}

function prepareField(name: string, prepare: Prepare): (row: Row) => Row {
  return (row) => (name in row ? { ...row, [name]: prepare(row[name]) } : row)
}
