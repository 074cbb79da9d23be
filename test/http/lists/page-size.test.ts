import { describe, expect, it } from 'vitest'
import { page } from '../../helpers/answers.ts'
import { connect } from '../../helpers/client.ts'
import { range } from '../../helpers/lists.ts'
import { failure } from '../../helpers/outcome.ts'

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
  const rows = (await list.toArray()).map(({ id }) => id)
  expect(rows).toEqual(range(1, total).filter((id) => !hiddenRows.has(id)))
  expect(pages).toEqual(pagesAsked)
}

describe('if the pages become smaller, a walk goes on with the next one and gives every row once', () => {
  it.each<[how: string, total: number, answers: Answer[], pages: number[]]>([
    ['to a size that the last page has', 15, [{ size: 10 }, { size: 5 }], range(1, 3)],
    [
      'and only the rows tell the size',
      200,
      [
        { size: 60, perpage: 0 },
        { size: 20, perpage: 0 },
      ],
      range(1, 10),
    ],
    [
      'by so much that more than five pages in a row have nothing new',
      300,
      [{ size: 100 }, { size: 10 }],
      range(1, 30),
    ],
    ['twice', 100, [{ size: 60 }, { size: 20 }, { size: 10 }], range(1, 10)],
    ['and a whole page is left out later on', 105, [{ size: 35 }, { size: 35, hidden: 35 }, { size: 35 }], range(1, 3)],
  ])('%s', (_, total, answers, pagesAsked) => checkWalk(total, answers, pagesAsked))
})

describe('if a page is larger than the one before, a walk fails, because rows between them would be lost', () => {
  it.each<[how: string, answers: Answer[]]>([
    [
      'by its rows',
      [
        { size: 70, perpage: 0 },
        { size: 100, perpage: 0 },
      ],
    ],
    ['by its `perpage`', [{ size: 70 }, { size: 100, hidden: 50 }]],
    [
      'by the number of its pages',
      [
        { size: 70, perpage: 0 },
        { size: 100, perpage: 0, hidden: 50 },
      ],
    ],
    ['after it had room for fewer', [{ size: 100 }, { size: 50 }, { size: 100 }]],
  ])('%s', async (_, answers) => {
    const { list, pages } = listOf(300, answers)
    const error = await failure(list.toArray())
    expect(error).toMatchObject({ code: 'invalid_response', status: 200, outcome: 'not-sent' })
    expect(error.message).toMatch(/^GET \/urls: page \d is larger than the one before/)
    expect(pages).toEqual(range(1, answers.length))
  })
})

describe('a walk does not take for a new page size', () => {
  it.each<[what: string, total: number, answers: Answer[], pages: number[]]>([
    ['rows that are left out', 180, [{ size: 60 }, { size: 60, hidden: 20 }, { size: 60 }], [1, 2, 3]],
    ['a wrong `perpage`', 100, [{ size: 60, perpage: 50 }], [1, 2]],
    ['numbers that contradict each other', 9, [{ size: 3, perpage: 0, maxpage: 7 }], [1, 2, 3, 4]],
  ])('%s', (_, total, answers, pagesAsked) => checkWalk(total, answers, pagesAsked))
})
