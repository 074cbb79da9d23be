import { type Checks, count } from '../../client/checks/checks.ts'
import { assertOptions, createNumberCheck } from '../options.ts'
import type { FaultEffect } from './faults.ts'

/** Options for random faults. */
export interface ChaosOptions {
  /** The seed. The same seed gives the same faults for the same order of requests. Default 1. */
  seed?: number | undefined
  /** The share of requests that fail, from 0 to 1. 0 turns random faults off. */
  rate: number
}

const chaosChecks: Checks<keyof ChaosOptions> = {
  seed: count,
  rate: createNumberCheck('a number from 0 to 1', (rate) => rate >= 0 && rate <= 1),
}

/**
 * Random faults, repeatable with a seed. An error in the body, a 429 or a redirect means that the work was not done.
 * After a 5xx or an unreadable response, it may or may not have been done.
 */
export class Chaos {
  readonly #rate: number
  readonly #random: () => number

  constructor(options: ChaosOptions) {
    // `rate` is the only option without a default.
    assertOptions(options && { ...options, rate: options.rate ?? null }, chaosChecks, 'chaos')
    const { seed = 1, rate } = options
    this.#rate = rate
    this.#random = createRandom(seed)
  }

  /** Returns the effect on the next request, if any. */
  take(): FaultEffect | undefined {
    // Each request draws the same number of values, so that an extra request does not change later faults.
    const [failure, choice, coin] = [this.#random(), this.#random(), this.#random()]
    if (failure >= this.#rate) return undefined
    const done = coin < 0.5
    const effects: FaultEffect[] = [
      { status: 500, done },
      { status: 502, body: '<html><body><h1>502 Bad Gateway</h1></body></html>', done },
      { status: 503, headers: { 'Retry-After': '0' }, done },
      { status: 429, headers: { 'Retry-After': '0' } },
      { status: 200, body: '<html><body><h1>Down for maintenance</h1></body></html>', done },
      { status: 200, body: '', done },
      { body: (original: string) => original.slice(0, Math.floor(original.length * coin)) },
      { status: 200, body: { error: 1, message: 'Something went wrong. Nothing was done.' } },
      { drop: 'before' },
      { drop: 'after' },
      { redirect: 'https://moved.example/' },
      { delay: 1 + Math.floor(coin * 20) },
    ]
    return effects[Math.floor(choice * effects.length)]
  }
}

/** Creates a generator of repeatable numbers from 0 to 1 (Tommy Ettinger's mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
