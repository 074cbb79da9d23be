import { type Check, type Checks, checkOptions } from '../checks/checks.ts'
import { ConfigurationError, describe } from '../errors.ts'

/**
 * Rejects unknown options and invalid values, because a test with them would pass and test nothing. `at` is where the
 * options stand, such as `data` and `campaigns`.
 *
 * @throws {ConfigurationError} with what was probably meant.
 */
export function throwIfInvalid<Options>(
  options: Options,
  checks: Checks<keyof Options & string>,
  ...at: string[]
): void {
  const issues = checkOptions(options, checks, undefined, at)
  if (issues.length > 0) throw new ConfigurationError(describe(issues))
}

export function number(expected: string, fits: (value: number) => boolean): Check<number> {
  return { expected, fits: (value) => typeof value === 'number' && fits(value) }
}
