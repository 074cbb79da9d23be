import { ConfigurationError, formatIssues, type IssueInput } from '../errors.ts'
import { readVariable } from '../runtime/environment.ts'
import type { Redact } from '../secrets.ts'
import { type Check, checkValue } from './checks.ts'

/** Reads an environment variable. @throws {ConfigurationError} if its value is invalid */
export function readCheckedVariable<T extends string = string>(
  name: string,
  check: Check,
  redact: Redact,
): T | undefined {
  const value = readVariable(name) as T | undefined
  if (value !== undefined) throwIfInvalid(checkValue([name], value, check), redact)
  return value
}

/** @throws {ConfigurationError} if there are issues */
export function throwIfInvalid(issues: readonly IssueInput[], redact: Redact): void {
  if (issues.length) throw new ConfigurationError(formatIssues(issues, redact), { redact })
}
