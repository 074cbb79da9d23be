import {
  aFunction,
  type Check,
  type Checks,
  checkedElsewhere,
  checkOptions,
  findSimilarName,
  milliseconds,
  positiveInteger,
  string,
} from '../client/checks/checks.ts'
import { ConfigurationError, describe } from '../client/errors.ts'
import { fieldNames, listNames, type SandboxSeed } from './platform/data.ts'
import { deviations, type SandboxDialect } from './platform/dialect.ts'
import { URL } from './platform/globals.ts'
import type { SandboxRateLimit } from './platform/rate-window.ts'

/** Options for {@link createSandbox}; every one has a default. */
export interface SandboxOptions {
  /** The key that the management API asks for. Default `'sandbox-key'`. */
  apiKey?: string | undefined
  /** Address of the management API. Default `https://sho.rt/api`. Short addresses are at its origin. */
  baseUrl?: string | URL | undefined
  /** Address of the app-opener API. Default `https://opener.example`. */
  openerUrl?: string | URL | undefined
  /**
   * The limit of the management API: 30 requests in 60,000 ms unless the object says otherwise. Default `false`: none.
   */
  rateLimit?: SandboxRateLimit | false | undefined
  /**
   * Its behaviour. `'reference'` (default) follows the reference exactly, `'deployed'` has the deviations that are
   * common, and a list of names has those: see `deviations`. If some of them exclude each other, one of them wins.
   */
  dialect?: SandboxDialect | undefined
  /** Initial rows, such as `sampleData()`. Default: none, but an account. */
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

/** Rejects options that do not exist or are invalid, deviations included, and rows with unknown fields. */
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
  assertOptions<object>(seed, { ...each(listNames, rows), account: checkedElsewhere }, 'data')
  assertOptions<object>(seed.account ?? {}, each(fieldNames('account')), 'data', 'account')
  for (const name of listNames) {
    const fields = each(fieldNames(name))
    for (const [index, row] of (seed[name] ?? []).entries())
      assertOptions<object>(row, fields, 'data', name, `${index}`)
  }
}

/** The same check for each of these names. */
const each = (names: readonly string[], check = checkedElsewhere): Checks =>
  Object.fromEntries(names.map((name) => [name, check]))

/**
 * Rejects unknown options and invalid values, because a test with them would pass and test nothing. `at` is where the
 * options stand, such as `data` and `campaigns`.
 *
 * @throws {ConfigurationError} with what was probably meant.
 */
export function assertOptions<Options>(
  options: Options,
  checks: Checks<keyof Options & string>,
  ...at: string[]
): void {
  const issues = checkOptions(options, checks, at)
  if (issues.length > 0) throw new ConfigurationError(describe(issues))
}

export function number(expected: string, isAllowed: (value: number) => boolean): Check<number> {
  return { expected, isValid: (value) => typeof value === 'number' && isAllowed(value) }
}
