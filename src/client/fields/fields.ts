/**
 * Reads values as servers encode them. They run PHP, so the database driver decides whether 5 arrives as `5` or `"5"`,
 * false as `0` or `""`, and an empty map as `[]`. A missing value is `null`, `""`, or left out.
 *
 * Every such quirk is handled here, by zod schemas that accept each known encoding and return the documented type.
 *
 * A field is a single zod transform that converts and checks: a transform piped into a check takes a quarter longer per
 * page.
 */
import * as z from 'zod/mini'
import { mismatch } from '../checks/mismatch.ts'
import { isRecord } from '../runtime/text.ts'
import { MAX_ISSUES, type ParseContext, parse } from './parse.ts'
import type { Schema } from './standard-schema.ts'

/** A JSON schema. */
type JsonSchema = Readonly<Record<string, unknown>>

/** Gives a transform the JSON schema of its values, for `z.toJSONSchema`, which reads it under this name. */
function described<Field extends z.ZodMiniType>(schema: Field, json: JsonSchema): Field {
  schema._zod.toJSONSchema = () => ({ ...json })
  return schema
}

/** A field that `read` converts; `undefined` means that the value is invalid. */
function field<T>(expected: string, json: JsonSchema, read: (value: unknown) => T | undefined): z.ZodMiniType<T> {
  const schema: z.ZodMiniType<T> = z.transform((value, { issues }) => {
    const result = read(value)
    if (result === undefined) issues.push(issue(expected, value))
    return result as T
  })
  return described(schema, json)
}

const issue = (expected: string, input: unknown, path: (string | number)[] = []) =>
  ({ code: 'custom', message: mismatch(expected, input), input, path }) as const

/** `null`, `""` and a missing key all mean that there is no value. */
export const isAbsent = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === ''

function readInteger(value: unknown): number | undefined {
  if (Number.isSafeInteger(value)) return value as number
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : undefined
}

/** PHP sometimes turns a string of digits into a number. */
function readString(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}

/** An id or a count: an integer, or the same as a string. */
export const integer = /* @__PURE__ */ field('an integer', { type: 'integer' }, readInteger)

/** A count that is 0 if the server leaves it out. */
export const countOrZero = /* @__PURE__ */ field('an integer', { type: 'integer' }, (value) =>
  isAbsent(value) ? 0 : readInteger(value),
)

/** A count that is `null` if the server leaves it out. */
export const countOrNull = /* @__PURE__ */ field('an integer', { type: ['integer', 'null'] }, (value) =>
  isAbsent(value) ? null : readInteger(value),
)

/** A string. */
export const text = /* @__PURE__ */ field('a string', { type: 'string' }, readString)

/** A string that is `null` if the server has none. */
export const textOrNull = /* @__PURE__ */ field('a string', { type: ['string', 'null'] }, (value) =>
  isAbsent(value) ? null : readString(value),
)

/** A string that is `''` if the server has none. */
export const textOrEmpty = /* @__PURE__ */ field('a string', { type: 'string' }, (value) =>
  isAbsent(value) ? '' : readString(value),
)

/** A string, or `false` if there is none. */
export const textOrFalse = /* @__PURE__ */ field(
  'a string',
  { anyOf: [{ type: 'string' }, { const: false }] },
  (value) => (isAbsent(value) || value === false || value === 0 || value === '0' ? false : readString(value)),
)

/** `true`, `1` and `"1"`; `false`, `0`, `"0"`, `""` and `null`. */
export const flag = /* @__PURE__ */ field('a boolean', { type: 'boolean' }, (value) => {
  if (typeof value === 'boolean') return value
  if (value === 1 || value === '1') return true
  return value === 0 || value === '0' || value === '' || value === null ? false : undefined
})

/** A map whose values `read` converts. */
function map<T>(
  expected: string,
  additionalProperties: JsonSchema,
  read: (value: unknown) => T | undefined,
): z.ZodMiniType<Record<string, T>> {
  const schema: z.ZodMiniType<Record<string, T>> = z.transform((value, { issues }) => {
    const values = isEmptyValue(value) ? {} : value
    if (!isRecord(values)) {
      issues.push(issue('an object', value))
      return {}
    }
    const result: [string, T][] = []
    for (const [key, value] of Object.entries(values)) {
      const converted = read(value)
      if (converted === undefined) issues.push(issue(expected, value, [key]))
      if (issues.length >= MAX_ISSUES) break
      result.push([key, converted as T])
    }
    return Object.fromEntries(result)
  })
  return described(schema, { type: 'object', additionalProperties })
}

/** A map of labels to counts, which servers send as strings. */
export const counts = /* @__PURE__ */ map('an integer', { type: 'integer' }, readInteger)

/** A map of labels to strings. */
export const texts = /* @__PURE__ */ map('a string', { type: 'string' }, readString)

/** An empty map or list arrives as `[]`, `0` or nothing. */
const isEmptyValue = (value: unknown): boolean =>
  isAbsent(value) || value === 0 || value === '0' || (Array.isArray(value) && value.length === 0)

/** The JSON schema of a field, or of an object with its fields. */
function jsonOf(part: z.core.$ZodType & { readonly fields?: Readonly<Record<string, z.core.$ZodType>> }): JsonSchema {
  const { fields } = part
  if (!fields) return part._zod.toJSONSchema?.() as JsonSchema
  const properties = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, jsonOf(field)]))
  return { type: 'object', properties, required: Object.keys(fields) }
}

/** A list of rows with fields of their own. `row` is kept for code that documents the schema. */
export function list<T>(row: Schema<T>): z.ZodMiniType<T[]> & { readonly row: Schema<T> } {
  const schema: z.ZodMiniType<T[]> = z.transform((value, { issues }) => {
    const rows = rowsOf(value)
    if (!rows) {
      issues.push(issue('a list', value))
      return value as T[]
    }
    const context: ParseContext = { path: [], issues: [] }
    const result = rows.map((value, index) => parse(row, value, context, index))
    for (const { message, path } of context.issues)
      issues.push({ code: 'custom', message, path: [...path], input: value })
    return result
  })
  return Object.assign(described(schema, { type: 'array', items: jsonOf(row) }), { row })
}

/**
 * The rows of a list, in order; `undefined` if the value is not a list. PHP encodes a list with gaps as an object with
 * number keys.
 */
export function rowsOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  return isRecord(value) && Object.keys(value).every((key) => /^\d+$/.test(key)) ? Object.values(value) : undefined
}

/** A part that servers may leave out: `null`, `""`, `[]` and a missing key become `undefined`. */
export function optional<T>(part: z.core.$ZodType<T>): z.ZodMiniType<T | undefined> {
  const schema: z.ZodMiniType<T | undefined> = z.transform((value, { issues }) => {
    if (isAbsent(value) || (Array.isArray(value) && value.length === 0)) return undefined
    const result = z.safeParse(part, value)
    if (!result.success) issues.push(...(result.error.issues as never[]))
    return result.data
  })
  schema._zod.optout = 'optional'
  return Object.assign(described(schema, jsonOf(part)), { part })
}

/** An id that is `null` if the server has none. */
export const idOrNull = /* @__PURE__ */ field('an integer', { type: ['integer', 'null'] }, (value) =>
  isEmptyValue(value) ? null : readInteger(value),
)

/**
 * A list of ids, even if it arrives as a single id or an empty value, without its empty entries; `null` if the server
 * leaves it out.
 */
export const idsOrNull = /* @__PURE__ */ field(
  'a list of integers',
  { type: ['array', 'null'], items: { type: 'integer' } },
  (value) => {
    if (isAbsent(value)) return null
    if (isEmptyValue(value)) return []
    // A server that was sent `null` for no channel may list that.
    const numbers = (rowsOf(value) ?? [value]).filter((id) => !isAbsent(id)).map(readInteger)
    return numbers.every((number) => number !== undefined) ? numbers : undefined
  },
)

/** A part that servers may leave out. It then has the defaults of its fields. */
export function orDefaults<T>(part: Schema<T>): z.ZodMiniType<T> {
  return z.pipe(
    z.transform((value) => (isEmptyValue(value) ? {} : value)),
    part,
  )
}

/**
 * An object with these fields; other keys are kept as they are. The compiler refuses a field of `T` that has no schema,
 * and a schema that has no field. `otherNames` is kept for code that documents the schema, `fields` for the columns of
 * an empty list. `complete` adds what other fields of a row imply.
 */
export function object<T>(
  fields: Fields<T>,
  otherNames: OtherNames<T> = {},
  complete = (row: Record<string, unknown>) => row,
): Schema<T> {
  const aliases = Object.entries(otherNames) as [string, readonly string[]][]
  const named = (value: unknown) => {
    if (Array.isArray(value) && value.length === 0) return {}
    return isRecord(value) ? complete(aliases.reduce(withDocumentedName, value)) : value
  }
  const error = ({ input }: { input?: unknown }) => mismatch('an object', input)
  const schema = z.pipe(z.transform(named), z.looseObject(fields, { error }))
  return Object.assign(schema as unknown as Schema<T>, { otherNames, fields })
}

type Fields<T> = { readonly [Name in keyof Required<T>]: z.core.$ZodType<T[Name]> }

/** The names that some servers use in place of a documented one. */
type OtherNames<T> = { readonly [Name in keyof T]?: readonly string[] }

function withDocumentedName(row: Record<string, unknown>, [name, others]: [string, readonly string[]]) {
  const other = name in row ? undefined : others.find((key) => key in row)
  if (other === undefined) return row
  const { [other]: value, ...rest } = row
  return { ...rest, [name]: value }
}
