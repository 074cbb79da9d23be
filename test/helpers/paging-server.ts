import { range } from './lists.ts'

/** Returns the number of rows on a page, given the requested `limit`; `undefined` if the server refuses the limit. */
type PageSize = (page: number, limit: number | undefined) => number | undefined

/** Rows on a page without a `limit`. */
const DEFAULT_SIZE = 15

const honour: PageSize = (_, limit = DEFAULT_SIZE) => limit
const capAt =
  (cap: number): PageSize =>
  (_, limit = DEFAULT_SIZE) =>
    Math.min(limit, cap)
const from =
  (first: number, later: PageSize, earlier = honour): PageSize =>
  (page, limit) =>
    (page < first ? earlier : later)(page, limit)
const constant =
  (size: number): PageSize =>
  () =>
    size
const refuse: PageSize = (_, limit) => (limit === undefined ? DEFAULT_SIZE : undefined)

/** The page sizes of different servers. */
export const pageSizes: Readonly<Record<string, PageSize>> = {
  'honours the limit': honour,
  'caps it at 99': capAt(99),
  'caps it at 50': capAt(50),
  'caps it at 25': capAt(25),
  'caps it at 7': capAt(7),
  'gives twice as many': (_, limit) => (limit ? 2 * limit : DEFAULT_SIZE),
  'gives 150 at least': (_, limit = DEFAULT_SIZE) => Math.max(150, limit),
  'ignores it': constant(DEFAULT_SIZE),
  'ignores it and gives three rows a page': constant(3),
  'refuses it': refuse,
  'refuses more than 50': (page, limit) => (limit && limit > 50 ? undefined : honour(page, limit)),
  'forgets it from page 2': from(2, constant(DEFAULT_SIZE)),
  'forgets it from page 5': from(5, constant(DEFAULT_SIZE)),
  'forgets it from page 2, with 150 rows by default': from(2, constant(150), (_, limit = 150) => limit),
  'caps it at 99 from page 2': from(2, capAt(99)),
  'caps it at 50 from page 2': from(2, capAt(50)),
  'caps it at 7 from page 5': from(5, capAt(7)),
  'ignores it on page 1': from(2, honour, constant(DEFAULT_SIZE)),
  'caps it at 50 from page 2 and forgets it from page 5': from(5, constant(DEFAULT_SIZE), from(2, capAt(50))),
}

type Say = (page: { size: number; limit: number | undefined; rows: number }) => number

/** The values of `perpage` that different servers send. */
const perpages: Readonly<Record<string, Say>> = {
  'the size': ({ size }) => size,
  'the limit': ({ limit = DEFAULT_SIZE }) => limit,
  'its default': () => DEFAULT_SIZE,
  'the rows of the page': ({ rows }) => rows,
  zero: () => 0,
}

const refusals: Readonly<Record<string, { status: number; body: Record<string, unknown> }>> = {
  'a 400': { status: 400, body: { error: 1, message: 'limit' } },
  'a 422 with a list of errors': { status: 422, body: { error: true, message: { limit: ['unknown'] } } },
  'an error in a 200': { status: 200, body: { error: '1', message: 'limit' } },
  'a text in a 200': { status: 200, body: { error: 'Unknown parameter' } },
  'a 400 in a 200': { status: 200, body: { error: 400, message: 'limit' } },
}

const nextpages: Readonly<Record<string, (page: number, isLast: boolean) => number | null>> = {
  'null on the last page': (page, isLast) => (isLast ? null : page + 1),
  'the current one on the last page': (page, isLast) => (isLast ? page : page + 1),
  'zero on the last page': (page, isLast) => (isLast ? 0 : page + 1),
  'null on every page': () => null,
  'the current one on every page': (page) => page,
}

/** A server: the name of each of its habits, and the number of its rows. */
export interface Habits {
  readonly rows: number
  readonly pageSize: string
  readonly perpage: string
  readonly refusal: string
  readonly nextpage: string
  readonly numbers: string
  readonly absent: string
}

/** All values of each habit. */
export const habits = {
  pageSize: Object.keys(pageSizes),
  perpage: Object.keys(perpages),
  refusal: Object.keys(refusals),
  nextpage: Object.keys(nextpages),
  numbers: ['numbers', 'strings'],
  /** The number that the server leaves out. */
  absent: ['none', 'result', 'maxpage'],
}

export interface PagingServer {
  /** The ids of the rows, initially 1, 2, 3, … A test may add and delete ids. */
  readonly ids: number[]
  /** Returns the HTTP status and the body for a page. */
  respond(page: number, limit: number | undefined): { status: number; body: Record<string, unknown> }
  /** A `fetch` that returns the same responses. */
  readonly fetch: typeof globalThis.fetch
  /** All requests, and whether each was refused. */
  readonly requests: { page: number; limit: number | undefined; refused: boolean }[]
  /** The sizes of the pages that were sent. */
  readonly sizes: Set<number>
}

/** Creates an in-memory server with one list. */
export function pagingServer(habits: Habits): PagingServer {
  const ids = range(1, habits.rows)
  const requests: PagingServer['requests'] = []
  const sizes = new Set<number>()
  const spell = (value: number | null | undefined) =>
    habits.numbers === 'strings' && typeof value === 'number' ? String(value) : value
  const respond: PagingServer['respond'] = (page, limit) => {
    const found = readPage(habits, ids, page, limit)
    requests.push({ page, limit, refused: found === undefined })
    if (!found) return refusals[habits.refusal]!
    sizes.add(found.size)
    const data = Object.fromEntries(Object.entries(found.numbers).map(([name, value]) => [name, spell(value)]))
    return { status: 200, body: { error: 0, data: { ...data, list: found.rows.map((id) => ({ id: spell(id) })) } } }
  }
  const fetch = async (url: string) => {
    const query = new URL(url).searchParams
    const { status, body } = respond(Number(query.get('page') ?? 1), Number(query.get('limit')) || undefined)
    return Response.json(body, { status })
  }
  return { ids, respond, fetch: fetch as typeof globalThis.fetch, requests, sizes }
}

/** Returns the rows and the numbers of a page; `undefined` if the server refuses the limit. */
function readPage(habits: Habits, ids: readonly number[], page: number, limit: number | undefined) {
  const size = pageSizes[habits.pageSize]!(page, limit)
  if (size === undefined) return undefined
  const maxpage = Math.ceil(ids.length / size)
  const rows = ids.slice((page - 1) * size, page * size)
  const numbers = {
    result: ids.length,
    perpage: perpages[habits.perpage]!({ size, limit, rows: rows.length }),
    currentpage: page,
    nextpage: nextpages[habits.nextpage]!(page, page >= maxpage),
    maxpage,
  }
  return { size, rows, numbers: { ...numbers, [habits.absent]: undefined } }
}
