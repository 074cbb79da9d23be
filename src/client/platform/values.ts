/**
 * Reads values as servers encode them. They run PHP, so the database driver decides whether 5 arrives as `5` or `"5"`,
 * false as `0` or `""`, and an empty map as `[]`. A missing value is `null`, `""`, or left out.
 *
 * All of these encodings are handled here. A field is a zod pipe: a transform converts each known encoding, and a plain
 * type checks the result.
 */
import * as z from 'zod/v4/mini'
import { describeMismatch } from '../checks/mismatch.ts'
import { MAX_ISSUES } from '../parse/parse.ts'
import { isRecord } from '../runtime/text.ts'
import { isAbsent, toObject } from './prepare.ts'

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

type OptionalField<T> = z.ZodMiniOptional<z.ZodMiniType<T | undefined>>

/** Creates a field that is `undefined` if `convert` returns `undefined`. */
const createOptional = <T>(convert: (value: unknown) => unknown, type: z.core.$ZodType<T>): OptionalField<T> =>
  z.optional(z.pipe(z.transform(convert), z.optional(type)))

/** Creates a field that is `undefined` if the server omits its key. */
function fieldIfSent<T>(
  expected: string,
  read: (value: unknown) => unknown,
  type: (messages: Messages) => z.core.$ZodType<T>,
): OptionalField<T> {
  // In zod 4.4, `z.optional(field)` converts a missing key too, into `false` or `null`.
  const readIfSent = (value: unknown) => (value === undefined ? undefined : read(value))
  return z.optional(field<T | undefined>(expected, readIfSent, (messages) => z.optional(type(messages))))
}

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

/** `z.int` would add 0.5 kB to every bundle. */
const wholeNumber = (messages: Messages): z.ZodMiniType<number> =>
  z.number(messages).check(({ value, issues }) => {
    if (!Number.isSafeInteger(value))
      issues.push({ code: 'custom', input: value, message: messages.error({ input: value }) })
  })

/** An id or a count: an integer, as a number or a string. */
export const integer = /* @__PURE__ */ field('an integer', readInteger, wholeNumber)

/** A count, or 0 if it is missing. */
export const countOrZero = /* @__PURE__ */ field(
  'an integer',
  (value) => (isAbsent(value) ? 0 : readInteger(value)),
  wholeNumber,
)

/** A count, or `null` if it is missing. */
export const countOrNull = /* @__PURE__ */ field(
  'an integer',
  (value) => (isAbsent(value) ? null : readInteger(value)),
  (messages) => z.nullable(wholeNumber(messages)),
)

/** An id, or `null` if it is missing, 0 or an empty list. */
export const idOrNull = /* @__PURE__ */ field(
  'an integer',
  (value) => (isEmptyValue(value) ? null : readInteger(value)),
  (messages) => z.nullable(wholeNumber(messages)),
)

export const text = /* @__PURE__ */ field('a string', readString, z.string)

/** A string with known values, for which a server may have more. */
export const openText = <Known extends string>() => text as z.ZodMiniType<Known | (string & {})>

const readTextOrNull = (value: unknown) => (isAbsent(value) ? null : readString(value))

const stringOrNull = (messages: Messages) => z.nullable(z.string(messages))

/** A string, or `null` if it is missing. */
export const textOrNull = /* @__PURE__ */ field('a string', readTextOrNull, stringOrNull)

/** A string, or `null` if it is empty; `undefined` if the server omits it. */
export const textOrNullIfSent = /* @__PURE__ */ fieldIfSent('a string', readTextOrNull, stringOrNull)

/** A string, or `''` if it is missing. */
export const textOrEmpty = /* @__PURE__ */ field(
  'a string',
  (value) => (isAbsent(value) ? '' : readString(value)),
  z.string,
)

const readTextOrFalse = (value: unknown) =>
  isAbsent(value) || value === 0 || value === '0' ? false : readString(value)

/** A union with `z.literal(false)` would add 0.5 kB to every bundle. */
const stringOrFalse = (messages: Messages): z.ZodMiniType<string | false> =>
  z.unknown().check(({ value, issues }) => {
    if (typeof value !== 'string' && value !== false)
      issues.push({ code: 'custom', input: value, message: messages.error({ input: value }) })
  }) as z.ZodMiniType<string | false>

/** A string, or `false` if it is missing or 0. */
export const textOrFalse = /* @__PURE__ */ field('a string', readTextOrFalse, stringOrFalse)

/** A string, or `false` if it is empty or 0; `undefined` if the server omits it. */
export const textOrFalseIfSent = /* @__PURE__ */ fieldIfSent('a string', readTextOrFalse, stringOrFalse)

function readFlag(value: unknown): boolean | undefined {
  if (value === 1 || value === '1') return true
  return value === 0 || value === '0' || value === '' || value === null ? false : undefined
}

/** A boolean: `true`, `1` and `"1"`, or `false`, `0`, `"0"`, `""` and `null`. */
export const flag = /* @__PURE__ */ field('a boolean', readFlag, z.boolean)

/** A boolean; `undefined` if the server omits it. */
export const flagIfSent = /* @__PURE__ */ fieldIfSent('a boolean', readFlag, z.boolean)

/** A map with values of this type. */
function map<T>(values: z.ZodMiniType<T>): z.ZodMiniType<Record<string, T>> {
  return field(
    'an object',
    (value) => {
      if (isEmptyValue(value)) return {}
      if (!isRecord(value)) return undefined
      // zod passes issues as arguments, and engines accept only about 100,000. So invalid values are limited.
      const invalid = Object.entries(value).filter(([, count]) => !z.safeParse(values, count).success)
      return invalid.length > MAX_ISSUES ? Object.fromEntries(invalid.slice(0, MAX_ISSUES)) : value
    },
    (messages) => z.catchall(z.object({}, messages), values),
  )
}

/** A map of labels to counts, which servers send as strings. */
export const countMap = /* @__PURE__ */ map(integer)

/** A map of labels to strings. */
export const stringMap = /* @__PURE__ */ map(text)

/**
 * A list that `read` converts, whose items `item` converts and checks. If `read` returns `undefined`, the value is not a
 * list. `z.array` would add 0.4 kB to every bundle.
 */
function listOf<T, Empty = never>(
  expected: string,
  read: (value: unknown) => readonly unknown[] | Empty | undefined,
  item: z.core.$ZodType<T>,
): z.ZodMiniType<T[] | Empty> {
  const convert = (value: unknown, { issues }: z.core.ParsePayload) => {
    const items = read(value)
    if (items === undefined) issues.push({ code: 'custom', input: value, message: describeMismatch(expected, value) })
    if (!Array.isArray(items)) return items
    return items.map((input: unknown, index) => {
      if (issues.length >= MAX_ISSUES) return input
      const { data, error } = z.safeParse(item, input)
      for (const issue of error?.issues ?? [])
        issues.push({ ...issue, input, path: [index, ...issue.path] } as z.core.$ZodRawIssue)
      return data
    })
  }
  return z.pipe(z.transform<unknown, unknown>(convert), z.unknown()) as z.ZodMiniType<T[] | Empty>
}

/**
 * A list of ids without empty entries, which may arrive as a single id or an empty value; `null` if the server omits
 * it.
 */
export const idsOrNull = /* @__PURE__ */ listOf<number, null>(
  'a list of integers',
  (value) => {
    if (isAbsent(value)) return null
    if (isEmptyValue(value)) return []
    const list = toRows(value) ?? (readInteger(value) === undefined ? undefined : [value])
    // A server that received `null` for no channel may list it.
    return list?.filter((id) => !isAbsent(id))
  },
  integer,
)

/** An object with these fields. Other keys are kept unchanged, but are not part of the type. */
export function object<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodMiniObject<Shape, z.core.$strip> {
  return z.looseObject(shape, createMessages('an object')) as unknown as z.ZodMiniObject<Shape, z.core.$strip>
}

/** A nested object. */
export function nested<T>(schema: z.core.$ZodType<T>): z.ZodMiniType<T> {
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
export const list = <T>(schema: z.core.$ZodType<T>): z.ZodMiniType<T[]> => listOf<T>('a list', toRows, nested(schema))

/**
 * Returns the rows of a list, in order; `undefined` if the value is not a list. PHP encodes a list with gaps as an
 * object with number keys.
 */
export function toRows(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value
  return isRecord(value) && Object.keys(value).every((key) => /^\d+$/.test(key)) ? Object.values(value) : undefined
}

/** A field or a nested object that servers may omit: `null`, `""`, `[]` and a missing key become `undefined`. */
export function optional<T>(type: z.core.$ZodType<T>): OptionalField<T> {
  return createOptional(
    (value) => (isAbsent(value) || (Array.isArray(value) && value.length === 0) ? undefined : value),
    type,
  )
}

/** A string, which may be empty; `undefined` if the server omits it or sends `null`. */
export const textIfSent = /* @__PURE__ */ createOptional<string>((value) => value ?? undefined, text)
