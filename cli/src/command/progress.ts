import process from 'node:process'
import type { RateLimitState } from 'shortlink-sdk'
import { toPrintable } from '../../../src/client/runtime/text.ts'
import { startStopwatch, type TaskProgress } from '../tasks/task.ts'
import { formatClock, formatCount, formatDuration } from './counts-and-times.ts'

const SECOND_MS = 1000

/** A client, or its rate limit alone. */
interface Limited {
  readonly rateLimit: RateLimitState
}

const unlimited: Limited = {
  rateLimit: { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 },
}

type State = Pick<TaskProgress, 'done' | 'failed' | 'total' | 'etaMs'>

/** Returns whether standard error is a terminal that can redraw a line. Those of CI systems and editors cannot. */
const canRedraw = (): boolean => {
  const { CI = '', TERM } = process.env
  return process.stderr.isTTY && TERM !== 'dumb' && ['', '0', 'false'].includes(CI)
}

/**
 * Shows progress on standard error: on a terminal, one line that is updated every second; elsewhere, a new line every
 * ten seconds.
 */
export class ProgressLine {
  readonly #noun: string
  readonly #client: Limited
  #latest: State | undefined
  #sinceLatest = startStopwatch()
  #timer: NodeJS.Timeout | undefined
  #isShown = false
  #waitsForInput = false

  /**
   * @param noun the plural noun that is counted, such as `links`
   * @param client shows how long calls wait for the rate limit
   */
  constructor(noun: string, client: Limited = unlimited) {
    this.#noun = noun
    this.#client = client
  }

  begin(): void {
    this.#timer = setInterval(() => this.#write(), canRedraw() ? SECOND_MS : 10 * SECOND_MS).unref()
  }

  /** Shows the state of the work. */
  readonly show = (state: State): void => {
    this.#latest = state
    this.#sinceLatest = startStopwatch()
    if (canRedraw() && this.#timer) this.#write()
  }

  /** Shows the state of reading a list, and at its start how long the rest takes. */
  readonly showList = (state: State, rowsPerRequest = 100): void => {
    const { total = 0 } = state
    const time = describeTime(Math.ceil(total / rowsPerRequest) - 1, this.#client)
    if (this.#latest === undefined && time) this.say(`${formatCount(total)} ${this.#noun}${time}`)
    this.show(state)
  }

  /** Sets whether the work waits for its next item. */
  expectInput(isExpected: boolean): void {
    this.#waitsForInput = isExpected
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
    const text = this.#describe()
    if (!canRedraw()) {
      console.error(text)
      return
    }
    this.#isShown = true
    const line = text.slice(0, Math.max(20, (process.stderr.columns || 80) - 1))
    process.stderr.write(`\r\x1b[2K${toPrintable(line)}`)
  }

  #describe(): string {
    const waits = this.#describeWaits()
    if (!this.#latest) {
      return `${this.#noun}: ${waits[0] ?? `waiting for ${this.#waitsForInput ? 'input' : 'the server'}`}`
    }
    const { done, failed, total } = this.#latest
    const of = total === undefined ? '' : ` of ${formatCount(total)}`
    const failures = failed > 0 ? [`${formatCount(failed)} failed`] : []
    const input = this.#waitsForInput ? ['waiting for input'] : []
    return [`${formatCount(done + failed)}${of} ${this.#noun}`, ...failures, ...waits, ...input].join(', ')
  }

  /** Describes the time left, and the time until the rate limit allows the next request. */
  #describeWaits(): string[] {
    const { etaMs } = this.#latest ?? {}
    const left = etaMs === undefined ? 0 : etaMs - this.#sinceLatest()
    const { queued, remaining, resetAt } = this.#client.rateLimit
    // A call that was rejected with 429 waits for its retry outside the queue.
    const isWaiting = queued > 0 || remaining === 0
    const wait = isWaiting && resetAt ? resetAt.getTime() - Date.now() : 0
    return [
      ...(left >= SECOND_MS ? [`${formatClock(left)} left`] : []),
      ...(wait > 0 ? [`waiting for the rate limit, ${formatClock(wait)} to go`] : []),
    ]
  }
}

/**
 * Describes how long requests take under the rate limit: `, about 34 minutes at 30 a minute`. Returns an empty string
 * if they need not wait.
 */
export function describeTime(requests: number, { rateLimit }: Limited): string {
  const { limit = Infinity, remaining = limit } = rateLimit
  if (requests <= remaining) return ''
  const minutes = Math.ceil(requests / limit)
  const time = minutes <= 1 ? 'less than a minute' : `about ${formatDuration(minutes * 60)}`
  return `, ${time} at ${limit} a minute`
}
