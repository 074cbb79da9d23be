import type { RateLimitState } from '../errors.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import type { Address } from './address.ts'
import type { ApiKey } from './api-key.ts'
import type { Listeners } from './observers.ts'

/** What an endpoint reads from the environment at its first call. */
export interface EndpointSettings {
  readonly listeners: Listeners
  /** Finds the limiter. Called for each use, because the process drops limiters that are idle. */
  readonly findLimiter: () => RateLimiter | undefined
}

/** One of the two APIs: its address, its key, its limiter and its listeners. */
export class Endpoint {
  readonly address: Address
  readonly apiKey: ApiKey
  /** Whether its calls carry the key. */
  readonly usesKey: boolean
  /** The state of the rate limit after the last response. */
  lastRateLimit: RateLimitState | undefined
  /** How often the rate limit has refused in a row, and when last. Requests that were in flight together count as one. */
  refusals = { inARow: 0, lastAt: Number.NEGATIVE_INFINITY }
  readonly #resolve: () => EndpointSettings
  #settings: EndpointSettings | undefined

  /** @param resolve Called once, at the first call: variables may be set, and `fetch` replaced, until then. */
  constructor(address: Address, apiKey: ApiKey, usesKey: boolean, resolve: () => EndpointSettings) {
    this.address = address
    this.apiKey = apiKey
    this.usesKey = usesKey
    this.#resolve = resolve
  }

  /**
   * The limiter and the listeners.
   * @throws {ConfigurationError} if the address is missing, or a variable is invalid
   */
  get settings(): EndpointSettings {
    this.#settings ??= this.#resolve()
    return this.#settings
  }

  get limiter(): RateLimiter | undefined {
    return this.settings.findLimiter()
  }

  get listeners(): Listeners {
    return this.settings.listeners
  }
}
