export type { Outcome, RateLimitState } from '../errors.ts'
export { bulk } from './bulk.ts'
export type { Journal, JournalEntry } from './journal.ts'
export type { BulkOptions, UnknownDecision } from './options.ts'
export {
  type BulkContext,
  type BulkProgress,
  type BulkResult,
  type BulkRun,
  type BulkSummary,
  UnknownOutcomeError,
} from './results.ts'
