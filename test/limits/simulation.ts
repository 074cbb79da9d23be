import { createRateLimiter } from '../../src/rate-limit/limiter.ts'
import { FakeClock } from './clock.ts'

/** A server with a fixed window, and clients that send to it, all in a test's own time. */
export interface Scene {
  /** The server's rate. */
  limit: number
  interval: number
  /** Whether a window begins with its first request, or on the beat of the server's clock. */
  aligned?: boolean
  /** What the server's clock is ahead. */
  skew?: number
  headers?: boolean
  /** Times of travel of one request, in milliseconds: there and back. */
  travel: () => [there: number, back: number]
  /** For each client, when its calls begin. */
  clients: number[][]
}

export interface Outcome {
  done: number
  refused: number
  /** When the last answer was there. */
  total: number
}

const EPOCH = 1_800_000_000_000

export async function play(scene: Scene): Promise<Outcome> {
  const { limit, interval, aligned = false, skew = 0, headers: shown = true, travel } = scene
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
    if (shown) {
      headers.set('X-RateLimit-Limit', String(limit))
      headers.set('X-RateLimit-Remaining', String(Math.max(0, limit - used)))
      headers.set('X-RateLimit-Reset', String(Math.ceil(resetAt / 1000)))
    }
    return { headers, refused, retryAfter: refused ? Math.ceil((resetAt - serverTime()) / 1000) : undefined }
  }

  for (const begins of scene.clients) {
    const limiter = createRateLimiter({ requests: limit, interval }, clock)
    const call = async (begin: number) => {
      await pass(begin)
      for (;;) {
        await limiter.acquire()
        const [there, back] = travel()
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
    for (const begin of begins) void call(begin)
  }
  await clock.drain()
  return outcome
}
