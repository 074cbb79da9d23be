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
} from '../../../src/client/checks/checks.ts'
import type { ShortLinkClient } from '../../../src/client/client.ts'
import { ConfigurationError, describe, type RateLimitState } from '../../../src/client/errors.ts'
import { API, type Api, isClient } from '../../../src/client/http/api.ts'
import { asyncIterator } from '../../../src/client/runtime/environment.ts'
import type { Journal, UnknownOutcomeError } from './journal.ts'
import type { TaskProgress } from './task.ts'

/** The client of a task: a `ShortLinkClient`. */
export type TaskClient = Pick<ShortLinkClient, 'rateLimit' | 'links'>

/** Options of every task. */
export interface TaskOptions {
  /**
   * Ends the task: calls in flight see the abort, their results still come, then it rejects with the signal's reason.
   */
  signal?: AbortSignal | undefined
  /**
   * Called after each row that was worked on, and by `syncLinks` for each page of links that it reads. Errors it throws
   * are ignored.
   */
  onProgress?: ((progress: TaskProgress) => void) | undefined
}

/** Options for `bulk`. All are optional. */
export interface BulkOptions<T> {
  /** The number of items to work on at a time. Default 10. */
  concurrency?: number | undefined
  /**
   * Aborts the run: items in progress see the abort and still give results, then the run rejects with an `AbortError`.
   */
  signal?: AbortSignal | undefined
  /** Called after each item. Errors it throws are ignored. */
  onProgress?: ((progress: TaskProgress) => void) | undefined
  /** The number of items, for `total` and `etaMs`. Default: the length of an array, the size of a set or map. */
  total?: number | undefined
  /**
   * Records which items are done, so that an interrupted run resumes when it is started again. `fileJournal(path)` of
   * `shortlink-sdk/node` keeps it in a file. Default: none.
   */
  journal?: Journal | undefined
  /**
   * The name of an item in the journal, such as its id. Required with `journal`; a run in which two items share a name
   * fails. Items may be moved, added and taken out between two runs.
   */
  key?: ((item: T, index: number) => string | number) | undefined
  /**
   * The choice for an item that an earlier run began, and that may have been done: it is unknown how it ended.
   * `report` (default) fails it with {@link UnknownOutcomeError} without calling the worker; `retry` does it again.
   */
  onUnknown?: UnknownDecision | undefined
  /**
   * Keeps the `data` of each item in the journal, and gives the results of earlier runs too, with `replayed: true`.
   * `data` is then converted to JSON: a date becomes a string, `undefined` becomes `null`. Items done without this
   * option are skipped as usual. A resumed run holds all kept data in memory. Default `false`: items that earlier runs
   * have done give no results.
   */
  replay?: boolean | undefined
  /**
   * The client that the worker uses. Items then begin only when its rate limit allows and no other call waits for it,
   * `etaMs` takes the limit into account, and five items in a row without any response end the run.
   */
  client?: { readonly rateLimit: RateLimitState } | undefined
}

/** The options for an item that an earlier run may have done. */
export type UnknownDecision = 'report' | 'retry'

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
 * The calls of a client for a task: they stand behind others, wait out a 429, need whole lists, and have no deadline.
 * Call it where the user calls the task, because that line is the one of their errors.
 */
export function apiOf(client: TaskClient): Api {
  const { [API]: api } = client as ShortLinkClient
  return api.forOperation({}).inContext({ task: {}, endsAt: Number.POSITIVE_INFINITY })
}
