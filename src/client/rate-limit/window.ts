import { DAY, type ParsedRateHeaders, parseRateHeaders } from '../platform/rate-headers.ts'
import type { RateLimitOptions, RateLimitResponse } from './rate-limiter.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DEFAULT_REQUESTS = 30

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
  /** The smallest limit that the user set. The server can lower it, but not raise it. */
  #ceiling = Infinity
  /** The limit until the server states one. */
  #assumed = Infinity
  #stated: number | undefined
  /** The longest interval that the user set; 0 if none. */
  #longestInterval = 0
  readonly #isCoordinated: boolean
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

  /** @param isCoordinated Whether all programs that use the key take their slots from one store. */
  constructor(options: RateLimitOptions, isCoordinated = false) {
    this.#isCoordinated = isCoordinated
    this.restrict(options)
  }

  /** Applies these options too: the smaller number of requests and the longer interval hold. */
  restrict({ requests, interval }: RateLimitOptions): void {
    this.#ceiling = Math.min(this.#ceiling, requests ?? Infinity)
    this.#assumed = Math.min(this.#assumed, requests ?? DEFAULT_REQUESTS)
    this.#longestInterval = Math.max(this.#longestInterval, interval ?? 0)
  }

  get limit(): number {
    return Math.min(this.#ceiling, this.#stated ?? this.#assumed)
  }

  /** Returns when a slot becomes free, if no response arrives before. */
  getNextSlotTime(now: number): number {
    return this.getRemaining(now) > 0 ? this.#getSlotTime(this.#sent) : this.#mustEndAt
  }

  /** Takes a slot if one is free. */
  take(now: number): boolean {
    if (now >= this.#mustEndAt) this.#open()
    // If every slot was released, the window starts again with the next request.
    if (this.#sent === 0 && this.#knownEnd === undefined) this.#mayEndAt = now + this.#interval
    if (now < this.getNextSlotTime(now)) return false
    this.#sent++
    this.#pending++
    return true
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
    if (now >= this.#mustEndAt) return this.limit
    if (now < this.#blockedUntil || (now >= this.#mayEndAt && this.limit < Infinity)) return 0
    return Math.max(0, Math.min(this.limit - this.#sent, this.#leastRemaining - this.#pending))
  }

  /** Estimates the wait of a call with `ahead` calls in front of it, if no other program uses the key. */
  estimateWait(now: number, ahead: number): number {
    const behind = ahead - this.getRemaining(now)
    if (behind < 0) return Math.max(0, this.#getSlotTime(this.#sent + ahead) - now)
    const windows = Math.floor(behind / this.limit)
    const share = (behind % this.limit) / this.limit
    return (this.getEnd(now) ?? now) - now + windows * this.#interval + share * this.#getRampTime(this.#hadOthers)
  }

  /** Returns the rest of the wait that the server imposed when it refused a request. */
  getImposedWait(now: number): number {
    return Math.max(0, this.#blockedUntil - now)
  }

  /** Returns when the window ends, as far as is known; `undefined` if none is open. */
  getEnd(now: number): number | undefined {
    if (now >= this.#mustEndAt) return undefined
    return this.#knownEnd ?? (now < this.#mayEndAt ? this.#mayEndAt : this.#mustEndAt)
  }

  get #interval(): number {
    return this.#longestInterval || MINUTE
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
  const wait = (reset ?? Number.NaN) * SECOND - (date ?? Number.NaN)
  return wait > 0 ? wait + SECOND : Infinity
}
