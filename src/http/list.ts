import type { Issue } from '../errors.ts'
import { throwIfAborted } from '../runtime/abort.ts'
import { asyncIterator } from '../runtime/environment.ts'
import { boolean, type Checks, checkOptions, positiveInteger } from '../schema/checks.ts'
import type { FormatValue } from '../schema/expected.ts'
import { ApiPromise } from './api-promise.ts'
import type { ListOptions, Page, PageQuery } from './page.ts'
import { requestOptionChecks } from './request-options.ts'
import { type FetchPage, type WalkedPage, type WalkSettings, walk } from './walk.ts'

/** Rows per page of a walk. Large pages, because the rate limit counts requests. */
const WALK_LIMIT = 100

export const listOptionChecks = {
  ...requestOptionChecks,
  concurrency: {
    expected: 'a whole number from 1 to 100',
    fits: (value: unknown) => positiveInteger.fits(value) && (value as number) <= 100,
  },
  dedupe: boolean,
} satisfies Checks<keyof ListOptions>

/** What a list takes from the client. */
interface ListSettings extends WalkSettings {
  /** @throws {InvalidRequestError} if `find` finds issues */
  readonly check: (find: (show: FormatValue) => readonly Issue[]) => void
}

const toArrayChecks = { limit: positiveInteger }

/**
 * A list that sends nothing until it is used. Await it for one page; iterate over it for every row of every page.
 *
 * Iteration requests 100 rows per page, because the rate limit counts requests, unless `limit` or `page` is given. Each
 * loop starts again.
 *
 * If you delete rows during a loop, later rows move to pages that the loop has already read: collect the rows with
 * `toArray` first, then delete them.
 *
 * @example
 * for await (const { id, name } of client.campaigns.list()) console.log(id, name) // every row
 * for await (const page of client.campaigns.list().pages()) console.log(page.items.length) // page by page
 * const { items, maxpage } = await client.campaigns.list({ limit: 2 }) // one page
 * const all = await client.campaigns.list().toArray({ limit: 1000 })
 * console.log(items.length, maxpage, all.length)
 */
export class ListPromise<T> extends ApiPromise<Page<T>> {
  readonly #fetchPage: FetchPage<T>
  readonly #query: PageQuery
  readonly #options: ListOptions
  readonly #settings: ListSettings

  /** @internal */
  constructor(fetchPage: FetchPage<T>, query: PageQuery, options: ListOptions, settings: ListSettings) {
    super(() => fetchPage({}, options.signal))
    this.#fetchPage = fetchPage
    this.#query = query
    this.#options = options
    this.#settings = settings
  }

  /**
   * Iterates over the pages. Leaving the loop stops all requests.
   *
   * @throws {InvalidResponseError} if the server sends another page than the one requested, larger pages than before, or
   *   several pages in a row without a new row
   */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for await (const { answer } of this.#walk(WALK_LIMIT)) yield answer.data
  }

  /** Iterates over every row of every page, each once. Leaving the loop stops all requests. */
  async *[asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { rows } of this.#walk(WALK_LIMIT)) {
      for (const row of rows) {
        throwIfAborted(this.#options.signal)
        yield row
      }
    }
  }

  /**
   * Collects the rows, at most `limit` of them (default: all).
   *
   * @example
   * const some = await client.campaigns.list().toArray({ limit: 2 })
   * console.log(some.map(({ name }) => name))
   *
   * @throws {InvalidRequestError} if `limit` is not a positive integer; nothing is sent
   */
  async toArray(options: { limit?: number | undefined } = {}): Promise<T[]> {
    if (options?.limit !== Number.POSITIVE_INFINITY)
      this.#settings.check((show) => checkOptions(options, toArrayChecks, show))
    const { limit = Number.POSITIVE_INFINITY } = options
    const all: T[] = []
    for await (const { rows } of this.#walk(Math.min(WALK_LIMIT, limit))) {
      for (const row of rows) if (all.push(row) >= limit) return all
    }
    return all
  }

  /** A walk with pages of `limit` rows, unless the caller has named a page or a limit. */
  #walk(limit: number): AsyncGenerator<WalkedPage<T>, void, undefined> {
    const { page, limit: given } = this.#query
    const isOpen = page === undefined && given === undefined
    return walk(this.#fetchPage, { page, limit: isOpen ? limit : undefined }, this.#options, this.#settings)
  }
}
