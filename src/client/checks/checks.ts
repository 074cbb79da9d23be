import type { IssueCode, IssueInput } from '../errors.ts'
import { canParseUrl } from '../runtime/environment.ts'
import { findSimilarName, normalizeName } from '../runtime/similar-name.ts'
import { describeType, isPlain, isRecord } from '../runtime/text.ts'
import { describeMismatch, formatValue } from './mismatch.ts'
import { isPathSegment } from './path-segment.ts'

declare const params: unique symbol

/**
 * A check of a parameter or an option: the valid values as text and as a function. All of them have the type `Value`.
 */
export interface Check<Value = unknown> {
  /** Whether a value is required. Otherwise `undefined` leaves it out, and `null` and `''` clear it. */
  readonly required?: boolean
  readonly expected: string
  readonly isValid: (value: unknown) => boolean
  /** Returns advice about an invalid value, if `expected` is not enough. */
  readonly hint?: (value: unknown) => string | undefined
  /** Returns the code of an invalid value. Default: `not_allowed` if the valid values are listed, else `invalid`. */
  readonly code?: (value: unknown) => IssueCode
  /** Whether messages must not show the value. */
  readonly secret?: boolean
  /** The pattern of valid strings, for the OpenAPI document. */
  readonly pattern?: RegExp
  /** The valid values, if they are listed. */
  readonly values?: readonly unknown[]
  /** The checks of the fields of each object, if the value is a list of objects. */
  readonly items?: Checks
  /** The checks of an object that may be given in place of the value. */
  readonly options?: Checks
  /** The names of this parameter in other libraries. */
  readonly otherNames?: readonly string[]
  /** For the compiler only: never set. */
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
 * Defines the checks of required and optional parameters. The compiler rejects a parameter without a check, a check
 * without a parameter, and a check that accepts values of another type.
 */
export function defineChecks<Params>(
  required: ChecksOf<Params, RequiredNames<Params>>,
  optional: ChecksOf<Params, Exclude<keyof Params, RequiredNames<Params>>>,
): ChecksFor<Params> {
  const marked = Object.entries<Check>(required).map(([name, check]) => [name, { ...check, required: true }])
  return { ...Object.fromEntries(marked), ...optional }
}

export function oneOf<const Value extends string>(values: readonly Value[]): Check<Value> {
  return {
    expected: `one of ${values.join(', ')}`,
    isValid: (value) => values.includes(value as Value),
    values,
  }
}

/** Creates a check for strings that match the pattern and pass `isAllowed`. */
const matching = (expected: string, pattern: RegExp, isAllowed = (_: string) => true): Check<string> => ({
  expected,
  isValid: (value) => isString(value) && pattern.test(value) && isAllowed(value),
  pattern,
})

const isString = (value: unknown): value is string => typeof value === 'string'

export const string: Check<string> = { expected: 'a string', isValid: isString }

export const secret: Check<string> = { ...string, secret: true }

export const boolean: Check<boolean> = {
  expected: 'true or false',
  isValid: (value) => typeof value === 'boolean',
}

export const aFunction: Check = { expected: 'a function', isValid: (value) => typeof value === 'function' }

export const abortSignal: Check<AbortSignal> = {
  expected: 'an AbortSignal',
  isValid: (value) => typeof (value as Partial<AbortSignal> | null)?.addEventListener === 'function',
}

/** For options that are checked where they are used, with their own errors. */
export const checkedElsewhere: Check = { expected: 'anything', isValid: () => true }

export const nonEmptyString: Check<string> = {
  expected: 'a string that is not empty',
  isValid: (value) => isString(value) && value !== '',
}

export const positiveInteger: Check<number> = {
  expected: 'a positive integer',
  isValid: (value) => Number.isSafeInteger(value) && (value as number) > 0,
}

/** Strings that are ids. */
export const digits = /^[1-9]\d*$/

/** Strings are allowed, because route parameters are strings. */
export const id: Check<number | string> = {
  expected: 'a positive integer, or the same as a string of digits',
  isValid: (value) => positiveInteger.isValid(isString(value) && digits.test(value) ? Number(value) : value),
}

export const ids: Check<readonly (number | string)[]> = {
  expected: 'a list of ids',
  isValid: (value) => Array.isArray(value) && value.every(id.isValid),
}

export const count: Check<number> = {
  expected: 'a whole number from 0',
  isValid: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
}

/** The longest timer that every runtime supports, in milliseconds. */
export const MAX_TIMER = 2 ** 31 - 1

export const milliseconds: Check<number> = {
  expected: `milliseconds above 0 and up to ${MAX_TIMER}`,
  isValid: (value) => typeof value === 'number' && value > 0 && value <= MAX_TIMER,
  code: (value) => (typeof value !== 'number' ? 'invalid' : value > MAX_TIMER ? 'too_long' : 'too_short'),
}

export const hexColor = /* @__PURE__ */ matching('a color as #RRGGBB or #RGB', /^#([\dA-Fa-f]{3}){1,2}$/)

export const rgbColor = /* @__PURE__ */ matching(
  'a color as rgb(R,G,B), each 0 to 255',
  /^rgb\( *(25[0-5]|2[0-4]\d|[01]?\d?\d)( *, *(25[0-5]|2[0-4]\d|[01]?\d?\d)){2} *\)$/,
)

/** Compares the result, because V8 parses 2026-02-30 as March 2. Other engines give an invalid date, `null` in JSON. */
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

/** Not `instanceof`, because a URL may come from another realm. */
const isUrlObject = (value: unknown): value is URL => Object.prototype.toString.call(value) === '[object URL]'

/** Extends a check of addresses to `URL` objects, which JSON turns into strings. */
const orUrlObject = (check: Check<string>): Check<string | URL> => ({
  ...check,
  isValid: (value) => check.isValid(isUrlObject(value) ? value.href : value),
  hint: (value) => (isString(value) ? describeNowhere(value) : undefined),
})

/** Matches scripts, schemes that only one computer can open, and hosts with a comma or an empty label. */
const nowhere =
  /^([a-z]|javascript|data|vbscript|file|blob|about|view-source):|^https?:\/\/(\.|[^/\\?#]*(,|\.\.)(?![^/\\?#]*@))/i

/** Describes an address that leads nowhere. Returns `undefined` if it may lead somewhere. */
function describeNowhere(url: string): string | undefined {
  // A second scheme counts alone: `https://https://…`, `http://https//…`, `https://www.https://…`.
  const [, , name = '', , rest] = /^(https?:\/\/(?:www\.)?(?=https?:?\/\/))*([\w.+-]*)(:|\/\/)\/*(.+)/is.exec(url) ?? []
  const scheme = findSimilarName(name, ['https', 'http'])
  const meant = `${scheme}://${rest}`
  if (scheme && meant.toLowerCase() !== url.toLowerCase()) return `did you mean ${meant}?`
  return nowhere.test(url) ? 'visitors cannot open it' : undefined
}

export const httpUrl = /* @__PURE__ */ orUrlObject(
  /* @__PURE__ */ matching(
    'an absolute URL that begins with http:// or https://',
    // `new URL` removes line breaks and tabs, so two addresses in one cell would become one.
    /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/][^\0-\x1F\x7F]*$/,
    (url) => canParseUrl(url) && describeNowhere(url) === undefined,
  ),
)

/** Returns whether a text contains an invisible character, as pasted text often does. */
function hasInvisible(text: string): boolean {
  // Some scripts and emoji need a joiner between two non-ASCII characters.
  const plain = text.replace(/([^\0-\x7F])[\u200C\u200D](?=[^\0-\x7F])/g, '$1')
  return /[\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/.test(plain)
}

/** Returns whether an address has a valid scheme. `shop.example:8080` has none: it is a host with a port. */
function hasScheme(url: string): boolean {
  const [, name = '', rest = ''] = /^([^:]+):(.*)$/s.exec(url) ?? []
  const isHost = (name.includes('.') || name === 'localhost') && /^\d+([/?#]|$)/.test(rest)
  return (
    !isHost &&
    describeNowhere(url) === undefined &&
    !hasInvisible(url) &&
    !/\shttps?:/i.test(url) &&
    (!/^https?$/i.test(name) || httpUrl.isValid(url))
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

/** Returns whether a string can be encoded: it has no lone surrogate. */
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
  isValid: isSegment,
  hint: (value) => {
    if (!isWellFormed(value) || value === '') return undefined
    return hasInvisible(value) ? 'it has an invisible character' : 'a server could read it as a path'
  },
}

export const shortAddress: Check<string> = {
  expected: 'a short address or an alias',
  isValid: (value) => isString(value) && value !== '' && !hasInvisible(value),
  hint: (value) => (isString(value) && hasInvisible(value) ? 'it has an invisible character' : undefined),
}

/** The alias of a short address. */
export const alias: Check<string> = {
  ...filename,
  expected: 'an alias, such as opening',
  hint: (value) => (String(value).includes('/') ? 'an alias cannot contain /' : filename.hint?.(value)),
  pattern: /^[^/\\]+$/,
}

/**
 * Checks the parameters of a call.
 *
 * A parameter without a check is allowed, because servers may have more parameters. It is rejected if it looks like a
 * misspelling of a missing one, or is an option of the call in the wrong argument (`options` are their names).
 */
export function checkParams(params: unknown, checks: Checks, options: readonly string[] = []): IssueInput[] {
  if (!isPlain(params)) return [{ path: [], message: describeMismatch('an object of parameters', params ?? null) }]
  const listed = Object.entries(checks).flatMap(([name, check]) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    const isLeftOut = value === undefined || value === null || value === ''
    return isLeftOut && !check.required ? [] : checkValue([name], value, check)
  })
  const missing = Object.fromEntries(Object.entries(checks).filter(([name]) => params[name] === undefined))
  const others = Object.keys(params).flatMap((name): IssueInput[] => {
    if (Object.hasOwn(checks, name) || params[name] === undefined) return []
    if (options.includes(name))
      return [{ path: [name], message: 'is an option of the call, pass it as the next argument', code: 'not_allowed' }]
    const meant = findMeantName(name, missing)
    return meant === undefined
      ? []
      : [{ path: [name], message: `unknown parameter, did you mean ${meant}?`, code: 'unknown' }]
  })
  return [...listed, ...others]
}

const NO_IDEMPOTENCY_KEY = 'servers have no idempotency keys: see `ensure` and `outcome`'

/** Checks options. `undefined` means the default; unknown options are rejected. */
export function checkOptions(options: unknown, checks: Checks, at: readonly string[] = []): IssueInput[] {
  if (!isPlain(options)) return [{ path: at, message: describeMismatch('an object of options', options ?? null) }]
  return Object.entries(options).flatMap(([name, value]) => {
    const path = [...at, name]
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (!check) {
      const meant = findMeantName(name, checks)
      const advice =
        meant === undefined ? `expected one of ${Object.keys(checks).join(', ')}` : `did you mean ${meant}?`
      const isKey = normalizeName(name) === 'idempotencykey'
      const message = `unknown option, ${isKey ? NO_IDEMPOTENCY_KEY : advice}`
      return [{ path, message, code: 'unknown' }]
    }
    if (value === undefined) return []
    const inner = isRecord(value) && !check.isValid(value) ? check.options : undefined
    return inner ? checkOptions(value, inner, path) : checkValue(path, value, check)
  })
}

/** Checks one required value. */
export function checkValue(
  path: readonly string[],
  value: unknown,
  { expected, isValid, hint, secret, values, code = () => (values ? 'not_allowed' : 'invalid') }: Check,
): IssueInput[] {
  if (isValid(value)) return []
  const message = describeMismatch(expected, value, secret ? describeType : formatValue)
  const advice = hint?.(value)
  const kind = value === undefined || value === '' ? 'missing' : code(value)
  return [{ path, message: advice ? `${message}: ${advice}` : message, code: kind }]
}

/** Returns the parameter or option that an unknown name stands for: it is misspelled, or from another library. */
function findMeantName(name: string, checks: Checks): string | undefined {
  const known = Object.keys(checks)
  const isSameName = (other: string) => normalizeName(other) === normalizeName(name)
  return findSimilarName(name, known) ?? known.find((candidate) => checks[candidate]!.otherNames?.some(isSameName))
}
