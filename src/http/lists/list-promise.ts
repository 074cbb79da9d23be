import { ApiError, type ErrorContext, InvalidRequestError } from '../../errors.ts'
import { mismatch, numberOrKind } from '../../schema/expected.ts'
import { positiveInteger } from '../../schema/params.ts'
import { ApiPromise, type ApiResponse } from '../api-promise.ts'
import type { FetchPage, FetchPageOptions, ListOptions, Page, PageQuery } from './page.ts'
import { type WalkedPage, walk } from './walk.ts'

/** What a list remembers beyond one walk: whether its server refuses the parameter `limit`. @internal */
export interface ListMemory {
  limitRefused?: boolean
}

/** Rows on a page of a walk: the quota counts requests, so fewer of them are better. */
const WALK_LIMIT = 100

/**
 * A list: awaited, it is one page; iterated, every row of every page. It sends its first request in the same turn of the
 * event loop, when it is known which of the two it is: a walk asks for 100 rows a page, a single page for the server's
 * default, unless `limit` says otherwise.
 *
 * Deleting rows while iterating moves later rows to earlier pages, which the loop has passed: collect the rows with
 * `toArray` first, then delete.
 *
 * @example
 * for await (const campaign of client.campaigns.list()) {}         // every row
 * for await (const page of client.campaigns.list().pages()) {}     // page by page
 * const page = await client.campaigns.list({ page: 2 })            // one page
 * const all = await client.campaigns.list().toArray({ limit: 1000 })
 */
export class ListPromise<T> extends ApiPromise<Page<T>> {
  readonly #first: Promise<ApiResponse<Page<T>>>
  readonly #fetchPage: FetchPage<T>
  readonly #query: PageQuery
  readonly #options: ListOptions
  readonly #memory: ListMemory
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
    memory: ListMemory,
    context: ErrorContext,
  ) {
    const first = Promise.resolve().then(() => this.#start())
    super(first)
    this.#first = first
    this.#fetchPage = fetchPage
    this.#query = query
    this.#options = options
    this.#memory = memory
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
   * const newest = await client.campaigns.list().toArray({ limit: 20 })
   *
   * @throws {InvalidRequestError} where `limit` is not a positive integer; nothing is sent
   */
  async toArray(options: { limit?: number } = {}): Promise<T[]> {
    const { limit = Number.POSITIVE_INFINITY } = options ?? {}
    if (limit !== Number.POSITIVE_INFINITY && !positiveInteger.fits(limit)) {
      const message = mismatch(positiveInteger.expected, limit, numberOrKind)
      this.#refusal = new InvalidRequestError([{ path: ['limit'], message }], this.#context)
      this.#first.catch(() => {})
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
    return this.#fetchWithLimit({ ...this.#query }, { signal: this.#options.signal })
  }

  /** Asks for a page of the walk's size, or, where the server refuses that parameter, for one of its own size. */
  async #fetchWithLimit(query: PageQuery, options: FetchPageOptions): Promise<ApiResponse<Page<T>>> {
    const limit = this.#memory.limitRefused ? undefined : this.#walkLimit
    if (limit === undefined) return this.#fetchPage(query, options)
    try {
      return await this.#fetchPage({ ...query, limit }, options)
    } catch (error) {
      if (!mayRefuseLimit(error)) throw error
      const answer = await this.#fetchPage(query, options)
      this.#memory.limitRefused = true
      return answer
    }
  }

  /** Begins a walk. It decides about the `limit`, unless the caller has, or the request is on its way. */
  #walk(limit: number): AsyncGenerator<WalkedPage<T>, void, undefined> {
    // A caller's page is counted by the server's own page size.
    const { page, limit: given } = this.#query
    if (!this.#started && page === undefined && given === undefined) this.#walkLimit = limit
    const fetchPage: FetchPage<T> = (query, options) => this.#fetchWithLimit({ ...this.#query, ...query }, options)
    return walk(this.#first, fetchPage, this.#options, this.#context)
  }
}

/** Whether a refusal may be meant for the parameter `limit`: the server took the key and knows the path. */
function mayRefuseLimit(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'api' && error.outcome === 'rejected'
}
