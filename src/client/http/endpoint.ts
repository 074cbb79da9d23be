import type { RateLimitState } from '../errors.ts'
import type { RateLimiter } from '../rate-limit/limiter.ts'
import type { Address } from './address.ts'
import type { ApiKey } from './api-key.ts'
import type { Listeners } from './observers.ts'

/** The settings that an endpoint reads at its first call, partly from the environment. */
export interface EndpointSettings {
  readonly listeners: Listeners
  /** Called for each use, because the process drops idle limiters. */
  readonly findLimiter: () => RateLimiter | undefined
}

/** One of the two APIs of a client. */
export class Endpoint {
  readonly address: Address
  readonly apiKey: ApiKey
  /** Whether its calls send the key. */
  readonly usesKey: boolean
  /** The state of the rate limit after the last response. */
  lastRateLimit: RateLimitState | undefined
  /**
   * Consecutive refusals by the rate limit, and the time of the last. Requests in flight at the same time count once.
   */
  refusals = { inARow: 0, lastAt: Number.NEGATIVE_INFINITY }
  readonly #resolve: () => EndpointSettings
  #settings: EndpointSettings | undefined

  /** @param resolve Runs once, at the first call: until then, variables may be set and `fetch` replaced. */
  constructor(address: Address, apiKey: ApiKey, usesKey: boolean, resolve: () => EndpointSettings) {
    this.address = address
    this.apiKey = apiKey
    this.usesKey = usesKey
    this.#resolve = resolve
  }

  /** @throws {ConfigurationError} if the address is missing, or a variable is invalid */
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
