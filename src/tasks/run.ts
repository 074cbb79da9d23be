import { formatValue, mismatch, reasonOf } from '../checks/mismatch.ts'
import {
  ConfigurationError,
  ConnectionError,
  hasMessage,
  isShortLinkError,
  type Outcome,
  type RateLimitState,
} from '../errors.ts'
import { abortError, sleep } from '../runtime/abort.ts'
import { asyncIterator } from '../runtime/environment.ts'
import { notify } from '../runtime/notify.ts'
import { timeLeft } from './estimate.ts'
import { type BulkOptions, type BulkResult, UnknownOutcomeError, type Worker } from './items.ts'
import { type JournalState, loadJournal } from './journal.ts'
import type { TaskControl, TaskError } from './task.ts'

/** After so many items in a row without any response, the server is away. */
const MAX_WITHOUT_RESPONSE = 5

/** Options for a run. */
interface ItemRunOptions<T, R>
  extends Pick<BulkOptions<T>, 'client' | 'concurrency' | 'total' | 'onProgress' | 'journal' | 'key' | 'onUnknown'> {
  /** True if the calls wait out a 429, so one that is left means that the wait is too long for anybody. */
  readonly waitsOutRateLimit?: boolean
  /** Picks the journal entries of this run. Default: all. */
  readonly isOwnKey?: (key: string) => boolean
  /** Returns the data that the journal keeps when an item begins. */
  readonly begun?: (item: T) => unknown
  /** Returns the data that the journal keeps when an item is done. Default: nothing. */
  readonly keep?: (data: R, item: T) => unknown
  /** Makes the result of an item that an earlier run has done from what the journal kept. Default: there is none. */
  readonly replay?: (kept: unknown, item: T) => R
  /** Called with what earlier runs have recorded. */
  readonly resume?: (entries: JournalState) => void
}

/** An item that has started. In an object, because a generator would wait for a promise. */
interface StartedItem<T, R> {
  readonly result: BulkResult<T, R> | Promise<BulkResult<T, R>>
}

/** Works on items, a few at a time, and counts them. */
export class ItemRun<T, R> {
  /** The number of items; `undefined` if nobody knows. */
  total: number | undefined
  readonly #items: Iterable<T> | AsyncIterable<T>
  readonly #worker: Worker<T, R>
  readonly #options: ItemRunOptions<T, R>
  readonly #control: TaskControl
  readonly #channel = new ResultChannel<BulkResult<T, R>>()
  readonly #beganAt = performance.now()
  #counts = { total: 0, done: 0, skipped: 0, failed: 0, unknown: 0 }
  /** Items that this run has worked on. */
  #finished = 0
  #withoutResponse = 0
  /** Items that earlier runs have done, and that have not come yet. */
  #replaysLeft = 0
  #journalState: JournalState = new Map()
  /** The keys of the items so far, if there is a journal. */
  readonly #keys = new Set<string>()

  constructor(
    items: Iterable<T> | AsyncIterable<T>,
    worker: Worker<T, R>,
    control: TaskControl,
    options: ItemRunOptions<T, R>,
  ) {
    this.#items = items
    this.#worker = worker
    this.#options = options
    this.#control = control
    this.total = options.total
  }

  get summary() {
    return { ...this.#counts, elapsedMs: Math.round(performance.now() - this.#beganAt) }
  }

  /** Says how many items earlier runs have done, which take no time. */
  expectReplays(count: number): void {
    this.#replaysLeft = count
  }

  async *results(): AsyncGenerator<BulkResult<T, R>> {
    const { journal, isOwnKey, resume } = this.#options
    const { signal } = this.#control
    let work: Promise<unknown> = Promise.resolve()
    let isComplete = false
    let wasCutOff = false
    await journal?.open?.()
    try {
      this.#journalState = await loadJournal(journal, isOwnKey)
      resume?.(this.#journalState)
      work = this.#work()
      for await (const result of this.#channel) {
        if (signal.aborted && result.outcome === 'unknown') wasCutOff = true
        this.#count(result)
        yield result
      }
      isComplete = true
      await work
      this.#control.throwIfEnded(wasCutOff ? 'unknown' : 'not-sent')
    } finally {
      // If the loop is left early, the items in progress see an abort, and the journal records how they ended.
      if (!isComplete) this.#control.abort(abortError('The loop over the results was left.'))
      this.#channel.close()
      await work
      await journal?.close?.()
    }
  }

  #count(result: BulkResult<T, R> | undefined): void {
    const counts = this.#counts
    counts.total++
    if (result === undefined || result.replayed) {
      counts.skipped++
      this.#replaysLeft--
    }
    counts[result === undefined || result.ok ? 'done' : 'failed']++
    if (result?.outcome === 'unknown') counts.unknown++
    const { total } = this
    const { done, failed } = counts
    const waiting = this.#channel.size + Math.max(0, this.#replaysLeft)
    const left = total === undefined ? undefined : Math.max(0, total - done - failed - waiting)
    const elapsedMs = Math.round(performance.now() - this.#beganAt)
    const pace = { finished: this.#finished, elapsedMs }
    const etaMs = left === undefined ? undefined : timeLeft(left, pace, this.#options.client?.rateLimit)
    notify(this.#options.onProgress, { done, failed, total, elapsedMs, etaMs })
  }

  /** Does the items, `concurrency` at a time, and closes the channel after the last. */
  async #work(): Promise<void> {
    const { concurrency = 10 } = this.#options
    const started = this.#startItems()
    const loop = async () => {
      for (;;) {
        const { done, value } = await started.next()
        if (done) return
        await this.#channel.give(await value.result)
      }
    }
    const fail = (error: unknown) => this.#control.fail(error)
    await Promise.all(Array.from({ length: concurrency }, () => loop().catch(fail)))
    this.#channel.close()
    await started.return(undefined).catch(fail)
  }

  /** Starts the items one after another, so that each sees the current state of the rate limit. */
  async *#startItems(): AsyncGenerator<StartedItem<T, R>> {
    let index = 0
    for await (const item of this.#items) {
      const key = this.#keyOf(item, index)
      const started = this.#earlier(key, item, index) ?? (await this.#start(key, item, index))
      if (started === 'skip') this.#count(undefined)
      else if (started) yield started
      if (this.#control.ending.aborted) return
      index++
    }
  }

  /** The result of an earlier run for an item; `undefined` if the item is to be done. */
  #earlier(key: string | undefined, item: T, index: number): StartedItem<T, R> | 'skip' | undefined {
    const { onUnknown = 'report', replay } = this.#options
    const earlier = key === undefined ? undefined : this.#journalState.get(key)
    if (!earlier) return undefined
    if (earlier.state === 'done') {
      if (!replay || !('data' in earlier)) return 'skip'
      return { result: { ok: true, item, index, data: replay(earlier.data, item), outcome: 'done', replayed: true } }
    }
    return onUnknown === 'retry' ? undefined : { result: failed(item, index, new UnknownOutcomeError()) }
  }

  #keyOf(item: T, index: number): string | undefined {
    const { key, journal } = this.#options
    if (!key) return undefined
    const name: unknown = key(item, index)
    if (typeof name !== 'string' && typeof name !== 'number') {
      throw new ConfigurationError(
        `bulk: key: ${mismatch('a function that returns a string or number', name, formatValue)}`,
      )
    }
    const text = String(name)
    if (this.#keys.has(text)) {
      throw new ConfigurationError(`bulk: key: item ${index} has the key ${formatValue(name)} of an earlier item`)
    }
    if (journal) this.#keys.add(text)
    return text
  }

  /** Records that an item begins, once the rate limit allows it, and calls its worker, unless the run is ending. */
  async #start(key: string | undefined, item: T, index: number): Promise<StartedItem<T, R> | undefined> {
    const { begun } = this.#options
    const { ending } = this.#control
    // If the process is killed while the rate limit has no room, few items are then in an unknown state.
    await waitForSlot(this.#options.client, ending)
    if (ending.aborted) return undefined
    await this.#write(key, 'begun', begun && { data: begun(item) })
    if (!ending.aborted) return { result: this.#do(key, item, index) }
    await this.#write(key, this.#mayBeDone(key) ? 'unknown' : 'not-sent')
    return undefined
  }

  async #write(key: string | undefined, state: 'begun' | 'done' | Outcome, data: object = {}): Promise<void> {
    if (key !== undefined) await this.#options.journal?.write({ key, state, ...data })
  }

  /** Calls the worker, and records how the item ended. */
  async #do(key: string | undefined, item: T, index: number): Promise<BulkResult<T, R>> {
    const { keep } = this.#options
    const { signal } = this.#control
    const called = await this.#call(item, index)
    const isStillUnknown = !called.ok && !isConflict(called.error) && this.#mayBeDone(key)
    const result = isStillUnknown ? { ...called, outcome: 'unknown' as const } : called
    this.#finished++
    if (this.#options.client) this.#endIfUseless(result.error)
    // An aborted item keeps the state `begun`, because it may have been done.
    if (signal.aborted && result.outcome === 'unknown') return result
    await this.#write(key, result.outcome, result.ok && keep ? { data: keep(result.data, item) } : {})
    return result
  }

  /** Ends the run if every other item would fail too: the server is away, or lets nobody in for longer than anybody waits. */
  #endIfUseless(error: TaskError | undefined): void {
    const isLimited = error?.code === 'rate_limit' && (this.#options.waitsOutRateLimit || error.outcome === 'not-sent')
    if (isLimited) this.#control.fail(error)
    const isWithoutResponse = error?.code === 'connection' || error?.code === 'timeout'
    this.#withoutResponse = isWithoutResponse ? this.#withoutResponse + 1 : 0
    if (this.#withoutResponse < MAX_WITHOUT_RESPONSE) return
    const message = `no response for ${MAX_WITHOUT_RESPONSE} items in a row, so the rest was not tried. The last error: ${error!.message}`
    this.#control.fail(new ConnectionError(message, { outcome: 'not-sent', retryable: true }, { cause: error }))
  }

  /** True if an earlier run began an item, and it is unknown how it ended. */
  #mayBeDone(key: string | undefined): boolean {
    return key !== undefined && this.#journalState.has(key)
  }

  async #call(item: T, index: number): Promise<BulkResult<T, R>> {
    try {
      const data = await this.#worker(item, { index, signal: this.#control.signal })
      return { ok: true, item, index, data, outcome: 'done', replayed: false }
    } catch (error) {
      return failed(item, index, error)
    }
  }
}

/** How often the rate limit is looked at while it has no slot, in milliseconds. */
const LOOK_INTERVAL = 100

/** Waits until a slot of the rate limit remains and nobody waits for it. */
async function waitForSlot(client: BulkOptions<unknown>['client'], signal: AbortSignal): Promise<void> {
  const isFull = ({ remaining, queued }: RateLimitState) => queued > 0 || remaining === 0
  while (client && !signal.aborted && isFull(client.rateLimit)) await sleep(LOOK_INTERVAL, signal).catch(() => {})
}

/** Passes values from many producers to one consumer. A producer waits until its value is taken. */
class ResultChannel<T> {
  readonly #offered: { value: T; taken: () => void }[] = []
  #closed = false
  #wake = () => {}

  /** The number of values that wait. */
  get size(): number {
    return this.#offered.length
  }

  /** Offers a value. Resolves when it is taken, or when the channel is closed. */
  give(value: T): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise((taken) => {
      this.#offered.push({ value, taken })
      this.#wake()
    })
  }

  /** Closes the channel. Waiting producers are released. */
  close(): void {
    this.#closed = true
    for (const { taken } of this.#offered) taken()
    this.#wake()
  }

  /** The values, in the order in which they were offered, until the channel is closed. */
  async *[asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.#offered.shift()
      if (next) {
        next.taken()
        yield next.value
      } else if (this.#closed) return
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }
}

/** True if another link has the alias of an item, which is certain whatever an earlier run did. */
const isConflict = (error: unknown) => isShortLinkError(error) && error.code === 'link_conflict'

/** The result of an item that failed. What is not our error says nothing about what was sent. */
function failed<T>(item: T, index: number, thrown: unknown) {
  const outcome: Outcome = isShortLinkError(thrown) ? thrown.outcome : 'unknown'
  const error = hasMessage(thrown) ? thrown : new Error(reasonOf(thrown), { cause: thrown })
  return { ok: false, item, index, error: error as TaskError, outcome } as const
}

/** The number of items, if it is known without reading them. */
export function sizeOf(items: unknown): number | undefined {
  if (Array.isArray(items)) return items.length
  return items instanceof Set || items instanceof Map ? items.size : undefined
}
