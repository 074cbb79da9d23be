import {
  aFunction,
  type Check,
  type Checks,
  checkedElsewhere,
  checkOptions,
  milliseconds,
  positiveInteger,
  string,
} from '../client/checks/checks.ts'
import { ConfigurationError, formatIssues } from '../client/errors.ts'
import { findSimilarName } from '../client/runtime/similar-name.ts'
import { listFields, listNames, type SandboxSeed } from './platform/data.ts'
import { deviations, type SandboxDialect } from './platform/dialect.ts'
import { URL } from './platform/globals.ts'
import type { SandboxRateLimit } from './platform/rate-window.ts'

/** Options for {@link createSandbox}. All have defaults. */
export interface SandboxOptions {
  /** The key that the management API requires. Default `'sandbox-key'`. */
  apiKey?: string | undefined
  /** The address of the management API. Default `https://sho.rt/api`. Short addresses are at its origin. */
  baseUrl?: string | URL | undefined
  /** The address of the app-opener API. Default `https://opener.example`. */
  openerUrl?: string | URL | undefined
  /** The rate limit of the management API. `{}` means 30 requests in 60,000 ms. Default `false`: no limit. */
  rateLimit?: SandboxRateLimit | false | undefined
  /**
   * The behavior of the platform. `'reference'` (default) follows the reference exactly, `'deployed'` has the common
   * deviations, and a list has the deviations that it names: see `deviations`. If some exclude each other, one wins.
   */
  dialect?: SandboxDialect | undefined
  /** Initial rows, such as `sampleData()`. Default: only an account. */
  data?: SandboxSeed | undefined
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  now?: (() => number) | undefined
}

const windowChecks: Checks<keyof SandboxRateLimit> = {
  requests: positiveInteger,
  interval: milliseconds,
}

const address = {
  expected: 'an absolute URL such as https://sho.rt/api',
  isValid: (value: unknown) => URL.canParse(String(value)),
}

const sandboxChecks: Checks<keyof SandboxOptions> = {
  apiKey: string,
  baseUrl: address,
  openerUrl: address,
  rateLimit: {
    expected: '{ requests, interval } or false',
    isValid: (value) => value === false,
    hint: (value) => (typeof value === 'number' ? `did you mean { requests: ${value} }?` : undefined),
    options: windowChecks,
  },
  dialect: {
    expected: "'reference', 'deployed' or a list of deviations",
    isValid: (value) => value === 'reference' || value === 'deployed' || Array.isArray(value),
  },
  data: checkedElsewhere,
  now: aFunction,
}

/** Rejects unknown or invalid options, unknown deviations, and rows with unknown fields. */
export function checkSandboxOptions(options: SandboxOptions): void {
  assertOptions(options, sandboxChecks)
  const { dialect, data = {} } = options
  if (Array.isArray(dialect)) for (const name of dialect) checkDeviation(name)
  checkSeed(data)
}

function checkDeviation(name: string): void {
  if (Object.hasOwn(deviations, name)) return
  const meant = findSimilarName(name, [...Object.keys(deviations), 'reference', 'deployed'])
  const all = '`deviations` of shortlink-sdk/testing lists them all'
  const hint = meant === undefined ? all : `did you mean ${meant}?`
  throw new ConfigurationError(`dialect: there is no deviation '${name}', ${hint}`)
}

function checkSeed(seed: SandboxSeed): void {
  const rows: Check = { expected: 'a list of rows', isValid: Array.isArray }
  assertOptions<object>(seed, { ...repeatCheck(listNames, rows), account: checkedElsewhere }, 'data')
  assertOptions<object>(seed.account ?? {}, repeatCheck(listFields('account')), 'data', 'account')
  for (const name of listNames) {
    const fields = repeatCheck(listFields(name))
    for (const [index, row] of (seed[name] ?? []).entries())
      assertOptions<object>(row, fields, 'data', name, `${index}`)
  }
}

const repeatCheck = (names: readonly string[], check = checkedElsewhere): Checks =>
  Object.fromEntries(names.map((name) => [name, check]))

/**
 * Rejects unknown options and invalid values, because a test with them would pass without testing anything. `at`: the
 * path of the options, such as `data` and `campaigns`.
 *
 * @throws {ConfigurationError} with a suggestion.
 */
export function assertOptions<Options>(
  options: Options,
  checks: Checks<keyof Options & string>,
  ...at: string[]
): void {
  const issues = checkOptions(options, checks, at)
  if (issues.length > 0) throw new ConfigurationError(formatIssues(issues))
}

export function createNumberCheck(expected: string, isAllowed: (value: number) => boolean): Check<number> {
  return { expected, isValid: (value) => typeof value === 'number' && isAllowed(value) }
}
