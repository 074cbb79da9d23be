export type { ShortLinkClient } from '../client/client.ts'
export type { AnyShortLinkError, InvalidRequestError, Outcome, RateLimitState } from '../client/errors.ts'
export type { CreatedLink, Link, LinkStatistics } from '../client/resources/links/link.ts'
export type { LinksResource } from '../client/resources/links/links.ts'
export type { LinkCreate } from '../client/resources/links/params.ts'
export type { Id } from '../client/resources/resource.ts'
export { bulk } from './bulk.ts'
export { type ImportOptions, type ImportResult, type ImportSummary, importLinks } from './import.ts'
export { type Journal, type JournalEntry, UnknownOutcomeError } from './journal.ts'
export type { BulkOptions, TaskClient, TaskOptions, UnknownDecision } from './options.ts'
export { type ReportedLink, type ReportOptions, type ReportResult, type ReportSummary, reportLinks } from './report.ts'
export type { RowLink } from './row-links.ts'
export type { LinkRow } from './rows.ts'
export { type SyncOptions, type SyncResult, type SyncSummary, syncLinks } from './sync.ts'
export type { SyncAction, SyncPlan } from './sync-plan.ts'
export type {
  BulkContext,
  BulkResult,
  BulkSummary,
  Task,
  TaskError,
  TaskProgress,
  TaskResult,
  TaskSummary,
} from './task.ts'
