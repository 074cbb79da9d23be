import { boolean, type Checks, positiveInteger } from '../../schema/params.ts'
import type { ApiResponse } from '../api-promise.ts'
import { type RequestOptions, requestOptionChecks } from '../request-options.ts'

/** One page of a list, as plain data. */
export interface Page<T> {
  /** The rows of this page. */
  readonly items: T[]
  /** The number of all rows, not of those on this page. */
  readonly result: number
  /** Rows on a page. */
  readonly perpage: number
  /** The number of this page, from 1. */
  readonly currentpage: number
  /** The number of the next page, as the server sent it: on the last page some repeat the current one. */
  readonly nextpage: number | null
  /** The number of the last page. */
  readonly maxpage: number
  /** Whether there is a next page: `nextpage` is above `currentpage`, and `currentpage` is below `maxpage`. */
  readonly hasNextPage: boolean
}

/** Which page of a list, and how many rows it has. */
export interface PageQuery {
  /** Rows on a page. Default: 100 where the list is walked, the server's own default for a single page (15 where seen). */
  limit?: number
  /** The number of the page, from 1. A walk begins there, and keeps to the server's own page size. */
  page?: number
}

/** @internal */
export const pageChecks: Checks<keyof PageQuery> = { limit: positiveInteger, page: positiveInteger }

/** Options of a list: of its calls, and of the walk from page to page. */
export interface ListOptions extends RequestOptions {
  /** Pages in flight at once while the list is walked; the rows come in order all the same. Default 1, at most 100. */
  concurrency?: number
  /** Whether a row that was seen already is left out, since pages shift when rows are added. Default true. */
  dedupe?: boolean
}

/** @internal */
export const listOptionChecks: Checks = {
  ...requestOptionChecks,
  concurrency: {
    expected: 'a whole number from 1 to 100',
    fits: (value) => positiveInteger.fits(value) && (value as number) <= 100,
  },
  dedupe: boolean,
}

/** Sends the request for one page. Its query overrides that of the list. @internal */
export type FetchPage<T> = (
  query: { [Name in keyof PageQuery]?: PageQuery[Name] | undefined },
  options: FetchPageOptions,
) => Promise<ApiResponse<Page<T>>>

/** @internal */
export interface FetchPageOptions {
  /** In the place of that of the list. */
  readonly signal?: AbortSignal
  /** Whether nobody waits for the page yet, so that its request may stand behind other calls. */
  readonly readAhead?: (() => boolean) | undefined
}
