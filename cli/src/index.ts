export type { ShortLinkClient } from '../../src/client/client.ts'
export type { AnyShortLinkError, InvalidRequestError, Outcome, RateLimitState } from '../../src/client/errors.ts'
export type { CreatedLink, Link, LinkStatistics } from '../../src/client/resources/links/link.ts'
export type { LinksResource } from '../../src/client/resources/links/links.ts'
export type { LinkCreate } from '../../src/client/resources/links/params.ts'
export type { Id } from '../../src/client/resources/resource.ts'
export { bulk } from './tasks/bulk.ts'
export { type ImportOptions, type ImportResult, type ImportSummary, importLinks } from './tasks/import.ts'
export { type Journal, type JournalEntry, UnknownOutcomeError } from './tasks/journal.ts'
export type { BulkOptions, TaskClient, TaskOptions, UnknownDecision } from './tasks/options.ts'
export {
  type ReportedLink,
  type ReportOptions,
  type ReportResult,
  type ReportSummary,
  reportLinks,
} from './tasks/report.ts'
export type { RowLink } from './tasks/row-links.ts'
export type { LinkRow } from './tasks/rows.ts'
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
