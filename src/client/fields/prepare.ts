/** Prepares rows for their schemas, which know the documented names only. */
import { isRecord } from '../runtime/text.ts'

/** Prepares a row before its schema reads it. */
export interface Prepare {
  (row: unknown): unknown
  /** The names that it replaces, for code that documents the schema. */
  readonly otherNames?: OtherNames
}

/** Names that some servers use in place of a documented one, those of an object in the row included. */
export type OtherNames<T = Record<string, unknown>> = {
  readonly [Name in keyof T]?: readonly string[] | OtherNames<T[Name]>
}

type Row = Readonly<Record<string, unknown>>

/** Returns `{}` for `[]`, as which an object without keys arrives. */
export const toObject = (value: unknown): unknown => (Array.isArray(value) && value.length === 0 ? {} : value)

/** Prepares rows by giving fields their documented names. `complete` adds what other fields of the row imply. */
export function renameFields<T>(otherNames: OtherNames<T>, complete?: (row: Row) => Row): Prepare {
  const renames = Object.entries(otherNames as OtherNames).map(([name, others = []]) =>
    isList(others) ? renameField(name, others) : inField(name, renameFields(others)),
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
    const other = name in row ? undefined : others.find((other) => other in row)
    if (other === undefined) return row
    const { [other]: value, ...rest } = row
    return { ...rest, [name]: value }
  }
}

function inField(name: string, prepare: Prepare): (row: Row) => Row {
  return (row) => (name in row ? { ...row, [name]: prepare(row[name]) } : row)
}
