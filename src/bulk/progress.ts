import { notify } from '../runtime/notify.ts'
import type { Estimate } from './estimate.ts'
import type { BulkProgress, BulkResult, BulkSummary } from './results.ts'

/** Counts the items of a run, and reports after each of them. */
export class Progress {
  readonly #total: number | undefined
  readonly #estimate: Estimate
  readonly #observer: ((progress: BulkProgress) => void) | undefined
  readonly #beganAt = performance.now()
  #done = 0
  #skipped = 0
  #failed = 0
  #unknown = 0

  constructor(total: number | undefined, estimate: Estimate, observer: ((progress: BulkProgress) => void) | undefined) {
    this.#total = total
    this.#estimate = estimate
    this.#observer = observer
  }

  /** Counts an item that an earlier run has done, and that has no result. */
  countSkipped(): void {
    this.#skipped++
    this.#done++
    this.#report()
  }

  countResult(result: BulkResult<unknown, unknown>): void {
    if (result.ok) this.#done++
    else this.#failed++
    if (result.ok && result.replayed) this.#skipped++
    if (result.outcome === 'unknown') this.#unknown++
    this.#report()
  }

  summary(): BulkSummary {
    const [done, skipped, failed, unknown] = [this.#done, this.#skipped, this.#failed, this.#unknown]
    return { done, skipped, failed, unknown, elapsedMs: this.#elapsedMs() }
  }

  #report(): void {
    const [done, failed, total] = [this.#done, this.#failed, this.#total]
    const left = total === undefined ? undefined : Math.max(0, total - done - failed)
    const etaMs = left === undefined ? undefined : this.#estimate.timeFor(left)
    notify(this.#observer, { done, failed, total, elapsedMs: this.#elapsedMs(), etaMs })
  }

  #elapsedMs(): number {
    return performance.now() - this.#beganAt
  }
}
