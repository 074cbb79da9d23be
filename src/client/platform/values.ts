/**
 * Reads values as servers encode them. They run PHP, so the database driver decides whether 5 arrives as `5` or `"5"`,
 * false as `0` or `""`, and an empty map as `[]`. A missing value is `null`, `""`, or left out.
 *
 * All of these encodings are handled here. A field is a zod pipe: a transform converts each known encoding, and a plain
 * type checks the result.
 */
import * as z from 'zod/mini'
import { describeMismatch } from '../checks/mismatch.ts'
import { MAX_ISSUES } from '../parse/parse.ts'
import { isRecord } from '../runtime/text.ts'
import { toObject } from './prepare.ts'

type Messages = { readonly error: (issue: { readonly input?: unknown }) => string }

const createMessages = (expected: string): Messages => ({ error: ({ input }) => describeMismatch(expected, input) })

/**
 * Creates a field that `read` converts and `type` checks. If `read` returns `undefined`, `type` gets the unconverted
 * value. The declared type uses only names that every version of zod 4 has.
 */
function field<T>(
  expected: string,
  read: (value: unknown) => unknown,
  type: (messages: Messages) => z.core.$ZodType<T>,
): z.ZodMiniType<T> {
  const convert = (value: unknown) => {
    const result = read(value)
    return result === undefined ? value : result
  }
  return z.pipe(z.transform(convert), type(createMessages(expected)))
}

/** Returns whether there is no value: servers send `null`, `""` or no key. */
export const isAbsent = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === ''

/** Returns whether a map or list is empty: servers send `[]`, `0` or nothing. */
const isEmptyValue = (value: unknown): boolean =>
  isAbsent(value) || value === 0 || value === '0' || (Array.isArray(value) && value.length === 0)

function readInteger(value: unknown): number | undefined {
  if (Number.isSafeInteger(value)) return value as number
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : undefined
}

/** Accepts numbers too, because PHP sometimes turns a string of digits into one. */
function readString(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}

/** An id or a count: an integer, as a number or a string. */
export const integer = /* @__PURE__ */ field('an integer', readInteger, z.int)

/** A count, or 0 if it is missing. */
export const countOrZero = /* @__PURE__ */ field(
  'an integer',
  (value) => (isAbsent(value) ? 0 : readInteger(value)),
  z.int,
)

/** A count, or `null` if it is missing. */
export const countOrNull = /* @__PURE__ */ field(
  'an integer',
  (value) => (isAbsent(value) ? null : readInteger(value)),
  (messages) => z.nullable(z.int(messages)),
)

/** An id, or `null` if it is missing, 0 or an empty list. */
export const idOrNull = /* @__PURE__ */ field(
  'an integer',
  (value) => (isEmptyValue(value) ? null : readInteger(value)),
  (messages) => z.nullable(z.int(messages)),
)

export const text = /* @__PURE__ */ field('a string', readString, z.string)

/** A string with known values, for which a server may have more. */
export const openText = <Known extends string>() => text as z.ZodMiniType<Known | (string & {})>

/** A string, or `null` if it is missing. */
export const textOrNull = /* @__PURE__ */ field(
  'a string',
  (value) => (isAbsent(value) ? null : readString(value)),
  (messages) => z.nullable(z.string(messages)),
)

/** A string, or `''` if it is missing. */
export const textOrEmpty = /* @__PURE__ */ field(
  'a string',
  (value) => (isAbsent(value) ? '' : readString(value)),
  z.string,
)

/** A string, or `false` if it is missing or 0. */
export const textOrFalse = /* @__PURE__ */ field<string | false>(
  'a string',
  (value) => (isAbsent(value) || value === 0 || value === '0' ? false : readString(value)),
  stringOrFalse,
)

/** Not a union of zod, which would add 0.6 kB to every bundle for this one type. */
function stringOrFalse({ error }: Messages): z.ZodMiniType<string | false> {
  const type = z.unknown() as z.ZodMiniType<string | false>
  type._zod.run = (payload) => {
    const { value: input } = payload as { value: unknown }
    const isValid = typeof input === 'string' || input === false
    if (!isValid) payload.issues.push({ code: 'custom', message: error({ input }), input })
    return payload
  }
  type._zod.toJSONSchema = () => ({ anyOf: [{ type: 'string' }, { type: 'boolean', const: false }] })
  return type
}

/** A boolean: `true`, `1` and `"1"`, or `false`, `0`, `"0"`, `""` and `null`. */
export const flag = /* @__PURE__ */ field(
  'a boolean',
  (value) => {
    if (value === 1 || value === '1') return true
    return value === 0 || value === '0' || value === '' || value === null ? false : undefined
  },
  z.boolean,
)

/**
 * Returns the values up to the hundredth invalid one. zod passes issues as arguments, and engines accept only about
 * 100,000 arguments.
 */
function limitInvalid<T>(values: readonly T[], isInvalid: (value: T) => boolean): readonly T[] {
  if (values.length <= MAX_ISSUES) return values
  let wrong = 0
  const last = values.findIndex((value) => isInvalid(value) && ++wrong === MAX_ISSUES)
  return last < 0 ? values : values.slice(0, last + 1)
}

function map<T>(values: z.ZodMiniType<T>): z.ZodMiniType<Record<string, T>> {
  return field(
    'an object',
    (value) => {
      if (isEmptyValue(value)) return {}
      if (!isRecord(value)) return undefined
      const keys = Object.keys(value)
      const known = limitInvalid(keys, (key) => !z.safeParse(values, value[key]).success)
      return known === keys ? value : Object.fromEntries(known.map((key) => [key, value[key]]))
    },
    (messages) => z.catchall(z.object({}, messages), values),
  )
}

/** A map of labels to counts, which servers send as strings. */
export const counts = /* @__PURE__ */ map(integer)

/** A map of labels to strings. */
export const texts = /* @__PURE__ */ map(text)

/**
 * A list of ids without empty entries, which may arrive as a single id or an empty value; `null` if the server omits
 * it.
 */
export const idsOrNull = /* @__PURE__ */ field(
  'a list of integers',
  (value) => {
    if (isAbsent(value)) return null
    if (isEmptyValue(value)) return []
    const list = toRows(value) ?? (readInteger(value) === undefined ? undefined : [value])
    // A server that received `null` for no channel may list it.
    const ids = list?.filter((id) => !isAbsent(id))
    return ids && limitInvalid(ids, (id) => readInteger(id) === undefined)
  },
  (messages) => z.nullable(z.array(integer, messages)),
)

/** An object with these fields. Other keys are kept unchanged, but are not part of the type. */
export function object<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodMiniObject<Shape, z.core.$strip> {
  return z.looseObject(shape, createMessages('an object')) as unknown as z.ZodMiniObject<Shape, z.core.$strip>
}

/** A nested object. */
export function part<T>(schema: z.core.$ZodType<T>): z.ZodMiniType<T> {
  return z.pipe(z.transform(toObject), schema)
}

/** A nested object that servers may omit. It then has the defaults of its fields. */
export function orDefaults<T>(schema: z.core.$ZodType<T>): z.ZodMiniType<T> {
  return z.pipe(
    z.transform((value) => (isEmptyValue(value) ? {} : value)),
    schema,
  )
}

/** A list of objects. */
export function list<T>(schema: z.core.$ZodType<T>): z.ZodMiniType<T[]> {
  const row = part(schema)
  return field(
    'a list',
    (value) => {
      const rows = toRows(value)
      return rows && limitInvalid(rows, (row) => !z.safeParse(schema, row).success)
    },
    (messages) => z.array(row, messages),
  )
}

/**
 * Returns the rows of a list, in order; `undefined` if the value is not a list. PHP encodes a list with gaps as an
 * object with number keys.
 */
export function toRows(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  return isRecord(value) && Object.keys(value).every((key) => /^\d+$/.test(key)) ? Object.values(value) : undefined
}

/** A field that is `undefined` if the server omits its key. */
export function ifSent<T>(field: z.ZodMiniType<T>): z.ZodMiniOptional<z.ZodMiniType<T | undefined>> {
  const pipe = field as unknown as z.ZodMiniPipe<z.ZodMiniTransform, z.core.$ZodType<T>>
  const { in: conversion, out: type } = pipe._zod.def
  // In zod 4.4, `z.optional(field)` converts a missing key too, into `false` or `null`.
  const convert = (value: unknown, payload: z.core.ParsePayload) =>
    value === undefined ? undefined : conversion._zod.def.transform(value, payload)
  return z.optional(z.pipe(z.transform(convert), z.optional(type)))
}

/** A part that servers may omit: `null`, `""`, `[]` and a missing key become `undefined`. */
export function optional<T>(part: z.core.$ZodType<T>): z.ZodMiniOptional<z.ZodMiniType<T | undefined>> {
  const convert = (value: unknown): unknown =>
    isAbsent(value) || (Array.isArray(value) && value.length === 0) ? undefined : value
  return z.optional(z.pipe(z.transform(convert), z.optional(part)))
}
