import process from 'node:process'
import type { RateLimitState } from '../errors.ts'
import { printable } from '../errors.ts'
import type { TaskProgress } from '../tasks/task.ts'
import { clock, count, duration, many } from './words.ts'

const SECOND = 1000

/**
 * Shows progress on standard error, whatever happens: on a terminal a line that counts down each second, elsewhere a new
 * line every ten seconds.
 */
export class Progress {
  readonly #what: string
  readonly #rateLimit: () => RateLimitState
  #latest: TaskProgress | undefined
  #latestAt = 0
  #timer: NodeJS.Timeout | undefined
  #isShown = false

  constructor(what: string, rateLimit: () => RateLimitState) {
    this.#what = what
    this.#rateLimit = rateLimit
  }

  begin(): void {
    const { isTTY } = process.stderr
    this.#timer = setInterval(() => this.#write(), isTTY ? SECOND : 10 * SECOND).unref()
  }

  /** Tells where the work is. */
  readonly show = (progress: TaskProgress): void => {
    this.#latest = progress
    this.#latestAt = performance.now()
    if (process.stderr.isTTY && this.#timer) this.#write()
  }

  /** Prints a line above the progress. */
  say(text: string): void {
    this.clear()
    console.error(text)
  }

  /** Removes the line, before anything else is written. */
  clear(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[2K')
    this.#isShown = false
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.clear()
  }

  #write(): void {
    const text = this.#text()
    if (!process.stderr.isTTY) {
      console.error(text)
      return
    }
    this.#isShown = true
    const line = text.slice(0, Math.max(20, (process.stderr.columns || 80) - 1))
    process.stderr.write(`\r\x1b[2K${printable(line)}`)
  }

  #text(): string {
    const waits = this.#waits()
    if (!this.#latest) return `${this.#what}: ${waits[0] ?? 'waiting for the server'}`
    const { done, failed, total } = this.#latest
    const of = total === undefined ? '' : ` of ${count(total)}`
    const failures = failed > 0 ? [`${count(failed)} failed`] : []
    return [`${count(done + failed)}${of} ${this.#what}`, ...failures, ...waits].join(', ')
  }

  /** How long it takes, and how long the rate limit is waited for. */
  #waits(): string[] {
    const { etaMs } = this.#latest ?? {}
    const left = etaMs === undefined ? 0 : etaMs - (performance.now() - this.#latestAt)
    const { queued, remaining, resetAt } = this.#rateLimit()
    // A call that was refused waits for its retry, not in the queue.
    const isWaiting = queued > 0 || remaining === 0
    const wait = isWaiting && resetAt ? resetAt.getTime() - Date.now() : 0
    return [
      ...(left >= SECOND ? [`${clock(left)} left`] : []),
      ...(wait > 0 ? [`waiting for the rate limit, ${clock(wait)} to go`] : []),
    ]
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

/** How long so many requests more take, said at their start; nothing if the rate limit allows them at once. */
export function startOf(
  what: string,
  requests: number,
  client: { rateLimit: Pick<RateLimitState, 'limit' | 'remaining'> },
): string | undefined {
  const { limit = Infinity, remaining = limit } = client.rateLimit
  return requests > remaining ? `${what}${timeFor(requests, client)}` : undefined
}

/** Shows progress, and says at its start how long it takes to read the rest of the links. */
export function withStart({ client, progress }: { client: Parameters<typeof startOf>[2]; progress: Progress }) {
  let isStarted = false
  return (state: TaskProgress): void => {
    const { total = 0 } = state
    const start = isStarted ? undefined : startOf(many(total, 'link'), Math.ceil(total / 100) - 1, client)
    if (start) progress.say(start)
    isStarted = true
    progress.show(state)
  }
}
