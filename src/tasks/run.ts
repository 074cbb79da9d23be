import { ConfigurationError, hasMessage, isShortLinkError, type Outcome } from '../errors.ts'
import { abortError, sleep } from '../runtime/abort.ts'
import { notify } from '../runtime/notify.ts'
import { formatValue, mismatch, reasonOf } from '../schema/expected.ts'
import { ResultChannel } from './channel.ts'
import { budgetOf, Estimate } from './estimate.ts'
import { type BulkOptions, type BulkResult, checkDecision, UnknownOutcomeError, type Worker } from './items.ts'
import { fingerprint, type JournalState, loadJournal } from './journal.ts'
import type { TaskControl, TaskError } from './task.ts'

/** An item to be done. */
interface Todo<T> {
  readonly item: T
  readonly index: number
  readonly entry: { readonly key: string; readonly fingerprint?: string }
}

/** Works on items, a few at a time, and counts them. */
export class ItemRun<T, R> {
  readonly #items: Iterable<T> | AsyncIterable<T>
  readonly #worker: Worker<T, R>
  readonly #options: BulkOptions<T>
  readonly #control: TaskControl
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
  /** Items between their journal entry and the call of their worker, which will use the rate limit. */
  readonly #starting = new Set<Promise<unknown>>()

  constructor(
    items: Iterable<T> | AsyncIterable<T>,
    worker: Worker<T, R>,
    options: BulkOptions<T>,
    control: TaskControl,
  ) {
    this.#items = items
    this.#worker = worker
    this.#options = options
    this.#control = control
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
    const todos = this.#todos()
    let turn: Promise<unknown> = Promise.resolve()
    const loop = async () => {
      for (;;) {
        // One after another, so that each sees the current state of the rate limit.
        const next = turn.then(() => this.#next(todos))
        turn = next
        const todo = await next
        if (!todo) return
        const result = 'entry' in todo ? await this.#do(todo) : todo
        if (result) await this.#channel.give(result)
      }
    }
    const fail = (error: unknown) => this.#control.fail(error)
    await Promise.all(Array.from({ length: concurrency }, () => loop().catch(fail)))
    this.#channel.close()
    await todos.return(undefined).catch(fail)
  }

  /** The items to be done, and the results of those that need no work. */
  async *#todos(): AsyncGenerator<Todo<T> | BulkResult<T, R>> {
    const { journal, onUnknown = 'report', replay } = this.#options
    let index = 0
    for await (const item of this.#items) {
      const entry = this.#entry(item, index)
      const earlier = this.#journalState.get(entry.key)
      if (!earlier) yield { item, index, entry }
      else if (earlier.state === 'done') {
        if (replay && 'data' in earlier) {
          yield { ok: true, item, index, data: earlier.data as R, outcome: 'done', replayed: true }
        } else this.#count(undefined)
      } else {
        const decision = typeof onUnknown === 'function' ? await onUnknown(item, index) : onUnknown
        checkDecision(decision)
        if (decision === 'retry') yield { item, index, entry }
        else if (decision === 'report') yield failed(item, index, new UnknownOutcomeError())
        else {
          await journal?.write({ key: entry.key, state: 'done' })
          this.#count(undefined)
        }
      }
      index++
    }
  }

  #entry(item: T, index: number): Todo<T>['entry'] {
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

  /** The next item, once it may begin, or the result of one that needs no work; `undefined` after the last. */
  async #next(todos: AsyncGenerator<Todo<T> | BulkResult<T, R>>): Promise<Todo<T> | BulkResult<T, R> | undefined> {
    if (this.#control.ending.aborted) return undefined
    const { done, value } = await todos.next()
    if (done) return undefined
    if ('entry' in value) await this.#waitForBudget()
    return value
  }

  /** Waits until the rate limit allows the item. If the process is killed, few items are then in an unknown state. */
  async #waitForBudget(): Promise<void> {
    const { ending } = this.#control
    while (!ending.aborted) {
      const { remaining, untilReset } = budgetOf(this.#options.client)
      if (remaining > this.#starting.size) return
      if (this.#starting.size > 0) await Promise.race(this.#starting)
      else if (untilReset > 0) await sleep(untilReset, ending).catch(() => {})
      else return
    }
  }

  async #do(todo: Todo<T>): Promise<BulkResult<T, R> | undefined> {
    const starting = this.#start(todo)
    this.#starting.add(starting)
    const started = await starting.finally(() => this.#starting.delete(starting))
    return started && this.#finish(await started.result, todo.entry.key)
  }

  /** Records that the item begins, then calls its worker. */
  async #start({ item, index, entry }: Todo<T>): Promise<{ result: Promise<BulkResult<T, R>> } | undefined> {
    const { journal } = this.#options
    const { signal, ending } = this.#control
    if (ending.aborted) return undefined
    await journal?.write({ ...entry, state: 'begun' })
    if (ending.aborted) {
      await journal?.write({ key: entry.key, state: 'not-sent' })
      return undefined
    }
    this.#estimate.read(this.#inWork++)
    // An async function, so that a worker that throws at once rejects too.
    const work = async () => this.#worker(item, { index, signal })
    const result = work()
      .then(
        (data) => ({ ok: true, item, index, data, outcome: 'done', replayed: false }) as const,
        (error: unknown) => failed<T>(item, index, error),
      )
      .finally(() => {
        this.#estimate.read(this.#inWork--)
        this.#finished++
      })
    return { result }
  }

  /** Records how the item ended. */
  async #finish(result: BulkResult<T, R>, key: string): Promise<BulkResult<T, R>> {
    const { journal, replay } = this.#options
    // An aborted item keeps the state `begun`, because it may have been done.
    if (this.#control.signal.aborted && result.outcome === 'unknown') return result
    const data = replay && result.ok ? { data: result.data ?? null } : {}
    await journal?.write({ key, state: result.outcome, ...data })
    return result
  }
}

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
