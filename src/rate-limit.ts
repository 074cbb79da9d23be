import { ConfigurationError, RateLimitError, type RateLimitState } from './errors.ts'
import { kind } from './wire.ts'

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

// The globals are looked up each time, so that a test's fake timers are found.
const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as number),
}

const SECOND = 1000
/** A wait longer than this is taken for a mistake of the server. */
const DAY = 86_400_000
/** The longest delay that timers know. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * What this client knows of the server's window.
 *
 * The server's window opens when it counts the first request: after that was sent, before its answer is here. So
 * nothing is sent from one interval after the sending, when the window may have ended, until one interval after the
 * first answer, when it must have. An earlier end comes from `X-RateLimit-Reset`, measured against the answer's own
 * `Date`; both are whole seconds, so they count only where they are the finer knowledge.
 *
 * Others may use the same key. Where they show (less remains than we left, or we are refused), the next window begins
 * with one request, whose answer says what is left, and only a part of that is in flight at a time.
 */
function createWindow(requests: number, interval: number) {
  let limit = requests
  /** When the window may have ended, and when it must have. */
  let mayEnd = 0
  let mustEnd = 0
  /** Requests of this window, those of them not answered yet, and those of earlier windows not answered yet. */
  let sent = 0
  let pending = 0
  let stale = 0
  /** The least that the server said remains. */
  let least = Infinity
  let answered = false
  let refused = false
  /** A guess at how many clients share the key, and whether the first answer is awaited to learn more. */
  let sharers = 1
  let probing = false

  function open(now: number): void {
    const shared = least < limit - sent
    sharers = refused ? sharers * 2 : shared ? Math.max(2, sharers - 1) : 1
    probing = sharers > 1
    stale += pending
    sent = pending = 0
    least = Infinity
    answered = refused = false
    mayEnd = now + interval
    mustEnd = mayEnd + interval
  }

  /** One interval later by the server's clock, which may run a thousandth slower than ours. */
  const intervalAfter = (now: number) => now + interval * 1.001 + 1

  function accept(now: number, answer: RateLimitAnswer | undefined): void {
    if (!answered) mustEnd = intervalAfter(now)
    answered = true
    if (!answer) return
    probing = false
    least = Math.min(least, header(answer, 'Remaining') ?? Infinity)
    mustEnd = Math.min(mustEnd, now + untilReset(answer))
  }

  function refuse(now: number, answer: RateLimitAnswer): void {
    const said = (answer.retryAfter ?? Infinity) * SECOND
    const reset = untilReset(answer)
    let until = answered ? mustEnd : intervalAfter(now)
    if (said <= DAY) until = now + said
    else if (reset <= interval + 3 * SECOND) until = now + reset
    mustEnd = refused ? Math.max(mustEnd, until) : until
    answered = refused = true
  }

  return {
    /** Takes a place, if one is free. */
    take(now: number): boolean {
      if (now >= mustEnd) open(now)
      const inFlight = probing ? stale + 1 : Math.ceil(least / sharers)
      const free = now < mayEnd && !refused && sent < limit && pending < inFlight
      if (free) {
        sent++
        pending++
      }
      return free
    },

    /** Gives back a place that was not used. */
    release(): void {
      if (pending === 0) return
      pending--
      sent--
    },

    /** Learns from an answer, or from the end of a request that got none. */
    observe(now: number, answer?: RateLimitAnswer): void {
      // Nothing tells which request was answered; those of an earlier window are taken to come first.
      const current = stale === 0
      if (!current) stale--
      else if (pending > 0) pending--
      if (answer) limit = header(answer, 'Limit') || limit
      // "Again at once" is no word about the window.
      if (answer?.refused && answer.retryAfter !== 0) refuse(now, answer)
      else if (current && !refused) accept(now, answer)
      if (current && answer?.refused) sent--
    },

    /** Places left, those in flight taken off. */
    left(now: number): number {
      if (now >= mustEnd) return limit
      return refused ? 0 : Math.max(0, Math.min(limit - sent, least - pending))
    },

    /** How long the call behind `ahead` others waits for its place, if nobody else takes any. */
    wait(now: number, ahead: number): number {
      const behind = ahead - this.left(now)
      return behind < 0 ? 0 : Math.max(0, this.endsAt - now) + Math.floor(behind / limit) * interval
    },

    get limit() {
      return limit
    },

    /** When the window ends, as far as is known. */
    get endsAt() {
      return answered ? mustEnd : mayEnd
    },

    /** When the next one surely begins. */
    get nextAt() {
      return mustEnd
    },
  }
}

/** A count from a header; `undefined` where it is missing or none. */
function header({ headers }: RateLimitAnswer, name: 'Limit' | 'Remaining' | 'Reset'): number | undefined {
  const value = Number.parseInt(headers.get(`X-RateLimit-${name}`) ?? '', 10)
  return value >= 0 ? value : undefined
}

/**
 * The longest time until the window ends by the server's own clock; `Infinity` where it does not say, or lies. The
 * reset may be rounded down, so that the window ends within the second after it.
 */
function untilReset(answer: RateLimitAnswer): number {
  const wait = (header(answer, 'Reset') ?? 0) * SECOND - Date.parse(answer.headers.get('Date') ?? '')
  return wait > 0 ? wait + SECOND : Infinity
}

interface Waiter {
  readonly since: number
  /** Ends the wait: with the place, or with the reason why there is none. */
  readonly end: (refusal?: RateLimitError) => void
}

/**
 * A budget of requests for the clients of one process. It sends in bursts while there is budget, learns the rate
 * from the headers of the answers, and works without them.
 *
 * @throws {ConfigurationError} where an option does not fit.
 */
export function createRateLimiter(options: RateLimitOptions = {}, clock: Clock = systemClock): RateLimiter {
  const { requests = 30, interval = 60_000, maxWait = Infinity } = options
  const isCount = Number.isInteger(requests) || requests === Infinity
  check('requests', requests, 'a whole number from 1, or Infinity', isCount && requests > 0)
  check('interval', interval, 'milliseconds above 0', interval > 0 && interval < Infinity)
  check('maxWait', maxWait, 'milliseconds from 0, or Infinity', maxWait >= 0)

  const window = createWindow(requests, interval)
  /** In the order of arrival. */
  const waiting = new Set<Waiter>()
  let timer: unknown
  let wakesAt: number | undefined

  /** Gives the free places to those who wait, first come, first served, and sets the timer for the others. */
  function serve(): void {
    const now = clock.now()
    let ahead = 0
    for (const waiter of waiting) {
      if (ahead === 0 && window.take(now)) waiter.end()
      else if (maxWait === Infinity) break
      else {
        const wait = now - waiter.since + window.wait(now, ahead)
        if (wait > maxWait) waiter.end(tooLong(wait))
        else ahead++
      }
    }
    const [first] = waiting
    wakeAt(first && Math.min(window.nextAt, first.since + maxWait))
  }

  /** Keeps one timer while somebody waits, and none otherwise. */
  function wakeAt(time: number | undefined): void {
    if (time === wakesAt) return
    if (wakesAt !== undefined) clock.clearTimeout(timer)
    wakesAt = time
    if (time === undefined) return
    const delay = Math.min(Math.max(1, Math.ceil(time - clock.now())), LONGEST_TIMER)
    timer = clock.setTimeout(() => {
      wakesAt = undefined
      serve()
    }, delay)
  }

  function wait(since: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(waiter)
        signal?.removeEventListener('abort', abort)
      }
      const abort = () => {
        leave()
        serve()
        reject(signal?.reason)
      }
      const end = (refusal?: RateLimitError) => {
        leave()
        if (refusal) reject(refusal)
        else resolve()
      }
      const waiter = { since, end }
      signal?.addEventListener('abort', abort)
      waiting.add(waiter)
      serve()
    })
  }

  function tooLong(wait: number): RateLimitError {
    const message = `the next free place in the rate budget is ${Math.ceil(wait)} ms away, and maxWait is ${maxWait}`
    const refusal = { status: 429, body: undefined, headers: new Headers(), rateLimit: limiter.state }
    return new RateLimitError(message, refusal, { outcome: 'not-sent', retryable: true }, Math.ceil(wait / SECOND))
  }

  const limiter: RateLimiter = {
    get state() {
      const now = clock.now()
      const { limit, endsAt, nextAt } = window
      return {
        limit: finite(limit),
        remaining: finite(window.left(now)),
        resetAt: now < nextAt ? new Date(Date.now() + Math.max(0, endsAt - now)) : undefined,
        queued: waiting.size,
      }
    },

    acquire(signal) {
      if (signal?.aborted) return Promise.reject(signal.reason)
      const now = clock.now()
      if (waiting.size === 0 && window.take(now)) return undefined
      const delay = window.wait(now, waiting.size)
      return delay > maxWait ? Promise.reject(tooLong(delay)) : wait(now, signal)
    },

    observe(answer) {
      window.observe(clock.now(), answer)
      if (waiting.size > 0) serve()
    },

    release() {
      window.release()
      if (waiting.size > 0) serve()
    },
  }
  return limiter
}

const finite = (count: number) => (count < Infinity ? count : undefined)

function check(name: keyof RateLimitOptions, value: unknown, accepted: string, fits: boolean): void {
  if (typeof value === 'number' && fits) return
  const received = typeof value === 'number' ? value : kind(value)
  throw new ConfigurationError(`rateLimit.${name}: expected ${accepted}, received ${received}`)
}
