import { DAY, type HeadersLike, type ParsedRateHeaders, parseRateHeaders } from './headers.ts'

/** What a response says about the rate limit. */
export interface RateLimitAnswer {
  /** The headers of the response. */
  readonly headers: HeadersLike
  /** Whether the server refused the request because of its rate: 429, as the status or in the body. */
  readonly refused: boolean
  /** How long to wait, in seconds, if the `Retry-After` header or the body says so. */
  readonly retryAfter: number | undefined
}

const SECOND = 1000
/** The limit that is assumed until the server states one. */
const DEFAULT_LIMIT = 30
const MAX_ESTIMATED_CLIENTS = 32

/**
 * This client's view of the server's rate-limit window.
 *
 * The server opens its window when it counts the first request, which is after the request was sent and before its
 * response arrives. So nothing is sent between one interval after the sending, when the window may have ended, and one
 * interval after the first response, when it must have ended. `X-RateLimit-Reset`, compared with the `Date` of the same
 * response, may say that it ends earlier. Both are whole seconds, so they only count if they are more precise.
 *
 * A window that calls have been waiting for starts with a single request. One response arrives sooner than thirty
 * concurrent ones, so the following window opens sooner too, and it tells what is left if others use the same key. As
 * long as others do (less is left than we used, or we are refused), only a share of what is left is in flight at a time.
 *
 * Every time is in milliseconds on the clock of the caller, who passes the current time as `now`.
 */
export class RateLimitWindow {
  /** A limit that the user set: the server's headers lower it, but never raise it. */
  readonly #ceiling: number
  readonly #interval: number
  #limit: number
  /** When the window may have ended, and when it must have ended. */
  #mayEndAt = 0
  #mustEndAt = 0
  /** Requests of this window. */
  #sent = 0
  /** Requests of this window, and of earlier ones, that have got no response yet. */
  #pending = 0
  #pendingFromEarlierWindows = 0
  /** The smallest remaining count that the server has stated in this window. */
  #leastRemaining = Infinity
  #answered = false
  #refused = false
  /** Until when the server itself said to wait after a refusal. */
  #blockedUntil = 0
  #estimatedClients = 1
  /** Until when only the first request of the window may be in flight; 0 if there is no such limit. */
  #aloneUntil = 0

  constructor(requests: number | undefined, interval: number) {
    this.#ceiling = requests ?? Infinity
    this.#limit = requests ?? DEFAULT_LIMIT
    this.#interval = interval
  }

  get limit(): number {
    return this.#limit
  }

  /** When slots certainly become free, if no response arrives before. */
  get nextAt(): number {
    return this.#aloneUntil || this.#mustEndAt
  }

  /** Takes a slot if one is free. `awaited`: the call has been waiting for it. */
  take(now: number, awaited: boolean): boolean {
    if (now >= this.#mustEndAt) this.#open(now, awaited)
    // Every slot of this window was released, so it starts with the next request that is sent.
    else if (this.#sent === 0 && !this.#answered) this.#start(now)
    if (now >= this.#aloneUntil) this.#aloneUntil = 0
    const maxPending = this.#aloneUntil
      ? this.#pendingFromEarlierWindows + 1
      : Math.ceil(this.#leastRemaining / this.#estimatedClients)
    const isFree = !this.#isClosed(now) && this.#sent < this.#limit && this.#pending < maxPending
    if (isFree) {
      this.#sent++
      this.#pending++
    }
    return isFree
  }

  /** Releases a slot whose request was never sent. */
  release(): void {
    if (this.#endPending()) this.#sent--
  }

  /** Learns from a response, or from the end of a request that got none. */
  observe(now: number, answer?: RateLimitAnswer): void {
    const isCurrent = this.#endPending()
    const headers = answer && parseRateHeaders(answer.headers)
    if (headers?.limit) this.#limit = Math.min(headers.limit, this.#ceiling)
    // A refusal that allows an immediate retry says nothing about the window.
    if (headers && answer.refused && answer.retryAfter !== 0) this.#refuse(now, headers, answer.retryAfter)
    else if (isCurrent && !this.#refused) this.#accept(now, headers)
    if (isCurrent && answer?.refused) this.#sent--
  }

  /** Slots that are left, not counting those in flight. */
  remaining(now: number): number {
    if (now >= this.#mustEndAt) return this.#limit
    if (this.#isClosed(now)) return 0
    return Math.max(0, Math.min(this.#limit - this.#sent, this.#leastRemaining - this.#pending))
  }

  /** How long a call waits with `ahead` calls in front of it, if no other program uses the key. */
  estimateWait(now: number, ahead: number): number {
    const behind = ahead - this.remaining(now)
    return behind < 0 ? 0 : (this.endsAt(now) ?? now) - now + Math.floor(behind / this.#limit) * this.#interval
  }

  /** How much longer the server said to wait when it refused a request. */
  imposedWait(now: number): number {
    return Math.max(0, this.#blockedUntil - now)
  }

  /** When the window ends, as far as is known; `undefined` if none is open. */
  endsAt(now: number): number | undefined {
    if (now >= this.#mustEndAt) return undefined
    return this.#answered || now >= this.#mayEndAt ? this.#mustEndAt : this.#mayEndAt
  }

  /** Whether nothing may be sent, however many slots are left. */
  #isClosed(now: number): boolean {
    return this.#refused || (now >= this.#mayEndAt && this.#limit < Infinity)
  }

  #open(now: number, awaited: boolean): void {
    const othersUsedIt = this.#leastRemaining < this.#limit - this.#sent
    if (this.#refused) this.#estimatedClients = Math.min(MAX_ESTIMATED_CLIENTS, this.#estimatedClients * 2)
    else this.#estimatedClients = othersUsedIt ? Math.max(2, this.#estimatedClients - 1) : 1
    this.#aloneUntil = awaited || this.#estimatedClients > 1 ? now + this.#interval / 20 : 0
    this.#pendingFromEarlierWindows += this.#pending
    this.#sent = this.#pending = 0
    this.#leastRemaining = Infinity
    this.#answered = this.#refused = false
    this.#start(now)
  }

  #start(now: number): void {
    this.#mayEndAt = now + this.#interval
    this.#mustEndAt = this.#mayEndAt + this.#interval
  }

  /** Ends one pending request, and says whether it belongs to this window. */
  #endPending(): boolean {
    // It is unknown which request it was, so those of earlier windows are assumed to end first.
    if (this.#pendingFromEarlierWindows > 0) {
      this.#pendingFromEarlierWindows--
      return false
    }
    if (this.#pending === 0) return false
    this.#pending--
    return true
  }

  #accept(now: number, headers: ParsedRateHeaders | undefined): void {
    if (!this.#answered) this.#mustEndAt = this.#intervalAfter(now)
    this.#answered = true
    if (!headers) return
    this.#aloneUntil = 0
    this.#leastRemaining = Math.min(this.#leastRemaining, headers.remaining ?? Infinity)
    this.#mustEndAt = Math.min(this.#mustEndAt, now + untilReset(headers))
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

/** How long the server says to wait after a refusal; `undefined` if it states nothing plausible. */
function statedWait(headers: ParsedRateHeaders, retryAfter = Infinity, interval: number): number | undefined {
  if (retryAfter * SECOND <= DAY) return retryAfter * SECOND
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
