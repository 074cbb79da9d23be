import {
  abortSignal,
  aFunction,
  boolean,
  type Checks,
  checkOptions,
  checkValue,
  count,
  oneOf,
  positiveInteger,
  string,
} from '../client/checks/checks.ts'
import type { ShortLinkClient } from '../client/client.ts'
import { ConfigurationError, describe } from '../client/errors.ts'
import { API, type Api, isClient } from '../client/http/api.ts'
import { asyncIterator } from '../client/runtime/environment.ts'
import type { TaskProgress } from './task.ts'

/** The client of a task: a `ShortLinkClient`, of either format of the package. */
export type TaskClient = Pick<ShortLinkClient, 'rateLimit' | 'links'>

/** Options of every task. */
export interface TaskOptions {
  /** Ends the task: calls in flight see the abort, their results still come, then it rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Called after each row that was worked on, and by `syncLinks` for each page of links that it reads. Errors it throws are ignored. */
  onProgress?: ((progress: TaskProgress) => void) | undefined
}

/** Strings are iterable too, but passing one is surely a mistake. */
function isIterable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { [Symbol.iterator]: sync, [asyncIterator]: async } = value as Record<symbol, unknown>
  return isFunction(sync) || isFunction(async)
}

function isJournal(value: unknown): boolean {
  const { open, read, write, close } = Object(value) as Record<string, unknown>
  const isOptional = (method: unknown) => method === undefined || isFunction(method)
  return isFunction(read) && isFunction(write) && isOptional(open) && isOptional(close)
}

const isFunction = aFunction.fits

const rows = { expected: 'an iterable of rows, such as an array', fits: isIterable }

/** The checks of all arguments of tasks, and of their options. */
const argumentChecks = {
  client: { expected: 'a ShortLinkClient', fits: isClient },
  rows,
  wanted: rows,
  previous: rows,
  items: { expected: 'an iterable, such as an array', fits: isIterable },
  worker: aFunction,
  signal: abortSignal,
  onProgress: aFunction,
  onPlan: aFunction,
  concurrency: positiveInteger,
  total: count,
  journal: { expected: 'a journal, such as fileJournal(path)', fits: isJournal },
  key: aFunction,
  onUnknown: oneOf(['report', 'retry']),
  onTaken: { expected: 'suffix', fits: (value: unknown) => value === 'suffix' },
  replay: boolean,
  reuse: boolean,
  apply: boolean,
  prune: string,
  maxDeletes: count,
} satisfies Checks

/** The name of an option of a task. */
export type OptionName = keyof typeof argumentChecks

/** @throws {ConfigurationError} for arguments that are invalid, and options that are invalid or do not exist */
export function checkTask(
  task: string,
  given: { readonly [Name in OptionName]?: unknown },
  options: unknown,
  names: readonly OptionName[],
): void {
  // A text may be a whole file.
  const issues = Object.entries(given).flatMap(([name, value]) =>
    checkValue([name], value, { ...argumentChecks[name as OptionName], secret: true }),
  )
  issues.push(...checkOptions(options, Object.fromEntries(names.map((name) => [name, argumentChecks[name]]))))
  if (issues.length) throw new ConfigurationError(`${task}: ${describe(issues)}`)
}

/**
 * The calls of a client for a task: they stand behind others, wait out a 429, need whole lists, and have no deadline. Call it
 * where the user calls the task, because that line is the one of their errors.
 */
export function apiOf(client: TaskClient): Api {
  const { [API]: api } = client as ShortLinkClient
  return api.forOperation({}).inContext({ task: {}, isStrict: true, endsAt: Number.POSITIVE_INFINITY })
}
