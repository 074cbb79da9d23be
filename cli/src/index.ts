export type {
  AnyShortLinkError,
  CreatedLink,
  Id,
  InvalidRequestError,
  Link,
  LinkCreate,
  LinkStatistics,
  Outcome,
  RateLimitState,
  ShortLinkClient,
} from 'shortlink-sdk'
export { bulk } from './tasks/bulk.ts'
export type { TaskClient } from './tasks/client.ts'
export {
  type ImportOptions,
  type ImportPlan,
  type ImportResult,
  type ImportSummary,
  importLinks,
  type PlannedRow,
  type Prepared,
} from './tasks/import.ts'
export { type Journal, type JournalEntry, UnknownOutcomeError } from './tasks/journal.ts'
export type { BulkOptions, TaskOptions, UnknownDecision } from './tasks/options.ts'
export {
  type ReportedFields,
  type ReportedLink,
  type ReportOptions,
  type ReportResult,
  type ReportSummary,
  reportLinks,
} from './tasks/report.ts'
export type { LinkRow, RowLink } from './tasks/rows.ts'
export { type SyncOptions, type SyncResult, type SyncSummary, syncLinks } from './tasks/sync.ts'
export type { SyncAction, SyncPlan } from './tasks/sync-plan.ts'
export type {
  BulkContext,
  BulkResult,
  BulkSummary,
  Task,
  TaskError,
  TaskProgress,
  TaskResult,
  TaskSummary,
} from './tasks/task.ts'
