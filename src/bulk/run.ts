import { ConfigurationError, isShortLinkError, type Outcome, type RateLimitState } from '../errors.ts'
import { sleep } from '../runtime/deadline.ts'
import { notify } from '../runtime/notify.ts'
import { onAbort } from '../runtime/on-abort.ts'
import { kind } from '../schema/expected.ts'
import { createHandover } from './channel.ts'
import { createEstimate } from './estimate.ts'
import { fingerprint, type Journal, type Memory, recall } from './journal.ts'

export type { Outcome, RateLimitState } from '../errors.ts'
export type { Journal, JournalEntry } from './journal.ts'

/** Options of {@link bulk}; every one has a default. */
export interface BulkOptions<T> {
  /** Items in work at a time. Default 10. */
  concurrency?: number
  /** Ends the run: the items in work hear of it and give their results, then the run rejects with the signal's reason. */
  signal?: AbortSignal
  /** Told after each item. It cannot break the run by throwing. */
  onProgress?: (progress: BulkProgress) => void
  /** How many items there are, for `total` and `etaMs`. Default: the length of an array, the size of a set. */
  total?: number
  /**
   * Remembers what is done, so that a run that was cut short goes on where it was. `fileJournal(path)` from
   * `shortlink-sdk/node` keeps it in a file. One run at a time may use a journal.
   */
  journal?: Journal
  /**
   * The name of an item in the journal, such as its id. Default: its position, so that a resumed run has to be given
   * the same items in the same order; other items are found out and refused.
   */
  key?: (item: T, index: number) => string | number
  /**
   * What to do with an item that an earlier run began without learning how it ended: it may have been done.
   * `report` (default) gives it as a result that failed with {@link UnknownOutcomeError}, without doing it; `retry` does
   * it again; `skip` takes it for done. A function decides for each.
   */
  onUnknown?: UnknownDecision | ((item: T, index: number) => UnknownDecision | Promise<UnknownDecision>)
  /** The client that the worker uses: items begin only when its budget has room, and `etaMs` knows the rate. */
  client?: { readonly rateLimit: RateLimitState }
}

/** What becomes of an item that an earlier run may have done. */
export type UnknownDecision = 'report' | 'retry' | 'skip'

/** What the worker is told about an item. */
export interface BulkContext {
  /** The position of the item, from 0. */
  readonly index: number
  /** To be given to the calls: it aborts when the run ends early. */
  readonly signal: AbortSignal
}

/** What became of an item. */
export type BulkResult<T, R> =
  | { readonly ok: true; readonly item: T; readonly index: number; readonly data: R; readonly outcome: 'done' }
  | { readonly ok: false; readonly item: T; readonly index: number; readonly error: unknown; readonly outcome: Outcome }

/** How far a run is. */
export interface BulkProgress {
  /** Items that are done, those of earlier runs included. */
  readonly done: number
  /** Items that failed in this run. */
  readonly failed: number
  /** Items altogether; `undefined` where nobody said. */
  readonly total: number | undefined
  /** Since this run began, in milliseconds. */
  readonly elapsedMs: number
  /** Until the last item is done, in milliseconds, from the rate budget and the speed so far; `undefined` while unknown. */
  readonly etaMs: number | undefined
}

/** What became of a run. */
export interface BulkSummary {
  /** Items that are done, those of earlier runs included. */
  readonly done: number
  /** Items that were done by earlier runs. */
  readonly skipped: number
  /** Items that failed in this run, those whose outcome is unknown included. */
  readonly failed: number
  /** Items that failed and may have been done all the same. */
  readonly unknown: number
  /** How long this run took, in milliseconds. */
  readonly elapsedMs: number
}

/** An earlier run began the item, and did not learn how it ended. */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownOutcomeError'

  constructor() {
    super('an earlier run began this item and did not learn how it ended: it may have been done')
  }
}

/** A run over many items: its results as they come, or its summary alone. It begins when one of the two is asked for. */
export interface BulkRun<T, R> extends AsyncIterable<BulkResult<T, R>> {
  /**
   * What became of the run, when it has ended. Where nobody iterates over the results, this does the work, and
   * rejects with what ends the run early.
   */
  summary(): Promise<BulkSummary>
}

/**
 * Gives many items to a worker, a few at a time. Items are taken as places free up, so that memory stays flat; results
 * come in the order in which they are ready; an item that fails does not end the run.
 *
 * @example
 * const run = bulk(linkIds, (id, { signal }) => client.campaigns.assignLink(7, id, { signal }), {
 *   client,
 *   journal: fileJournal('assign.journal'),
 * })
 * for await (const { ok, item, error, outcome } of run) if (!ok) console.error(item, outcome, error)
 * console.log(await run.summary())
 *
 * @throws {ConfigurationError} where an argument does not fit; while running, where the journal knows other items.
 */
export function bulk<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  worker: (item: T, context: BulkContext) => Promise<R> | R,
  options: BulkOptions<T> = {},
): BulkRun<T, R> {
  check(items, worker, options)
  const run = new Run(items, worker, options)
  let results: AsyncGenerator<BulkResult<T, R>> | undefined
  return {
    [Symbol.asyncIterator]() {
      if (results) throw new ConfigurationError('bulk: the results of a run can be asked for only once')
      results = run.results()
      return results
    },
    async summary() {
      if (!results) for await (const _ of this);
      return run.ended
    },
  }
}

/** An item on its way. */
interface Task<T> {
  readonly item: T
  readonly index: number
  readonly entry: { readonly key: string; readonly print?: string }
}

class Run<T, R> {
  /** Resolves when the run has ended, however it ended. */
  readonly ended: Promise<BulkSummary>
  #end!: (summary: BulkSummary) => void

  readonly #items: Iterable<T> | AsyncIterable<T>
  readonly #worker: (item: T, context: BulkContext) => Promise<R> | R
  readonly #options: BulkOptions<T>
  readonly #concurrency: number
  readonly #total: number | undefined
  readonly #estimate: ReturnType<typeof createEstimate>
  readonly #controller = new AbortController()
  #memory: Memory = new Map()
  /** Why no more items are begun. */
  #stopped: { reason: unknown } | undefined
  #beganAt = 0
  #inWork = 0
  #done = 0
  #skipped = 0
  #failed = 0
  #unknown = 0

  constructor(
    items: Iterable<T> | AsyncIterable<T>,
    worker: (item: T, context: BulkContext) => Promise<R> | R,
    options: BulkOptions<T>,
  ) {
    this.#items = items
    this.#worker = worker
    this.#options = options
    this.#concurrency = options.concurrency ?? 10
    this.#total = options.total ?? sizeOf(items)
    this.#estimate = createEstimate(options.client, this.#concurrency)
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  async *results(): AsyncGenerator<BulkResult<T, R>> {
    const { signal, journal } = this.#options
    const results = createHandover<BulkResult<T, R>>()
    let lanes: Promise<unknown> = Promise.resolve()
    let complete = false
    let forget: (() => void) | undefined
    this.#beganAt = performance.now()
    try {
      signal?.throwIfAborted()
      forget = signal && onAbort(signal, () => this.#stop(signal.reason))
      this.#memory = await recall(journal)
      lanes = this.#work(results.give).finally(results.close)
      for await (const result of results) {
        this.#count(result)
        yield result
      }
      complete = true
      if (this.#stopped) throw this.#stopped.reason
    } finally {
      // Where the loop was left early, what is in work hears of it, and the journal learns how it ended.
      if (!complete) this.#stop(new DOMException('The run was left.', 'AbortError'))
      results.close()
      await lanes
      forget?.()
      await journal?.close?.()
      this.#end(this.#summary())
    }
  }

  #stop(reason: unknown): void {
    this.#stopped ??= { reason }
    this.#controller.abort(reason)
  }

  /** Works through the items, a few at a time. Each lane takes an item, begins it, and gives its result. */
  async #work(give: (result: BulkResult<T, R>) => Promise<void>): Promise<void> {
    const tasks = this.#tasks()
    let turn: Promise<unknown> = Promise.resolve()
    const lane = async () => {
      while (!this.#stopped) {
        // One lane after another, so that each sees what budget the last one left.
        const begun = turn.then(() => this.#beginNext(tasks))
        turn = begun
        const work = await begun
        if (!work) return
        await give(await work.result)
      }
    }
    const failed = (reason: unknown) => {
      this.#stopped ??= { reason }
    }
    await Promise.all(Array.from({ length: this.#concurrency }, () => lane().catch(failed)))
    await tasks.return(undefined)
  }

  /** The items that are to be done, and the results of those that are not. */
  async *#tasks(): AsyncGenerator<Task<T> | BulkResult<T, R>> {
    const { journal, onUnknown = 'report' } = this.#options
    let index = 0
    for await (const item of this.#items) {
      const entry = this.#entry(item, index)
      const state = this.#memory.get(entry.key)?.state
      const isUnknown = state !== undefined && state !== 'done'
      const decision = isUnknown && (typeof onUnknown === 'function' ? await onUnknown(item, index) : onUnknown)
      if (isUnknown && decision === 'skip') await journal?.write({ key: entry.key, state: 'done' })
      if (state === 'done' || decision === 'skip') this.#skip()
      else if (decision === 'report') yield failure(item, index, new UnknownOutcomeError())
      else yield { item, index, entry }
      index++
    }
  }

  #entry(item: T, index: number): Task<T>['entry'] {
    const { key, journal } = this.#options
    if (key) return { key: String(key(item, index)) }
    if (!journal) return { key: String(index) }
    const entry = { key: String(index), print: fingerprint(item) }
    const before = this.#memory.get(entry.key)?.print
    if (before === undefined || before === entry.print) return entry
    throw new ConfigurationError(
      `journal: it knows another item at position ${index}; give the same items in the same order, or the option key`,
    )
  }

  async #beginNext(tasks: AsyncGenerator<Task<T> | BulkResult<T, R>>) {
    if (this.#stopped) return undefined
    const { done, value } = await tasks.next()
    if (done) return undefined
    return 'entry' in value ? await this.#begin(value) : { result: Promise.resolve(value) }
  }

  /** Begins an item, when there is budget for it: a run that is killed then has few items of unknown outcome. */
  async #begin({ item, index, entry }: Task<T>) {
    const { client, journal } = this.#options
    const { signal } = this.#controller
    while (client?.rateLimit.remaining === 0 && this.#estimate.untilReset() > 0) {
      await sleep(this.#estimate.untilReset(), signal)
    }
    await journal?.write({ ...entry, state: 'begun' })
    if (signal.aborted) {
      await journal?.write({ key: entry.key, state: 'not-sent' })
      return undefined
    }
    const begunAt = performance.now()
    this.#inWork++
    const work = (async () => this.#worker(item, { index, signal }))()
    this.#estimate.begun()

    const finish = async (result: BulkResult<T, R>): Promise<BulkResult<T, R>> => {
      this.#inWork--
      this.#estimate.ended(performance.now() - begunAt)
      // What an abort cut off stays begun: it may have been done.
      const cutOff = signal.aborted && result.outcome === 'unknown'
      if (!cutOff) await journal?.write({ key: entry.key, state: result.outcome })
      return result
    }
    const result = work.then(
      (data) => finish({ ok: true, item, index, data, outcome: 'done' }),
      (error: unknown) => finish(failure(item, index, error)),
    )
    return { result }
  }

  #skip(): void {
    this.#skipped++
    this.#done++
    this.#report()
  }

  #count(result: BulkResult<T, R>): void {
    if (result.ok) this.#done++
    else this.#failed++
    if (result.outcome === 'unknown') this.#unknown++
    this.#report()
  }

  #report(): void {
    const [done, failed, total] = [this.#done, this.#failed, this.#total]
    const left = total === undefined ? undefined : Math.max(0, total - done - failed)
    const etaMs = left === undefined ? undefined : this.#estimate.time(left, this.#inWork)
    notify(this.#options.onProgress, { done, failed, total, elapsedMs: this.#elapsed(), etaMs })
  }

  #summary(): BulkSummary {
    const [done, skipped, failed, unknown] = [this.#done, this.#skipped, this.#failed, this.#unknown]
    return { done, skipped, failed, unknown, elapsedMs: this.#elapsed() }
  }

  #elapsed(): number {
    return performance.now() - this.#beganAt
  }
}

function failure<T>(item: T, index: number, error: unknown) {
  const outcome: Outcome = isShortLinkError(error) ? error.outcome : 'unknown'
  return { ok: false, item, index, error, outcome } as const
}

function sizeOf(items: unknown): number | undefined {
  if (Array.isArray(items)) return items.length
  return items instanceof Set || items instanceof Map ? items.size : undefined
}

function check<T>(items: unknown, worker: unknown, options: BulkOptions<T>): void {
  const expect = (fits: boolean, name: string, expected: string, value: unknown) => {
    if (fits) return
    const received = typeof value === 'number' ? value : kind(value)
    throw new ConfigurationError(`bulk: ${name}: expected ${expected}, received ${received}`)
  }
  const { concurrency, total, journal, key, onUnknown, signal } = options
  const isFunction = (value: unknown) => typeof value === 'function'
  const isCount = (value: unknown, least: number) =>
    value === undefined || (Number.isSafeInteger(value) && (value as number) >= least)
  const given = Object(items)
  expect(
    typeof items === 'object' && (isFunction(given[Symbol.iterator]) || isFunction(given[Symbol.asyncIterator])),
    'items',
    'something to iterate over, such as a list',
    items,
  )
  expect(isFunction(worker), 'worker', 'a function', worker)
  expect(isCount(concurrency, 1), 'concurrency', 'a whole number from 1', concurrency)
  expect(isCount(total, 0), 'total', 'a whole number from 0', total)
  expect(
    journal === undefined || (isFunction(journal?.read) && isFunction(journal?.write)),
    'journal',
    'a journal, such as fileJournal(path)',
    journal,
  )
  expect(key === undefined || isFunction(key), 'key', 'a function', key)
  const decisions: unknown[] = [undefined, 'report', 'retry', 'skip']
  expect(
    isFunction(onUnknown) || decisions.includes(onUnknown),
    'onUnknown',
    'report, retry, skip or a function',
    onUnknown,
  )
  expect(signal === undefined || isFunction(signal?.addEventListener), 'signal', 'an AbortSignal', signal)
}
