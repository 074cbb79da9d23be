import type { Issue } from '../errors.ts'
import { isRecord, kind, shown } from './expected.ts'

/** What a parameter may be, in words and as a test. @see reference, “Endpoints” */
export interface Check {
  readonly expected: string
  readonly fits: (value: unknown) => boolean
}

/** The checks of parameters by name; a list stands for one of its values. What is not listed passes as it is. */
export type Checks = Readonly<Record<string, Check | readonly string[]>>

const isString = (value: unknown): value is string => typeof value === 'string'
const matches = (pattern: RegExp) => (value: unknown) => isString(value) && pattern.test(value)

export const string: Check = { expected: 'a string', fits: isString }
export const boolean: Check = { expected: 'true or false', fits: (value) => typeof value === 'boolean' }
export const stringOrList: Check = {
  expected: 'a string, a list or an object',
  fits: (value) => isString(value) || (typeof value === 'object' && value !== null),
}
export const positiveInteger: Check = {
  expected: 'a positive integer',
  fits: (value) => Number.isSafeInteger(value) && (value as number) > 0,
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
    if (!isString(value) || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
    const time = Date.parse(`${value}T00:00:00Z`)
    // V8 reads 2026-02-30 as 2 March.
    return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
  },
}
export const httpUrl: Check = {
  expected: 'an absolute URL that begins with http:// or https://',
  fits: (value) => matches(/^https?:\/\/[^\s/]/i)(value) && URL.canParse(value as string),
}
export const domain: Check = {
  expected: 'a domain with its scheme, such as https://go.example',
  fits: (value) => httpUrl.fits(value) && /^https?:\/\/[^/?#@]+\/?$/i.test(value as string),
}
export const filename: Check = {
  expected: 'a file name with its extension, such as report.pdf',
  // A path segment of one or two dots is resolved away before it is sent; half a surrogate pair cannot be sent at all.
  fits: (value) => isString(value) && !/^\.{0,2}$/.test(value) && !/\p{Surrogate}/u.test(value),
}

/** What of these parameters does not fit. `null` and `''` clear a parameter that need not be there, so they pass. */
export function check(params: unknown, checks: Checks, required: readonly string[] = []): Issue[] {
  if (!isRecord(params)) return [{ path: [], message: `expected an object of parameters, received ${kind(params)}` }]
  const issues: Issue[] = []
  for (const [name, check] of Object.entries(checks)) {
    const value = params[name]
    const { expected, fits } = 'fits' in check ? check : oneOf(check)
    const passes = !required.includes(name) && (value === undefined || value === null || value === '')
    if (passes || fits(value)) continue
    const received = name === 'password' ? kind(value) : shown(value)
    const message =
      value === undefined ? `is missing, expected ${expected}` : `expected ${expected}, received ${received}`
    issues.push({ path: [name], message })
  }
  return issues
}

const oneOf = (values: readonly string[]): Check => ({
  expected: `one of ${values.join(', ')}`,
  fits: (value) => values.includes(value as string),
})
