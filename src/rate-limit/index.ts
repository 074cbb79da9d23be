export type { RateLimitState } from '../errors.ts'
export type { RateLimitAnswer, RateLimiter } from './limiter.ts'
export {
  type SharedRateLimitOptions,
  type StoreAnswer,
  type StoreChange,
  type StoreLimiter,
  sharedRateLimiter,
} from './shared.ts'
