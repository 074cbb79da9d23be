/** A client as its calls see it: its options with their defaults filled in, and what it reads from the environment. */
import type { RateLimitState } from '../errors.ts'
import type { ApiName } from '../platform/apis.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import type { Fetch, FetchOptions } from '../runtime/fetch.ts'
import type { ApiKey } from './api-key.ts'
import type { HeaderPair } from './authorization.ts'
import type { BaseUrl } from './base-url.ts'
import type { Listeners } from './observers.ts'
import type { BeforeRequest, Priority, Validation } from './request-options.ts'

/** One of the APIs of a client. */
export interface Endpoint {
  readonly baseUrl: BaseUrl
  /** Whether its calls send the key, or the client's own `Authorization` header. */
  readonly usesKey: boolean
  /** Whether the rate limit of the client applies. If not, only what the server's responses say does. */
  readonly isLimited: boolean
}

export interface Environment {
  readonly listeners: Listeners
  /** Called for each use, because the process drops idle limiters. */
  readonly findLimiter: (endpoint: Endpoint) => Required<RateLimiter> | undefined
}

export interface Settings {
  readonly apis: Readonly<Record<ApiName, Endpoint>>
  /**
   * Reads the environment once, at the first call: until then, variables may be set and `fetch` replaced.
   * @throws {ConfigurationError} if a variable is invalid
   */
  readonly environment: () => Environment
  readonly apiKey: ApiKey
  readonly timeout: number | false
  readonly deadline: number | false | undefined
  readonly retry: number
  readonly priority: Priority
  readonly validation: Validation
  readonly headers: readonly HeaderPair[]
  readonly fetchOptions: FetchOptions | undefined
  readonly fetch: Fetch
  readonly beforeRequest: BeforeRequest | undefined
  /** The rate limit in the last response of a limited API, for clients without a limiter. */
  readonly last: { rateLimit?: RateLimitState }
}
