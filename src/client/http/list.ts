import { type Checks, checkOptions, positiveInteger } from '../checks/checks.ts'
import { AbortError, InvalidResponseError, type Issue, isShortLinkError } from '../errors.ts'
import { abortReason, onAbort } from '../runtime/abort.ts'
import { asyncIterator } from '../runtime/environment.ts'
import { framesOf } from '../runtime/stack.ts'
import { isPlain, isRecord } from '../runtime/text.ts'
import { type ApiPromise, CallPromise, type CallResult } from './api-promise.ts'
import { type Page, type Read, readNumberedPage } from './envelope.ts'
import type { CallSpec } from './request.ts'
import { type RequestOptions, requestOptionChecks } from './request-options.ts'
import type { Transport } from './transport.ts'

/** Rows per page unless the caller names a `limit`. Large pages, because the rate limit counts requests. */
const DEFAULT_LIMIT = 100

/** The minimum number of rows that are remembered, to recognise duplicates. */
const REMEMBERED_ROWS = 1000

/** Pagination parameters. */
export interface PageQuery {
  /**
   * Rows per page. This client requests 100 by default, or the server's own default (usually 15) if that is refused.
   */
  limit?: number | undefined
  /** The number of the page, from 1. Iteration begins there. */
  page?: number | undefined
}

/** @internal */
export const pageChecks = { limit: positiveInteger, page: positiveInteger } satisfies Checks<keyof PageQuery>

/** Options for a list: for its requests, and for the iteration. */
export interface ListOptions extends RequestOptions {
  /** The number of pages to request at once during iteration, from 1 to 100. The rows stay in order. Default 1. */
  concurrency?: number | undefined
}

const listOptionChecks = {
  ...requestOptionChecks,
  concurrency: {
    expected: 'a whole number from 1 to 100',
    fits: (value: unknown) => positiveInteger.fits(value) && (value as number) <= 100,
  },
} satisfies Checks<keyof ListOptions>

const toArrayChecks = {
  limit: {
    expected: positiveInteger.expected,
    fits: (value: unknown) => value === Number.POSITIVE_INFINITY || positiveInteger.fits(value),
  },
}

/** The request of a list, and the reader of its pages. */
export interface ListRequest<T> extends Pick<CallSpec<never>, 'path' | 'checks' | 'issues'> {
  readonly query?: PageQuery | undefined
  readonly read: Read<Page<T>>
  /**
   * False if two rows may have the same id and type. Then only rows that are the same in whole are duplicates. Default
   * `true`.
   */
  readonly hasUniqueIds?: boolean
}

/**
 * A list that sends nothing until it is used. Await it for one page; iterate over it for every row of every page.
 *
 * It requests 100 rows per page unless you name a `limit`, because the rate limit counts requests. Each loop starts
 * again.
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
export interface ListPromise<T> extends ApiPromise<Page<T>> {
  /**
   * Iterates over the pages, each without the rows of earlier ones. Leaving the loop stops all requests.
   *
   * @throws {InvalidResponseError} if the server sends another page than the one requested, larger pages than before,
   *   the same rows again and again, or fewer rows than it announced
   */
  pages(): AsyncGenerator<Page<T>, void, undefined>
  /** Iterates over every row of every page, each once. Leaving the loop stops all requests. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>
  /**
   * Collects the rows, at most `limit` of them (default: all). A `deadline` covers all of its requests.
   *
   * @example
   * const some = await client.campaigns.list().toArray({ limit: 2 })
   * console.log(some.map(({ name }) => name))
   *
   * @throws {InvalidRequestError} if `limit` is not a positive integer; nothing is sent
   * @throws {InvalidResponseError} if the server sends fewer rows than it announced
   */
  toArray(options?: { limit?: number | undefined }): Promise<T[]>
  /** Iterates over the pages with everything that is known of their calls. @internal */
  responses(): AsyncGenerator<CallResult<Page<T>>, void, undefined>
}

/** A list that is requested with this transport. */
export class RequestedList<T> extends CallPromise<Page<T>> implements ListPromise<T> {
  readonly #transport: Transport
  readonly #request: ListRequest<T>
  readonly #options: ListOptions

  constructor(transport: Transport, request: ListRequest<T>, options: ListOptions = {}) {
    super(async () => {
      let calledFrom = new Error()
      if (framesOf(calledFrom) === '') {
        // An `await` calls `then` from outside of the program. Its line is in the stack of what runs a moment later.
        await undefined
        calledFrom = new Error()
      }
      const { deadline } = isRecord(options) ? (options as ListOptions) : {}
      return pageRequester(transport.forOperation({ deadline, calledFrom }), request, options)(request.query?.page)
    })
    this.#transport = transport
    this.#request = request
    this.#options = options
  }

  pages(): AsyncGenerator<Page<T>, void, undefined> {
    return pagesOf(this.responses())
  }

  [asyncIterator](): AsyncGenerator<T, void, undefined> {
    return iterateRows(this.responses(), this.#options)
  }

  async toArray(options: { limit?: number | undefined } = {}): Promise<T[]> {
    const issues = [...(this.#request.issues ?? []), ...checkOptions(options, toArrayChecks)]
    const { deadline }: ListOptions = isRecord(this.#options) ? this.#options : {}
    const transport = this.#transport.forOperation({ deadline, calledFrom: new Error() })
    const { limit = Number.POSITIVE_INFINITY } = issues.length ? {} : options
    const all: T[] = []
    for await (const { data } of walk(transport, { ...this.#request, issues }, this.#options, limit)) {
      for (const row of data.items) if (all.push(row) >= limit) return all
    }
    return all
  }

  /**
   * Reads every page from the first one on, in order, with `concurrency` requests in flight, and leaves out duplicate
   * rows.
   */
  responses(): AsyncGenerator<CallResult<Page<T>>, void, undefined> {
    // A deadline is that of each page, because the body of the loop takes time of its own.
    const transport = this.#transport.forOperation({ deadline: false, calledFrom: new Error() })
    return walk(transport, this.#request, this.#options)
  }
}

async function* pagesOf<T>(responses: AsyncGenerator<CallResult<Page<T>>>): AsyncGenerator<Page<T>, void, undefined> {
  for await (const { data } of responses) yield data
}

async function* iterateRows<T>(
  responses: AsyncGenerator<CallResult<Page<T>>>,
  options: ListOptions,
): AsyncGenerator<T, void, undefined> {
  for await (const { data } of responses) {
    for (const row of data.items) {
      // The walk then rejects.
      if (options.signal?.aborted) break
      yield row
    }
  }
}

/**
 * Walks the pages of a list. If later pages are smaller, their first rows are duplicates. If they are larger, rows
 * between two pages would be lost, so the walk fails.
 *
 * @param rowsWanted How many rows the caller will read at most.
 */
async function* walk<T>(
  transport: Transport,
  list: ListRequest<T>,
  given: ListOptions,
  rowsWanted = Number.POSITIVE_INFINITY,
): AsyncGenerator<CallResult<Page<T>>, void, undefined> {
  // Invalid options are for the check of the first request.
  const { signal, concurrency = 1 }: ListOptions = isRecord(given) ? given : {}
  const { path, query, hasUniqueIds } = list
  const inFlight: Promise<CallResult<Page<T>>>[] = []
  const context = transport.contextOf({ method: 'GET', path })
  const throwIfAborted = () => {
    if (!signal?.aborted) return
    throw new AbortError(abortReason(signal), { ...context, outcome: inFlight.length > 0 ? 'unknown' : 'not-sent' })
  }
  const invalid = ({ status, attempts }: CallResult<unknown>, field: 'currentpage' | 'result', problem: string) => {
    const issues: Issue[] = [{ path: [field], message: problem }]
    const reason = field === 'result' ? 'incomplete_list' : 'schema'
    const read = { reason, status, body: undefined, issues } as const
    return new InvalidResponseError(problem, read, { ...context, outcome: 'unknown', attempts })
  }
  throwIfAborted()
  // One signal for all requests, so that leaving the loop aborts those in flight.
  const controller = new AbortController()
  const isSignal = requestOptionChecks.signal.fits(signal)
  const unsubscribe = isSignal ? onAbort(signal!, () => controller.abort(abortReason(signal!))) : undefined
  const firstPage = query?.page
  // A page that the caller names is counted in pages of the usual size.
  const limit = firstPage === undefined ? Math.min(DEFAULT_LIMIT, rowsWanted) : DEFAULT_LIMIT
  const options = isRecord(given) && (isSignal || !signal) ? { ...given, signal: controller.signal } : given
  const request = pageRequester(transport, list, options, limit)
  const progress = new Progress<T>(hasUniqueIds)
  try {
    for (let response = await request(firstPage); ; ) {
      const { data: page } = response
      const last = concurrency > 1 && page.hasNextPage ? page.maxpage : 0
      while (inFlight.length < concurrency && page.currentpage + inFlight.length < last) {
        const next = request(page.currentpage + inFlight.length + 1)
        // An error is handled when the page is due, which may be never.
        next.catch(() => {})
        inFlight.push(next)
      }
      throwIfAborted()
      const { items, problem } = progress.add(page)
      if (problem) throw invalid(response, 'currentpage', problem)
      yield { ...response, data: { ...page, items } }
      throwIfAborted()
      if (!page.hasNextPage) {
        const isWhole = (firstPage ?? 1) === 1
        // A server that does not say how many there are, which only `report` lets through, may have more.
        if (isWhole && !(progress.received >= progress.announced)) {
          const { received, announced } = progress
          const missing = Number.isNaN(announced)
            ? `received ${received} rows, and the server does not say of how many`
            : `received ${received} of ${announced} rows`
          transport.throwOrReport(invalid(response, 'result', missing))
        }
        return
      }
      response = await (inFlight.shift() ?? request(page.currentpage + 1))
    }
  } finally {
    unsubscribe?.()
    controller.abort()
  }
}

/**
 * Creates the function that requests a page of a list, with a `limit` of its own if the caller names none. If the
 * server refuses that, this request and all later ones are sent without it.
 */
function pageRequester<T>(
  transport: Transport,
  { path, query, checks = pageChecks, issues, read }: ListRequest<T>,
  options: ListOptions,
  defaultLimit = DEFAULT_LIMIT,
): (page: number | undefined) => Promise<CallResult<Page<T>>> {
  let ownLimit = query?.limit === undefined ? defaultLimit : undefined
  const { deadline }: ListOptions = isRecord(options) ? options : {}
  return async (page) => {
    // Both requests of a page have one deadline.
    const requests = transport.forOperation({ deadline })
    const send = (limit: number | undefined) => {
      const own = { ...(page !== undefined && { page }), ...(limit !== undefined && { limit }) }
      // An invalid query is sent as it is, so that its check finds it.
      const paged = query === undefined || isPlain(query) ? { ...query, ...own } : query
      const request = { path, query: paged, checks, issues, optionChecks: listOptionChecks }
      return requests.run({ method: 'GET', ...request, read: readNumberedPage(read, page) }, options)
    }
    const limit = ownLimit
    try {
      return await send(limit)
    } catch (error) {
      if (limit === undefined || !mayRefuseLimit(error)) throw error
      ownLimit = undefined
      return send(undefined)
    }
  }
}

/**
 * Returns true if the server may have refused the `limit`: with 400 or 422, or inside a 200 without a number of its
 * own.
 */
function mayRefuseLimit(error: unknown): boolean {
  if (!isShortLinkError(error) || error.code !== 'api') return false
  const isRedirect = error.httpStatus < 200 || (error.httpStatus >= 300 && error.httpStatus < 400)
  return !isRedirect && (error.status === 400 || error.status === 422)
}

/** The progress of a walk, in bounded memory. It recognises duplicate rows, and lists that repeat themselves. */
class Progress<T> {
  /** Rows so far, without those of earlier pages. A server that lists a row twice on a page counts it twice. */
  received = 0
  /**
   * The smallest `result` so far. It grows with rows that are added during the walk, perhaps on pages that were read
   * before.
   */
  announced = Number.POSITIVE_INFINITY
  readonly #hasUniqueIds: boolean
  readonly #seen = new Set<string>()
  #pageSize = Number.POSITIVE_INFINITY
  #newRows = 0
  /** Rows since the last new one. */
  #repeatedRows = 0

  constructor(hasUniqueIds = true) {
    this.#hasUniqueIds = hasUniqueIds
  }

  /** The rows of a page that are new, and what is wrong with the page, if anything. */
  add({ items, currentpage, perpage, result }: Page<T>): { items: T[]; problem?: string } {
    const counted = items.filter((row) => !this.#isSeen(row))
    const newItems = counted.filter((row) => this.#isNew(row))
    this.received += counted.length
    this.announced = Math.min(this.announced, result)
    this.#newRows += newItems.length
    this.#repeatedRows = newItems.length > 0 ? 0 : this.#repeatedRows + items.length
    // Rows can move to the neighbouring page, so at least two pages are remembered.
    for (const oldest of this.#seen) {
      if (this.#seen.size <= Math.max(REMEMBERED_ROWS, 2 * items.length)) break
      this.#seen.delete(oldest)
    }
    const pageSize = Math.max(items.length, perpage || 0)
    const isLarger = pageSize > this.#pageSize
    this.#pageSize = pageSize
    if (isLarger) {
      const problem = `page ${currentpage} is larger than the one before, so some rows between them would be lost`
      return { items: newItems, problem }
    }
    // If pages become smaller, rows come again, but each of them once.
    if (this.#repeatedRows > this.#newRows) {
      return { items: newItems, problem: `page ${currentpage} has only rows of earlier pages, like those before it` }
    }
    return { items: newItems }
  }

  /** Returns true if a row was seen before. */
  #isSeen(row: T): boolean {
    const identity = identityOf(row, this.#hasUniqueIds)
    return identity !== undefined && this.#seen.has(identity)
  }

  /** Returns true if a row was not seen before. One without an identity may look like another, and counts as new. */
  #isNew(row: T): boolean {
    const identity = identityOf(row, this.#hasUniqueIds)
    if (identity === undefined) return true
    const isNew = !this.#seen.has(identity)
    this.#seen.add(identity)
    return isNew
  }
}

/** The identity of a row: its `type` and `id`, or all of it if that is not enough. `undefined` without an id. */
function identityOf(row: unknown, hasUniqueIds: boolean): string | undefined {
  if (!isRecord(row) || !row.id || !['number', 'string', 'bigint'].includes(typeof row.id)) return undefined
  if (hasUniqueIds) return `${row.type ?? ''}:${row.id}`
  // A user's schema may have made bigints of numbers.
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
