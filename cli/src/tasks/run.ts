import { ConfigurationError, ConnectionError, isShortLinkError, type Outcome, type RateLimitState } from 'shortlink-sdk'
import { describeMismatch, formatValue, getReason } from '../../../src/client/checks/mismatch.ts'
import { createAbortError } from '../../../src/client/runtime/abort.ts'
import { notify } from '../../../src/client/runtime/notify.ts'
import { hasMessage } from '../../../src/client/runtime/text.ts'
import { raceAbort, sleep, untilAborted } from '../abort.ts'
import { isInDoubt, type JournalState, loadJournal, UnknownOutcomeError } from './journal.ts'
import type { BulkOptions } from './options.ts'
import { type ItemQueue, Refusals } from './refusals.ts'
import {
  type BulkContext,
  type BulkResult,
  mayBeDone,
  startStopwatch,
  type TaskControl,
  type TaskError,
  TimeLeft,
} from './task.ts'

/** After this many items in a row without a response, the server counts as unavailable, and the run ends. */
const MAX_ITEMS_WITHOUT_RESPONSE = 5

/** The second argument of the worker of a task. */
export interface WorkContext extends BulkContext {
  /** Records that the item has begun. */
  readonly recordBegun: () => Promise<void>
}

/** The items of a run. */
interface Items<T> {
  readonly items: Iterable<T> | AsyncIterable<T>
  /** The number of items; `undefined` if it is not known. */
  readonly total?: number | undefined
  /** The number of items that earlier runs have done, which take no time. */
  readonly replays?: number
  /** The queue of these items, if some of them may be tried before refusals end the run. */
  readonly queue?: ItemQueue<T> | undefined
}

interface ItemRunOptions<T, R>
  extends Pick<BulkOptions<T>, 'client' | 'concurrency' | 'onProgress' | 'journal' | 'key' | 'onUnknown'> {
  /** Returns the items, given the journal entries of earlier runs. */
  readonly items: (earlier: JournalState) => Items<T> | Promise<Items<T>>
  readonly work: (item: T, context: WorkContext) => Promise<R> | R
  /**
   * Whether the worker is part of a task. Its calls queue for the rate limit and wait out a 429, and it calls
   * `recordBegun` itself. An item that has not begun when the run ends has no result.
   */
  readonly isTask?: boolean
  /** Returns whether the journal has no entry of an item. Then none is written if it fails before it has begun. Default: never. */
  readonly isNew?: (item: T) => boolean
  /** Returns whether it is unknown if an earlier run has done an item. Default: the journal says it. */
  readonly isInDoubt?: (item: T) => boolean
  /** Returns whether an earlier run recorded that the server refused an item. Default: never. */
  readonly isRefused?: (item: T) => boolean
  /** Returns the data to store in the journal with an item, and its result if it is done. Default: no data. */
  readonly toEntryData?: (item: T, done?: { readonly data: R }) => unknown
  /** Restores the data of an item that an earlier run has done from the journal. Default: such items have no result. */
  readonly replay?: (stored: unknown, item: T) => R
}

/** Works on items, a few at a time, and counts the results. */
export class ItemRun<T, R> {
  readonly #options: ItemRunOptions<T, R>
  readonly #control: TaskControl
  readonly #elapsedMs = startStopwatch()
  #counts = { total: 0, done: 0, skipped: 0, failed: 0, unknown: 0 }
  /** The number of items that this run has worked on. */
  #finished = 0
  #withoutResponse = 0
  #total: number | undefined
  #refusals = new Refusals<T>(undefined)
  readonly #timeLeft = new TimeLeft()
  /** The number of items that earlier runs have done and that have not been counted yet. */
  #replaysLeft = 0
  #journalState: JournalState = new Map()
  /** The keys of the items so far. Empty without a journal. */
  readonly #keys = new Set<string>()

  constructor(control: TaskControl, options: ItemRunOptions<T, R>) {
    this.#control = control
    this.#options = options
  }

  get summary() {
    return { ...this.#counts, elapsedMs: this.#elapsedMs() }
  }

  async *results(): AsyncGenerator<BulkResult<T, R>> {
    const { journal, concurrency = 10 } = this.#options
    const { signal } = this.#control
    let isComplete = false
    let wasCutOff = false
    const opened = Promise.resolve(journal?.open?.())
    await raceAbort(opened, signal).catch((error) => {
      // A journal that opens after the end is closed at once.
      void opened.then(() => journal?.close?.()).catch(() => {})
      throw error
    })
    const started = this.#startItems()
    const inProgress = new Set<Promise<unknown>>()
    const trackStarted = async function* () {
      for await (const { result } of started) {
        const work = Promise.resolve(result)
        inProgress.add(work)
        yield { result: work.finally(() => inProgress.delete(work)) }
      }
    }
    const source = trackStarted()
    try {
      this.#journalState = await loadJournal(journal, signal)
      for await (const result of runPool(source, concurrency)) {
        if (!result) continue
        if (signal.aborted && result.outcome === 'unknown') wasCutOff = true
        this.#count(result)
        yield result
      }
      isComplete = true
    } catch (error) {
      this.#control.fail(error)
    } finally {
      // If the caller leaves the loop early, items in progress are aborted, and the journal records how they ended.
      if (!isComplete) this.#control.abort(createAbortError('The loop over the results ended early.'))
      await source.return(undefined)
      await Promise.all(inProgress)
      await journal?.close?.()
    }
    this.#control.throwIfEnded(wasCutOff ? 'unknown' : 'not-sent')
  }

  #count(result: BulkResult<T, R> | undefined): void {
    const counts = this.#counts
    counts.total++
    if (result === undefined || result.replayed) {
      counts.skipped++
      this.#replaysLeft--
    }
    counts[result === undefined || result.ok ? 'done' : 'failed']++
    if (result && !result.ok && mayBeDone(result.outcome)) counts.unknown++
    const total = this.#total
    const { done, failed } = counts
    const waiting = Math.max(0, this.#replaysLeft)
    const left = total === undefined ? undefined : Math.max(0, total - done - failed - waiting)
    const elapsedMs = this.#elapsedMs()
    const pace = { finished: this.#finished, elapsedMs }
    const etaMs = this.#timeLeft.estimate(left, pace, this.#options.client?.rateLimit)
    notify(this.#options.onProgress, { done, failed, total, elapsedMs, etaMs })
  }

  /** Starts items one after another, so that each one sees the current state of the rate limit. */
  async *#startItems(): AsyncGenerator<Started<BulkResult<T, R> | undefined>> {
    let index = 0
    const { items, total, replays = 0, queue } = await this.#options.items(this.#journalState)
    this.#total = total
    this.#replaysLeft = replays
    this.#refusals = new Refusals(queue, this.#options.isRefused)
    for await (const item of untilAborted(items, this.#control.ending)) {
      const key = this.#getKey(item, index)
      const started = this.#findEarlierResult(key, item, index) ?? (await this.#start(key, item, index))
      if (started === 'skip') this.#count(undefined)
      else if (started) yield started
      if (this.#control.ending.aborted) return
      index++
      await this.#refusals.waitForProbes(item, this.#control.ending)
    }
  }

  /**
   * Returns the result of an item that needs no work, or `skip` if there is no result; `undefined` if the item must be
   * done.
   */
  #findEarlierResult(key: string | undefined, item: T, index: number): Started<BulkResult<T, R>> | 'skip' | undefined {
    const { onUnknown = 'report', replay } = this.#options
    const earlier = key === undefined ? undefined : this.#journalState.get(key)
    if (earlier?.state === 'done') {
      if (!replay || !('data' in earlier)) return 'skip'
      return { result: { ok: true, item, index, data: replay(earlier.data, item), outcome: 'done', replayed: true } }
    }
    if (onUnknown === 'retry' || !isInDoubt(earlier)) return undefined
    return { result: createFailure(item, index, new UnknownOutcomeError()) }
  }

  #getKey(item: T, index: number): string | undefined {
    const { key, journal } = this.#options
    if (!key) return undefined
    const name: unknown = key(item, index)
    if (typeof name !== 'string' && typeof name !== 'number') {
      throw new ConfigurationError(
        `bulk: key: ${describeMismatch('a function that returns a string or number', name, formatValue)}`,
      )
    }
    const text = String(name)
    if (this.#keys.has(text)) {
      throw new ConfigurationError(`bulk: key: item ${index} has the key ${formatValue(name)} of an earlier item`)
    }
    if (journal) this.#keys.add(text)
    return text
  }

  /** Starts the work on an item, unless the run is ending. */
  async #start(
    key: string | undefined,
    item: T,
    index: number,
  ): Promise<Started<BulkResult<T, R> | undefined> | undefined> {
    const { client, isTask } = this.#options
    const { ending } = this.#control
    let hasBegun = false
    const recordBegun = async () => {
      // The end of an item is recorded too if an abort comes during this write.
      hasBegun = true
      await this.#write(key, 'begun', item)
    }
    if (isTask) return { result: this.#runItem(key, item, { index, recordBegun }, () => hasBegun) }
    // Items begin only when they can be sent, so that few are in an unknown state if the process is killed.
    await waitForSlot(client, ending)
    if (ending.aborted) return undefined
    await recordBegun()
    if (!ending.aborted) return { result: this.#runItem(key, item, { index, recordBegun }, () => true) }
    await this.#write(key, this.#isInDoubt(key, item) ? 'unknown' : 'not-sent', item)
    return undefined
  }

  async #write(
    key: string | undefined,
    state: 'begun' | 'done' | Outcome,
    item: T,
    done?: { readonly data: R },
  ): Promise<void> {
    if (key === undefined) return
    const data = this.#options.toEntryData?.(item, done)
    try {
      const entry = { key, state, ...(data !== undefined && { data }) }
      await this.#options.journal?.write(entry)
    } catch (error) {
      this.#control.fail(error)
      throw error
    }
  }

  /** Calls the worker for an item, and records the outcome. */
  async #runItem(
    key: string | undefined,
    item: T,
    context: Omit<WorkContext, 'signal'>,
    hasBegun: () => boolean,
  ): Promise<BulkResult<T, R> | undefined> {
    const { client } = this.#options
    const { signal, ending } = this.#control
    const workerResult = await this.#callWorker(item, { ...context, signal }, hasBegun)
    if (ending.aborted && !hasBegun() && !workerResult.ok) return undefined
    const isStillUnknown = !workerResult.ok && this.#isInDoubt(key, item)
    const result =
      isStillUnknown && workerResult.outcome !== 'done'
        ? { ...workerResult, outcome: 'unknown' as const }
        : workerResult
    this.#finished++
    if (client) {
      this.#endIfUnavailable(result.error)
      const failure = this.#refusals.count(item, workerResult.error)
      if (failure) this.#control.fail(failure)
    }
    // The journal entry of an aborted item stays `begun`, because the item may have been done.
    if (signal.aborted && result.outcome === 'unknown') return result
    if (!hasBegun() && !result.ok && this.#options.isNew?.(item)) return result
    // In the journal, `done` means that the result is known. If the server did the work but its response was invalid, the
    // state is `unknown`.
    const state = !result.ok && result.outcome === 'done' ? 'unknown' : result.outcome
    await this.#write(key, state, item, result.ok ? result : undefined).catch(() => {})
    return result
  }

  /** Returns whether an earlier run may have done an item. */
  #isInDoubt(key: string | undefined, item: T): boolean {
    if (this.#options.isInDoubt) return this.#options.isInDoubt(item)
    return key !== undefined && isInDoubt(this.#journalState.get(key))
  }

  /**
   * Ends the run if further items would fail too: the server is unavailable, or the rate limit is too long to wait out.
   */
  #endIfUnavailable(error: TaskError | undefined): void {
    const isLimited = error?.code === 'rate_limit' && (this.#options.isTask || error.outcome === 'not-sent')
    if (isLimited) this.#control.fail(error)
    const isWithoutResponse = error?.code === 'connection' || error?.code === 'timeout'
    this.#withoutResponse = isWithoutResponse ? this.#withoutResponse + 1 : 0
    if (this.#withoutResponse < MAX_ITEMS_WITHOUT_RESPONSE) return
    const message = `no response for ${MAX_ITEMS_WITHOUT_RESPONSE} items in a row, so the rest was not tried. The last error: ${error!.message}`
    this.#control.fail(new ConnectionError(message, { outcome: 'not-sent', retryable: true }, { cause: error }))
  }

  async #callWorker(item: T, context: WorkContext, hasBegun: () => boolean): Promise<BulkResult<T, R>> {
    const { index } = context
    try {
      const data = await this.#options.work(item, context)
      return { ok: true, item, index, data, outcome: 'done', replayed: false }
    } catch (error) {
      return createFailure(item, index, error, hasBegun() ? 'unknown' : 'not-sent')
    }
  }
}

/** How often to check the rate limit for a free slot, in milliseconds. */
const POLL_INTERVAL = 100

/** Waits until the rate limit has a free slot and no other call waits for one. */
async function waitForSlot(client: BulkOptions<unknown>['client'], signal: AbortSignal): Promise<void> {
  const isFull = ({ remaining, queued }: RateLimitState) => queued > 0 || remaining === 0
  while (client && !signal.aborted && isFull(client.rateLimit)) await sleep(POLL_INTERVAL, signal)
}

/** Creates the result of an item that failed. */
function createFailure<T>(item: T, index: number, thrown: unknown, defaultOutcome: Outcome = 'unknown') {
  const outcome = isShortLinkError(thrown) ? thrown.outcome : defaultOutcome
  const error = hasMessage(thrown) ? thrown : new Error(getReason(thrown), { cause: thrown })
  return { ok: false, item, index, error: error as TaskError, outcome } as const
}

/** Work that was started. The result is in an object because an async generator would wait for a promise. */
interface Started<R> {
  readonly result: R | Promise<R>
}

/**
 * Yields results as they are ready. At most `size` items are in progress or have a result that has not been taken yet.
 *
 * @param source Starts the items one after another. Its error is thrown after the items in progress have ended.
 */
async function* runPool<R>(source: AsyncGenerator<Started<R>>, size: number): AsyncGenerator<R> {
  const ready: R[] = []
  let inProgress = 0
  let isStarting = false
  let isOver = false
  let failure: { readonly error: unknown } | undefined
  let wake = () => {}
  const start = async () => {
    isStarting = true
    try {
      const { done, value } = await source.next()
      if (done) isOver = true
      else void collect(value.result)
    } catch (error) {
      isOver = true
      failure = { error }
    }
    isStarting = false
    wake()
  }
  const collect = async (result: R | Promise<R>) => {
    inProgress++
    ready.push(await result)
    wake()
  }
  const canStart = () => !isOver && !isStarting && inProgress < size
  while (!isOver || inProgress > 0) {
    if (canStart()) void start()
    while (ready.length > 0) {
      const result = ready.shift()!
      inProgress--
      if (canStart()) void start()
      yield result
    }
    const changed = new Promise<void>((resolve) => {
      wake = resolve
    })
    if (ready.length === 0 && (inProgress > 0 || isStarting) && !canStart()) await changed
  }
  if (failure) throw (failure as { readonly error: unknown }).error
}
