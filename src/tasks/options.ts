import { aFunction, type Checks, checkOptions, checkValue } from '../checks/checks.ts'
import type { ShortLinkClient } from '../client.ts'
import { ConfigurationError, describe } from '../errors.ts'
import { isRecord, kind } from '../runtime/text.ts'
import { bulkChecks, isIterable } from './items.ts'
import type { TaskProgress } from './task.ts'

/** What a task needs of a client. */
export type TaskClient = Pick<ShortLinkClient, 'rateLimit' | 'links'>

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

const rows = { expected: 'an iterable of rows, such as an array', fits: isIterable }
const argumentChecks: Checks = {
  client: {
    expected: 'a ShortLinkClient',
    fits: (value) => isRecord(value) && isRecord(value.links),
  },
  rows,
  wanted: rows,
  items: { expected: 'an iterable, such as an array', fits: isIterable },
  worker: aFunction,
}

/** @throws {ConfigurationError} for arguments that do not fit, and options that do not exist or do not fit */
export function checkTask(task: string, given: object, options: unknown, checks: Checks): void {
  const issues = Object.entries(given).flatMap(([name, value]) =>
    checkValue([name], value, argumentChecks[name]!, kind),
  )
  issues.push(...checkOptions(options, checks))
  if (issues.length) throw new ConfigurationError(`${task}: ${describe(issues)}`)
}
