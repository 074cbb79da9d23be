import { ApiError, type ErrorContext, InvalidRequestError } from '../../errors.ts'
import { mismatch, numberOrKind } from '../../schema/expected.ts'
import { positiveInteger } from '../../schema/params.ts'
import { ApiPromise, type ApiResponse } from '../api-promise.ts'
import type { FetchPage, FetchPageOptions, ListOptions, Page, PageQuery } from './page.ts'
import { type RequestPage, type WalkedPage, walk } from './walk.ts'

/** Rows on a page of a walk: the quota counts requests, so fewer of them are better. */
const WALK_LIMIT = 100

/** How many lists are remembered that refuse a `limit`. */
const MAX_REMEMBERED_LISTS = 1000

/**
 * A list: awaited, it is one page; iterated, every row of every page. It sends its first request in the same turn of the
 * event loop, when it is known which of the two it is: a walk asks for 100 rows a page, a single page for the server's
 * default, unless `limit` says otherwise.
 *
 * Deleting rows while iterating moves later rows to earlier pages, which the loop has passed: collect the rows with
 * `toArray` first, then delete.
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
  /** The paths of the lists whose server refuses a `limit`. */
  readonly #refusesLimit: Set<string>
  /** The `limit` of a walk; `undefined` for a single page, and where the caller or the server decides. */
  #walkLimit: number | undefined
  #started = false
  /** Why the list ends before its request is sent. */
  #refusal: InvalidRequestError | undefined
  readonly #context: ErrorContext

  /** @internal */
  constructor(
    fetchPage: FetchPage<T>,
    query: PageQuery,
    options: ListOptions,
    refusesLimit: Set<string>,
    context: ErrorContext,
  ) {
    super(Promise.resolve().then(() => this.#start()))
    this.#fetchPage = fetchPage
    this.#query = query
    this.#options = options
    this.#refusesLimit = refusesLimit
    this.#context = context
  }

  /**
   * Page by page, from this one on. Leaving the loop ends the traffic.
   *
   * @throws {InvalidResponseError} where the server answers with another page than the one asked for, or with page after
   *   page that has nothing new
   */
  pages(): AsyncGenerator<Page<T>, void, undefined> {
    const walk = this.#walk(WALK_LIMIT)
    return (async function* () {
      for await (const { page } of walk) yield page
    })()
  }

  /** Every row of every page, from this one on, each once. Leaving the loop ends the traffic. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    return this.#rows(WALK_LIMIT)
  }

  /**
   * Collects the rows, at most `limit` of them (default: all).
   *
   * @example
   * const some = await client.campaigns.list().toArray({ limit: 2 })
   * console.log(some.map(({ name }) => name))
   *
   * @throws {InvalidRequestError} where `limit` is not a positive integer; nothing is sent
   */
  async toArray(options: { limit?: number } = {}): Promise<T[]> {
    const { limit = Number.POSITIVE_INFINITY } = options ?? {}
    if (limit !== Number.POSITIVE_INFINITY && !positiveInteger.fits(limit)) {
      const message = mismatch(positiveInteger.expected, limit, numberOrKind)
      this.#refusal = new InvalidRequestError([{ path: ['limit'], message }], this.#context)
      this.withResponse().catch(() => {})
      throw this.#refusal
    }
    const rows: T[] = []
    for await (const row of this.#rows(Math.min(WALK_LIMIT, limit))) {
      if (rows.push(row) >= limit) break
    }
    return rows
  }

  #rows(limit: number): AsyncGenerator<T, void, undefined> {
    const { signal, dedupe = true } = this.#options
    const walk = this.#walk(limit)
    return (async function* () {
      for await (const { page, newItems } of walk) {
        for (const item of dedupe ? newItems : page.items) {
          signal?.throwIfAborted()
          yield item
        }
      }
    })()
  }

  /** Sends the first request; a walk that begins in the same turn has set its limit by now. */
  async #start(): Promise<ApiResponse<Page<T>>> {
    this.#started = true
    if (this.#refusal) throw this.#refusal
    return this.#fetchWithLimit({}, {})
  }

  /** Begins a walk. It chooses the page size unless the caller has, or the first request has been sent. */
  #walk(limit: number): AsyncGenerator<WalkedPage<T>, void, undefined> {
    const { page, limit: given } = this.#query
    if (!this.#started && page === undefined && given === undefined) this.#walkLimit = limit
    const requestPage: RequestPage<T> = (number, { usesDefaultSize, ...options }) => {
      if (usesDefaultSize) return this.#fetchPage({ page: number, limit: undefined }, options)
      return this.#fetchWithLimit({ page: number }, options)
    }
    return walk(this.withResponse(), requestPage, this.#options, this.#context)
  }

  /** Requests a page of the walk's size or, where the server refuses that `limit`, of its own. */
  async #fetchWithLimit(query: PageQuery, options: FetchPageOptions): Promise<ApiResponse<Page<T>>> {
    const path = this.#context.path!
    const limit = this.#refusesLimit.has(path) ? undefined : this.#walkLimit
    if (limit === undefined) return this.#fetchPage(query, options)
    try {
      return await this.#fetchPage({ ...query, limit }, options)
    } catch (error) {
      if (!mayRefuseLimit(error)) throw error
      const answer = await this.#fetchPage(query, options)
      if (this.#refusesLimit.size >= MAX_REMEMBERED_LISTS) this.#refusesLimit.clear()
      this.#refusesLimit.add(path)
      return answer
    }
  }
}

/** Whether a refusal may be meant for the `limit`: the server took the key, knows the path, and redirects nowhere. */
function mayRefuseLimit(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const { code, status, retryable } = error
  return code === 'api' && !retryable && (status < 300 || status >= 400)
}
