import { ApiError, type ErrorContext, InvalidResponseError } from '../errors.ts'
import { abortReason, onAbort, throwIfAborted } from '../runtime/abort.ts'
import { hash } from '../runtime/hash.ts'
import { isRecord } from '../schema/expected.ts'
import type { ApiResponse } from './api-promise.ts'
import type { ListOptions, Page, PageQuery } from './page.ts'

/** Requests one page. The query overrides that of the list. */
export type FetchPage<T> = (query: PageQuery, signal: AbortSignal | undefined) => Promise<ApiResponse<Page<T>>>

/** A page of a walk and its rows, without duplicates from earlier pages unless `dedupe` is off. */
export interface WalkedPage<T> {
  readonly answer: ApiResponse<Page<T>>
  readonly rows: T[]
}

/** What a walk needs to know of its list. */
export interface WalkSettings {
  /** The context of errors. */
  readonly context: ErrorContext
  /** Whether no two rows have the same id and type. Otherwise only rows that are the same in whole are duplicates. Default `true`. */
  readonly hasUniqueIds?: boolean | undefined
}

/** The minimum number of rows that are remembered, to recognise duplicates. */
const REMEMBERED_ROWS = 1000

/** A longer `id` is not remembered. */
const MAX_ID_LENGTH = 200

/** After this many pages in a row without a new row, a walk fails. */
const MAX_IDLE_PAGES = 5

/**
 * Reads every page from the first one on, in order, with `concurrency` requests in flight. If the server refuses `limit`,
 * which is the walk's own choice, the walk goes on without it.
 *
 * If later pages are smaller, their first rows are duplicates and are left out. If they are larger, rows between two pages
 * would be lost, so the walk fails.
 */
export async function* walk<T>(
  fetchPage: FetchPage<T>,
  { page: firstPage, limit }: PageQuery,
  { signal, concurrency = 1, dedupe = true }: ListOptions,
  { context, hasUniqueIds = true }: WalkSettings,
): AsyncGenerator<WalkedPage<T>, void, undefined> {
  throwIfAborted(signal)
  // One signal for all requests, so that leaving the loop aborts those in flight.
  const controller = new AbortController()
  const forget = signal && onAbort(signal, () => controller.abort(abortReason(signal)))
  let walkLimit = limit
  const send = (page: number | undefined) => {
    const query = { ...(page !== undefined && { page }), ...(walkLimit !== undefined && { limit: walkLimit }) }
    return fetchPage(query, controller.signal)
  }
  const request = async (page: number | undefined) => {
    const asked = walkLimit
    try {
      return await send(page)
    } catch (error) {
      if (asked === undefined || !mayRefuseLimit(error)) throw error
      walkLimit = undefined
      return send(page)
    }
  }
  const inFlight: Promise<ApiResponse<Page<T>>>[] = []
  const progress = new Progress<T>(context, hasUniqueIds)
  try {
    for (let answer = await request(firstPage); ; ) {
      const page = answer.data
      const last = concurrency > 1 && page.hasNextPage ? page.maxpage : 0
      while (inFlight.length < concurrency && page.currentpage + inFlight.length < last) {
        const next = request(page.currentpage + inFlight.length + 1)
        // An error is handled when the page is due, which may be never.
        next.catch(() => {})
        inFlight.push(next)
      }
      throwIfAborted(signal)
      if (progress.isBeyondEnd(page)) return
      const newItems = progress.add(page)
      yield { answer, rows: dedupe ? newItems : page.items }
      throwIfAborted(signal)
      if (!page.hasNextPage) return
      answer = await (inFlight.shift() ?? request(page.currentpage + 1))
    }
  } finally {
    forget?.()
    controller.abort()
  }
}

/** Whether the server may have refused the `limit`: it accepted the key, knows the path, and did not redirect. */
function mayRefuseLimit(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const { code, httpStatus: status, retryable } = error
  return code === 'api' && !retryable && (status < 300 || status >= 400)
}

/** The progress of a walk, in bounded memory. It recognises duplicate rows and endless lists. */
class Progress<T> {
  readonly #context: ErrorContext
  readonly #hasUniqueIds: boolean
  readonly #seen = new Set<string>()
  #before: Page<T> | undefined
  #rows = 0
  #newRows = 0
  #idlePages = 0

  constructor(context: ErrorContext, hasUniqueIds: boolean) {
    this.#context = context
    this.#hasUniqueIds = hasUniqueIds
  }

  /** Whether a page is past the end although the server announced it: some servers count pages of another size than they send. */
  isBeyondEnd({ items, result }: Page<T>): boolean {
    return items.length === 0 && this.#rows > 0 && this.#rows >= result
  }

  /**
   * The rows of a page that are new.
   *
   * @throws {InvalidResponseError} if the page is larger than the one before, or too many pages in a row have no new row
   */
  add(page: Page<T>): T[] {
    const { items, currentpage, result, maxpage, hasNextPage } = page
    const before = this.#before
    const hasFewerPages = before !== undefined && maxpage < before.maxpage && result >= before.result
    if (hasFewerPages || sizeOf(page) > sizeOf(before)) {
      throw this.#invalid(page, 'is larger than the one before, so some rows between them would be lost')
    }
    this.#before = page
    this.#rows += items.length
    const { newItems, isIdle } = this.#recognise(items)
    // After pages become smaller, the next ones repeat earlier rows.
    const isBehind = items.length > 0 && currentpage * items.length <= this.#newRows
    this.#newRows += newItems.length
    this.#idlePages = isIdle && !isBehind ? this.#idlePages + 1 : 0
    if (this.#idlePages >= MAX_IDLE_PAGES && hasNextPage) {
      throw this.#invalid(page, `is the ${MAX_IDLE_PAGES}th in a row without a new row, of ${maxpage} pages`)
    }
    return newItems
  }

  #recognise(items: readonly T[]): { newItems: T[]; isIdle: boolean } {
    const anonymous: T[] = []
    const newItems = items.filter((row) => {
      const identity = identityOf(row)
      if (identity === undefined) return anonymous.push(row)
      return this.#isNew(this.#hasUniqueIds ? identity : `${identity} ${hash({ ...row, id: '' })}`)
    })
    // Rows without an id may look alike, but a whole page that looks like another is a duplicate.
    const hasNewRow = newItems.length > anonymous.length
    const isIdle = !hasNewRow && (anonymous.length === 0 || !this.#isNew(hash(anonymous)))
    // Rows can move to the neighbouring page, so at least two pages are remembered.
    for (const oldest of this.#seen) {
      if (this.#seen.size <= Math.max(REMEMBERED_ROWS, 2 * items.length)) break
      this.#seen.delete(oldest)
    }
    return { newItems, isIdle }
  }

  #isNew(identity: string | undefined): boolean {
    if (identity === undefined) return true
    if (this.#seen.has(identity)) return false
    this.#seen.add(identity)
    return true
  }

  #invalid({ currentpage }: Page<T>, problem: string): InvalidResponseError {
    const issues = [{ path: ['currentpage'], message: `page ${currentpage} ${problem}` }]
    return new InvalidResponseError(
      `page ${currentpage} ${problem}`,
      { status: 200, body: undefined, issues },
      this.#context,
    )
  }
}

/** The size of a page: its `perpage`, or its number of rows if that is larger. */
function sizeOf(page: Page<unknown> | undefined): number {
  if (!page) return Number.POSITIVE_INFINITY
  const { items, perpage } = page
  return Math.max(items.length, Number.isSafeInteger(perpage) ? perpage : 0)
}

/** The `id` of a row, with its `type` if it has one; `undefined` without an id. */
function identityOf(row: unknown): string | undefined {
  if (!isRecord(row) || row.id === undefined || typeof row.id === 'object') return undefined
  const identity = `${typeof row.type === 'string' ? row.type : ''}:${row.id}`
  return identity.length > MAX_ID_LENGTH ? undefined : identity
}
