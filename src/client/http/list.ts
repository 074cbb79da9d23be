import { checkOptions, checkParams, positiveInteger } from '../checks/checks.ts'
import { type Page, type PageQuery, pageChecks, type Read } from '../definition.ts'
import { AbortError, type ErrorContext, InvalidResponseError, type IssueInput, isShortLinkError } from '../errors.ts'
import { addIssue } from '../parse/parse.ts'
import { getAbortReason } from '../runtime/abort.ts'
import { asyncIterator } from '../runtime/environment.ts'
import { isRecord } from '../runtime/text.ts'
import { type ApiPromise, type CallResult, createApiPromise } from './api-promise.ts'
import type { CallSpec } from './call.ts'
import { callOptionNames, type RequestOptions, type Validation } from './request-options.ts'

/**
 * Rows per page during iteration if the caller sets no `limit`. It is large, because the rate limit counts requests.
 */
const DEFAULT_LIMIT = 100

/** The minimum number of rows to remember, to recognize duplicates. */
const REMEMBERED_ROWS = 1000

const toArrayChecks = {
  limit: {
    expected: positiveInteger.expected,
    isValid: (value: unknown) => value === Infinity || positiveInteger.isValid(value),
  },
}

/** The request of a list, and the reader of its pages. */
export interface ListRequest<T> extends Pick<CallSpec<never>, 'path' | 'checks' | 'issues'> {
  readonly query?: PageQuery | undefined
  readonly read: Read<Page<T>>
  /**
   * Whether `type` and `id` identify a row. If not, only rows that are equal in every field are duplicates. Default
   * `true`.
   */
  readonly hasUniqueIds?: boolean
}

/**
 * A list that sends nothing until it is used. Await it for one page; iterate over it for every row of every page.
 *
 * Awaiting it sends only the parameters that you give, so its page has the server's size, usually 15 rows. Iterating
 * requests 100 rows per page unless you set a `limit`, because the rate limit counts requests. If you mix both, set a
 * `limit`, so that page 2 means the same rows. Each loop starts over.
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
   * @throws {InvalidResponseError} if the server sends a different page from the one requested, larger pages than
   *   before, the same rows again and again, or fewer rows than it announced
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
  /** Iterates over the pages with the internal details of their calls. @internal */
  responses(): AsyncGenerator<CallResult<Page<T>>, void, undefined>
}

/** The methods of the API that a list uses. */
export interface ListApi {
  readonly run: <T>(spec: CallSpec<T>, options?: RequestOptions) => Promise<CallResult<T>>
  readonly forOperation: (given: { deadline?: number | false | undefined; calledFrom?: Error }) => ListApi
  readonly createContext: (call: Pick<CallSpec<never>, 'method' | 'path'>) => ErrorContext
  readonly throwOrReport: (error: InvalidResponseError, validation?: Validation) => void
}

/**
 * Creates a list. It consists of closures, so that it works behind a Proxy that wraps everything it returns. Its errors
 * have the stack of the line that created it.
 */
export function createList<T>(api: ListApi, request: ListRequest<T>, options: RequestOptions = {}): ListPromise<T> {
  const calledFrom = new Error()
  // The first request reports invalid options.
  const { deadline, signal }: RequestOptions = isRecord(options) ? options : {}

  const requestOne = () => {
    const { page, limit }: PageQuery = request.query ?? {}
    return createApiPromise(requestPage(api.forOperation({ deadline, calledFrom }), request, options, page, limit))
  }
  let page: ApiPromise<Page<T>> | undefined
  const start = () => {
    page ??= requestOne()
    return page
  }

  // The deadline applies to each page, because the body of the loop takes time too.
  const responses = () => walk(api.forOperation({ deadline: false, calledFrom }), request, options)

  async function toArray(given: { limit?: number | undefined } = {}): Promise<T[]> {
    const issues = [...(request.issues ?? []), ...checkOptions(given, toArrayChecks)]
    const { limit = Infinity } = issues.length ? {} : given
    // If the caller sets a page, its number counts pages of the default size.
    const defaultLimit = request.query?.page === undefined ? Math.min(DEFAULT_LIMIT, limit) : DEFAULT_LIMIT
    const whole = api.forOperation({ deadline, calledFrom })
    const all: T[] = []
    for await (const { data } of walk(whole, { ...request, issues }, options, defaultLimit)) {
      for (const row of data.items) if (all.push(row) >= limit) return all
    }
    return all
  }

  return {
    // biome-ignore lint/suspicious/noThenProperty: to await a list is to request one page.
    then: (onfulfilled, onrejected) => start().then(onfulfilled, onrejected),
    catch: (onrejected) => start().catch(onrejected),
    finally: (onfinally) => start().finally(onfinally),
    safe: () => start().safe(),
    withResponse: () => start().withResponse(),
    result: () => start().result(),
    pages: () => detach(iteratePages(responses())),
    responses,
    toArray,
    [asyncIterator]: () => detach(iterateRows(responses(), signal)),
    [Symbol.toStringTag]: 'ListPromise',
  }
}

/** Returns a generator that consists of closures, because a Proxy cannot call the methods of a native one. */
function detach<T>(generator: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  const detached = {
    next: () => generator.next(),
    return: () => generator.return(),
    throw: (error: unknown) => generator.throw(error),
    [asyncIterator]: () => detached,
  } as AsyncGenerator<T, void, undefined>
  return detached
}

async function* iteratePages<T>(
  responses: AsyncGenerator<CallResult<Page<T>>>,
): AsyncGenerator<Page<T>, void, undefined> {
  for await (const { data } of responses) yield data
}

async function* iterateRows<T>(
  responses: AsyncGenerator<CallResult<Page<T>>>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  for await (const { data } of responses) {
    for (const row of data.items) {
      // The walk then rejects with the abort.
      if (signal?.aborted) break
      yield row
    }
  }
}

/**
 * Walks the pages of a list, in order, each without the rows of earlier pages. If the server refuses a `limit` that the
 * caller did not set, all pages are requested without it. Fails if a page is inconsistent, and at the end if rows are
 * missing.
 *
 * @param defaultLimit Rows per page if the caller sets no `limit`.
 */
async function* walk<T>(
  api: ListApi,
  list: ListRequest<T>,
  options: RequestOptions,
  defaultLimit = DEFAULT_LIMIT,
): AsyncGenerator<CallResult<Page<T>>, void, undefined> {
  const { path, query, hasUniqueIds } = list
  const { deadline, signal }: RequestOptions = isRecord(options) ? options : {}
  const context = api.createContext({ method: 'GET', path })
  const progress = new Progress<T>(hasUniqueIds)
  const createError = (field: 'currentpage' | 'result', problem: string) => {
    const { status, attempts } = response
    const issues: IssueInput[] = [{ path: [field], message: problem }]
    const reason = field === 'result' ? 'incomplete_list' : 'schema'
    const read = { reason, status, body: undefined, issues } as const
    return new InvalidResponseError(problem, read, { ...context, outcome: 'unknown', attempts })
  }

  let limit: number | undefined = query?.limit ?? defaultLimit
  // Both requests for the first page share a deadline.
  const firstPageApi = api.forOperation({ deadline })
  let response = await requestPage(firstPageApi, list, options, query?.page, limit).catch((error) => {
    if (query?.limit !== undefined || !mayBeLimitRefusal(error)) throw error
    limit = undefined
    return requestPage(firstPageApi, list, options, query?.page)
  })
  for (;;) {
    const { items, problem } = progress.add(response.data)
    if (problem) throw createError('currentpage', problem)
    yield { ...response, data: { ...response.data, items } }
    // The loop may have aborted its own signal.
    if (signal?.aborted) throw new AbortError(getAbortReason(signal), { ...context, outcome: 'not-sent' })
    const { nextpage } = response.data
    if (nextpage === null) break
    response = await requestPage(api, list, options, nextpage, limit)
  }
  const { received, announced } = progress
  const isWhole = (query?.page ?? 1) === 1
  if (isWhole && received < announced && announced < Infinity) {
    api.throwOrReport(createError('result', `received ${received} of ${announced} rows`), options.validation)
  }
}

/** Requests a page of a list, with the query of the caller, this page and this `limit`. */
function requestPage<T>(
  api: ListApi,
  { path, query, checks = pageChecks, issues = [], read }: ListRequest<T>,
  options: RequestOptions,
  page: number | undefined,
  limit?: number,
): Promise<CallResult<Page<T>>> {
  // The caller's own query is checked: once the client has added a `limit`, a misspelled one goes unnoticed.
  const allIssues = [...checkParams(query ?? {}, checks, callOptionNames), ...issues]
  const call = { method: 'GET', path, issues: allIssues, query: { ...query, page, limit } }
  return api.run({ ...call, read: readNumberedPage(read, page) }, options)
}

/** Requires the page that was requested (default: the first). Otherwise a server could make a walk endless. */
function readNumberedPage<T>(read: Read<Page<T>>, asked: number | undefined): Read<Page<T>> {
  return async (received, context) => {
    const page = await read(received, context)
    const expected = asked || 1
    if (!context.unusable && page.currentpage !== expected && (asked || page.nextpage !== null)) {
      addIssue(context, 'currentpage', `requested page ${expected}, received page ${page.currentpage}`)
      context.unusable = true
    }
    return page
  }
}

/** Returns whether the server may have refused the `limit`: with 400 or 422, or inside a 200 without a number. */
function mayBeLimitRefusal(error: unknown): boolean {
  if (!isShortLinkError(error) || error.code !== 'api') return false
  const isRedirect = error.httpStatus < 200 || (error.httpStatus >= 300 && error.httpStatus < 400)
  return !isRedirect && (error.status === 400 || error.status === 422)
}

/** The progress of a walk. Recognizes duplicate rows, and lists that repeat themselves, in bounded memory. */
class Progress<T> {
  /** Rows so far, without those of earlier pages. A server that lists a row twice on a page counts it twice. */
  received = 0
  /**
   * The smallest `result` so far; `Infinity` if the server sends none. `result` grows if rows are added during the walk,
   * perhaps on pages that were already read.
   */
  announced = Infinity
  readonly #hasUniqueIds: boolean
  readonly #seen = new Set<string | symbol>()
  #pageSize = Infinity
  #newRows = 0
  /** Rows since the last new one. */
  #repeatedRows = 0

  constructor(hasUniqueIds = true) {
    this.#hasUniqueIds = hasUniqueIds
  }

  /** Returns the rows of a page that are new, and what is wrong with the page, if anything. */
  add({ items, currentpage, perpage, result }: Page<T>): { items: T[]; problem: string | undefined } {
    const identities = items.map((row) => getIdentity(row, this.#hasUniqueIds))
    this.received += identities.filter((identity) => !this.#seen.has(identity)).length
    this.announced = Math.min(this.announced, result ?? Infinity)
    const newItems = items.filter((_, index) => {
      const { size } = this.#seen
      return this.#seen.add(identities[index]!).size > size
    })
    this.#newRows += newItems.length
    this.#repeatedRows = newItems.length > 0 ? 0 : this.#repeatedRows + items.length
    // Rows can move to the next page, so at least two pages are remembered.
    for (const oldest of this.#seen) {
      if (this.#seen.size <= Math.max(REMEMBERED_ROWS, 2 * items.length)) break
      this.#seen.delete(oldest)
    }
    const pageSize = Math.max(items.length, perpage || 0)
    let problem: string | undefined
    // If pages become smaller, each earlier row may come again once.
    if (this.#repeatedRows > this.#newRows) problem = 'has only rows of earlier pages, like the pages before it'
    if (pageSize > this.#pageSize) problem = 'is larger than the page before, so rows would be skipped'
    this.#pageSize = pageSize
    return { items: newItems, problem: problem && `page ${currentpage} ${problem}` }
  }
}

/**
 * Returns the identity of a row: its `type` and `id`, or all of its fields. A row without an id is never a duplicate.
 */
function getIdentity(row: unknown, hasUniqueIds: boolean): string | symbol {
  if (!isRecord(row) || !row.id || !['number', 'string', 'bigint'].includes(typeof row.id)) return Symbol()
  if (hasUniqueIds) return `${row.type ?? ''}:${row.id}`
  // A user's schema may have turned numbers into bigints.
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
