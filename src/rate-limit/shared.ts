import { ConfigurationError, type RateLimitState } from '../errors.ts'
import { EXPIRED, sleep, withDeadline } from '../runtime/deadline.ts'
import { notify } from '../runtime/notify.ts'
import { createRateLimiter, type RateLimitAnswer, type RateLimiter } from './limiter.ts'
import { createLine } from './queue.ts'

/**
 * A limiter of `rate-limiter-flexible` with a store that all processes reach: `RateLimiterRedis`,
 * `RateLimiterValkey`, `RateLimiterPostgres`, `RateLimiterMemcache`, …
 */
export interface StoreLimiter {
  /** Requests in one window. */
  readonly points: number
  /** The length of a window in seconds. */
  readonly duration: number
  /** Takes a place; rejects with the wait where there is none, and with an `Error` where the store cannot be asked. */
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

/** Options of {@link sharedRateLimiter}; every one has a default. */
export interface SharedRateLimitOptions {
  /**
   * The name of the budget in the store. Give each API key its own name (never the key itself). Default
   * `shortlink-sdk`.
   */
  key?: string
  /** The longest a call may wait for its turn, in milliseconds; a longer wait is an error at once. Default `Infinity`. */
  maxWait?: number
  /** How long the store may take to answer, in milliseconds, before it counts as away. Default 1,000. */
  storeTimeout?: number
  /** Told when the store goes away and this process falls back to a budget of its own, and when it is back. */
  onStateChange?: (change: StoreChange) => void
}

/** The store went away, or came back. */
export interface StoreChange {
  /** Whether the budget is shared now. `false`: this process counts alone, and asks the store again every second. */
  readonly shared: boolean
  /** Why the store could not be asked. */
  readonly error?: unknown
}

/** How long a store that is away is left alone, in milliseconds. */
const STORE_PAUSE = 1000

/**
 * One budget for many processes and machines. Each call takes a place in the store and one in this process's own
 * budget, which knows from the answers what the server thinks. While the store is away, the own budget goes on alone.
 *
 * @example
 * const store = new RateLimiterRedis({ storeClient: redis, points: 30, duration: 60 })
 * const client = new ShortLinkClient({ rateLimit: sharedRateLimiter(store) })
 *
 * @throws {ConfigurationError} where the limiter or an option does not fit.
 */
export function sharedRateLimiter(limiter: StoreLimiter, options: SharedRateLimitOptions = {}): RateLimiter {
  const { key = 'shortlink-sdk', maxWait = Infinity, storeTimeout = 1000, onStateChange } = options
  if (typeof limiter?.consume !== 'function' || !(limiter.points > 0) || !(limiter.duration > 0)) {
    throw new ConfigurationError(
      'limiter: expected a limiter of rate-limiter-flexible with points and a duration above 0',
    )
  }
  check('key', typeof key === 'string' && key !== '', 'a name')
  check('maxWait', maxWait >= 0, 'milliseconds from 0, or Infinity')
  check('storeTimeout', storeTimeout > 0 && storeTimeout < 2 ** 31, 'milliseconds above 0')

  const interval = limiter.duration * 1000
  // The server's window opens a little after the store's, when the first request is there.
  const lateness = Math.max(100, interval / 50)
  const local = createRateLimiter({ requests: limiter.points, interval })
  const line = createLine(maxWait, () => shared.state)

  /** What the store said last: places left, and until when. */
  let left = Infinity
  let leftUntil = 0
  let away = false
  let askAgainAt = 0
  let serving = false
  /** Ends the waiting on behalf of the line, when the last call has left it. */
  let deserted = new AbortController()

  /** Gives places to those who wait, one after another. */
  async function serve(): Promise<void> {
    if (serving) return
    serving = true
    try {
      while (line.size > 0) {
        deserted = new AbortController()
        await place(deserted.signal)
        if (line.size > 0) line.next()
        else local.release?.()
      }
    } catch {
      // Deserted; who came since then is served by the next round.
    }
    serving = false
    if (line.size > 0) void serve()
  }

  /** A place in the budget of this process and one in the store. */
  async function place(signal: AbortSignal): Promise<void> {
    const own = local.acquire(signal)
    if (own) {
      const { resetAt } = local.state
      thin(resetAt ? resetAt.getTime() - Date.now() : 0)
      await own
    }
    try {
      for (let wait = await ask(); wait > 0; wait = await ask()) {
        thin(wait)
        await sleep(wait, signal)
      }
    } catch (reason) {
      local.release?.()
      throw reason
    }
  }

  /** Asks the store for a place: how long to wait for the next, 0 where there is one, or where the store is away. */
  async function ask(): Promise<number> {
    if (away && performance.now() < askAgainAt) return 0
    try {
      learn(await withDeadline(async () => limiter.consume(key), storeTimeout, undefined))
      return 0
    } catch (refusal) {
      if (isAnswer(refusal)) {
        learn(refusal)
        return refusal.msBeforeNext + lateness
      }
      askAgainAt = performance.now() + STORE_PAUSE
      change(true, refusal === EXPIRED ? new Error(`the store did not answer within ${storeTimeout} ms`) : refusal)
      return 0
    }
  }

  function learn({ remainingPoints, msBeforeNext }: StoreAnswer): void {
    left = remainingPoints
    leftUntil = performance.now() + msBeforeNext
    change(false)
  }

  function change(nowAway: boolean, error?: unknown): void {
    if (away === nowAway) return
    away = nowAway
    left = Infinity
    notify(onStateChange, away ? { shared: false, error } : { shared: true })
  }

  function thin(wait: number): void {
    line.thin(performance.now(), (ahead) => wait + Math.floor(ahead / limiter.points) * interval)
  }

  const shared: RateLimiter = {
    get state(): RateLimitState {
      const { limit, remaining = Infinity, resetAt } = local.state
      const known = leftUntil - performance.now()
      return {
        limit,
        remaining: known > 0 ? Math.min(remaining, left) : remaining,
        resetAt: known > 0 ? new Date(Date.now() + known) : resetAt,
        queued: line.size,
      }
    },

    acquire(signal?: AbortSignal): Promise<void> {
      if (signal?.aborted) return Promise.reject(signal.reason)
      const now = performance.now()
      const full = left === 0 && leftUntil > now
      const wait = full ? leftUntil - now + Math.floor(line.size / limiter.points) * interval : 0
      const turn = line.join(now, wait, signal, () => {
        if (line.size === 0) deserted.abort()
      })
      void serve()
      return turn
    },

    observe(answer?: RateLimitAnswer): void {
      local.observe(answer)
      if (answer?.refused && answer.retryAfter !== 0) closeForAll()
    },

    release() {
      local.release?.()
    },
  }

  /** The server refuses: nobody is to send before it allows more. */
  function closeForAll(): void {
    const { resetAt } = local.state
    if (away || !resetAt) return
    const wait = Math.ceil((resetAt.getTime() - Date.now()) / 1000)
    // Where the store has gone away, the next call will notice.
    if (wait > 0) limiter.block(key, wait).catch(() => {})
  }

  return shared
}

function check(name: keyof SharedRateLimitOptions, fits: boolean, expected: string): void {
  if (!fits) throw new ConfigurationError(`${name}: expected ${expected}`)
}

const isAnswer = (value: unknown): value is StoreAnswer =>
  !(value instanceof Error) && typeof (value as StoreAnswer | null)?.msBeforeNext === 'number'
