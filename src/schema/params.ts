import type { Issue } from '../errors.ts'
import { isRecord, kind, mismatch, shown } from './expected.ts'
import { isPathSegment } from './segment.ts'

/** What a parameter or an option may be, in words and as a test. */
export interface Check {
  readonly expected: string
  readonly fits: (value: unknown) => boolean
  /** What to do about a value that does not fit, where the words alone do not say it. */
  readonly hint?: (value: unknown) => string | undefined
  /** Whether the value must never be shown. */
  readonly secret?: boolean
  /** What an object may hold in the place of the value. */
  readonly options?: Checks
}

/** Checks by name; a list stands for one of its values. */
export type Checks<Name extends string = string> = Readonly<Record<Name, Check | readonly string[]>>

const isString = (value: unknown): value is string => typeof value === 'string'
const matches = (pattern: RegExp) => (value: unknown) => isString(value) && pattern.test(value)

export const string: Check = { expected: 'a string', fits: isString }

export const secret: Check = { expected: 'a string', fits: isString, secret: true }

export const boolean: Check = { expected: 'true or false', fits: (value) => typeof value === 'boolean' }

export const aFunction: Check = { expected: 'a function', fits: (value) => typeof value === 'function' }

/** An option whose values are checked where it is used, with an error of its own. */
export const checkedElsewhere: Check = { expected: 'anything', fits: () => true }

export const nonEmptyString: Check = {
  expected: 'a string that is not empty',
  fits: (value) => isString(value) && value !== '',
}

export const stringOrList: Check = {
  expected: 'a string, a list or an object',
  fits: (value) => isString(value) || (typeof value === 'object' && value !== null),
}

export const positiveInteger: Check = {
  expected: 'a positive integer',
  fits: (value) => Number.isSafeInteger(value) && (value as number) > 0,
}

/** What a route gives for an id is a string. */
export const id: Check = {
  expected: 'a positive integer, or the same as a string of digits',
  fits: (value) => positiveInteger.fits(isString(value) && /^[1-9]\d*$/.test(value) ? Number(value) : value),
}

export const count: Check = {
  expected: 'a whole number from 0',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
}

/** The longest wait that fits into a timer of every runtime, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1

export const milliseconds: Check = {
  expected: `milliseconds above 0 and up to ${MAX_TIMER}`,
  fits: (value) => typeof value === 'number' && value > 0 && value <= MAX_TIMER,
}

export const hexColor: Check = { expected: 'a colour as #RRGGBB', fits: matches(/^#[\da-f]{6}$/i) }

export const rgbColor: Check = {
  expected: 'a colour as rgb(R,G,B), each 0 to 255',
  fits: (value) =>
    isString(value) &&
    (/^rgb\( *(\d{1,3}) *, *(\d{1,3}) *, *(\d{1,3}) *\)$/
      .exec(value)
      ?.slice(1)
      .every((part) => Number(part) < 256) ??
      false),
}

export const date: Check = {
  expected: 'a date that exists, as YYYY-MM-DD',
  fits: (value) => {
    // ISO 8601 has years of more than four digits too.
    if (!isString(value) || value.length !== 10) return false
    const midnight = `${value}T00:00:00.000Z`
    const time = Date.parse(midnight)
    // V8 reads 2026-02-30 as 2 March.
    return !Number.isNaN(time) && new Date(time).toISOString() === midnight
  },
  hint: (value) => (value instanceof Date ? 'use date.toISOString().slice(0, 10)' : undefined),
}

export const httpUrl: Check = {
  expected: 'an absolute URL that begins with http:// or https://',
  fits: (value) => matches(/^https?:\/\/[^\s/]/i)(value) && URL.canParse(value as string),
}

export const domainUrl: Check = {
  expected: 'a domain with its scheme, such as https://go.example',
  fits: (value) => httpUrl.fits(value) && /^https?:\/\/[^/?#@]+\/?$/i.test(value as string),
}

const readAsPath = (value: unknown) =>
  wellFormedString.fits(value) && value !== '' && !isPathSegment(value as string)
    ? 'a server could read it as a path'
    : undefined

export const filename: Check = {
  expected: 'a file name with its extension, such as report.pdf',
  fits: (value) => wellFormedString.fits(value) && isPathSegment(value as string),
  hint: readAsPath,
}

/** The last part of a short address. */
export const alias: Check = {
  expected: 'a string without slashes and lone surrogates',
  fits: filename.fits,
  hint: readAsPath,
}

/** A string that can be encoded: half a surrogate pair cannot. */
export const wellFormedString: Check = {
  expected: 'a string without lone surrogates',
  fits: (value) => isString(value) && !/\p{Surrogate}/u.test(value),
}

export const dateTime: Check = {
  expected: 'a date and time that exist, as YYYY-MM-DD HH:MM:SS',
  fits: (value) =>
    isString(value) && date.fits(value.slice(0, 10)) && /^.{10} ([01]\d|2[0-3])(:[0-5]\d){2}$/.test(value),
  hint: (value) =>
    value instanceof Date ? 'use the time zone of the server, which the platform does not name' : undefined,
}

/**
 * What does not fit about these parameters. `null` and `''` clear a parameter that is not required, so they pass; so does
 * a parameter without a check, because a deployment may know more of them.
 */
export function checkParams(params: unknown, checks: Checks, required: readonly string[] = []): Issue[] {
  if (!isRecord(params)) return [{ path: [], message: mismatch('an object of parameters', params ?? null) }]
  return Object.entries(checks).flatMap(([name, check]) => {
    const value = params[name]
    const passes = !required.includes(name) && (value === undefined || value === null || value === '')
    return passes ? [] : checkValue([name], value, check)
  })
}

/** What does not fit about these options. `undefined` stands for the default; an option that does not exist is refused. */
export function checkOptions(options: unknown, checks: Checks, at: readonly string[] = []): Issue[] {
  if (!isRecord(options)) return [{ path: at, message: mismatch('an object of options', options ?? null) }]
  return Object.entries(options).flatMap(([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (!check) return [{ path: [...at, name], message: `unknown option${suggestion(name, Object.keys(checks))}` }]
    if (value === undefined) return []
    const options = 'fits' in check && isRecord(value) && !check.fits(value) ? check.options : undefined
    return options ? checkOptions(value, options, [...at, name]) : checkValue([...at, name], value, check)
  })
}

function checkValue(path: readonly string[], value: unknown, check: Check | readonly string[]): Issue[] {
  const { expected, fits, hint, secret } = 'fits' in check ? check : oneOf(check)
  if (fits(value)) return []
  const message = mismatch(expected, value, secret ? kind : shown)
  const advice = hint?.(value)
  return [{ path, message: advice ? `${message}: ${advice}` : message }]
}

const oneOf = (values: readonly string[]): Check => ({
  expected: `one of ${values.join(', ')}`,
  fits: (value) => values.includes(value as string),
})

/** The known name that differs by a letter, or by two that have changed places. */
function suggestion(name: string, known: readonly string[]): string {
  const misspelled = withOneLetterLess(name.slice(0, 40))
  const near = known.find((candidate) => withOneLetterLess(candidate).some((text) => misspelled.includes(text)))
  return near ? `, did you mean ${near}?` : ''
}

const withOneLetterLess = (text: string): string[] => [
  text,
  ...Array.from(text, (_, at) => text.slice(0, at) + text.slice(at + 1)),
]
