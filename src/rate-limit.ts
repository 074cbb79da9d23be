import { ConfigurationError, RateLimitError, type RateLimitState } from './errors.ts'

/** What an answer said of the rate. */
export interface RateLimitAnswer {
  /** The headers of the answer. */
  readonly headers: Headers
  /** Whether the server refused the request because of its rate: 429, in the status or in the body. */
  readonly refused: boolean
  /** How long to wait, in seconds, where the body or the `Retry-After` header says so. */
  readonly retryAfter: number | undefined
}

/** A budget of requests that calls share. One limiter given to several clients makes them share it. */
export interface RateLimiter {
  /** The state now. */
  readonly state: RateLimitState
  /**
   * Takes a place in the budget: `undefined` where one is free at once, else a promise that waits for it.
   * First come, first served. An abort frees the place and rejects with the signal's reason.
   *
   * @throws {RateLimitError} with `outcome: 'not-sent'`, where the wait would be longer than `maxWait`.
   */
  acquire(signal?: AbortSignal): Promise<void> | undefined
  /** To be called exactly once after each place taken: with what the answer said, or nothing where none came. */
  observe(answer?: RateLimitAnswer): void
  /** To be called instead of `observe` where the request was never sent: gives the place back. */
  release?(): void
}

/** The rate that the client keeps to. @see reference, “Limits” */
export interface RateLimitOptions {
  /** Requests in one window, until the server's `X-RateLimit-Limit` says otherwise. Default: 30; `Infinity`: no limit. */
  requests?: number
  /** The length of a window in milliseconds. Default: 60,000. */
  interval?: number
  /** The longest a call may wait for its turn, in milliseconds; a longer wait is an error at once. Default: `Infinity`. */
  maxWait?: number
}

/** Time, so that tests can move it. `now` counts milliseconds and never jumps. */
export interface Clock {
  now(): number
  setTimeout(run: () => void, ms: number): unknown
  clearTimeout(timer: unknown): void
}

const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as number),
}

/** The header values are whole seconds: a reset or a date may be up to this much older or newer than it says. */
const SECOND = 1000
/** A wait longer than this is taken for a mistake of the server. */
const DAY = 86_400_000
/** The longest delay that timers know. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * What this client knows of the server's window.
 *
 * The server's window opens when it counts the first request: after that was sent, before its answer is here. So the
 * window is closed to us from one interval after the sending, when it may have ended, until one interval after
 * the first answer, when it must have. An earlier end comes from `X-RateLimit-Reset`, measured against the answer's
 * own `Date`; those are whole seconds, so they count only where they are the finer knowledge.
 *
 * Others may use the same key. Where they show (less remains than we left, or we are refused), the next window
 * opens with one request, whose answer says what is left; and only a part of that is in flight at a time.
 */
class BudgetWindow {
  #limit: number
  readonly #interval: number
  /** When the window may have ended, and when it must have. */
  #mayEnd = 0
  #mustEnd = Number.NEGATIVE_INFINITY
  /** Requests of this window: sent, and sent but not answered; and those of earlier windows not answered. */
  #sent = 0
  #pending = 0
  #stale = 0
  /** The least that the server said remains in this window. */
  #least = Number.POSITIVE_INFINITY
  #answered = false
  #refused = false
  /** A guess at how many clients share the key, and whether this window's first answer is still awaited for it. */
  #sharers = 1
  #probing = false

  constructor(requests: number, interval: number) {
    this.#limit = requests
    this.#interval = interval
  }

  /** Takes a place, if one is free. */
  take(now: number): boolean {
    if (now >= this.#mustEnd) this.#open(now)
    if (now >= this.#mayEnd || this.#refused) return false
    const sendable = this.#probing ? 1 + this.#stale : Math.ceil(this.#least / this.#sharers)
    if (this.#sent >= this.#limit || this.#pending >= sendable) return false
    this.#sent++
    this.#pending++
    return true
  }

  /** Gives back a place that was not used. */
  release(): void {
    if (this.#pending === 0) return
    this.#pending--
    this.#sent--
  }

  /** Learns from an answer, or from the end of a request that got none. */
  observe(now: number, answer?: RateLimitAnswer): void {
    // Nothing tells which request was answered; those of an earlier window are taken to come first.
    const current = this.#stale === 0
    if (!current) this.#stale--
    else if (this.#pending > 0) this.#pending--

    if (answer) this.#limit = header(answer, 'Limit') || this.#limit
    if (answer?.refused) this.#refuse(now, answer)
    else if (current && !this.#refused) this.#accept(now, answer)
  }

  /** Places left, those in flight taken off; what comes after this window is not in it. */
  left(now: number): number {
    if (now >= this.#mustEnd) return this.#limit
    if (this.#refused) return 0
    return Math.max(0, Math.min(this.#limit - this.#sent, this.#least - this.#pending))
  }

  get limit(): number {
    return this.#limit
  }

  /** When the next window surely opens. */
  get opensAt(): number {
    return this.#mustEnd
  }

  /** The best guess at when this window ends. */
  get endsAt(): number {
    return this.#answered ? this.#mustEnd : this.#mayEnd
  }

  /** The time until the call behind `ahead` others gets its place, if nobody else takes any. */
  wait(now: number, ahead: number): number {
    const behind = ahead - this.left(now)
    return behind < 0 ? 0 : Math.max(0, this.endsAt - now) + Math.floor(behind / this.#limit) * this.#interval
  }

  #open(now: number): void {
    const shared = this.#least < this.#limit - this.#sent
    this.#sharers = this.#refused ? this.#sharers * 2 : shared ? Math.max(2, this.#sharers - 1) : 1
    this.#probing = this.#sharers > 1
    this.#stale += this.#pending
    this.#sent = this.#pending = 0
    this.#least = Number.POSITIVE_INFINITY
    this.#answered = this.#refused = false
    this.#mayEnd = now + this.#interval
    this.#mustEnd = this.#mayEnd + this.#interval
  }

  #accept(now: number, answer: RateLimitAnswer | undefined): void {
    if (!this.#answered) {
      this.#answered = true
      this.#mustEnd = this.#intervalFrom(now)
    }
    if (!answer) return
    this.#probing = false
    this.#least = Math.min(this.#least, header(answer, 'Remaining') ?? this.#least)
    this.#mustEnd = Math.min(this.#mustEnd, now + (untilReset(answer) ?? DAY))
  }

  #refuse(now: number, answer: RateLimitAnswer): void {
    const { retryAfter = 0 } = answer
    const reset = untilReset(answer) ?? DAY
    const until =
      retryAfter > 0 && retryAfter * SECOND <= DAY
        ? now + retryAfter * SECOND
        : reset <= this.#interval + 3 * SECOND
          ? now + reset
          : this.#answered
            ? this.#mustEnd
            : this.#intervalFrom(now)
    this.#mustEnd = this.#refused ? Math.max(this.#mustEnd, until) : until
    this.#answered = this.#refused = true
  }

  /** One interval later by the server's clock, which may run a thousandth slower than ours. */
  #intervalFrom(now: number): number {
    return now + this.#interval * 1.001 + 1
  }
}

/** A count from a header; `undefined` where it is missing or none. */
function header({ headers }: RateLimitAnswer, name: 'Limit' | 'Remaining' | 'Reset'): number | undefined {
  const value = Number.parseInt(headers.get(`X-RateLimit-${name}`) ?? '', 10)
  return value >= 0 ? value : undefined
}

/** The longest time until the window ends by the server's own clock; `undefined` where it does not say, or lies. */
function untilReset(answer: RateLimitAnswer): number | undefined {
  const wait = (header(answer, 'Reset') ?? 0) * SECOND - Date.parse(answer.headers.get('Date') ?? '')
  return wait > 0 ? wait + SECOND : undefined
}

interface Waiter {
  readonly since: number
  /** Ends the wait: with the place, or with the reason why there is none. */
  readonly end: (refusal?: RateLimitError) => void
}

class LocalRateLimiter implements RateLimiter {
  readonly #window: BudgetWindow
  readonly #maxWait: number
  readonly #clock: Clock
  /** In the order of arrival. */
  readonly #waiting = new Set<Waiter>()
  #timer: unknown
  #wakesAt: number | undefined

  constructor(options: Required<RateLimitOptions>, clock: Clock) {
    this.#window = new BudgetWindow(options.requests, options.interval)
    this.#maxWait = options.maxWait
    this.#clock = clock
  }

  get state(): RateLimitState {
    const now = this.#clock.now()
    const { limit, opensAt, endsAt } = this.#window
    const left = this.#window.left(now)
    return {
      limit: Number.isFinite(limit) ? limit : undefined,
      remaining: Number.isFinite(left) ? left : undefined,
      resetAt: now < opensAt ? new Date(Date.now() + Math.max(0, endsAt - now)) : undefined,
      queued: this.#waiting.size,
    }
  }

  acquire(signal?: AbortSignal): Promise<void> | undefined {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const now = this.#clock.now()
    if (this.#waiting.size === 0 && this.#window.take(now)) return undefined

    const wait = this.#window.wait(now, this.#waiting.size)
    if (wait > this.#maxWait) return Promise.reject(this.#tooLong(wait))
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter)
        signal?.removeEventListener('abort', abort)
      }
      const abort = () => {
        leave()
        reject(signal?.reason)
        this.#serve()
      }
      const end = (refusal?: RateLimitError) => {
        leave()
        if (refusal) reject(refusal)
        else resolve()
      }
      const waiter: Waiter = { since: now, end }
      signal?.addEventListener('abort', abort)
      this.#waiting.add(waiter)
      this.#serve()
    })
  }

  observe(answer?: RateLimitAnswer): void {
    this.#window.observe(this.#clock.now(), answer)
    if (this.#waiting.size > 0) this.#serve()
  }

  release(): void {
    this.#window.release()
    if (this.#waiting.size > 0) this.#serve()
  }

  /** Gives the free places to those who wait, first come, first served, and sets the timer for the others. */
  #serve(): void {
    const now = this.#clock.now()
    let ahead = 0
    for (const waiter of this.#waiting) {
      if (ahead === 0 && this.#window.take(now)) {
        waiter.end()
        continue
      }
      if (this.#maxWait === Number.POSITIVE_INFINITY) break
      const wait = now - waiter.since + this.#window.wait(now, ahead)
      if (wait > this.#maxWait) waiter.end(this.#tooLong(wait))
      else ahead++
    }
    this.#wakeAt(this.#nextTurn())
  }

  /** When those who wait are to be looked at again, if no answer comes before; `undefined` where nobody waits. */
  #nextTurn(): number | undefined {
    const [first] = this.#waiting
    return first && Math.min(this.#window.opensAt, first.since + this.#maxWait)
  }

  /** Keeps one timer while somebody waits, and none otherwise. */
  #wakeAt(time: number | undefined): void {
    if (time === this.#wakesAt) return
    if (this.#wakesAt !== undefined) this.#clock.clearTimeout(this.#timer)
    this.#wakesAt = time
    if (time === undefined) return
    const wake = () => {
      this.#wakesAt = undefined
      this.#serve()
    }
    const delay = Math.ceil(time - this.#clock.now())
    this.#timer = this.#clock.setTimeout(wake, Math.min(Math.max(delay, 1), LONGEST_TIMER))
  }

  #tooLong(wait: number): RateLimitError {
    const message = `the next place in the rate budget is ${seconds(wait)} s away, and maxWait is ${seconds(this.#maxWait)} s`
    const refusal = { status: 429, body: undefined, headers: new Headers(), rateLimit: this.state }
    return new RateLimitError(message, refusal, { outcome: 'not-sent', retryable: true }, Math.ceil(wait / SECOND))
  }
}

const seconds = (ms: number) => Number((ms / SECOND).toFixed(1))

/**
 * A budget of requests for the clients of one process. It sends in bursts while there is budget, learns the rate
 * from the headers of the answers, and works without them.
 *
 * @throws {ConfigurationError} where an option does not fit.
 */
export function createRateLimiter(options: RateLimitOptions = {}, clock: Clock = systemClock): RateLimiter {
  const { requests = 30, interval = 60_000, maxWait = Number.POSITIVE_INFINITY } = options
  check('requests', requests, 'a whole number of 1 or more, or Infinity', isCount(requests))
  check('interval', interval, 'a number of milliseconds above 0', interval > 0 && Number.isFinite(interval))
  check('maxWait', maxWait, 'a number of milliseconds of 0 or more, or Infinity', maxWait >= 0)
  return new LocalRateLimiter({ requests, interval, maxWait }, clock)
}

const isCount = (value: number) => value >= 1 && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY)

function check(name: keyof RateLimitOptions, value: unknown, accepted: string, fits: boolean): void {
  if (typeof value === 'number' && fits) return
  throw new ConfigurationError(
    `rateLimit.${name} is ${typeof value === 'string' ? `'${value}'` : value}; accepted is ${accepted}`,
  )
}
