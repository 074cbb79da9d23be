import { DAY, type ParsedRateHeaders, parseRateHeaders } from '../platform/rate-headers.ts'
import type { RateLimitOptions, RateLimitResponse } from './rate-limiter.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DEFAULT_REQUESTS = 30

/** What the clients of a window asked for. */
interface Wishes {
  /** The smallest limit that a client has set. */
  readonly requests: number
  /** The limit until the server states one. */
  readonly assumed: number
  /** The longest interval that a client has set; 0 if none. */
  readonly interval: number
}

const noWishes: Wishes = { requests: Infinity, assumed: Infinity, interval: 0 }

const combine = (one: Wishes, other: Wishes): Wishes => ({
  requests: Math.min(one.requests, other.requests),
  assumed: Math.min(one.assumed, other.assumed),
  interval: Math.max(one.interval, other.interval),
})

const NO_RESPONSE: RateLimitResponse = { headers: { get: () => null }, refused: false, retryAfter: undefined }

/**
 * This client's view of the server's rate-limit window.
 *
 * The server opens its window when it counts the first request: after the request was sent, and before its response
 * arrives. So the window may have ended one interval after the sending, and must have ended one interval after the
 * first response. Nothing is sent in between. A response can change that end:
 *
 * - `X-RateLimit-Reset`, compared with the `Date` of the same response, may end the window earlier. Both are whole
 *   seconds, so they only count if they are more precise.
 * - A refusal that states a wait ends the window after that wait, which no later response shortens.
 *
 * Other programs may use the same key. They retry refused requests when the window begins, up to a second later because
 * `Retry-After` is in whole seconds. So a window that calls have waited for is not emptied in one burst: its slots
 * become free evenly during two seconds, or during half a minute if others use the key. Others use it if fewer requests
 * remain than this client's own requests explain, or if a request was refused because none remain. Windows below a
 * minute shorten these times.
 *
 * All times are in milliseconds on the clock of the caller, who passes the current time as `now`.
 */
export class RateLimitWindow {
  readonly #isCoordinated: boolean
  /** What clients have asked for since this window opened, and since the one before it did. */
  #newWishes = noWishes
  #wishes = noWishes
  /** The limit that the server has stated. */
  #stated: number | undefined
  /** Until when the server said to wait after a refusal. */
  #blockedUntil = 0
  /** When the previous window ended. */
  #opensAt = -Infinity
  /** One interval after the first request was sent. */
  #mayEndAt = -Infinity
  /** When the window must have ended, according to its responses; `undefined` before the first. */
  #knownEnd: number | undefined
  #sent = 0
  /** Requests without a response so far. */
  #pending = 0
  /** The smallest remaining count that the server has stated in this window. */
  #leastRemaining = Infinity
  /** Whether other programs use the key, according to the last response that states how much is left. */
  #hasOthers = false
  /** How many requests the server may have counted in this window before this client's first one. */
  #countedBefore = 0
  /** How many calls of normal priority came in this window, and in the last one. */
  #normalCalls = 0
  #lastNormalCalls = 0
  /** Until when low-priority calls leave the only slot of each window to other calls. */
  #lowWaitsUntil = -Infinity

  /** @param isCoordinated Whether all programs that use the key take their slots from one store. */
  constructor(options: RateLimitOptions, isCoordinated = false) {
    this.#isCoordinated = isCoordinated
    this.restrict(options)
  }

  /**
   * Applies the options of a client. They hold in this window and the next: the smallest number of requests, which the
   * server can lower but not raise, and the longest interval.
   */
  restrict({ requests, interval = 0 }: RateLimitOptions): void {
    const wishes = { requests: requests ?? Infinity, assumed: requests ?? DEFAULT_REQUESTS, interval }
    this.#newWishes = combine(this.#newWishes, wishes)
    this.#wishes = combine(this.#wishes, wishes)
  }

  get limit(): number {
    return Math.min(this.#wishes.requests, this.#stated ?? this.#wishes.assumed)
  }

  /** Counts a call of normal priority that wants a slot. Low-priority calls leave slots to such calls. */
  countNormalCall(): void {
    this.#normalCalls++
  }

  /**
   * Asks a store for the slot that is free here, for at most `ms` milliseconds. Only a window that shares its slots has
   * this method. Rejects with the reason of the signal.
   */
  confirm?(isLow: boolean, ms: number, signal: AbortSignal | undefined): Promise<boolean>

  /** Takes a slot that is free. */
  take(now: number, isLow: boolean): void {
    if (now >= this.#mustEndAt) this.#open()
    if (this.#sent === 0) {
      this.#mayEndAt = now + this.#interval
      this.#knownEnd = undefined
    }
    this.#sent++
    this.#pending++
    // A window of one slot has no reserve, so every second window is left to normal calls.
    const isLeft = isLow && this.limit === 1 && this.#expectedCalls + this.shareOfOthers > 0
    if (isLeft) this.#lowWaitsUntil = this.#mayEndAt + this.#interval
  }

  /** Releases a slot whose request was never sent. */
  release(): void {
    if (this.#pending === 0) return
    this.#pending--
    this.#sent--
  }

  /** Learns from a response, or from the end of a request that got none. */
  observe(now: number, { headers, refused, retryAfter }: RateLimitResponse = NO_RESPONSE): void {
    const parsed = parseRateHeaders(headers)
    const end = now + (refused ? getStatedWait(parsed, retryAfter, this.#interval) : getTimeUntilReset(parsed))
    // A refusal that states a wait and slots left may come from another limit of the server.
    const isUsedUp = refused && (end === Infinity || !parsed.remaining)
    this.#pending = Math.max(0, this.#pending - 1)
    if (parsed.limit) this.#stated = parsed.limit
    if (refused && end < Infinity) this.#blockedUntil = Math.max(this.#blockedUntil, end)
    // A late response does not bring back a window that has ended, unless it is a refusal.
    if (refused || now < this.#mustEndAt) {
      // The server's clock may be 0.1 % slower than this one.
      const latest = this.#knownEnd ?? now + this.#interval * 1.001 + 1
      this.#knownEnd = Math.max(this.#blockedUntil, Math.min(latest, end))
    }
    const remaining = isUsedUp ? 0 : parsed.remaining
    if (remaining !== undefined) this.#learnRemaining(now, remaining, isUsedUp)
    if (refused) this.#sent = Math.max(0, this.#sent - 1)
  }

  /** Returns how many slots are left, not counting requests in flight. */
  getRemaining(now: number): number {
    return this.#countRemaining(now)
  }

  #countRemaining(now: number): number {
    if (this.#isOver(now)) return this.limit
    if (now < this.#blockedUntil || (now >= this.#mayEndAt && this.limit < Infinity)) return 0
    return Math.max(0, Math.min(this.limit - this.#sent, this.#leastRemaining - this.#pending))
  }

  /**
   * Estimates the wait of a call with `ahead` calls in front of it, if no other program uses the key. 0: a slot is free.
   */
  estimateWait(now: number, ahead: number): number {
    const behind = ahead - this.#countRemaining(now)
    if (behind < 0) return Math.max(0, this.#getSlotTime(this.#sent + ahead) - now)
    const windows = Math.floor(behind / this.limit)
    const share = (behind % this.limit) / this.limit
    return (this.#findEnd(now) ?? now) - now + windows * this.#interval + share * this.#getRampTime(this.#hadOthers)
  }

  /** Estimates the wait of a call of low priority, which leaves slots to normal calls. */
  estimateLowWait(now: number, ahead: number): number {
    const wait = Math.max(this.estimateWait(now, ahead + this.getReserve(now)), this.#lowWaitsUntil - now)
    const spare = this.getRemaining(now) - 1 - ahead - this.shareOfOthers
    if (wait === 0 || spare < 1 || this.#expectedCalls === 0) return wait
    // The reserve shrinks until the window ends.
    const freeAt = this.#getWindowEnd(now) - (spare / this.#expectedCalls) * this.#interval
    return Math.min(wait, Math.max(this.estimateWait(now, ahead), freeAt - now))
  }

  /**
   * Returns how many slots are for normal calls: as many as the rest of the window will bring if it is like the last
   * one, and at least one if there were any.
   */
  protected getReserve(now: number): number {
    const expected = (this.#expectedCalls * (this.#getWindowEnd(now) - now)) / this.#interval
    const own = Math.max(Math.ceil(expected), Math.min(1, this.#expectedCalls))
    return Math.min(own + this.shareOfOthers, this.limit - 1)
  }

  /** How many slots of each window are for the normal calls of other processes. */
  protected get shareOfOthers(): number {
    return 0
  }

  /** How many normal calls a whole window will bring. */
  get #expectedCalls(): number {
    return Math.max(this.#normalCalls, this.#lastNormalCalls)
  }

  /** Returns when the window ends, or the next one if none is open. */
  #getWindowEnd(now: number): number {
    return this.getEnd(now) ?? now + this.#interval
  }

  /** Returns the rest of the wait that the server imposed when it refused a request. */
  getImposedWait(now: number): number {
    return Math.max(0, this.#blockedUntil - now)
  }

  /** Returns when the window ends, as far as is known; `undefined` if none is open. */
  getEnd(now: number): number | undefined {
    return this.#findEnd(now)
  }

  /** When the window must have ended, according to its responses; `undefined` before the first. */
  protected get knownEnd(): number | undefined {
    return this.#knownEnd
  }

  #findEnd(now: number): number | undefined {
    if (this.#isOver(now)) return undefined
    return this.#knownEnd ?? (now < this.#mayEndAt ? this.#mayEndAt : this.#mustEndAt)
  }

  /** Returns whether no window is open. If every slot was released, the next request opens it anew. */
  #isOver(now: number): boolean {
    return now >= this.#mustEndAt || (this.#sent === 0 && this.#knownEnd === undefined)
  }

  get #interval(): number {
    return this.#wishes.interval || MINUTE
  }

  /** Without any response, two intervals after the first request was sent. */
  get #mustEndAt(): number {
    return this.#knownEnd ?? this.#mayEndAt + this.#interval
  }

  /** Returns when a slot of this window becomes free, with `count` slots before it. */
  #getSlotTime(count: number): number {
    return this.#opensAt + (count / this.limit) * this.#getRampTime(this.#hasOthers)
  }

  /** Returns how long it takes from the beginning of a window until all of its slots are free. */
  #getRampTime(isShared: boolean): number {
    return this.#isCoordinated ? 0 : this.#minute / (isShared ? 2 : 30)
  }

  /** A minute, or the interval if that is shorter. */
  get #minute(): number {
    return Math.min(this.#interval, MINUTE)
  }

  /** Whether other programs used this window. */
  get #hadOthers(): boolean {
    return this.#hasOthers && this.#leastRemaining < Infinity
  }

  #open(): void {
    this.#opensAt = this.#mustEndAt
    this.#hasOthers = this.#hadOthers
    // Without a client that asked anew, the calls of earlier ones still wait.
    if (this.#newWishes !== noWishes) this.#wishes = this.#newWishes
    this.#newWishes = noWishes
    this.#lastNormalCalls = this.#normalCalls
    this.#normalCalls = 0
    // After the wait of a refusal, the server may continue the window that it had.
    this.#countedBefore = this.#opensAt === this.#blockedUntil ? Infinity : 0
    this.#sent = this.#pending = 0
    this.#leastRemaining = Infinity
    this.#knownEnd = undefined
  }

  #learnRemaining(now: number, remaining: number, isUsedUp: boolean): void {
    this.#leastRemaining = Math.min(this.#leastRemaining, remaining)
    const used = this.limit - this.#leastRemaining
    this.#countedBefore = Math.max(0, Math.min(this.#countedBefore, used - (this.#sent - this.#pending)))
    const isShared = isUsedUp || used - this.#sent > this.#countedBefore
    // Others may come a second after the window has begun.
    if (isShared || now >= this.#opensAt + this.#minute / 60) this.#hasOthers = isShared
  }
}

/** Returns the wait that a refusal asks for; `Infinity` if it states no plausible one. */
function getStatedWait(headers: ParsedRateHeaders, retryAfter = Infinity, interval: number): number {
  if (retryAfter === Infinity && headers.remaining) return SECOND
  const contradictsItself = retryAfter === 0 && headers.remaining === 0
  if (retryAfter * SECOND <= DAY && !contradictsItself) return Math.max(SECOND, retryAfter * SECOND)
  const reset = getTimeUntilReset(headers)
  return reset <= interval + 3 * SECOND ? reset : Infinity
}

/**
 * Returns the longest time until the window ends on the server's clock; `Infinity` if the server states none, or one in
 * the past. The server may have rounded the reset down, so the window ends within the second after it.
 */
function getTimeUntilReset({ reset, date }: ParsedRateHeaders): number {
  const wait = (reset ?? NaN) * SECOND - (date ?? NaN)
  return wait > 0 ? wait + SECOND : Infinity
}
