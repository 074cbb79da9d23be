import { systemClock } from '../runtime/clock.ts'
import type { Fetch } from '../runtime/fetch.ts'
import { Limiter } from './limiter.ts'
import type { RateLimitOptions } from './rate-limiter.ts'
import { RateLimitWindow } from './window.ts'

/** Identifies a limiter: base URL, key and fetch. */
export interface LimiterOwner {
  /** `undefined` while unknown. */
  readonly baseUrl: string | undefined
  /** The key or the function that returns it; `null` or `undefined` if none is sent. */
  readonly key: string | (() => unknown) | null | undefined
  readonly fetch: Fetch
}

/** How long a limiter is kept after its last use, in milliseconds. */
const IDLE = 60_000

type GetLimiter = (owner: LimiterOwner, options: RateLimitOptions) => Limiter

/**
 * Creates the function that finds the limiters of a process. The limiters are hidden in its closure, so that inspecting
 * an object does not show the keys that identify them.
 *
 * Idle limiters, with a window that is over and no waiting calls, are removed when a new one is created.
 */
function createLimiterRegistry(): GetLimiter {
  const known = new Map<string, { readonly limiter: Limiter; usedAt: number }>()
  const numbers = new WeakMap<object, number>()
  let nextNumber = 1
  let sweptAt = 0

  function getNumber(value: object): number {
    const number = numbers.get(value) ?? nextNumber++
    numbers.set(value, number)
    return number
  }

  function createId({ baseUrl, key, fetch }: LimiterOwner, name: string | undefined): string {
    if (name !== undefined) return JSON.stringify([baseUrl, name])
    return JSON.stringify([baseUrl, typeof key === 'function' ? getNumber(key) : [key], getNumber(fetch)])
  }

  function removeIdle(now: number): void {
    sweptAt = now
    for (const [id, { limiter, usedAt }] of known) if (now - usedAt >= IDLE && !limiter.isInUse) known.delete(id)
  }

  return (owner, options) => {
    const now = systemClock.now()
    const id = createId(owner, options.name)
    const found = known.get(id)
    if (found) {
      found.usedAt = now
      found.limiter.restrict(options)
      return found.limiter
    }
    if (now - sweptAt >= IDLE) removeIdle(now)
    const limiter = new Limiter(new RateLimitWindow(options), systemClock)
    known.set(id, { limiter, usedAt: now })
    return limiter
  }
}

// Shared by all copies of the package in a process: Next.js bundles one copy per route.
const LIMITERS = Symbol.for('shortlink-sdk.limiters.3')

/**
 * Returns the limiter for a base URL, a key and a `fetch`, or for a base URL and a `name`. It is the same one each
 * time. The smallest `requests` and the longest `interval` of all its options take effect.
 */
export function getLimiter(owner: LimiterOwner, options: RateLimitOptions): Limiter {
  const holder = globalThis as { [LIMITERS]?: GetLimiter }
  // Not enumerable, so that `console.log(globalThis)` does not show it.
  if (!holder[LIMITERS]) Object.defineProperty(holder, LIMITERS, { value: createLimiterRegistry() })
  return holder[LIMITERS]!(owner, options)
}
