import type { Page } from '../client/definition.ts'
import { type ApiPromise, createApiPromise } from '../client/http/api-promise.ts'
import type { ListPromise } from '../client/http/list.ts'
import { Response } from './platform/globals.ts'

export type { ApiPromise, ListPromise }

/**
 * Creates the promise of a call that fails with this error, for a stub of a method. Get real errors from the client of
 * a sandbox.
 *
 * @example
 * import { apiPromise } from 'shortlink-sdk/testing'
 * const { error } = await client.qr.get(99).safe() // a NotFoundError
 * const result = await apiPromise(error!).safe()
 * console.log(result.ok, result.error?.code)
 */
export function apiPromise(error: Error): ApiPromise<never>
/**
 * Creates the promise of a call that succeeds with this value, for a stub of a method: `vi.spyOn(client.links,
 * 'create').mockReturnValue(apiPromise(link))`. `await`, `.safe()` and `.withResponse()` work as they do for a real
 * call.
 *
 * @example
 * import { apiPromise } from 'shortlink-sdk/testing'
 * const call = apiPromise({ id: 1, shorturl: 'https://sho.rt/opening' })
 * const { data, response } = await call.withResponse()
 * console.log(await call, data.id, response.status)
 */
export function apiPromise<T>(value: T): ApiPromise<T>
export function apiPromise<T>(value: T | Error): ApiPromise<T> {
  return settle(value)
}

/**
 * Creates the promise of a list that fails with this error, for a stub of a method. Loops over it fail too.
 *
 * @example
 * import { listPromise } from 'shortlink-sdk/testing'
 * const { error } = await client.qr.get(99).safe()
 * const result = await listPromise(error!).safe()
 * console.log(result.ok, result.error?.code)
 */
export function listPromise(error: Error): ListPromise<never>
/**
 * Creates the promise of a list with these rows, for a stub of a method: `vi.spyOn(client.campaigns,
 * 'list').mockReturnValue(listPromise([campaign]))`. It works like a real list: `for await`, `.pages()` and
 * `.toArray()` return the rows, and `await` returns a single page with all of them.
 *
 * @example
 * import { listPromise } from 'shortlink-sdk/testing'
 * const list = listPromise([{ id: 1 }, { id: 2 }])
 * for await (const { id } of list) console.log(id)
 * console.log((await list).result, await list.toArray({ limit: 1 }))
 */
export function listPromise<Row>(rows: readonly Row[]): ListPromise<Row>
export function listPromise<Row>(rows: readonly Row[] | Error): ListPromise<Row> {
  return createStubbedList(settle(Array.isArray(rows) ? createPage(rows) : (rows as Error)))
}

/** Creates the list of one page. Its loops await the page. */
function createStubbedList<Row>(page: ApiPromise<Page<Row>>): ListPromise<Row> {
  async function* iteratePages(): AsyncGenerator<Page<Row>, void, undefined> {
    yield await page
  }
  async function* iterateRows(): AsyncGenerator<Row, void, undefined> {
    yield* (await page).items
  }
  const list: Omit<ListPromise<Row>, 'responses'> = {
    // biome-ignore lint/suspicious/noThenProperty: to await a list is to request one page.
    then: (onfulfilled, onrejected) => page.then(onfulfilled, onrejected),
    catch: (onrejected) => page.catch(onrejected),
    finally: (onfinally) => page.finally(onfinally),
    safe: () => page.safe(),
    withResponse: () => page.withResponse(),
    result: () => page.result(),
    pages: iteratePages,
    toArray: async ({ limit } = {}) => (await page).items.slice(0, limit),
    [Symbol.asyncIterator]: iterateRows,
    [Symbol.toStringTag]: 'ListPromise',
  }
  return list as ListPromise<Row>
}

/** Settles the promise of a stub. A rejection is marked as handled, because stubs are created before they are used. */
function settle<T>(value: T | Error): ApiPromise<T> {
  const promise = createApiPromise(respondWith(value))
  promise.catch(() => {})
  return promise
}

function createPage<Row>(rows: readonly Row[]): Page<Row> {
  const counts = { result: rows.length, perpage: Math.max(100, rows.length) }
  return { items: [...rows], ...counts, currentpage: 1, nextpage: null, maxpage: 1 }
}

async function respondWith<T>(value: T | Error) {
  if (value instanceof Error) throw value
  const rateLimit = { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 }
  const toResponse = () => new Response(null, { status: 200 })
  return { data: value, rateLimit, attempts: 1, status: 200, url: '', toResponse }
}
