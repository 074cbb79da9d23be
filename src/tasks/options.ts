import { ConfigurationError, describe } from '../errors.ts'
import { type Checks, checkOptions } from '../schema/checks.ts'
import { mismatch } from '../schema/expected.ts'
import { bulkChecks, isIterable } from './items.ts'
import type { TaskProgress } from './task.ts'

/** Options of every task. */
export interface TaskOptions {
  /** Ends the task: calls in flight see the abort, their results still come, then it rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Called after each row that was worked on, and by `syncLinks` for each page of links that it reads. Errors it throws are ignored. */
  onProgress?: ((progress: TaskProgress) => void) | undefined
}

const { signal, onProgress } = bulkChecks
/** @internal */
export const taskChecks = { signal, onProgress } satisfies Checks<keyof TaskOptions>

/** @throws {ConfigurationError} for options that do not exist, or do not fit */
export function checkTaskOptions(task: string, options: unknown, checks: Checks): void {
  const issues = checkOptions(options, checks)
  if (issues.length) throw new ConfigurationError(`${task}: ${describe(issues)}`)
}

/** @throws {ConfigurationError} for anything else than an iterable of rows */
export function checkRows(task: string, name: string, rows: unknown): void {
  if (isIterable(rows)) return
  throw new ConfigurationError(`${task}: ${name}: ${mismatch('an iterable of rows, such as an array', rows)}`)
}
