import type { Issue } from '../errors.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { isPlain, isRecord, kind, mismatch, notPlain, type Show, shown } from './expected.ts'
import { isPathSegment } from './segment.ts'

/** What values a parameter or an option may have, in words and as a function. */
export interface Check {
  /** Whether it must be given. Otherwise `undefined` leaves it out, and `null` and `''` clear it. */
  readonly required?: boolean
  readonly expected: string
  readonly fits: (value: unknown) => boolean
  /** Advice about an invalid value, if `expected` is not enough. */
  readonly hint?: (value: unknown, show: Show) => string | undefined
  /** Whether the value must never be shown. */
  readonly secret?: boolean
  /** The values, if only these are valid; kept for code that documents the check. */
  readonly values?: readonly string[]
  /** What an object may hold in place of the value. */
  readonly options?: Checks
  /** Names that other libraries have for it. */
  readonly otherNames?: readonly string[]
}

/** Checks by name. */
export type Checks<Name extends string = string> = Readonly<Record<Name, Check>>

interface RequiredCheck extends Check {
  readonly required: true
}

export interface OptionalCheck extends Check {
  readonly required?: never
}

/** A check for each parameter, a required check for each required parameter. */
type ChecksOf<Params> = {
  readonly [Name in keyof Params]-?: object extends Pick<Params, Name> ? OptionalCheck : RequiredCheck
}

declare const params: unique symbol

/** The checks of the parameters of one type. */
export type ChecksFor<Params> = ChecksOf<Params> & { readonly [params]?: (params: Params) => Params }

/** The checks of parameters. The compiler refuses a parameter without a check, and a check without a parameter. */
export function checks<Params>(checks: ChecksOf<Params>): ChecksFor<Params> {
  return checks
}

/** The check of a parameter that must be given. */
export function required(check: OptionalCheck): RequiredCheck {
  return { ...check, required: true }
}

/** One of these values. */
export function oneOf(values: readonly string[]): OptionalCheck {
  return { expected: `one of ${values.join(', ')}`, values, fits: (value) => values.includes(value as string) }
}

const isString = (value: unknown): value is string => typeof value === 'string'
const matches = (pattern: RegExp) => (value: unknown) => isString(value) && pattern.test(value)

export const string: OptionalCheck = { expected: 'a string', fits: isString }

export const secret: OptionalCheck = { expected: 'a string', fits: isString, secret: true }

export const boolean: OptionalCheck = { expected: 'true or false', fits: (value) => typeof value === 'boolean' }

export const aFunction: OptionalCheck = { expected: 'a function', fits: (value) => typeof value === 'function' }

export const abortSignal: OptionalCheck = {
  expected: 'an AbortSignal',
  fits: (value) => typeof (value as Partial<AbortSignal> | null)?.addEventListener === 'function',
  hint: (value) => (isRecord(value) && 'signal' in value ? 'pass `controller.signal`' : undefined),
}

/** For an option that is checked where it is used, with its own error. */
export const checkedElsewhere: OptionalCheck = { expected: 'anything', fits: () => true }

export const nonEmptyString: OptionalCheck = {
  expected: 'a string that is not empty',
  fits: (value) => isString(value) && value !== '',
}

export const stringOrList: OptionalCheck = {
  expected: 'a string, a list or an object',
  fits: (value) => isString(value) || (typeof value === 'object' && value !== null),
}

export const positiveInteger: OptionalCheck = {
  expected: 'a positive integer',
  fits: (value) => Number.isSafeInteger(value) && (value as number) > 0,
}

/** Strings are allowed, because route parameters are strings. */
export const id: OptionalCheck = {
  expected: 'a positive integer, or the same as a string of digits',
  fits: (value) => positiveInteger.fits(isString(value) && /^[1-9]\d*$/.test(value) ? Number(value) : value),
}

export const count: OptionalCheck = {
  expected: 'a whole number from 0',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
}

/** The longest timer that every runtime supports, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1

export const milliseconds: OptionalCheck = {
  expected: `milliseconds above 0 and up to ${MAX_TIMER}`,
  fits: (value) => typeof value === 'number' && value > 0 && value <= MAX_TIMER,
}

export const hexColor: OptionalCheck = { expected: 'a colour as #RRGGBB', fits: matches(/^#[\da-f]{6}$/i) }

export const rgbColor: OptionalCheck = {
  expected: 'a colour as rgb(R,G,B), each 0 to 255',
  fits: (value) =>
    isString(value) &&
    (/^rgb\( *(\d{1,3}) *, *(\d{1,3}) *, *(\d{1,3}) *\)$/
      .exec(value)
      ?.slice(1)
      .every((part) => Number(part) < 256) ??
      false),
}

export const date: OptionalCheck = {
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

export const httpUrl: OptionalCheck = {
  expected: 'an absolute URL that begins with http:// or https://',
  fits: (value) => matches(/^https?:\/\/[^\s/]/i)(value) && canParseUrl(value as string),
}

export const domainUrl: OptionalCheck = {
  expected: 'a domain with its scheme, such as https://go.example',
  fits: (value) => httpUrl.fits(value) && /^https?:\/\/[^/?#@]+\/?$/i.test(value as string),
}

const readAsPath = (value: unknown) =>
  wellFormedString.fits(value) && value !== '' && !isPathSegment(value as string)
    ? 'a server could read it as a path'
    : undefined

export const filename: OptionalCheck = {
  expected: 'a file name, such as report.pdf',
  fits: (value) => wellFormedString.fits(value) && isPathSegment(value as string),
  hint: readAsPath,
}

/** The last part of a short address. */
export const alias: OptionalCheck = {
  expected: 'a string without slashes or lone surrogates',
  fits: filename.fits,
  hint: readAsPath,
}

/** Whether a text can be encoded: a lone surrogate cannot. */
function isWellFormed(text: string): boolean {
  try {
    encodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** A string that can be encoded. */
export const wellFormedString: OptionalCheck = {
  expected: 'a string without lone surrogates',
  fits: (value) => isString(value) && isWellFormed(value),
}

export const dateTime: OptionalCheck = {
  expected: 'a date and time that exist, as YYYY-MM-DD HH:MM:SS',
  fits: (value) =>
    isString(value) && date.fits(value.slice(0, 10)) && /^.{10} ([01]\d|2[0-3])(:[0-5]\d){2}$/.test(value),
  hint: (value) =>
    value instanceof Date ? 'use the time zone of the server, which the platform does not name' : undefined,
}

/**
 * Problems with the parameters of a call.
 *
 * A parameter without a check is allowed, because servers may have more of them, unless it looks like a misspelling of a
 * missing one, or is an option of the call in the wrong argument (`options` are the names of these).
 */
export function checkParams(
  params: unknown,
  checks: Checks,
  show: Show = shown,
  options: readonly string[] = [],
): Issue[] {
  if (!isPlain(params)) return [{ path: [], message: notPlain('an object of parameters', params ?? null) }]
  const listed = Object.entries(checks).flatMap(([name, check]) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    const isLeftOut = value === undefined || value === null || value === ''
    return isLeftOut && !check.required ? [] : checkValue([name], value, check, show)
  })
  const missing = Object.fromEntries(Object.entries(checks).filter(([name]) => params[name] === undefined))
  const others = Object.keys(params).flatMap((name): Issue[] => {
    if (Object.hasOwn(checks, name) || params[name] === undefined) return []
    if (options.includes(name)) {
      return [{ path: [name], message: IS_AN_OPTION }]
    }
    const meant = meantName(name, missing)
    return meant === undefined ? [] : [{ path: [name], message: `unknown parameter, did you mean ${meant}?` }]
  })
  return [...listed, ...others]
}

/** @internal */
export const IS_AN_OPTION = 'is an option of the call, pass it as the next argument'

/** Problems with options. `undefined` means the default; unknown options are rejected. */
export function checkOptions(
  options: unknown,
  checks: Checks,
  show: Show = shown,
  at: readonly string[] = [],
): Issue[] {
  if (!isPlain(options)) return [{ path: at, message: notPlain('an object of options', options ?? null) }]
  return Object.entries(options).flatMap(([name, value]) => {
    const path = [...at, name]
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (!check) {
      const meant = meantName(name, checks)
      const advice =
        meant === undefined ? `expected one of ${Object.keys(checks).join(', ')}` : `did you mean ${meant}?`
      return [{ path, message: `unknown option, ${advice}` }]
    }
    if (value === undefined) return []
    const inner = isRecord(value) && !check.fits(value) ? check.options : undefined
    return inner ? checkOptions(value, inner, show, path) : checkValue(path, value, check, show)
  })
}

function checkValue(
  path: readonly string[],
  value: unknown,
  { expected, fits, hint, secret }: Check,
  show: Show,
): Issue[] {
  if (fits(value)) return []
  const message = mismatch(expected, value, secret ? kind : show)
  const advice = hint?.(value, show)
  return [{ path, message: advice ? `${message}: ${advice}` : message }]
}

/** The parameter or option that an unknown name was meant to be: a misspelled one, or one that has another name elsewhere. */
function meantName(name: string, checks: Checks): string | undefined {
  const known = Object.keys(checks)
  const isNamedSo = (other: string) => plainName(other) === plainName(name)
  return similarName(name, known) ?? known.find((candidate) => checks[candidate]!.otherNames?.some(isNamedSo))
}

/** The known name that a misspelled name was meant to be: in another style, or with one letter wrong, missing, added or swapped. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name)
  const misspelled = withOneLetterLess(plain)
  return known.find((candidate) => {
    const other = plainName(candidate)
    return other === plain || withOneLetterLess(other).some((text) => misspelled.includes(text))
  })
}

/** A name without its style: `isPublic` and `is_public` are `public`, `redirectRoot` is `redirectroot`. */
const plainName = (name: string): string =>
  name
    .slice(0, 40)
    .replace(/^is(?=[A-Z_-])/, '')
    .replace(/[_-]/g, '')
    .toLowerCase()

/** Short names have none, because `id` and `to` differ by one letter from too many others. */
const withOneLetterLess = (text: string): string[] =>
  text.length < 3 ? [] : [text, ...Array.from(text, (_, at) => text.slice(0, at) + text.slice(at + 1))]
