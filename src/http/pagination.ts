import { InvalidRequestError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import { onAbort } from '../runtime/on-abort.ts'
import { isRecord } from '../schema/expected.ts'
import { type Answer, ApiPromise } from './api-promise.ts'

/** One page of a list, as plain data. @see reference, “Pagination envelope” */
export interface Page<T> {
  /** The rows of this page. */
  readonly items: T[]
  /** The number of all rows, not of those on this page. */
  readonly result: number
  /** Rows on a page. */
  readonly perpage: number
  /** The number of this page, from 1. */
  readonly currentpage: number
  /** The number of the next page, as the server gave it: some give the current one on the last page. */
  readonly nextpage: number | null
  /** The number of the last page. */
  readonly maxpage: number
  /** Whether a page follows: `nextpage` is above `currentpage`, and `currentpage` is below `maxpage`. */
  readonly hasNextPage: boolean
}

/** Which page of a list, and how long. @see reference, “Common rules” */
export interface PageQuery {
  /** Rows on a page. The server's default is 15 where seen. */
  limit?: number
  /** The number of the page, from 1. A loop begins there and goes on to the last one. */
  page?: number
}

/** Options of a list: of its calls, and of the walk from page to page. */
export interface ListOptions extends RequestOptions {
  /** Pages in flight at once while the rows are walked; they come in order all the same. Default 1. */
  concurrency?: number
  /** Whether a row seen already is left out, since pages shift when rows are added. Default true. */
  dedupe?: boolean
}

/** Asks for one page. `number` is undefined for the first one where the caller named none. */
export type FetchPage<T> = (number: number | undefined, signal: AbortSignal | undefined) => Promise<Answer<Page<T>>>

/** How many rows are remembered at least, to tell those seen already. */
const REMEMBERED = 1000

/**
 * A list on its way: awaited, it is one page; iterated, every row of every page from that one on.
 *
 * ```ts
 * for await (const campaign of client.campaigns.list()) {}         // every row
 * for await (const page of client.campaigns.list().pages()) {}     // page by page
 * const page = await client.campaigns.list({ page: 2 })            // one page
 * const all = await client.campaigns.list().toArray({ limit: 1000 })
 * ```
 *
 * Deleting rows while iterating moves later rows to earlier pages, where the loop no longer looks: collect with
 * `toArray` first, then delete.
 */
export class ListPromise<T> extends ApiPromise<Page<T>> {
  readonly #fetchPage: (number: number, signal: AbortSignal) => Promise<Page<T>>
  readonly #options: ListOptions

  /** @internal */
  constructor(fetchPage: FetchPage<T>, path: string, first: number | undefined, options: ListOptions) {
    super(checkWalk(options, path) ?? fetchPage(first, options.signal))
    this.#fetchPage = async (number, signal) => (await fetchPage(number, signal)).data
    this.#options = options
  }

  /** Page by page, from this one on, with `concurrency` of them in flight. Leaving the loop stops the traffic. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const { signal, concurrency = 1 } = this.#options
    const stop = new AbortController()
    const forget = signal && onAbort(signal, () => stop.abort(signal.reason))
    try {
      let page: Page<T> = await this
      let next = page.currentpage + 1
      const ahead: Promise<Page<T>>[] = []
      const readAhead = (places: number) => {
        while (page.hasNextPage && ahead.length < places && next <= page.maxpage) {
          const coming = this.#fetchPage(next++, stop.signal)
          // It is awaited in its turn; until then, or when the loop is left before, its failure is nobody's.
          coming.catch(() => {})
          ahead.push(coming)
        }
      }
      for (;;) {
        if (concurrency > 1) readAhead(concurrency)
        signal?.throwIfAborted()
        yield page
        if (!page.hasNextPage) return
        readAhead(concurrency)
        page = await ahead.shift()!
      }
    } finally {
      forget?.()
      stop.abort()
    }
  }

  /** Every row of every page, from this one on, each once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const { signal, dedupe = true } = this.#options
    const seen = new Set<string>()
    for await (const { items } of this.pages()) {
      for (const item of items) {
        if (dedupe && isRepeated(item, seen, items.length)) continue
        signal?.throwIfAborted()
        yield item
      }
    }
  }

  /**
   * Collects the rows, at most `limit` of them (default: all).
   *
   * @throws {InvalidRequestError} where `limit` is not a positive integer
   */
  async toArray({ limit = Number.POSITIVE_INFINITY }: { limit?: number } = {}): Promise<T[]> {
    if (!(limit > 0 && (Number.isInteger(limit) || limit === Number.POSITIVE_INFINITY))) {
      // The request is on its way already; nobody will ask what became of it.
      this.catch(() => {})
      throw new InvalidRequestError([{ path: ['limit'], message: `expected a positive integer, received ${limit}` }])
    }
    const rows: T[] = []
    for await (const row of this) {
      if (rows.push(row) >= limit) break
    }
    return rows
  }
}

function checkWalk({ concurrency = 1 }: ListOptions, path: string): Promise<never> | undefined {
  if (Number.isInteger(concurrency) && concurrency > 0) return undefined
  const message = `expected a positive integer, received ${concurrency}`
  return Promise.reject(new InvalidRequestError([{ path: ['concurrency'], message }], { method: 'GET', path }))
}

/** Whether a row was seen already, by its `id`, and its `type` where it has one. */
function isRepeated(row: unknown, seen: Set<string>, pageLength: number): boolean {
  if (!isRecord(row) || row.id === undefined || typeof row.id === 'object') return false
  const identity = `${typeof row.type === 'string' ? row.type : ''}:${row.id}`
  if (seen.has(identity)) return true
  seen.add(identity)
  // A shift moves rows to the neighbouring page, so two pages are remembered where they are longer than the least.
  if (seen.size > Math.max(REMEMBERED, 2 * pageLength)) seen.delete(seen.values().next().value!)
  return false
}
