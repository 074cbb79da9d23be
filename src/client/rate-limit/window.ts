import { DAY, type HeadersLike, type ParsedRateHeaders, parseRateHeaders } from './headers.ts'

/** The part of a response that tells of the rate limit. */
export interface RateLimitResponse {
  /** The headers of the response. */
  readonly headers: HeadersLike
  /** True if the server refused the request because of its rate: 429, as the status or in the body. */
  readonly refused: boolean
  /** The wait in seconds, if the `Retry-After` header or the body says so. */
  readonly retryAfter: number | undefined
}

/** Options for the rate of a client. */
export interface RateLimitOptions {
  /**
   * Requests in one window. This is a ceiling: the server's `X-RateLimit-Limit` may lower it but never raises it.
   * `Infinity`: no limit until the server states one. Default: 30 until the server states its own limit.
   */
  requests?: number | undefined
  /** The length of a window in milliseconds, at most a day. Default: 60,000. */
  interval?: number | undefined
  /**
   * A name for whose requests are counted, such as `'tenant-7'`: clients with the same base URL and name share one rate
   * limit. Needed only if a key function or a `fetch` is created for each request. Default: the key and the `fetch`
   * tell owners apart.
   */
  name?: string | undefined
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const DEFAULT_REQUESTS = 30

/**
 * This client's view of the server's rate-limit window.
 *
 * The server opens its window when it counts the first request, which is after the request was sent and before its
 * response arrives. So nothing is sent between one interval after the sending, when the window may have ended, and one
 * interval after the first response, when it must have ended. `X-RateLimit-Reset`, compared with the `Date` of the same
 * response, may say that it ends earlier. Both are whole seconds, so they only count if they are more precise.
 *
 * Other programs may use the same key, and retry what was refused when the window begins, up to a second later because
 * `Retry-After` is in whole seconds. So a window that calls have been waiting for is not emptied in one burst: its
 * slots become free evenly during two seconds, or during half a minute while the headers show that others use the key:
 * less is left than this program used. In a window shorter than a minute, that is shorter too.
 *
 * Every time is in milliseconds on the clock of the caller, who passes the current time as `now`.
 */
export class RateLimitWindow {
  /** The smallest limit that the user set. The server may lower it, but never raises it. */
  #ceiling = Infinity
  /** The limit until the server states one, and the one that it states. */
  #assumed = Infinity
  #stated: number | undefined
  /** The longest interval that the user set. */
  #longestInterval: number | undefined
  readonly #isCoordinated: boolean
  /** When the window may have ended, and when it must have ended. */
  #mayEndAt = -Infinity
  #mustEndAt = -Infinity
  /** When the last window ended. */
  #opensAt = -Infinity
  /** True if other programs use the key, according to the last response that says how much is left. */
  #othersUseIt = false
  /** The requests that the server may have counted in this window before its first one. */
  #countedBefore = 0
  /** Requests of this window, and those of them that have got no response yet. */
  #sent = 0
  #pending = 0
  /** The smallest remaining count that the server has stated in this window. */
  #leastRemaining = Infinity
  #answered = false
  #refused = false
  /** Until when the server itself said to wait after a refusal. */
  #blockedUntil = 0

  /** @param isCoordinated whether all programs that use the key take their slots from one store */
  constructor(options: RateLimitOptions, isCoordinated = false) {
    this.#isCoordinated = isCoordinated
    this.restrict(options)
  }

  /** Keeps to these options too: the smaller number of requests and the longer interval hold. */
  restrict({ requests, interval }: RateLimitOptions): void {
    this.#ceiling = Math.min(this.#ceiling, requests ?? Infinity)
    this.#assumed = Math.min(this.#assumed, requests ?? DEFAULT_REQUESTS)
    if (interval !== undefined) this.#longestInterval = Math.max(this.#longestInterval ?? 0, interval)
  }

  get limit(): number {
    return Math.min(this.#ceiling, this.#stated ?? this.#assumed)
  }

  /** When a slot becomes free, if no response arrives before. */
  nextAt(now: number): number {
    return this.remaining(now) > 0 ? this.#slotAt(this.#sent) : this.#mustEndAt
  }

  /** Takes a slot if one is free. */
  take(now: number): boolean {
    if (now >= this.#mustEndAt) this.#open(now)
    // Every slot of this window was released, so it starts with the next request that is sent.
    else if (this.#sent === 0 && !this.#answered) this.#start(now)
    if (this.remaining(now) === 0 || now < this.#slotAt(this.#sent)) return false
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
  observe(now: number, response?: RateLimitResponse): void {
    this.#pending = Math.max(0, this.#pending - 1)
    const headers = response && parseRateHeaders(response.headers)
    if (headers?.limit) this.#stated = headers.limit
    if (headers && response.refused) this.#refuse(now, headers, response.retryAfter)
    else if (!this.#refused && now < this.#mustEndAt) this.#accept(now, headers)
    if (headers?.remaining !== undefined) this.#learnRemaining(now, headers.remaining)
    if (response?.refused) this.#sent = Math.max(0, this.#sent - 1)
  }

  /** Slots that are left, not counting those in flight. */
  remaining(now: number): number {
    if (now >= this.#mustEndAt) return this.limit
    if (this.#isClosed(now)) return 0
    return Math.max(0, Math.min(this.limit - this.#sent, this.#leastRemaining - this.#pending))
  }

  /** Estimates the wait of a call with `ahead` calls in front of it, if no other program uses the key. */
  estimateWait(now: number, ahead: number): number {
    const behind = ahead - this.remaining(now)
    if (behind < 0) return Math.max(0, this.#slotAt(this.#sent + ahead) - now)
    const windows = Math.floor(behind / this.limit)
    const share = (behind % this.limit) / this.limit
    return (this.endsAt(now) ?? now) - now + windows * this.#interval + share * this.#rampOf(this.#othersUsedIt)
  }

  /** The rest of the wait that the server imposed when it refused a request. */
  imposedWait(now: number): number {
    return Math.max(0, this.#blockedUntil - now)
  }

  /** When the window ends, as far as is known; `undefined` if none is open. */
  endsAt(now: number): number | undefined {
    if (now >= this.#mustEndAt) return undefined
    return this.#answered || now >= this.#mayEndAt ? this.#mustEndAt : this.#mayEndAt
  }

  get #interval(): number {
    return this.#longestInterval ?? MINUTE
  }

  /** When the slot after `count` others of this window becomes free. */
  #slotAt(count: number): number {
    return this.#opensAt + (count / this.limit) * this.#rampOf(this.#othersUseIt)
  }

  /** The time in which the slots of a window become free, from its beginning on. */
  #rampOf(isShared: boolean): number {
    return this.#isCoordinated ? 0 : this.#scaled((isShared ? 30 : 2) * SECOND)
  }

  /** A part of a minute, shorter in windows that are shorter. */
  #scaled(ms: number): number {
    return Math.min(1, this.#interval / MINUTE) * ms
  }

  /**
   * True if other programs used this window. If no response said how much is left, a refusal is the only sign of them.
   */
  get #othersUsedIt(): boolean {
    return this.#leastRemaining === Infinity ? this.#refused : this.#othersUseIt
  }

  /** Tells if nothing may be sent, however many slots are left. */
  #isClosed(now: number): boolean {
    return this.#refused || (now >= this.#mayEndAt && this.limit < Infinity)
  }

  #open(now: number): void {
    this.#othersUseIt = this.#othersUsedIt
    // A server that refused a request may go on with the window that it had.
    this.#countedBefore = this.#refused ? Infinity : 0
    this.#opensAt = this.#mustEndAt
    this.#sent = this.#pending = 0
    this.#leastRemaining = Infinity
    this.#answered = this.#refused = false
    this.#start(now)
  }

  #start(now: number): void {
    this.#mayEndAt = now + this.#interval
    this.#mustEndAt = this.#mayEndAt + this.#interval
  }

  #accept(now: number, headers: ParsedRateHeaders | undefined): void {
    if (!this.#answered) this.#mustEndAt = this.#intervalAfter(now)
    this.#answered = true
    if (headers) this.#mustEndAt = Math.min(this.#mustEndAt, now + untilReset(headers))
  }

  #learnRemaining(now: number, remaining: number): void {
    this.#leastRemaining = Math.min(this.#leastRemaining, remaining)
    const used = this.limit - this.#leastRemaining
    this.#countedBefore = Math.max(0, Math.min(this.#countedBefore, used - (this.#sent - this.#pending)))
    const isShared = used - this.#sent > this.#countedBefore
    // Others may come a second after the window has begun.
    if (isShared || now >= this.#opensAt + this.#scaled(SECOND)) this.#othersUseIt = isShared
  }

  #refuse(now: number, headers: ParsedRateHeaders, retryAfter: number | undefined): void {
    const stated = statedWait(headers, retryAfter, this.#interval)
    if (stated !== undefined) this.#blockedUntil = Math.max(this.#blockedUntil, now + stated)
    const until = stated !== undefined ? now + stated : this.#answered ? this.#mustEndAt : this.#intervalAfter(now)
    this.#mustEndAt = this.#refused ? Math.max(this.#mustEndAt, until) : until
    this.#answered = this.#refused = true
  }

  /** One interval later on the server's clock, which may be 0.1 % slower than this one. */
  #intervalAfter(now: number): number {
    return now + this.#interval * 1.001 + 1
  }
}

/** The wait that the server asks for after a refusal; `undefined` if it states nothing plausible. */
function statedWait(headers: ParsedRateHeaders, retryAfter = Infinity, interval: number): number | undefined {
  const contradictsItself = retryAfter === 0 && headers.remaining === 0
  if (retryAfter * SECOND <= DAY && !contradictsItself) return Math.max(SECOND, retryAfter * SECOND)
  const reset = untilReset(headers)
  return reset <= interval + 3 * SECOND ? reset : undefined
}

/**
 * The longest time until the window ends on the server's clock; `Infinity` if the server does not state it, or states
 * one in the past. The server may have rounded the reset down, so the window ends within the second after it.
 */
function untilReset({ reset, date }: ParsedRateHeaders): number {
  const wait = (reset ?? Number.NaN) * SECOND - (date ?? Number.NaN)
  return wait > 0 ? wait + SECOND : Infinity
}
