import type { StoreLimiter, StoreState } from 'shortlink-sdk'
import { createSharedLimiter } from '../../../src/client/rate-limit/shared.ts'
import { createRateLimiter, FakeClock } from './clock.ts'

/** A server with a fixed window, and clients that call it, in simulated time. */
export interface Scene {
  /** The server's rate limit. */
  limit: number
  interval: number
  /** Whether windows are aligned to the server's clock. Otherwise each starts with its first request. */
  aligned?: boolean
  /** How far the server's clock is ahead, in milliseconds. */
  skew?: number
  /** Whether the server sends rate headers. Default: `true`. */
  headers?: boolean
  /** Returns the latency of a request and of its response, in milliseconds. */
  latency: () => [there: number, back: number]
  /** The start times of the calls of each client. */
  clients: number[][]
  /** The clients whose calls have low priority. */
  low?: readonly number[]
  /** The store over which the clients share the limit. Default: each counts alone. */
  store?: Store
}

/**
 * A store like that of `RateLimiterPostgres`: each statement has the time of its process, and statements for one row run
 * one after another. Latencies are in milliseconds.
 */
interface Store {
  /** The network latency of a statement. */
  latency: () => [there: number, back: number]
  /** How long a statement locks the row. */
  work: number
  /** How far the clock of each client is ahead, in milliseconds. */
  clocks?: number[]
}

export interface Outcome {
  done: number
  /** The number of calls that failed after their last retry. */
  failed: number
  refused: number
  /** The time of the last response. */
  total: number
  /** The times when the calls of each client were done. */
  doneAt: number[][]
}

/** The default of the option `retry`. */
const RETRIES = 2

const EPOCH = 1_800_000_000_000

export async function play(scene: Scene): Promise<Outcome> {
  const { limit, interval, aligned = false, skew = 0, headers: hasHeaders = true, latency } = scene
  const clock = new FakeClock()
  const doneAt = scene.clients.map((): number[] => [])
  const outcome: Outcome = { done: 0, failed: 0, refused: 0, total: 0, doneAt }
  let resetAt = Number.NEGATIVE_INFINITY
  let used = 0

  const serverTime = () => EPOCH + skew + clock.now()
  const pass = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms))

  function count() {
    if (serverTime() >= resetAt) {
      resetAt = aligned ? Math.floor(serverTime() / interval) * interval + interval : serverTime() + interval
      used = 0
    }
    used++
    const refused = used > limit
    const headers = new Headers({ Date: new Date(serverTime()).toUTCString() })
    if (hasHeaders) {
      headers.set('X-RateLimit-Limit', String(limit))
      headers.set('X-RateLimit-Remaining', String(Math.max(0, limit - used)))
      headers.set('X-RateLimit-Reset', String(Math.ceil(resetAt / 1000)))
    }
    return { headers, refused, retryAfter: refused ? Math.ceil((resetAt - serverTime()) / 1000) : undefined }
  }

  const row = { points: 0, expire: 0, freeAt: 0 }

  /** Returns the limiter of a client whose clock is ahead, on the shared row. */
  function connect({ latency, work }: Store, ahead: number): StoreLimiter {
    const time = () => clock.now() + ahead
    async function run(change: (now: number) => void): Promise<StoreState> {
      const now = time()
      const [there, back] = latency()
      await pass(there)
      row.freeAt = Math.max(row.freeAt, clock.now()) + work
      await pass(row.freeAt - clock.now())
      change(now)
      const { points, expire } = row
      await pass(back)
      const state = { remainingPoints: Math.max(limit - points, 0), msBeforeNext: Math.max(expire - time(), 0) }
      return points > limit ? Promise.reject(state) : state
    }
    return {
      points: limit,
      duration: interval / 1000,
      consume: () =>
        run((now) => {
          if (row.expire <= now) Object.assign(row, { points: 1, expire: now + interval })
          else row.points++
        }),
      reward: () => run(() => void row.points--),
      block: (_, seconds) =>
        run((now) => void Object.assign(row, { points: limit + 1, expire: now + seconds * 1000 })).catch(() => {}),
    }
  }

  for (const [index, starts] of scene.clients.entries()) {
    const { store } = scene
    const limiter = store
      ? createSharedLimiter(connect(store, store.clocks?.[index] ?? 0), {}, clock)
      : createRateLimiter({ requests: limit, interval }, clock)
    const call = async (start: number) => {
      await pass(start)
      for (let attempt = 1; ; attempt++) {
        await limiter.acquire({ attempt, priority: scene.low?.includes(index) ? 'low' : 'normal' })
        const [there, back] = latency()
        await pass(there)
        const response = count()
        await pass(back)
        limiter.observe(response)
        if (!response.refused) break
        outcome.refused++
        if (attempt > RETRIES) {
          outcome.failed++
          return
        }
        await pass((response.retryAfter ?? 0) * 1000)
      }
      outcome.done++
      outcome.total = clock.now()
      doneAt[index]!.push(clock.now())
    }
    for (const start of starts) void call(start)
  }
  await clock.drain()
  return outcome
}
