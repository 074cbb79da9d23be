import {
  type ApiError,
  ConfigurationError,
  ConnectionError,
  isShortLinkError,
  type Outcome,
  type RateLimitState,
} from 'shortlink-sdk'
import { createAbortError, sleep, untilAborted } from '../abort.ts'
import { describeMismatch, formatValue, getReason, hasMessage, isRecord, notify } from '../text.ts'
import { isInDoubt, type JournalState, loadJournal, UnknownOutcomeError } from './journal.ts'
import type { BulkOptions } from './options.ts'
import {
  type BulkContext,
  type BulkResult,
  mayBeDone,
  startStopwatch,
  type TaskControl,
  type TaskError,
  TimeLeft,
} from './task.ts'

/** After so many items in a row without any response, the server is away. */
const MAX_ITEMS_WITHOUT_RESPONSE = 5

/** After so many refusals with the same words and no success between them, every other item would be refused too. */
const MAX_REFUSALS = 5

/** The second argument of the worker of a task. */
export interface WorkContext extends BulkContext {
  /** Records that the item has begun, with data for the journal if there are any. */
  readonly recordBegun: (data?: object) => Promise<void>
}

/** Options for a run. */
interface ItemRunOptions<T, R>
  extends Pick<BulkOptions<T>, 'client' | 'concurrency' | 'total' | 'onProgress' | 'journal' | 'key' | 'onUnknown'> {
  /** Returns the items, given what earlier runs have recorded. */
  readonly items: (earlier: JournalState) => Iterable<T> | AsyncIterable<T> | Promise<Iterable<T>>
  readonly work: (item: T, context: WorkContext) => Promise<R> | R
  /**
   * Whether the calls of the worker are those of a task: they queue for the rate limit themselves and wait out a 429,
   * and the worker says when its item has begun. An item that has not begun when the run ends has no result.
   */
  readonly isTask?: boolean
  /** Picks the journal entries of this run. Default: all. */
  readonly includesKey?: (key: string) => boolean
  /** Returns the data that the journal keeps when an item is done. Default: nothing. */
  readonly keep?: (data: R, item: T) => unknown
  /** Makes the result of an item that an earlier run has done from what the journal kept. Default: there is none. */
  readonly replay?: (kept: unknown, item: T) => R
}

/** Works on items, a few at a time, and counts them. */
export class ItemRun<T, R> {
  /** The number of items; `undefined` if nobody knows. */
  total: number | undefined
  readonly #options: ItemRunOptions<T, R>
  readonly #control: TaskControl
  readonly #elapsedMs = startStopwatch()
  #counts = { total: 0, done: 0, skipped: 0, failed: 0, unknown: 0 }
  /** Items that this run has worked on. */
  #finished = 0
  #withoutResponse = 0
  /** How many items were refused since the last success, by the status and the words of the refusal. */
  readonly #refusals = new Map<string, number>()
  readonly #timeLeft = new TimeLeft()
  /** Items that earlier runs have done, and that have not come yet. */
  #replaysLeft = 0
  #journalState: JournalState = new Map()
  /** The keys of the items so far, if there is a journal. */
  readonly #keys = new Set<string>()

  constructor(control: TaskControl, options: ItemRunOptions<T, R>) {
    this.#control = control
    this.#options = options
    this.total = options.total
  }

  get summary() {
    return { ...this.#counts, elapsedMs: this.#elapsedMs() }
  }

  /** Says how many items earlier runs have done, which take no time. */
  expectReplays(count: number): void {
    this.#replaysLeft = count
  }

  async *results(): AsyncGenerator<BulkResult<T, R>> {
    const { journal, includesKey: isOwnKey, concurrency = 10 } = this.#options
    const { signal } = this.#control
    let isComplete = false
    let wasCutOff = false
    await journal?.open?.()
    const started = this.#startItems()
    const inWork = new Set<Promise<unknown>>()
    const trackStarted = async function* () {
      for await (const { result } of started) {
        const work = Promise.resolve(result)
        inWork.add(work)
        yield { result: work.finally(() => inWork.delete(work)) }
      }
    }
    const source = trackStarted()
    try {
      this.#journalState = await loadJournal(journal, isOwnKey)
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
      // If the loop is left early, the items in progress see an abort, and the journal records how they ended.
      if (!isComplete) this.#control.abort(createAbortError('The loop over the results ended early.'))
      await source.return(undefined)
      await Promise.all(inWork)
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
    const { total } = this
    const { done, failed } = counts
    const waiting = Math.max(0, this.#replaysLeft)
    const left = total === undefined ? undefined : Math.max(0, total - done - failed - waiting)
    const elapsedMs = this.#elapsedMs()
    const pace = { finished: this.#finished, elapsedMs }
    const etaMs = this.#timeLeft.estimate(left, pace, this.#options.client?.rateLimit)
    notify(this.#options.onProgress, { done, failed, total, elapsedMs, etaMs })
  }

  /** Starts the items one after another, so that each sees the current state of the rate limit. */
  async *#startItems(): AsyncGenerator<Started<BulkResult<T, R> | undefined>> {
    let index = 0
    const items = await this.#options.items(this.#journalState)
    for await (const item of untilAborted(items, this.#control.ending)) {
      const key = this.#createKey(item, index)
      const started = this.#findEarlierResult(key, item, index) ?? (await this.#start(key, item, index))
      if (started === 'skip') this.#count(undefined)
      else if (started) yield started
      if (this.#control.ending.aborted) return
      index++
    }
  }

  /** The result of an earlier run for an item; `undefined` if the item is to be done. */
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

  #createKey(item: T, index: number): string | undefined {
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

  /** Calls the worker of an item, unless the run is ending. */
  async #start(
    key: string | undefined,
    item: T,
    index: number,
  ): Promise<Started<BulkResult<T, R> | undefined> | undefined> {
    const { client, isTask } = this.#options
    const { ending } = this.#control
    let hasBegun = false
    const begun = async (data?: object) => {
      if (!hasBegun || data) await this.#write(key, 'begun', data && { data })
      hasBegun = true
    }
    if (isTask) return { result: this.#runItem(key, item, { index, recordBegun: begun }, () => hasBegun) }
    // If the process is killed while the rate limit has no room, few items are then in an unknown state.
    await waitForSlot(client, ending)
    if (ending.aborted) return undefined
    await begun()
    if (!ending.aborted) return { result: this.#runItem(key, item, { index, recordBegun: begun }, () => true) }
    await this.#write(key, isInDoubt(this.#getEarlierEntry(key)) ? 'unknown' : 'not-sent')
    return undefined
  }

  async #write(key: string | undefined, state: 'begun' | 'done' | Outcome, data: object = {}): Promise<void> {
    try {
      if (key !== undefined) await this.#options.journal?.write({ key, state, ...data })
    } catch (error) {
      this.#control.fail(error)
      throw error
    }
  }

  /** Calls the worker, and records how the item ended. */
  async #runItem(
    key: string | undefined,
    item: T,
    context: Omit<WorkContext, 'signal'>,
    hasBegun: () => boolean,
  ): Promise<BulkResult<T, R> | undefined> {
    const { keep, client } = this.#options
    const { signal, ending } = this.#control
    const called = await this.#callWorker(item, { ...context, signal }, hasBegun)
    if (ending.aborted && !hasBegun() && !called.ok) return undefined
    const isStillUnknown = !called.ok && !isConflict(called.error) && isInDoubt(this.#getEarlierEntry(key))
    const result = isStillUnknown && called.outcome !== 'done' ? { ...called, outcome: 'unknown' as const } : called
    this.#finished++
    if (client) {
      this.#endIfUnavailable(result.error)
      this.#endIfRefused(result.error)
    }
    // An aborted item keeps the state `begun`, because it may have been done.
    if (signal.aborted && result.outcome === 'unknown') return result
    // The journal calls an item done if its result is known. One that only the server called done is in doubt.
    const state = !result.ok && result.outcome === 'done' ? 'unknown' : result.outcome
    await this.#write(key, state, result.ok && keep ? { data: keep(result.data, item) } : {}).catch(() => {})
    return result
  }

  #getEarlierEntry(key: string | undefined) {
    return key === undefined ? undefined : this.#journalState.get(key)
  }

  /**
   * Ends the run if every other item would fail too: the server is away, or lets nobody in for longer than anybody
   * waits.
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

  /** Ends the run if items are refused one after another for a reason that is none of theirs, such as a full plan. */
  #endIfRefused(error: TaskError | undefined): void {
    if (!error) this.#refusals.clear()
    if (!isRejection(error) || hasFieldName(error)) return
    const { status, serverMessage } = error
    const words = `${serverMessage || 'no message'} (status ${status})`
    const count = (this.#refusals.get(words) ?? 0) + 1
    this.#refusals.set(words, count)
    if (count < MAX_REFUSALS) return
    const message = `the server refused ${MAX_REFUSALS} items with the same message, so the rest was not tried: ${words}. Once that is solved, run the remaining items again`
    const RefusalError = error.constructor as typeof ApiError
    this.#control.fail(new RefusalError(message, error, { outcome: 'not-sent', retryable: true }))
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

/** The time between two looks at a rate limit without a slot, in milliseconds. */
const POLL_INTERVAL = 100

/** Waits until a slot of the rate limit remains and nobody waits for it. */
async function waitForSlot(client: BulkOptions<unknown>['client'], signal: AbortSignal): Promise<void> {
  const isFull = ({ remaining, queued }: RateLimitState) => queued > 0 || remaining === 0
  while (client && !signal.aborted && isFull(client.rateLimit)) await sleep(POLL_INTERVAL, signal)
}

/** Returns whether another link has the alias of an item, which is certain whatever an earlier run did. */
const isConflict = (error: unknown) => isShortLinkError(error) && error.code === 'link_conflict'

/** Returns whether the server has refused an item for another reason than the rate limit. */
const isRejection = (error: TaskError | undefined): error is Rejection =>
  isShortLinkError(error) && 'serverMessage' in error && error.outcome === 'rejected' && error.code !== 'rate_limit'

type Rejection = Extract<TaskError, { readonly serverMessage: string }>

/** Returns whether a refusal is about a value of the item. */
function hasFieldName({ serverMessage, body }: Rejection): boolean {
  const errors = isRecord(body) ? body.errors : undefined
  if (isRecord(errors) && Object.keys(errors).length > 0) return true
  return /\b(url|custom|alias|domain|password|expiry)\b/i.test(serverMessage)
}

/** Returns the result of an item that failed. `otherwise`: its outcome if the error does not say one. */
function createFailure<T>(item: T, index: number, thrown: unknown, otherwise: Outcome = 'unknown') {
  const outcome = isShortLinkError(thrown) ? thrown.outcome : otherwise
  const error = hasMessage(thrown) ? thrown : new Error(getReason(thrown), { cause: thrown })
  return { ok: false, item, index, error: error as TaskError, outcome } as const
}

/** Work that was started. In an object, because a generator would wait for a promise. */
interface Started<R> {
  readonly result: R | Promise<R>
}

/**
 * Gives results as they come. At most `size` pieces of work are in progress or have results that nobody has taken yet.
 *
 * @param source Starts the work, one piece after another. If it fails, its error comes after the work in progress.
 */
async function* runPool<R>(source: AsyncGenerator<Started<R>>, size: number): AsyncGenerator<R> {
  const ready: R[] = []
  let inWork = 0
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
    inWork++
    ready.push(await result)
    wake()
  }
  const canStart = () => !isOver && !isStarting && inWork < size
  while (!isOver || inWork > 0) {
    if (canStart()) void start()
    while (ready.length > 0) {
      const result = ready.shift()!
      inWork--
      if (canStart()) void start()
      yield result
    }
    const changed = new Promise<void>((resolve) => {
      wake = resolve
    })
    if (ready.length === 0 && (inWork > 0 || isStarting) && !canStart()) await changed
  }
  if (failure) throw (failure as { readonly error: unknown }).error
}
