import { formatValue, mismatch, reasonOf } from '../checks/mismatch.ts'
import { ConfigurationError, hasMessage, isShortLinkError, type Outcome } from '../errors.ts'
import { abortError, sleep } from '../runtime/abort.ts'
import { notify } from '../runtime/notify.ts'
import { ResultChannel } from './channel.ts'
import { budgetOf, Estimate } from './estimate.ts'
import { type BulkOptions, type BulkResult, checkDecision, UnknownOutcomeError, type Worker } from './items.ts'
import { fingerprint, type JournalEntry, type JournalState, loadJournal } from './journal.ts'
import type { TaskControl, TaskError } from './task.ts'

/** The name of an item in the journal. */
type Entry = Pick<JournalEntry, 'key' | 'fingerprint'>

/** An item that has begun. In an object, because a generator would wait for a promise. */
interface Begun<T, R> {
  readonly result: BulkResult<T, R> | Promise<BulkResult<T, R>>
}

/** Works on items, a few at a time, and counts them. */
export class ItemRun<T, R> {
  readonly #items: Iterable<T> | AsyncIterable<T>
  readonly #worker: Worker<T, R>
  readonly #options: BulkOptions<T>
  readonly #control: TaskControl
  readonly #resume: (entries: JournalState) => void
  readonly #estimate: Estimate
  readonly #channel = new ResultChannel<BulkResult<T, R>>()
  readonly #beganAt = performance.now()
  #counts = { total: 0, done: 0, skipped: 0, failed: 0, unknown: 0 }
  /** Items in work, and those that this run has worked on. */
  #inWork = 0
  #finished = 0
  #journalState: JournalState = new Map()
  /** The keys of the items so far, if there is a journal. */
  readonly #keys = new Set<string>()

  constructor(
    items: Iterable<T> | AsyncIterable<T>,
    worker: Worker<T, R>,
    options: BulkOptions<T>,
    control: TaskControl,
    /** Called with what earlier runs have recorded. */
    resume = (_entries: JournalState) => {},
  ) {
    this.#items = items
    this.#worker = worker
    this.#options = options
    this.#control = control
    this.#resume = resume
    this.#estimate = new Estimate(options.client)
  }

  get summary() {
    return { ...this.#counts, elapsedMs: performance.now() - this.#beganAt }
  }

  async *results(): AsyncGenerator<BulkResult<T, R>> {
    const { journal } = this.#options
    const { signal } = this.#control
    let work: Promise<unknown> = Promise.resolve()
    let isComplete = false
    let wasCutOff = false
    await journal?.open?.()
    try {
      this.#journalState = await loadJournal(journal)
      this.#resume(this.#journalState)
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
    if (result === undefined || result.replayed) counts.skipped++
    counts[result === undefined || result.ok ? 'done' : 'failed']++
    if (result?.outcome === 'unknown') counts.unknown++
    const { onProgress, total = sizeOf(this.#items) } = this.#options
    const { done, failed } = counts
    const left = total === undefined ? undefined : Math.max(0, total - done - failed - this.#channel.size)
    const etaMs = left === undefined ? undefined : this.#estimate.timeFor(left, this.#finished, this.#inWork)
    notify(onProgress, { done, failed, total, elapsedMs: performance.now() - this.#beganAt, etaMs })
  }

  /** Does the items, `concurrency` at a time, and closes the channel after the last. */
  async #work(): Promise<void> {
    const { concurrency = 10 } = this.#options
    const begun = this.#begin()
    const loop = async () => {
      for (;;) {
        const { done, value } = await begun.next()
        if (done) return
        await this.#channel.give(await value.result)
      }
    }
    const fail = (error: unknown) => this.#control.fail(error)
    await Promise.all(Array.from({ length: concurrency }, () => loop().catch(fail)))
    this.#channel.close()
    await begun.return(undefined).catch(fail)
  }

  /** Begins the items one after another, so that each sees the current state of the rate limit. */
  async *#begin(): AsyncGenerator<Begun<T, R>> {
    let index = 0
    for await (const item of this.#items) {
      const entry = this.#entry(item, index)
      const begun = (await this.#earlier(entry.key, item, index)) ?? (await this.#start(entry, item, index))
      if (begun === 'skip') this.#count(undefined)
      else if (begun) yield begun
      if (this.#control.ending.aborted) return
      index++
    }
  }

  /** What an earlier run has made of an item; `undefined` if the item is to be done. */
  async #earlier(key: string, item: T, index: number): Promise<Begun<T, R> | 'skip' | undefined> {
    const { journal, onUnknown = 'report', replay } = this.#options
    const earlier = this.#journalState.get(key)
    if (!earlier) return undefined
    if (earlier.state === 'done') {
      if (!replay || !('data' in earlier)) return 'skip'
      return { result: { ok: true, item, index, data: earlier.data as R, outcome: 'done', replayed: true } }
    }
    const decision = typeof onUnknown === 'function' ? await onUnknown(item, index) : onUnknown
    checkDecision(decision)
    if (decision === 'retry') return undefined
    if (decision === 'report') return { result: failed(item, index, new UnknownOutcomeError()) }
    await journal?.write({ key, state: 'done' })
    return 'skip'
  }

  #entry(item: T, index: number): Entry {
    const { key, journal } = this.#options
    if (key) {
      const name: unknown = key(item, index)
      if (typeof name !== 'string' && typeof name !== 'number') {
        throw new ConfigurationError(
          `bulk: key: ${mismatch('a function that returns a string or number', name, formatValue)}`,
        )
      }
      const entry = { key: String(name) }
      if (this.#keys.has(entry.key)) {
        throw new ConfigurationError(`bulk: key: item ${index} has the key ${formatValue(name)} of an earlier item`)
      }
      if (journal) this.#keys.add(entry.key)
      return entry
    }
    if (!journal) return { key: String(index) }
    const entry = { key: String(index), fingerprint: fingerprint(item) }
    const earlier = this.#journalState.get(entry.key)?.fingerprint
    if (earlier === undefined || earlier === entry.fingerprint) return entry
    throw new ConfigurationError(
      `journal: item ${index} differs from the earlier run. Pass the same items in the same order, or set the option key`,
    )
  }

  /** Records that an item begins, once the rate limit allows it, and calls its worker, unless the run is ending. */
  async #start(entry: Entry, item: T, index: number): Promise<Begun<T, R> | undefined> {
    const { journal } = this.#options
    const { ending } = this.#control
    await this.#waitForBudget()
    if (ending.aborted) return undefined
    await journal?.write({ ...entry, state: 'begun' })
    if (!ending.aborted) return { result: this.#do(entry.key, item, index) }
    await journal?.write({ key: entry.key, state: this.#mayBeDone(entry.key) ? 'unknown' : 'not-sent' })
    return undefined
  }

  /** Waits until the rate limit has room. If the process is killed, few items are then in an unknown state. */
  async #waitForBudget(): Promise<void> {
    const { ending } = this.#control
    while (!ending.aborted) {
      const { remaining, untilReset } = budgetOf(this.#options.client)
      if (remaining > 0 || untilReset === 0) return
      await sleep(untilReset, ending).catch(() => {})
    }
  }

  /** Calls the worker, and records how the item ended. */
  async #do(key: string, item: T, index: number): Promise<BulkResult<T, R>> {
    const { journal, replay } = this.#options
    const { signal } = this.#control
    this.#inWork++
    const called = await this.#call(item, index)
    const isStillUnknown = !called.ok && !isConflict(called.error) && this.#mayBeDone(key)
    const result = isStillUnknown ? { ...called, outcome: 'unknown' as const } : called
    this.#inWork--
    this.#finished++
    // An aborted item keeps the state `begun`, because it may have been done.
    if (signal.aborted && result.outcome === 'unknown') return result
    const data = replay && result.ok ? { data: result.data ?? null } : {}
    await journal?.write({ key, state: result.outcome, ...data })
    return result
  }

  /** Whether an earlier run began an item, and did not find out how it ended. */
  #mayBeDone(key: string): boolean {
    return this.#journalState.has(key)
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

/** Whether another link has the alias of an item, which is certain whatever an earlier run has done. */
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
