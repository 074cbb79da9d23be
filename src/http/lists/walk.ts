import { type ErrorContext, InvalidResponseError } from '../../errors.ts'
import { hash } from '../../runtime/hash.ts'
import { onAbort } from '../../runtime/on-abort.ts'
import { isRecord } from '../../schema/expected.ts'
import type { ApiResponse } from '../api-promise.ts'
import type { FetchPageOptions, ListOptions, Page } from './page.ts'

/** A page of a walk, with those of its rows that no earlier page had. */
export interface WalkedPage<T> {
  readonly page: Page<T>
  readonly newItems: T[]
}

/** Sends the request for a page of a walk, with the `limit` of the walk or, under `usesDefaultSize`, without one. */
export type RequestPage<T> = (
  number: number,
  options: FetchPageOptions & { readonly usesDefaultSize: boolean },
) => Promise<ApiResponse<Page<T>>>

/** How many rows are remembered at least, to tell those that were seen already. */
const REMEMBERED_ROWS = 1000

/** An `id` that is longer is not remembered. */
const MAX_ID_LENGTH = 200

/** After how many pages in a row without a new row a walk gives up. */
const MAX_IDLE_PAGES = 5

/** How many pages a walk requests to find its place again after the server has changed the page size. */
const MAX_SEARCHES = 4

/**
 * Every page from the first one on, in order, with `concurrency` of them in flight.
 *
 * A server may change the page size on the way: it applies a cap, or forgets the `limit`. The numbers of the pages change
 * with it, so the walk then goes on at the page that has the row after those of the page before.
 */
export async function* walk<T>(
  first: Promise<ApiResponse<Page<T>>>,
  requestPage: RequestPage<T>,
  options: ListOptions,
  context: ErrorContext,
): AsyncGenerator<WalkedPage<T>, void, undefined> {
  const { signal, concurrency = 1 } = options
  let { data: page } = await first
  let size = pageSizeOf(page)
  /** How many rows at the beginning of the page belong to the pages before. */
  let passed = 0
  let rows = 0
  let idlePages = 0
  const seen = new SeenRows<T>()
  const inFlight = new PagesInFlight(requestPage, options)

  try {
    for (;;) {
      if (concurrency > 1 && page.hasNextPage) inFlight.request(page.currentpage + 1, page.maxpage)
      signal?.throwIfAborted()
      rows += Math.max(0, page.items.length - passed)
      // Some servers count the pages in another size than they have.
      if (page.items.length === 0 && rows > 0 && rows >= page.result) return
      const { newItems, isIdle } = seen.add(page.items, passed)
      idlePages = isIdle ? idlePages + 1 : 0
      if (idlePages >= MAX_IDLE_PAGES && page.hasNextPage) throw nothingNew(page, context)
      yield { page: { ...page, items: page.items.slice(passed) }, newItems }
      signal?.throwIfAborted()
      if (!page.hasNextPage) return

      const rowsBefore = page.currentpage * size
      const before = page
      page = await inFlight.take(page.currentpage + 1, page.maxpage)
      size = pageSizeOf(page, before, size)
      for (let searches = 0; ; searches++) {
        const number = Math.floor(rowsBefore / size) + 1
        // Where the size is not known, the number of the page is all that there is to go by.
        if (number === page.currentpage || Number.isNaN(number)) break
        if (number > page.maxpage) return
        if (searches === MAX_SEARCHES) throw invalidPage(page, 'the server keeps changing the page size', context)
        // Without a `limit`, it is more likely that all pages have one size.
        if (searches > 0) inFlight.useDefaultSize()
        page = await inFlight.take(number, number)
        size = pageSizeOf(page) || size
      }
      passed = rowsBefore - (page.currentpage - 1) * size || 0
    }
  } finally {
    inFlight.close()
  }
}

/**
 * How many rows a full page has; `NaN` where that cannot be told. Some servers say another `perpage` than they give, and
 * some leave rows out of a page, so it is the size that fits the other numbers of the page.
 */
function pageSizeOf(page: Page<unknown>, before?: Page<unknown>, sizeBefore = Number.NaN): number {
  const { items, perpage, result, currentpage, maxpage } = page
  if (perpage === before?.perpage && Math.ceil(result / sizeBefore) === maxpage) return sizeBefore
  const fits = (size: number) =>
    Number.isInteger(size) &&
    Math.ceil(result / size) === maxpage &&
    items.length <= Math.min(size, Math.max(0, result - (currentpage - 1) * size))
  const ifLastPage = (result - items.length) / (currentpage - 1)
  const smallest = Math.ceil(result / maxpage)
  return [perpage, sizeBefore, items.length, ifLastPage, smallest].find(fits) ?? sizeBefore
}

function nothingNew(page: Page<unknown>, context: ErrorContext): InvalidResponseError {
  const message = `the last ${MAX_IDLE_PAGES} pages had no new rows, and the server says that there are ${page.maxpage}`
  return invalidPage(page, message, context)
}

function invalidPage({ currentpage }: Page<unknown>, message: string, context: ErrorContext): InvalidResponseError {
  const issues = [{ path: ['currentpage'], message: `page ${currentpage}: ${message}` }]
  return new InvalidResponseError(message, { status: 200, body: undefined, issues }, context)
}

interface PageInFlight<T> {
  readonly answer: Promise<ApiResponse<Page<T>>>
  readonly controller: AbortController
}

/** The requests of a walk, by the numbers of their pages: those in flight, and those whose page may be used again. */
class PagesInFlight<T> {
  readonly #requestPage: RequestPage<T>
  readonly #concurrency: number
  readonly #stopListening: (() => void) | undefined
  readonly #pages = new Map<number, PageInFlight<T>>()
  /** The page that the walk waits for. The requests of all others let other calls go first. */
  #awaited: number | undefined
  #usesDefaultSize = false

  constructor(requestPage: RequestPage<T>, { signal, concurrency = 1 }: ListOptions) {
    this.#requestPage = requestPage
    this.#concurrency = concurrency
    this.#stopListening = signal && onAbort(signal, () => this.#abort(() => true, signal.reason))
  }

  /** Requests the pages from a first to a last one, as many as may be in flight, and aborts those that are too far off. */
  request(first: number, last: number): void {
    const end = first + this.#concurrency
    this.#abort((number) => number < first || number >= end)
    for (let number = first; number <= last && number < end; number++) {
      if (!this.#pages.has(number)) this.#pages.set(number, this.#send(number))
    }
  }

  /** Waits for a page. Unless they have been already, it is requested, and with it those up to the last one. */
  async take(number: number, last: number): Promise<Page<T>> {
    this.#awaited = number
    this.request(number, last)
    const { data } = await this.#pages.get(number)!.answer
    return data
  }

  /** From now on, requests all pages without a `limit`. */
  useDefaultSize(): void {
    this.#usesDefaultSize = true
    this.#abort(() => true)
  }

  /** Aborts all that is in flight. */
  close(): void {
    this.#stopListening?.()
    this.#abort(() => true)
  }

  #send(number: number): PageInFlight<T> {
    const controller = new AbortController()
    const readAhead = () => this.#awaited !== number
    const usesDefaultSize = this.#usesDefaultSize
    const answer = this.#requestPage(number, { signal: controller.signal, readAhead, usesDefaultSize })
    // The walk handles its failure when it takes the page. It may never do so.
    answer.catch(() => {})
    return { answer, controller }
  }

  #abort(isObsolete: (number: number) => boolean, reason?: unknown): void {
    for (const [number, { controller }] of this.#pages) {
      if (!isObsolete(number)) continue
      this.#pages.delete(number)
      controller.abort(reason)
    }
  }
}

/** Tells the rows of a walk that were seen already, within bounded memory. */
class SeenRows<T> {
  readonly #identities = new Set<string>()

  /** Those of the rows that are new, and whether there is nothing new at all. `passed`: rows that may be seen again. */
  add(items: readonly T[], passed: number): { newItems: T[]; isIdle: boolean } {
    const anonymous: T[] = []
    const newItems = items.filter((row, index) => {
      const identity = identityOf(row)
      if (identity !== undefined) return this.#isNew(identity)
      return index >= passed && anonymous.push(row)
    })
    // A row without an id cannot be told from another like it, but a whole page of them can.
    const hasNewRow = newItems.length > anonymous.length
    const isIdle = !hasNewRow && (anonymous.length === 0 || !this.#isNew(hash(anonymous)))
    // A shift moves rows to the neighbouring page, so two pages are remembered where they are longer than the least.
    for (const oldest of this.#identities) {
      if (this.#identities.size <= Math.max(REMEMBERED_ROWS, 2 * items.length)) break
      this.#identities.delete(oldest)
    }
    return { newItems, isIdle }
  }

  #isNew(identity: string | undefined): boolean {
    if (identity === undefined) return true
    if (this.#identities.has(identity)) return false
    this.#identities.add(identity)
    return true
  }
}

/** The `id` of a row, with its `type` where it has one; `undefined` where it has no id. */
function identityOf(row: unknown): string | undefined {
  if (!isRecord(row) || row.id === undefined || typeof row.id === 'object') return undefined
  const identity = `${typeof row.type === 'string' ? row.type : ''}:${row.id}`
  return identity.length > MAX_ID_LENGTH ? undefined : identity
}
