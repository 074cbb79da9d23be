import { ConfigurationError, describe, type Issue, type RateLimitState } from '../errors.ts'
import { EXPIRED, sleep, withDeadline } from '../runtime/deadline.ts'
import { notify } from '../runtime/notify.ts'
import { aFunction, type Checks, checkOptions, milliseconds, nonEmptyString } from '../schema/checks.ts'
import { mismatch } from '../schema/expected.ts'
import { DAY } from './headers.ts'
import { LocalRateLimiter, type RateLimitAnswer, type RateLimiter, rateLimitChecks } from './limiter.ts'
import { type AcquireOptions, type Forecast, WaitingQueue } from './queue.ts'

/**
 * A limiter of `rate-limiter-flexible` over a store that all processes reach: `RateLimiterRedis`, `RateLimiterValkey`,
 * `RateLimiterPostgres`, `RateLimiterMemcache`, …
 */
export interface StoreLimiter {
  /** Requests in one window. */
  readonly points: number
  /** The length of a window in seconds. */
  readonly duration: number
  /** Takes a place. Rejects with the wait if there is none, and with an `Error` if the store cannot be reached. */
  consume(key: string): Promise<StoreAnswer>
  /** Closes the window to everybody. */
  block(key: string, seconds: number): Promise<unknown>
}

/** What the store says of the window. */
export interface StoreAnswer {
  readonly remainingPoints: number
  /** Milliseconds until the window ends. */
  readonly msBeforeNext: number
}

/** Options of {@link sharedRateLimiter}; all have defaults. */
export interface SharedRateLimitOptions {
  /**
   * The name of the budget in the store. Use one name per API key, and never the key itself. Default: `shortlink-sdk`.
   */
  key?: string
  /**
   * The longest a call may wait for its turn, in milliseconds. A call that would have to wait longer fails at once. The
   * time that the store takes to answer is not counted. Default: `Infinity`.
   */
  maxWait?: number
  /** How long the store may take to answer before it counts as unavailable, in milliseconds. Default: 1,000. */
  storeTimeout?: number
  /** Called when the store becomes unavailable, and when it is back. */
  onStateChange?: (change: StoreChange) => void
}

/** The store became unavailable, or is back. */
export interface StoreChange {
  /** Whether the budget is shared now. If not, this process counts alone and tries the store again every second. */
  readonly shared: boolean
  /** Why the store could not be reached. */
  readonly error?: unknown
}

/** How long an unavailable store is left alone, in milliseconds. */
const STORE_PAUSE = 1000

/**
 * Creates one budget of requests for many processes and machines. Each call takes a place in the store, and one in the
 * budget of its own process, which knows from the responses what the server thinks. While the store is unavailable,
 * that budget goes on alone.
 *
 * @example
 * const store = new RateLimiterRedis({ storeClient: redis, points: 30, duration: 60 })
 * const client = new ShortLinkClient({ rateLimit: sharedRateLimiter(store) })
 *
 * @throws {ConfigurationError} if the limiter or an option is not valid.
 */
export function sharedRateLimiter(limiter: StoreLimiter, options: SharedRateLimitOptions = {}): RateLimiter {
  return new SharedRateLimiter(limiter, options)
}

class SharedRateLimiter implements RateLimiter {
  readonly #store: StoreLimiter
  readonly #key: string
  readonly #storeTimeout: number
  readonly #onStateChange: SharedRateLimitOptions['onStateChange']
  /** The length of a window in milliseconds. */
  readonly #interval: number
  /** How much later than the store's window the server's may end: it starts when the first request arrives there. */
  readonly #margin: number
  readonly #local: LocalRateLimiter
  readonly #queue: WaitingQueue
  /** What the store said last: places left, until when, and until when it is blocked. */
  #remaining = Infinity
  #endsAt = 0
  #blockedUntil = 0
  #isStoreAway = false
  #askAgainAt = 0
  #isServing = false
  /** Ends the waiting on behalf of the queue when the last call has left it. */
  #abandoned = new AbortController()

  constructor(store: StoreLimiter, options: SharedRateLimitOptions) {
    checkArguments(store, options)
    const { key = 'shortlink-sdk', maxWait = Infinity, storeTimeout = 1000, onStateChange } = options
    this.#store = store
    this.#key = key
    this.#storeTimeout = storeTimeout
    this.#onStateChange = onStateChange
    this.#interval = store.duration * 1000
    this.#margin = Math.max(100, this.#interval / 50)
    this.#local = new LocalRateLimiter({ requests: store.points, interval: this.#interval })
    this.#queue = new WaitingQueue(maxWait, () => this.state)
  }

  get state(): RateLimitState {
    const { limit, remaining = Infinity, resetAt } = this.#local.state
    const untilEnd = this.#endsAt - performance.now()
    return {
      limit,
      remaining: untilEnd > 0 ? Math.min(remaining, this.#remaining) : remaining,
      resetAt: untilEnd > 0 ? new Date(Date.now() + untilEnd) : resetAt,
      queued: this.#queue.size,
    }
  }

  acquire(signal?: AbortSignal, options: AcquireOptions = {}): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const place = this.#queue.join(performance.now(), this.#forecast(), signal, options, () => this.#checkAbandoned())
    void this.#serve()
    return place
  }

  observe(answer?: RateLimitAnswer): void {
    this.#local.observe(answer)
    this.#reviewWaits()
    if (answer?.refused && answer.retryAfter !== 0) this.#closeForAll()
  }

  release(): void {
    this.#local.release()
  }

  /** Gives places to the calls that wait, one after another. */
  async #serve(): Promise<void> {
    if (this.#isServing) return
    this.#isServing = true
    try {
      while (this.#queue.size > 0) {
        this.#abandoned = new AbortController()
        await this.#takePlace(this.#abandoned.signal)
        if (this.#queue.size > 0) this.#queue.admitNext()
        else this.#local.release()
      }
    } catch {
      // Abandoned. Calls that came since then are served by the next round.
    }
    this.#isServing = false
    if (this.#queue.size > 0) void this.#serve()
  }

  /** Takes a place in the budget of this process and one in the store. */
  async #takePlace(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#local.acquire(signal)
      const wait = await this.#ask()
      if (wait === 0) return
      this.#local.release()
      this.#reviewWaits()
      await sleep(wait, signal)
    }
  }

  /** Asks the store for a place. Returns how long to wait for the next; 0 if there is one, or if the store is away. */
  async #ask(): Promise<number> {
    if (this.#isStoreAway && performance.now() < this.#askAgainAt) return 0
    try {
      this.#learn(await withDeadline(async () => this.#store.consume(this.#key), this.#storeTimeout, undefined))
      return 0
    } catch (refusal) {
      if (isStoreAnswer(refusal)) {
        this.#learn(refusal)
        return Math.min(refusal.msBeforeNext + this.#margin, DAY)
      }
      const error =
        refusal === EXPIRED ? new Error(`the store did not answer within ${this.#storeTimeout} ms`) : refusal
      this.#askAgainAt = performance.now() + STORE_PAUSE
      this.#changeState(true, error)
      return 0
    }
  }

  #learn({ remainingPoints, msBeforeNext }: StoreAnswer): void {
    const now = performance.now()
    this.#remaining = remainingPoints
    this.#endsAt = now + msBeforeNext
    // No window is longer than the interval: somebody was refused by the server, and blocked the store.
    this.#blockedUntil = msBeforeNext > this.#interval ? this.#endsAt : 0
    this.#changeState(false)
  }

  #changeState(isAway: boolean, error?: unknown): void {
    if (this.#isStoreAway === isAway) return
    this.#isStoreAway = isAway
    if (isAway) {
      this.#endsAt = this.#blockedUntil = 0
      notify(this.#onStateChange, { shared: false, error })
    } else notify(this.#onStateChange, { shared: true })
  }

  /** How long calls that come now have to wait: by what this process knows, and by what the store said. */
  #forecast(): Forecast {
    const { wait, imposed } = this.#local.forecast
    const now = performance.now()
    const untilEnd = this.#endsAt - now
    return {
      wait: (ahead) => {
        const behind = ahead - this.#remaining
        const isFull = untilEnd > 0 && behind >= 0
        const moreWindows = Math.floor(behind / this.#store.points) * this.#interval
        return Math.max(wait(ahead), isFull ? untilEnd + this.#margin + moreWindows : 0)
      },
      imposed: Math.max(imposed, this.#blockedUntil - now, 0),
    }
  }

  /** Something was learned of the budget: rejects the calls that now wait too long, and tells the others. */
  #reviewWaits(): void {
    this.#queue.rejectOverdue(performance.now(), this.#forecast())
    this.#queue.tellWaits(this.#forecast())
    this.#checkAbandoned()
  }

  #checkAbandoned(): void {
    if (this.#queue.size === 0) this.#abandoned.abort()
  }

  /** The server refuses: no process may send before it allows more. */
  #closeForAll(): void {
    const { resetAt } = this.#local.state
    if (this.#isStoreAway || !resetAt) return
    // Zero seconds would block the store forever.
    const seconds = Math.max(1, Math.ceil((resetAt.getTime() - Date.now()) / 1000))
    // If the store has become unavailable, the next call will notice.
    this.#store.block(this.#key, seconds).catch(() => {})
  }
}

const optionChecks: Checks<keyof SharedRateLimitOptions> = {
  key: nonEmptyString,
  maxWait: rateLimitChecks.maxWait,
  storeTimeout: milliseconds,
  onStateChange: aFunction,
}

function checkArguments(store: StoreLimiter, options: SharedRateLimitOptions): void {
  const issues: Issue[] = checkOptions(options, optionChecks)
  if (!(typeof store?.consume === 'function' && store.points > 0 && store.duration > 0)) {
    const expected = 'a limiter of rate-limiter-flexible with points and a duration above 0'
    issues.unshift({ path: ['limiter'], message: mismatch(expected, store) })
  }
  if (issues.length) throw new ConfigurationError(`sharedRateLimiter: ${describe(issues)}`)
}

function isStoreAnswer(value: unknown): value is StoreAnswer {
  return !(value instanceof Error) && Number((value as StoreAnswer | null)?.msBeforeNext) >= 0
}
