import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PageQuery, Received } from '../../../../src/client/definition.ts'
import { createApiError, InvalidResponseError } from '../../../../src/client/errors.ts'
import type { CallSpec } from '../../../../src/client/http/call.ts'
import { createList, type ListApi, type ListPromise } from '../../../../src/client/http/list.ts'
import { parseUserPath } from '../../../../src/client/http/path.ts'
import { openEnvelope } from '../../../../src/client/platform/envelope.ts'
import { readPageWithSchema } from '../../../../src/client/platform/pages.ts'
import { connect } from '../../../helpers/client.ts'
import { range } from '../../../helpers/lists.ts'
import { type Habits, habits, type PagingServer, pageSizes, pagingServer } from '../../../helpers/paging-server.ts'
import { seed } from '../../../helpers/seed.ts'

const MAX_ROWS = 1000

/**
 * By default, lists of every size are spread over the servers. With PAGING_RUNS, for instance 1000, every server has a
 * list of every size, and that many lists of random sizes.
 */
const RUNS = Number(process.env.PAGING_RUNS ?? 10)
const SPREAD = process.env.PAGING_RUNS === undefined ? habits.pageSize.length : 1

interface Row {
  readonly id: number | string
}

interface Walk {
  /** The caller's `limit`. */
  readonly limit: number | undefined
}

/** Returns a function that creates the same list of the same client for each walk. */
type MakeList = (server: PagingServer, walk: Walk) => () => ListPromise<Row>

const listOfClient: MakeList = ({ fetch }, { limit }) => {
  const client = connect({ origin: 'http://127.0.0.1' }, { fetch })
  const query = limit === undefined ? {} : { limit }
  return () => client.paginate<Row>('/urls', { listKey: 'list', query })
}

/** Creates lists without the transport, which makes walks 20 times as fast. */
const listWithoutTransport: MakeList = ({ respond }, { limit }) => {
  const context = { method: 'GET', path: '/urls' }
  const rateLimit = { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 }
  const transport = {
    createContext: () => context,
    async run({ query, read }: CallSpec<unknown>) {
      const { page = 1, limit } = query as PageQuery
      const { status, body } = respond(page, limit)
      const envelope = openEnvelope(body, status)!
      const headers = new Headers()
      if (!envelope.ok) {
        const said = { status: envelope.status, httpStatus: status, serverMessage: '', isFromApi: true }
        throw createApiError('no', { ...said, body, headers, rateLimit }, context, undefined)
      }
      const data = await read({ envelope } as Received, { path: [], issues: [] })
      return { data, rateLimit, attempts: 1, status: 200, url: '', toResponse: () => new Response() }
    },
    forOperation: (): unknown => transport,
    throwOrReport(error: InvalidResponseError) {
      throw error
    },
  }
  const query = limit === undefined ? {} : { limit }
  const read = readPageWithSchema<Row>('list', undefined)
  return () => createList<Row>(transport as unknown as ListApi, { path: parseUserPath('/urls'), query, read })
}

/** Returns whether a page is larger than the one before, so that a walk could lose rows between the two. */
function grows(pageSize: string, limit = 100): boolean {
  const sizeOf = pageSizes[pageSize]!
  const sizes = range(1, 10).map((page) => sizeOf(page, limit) ?? sizeOf(page, undefined)!)
  return sizes.some((size, index) => size > sizes[index - 1]!)
}

/** Walks a list, and checks that it yields every row once and in order, with the fewest possible requests. */
async function checkWalk(habits: Habits, walk: Walk, makeList: MakeList): Promise<void> {
  // A larger page cannot be recognized if its `perpage` is wrong.
  if (grows(habits.pageSize, walk.limit) && habits.perpage !== 'the size') return
  const server = pagingServer(habits)
  const { requests, sizes } = server
  const rows = await makeList(server, walk)()
    .toArray()
    .catch((error) => error)
  if (rows instanceof InvalidResponseError && grows(habits.pageSize, walk.limit)) return
  expect(rows.map(({ id }: Row) => Number(id))).toEqual(range(1, habits.rows))
  const refused = requests.filter((request) => request.refused).length
  const pages = Math.max(1, Math.ceil(habits.rows / Math.min(...sizes)))
  if (sizes.size === 1) expect(requests.length).toBe(pages + refused)
  else expect(requests.length).toBeLessThanOrEqual(pages + refused + 1)
  expect(refused).toBeLessThanOrEqual(1)
}

/** Returns whether the server refuses the caller's own limit, which the client does not drop. */
const isRefused = (pageSize: string, limit: number | undefined) =>
  limit !== undefined && pageSizes[pageSize]!(1, limit) === undefined

/** Returns whether a server states if there is a next page. */
const statesNextPage = (absent: string, nextpage: string) => absent !== 'maxpage' || !nextpage.endsWith('on every page')

/** Returns whether all pages of a server have the same size. */
const isConstant = (pageSize: string, limit = 100) =>
  new Set(range(1, 10).map((page) => pageSizes[pageSize]!(page, limit))).size === 1

/** Generates servers and walks, without the size of the list. */
const scenarios = (pageSize: string) =>
  fc
    .record({
      perpage: fc.constantFrom(...habits.perpage),
      refusal: fc.constantFrom(...habits.refusal),
      nextpage: fc.constantFrom(...habits.nextpage),
      numbers: fc.constantFrom(...habits.numbers),
      absent: fc.constantFrom(...habits.absent),
      limit: fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined, freq: 2 }),
    })
    .map((scenario) => ({ ...scenario, pageSize }))
    .filter(({ limit, absent, nextpage }) => !isRefused(pageSize, limit) && statesNextPage(absent, nextpage))

const sizes = fc.integer({ min: 0, max: MAX_ROWS })

describe('a walk yields every row once and in order, with the fewest possible requests, if the server', () => {
  it.each(habits.pageSize)(
    '%s',
    async (pageSize) => {
      const offset = habits.pageSize.indexOf(pageSize)
      const everySize = range(0, MAX_ROWS).filter((rows) => (rows + offset) % SPREAD === 0)
      const samples = fc.sample(scenarios(pageSize), { numRuns: everySize.length, seed })
      const property = fc.asyncProperty(sizes, scenarios(pageSize), (rows, scenario) =>
        checkWalk({ rows, ...scenario }, scenario, listWithoutTransport),
      )
      const examples = everySize.map((rows, index): [number, (typeof samples)[number]] => [rows, samples[index]!])
      await fc.assert(property, { examples, numRuns: everySize.length + RUNS, seed })
    },
    600_000,
  )

  it('behaves in any of these ways, with the transport too', async () => {
    const anyScenario = fc.constantFrom(...habits.pageSize).chain(scenarios)
    const property = fc.asyncProperty(fc.integer({ min: 0, max: 250 }), anyScenario, (rows, scenario) =>
      checkWalk({ rows, ...scenario }, scenario, listOfClient),
    )
    await fc.assert(property, { numRuns: 3 * RUNS, seed })
  }, 600_000)
})

describe('while the list changes, a walk', () => {
  const walksOf = (pageSizes: readonly string[]) =>
    fc.constantFrom(...pageSizes).chain((pageSize) =>
      fc.record({
        pageSize: fc.constant(pageSize),
        rows: fc.integer({ min: 0, max: 300 }),
        /** The position of a change before each request, from 0 to 1 of the list; 2: no change. */
        changes: fc.array(fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constant(2)), { maxLength: 40 }),
      }),
    )
  const honest = {
    perpage: 'the size',
    refusal: 'a 400',
    nextpage: 'null on the last page',
    numbers: 'numbers',
    absent: 'none',
  }

  /** Returns the ids that a walk yields while the list changes before its requests. */
  async function idsOf(
    { changes, ...habits }: Omit<Habits, keyof typeof honest> & { changes: number[] },
    change: (ids: number[], index: number, turn: number) => void,
  ): Promise<number[]> {
    const server = pagingServer({ ...habits, ...honest })
    let turn = 0
    const respond: PagingServer['respond'] = (page, limit) => {
      const where = changes[turn++] ?? 2
      if (where < 2 && turn > 1) change(server.ids, Math.floor(where * server.ids.length), turn)
      return server.respond(page, limit)
    }
    const list = listWithoutTransport({ ...server, respond }, { limit: undefined })
    return (await list().toArray()).map(({ id }) => Number(id))
  }

  it('yields every row that existed at the start once and in order if rows are added', async () => {
    const walks = walksOf(habits.pageSize.filter((pageSize) => !grows(pageSize)))
    const property = fc.asyncProperty(walks, async (walk) => {
      const ids = await idsOf(walk, (ids, index, turn) => ids.splice(index, 0, MAX_ROWS + turn))
      expect(ids.filter((id) => id <= MAX_ROWS)).toEqual(range(1, walk.rows))
      expect(new Set(ids).size).toBe(ids.length)
    })
    await fc.assert(property, { numRuns: 20 * RUNS, seed })
  })

  it('yields no row twice or out of order if rows are deleted', async () => {
    const walks = walksOf(habits.pageSize.filter((pageSize) => isConstant(pageSize)))
    const property = fc.asyncProperty(walks, async (walk) => {
      const ids = await idsOf(walk, (ids, index) => ids.splice(index, 1))
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    })
    await fc.assert(property, { numRuns: 20 * RUNS, seed })
  })
})
