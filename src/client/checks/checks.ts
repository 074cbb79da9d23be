import type { Issue } from '../errors.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { isPlain, isRecord, kind } from '../runtime/text.ts'
import { formatValue, mismatch, notPlain } from './mismatch.ts'
import { isPathSegment } from './path-segment.ts'

declare const params: unique symbol

/**
 * The valid values of a parameter or an option, in words and as a function. All valid values are of the type `Value`.
 */
export interface Check<Value = unknown> {
  /** True if it must be given. Otherwise `undefined` leaves it out, and `null` and `''` clear it. */
  readonly required?: boolean
  readonly expected: string
  readonly fits: (value: unknown) => boolean
  /** Advice about an invalid value, if `expected` is not enough. */
  readonly hint?: (value: unknown) => string | undefined
  /** Whether the value is an id, or a list of ids. */
  readonly isId?: boolean
  /** True if the value must never be shown. */
  readonly secret?: boolean
  /** The pattern of the valid values, if they are strings that have one. */
  readonly pattern?: RegExp
  /** The valid values, if they are listed. */
  readonly values?: readonly unknown[]
  /** The checks of the fields of each object, if the value is a list of objects. */
  readonly items?: Checks
  /** The checks of an object that may be given in place of the value. */
  readonly options?: Checks
  /** Names that other libraries have for it. */
  readonly otherNames?: readonly string[]
  /** For the compiler alone: never set. */
  readonly accepted?: Value
}

/** Checks by name. */
export type Checks<Name extends string = string> = Readonly<Record<Name, Check>>

/** The checks of the parameters of one type. */
export type ChecksFor<Params> = Checks<keyof Params & string> & { readonly [params]?: (params: Params) => Params }

type RequiredNames<Params> = {
  [Name in keyof Params]-?: object extends Pick<Params, Name> ? never : Name
}[keyof Params]

type ChecksOf<Params, Names extends keyof Params> = {
  readonly [Name in Names]-?: Check<NonNullable<Params[Name]>>
}

/**
 * The checks of parameters, those that must be given first. The compiler refuses a parameter without a check, a check
 * without a parameter, and one that accepts values of another type.
 */
export function checks<Params>(
  required: ChecksOf<Params, RequiredNames<Params>>,
  optional: ChecksOf<Params, Exclude<keyof Params, RequiredNames<Params>>>,
): ChecksFor<Params> {
  const marked = Object.entries<Check>(required).map(([name, check]) => [name, { ...check, required: true }])
  return { ...Object.fromEntries(marked), ...optional }
}

/** One of these values. */
export function oneOf<const Value extends string>(values: readonly Value[]): Check<Value> {
  return {
    expected: `one of ${values.join(', ')}`,
    fits: (value) => values.includes(value as Value),
    values,
  }
}

/** A string of this pattern that passes `isValid`. */
const matching = (expected: string, pattern: RegExp, isValid = (_: string) => true): Check<string> => ({
  expected,
  fits: (value) => isString(value) && pattern.test(value) && isValid(value),
  pattern,
})

const isString = (value: unknown): value is string => typeof value === 'string'

export const string: Check<string> = { expected: 'a string', fits: isString }

export const secret: Check<string> = { ...string, secret: true }

export const boolean: Check<boolean> = {
  expected: 'true or false',
  fits: (value) => typeof value === 'boolean',
}

export const aFunction: Check = { expected: 'a function', fits: (value) => typeof value === 'function' }

export const abortSignal: Check<AbortSignal> = {
  expected: 'an AbortSignal',
  fits: (value) => typeof (value as Partial<AbortSignal> | null)?.addEventListener === 'function',
}

/** For an option that is checked where it is used, with its own error. */
export const checkedElsewhere: Check = { expected: 'anything', fits: () => true }

export const nonEmptyString: Check<string> = {
  expected: 'a string that is not empty',
  fits: (value) => isString(value) && value !== '',
}

export const positiveInteger: Check<number> = {
  expected: 'a positive integer',
  fits: (value) => Number.isSafeInteger(value) && (value as number) > 0,
}

/** The strings that are ids. */
export const digits = /^[1-9]\d*$/

/** Strings are allowed, because route parameters are strings. */
export const id: Check<number | string> = {
  expected: 'a positive integer, or the same as a string of digits',
  fits: (value) => positiveInteger.fits(isString(value) && digits.test(value) ? Number(value) : value),
  isId: true,
}

export const count: Check<number> = {
  expected: 'a whole number from 0',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
}

/** The longest timer that every runtime supports, in milliseconds. */
export const MAX_TIMER = 2 ** 31 - 1

export const milliseconds: Check<number> = {
  expected: `milliseconds above 0 and up to ${MAX_TIMER}`,
  fits: (value) => typeof value === 'number' && value > 0 && value <= MAX_TIMER,
}

export const hexColor = /* @__PURE__ */ matching('a colour as #RRGGBB or #RGB', /^#([\dA-Fa-f]{3}){1,2}$/)

export const rgbColor = /* @__PURE__ */ matching(
  'a colour as rgb(R,G,B), each 0 to 255',
  /^rgb\( *(25[0-5]|2[0-4]\d|[01]?\d?\d)( *, *(25[0-5]|2[0-4]\d|[01]?\d?\d)){2} *\)$/,
)

/** V8 reads 2026-02-30 as 2 March, other engines as an invalid date, which is `null` in JSON. */
const isDay = (text: string): boolean => new Date(`${text}T00:00Z`).toJSON()?.startsWith(text) ?? false

export const date = /* @__PURE__ */ matching(
  'a date that exists, as YYYY-MM-DD',
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  isDay,
)

export const dateTime = /* @__PURE__ */ matching(
  'a date and time that exist, as YYYY-MM-DD HH:MM:SS',
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
  (text) => isDay(text.slice(0, 10)),
)

/** Of any realm. */
const isUrlObject = (value: unknown): value is URL => Object.prototype.toString.call(value) === '[object URL]'

/** A URL as a string or as a `URL`, which JSON makes a string of. */
const orUrlObject = (check: Check<string>): Check<string | URL> => ({
  ...check,
  fits: (value) => check.fits(isUrlObject(value) ? value.href : value),
})

export const httpUrl = /* @__PURE__ */ orUrlObject(
  /* @__PURE__ */ matching(
    'an absolute URL that begins with http:// or https://',
    // `new URL` drops line breaks and tabs, so two addresses in one cell would become one.
    /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/][^\0-\x1F\x7F]*$/,
    canParseUrl,
  ),
)

/** Returns whether a text has a character that nobody sees, as a paste brings them. */
function hasInvisible(text: string): boolean {
  // Some scripts and emoji need a joiner between two characters.
  const plain = text.replace(/([^\0-\x7F])[\u200C\u200D](?=[^\0-\x7F])/g, '$1')
  return /[\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/.test(plain)
}

/** Returns whether an address has a scheme that may be stored: `shop.example:8080` is a host with a port. */
function hasScheme(url: string): boolean {
  const [, name = '', rest = ''] = /^([^:]+):(.*)$/s.exec(url) ?? []
  const isHost = (name.includes('.') || name === 'localhost') && /^\d+([/?#]|$)/.test(rest)
  const isScript = /^(javascript|data|vbscript)$/i.test(name)
  return (
    !isHost &&
    !isScript &&
    !hasInvisible(url) &&
    !/\shttps?:/i.test(url) &&
    (!/^https?$/i.test(name) || httpUrl.fits(url))
  )
}

export const anyUrl = /* @__PURE__ */ orUrlObject(
  /* @__PURE__ */ matching(
    'an absolute URL with its scheme, such as https://shop.example or myapp://open',
    /^[A-Za-z][A-Za-z\d+.-]*:[^\s][^\0-\x1F\x7F]*$/,
    hasScheme,
  ),
)

export const domainUrl = /* @__PURE__ */ matching(
  'a domain with its scheme, such as https://go.example',
  /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^/?#@\s]+\/?$/,
  canParseUrl,
)

/** A string that can be encoded: a lone surrogate cannot. */
const isWellFormed = (value: unknown): value is string => {
  try {
    return isString(value) && encodeURIComponent(value) !== undefined
  } catch {
    return false
  }
}

const isSegment = (value: unknown): boolean => isWellFormed(value) && !hasInvisible(value) && isPathSegment(value)

export const filename: Check<string> = {
  expected: 'a file name, such as report.pdf',
  fits: isSegment,
  hint: (value) => {
    if (!isWellFormed(value) || value === '') return undefined
    return hasInvisible(value) ? 'it has an invisible character' : 'a server could read it as a path'
  },
}

/** The last part of a short address. */
export const alias: Check<string> = {
  ...filename,
  expected: 'an alias, such as opening',
  hint: (value) => (String(value).includes('/') ? 'an alias cannot contain /' : filename.hint?.(value)),
  pattern: /^[^/\\]+$/,
}

/**
 * Problems with the parameters of a call.
 *
 * A parameter without a check is allowed, because servers may have more of them, unless it looks like a misspelling of
 * a missing one, or is an option of the call in the wrong argument (`options` are the names of these).
 */
export function checkParams(params: unknown, checks: Checks, options: readonly string[] = []): Issue[] {
  if (!isPlain(params)) return [{ path: [], message: notPlain('an object of parameters', params ?? null) }]
  const listed = Object.entries(checks).flatMap(([name, check]) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    const isLeftOut = value === undefined || value === null || value === ''
    return isLeftOut && !check.required ? [] : checkValue([name], value, check)
  })
  const missing = Object.fromEntries(Object.entries(checks).filter(([name]) => params[name] === undefined))
  const others = Object.keys(params).flatMap((name): Issue[] => {
    if (Object.hasOwn(checks, name) || params[name] === undefined) return []
    if (options.includes(name))
      return [{ path: [name], message: 'is an option of the call, pass it as the next argument' }]
    const meant = meantName(name, missing)
    return meant === undefined ? [] : [{ path: [name], message: `unknown parameter, did you mean ${meant}?` }]
  })
  return [...listed, ...others]
}

/** Problems with options. `undefined` means the default; unknown options are rejected. */
export function checkOptions(options: unknown, checks: Checks, at: readonly string[] = []): Issue[] {
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
    return inner ? checkOptions(value, inner, path) : checkValue(path, value, check)
  })
}

/** Problems with one value, which must be given. */
export function checkValue(path: readonly string[], value: unknown, { expected, fits, hint, secret }: Check): Issue[] {
  if (fits(value)) return []
  const message = mismatch(expected, value, secret ? kind : formatValue)
  const advice = hint?.(value)
  return [{ path, message: advice ? `${message}: ${advice}` : message }]
}

/**
 * The parameter or option that an unknown name was meant to be: a misspelled one, or one that has another name
 * elsewhere.
 */
function meantName(name: string, checks: Checks): string | undefined {
  const known = Object.keys(checks)
  const isNamedSo = (other: string) => plainName(other) === plainName(name)
  return similarName(name, known) ?? known.find((candidate) => checks[candidate]!.otherNames?.some(isNamedSo))
}

/**
 * Returns the known name that a misspelled name was meant to be: in another style, with letters exchanged, or with one
 * letter wrong, missing or added.
 */
export function similarName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name)
  return (
    known.find((candidate) => plainName(candidate) === plain) ??
    known.find((candidate) => isSlipOf(plainName(candidate), plain))
  )
}

/** A name without its style: `isPublic` and `is_public` are `public`, `redirectRoot` is `redirectroot`. */
const plainName = (name: string): string =>
  name
    .slice(0, 40)
    .replace(/^is(?=[A-Z_-])/, '')
    .replace(/[_-]/g, '')
    .toLowerCase()

function isSlipOf(known: string, name: string): boolean {
  // A number is no slip: `status2` is not `status`. `id` and `to` differ by one letter from too many others.
  const isNumbered = name.replace(/\D/g, '') !== known.replace(/\D/g, '')
  if (isNumbered || Math.min(name.length, known.length) < 3) return false
  const sorted = (text: string) => [...text].sort().join('')
  const shorter = withOneLetterLess(known)
  return sorted(name) === sorted(known) || withOneLetterLess(name).some((text) => shorter.includes(text))
}

const withOneLetterLess = (text: string): string[] => [
  text,
  ...Array.from(text, (_, at) => text.slice(0, at) + text.slice(at + 1)),
]
