import { ApiError, type ErrorContext, InvalidResponseError } from '../errors.ts'
import { hash } from '../runtime/hash.ts'
import { abortReason, onAbort, throwIfAborted } from '../runtime/on-abort.ts'
import { isRecord } from '../schema/expected.ts'
import type { ApiResponse } from './api-promise.ts'
import type { ListOptions, Page, PageQuery } from './page.ts'

/** Sends the request for one page. The query overrides that of the list. */
export type FetchPage<T> = (query: PageQuery, signal: AbortSignal | undefined) => Promise<ApiResponse<Page<T>>>

/** A page of a walk, with the rows that it adds: those that no earlier page had, unless `dedupe` is off. */
export interface WalkedPage<T> {
  readonly answer: ApiResponse<Page<T>>
  readonly rows: T[]
}

/** How many rows are remembered at least, to recognise those that were seen already. */
const REMEMBERED_ROWS = 1000

/** An `id` that is longer is not remembered. */
const MAX_ID_LENGTH = 200

/** After how many pages in a row without a new row a walk gives up. */
const MAX_IDLE_PAGES = 5

/**
 * Every page from the first one on, in order, with `concurrency` of them in flight. `limit` is the walk's own choice: a
 * server that refuses it is asked again without.
 *
 * If later pages are smaller, their first rows have been seen and are left out. If they are larger, rows between two
 * pages would be lost, so the walk ends with an error.
 */
export async function* walk<T>(
  fetchPage: FetchPage<T>,
  { page: firstPage, limit }: PageQuery,
  { signal, concurrency = 1, dedupe = true }: ListOptions,
  context: ErrorContext,
): AsyncGenerator<WalkedPage<T>, void, undefined> {
  // One signal for all requests of the walk: whatever is in flight ends with the loop.
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
  const progress = new Progress<T>(context)
  try {
    for (let answer = await request(firstPage); ; ) {
      const page = answer.data
      const last = concurrency > 1 && page.hasNextPage ? page.maxpage : 0
      while (inFlight.length < concurrency && page.currentpage + inFlight.length < last) {
        const next = request(page.currentpage + inFlight.length + 1)
        // Its failure is met when its turn comes, which may be never.
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

/** Whether a refusal may be meant for the `limit`: the server took the key, knows the path, and redirects nowhere. */
function mayRefuseLimit(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const { code, status, retryable } = error
  return code === 'api' && !retryable && (status < 300 || status >= 400)
}

/** How far a walk has come, within bounded memory: it recognises rows that it has seen, and a walk that gets nowhere. */
class Progress<T> {
  readonly #context: ErrorContext
  readonly #seen = new Set<string>()
  #before: Page<T> | undefined
  #rows = 0
  #newRows = 0
  #idlePages = 0

  constructor(context: ErrorContext) {
    this.#context = context
  }

  /** Whether a page has nothing more, though the server named it: some count pages in another size than they have. */
  isBeyondEnd({ items, result }: Page<T>): boolean {
    return items.length === 0 && this.#rows > 0 && this.#rows >= result
  }

  /**
   * The rows of a page that are new.
   *
   * @throws {InvalidResponseError} if the page is larger than the one before, or the walk gets nowhere
   */
  add(page: Page<T>): T[] {
    const { items, currentpage, result, maxpage, hasNextPage } = page
    const before = this.#before
    const hasFewerPages = before !== undefined && maxpage < before.maxpage && result >= before.result
    if (hasFewerPages || sizeOf(page) > sizeOf(before)) {
      throw this.#invalid(
        page,
        'has room for more rows than the one before, so that some would be lost between the two',
      )
    }
    this.#before = page
    this.#rows += items.length
    const { newItems, isIdle } = this.#recognise(items)
    // After the pages have become smaller, the next ones have the rows of those before.
    const isBehind = items.length > 0 && currentpage * items.length <= this.#newRows
    this.#newRows += newItems.length
    this.#idlePages = isIdle && !isBehind ? this.#idlePages + 1 : 0
    if (this.#idlePages >= MAX_IDLE_PAGES && hasNextPage) {
      throw this.#invalid(page, `is the ${MAX_IDLE_PAGES}th in a row without a new row, and there are ${maxpage}`)
    }
    return newItems
  }

  #recognise(items: readonly T[]): { newItems: T[]; isIdle: boolean } {
    const anonymous: T[] = []
    const newItems = items.filter((row) => {
      const identity = identityOf(row)
      return identity === undefined ? anonymous.push(row) : this.#isNew(identity)
    })
    // A row without an id cannot be told from another like it, but a whole page of them can.
    const hasNewRow = newItems.length > anonymous.length
    const isIdle = !hasNewRow && (anonymous.length === 0 || !this.#isNew(hash(anonymous)))
    // A shift moves rows to the neighbouring page, so two pages are remembered if they are longer than the least.
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

/** How many rows a page has room for, as far as it tells. */
function sizeOf(page: Page<unknown> | undefined): number {
  if (!page) return Number.POSITIVE_INFINITY
  const { items, perpage } = page
  return Math.max(items.length, Number.isSafeInteger(perpage) ? perpage : 0)
}

/** The `id` of a row, with its `type` if it has one; `undefined` if it has no id. */
function identityOf(row: unknown): string | undefined {
  if (!isRecord(row) || row.id === undefined || typeof row.id === 'object') return undefined
  const identity = `${typeof row.type === 'string' ? row.type : ''}:${row.id}`
  return identity.length > MAX_ID_LENGTH ? undefined : identity
}
