import { ConfigurationError } from '../errors.ts'
import { abortError, onAbort, sleep } from '../runtime/abort.ts'
import { asyncIterator } from '../runtime/environment.ts'
import { formatValue, mismatch } from '../schema/expected.ts'
import { ResultChannel } from './channel.ts'
import { Estimate } from './estimate.ts'
import { fingerprint, type JournalState, loadJournal } from './journal.ts'
import { type BulkOptions, checkDecision } from './options.ts'
import { Progress } from './progress.ts'
import { type BulkResult, type BulkRun, type BulkSummary, failure, UnknownOutcomeError } from './results.ts'
import { callWorker, type Worker } from './worker.ts'

/** An item to be done. */
interface Task<T> {
  readonly item: T
  readonly index: number
  readonly entry: { readonly key: string; readonly fingerprint?: string }
}

/** An item whose worker has been called. */
interface Started<T, R> {
  readonly result: Promise<BulkResult<T, R>>
  /** To be called when the result is taken. */
  readonly taken: () => void
}

export class Run<T, R> implements BulkRun<T, R> {
  readonly #items: Iterable<T> | AsyncIterable<T>
  readonly #worker: Worker<T, R>
  readonly #options: BulkOptions<T>
  readonly #concurrency: number
  readonly #estimate: Estimate
  readonly #controller = new AbortController()
  readonly #ended: Promise<BulkSummary>
  #end!: (summary: BulkSummary) => void
  #results: AsyncGenerator<BulkResult<T, R>> | undefined
  #progress!: Progress
  #journalState: JournalState = new Map()
  /** The keys of the items so far, if there is a journal. */
  readonly #keys = new Set<string>()
  /** Items between their journal entry and the call of their worker, which will use the rate limit. */
  readonly #starting = new Set<Promise<unknown>>()
  /** The reason why no more items begin. */
  #stopped: { reason: unknown } | undefined

  constructor(items: Iterable<T> | AsyncIterable<T>, worker: Worker<T, R>, options: BulkOptions<T>) {
    this.#items = items
    this.#worker = worker
    this.#options = options
    this.#concurrency = options.concurrency ?? 10
    this.#estimate = new Estimate(options.client, this.#concurrency)
    this.#ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  [asyncIterator](): AsyncGenerator<BulkResult<T, R>> {
    if (this.#results) throw new ConfigurationError('bulk: the results of a run can be iterated over only once')
    this.#results = this.#run()
    return this.#results
  }

  async summary(): Promise<BulkSummary> {
    if (!this.#results) for await (const _ of this);
    return this.#ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop(new DOMException('The run was disposed of.', 'AbortError'))
    await this.#results?.return(undefined).catch(() => {})
  }

  async *#run(): AsyncGenerator<BulkResult<T, R>> {
    const { signal, journal, total = sizeOf(this.#items), onProgress } = this.#options
    const channel = new ResultChannel<BulkResult<T, R>>()
    this.#progress = new Progress(total, this.#estimate, onProgress)
    let work: Promise<unknown> = Promise.resolve()
    let isOpen = false
    let isComplete = false
    const forget = signal && onAbort(signal, () => this.#stop(signal.reason))
    try {
      if (signal?.aborted) throw signal.reason
      await journal?.open?.()
      isOpen = true
      this.#journalState = await loadJournal(journal)
      work = this.#work(channel)
      for await (const result of channel) {
        this.#progress.countResult(result)
        yield result
      }
      isComplete = true
      await work
      if (this.#stopped) throw this.#stopped.reason
    } finally {
      // If the loop is left early, the items in progress see an abort, and the journal records how they ended.
      if (!isComplete) this.#stop(abortError('The loop over the results was left.'))
      channel.close()
      try {
        await work
        if (isOpen) await journal?.close?.()
      } finally {
        forget?.()
        this.#end(this.#progress.summary())
      }
    }
  }

  #stop(reason: unknown): void {
    this.#stopped ??= { reason }
    this.#controller.abort(reason)
  }

  /** Does the items, `concurrency` at a time, and closes the channel after the last. */
  async #work(channel: ResultChannel<BulkResult<T, R>>): Promise<void> {
    const tasks = this.#tasks()
    let turn: Promise<unknown> = Promise.resolve()
    const loop = async () => {
      while (!this.#stopped) {
        // One after another, so that each sees the current state of the rate limit.
        const begun = turn.then(() => this.#beginNext(tasks))
        turn = begun
        const next = await begun
        if (!next) return
        const started = await next.started
        if (!started) continue
        await channel.give(await started.result)
        started.taken()
      }
    }
    const fail = (reason: unknown) => {
      this.#stopped ??= { reason }
    }
    await Promise.all(Array.from({ length: this.#concurrency }, () => loop().catch(fail)))
    channel.close()
    await tasks.return(undefined).catch(fail)
  }

  /** The items to be done, and the results of those that need no work. */
  async *#tasks(): AsyncGenerator<Task<T> | BulkResult<T, R>> {
    const { journal, onUnknown = 'report', replay } = this.#options
    let index = 0
    for await (const item of this.#items) {
      const entry = this.#entry(item, index)
      const earlier = this.#journalState.get(entry.key)
      if (!earlier) yield { item, index, entry }
      else if (earlier.state === 'done') {
        if (replay && 'data' in earlier) {
          yield { ok: true, item, index, data: earlier.data as R, outcome: 'done', replayed: true }
        } else this.#progress.countSkipped()
      } else {
        const decision = typeof onUnknown === 'function' ? await onUnknown(item, index) : onUnknown
        checkDecision(decision)
        if (decision === 'retry') yield { item, index, entry }
        else if (decision === 'report') yield failure(item, index, new UnknownOutcomeError(), 'unknown')
        else {
          await journal?.write({ key: entry.key, state: 'done' })
          this.#progress.countSkipped()
        }
      }
      index++
    }
  }

  #entry(item: T, index: number): Task<T>['entry'] {
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

  /** Begins the next item, or takes its result if there is nothing to do; `undefined` after the last. */
  async #beginNext(
    tasks: AsyncGenerator<Task<T> | BulkResult<T, R>>,
  ): Promise<{ started: Promise<Started<T, R> | undefined> } | undefined> {
    if (this.#stopped) return undefined
    const { done, value } = await tasks.next()
    if (done) return undefined
    if (!('entry' in value)) return { started: Promise.resolve({ result: Promise.resolve(value), taken: () => {} }) }
    await this.#waitForBudget()
    const starting = this.#start(value)
    this.#starting.add(starting)
    const forget = () => void this.#starting.delete(starting)
    starting.then(forget, forget)
    return { started: starting }
  }

  /** Waits until the rate limit allows the item. If the process is killed, few items are then in an unknown state. */
  async #waitForBudget(): Promise<void> {
    for (;;) {
      const { remaining, untilReset } = this.#estimate.budget()
      if (remaining > this.#starting.size) return
      if (this.#starting.size > 0) await Promise.race(this.#starting)
      else if (untilReset > 0) await sleep(untilReset, this.#controller.signal)
      else return
    }
  }

  /** Records that the item begins, then calls its worker. */
  async #start({ item, index, entry }: Task<T>): Promise<Started<T, R> | undefined> {
    const { journal } = this.#options
    const { signal } = this.#controller
    await journal?.write({ ...entry, state: 'begun' })
    if (signal.aborted) {
      await journal?.write({ key: entry.key, state: 'not-sent' })
      return undefined
    }
    const { ended, taken } = this.#estimate.begin()
    const work = callWorker(this.#worker, item, { index, signal }).finally(ended)
    return { result: work.then((result) => this.#finish(result, entry.key)), taken }
  }

  /** Records how the item ended. */
  async #finish(result: BulkResult<T, R>, key: string): Promise<BulkResult<T, R>> {
    const { journal, replay } = this.#options
    // An aborted item keeps the state `begun`, because it may have been done.
    if (this.#controller.signal.aborted && result.outcome === 'unknown') return result
    const data = replay && result.ok ? { data: result.data ?? null } : {}
    await journal?.write({ key, state: result.outcome, ...data })
    return result
  }
}

/** The number of items, if it is known without reading them. */
export function sizeOf(items: unknown): number | undefined {
  if (Array.isArray(items)) return items.length
  return items instanceof Set || items instanceof Map ? items.size : undefined
}
