import { type ErrorContext, InvalidResponseError } from '../../errors.ts'
import { onAbort } from '../../runtime/on-abort.ts'
import { isRecord } from '../../schema/expected.ts'
import type { ApiResponse } from '../api-promise.ts'
import type { FetchPage, ListOptions, Page } from './page.ts'

/** A page of a walk, with those of its rows that no earlier page had. */
export interface WalkedPage<T> {
  readonly page: Page<T>
  readonly newItems: T[]
}

/** A page that was asked for ahead of its turn. Until the walk awaits it, its request stands behind other calls. */
interface PageAhead<T> {
  answer?: Promise<ApiResponse<Page<T>>>
  isAwaited: boolean
}

/** How many rows are remembered at least, to tell those that were seen already. */
const REMEMBERED_ROWS = 1000

/** After how many pages in a row without a new row a walk gives up. */
const MOST_IDLE_PAGES = 5

/** Every page from the first one on, in order, with `concurrency` of them in flight. */
export async function* walk<T>(
  first: Promise<ApiResponse<Page<T>>>,
  fetchPage: FetchPage<T>,
  { signal, concurrency = 1 }: ListOptions,
  context: ErrorContext,
): AsyncGenerator<WalkedPage<T>, void, undefined> {
  let page = (await first).data
  const stop = new AbortController()
  const forget = signal && onAbort(signal, () => stop.abort(signal.reason))
  const rows = new SeenRows<T>()
  let ahead: PageAhead<T>[] = []
  let next = page.currentpage + 1
  /** Rows of the list up to the end of this page. */
  let passed = (page.currentpage - 1) * page.perpage + page.items.length
  let idlePages = 0

  const ask = (number: number, readAhead?: () => boolean) =>
    fetchPage({ page: number }, { signal: stop.signal, readAhead })
  const fill = (places: number) => {
    while (page.hasNextPage && ahead.length < places && next <= page.maxpage) {
      const entry: PageAhead<T> = { isAwaited: false }
      entry.answer = ask(next++, () => !entry.isAwaited)
      // It is awaited in its turn. Until then, or where the loop is left before, nobody else handles its failure.
      entry.answer.catch(() => {})
      ahead.push(entry)
    }
  }
  const take = () => {
    const entry = ahead.shift()!
    entry.isAwaited = true
    return entry.answer!
  }

  try {
    for (;;) {
      if (concurrency > 1) fill(concurrency)
      signal?.throwIfAborted()
      const { newItems, isIdle } = rows.add(page.items)
      idlePages = isIdle ? idlePages + 1 : 0
      if (idlePages >= MOST_IDLE_PAGES && page.hasNextPage) throw nothingNew(page, context)
      yield { page, newItems }
      if (!page.hasNextPage) return

      fill(concurrency)
      const before = page
      page = (await take()).data
      if (changesSize(before, page)) {
        // Go on at the row that the pages of the old size had reached.
        const size = page.hasNextPage ? page.items.length : page.perpage
        const there = Math.floor(passed / Math.max(1, size)) + 1
        ahead = []
        if (there !== page.currentpage) page = (await ask(there)).data
        next = page.currentpage + 1
        page = { ...page, items: page.items.slice(Math.max(0, passed - (page.currentpage - 1) * size)) }
      }
      passed += page.items.length
    }
  } finally {
    forget?.()
    stop.abort()
  }
}

/** Whether a server gives pages of another size from here on, as one does that forgets the `limit`. */
function changesSize<T>(before: Page<T>, page: Page<T>): boolean {
  // Added and deleted rows change the number of pages too, but with `result`, and not `perpage`.
  return (
    Number.isInteger(page.perpage) &&
    page.maxpage !== before.maxpage &&
    (page.perpage !== before.perpage || page.result === before.result)
  )
}

function nothingNew({ currentpage, maxpage }: Page<unknown>, context: ErrorContext): InvalidResponseError {
  const message = `the last ${MOST_IDLE_PAGES} pages had no new rows, and the server says that there are ${maxpage}`
  const issues = [{ path: ['currentpage'], message: `page ${currentpage}: ${message}` }]
  return new InvalidResponseError(message, { status: 200, body: undefined, issues }, context)
}

/** Tells the rows of a walk that were seen already, within bounded memory. */
class SeenRows<T> {
  readonly #identities = new Set<string>()
  /** The rows without an id of the page before. */
  #before = ''

  /** Those of the rows that are new, and whether there is nothing new at all. */
  add(items: readonly T[]): { newItems: T[]; isIdle: boolean } {
    const anonymous: T[] = []
    const newItems = items.filter((row) => {
      const identity = identityOf(row)
      if (identity === undefined) return anonymous.push(row)
      if (this.#identities.has(identity)) return false
      this.#identities.add(identity)
      return true
    })
    // A row without an id cannot be told from another like it, but a whole page of them can.
    const text = anonymous.length ? JSON.stringify(anonymous) : ''
    const isIdle = newItems.length === anonymous.length && (text === '' || text === this.#before)
    this.#before = text
    // A shift moves rows to the neighbouring page, so two pages are remembered where they are longer than the least.
    for (const oldest of this.#identities) {
      if (this.#identities.size <= Math.max(REMEMBERED_ROWS, 2 * items.length)) break
      this.#identities.delete(oldest)
    }
    return { newItems, isIdle }
  }
}

/** The `id` of a row, with its `type` where it has one; `undefined` where it has no id. */
function identityOf(row: unknown): string | undefined {
  if (!isRecord(row) || row.id === undefined || typeof row.id === 'object') return undefined
  return `${typeof row.type === 'string' ? row.type : ''}:${row.id}`
}
