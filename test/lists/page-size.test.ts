import { describe, expect, it } from 'vitest'
import { page } from '../helpers/answers.ts'
import { connect } from '../helpers/client.ts'
import { range } from '../helpers/lists.ts'
import { failure } from '../helpers/outcome.ts'

/** How a server answers one request, whatever page it is for. */
interface Answer {
  /** Rows on a page. */
  readonly size: number
  /** What it says that this is. */
  readonly perpage?: number
  /** How many of the last rows of the page it leaves out. */
  readonly hidden?: number
  readonly total?: number
  readonly maxpage?: number
}

/** A list on a server that answers so, one request after the other; the last answer is for all others too. */
function listOf(total: number, answers: readonly Answer[], { concurrency = 1, idKey = 'id' } = {}) {
  const pages: number[] = []
  const limits: (string | null)[] = []
  const hiddenRows = new Set<number>()
  const fetch = async (url: string) => {
    const query = new URL(url).searchParams
    const number = Number(query.get('page') ?? 1)
    const { size, hidden = 0, ...said } = answers[Math.min(pages.length, answers.length - 1)]!
    pages.push(number)
    limits.push(query.get('limit'))
    const result = said.total ?? total
    const rows = range((number - 1) * size + 1, Math.min(number * size, result))
    for (const id of rows.splice(rows.length - hidden)) hiddenRows.add(id)
    const maxpage = said.maxpage ?? Math.ceil(result / size)
    const nextpage = number < maxpage ? number + 1 : null
    const numbers = { result, perpage: said.perpage ?? size, currentpage: number, nextpage, maxpage }
    const items = rows.map((row) => ({ [idKey]: row }))
    return Response.json(page('urls', items, numbers).body)
  }
  const settings = { fetch: fetch as typeof globalThis.fetch, validation: 'report', logLevel: 'off' } as const
  const client = connect({ origin: 'http://127.0.0.1' }, settings)
  const list = client.paginate<Record<string, number>>('/urls', { listKey: 'urls' }, { concurrency })
  return { list, pages, limits, hiddenRows }
}

/** Checks that a walk gives every row that the server sends once, and asks for these pages. */
async function checkWalk(total: number, answers: readonly Answer[], pagesAsked: readonly number[]): Promise<void> {
  const { list, pages, hiddenRows } = listOf(total, answers)
  const rows: unknown[] = []
  for await (const { items } of list.pages()) rows.push(...items.map(({ id }) => id))
  expect(rows).toEqual(range(1, total).filter((id) => !hiddenRows.has(id)))
  expect(pages).toEqual(pagesAsked)
}

describe('if a server changes the page size, a walk gives every row that it sends once and asks for no page too many', () => {
  it.each<[how: string, total: number, answers: Answer[], pages: number[]]>([
    ['to one that the last page has', 15, [{ size: 10 }, { size: 5 }], [1, 2, 3]],
    ['and only its `perpage` tells the size', 110, [{ size: 60, hidden: 10 }, { size: 20 }], [1, 2, 4, 5, 6]],
    [
      'and only the rows of its first page tell the size',
      200,
      [{ size: 60, perpage: 50 }, { size: 20 }],
      [1, 2, 4, 5, 6, 7, 8, 9, 10],
    ],
    ['and has more rows left than its `perpage` allows for', 100, [{ size: 55 }, { size: 50, perpage: 60 }], [1, 2]],
    [
      'and only the rows of its last page tell the size',
      160,
      [{ size: 70 }, { size: 70 }, { size: 60, perpage: 0 }],
      [1, 2, 3],
    ],
    [
      'and always says the same `perpage`',
      200,
      [
        { size: 60, perpage: 0 },
        { size: 20, perpage: 0 },
      ],
      [1, 2, 4, 5, 6, 7, 8, 9, 10],
    ],
    [
      'and two pages that follow each other have one and the same number of pages',
      100,
      [{ size: 70 }, { size: 60, perpage: 0 }],
      [1, 2],
    ],
    [
      'and only the number of its pages tells the size',
      50,
      [{ size: 10, perpage: 0, hidden: 3 }, { size: 5 }],
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ],
    [
      'and its `perpage` is no whole number',
      25,
      [{ size: 13, perpage: 12.5, hidden: 1 }, { size: 5 }],
      [1, 2, 3, 4, 5],
    ],
    [
      'after a page whose numbers do not fit together',
      30,
      [{ size: 10 }, { size: 10, perpage: 0, maxpage: 7 }, { size: 5 }],
      [1, 2, 3, 5, 6],
    ],
    [
      'twice, and between them the numbers do not fit together',
      100,
      [{ size: 60 }, { size: 20 }, { size: 20, perpage: 0, maxpage: 9 }, { size: 10 }],
      [1, 2, 4, 5, 9, 10],
    ],
    [
      'and leaves out a whole page later on',
      140,
      [{ size: 100 }, { size: 15 }, { size: 15 }, { size: 15 }, { size: 15, hidden: 15 }, { size: 15 }],
      [1, 2, 7, 8, 9, 10],
    ],
    ['and deletes the rows of the pages to come', 10, [{ size: 10, total: 15 }, { size: 5 }], [1, 2]],
  ])('%s', (_, total, answers, pagesAsked) => checkWalk(total, answers, pagesAsked))

  it('to a larger one: it uses the pages again that it has', async () => {
    const { list, pages } = listOf(300, [{ size: 70 }, { size: 100 }], { concurrency: 3 })
    expect((await list.toArray()).map(({ id }) => id)).toEqual(range(1, 300))
    expect(pages).toEqual([1, 2, 3, 4, 1])
  })

  it('and its rows have no id', async () => {
    const { list } = listOf(15, [{ size: 10 }, { size: 4 }], { idKey: 'name' })
    expect((await list.toArray()).map(({ name }) => name)).toEqual(range(1, 15))
  })
})

describe('a walk does not take for a new page size', () => {
  it.each<[what: string, total: number, answers: Answer[], pages: number[]]>([
    ['another `perpage`, where rows are left out', 110, [{ size: 60 }, { size: 60, perpage: 0, hidden: 20 }], [1, 2]],
    ['a wrong `perpage` that fits the last page', 100, [{ size: 60, perpage: 50 }], [1, 2]],
    ['numbers that do not fit together', 9, [{ size: 3, perpage: 0, maxpage: 7 }], [1, 2, 3, 4]],
  ])('%s', (_, total, answers, pagesAsked) => checkWalk(total, answers, pagesAsked))
})

describe('a walk that does not find its place at once', () => {
  it('leaves the `limit` out from then on', async () => {
    const sizes = [100, 150, 100, 150].map((size) => ({ size }))
    const { list, pages, limits } = listOf(400, sizes)
    expect((await list.toArray()).map(({ id }) => id)).toEqual(range(1, 400))
    expect(pages).toEqual([1, 2, 1, 2, 1, 2, 3])
    expect(limits).toEqual(['100', '100', '100', null, null, null, null])
  })

  it('fails if the server changes the page size with every answer', async () => {
    const sizes = [60, 20, 15, 10, 6, 5].map((size) => ({ size }))
    const { list, pages } = listOf(1000, sizes)
    const issues = [{ path: ['currentpage'], message: 'page 11: the server keeps changing the page size' }]
    expect(await failure(list.toArray())).toMatchObject({ code: 'invalid_response', status: 200, issues })
    expect(pages).toEqual([1, 2, 4, 5, 7, 11])
  })

  it('does not use the pages again that it has', async () => {
    const sizes = [60, 30, 20, 20, 60, 20, 60].map((size) => ({ size }))
    const { list, pages } = listOf(1000, sizes, { concurrency: 3 })
    expect((await failure(list.toArray())).message).toContain('keeps changing the page size')
    expect(pages).toEqual([1, 2, 3, 4, 4, 2, 4])
  })
})
