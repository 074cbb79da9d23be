import process from 'node:process'
import ProgressBar from 'progress'
import type { BulkProgress } from '../bulk/results.ts'
import { count, duration } from './words.ts'

const EVERY = 10_000

/** Shows progress on standard error: a bar on a terminal, a line every ten seconds elsewhere. */
export class Progress {
  readonly #what: string
  #bar: ProgressBar | undefined
  #lineAt = performance.now() + EVERY

  constructor(what: string) {
    this.#what = what
  }

  /** Shows where the work is. */
  readonly show = ({ done, failed, total, etaMs }: BulkProgress): void => {
    const finished = done + failed
    const left = etaMs === undefined || etaMs < 1000 ? '' : `, about ${duration(etaMs / 1000)} left`
    const failures = failed > 0 ? `, ${failed} failed` : ''
    const text = `${count(finished)}${total === undefined ? '' : ` of ${count(total)}`} ${this.#what}${failures}${left}`
    if (process.stderr.isTTY && total) {
      this.#bar ??= new ProgressBar('[:bar] :text', { total, width: 30, clear: true, renderThrottle: 50 })
      this.#bar.curr = Math.min(finished, total)
      this.#bar.render({ text })
    } else if (!process.stderr.isTTY && performance.now() >= this.#lineAt) {
      this.#lineAt = performance.now() + EVERY
      console.error(text)
    }
  }

  /** Removes the bar, before anything else is written. */
  end(): void {
    this.#bar?.terminate()
    this.#bar = undefined
  }
}

/** How long so many requests take: `, about 34 minutes at 30 a minute`. Nothing if there is no limit. */
export function timeFor(
  requests: number,
  { rateLimit: { limit } }: { rateLimit: { limit: number | undefined } },
): string {
  if (limit === undefined) return ''
  const minutes = Math.ceil(requests / limit)
  const time =
    minutes <= 1 ? 'less than a minute' : minutes < 120 ? `about ${minutes} minutes` : `about ${duration(minutes * 60)}`
  return `, ${time} at ${limit} a minute`
}
