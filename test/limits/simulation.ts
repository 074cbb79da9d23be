import { createRateLimiter } from '../../src/rate-limit/limiter.ts'
import { FakeClock } from './clock.ts'

/** A server with a fixed window and clients that send to it, all in simulated time. */
export interface Scene {
  /** The server's rate. */
  limit: number
  interval: number
  /** Whether windows are aligned to the server's clock. Otherwise each starts with its first request. */
  aligned?: boolean
  /** How far the server's clock is ahead, in milliseconds. */
  skew?: number
  /** Whether the server sends rate headers. Default: `true`. */
  headers?: boolean
  /** The latency of one request in milliseconds: there and back. */
  latency: () => [there: number, back: number]
  /** For each client, when its calls start. */
  clients: number[][]
}

export interface Outcome {
  done: number
  refused: number
  /** When the last response arrived. */
  total: number
}

const EPOCH = 1_800_000_000_000

export async function play(scene: Scene): Promise<Outcome> {
  const { limit, interval, aligned = false, skew = 0, headers: hasHeaders = true, latency } = scene
  const clock = new FakeClock()
  const outcome: Outcome = { done: 0, refused: 0, total: 0 }
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

  for (const starts of scene.clients) {
    const limiter = createRateLimiter({ requests: limit, interval }, clock)
    const call = async (start: number) => {
      await pass(start)
      for (;;) {
        await limiter.acquire()
        const [there, back] = latency()
        await pass(there)
        const answer = count()
        await pass(back)
        limiter.observe(answer)
        if (!answer.refused) break
        outcome.refused++
        await pass((answer.retryAfter ?? 0) * 1000)
      }
      outcome.done++
      outcome.total = clock.now()
    }
    for (const start of starts) void call(start)
  }
  await clock.drain()
  return outcome
}
