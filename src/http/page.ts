import { boolean, type Checks, positiveInteger } from '../schema/checks.ts'
import { type RequestOptions, requestOptionChecks } from './request-options.ts'

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
  /** The number of the next page, as the server sent it: on the last page some servers repeat the current one. */
  readonly nextpage: number | null
  /** The number of the last page. */
  readonly maxpage: number
  /** Whether there is a next page: `nextpage` is above `currentpage`, and `currentpage` is below `maxpage`. */
  readonly hasNextPage: boolean
}

/** Which page of a list, and how many rows it has. */
export interface PageQuery {
  /** Rows on a page. Default: 100 if the list is iterated, the server's own default for a single page (15 where seen). */
  limit?: number | undefined
  /** The number of the page, from 1. A walk begins there, and keeps to the server's own page size. */
  page?: number | undefined
}

/** @internal */
export const pageChecks = { limit: positiveInteger, page: positiveInteger } satisfies Checks<keyof PageQuery>

/** Options of a list: of its requests, and of the walk from page to page. */
export interface ListOptions extends RequestOptions {
  /** Pages in flight at once while the list is iterated; the rows come in order all the same. Default 1, at most 100. */
  concurrency?: number | undefined
  /** Whether a row that was seen already is left out, since pages shift when rows are added. Default true. */
  dedupe?: boolean | undefined
}

/** @internal */
export const listOptionChecks = {
  ...requestOptionChecks,
  concurrency: {
    expected: 'a whole number from 1 to 100',
    fits: (value: unknown) => positiveInteger.fits(value) && (value as number) <= 100,
  },
  dedupe: boolean,
} satisfies Checks<keyof ListOptions>
