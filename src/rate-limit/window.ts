import { DAY, type ParsedRateHeaders, parseRateHeaders } from './headers.ts'

/** What an answer said of the rate. */
export interface RateLimitAnswer {
  /** The headers of the answer. */
  readonly headers: Headers
  /** Whether the server refused the request because of its rate: 429, in the status or in the body. */
  readonly refused: boolean
  /** How long to wait, in seconds, where the body or the `Retry-After` header says so. */
  readonly retryAfter: number | undefined
}

const SECOND = 1000
/**
 * What this client knows of the server's window.
 *
 * The server's window opens when it counts the first request: after that was sent, before its answer is here. So
 * nothing is sent from one interval after the sending, when the window may have ended, until one interval after the
 * first answer, when it must have. An earlier end comes from `X-RateLimit-Reset`, measured against the answer's own
 * `Date`; both are whole seconds, so they count only where they are the finer knowledge.
 *
 * A window that calls have waited for begins with one request. Its answer comes sooner than those of thirty at once, so
 * the next window begins sooner; and it says what is left, should others use the same key. Where they show (less remains
 * than we left, or we are refused), only a part of what is left is in flight at a time.
 */
export function createWindow(requests: number, interval: number) {
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
  /** A guess at how many clients share the key. */
  let sharers = 1
  /** How long the first request of a window goes alone; 0 where it does not. */
  let aloneUntil = 0

  function open(now: number, awaited: boolean): void {
    const shared = least < limit - sent
    sharers = refused ? Math.min(32, sharers * 2) : shared ? Math.max(2, sharers - 1) : 1
    aloneUntil = awaited || sharers > 1 ? now + interval / 20 : 0
    stale += pending
    sent = pending = 0
    least = Infinity
    answered = refused = false
    mayEnd = now + interval
    mustEnd = mayEnd + interval
  }

  /** One interval later by the server's clock, which may run a thousandth slower than ours. */
  const intervalAfter = (now: number) => now + interval * 1.001 + 1

  function accept(now: number, headers: ParsedRateHeaders | undefined): void {
    if (!answered) mustEnd = intervalAfter(now)
    answered = true
    if (!headers) return
    aloneUntil = 0
    least = Math.min(least, headers.remaining ?? Infinity)
    mustEnd = Math.min(mustEnd, now + untilReset(headers))
  }

  function refuse(now: number, retryAfter: number | undefined, headers: ParsedRateHeaders): void {
    const said = (retryAfter ?? Infinity) * SECOND
    const reset = untilReset(headers)
    let until = answered ? mustEnd : intervalAfter(now)
    if (said <= DAY) until = now + said
    else if (reset <= interval + 3 * SECOND) until = now + reset
    mustEnd = refused ? Math.max(mustEnd, until) : until
    answered = refused = true
  }

  return {
    /** Takes a place, if one is free. `awaited`: for a call that has waited. */
    take(now: number, awaited: boolean): boolean {
      if (now >= mustEnd) open(now, awaited)
      if (now >= aloneUntil) aloneUntil = 0
      const inFlight = aloneUntil ? stale + 1 : Math.ceil(least / sharers)
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
      const headers = answer && parseRateHeaders(answer.headers)
      if (headers?.limit) limit = headers.limit
      // "Again at once" is no word about the window.
      if (headers && answer.refused && answer.retryAfter !== 0) refuse(now, answer.retryAfter, headers)
      else if (current && !refused) accept(now, headers)
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
      return behind < 0 ? 0 : (this.end(now) ?? now) - now + Math.floor(behind / limit) * interval
    },

    /** When the window ends, as far as is known; `undefined` where none is open. */
    end(now: number): number | undefined {
      return now < mustEnd ? Math.max(now, answered ? mustEnd : mayEnd) : undefined
    },

    get limit() {
      return limit
    },

    /** When places surely become free, if no answer comes before. */
    get nextAt() {
      return aloneUntil || mustEnd
    },
  }
}

/**
 * The longest time until the window ends by the server's own clock; `Infinity` where it does not say, or lies. The
 * reset may be rounded down, so that the window ends within the second after it.
 */
function untilReset({ reset, date }: ParsedRateHeaders): number {
  const wait = (reset ?? Number.NaN) * SECOND - (date ?? Number.NaN)
  return wait > 0 ? wait + SECOND : Infinity
}
