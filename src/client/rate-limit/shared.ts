import { type Checks, checkOptions, nonEmptyString } from '../checks/checks.ts'
import { describeMismatch, getReason } from '../checks/mismatch.ts'
import { ConfigurationError, formatIssues, type Issue } from '../errors.ts'
import { TIMED_OUT, withDeadline } from '../runtime/abort.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { DAY } from '../platform/rate-headers.ts'
import { Limiter, type SlotWindow } from './limiter.ts'
import type { RateLimiter, RateLimitResponse } from './rate-limiter.ts'
import { RateLimitWindow } from './window.ts'

/**
 * A limiter of `rate-limiter-flexible` with a store that all processes can reach: `RateLimiterRedis`,
 * `RateLimiterValkey`, `RateLimiterPostgres`, `RateLimiterMemcache`, …
 */
export interface StoreLimiter {
  /** Requests in one window. */
  readonly points: number
  /** The length of a window in seconds. */
  readonly duration: number
  /** Takes a slot. Rejects with the wait if there is none, and with an `Error` if the store cannot be reached. */
  consume(key: string): Promise<StoreState>
  /** Closes the window for all processes. */
  block(key: string, seconds: number): Promise<unknown>
  /** Gives a slot back. Without it, a low-priority call may take a slot that is reserved for normal calls. */
  reward?(key: string, points: number): Promise<unknown>
}

/** The state of the window in the store. */
export interface StoreState {
  /** Requests left in the window. */
  readonly remainingPoints: number
  /** Milliseconds until the window ends. */
  readonly msBeforeNext: number
}

/** Options for {@link sharedRateLimiter}. All have defaults. */
export interface SharedRateLimitOptions {
  /**
   * The name of the rate limit in the store. Use one name per API key, and never the key itself. Default:
   * `shortlink-sdk`.
   */
  key?: string | undefined
}

/** How long the store may take to respond before it counts as unavailable, in milliseconds. */
const STORE_TIMEOUT = 1000

/** How long to wait before an unavailable store is tried again, in milliseconds. */
const STORE_PAUSE = 1000

/**
 * Creates one rate limit for many processes and machines. Each call takes a slot in the store, and one in the window of
 * its own process, which learns from the server's responses. If the store does not respond within a second, only the
 * window of the process counts: the console warns once, and the store is tried again every second.
 *
 * @example
 * const store = new RateLimiterRedis({ storeClient: redis, points: 30, duration: 60 })
 * const client = new ShortLinkClient({ rateLimit: sharedRateLimiter(store) })
 *
 * @throws {ConfigurationError} if the limiter or an option is invalid.
 */
export function sharedRateLimiter(limiter: StoreLimiter, options: SharedRateLimitOptions = {}): RateLimiter {
  return createSharedLimiter(limiter, options, systemClock)
}

/** Creates a shared rate limit with a clock that tests can control. */
export function createSharedLimiter(limiter: StoreLimiter, options: SharedRateLimitOptions, clock: Clock): RateLimiter {
  checkArguments(limiter, options)
  return new Limiter(new SharedWindow(limiter, options, clock), clock)
}

/**
 * The window in a store, combined with the window of this process.
 *
 * The store opens its window when it counts the first request. That request reaches the server later, so the server's
 * window also ends later. The responses to this process give an upper bound, which is tighter the earlier the first
 * response arrived. No slot is taken before that time.
 */
class SharedWindow implements SlotWindow {
  readonly #store: StoreLimiter
  readonly #key: string
  readonly #clock: Clock
  /** The length of a window in milliseconds. */
  readonly #interval: number
  readonly #local: RateLimitWindow
  /** The last state in the store: the slots that are left, and when the window ends. */
  #remaining = 0
  #endsAt = -Infinity
  /** When the server's window has certainly ended, according to the responses to this process. */
  #serverEndsAt = Infinity
  /** Until when the store is closed because the server refused a request of any process. */
  #blockedUntil = 0
  #isStoreAway = false
  #hasWarned = false
  #askAgainAt = 0
  /** Whether a slot was granted that no call has taken yet. */
  #hasSlot = false
  /** The slots that this process has taken in the window of the store, and when that window opened. */
  #taken = 0
  #openedAt = -Infinity
  /** Whether other processes took slots of the last window too. */
  #isShared = false
  /** Until when low-priority calls leave the remaining slots to other calls. */
  #lowWaitsUntil = -Infinity
  /** When to ask again if the store does not respond. In the past if no request to the store is pending. */
  #respondsBy = -Infinity

  constructor(store: StoreLimiter, options: SharedRateLimitOptions, clock: Clock) {
    this.#store = store
    this.#key = options.key ?? 'shortlink-sdk'
    this.#clock = clock
    this.#interval = store.duration * 1000
    this.#local = new RateLimitWindow({ requests: store.points, interval: this.#interval }, true)
  }

  get limit(): number {
    return this.#local.limit
  }

  getNextSlotTime(now: number, isLow: boolean): number {
    if (now < this.#respondsBy) return this.#respondsBy
    if (isLow && this.#isReserved(now)) return Math.max(this.#opensAt, this.#lowWaitsUntil)
    return this.#isClosed(now) ? this.#opensAt : Math.max(this.#local.getNextSlotTime(now), this.#getSlotTime(now))
  }

  take(now: number, wake: () => void, isLow: boolean): boolean {
    if (this.#hasSlot) {
      this.#hasSlot = false
      return true
    }
    const isEarly = now < this.#getSlotTime(now) || (isLow && this.#isReserved(now))
    if (now < this.#respondsBy || isEarly || this.#isClosed(now) || !this.#local.take(now)) return false
    if (this.#isStoreAway && now < this.#askAgainAt) return true
    // The timer of the request is lost if a test has removed its fake timers.
    const respondsBy = now + 2 * STORE_TIMEOUT
    this.#respondsBy = respondsBy
    void this.#ask(isLow).then((isGranted) => {
      if (this.#respondsBy !== respondsBy) return
      this.#respondsBy = -Infinity
      this.#hasSlot = isGranted
      if (!isGranted) this.#local.release()
      wake()
    })
    return false
  }

  release(): void {
    this.#local.release()
  }

  observe(now: number, response?: RateLimitResponse): void {
    this.#local.observe(now, response)
    this.#serverEndsAt = this.#local.getEnd(now) ?? this.#serverEndsAt
    if (response?.refused) this.#closeForAll(now)
  }

  getRemaining(now: number): number {
    const remaining = this.#local.getRemaining(now)
    return now < this.#endsAt ? Math.min(remaining, this.#remaining) : remaining
  }

  estimateWait(now: number, ahead: number): number {
    // The window of this process has already counted the requested slot.
    const wait = this.#local.estimateWait(now, now < this.#respondsBy ? ahead - 1 : ahead)
    const behind = ahead - (now < this.#endsAt ? this.#remaining : 0)
    if (behind < 0 || now >= this.#opensAt) return wait
    return Math.max(wait, this.#opensAt - now + Math.floor(behind / this.#store.points) * this.#interval)
  }

  getImposedWait(now: number): number {
    return Math.max(this.#local.getImposedWait(now), this.#blockedUntil - now, 0)
  }

  getEnd(now: number): number | undefined {
    return now < this.#endsAt ? this.#endsAt : this.#local.getEnd(now)
  }

  /** Returns whether the store has no slot until the next window. */
  #isClosed(now: number): boolean {
    return now < this.#opensAt && (this.#remaining === 0 || now >= this.#endsAt)
  }

  /** How much later than the store's window the server's may end, and how far apart processes may start a window. */
  get #margin(): number {
    return Math.max(200, this.#interval / 100)
  }

  /** When the next window is open at the server too. */
  get #opensAt(): number {
    const latest = this.#endsAt + this.#margin
    return this.#serverEndsAt <= this.#endsAt ? latest : Math.min(this.#serverEndsAt, latest)
  }

  /**
   * Returns when this process may take its next slot of the window. Its slots become free one after another, so that
   * processes that start a little later get their share.
   */
  #getSlotTime(now: number): number {
    if (now >= this.#endsAt) return -Infinity
    const part = this.#taken / this.#store.points
    // A process that took every slot may still not be the only one.
    return this.#openedAt + (this.#isShared ? part : Math.max(0, 2 * part - 1)) * 4 * this.#margin
  }

  /** The slots of each window that low-priority calls leave to other calls. A window of one slot has none. */
  get #reserve(): number {
    const { points } = this.#store
    return points === 1 ? 0 : Math.max(1, Math.floor(points / 10))
  }

  /** Returns whether the slots that are left are reserved for normal calls. */
  #isReserved(now: number): boolean {
    return now < this.#lowWaitsUntil || (now < this.#endsAt && this.#remaining <= this.#reserve && this.#reserve > 0)
  }

  /** Asks the store for a slot. If the store is unavailable, the slot is granted. */
  async #ask(isLow: boolean): Promise<boolean> {
    try {
      const state = await withDeadline(async () => this.#store.consume(this.#key), STORE_TIMEOUT, undefined)
      this.#learn(state.remainingPoints, state.msBeforeNext)
      if (isLow && state.remainingPoints < this.#reserve) return !(await this.#giveBack())
      this.#taken++
      // If windows have one slot, low-priority calls leave every second window to other calls.
      if (isLow && this.#reserve === 0) this.#lowWaitsUntil = this.#opensAt + this.#interval
      return true
    } catch (refusal) {
      if (isStoreState(refusal)) {
        this.#learn(0, refusal.msBeforeNext)
        return false
      }
      this.#askAgainAt = this.#clock.now() + STORE_PAUSE
      this.#loseStore(refusal === TIMED_OUT ? `it did not respond within ${STORE_TIMEOUT} ms` : getReason(refusal))
      return true
    }
  }

  /** Gives back a slot that is reserved for normal calls. Returns whether the store supports that. */
  async #giveBack(): Promise<boolean> {
    if (!this.#store.reward) return false
    this.#lowWaitsUntil = this.#opensAt
    this.#remaining++
    await this.#store.reward(this.#key, 1).catch(() => {})
    return true
  }

  #learn(remaining: number, msBeforeNext: number): void {
    const now = this.#clock.now()
    const endsAt = now + Math.min(msBeforeNext, DAY)
    if (endsAt > this.#endsAt + this.#interval / 2) {
      const isExhausted = this.#endsAt > -Infinity && this.#remaining === 0
      this.#isShared = isExhausted && this.#taken < this.#store.points
      this.#taken = 0
      // The store's time, not this process's, so that a process that learns of the window later catches up.
      this.#openedAt = Math.min(now, endsAt - this.#interval)
    }
    this.#remaining = remaining
    this.#endsAt = endsAt
    // No window is longer than the interval, so a process has blocked the store after a refusal.
    this.#blockedUntil = msBeforeNext > this.#interval ? this.#endsAt : 0
    this.#isStoreAway = false
  }

  /** Counts without the store from now on. Warns once, because a rate limit that is not shared may lead to refusals. */
  #loseStore(why: string): void {
    this.#isStoreAway = true
    this.#endsAt = -Infinity
    this.#blockedUntil = 0
    if (this.#hasWarned) return
    this.#hasWarned = true
    console.warn(
      `shortlink-sdk: the store of the shared rate limit is unavailable (${why}). Until it is available again, this process counts alone.`,
    )
  }

  /** Blocks the store after a refusal, until the server allows more requests. */
  #closeForAll(now: number): void {
    const endsAt = this.#local.getEnd(now)
    if (this.#isStoreAway || endsAt === undefined) return
    // Zero seconds would block the store forever.
    const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
    const close = async () => this.#store.block(this.#key, seconds)
    // If the store has become unavailable, the next call will notice.
    close().catch(() => {})
  }
}

const sharedOptionChecks = { key: nonEmptyString } satisfies Checks<keyof SharedRateLimitOptions>

function checkArguments(store: StoreLimiter, options: SharedRateLimitOptions): void {
  const issues: Issue[] = checkOptions(options, sharedOptionChecks)
  if (!(typeof store?.consume === 'function' && store.points > 0 && store.duration > 0)) {
    const expected = 'a limiter of rate-limiter-flexible with points and a duration above 0'
    issues.unshift({ path: ['limiter'], message: describeMismatch(expected, store) })
  }
  if (issues.length) throw new ConfigurationError(`sharedRateLimiter: ${formatIssues(issues)}`)
}

function isStoreState(value: unknown): value is StoreState {
  return !(value instanceof Error) && Number((value as StoreState | null)?.msBeforeNext) >= 0
}
