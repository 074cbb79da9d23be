import { ConfigurationError, type RateLimitState } from 'shortlink-sdk'
import { describeMismatch, formatValue } from '../../../src/client/checks/mismatch.ts'
import { findSimilarName } from '../../../src/client/runtime/similar-name.ts'
import { describeType, isRecord } from '../../../src/client/runtime/text.ts'
import { asyncIterator } from '../abort.ts'
import { describeIssues } from '../text.ts'
import type { Journal, UnknownOutcomeError } from './journal.ts'
import type { TaskProgress } from './task.ts'

/** Options of all tasks. */
export interface TaskOptions {
  /**
   * Ends the task. Calls in flight are aborted and their results are still yielded. Then the task rejects with an
   * `AbortError`, whose `cause` is the reason of the signal.
   */
  signal?: AbortSignal | undefined
  /**
   * Called when a row is done or has failed, and by `syncLinks` also for each page of links that it reads.
   * `reportLinks` calls it only for each page. Errors it throws are ignored.
   */
  onProgress?: ((progress: TaskProgress) => void) | undefined
}

/** Options for `bulk`. All are optional. */
export interface BulkOptions<T> {
  /** How many items to work on at a time. Default: 10. */
  concurrency?: number | undefined
  /**
   * Ends the run. Items in progress see the abort and their results are still yielded. Then the run rejects with an
   * `AbortError`, whose `cause` is the reason of the signal.
   */
  signal?: AbortSignal | undefined
  /** Called when an item is done or has failed. Errors it throws are ignored. */
  onProgress?: ((progress: TaskProgress) => void) | undefined
  /**
   * The number of items, for `total` and `etaMs` of the progress. Default: the length or size of an array, set or map.
   */
  total?: number | undefined
  /**
   * Records which items are done. A run that is started again skips them. `fileJournal(path)` of `shortlink-cli/node`
   * keeps the journal in a file. Default: no journal.
   */
  journal?: Journal | undefined
  /**
   * Returns what identifies an item in the journal, such as its id. Required with `journal`. Items can be added, sorted
   * and removed between two runs. A run in which two items have the same key fails.
   */
  key?: ((item: T, index: number) => string | number) | undefined
  /**
   * What to do with an item that an earlier run began and whose outcome is unknown. `report` fails it with
   * {@link UnknownOutcomeError}, without calling the worker. `retry` calls the worker again. Default: `report`.
   */
  onUnknown?: UnknownDecision | undefined
  /**
   * Stores the `data` of each item in the journal, and yields the results of earlier runs too, with `replayed: true`.
   * Stored data is JSON: a date becomes a string, and `undefined` becomes `null`. A run holds all stored data in
   * memory. Items that were done without this option are skipped. Default: `false`, so items that are done have no
   * result.
   */
  replay?: boolean | undefined
  /**
   * The client that the worker uses. Default: no client. With a client,
   *
   * - items begin only when the rate limit has a free slot and no other call waits for one
   * - `etaMs` takes the rate limit into account
   * - the run ends if five items in a row get no response, or if an item cannot be sent because of the rate limit
   * - the run ends if five items in a row are refused with the same status and message. Refusals that name a field do not
   *   count
   */
  client?: { readonly rateLimit: RateLimitState } | undefined
}

/** What to do with an item that an earlier run began and whose outcome is unknown. */
export type UnknownDecision = 'report' | 'retry'

/** The check of one argument or option. */
interface Check {
  /** A description of valid values, for the message `expected …`. */
  readonly expected: string
  readonly isValid: (value: unknown) => boolean
}

const isFunction = (value: unknown) => typeof value === 'function'

/** Returns whether a value is an iterable object. A string is iterable too, but passing one is a mistake. */
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

const isClient = (value: unknown) => {
  const { links, withOptions } = Object(value) as Record<string, unknown>
  return isFunction(withOptions) && typeof links === 'object'
}

const isSignal = (value: unknown) => isFunction((value as Partial<AbortSignal> | null)?.addEventListener)
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

const functionCheck: Check = { expected: 'a function', isValid: isFunction }
const flagCheck: Check = { expected: 'true or false', isValid: (value) => typeof value === 'boolean' }
const countCheck: Check = { expected: 'a whole number from 0', isValid: isCount }
const rowsCheck: Check = { expected: 'an iterable of rows, such as an array', isValid: isIterable }

/** The checks of the arguments and options of all tasks, by name. */
const checks = {
  client: { expected: 'a ShortLinkClient', isValid: isClient },
  rows: rowsCheck,
  wanted: rowsCheck,
  previous: rowsCheck,
  items: { expected: 'an iterable, such as an array', isValid: isIterable },
  worker: functionCheck,
  signal: { expected: 'an AbortSignal', isValid: isSignal },
  onProgress: functionCheck,
  onPlan: functionCheck,
  prepare: functionCheck,
  concurrency: { expected: 'a positive integer', isValid: (value) => isCount(value) && value !== 0 },
  total: countCheck,
  journal: { expected: 'a journal, such as fileJournal(path)', isValid: isJournal },
  key: functionCheck,
  onUnknown: { expected: 'one of report, retry', isValid: (value) => value === 'report' || value === 'retry' },
  replay: flagCheck,
  apply: flagCheck,
  aliases: flagCheck,
  sameServer: flagCheck,
  dryRun: flagCheck,
  prune: { expected: 'a string', isValid: (value) => typeof value === 'string' },
  maxDeletes: countCheck,
  mayClear: flagCheck,
  acceptStored: flagCheck,
} satisfies Record<string, Check>

type ArgumentName = keyof typeof checks

/** @throws {ConfigurationError} if an argument or option is invalid, or if an option does not exist */
export function checkArguments(
  task: string,
  given: { readonly [Name in ArgumentName]?: unknown },
  options: unknown,
  names: readonly ArgumentName[],
): void {
  const issues = Object.entries(given).flatMap(([name, value]) => {
    const { expected, isValid } = checks[name as ArgumentName]
    // The message has only the type of the value, because a text may be a whole file.
    return isValid(value) ? [] : [{ path: [name], message: describeMismatch(expected, value) }]
  })
  issues.push(...checkOptions(options, names))
  if (issues.length > 0) throw new ConfigurationError(`${task}: ${describeIssues(issues)}`)
}

function checkOptions(options: unknown, names: readonly ArgumentName[]) {
  if (!isRecord(options))
    return [{ path: [], message: describeMismatch('an object of options', options ?? null, describeType) }]
  return Object.entries(options).flatMap(([name, value]) => {
    const known = names.find((other) => other === name)
    if (known === undefined) {
      const suggestion = findSimilarName(name, names)
      const advice = suggestion === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${suggestion}?`
      return [{ path: [name], message: `unknown option, ${advice}` }]
    }
    const { expected, isValid } = checks[known]
    return value === undefined || isValid(value)
      ? []
      : [{ path: [name], message: describeMismatch(expected, value, formatValue) }]
  })
}
