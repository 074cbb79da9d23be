import { ConfigurationError, type RateLimitState } from 'shortlink-sdk'
import { asyncIterator } from '../abort.ts'
import { describeIssues, describeMismatch, describeType, findSimilarName, formatValue, isRecord } from '../text.ts'
import type { Journal, UnknownOutcomeError } from './journal.ts'
import type { TaskProgress } from './task.ts'

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
   * `shortlink-cli/node` keeps it in a file. Default: none.
   */
  journal?: Journal | undefined
  /**
   * Returns the name of an item in the journal, such as its id. Required with `journal`; a run in which two items share
   * a name fails. Items may be moved, added and taken out between two runs.
   */
  key?: ((item: T, index: number) => string | number) | undefined
  /**
   * What to do with an item that an earlier run began and whose outcome is unknown. `report` (default) fails it with
   * {@link UnknownOutcomeError} without calling the worker; `retry` does it again.
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
   * `etaMs` takes the limit into account, and five items in a row without any response end the run, as do five refusals
   * with the same words and no success between them.
   */
  client?: { readonly rateLimit: RateLimitState } | undefined
}

/** What to do with an item that an earlier run may have done. */
export type UnknownDecision = 'report' | 'retry'

/** What an argument or option accepts, in words and as a function. */
interface Check {
  readonly expected: string
  readonly isValid: (value: unknown) => boolean
}

const isFunction = (value: unknown) => typeof value === 'function'

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

/** The checks of all arguments of tasks, and of their options. */
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
  dryRun: flagCheck,
  prune: { expected: 'a string', isValid: (value) => typeof value === 'string' },
  maxDeletes: countCheck,
  mayClear: flagCheck,
} satisfies Record<string, Check>

/** The name of an argument or option of a task. */
type ArgumentName = keyof typeof checks

/** @throws {ConfigurationError} for arguments that are invalid, and options that are invalid or do not exist */
export function checkArguments(
  task: string,
  given: { readonly [Name in ArgumentName]?: unknown },
  options: unknown,
  names: readonly ArgumentName[],
): void {
  const issues = Object.entries(given).flatMap(([name, value]) => {
    const { expected, isValid } = checks[name as ArgumentName]
    // A text is not shown, because it may be a whole file.
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
