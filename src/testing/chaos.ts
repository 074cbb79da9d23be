import type { Misbehaviour } from './faults.ts'

/** How much goes wrong, and by which dice. */
export interface ChaosOptions {
  /** The same seed gives the same faults to the same order of requests. Default 1. */
  seed?: number
  /** Share of requests that meet a fault, from 0 to 1; 0 ends the chaos. */
  rate: number
}

/** Draws the misbehaviour of the next request, if any. */
export type Dice = () => Misbehaviour | undefined

/**
 * Faults at random, repeatable from the seed. They never lie about the work: an answer that says “not done” (an
 * error in the body, a 429, a redirect) comes only where it was not, a 5xx or an unreadable answer in both cases.
 */
export function createChaos({ seed = 1, rate }: ChaosOptions): Dice {
  if (!(rate >= 0 && rate <= 1)) throw new RangeError(`chaos: rate must be from 0 to 1, not ${rate}`)
  const random = mulberry32(seed)
  return () => {
    // Every request takes the same number of throws, so that one more request does not move the rest.
    const [fate, which, coin] = [random(), random(), random()]
    if (fate >= rate) return undefined
    const done = coin < 0.5
    const faults: Misbehaviour[] = [
      { status: 500, done },
      { status: 502, body: '<html><body><h1>502 Bad Gateway</h1></body></html>', done },
      { status: 503, headers: { 'Retry-After': '0' }, done },
      { status: 429, headers: { 'Retry-After': '0' } },
      { status: 200, body: '<html><body><h1>Down for maintenance</h1></body></html>', done },
      { status: 200, body: '', done },
      { body: (honest: string) => honest.slice(0, Math.floor(honest.length * coin)) },
      { status: 200, body: { error: 1, message: 'Something went wrong. Nothing was done.' } },
      { drop: 'before' },
      { drop: 'after' },
      { redirect: 'https://moved.example/' },
      { delay: 1 + Math.floor(coin * 20) },
    ]
    return faults[Math.floor(which * faults.length)]
  }
}

/** A small generator of good numbers from 0 to 1 (Tommy Ettinger's mulberry32). */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
