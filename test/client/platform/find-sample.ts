import { rows } from '../../calls.ts'

type Row = Record<string, unknown>

/** Returns the objects in a value, itself included. */
function listObjects(value: unknown): Row[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(listObjects)
  return Array.isArray(value) ? inner : [value as Row, ...inner]
}

const results = rows.flatMap(([, { read }]) => listObjects(read))
const listNames = (fields: object) => Object.keys(fields).sort().join()

/** Finds a value for a schema in the results of the table of calls: an object with exactly the fields of the schema. */
export function findSample({ shape }: { readonly shape: object }): Row {
  const sample = results.find((result) => listNames(result) === listNames(shape))
  if (!sample) throw new Error(`no result in test/calls.ts has exactly the fields ${listNames(shape)}`)
  return sample
}
