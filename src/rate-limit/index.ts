export type { RateLimitState } from '../errors.ts'
export type { AcquireOptions, BudgetWait, RateLimitAnswer, RateLimiter } from './limiter.ts'
export {
  type SharedRateLimitOptions,
  type StoreAnswer,
  type StoreChange,
  type StoreLimiter,
  sharedRateLimiter,
} from './shared.ts'
