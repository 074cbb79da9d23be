import { type Checks, positiveInteger } from '../schema/checks.ts'
import type { RequestOptions } from './request-options.ts'

/** One page of a list, as plain data. */
export interface Page<T> {
  /** The rows of this page. */
  readonly items: T[]
  /** The total number of rows in the list, on all pages. */
  readonly result: number
  /** Rows on a page. */
  readonly perpage: number
  /** The number of this page, from 1. */
  readonly currentpage: number
  /** The number of the next page, as the server sent it. On the last page, some servers repeat the current number. */
  readonly nextpage: number | null
  /** The number of the last page. */
  readonly maxpage: number
  /** Whether there is a next page: `nextpage` is above `currentpage`, and `currentpage` is below `maxpage`. */
  readonly hasNextPage: boolean
}

/** Pagination parameters. */
export interface PageQuery {
  /** Rows per page. Default: 100 if you iterate over the list, else the server's own default (usually 15). */
  limit?: number | undefined
  /** The number of the page, from 1. Iteration begins there, with the server's own page size unless `limit` is given. */
  page?: number | undefined
}

/** @internal */
export const pageChecks = { limit: positiveInteger, page: positiveInteger } satisfies Checks<keyof PageQuery>

/** Options for a list: for its requests, and for the iteration. */
export interface ListOptions extends RequestOptions {
  /** How many pages to request at once during iteration, from 1 to 100. The rows stay in order. Default 1. */
  concurrency?: number | undefined
  /** Whether to leave out duplicate rows, which occur if rows are added during iteration. Default `true`. */
  dedupe?: boolean | undefined
}
