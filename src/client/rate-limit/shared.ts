import { aFunction, type Check, type Checks, checkOptions, nonEmptyString } from '../checks/checks.ts'
import { describeMismatch, formatValue, getReason } from '../checks/mismatch.ts'
import { ConfigurationError, formatIssues, type IssueInput } from '../errors.ts'
import { DAY } from '../platform/rate-headers.ts'
import { TIMED_OUT, throwIfAborted, withDeadline } from '../runtime/abort.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { isRecord } from '../runtime/text.ts'
import { Limiter } from './limiter.ts'
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
 * The window of this process, whose slots also have to be granted by a store.
 *
 * The store opens its window when it counts the first request. That request reaches the server later, so the server's
 * window also ends later. The responses to this process give an upper bound, which is tighter the earlier the first
 * response arrived. No slot is taken before that time.
 */
class SharedWindow extends RateLimitWindow {
  readonly #store: StoreLimiter
  readonly #key: string
  readonly #clock: Clock
  /** The length of a window in milliseconds. */
  readonly #length: number
  /** The last state in the store: the slots that are left, and when the window ends. */
  #remaining = 0
  #endsAt = -Infinity
  /** Until when the store is closed because the server refused a request of any process. */
  #closedUntil = 0
  /** When to ask an unavailable store again; `-Infinity` if it has always been available. */
  #asksAgainAt = -Infinity
  /** The slots that this process has been granted in the window of the store. */
  #taken = 0
  /** Whether other processes took slots of the last window too, as they may if it is unknown. */
  #isShared = true
  /** When the window of the store opened. */
  #openedAt = -Infinity

  constructor(store: StoreLimiter, options: SharedRateLimitOptions, clock: Clock) {
    const length = store.duration * 1000
    super({ requests: store.points, interval: length }, true)
    this.#store = store
    this.#key = options.key ?? 'shortlink-sdk'
    this.#clock = clock
    this.#length = length
  }

  /** If the store is unavailable, only the window of this process counts for a while. */
  override async confirm(isLow: boolean, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#clock.now() < this.#asksAgainAt) return true
    try {
      const consume = async () => this.#store.consume(this.#key)
      const state = await withDeadline(consume, Math.min(ms, STORE_TIMEOUT), signal)
      this.#learn(state.remainingPoints, state.msBeforeNext)
      const isReserved = isLow && state.remainingPoints < this.getReserve(this.#clock.now())
      if (isReserved && (await this.#giveBack(this.#store))) return false
      this.#taken++
      return true
    } catch (refusal) {
      throwIfAborted(signal)
      if (isStoreState(refusal)) this.#learn(0, refusal.msBeforeNext)
      else if (refusal !== TIMED_OUT) this.#loseStore(getReason(refusal))
      else if (ms > STORE_TIMEOUT) this.#loseStore(`it did not respond within ${STORE_TIMEOUT} ms`)
      return false
    }
  }

  override observe(now: number, response?: RateLimitResponse): void {
    super.observe(now, response)
    if (response?.refused) this.#closeForAll(now)
  }

  override getRemaining(now: number): number {
    const remaining = super.getRemaining(now)
    return now < this.#endsAt ? Math.min(remaining, this.#remaining) : remaining
  }

  override estimateWait(now: number, ahead: number): number {
    const wait = super.estimateWait(now, ahead)
    const behind = ahead - (now < this.#endsAt ? this.#remaining : 0)
    if (behind < 0) return Math.max(wait, this.#getSlotTime(this.#taken + ahead) - now)
    if (now >= this.#opensAt) return wait
    return Math.max(wait, this.#opensAt - now + Math.floor(behind / this.#store.points) * this.#length)
  }

  override getImposedWait(now: number): number {
    return Math.max(super.getImposedWait(now), this.#closedUntil - now)
  }

  override getEnd(now: number): number | undefined {
    return now < this.#endsAt ? this.#endsAt : super.getEnd(now)
  }

  /** A tenth of each window is for the normal calls of other processes. */
  protected override get shareOfOthers(): number {
    return Math.max(1, Math.floor(this.#store.points / 10))
  }

  /** How much later than the store's window the server's may end, and how far apart processes may start a window. */
  get #margin(): number {
    return Math.max(200, this.#length / 100)
  }

  /** When the next window is open at the server too. */
  get #opensAt(): number {
    const latest = this.#endsAt + this.#margin
    const { knownEnd = latest } = this
    return knownEnd <= this.#endsAt ? latest : Math.min(knownEnd, latest)
  }

  /**
   * Returns when this process may take its slot number `count` of the window. Its slots become free one after another,
   * so that processes that start a little later get their share.
   */
  #getSlotTime(count: number): number {
    const part = count / this.#store.points
    // A process that took every slot may still not be the only one.
    const pace = this.#isShared ? part : Math.max(0, 2 * part - 1)
    return this.#openedAt + pace * Math.min(8 * this.#margin, 0.8 * this.#length)
  }

  /** Gives back a slot that is reserved for normal calls. Returns whether the store can do that. */
  async #giveBack(store: StoreLimiter): Promise<boolean> {
    if (!store.reward) return false
    this.#remaining++
    await store.reward(this.#key, 1).catch(() => {})
    return true
  }

  #learn(remaining: number, msBeforeNext: number): void {
    const now = this.#clock.now()
    const endsAt = now + Math.min(msBeforeNext, DAY)
    if (endsAt > this.#endsAt + this.#length / 2) {
      this.#isShared = this.#endsAt === -Infinity || this.#taken + this.#remaining < this.#store.points
      this.#taken = 0
      // The store's time, not this process's, so that a process that learns of the window later catches up.
      this.#openedAt = Math.min(now, endsAt - this.#length)
    }
    this.#remaining = remaining
    this.#endsAt = endsAt
    // No window is longer than its length, so a process has blocked the store after a refusal.
    this.#closedUntil = msBeforeNext > this.#length ? endsAt : 0
  }

  /** Counts without the store for a while. Warns once, because a rate limit that is not shared may lead to refusals. */
  #loseStore(why: string): void {
    const isFirst = this.#asksAgainAt === -Infinity
    this.#asksAgainAt = this.#clock.now() + STORE_PAUSE
    this.#endsAt = -Infinity
    this.#closedUntil = 0
    if (!isFirst) return
    console.warn(
      `shortlink-sdk: the store of the shared rate limit is unavailable (${why}). Until it is available again, this process counts alone.`,
    )
  }

  /** Blocks the store after a refusal, until the server allows more requests. */
  #closeForAll(now: number): void {
    const endsAt = super.getEnd(now)
    if (endsAt === undefined) return
    // Zero seconds would block the store forever.
    const seconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
    const close = async () => this.#store.block(this.#key, seconds)
    // If the store has become unavailable, the next call will notice.
    close().catch(() => {})
  }
}

const sharedOptionChecks = { key: nonEmptyString } satisfies Checks<keyof SharedRateLimitOptions>

const positive: Check = {
  expected: 'a number above 0',
  isValid: (value) => Number.isFinite(value) && (value as number) > 0,
}

/** Not the class: the limiter comes from any version of rate-limiter-flexible, or implements the interface itself. */
const storeChecks = { points: positive, duration: positive, consume: aFunction, block: aFunction }

function checkArguments(store: StoreLimiter, options: SharedRateLimitOptions): void {
  const issues: IssueInput[] = []
  if (isRecord(store)) {
    for (const [name, { expected, isValid }] of Object.entries<Check>(storeChecks)) {
      if (isValid(store[name])) continue
      issues.push({ path: ['limiter', name], message: describeMismatch(expected, store[name], formatValue) })
    }
  } else {
    issues.push({ path: ['limiter'], message: describeMismatch('a limiter of rate-limiter-flexible', store) })
  }
  issues.push(...checkOptions(options, sharedOptionChecks))
  if (issues.length) throw new ConfigurationError(`sharedRateLimiter: ${formatIssues(issues)}`)
}

function isStoreState(value: unknown): value is StoreState {
  return !(value instanceof Error) && Number((value as StoreState | null)?.msBeforeNext) >= 0
}
