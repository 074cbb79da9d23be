import { InvalidResponseError } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { range } from '../../../helpers/lists.ts'
import { failure } from '../../../helpers/outcome.ts'
import { page } from '../../../helpers/responses.ts'

/** Returns the rows of a page, and its numbers if they differ from those of `endless`. */
type Respond = (page: number, request: number) => { rows: unknown; numbers?: Record<string, unknown> }

/** Creates a list on a server that claims to have a billion pages by default. */
function listOf(respond: Respond, { validation = 'report' }: Settings = {}) {
  const pages: number[] = []
  const fetch = async (url: string) => {
    const currentpage = Number(new URL(url).searchParams.get('page') ?? 1)
    if (pages.push(currentpage) > 1000) throw new Error('the walk does not end')
    const { rows, numbers } = respond(currentpage, pages.length)
    const endless = { result: 1e9, perpage: 1, currentpage, nextpage: currentpage + 1, maxpage: 1e9 }
    return Response.json(page('urls', rows, { ...endless, ...numbers }).body)
  }
  const settings = { fetch: fetch as typeof globalThis.fetch, validation, logLevel: 'off' } as const
  const client = connect({ origin: 'http://127.0.0.1' }, settings)
  return { pages, list: client.paginate<{ id: number }>('/urls', { listKey: 'urls' }) }
}

interface Settings {
  validation?: 'strict' | 'report'
}

describe('a walk fails after a few pages if the server claims to have 1,000,000,000 pages and', () => {
  const cases: [what: string, respond: Respond, pagesWithNewRows: number][] = [
    ['sends the same row again and again', () => ({ rows: [{ id: 1 }] }), 1],
    ['sends three pages in turn', (page) => ({ rows: [{ id: (page % 3) + 1 }] }), 3],
    [
      'sends another number of pages each time',
      (page) => ({ rows: [{ id: 1 }], numbers: { maxpage: 1e9 - page, result: page } }),
      1,
    ],
    [
      'leaves out the numbers of rows and pages',
      () => ({ rows: [{ id: 1 }], numbers: { maxpage: undefined, result: undefined } }),
      1,
    ],
  ]

  it.each(cases)('%s', async (_, respond, pagesWithNewRows) => {
    for (const validation of ['strict', 'report'] as const) {
      const { list, pages } = listOf(respond, { validation })
      const error = await failure(list.toArray())
      expect(error).toBeInstanceOf(InvalidResponseError)
      expect(error).toMatchObject({ method: 'GET', path: '/urls', status: 200, outcome: 'unknown', attempts: 1 })
      expect(error.message).toContain(`page ${pages.length} has only rows of earlier pages`)
      expect(pages).toHaveLength(2 * pagesWithNewRows + 1)
    }
  })
})

it.each<[what: string, rows: unknown, result: unknown]>([
  ['none', [], 0],
  ['none, as null', null, 0],
])(
  'a walk ends with the first page without rows, even if the server claims to have more: %s',
  async (_, rows, result) => {
    const { list, pages } = listOf(() => ({ rows, numbers: { result } }))
    expect(await list.toArray()).toEqual([])
    expect(pages).toEqual([1])
  },
)

it('an endless list costs no request after the loop is left', async () => {
  const { list, pages } = listOf((page) => ({ rows: [{ id: 2 * page }, { id: 2 * page + 1 }] }))
  expect(await list.toArray({ limit: 7 })).toHaveLength(7)
  expect(pages).toEqual(range(1, 4))
})

it.each([-5, 0, 2, 7, Number.MAX_SAFE_INTEGER - 1])(
  'a walk fails if the first page has the number %i',
  async (currentpage) => {
    const numbers = { currentpage, nextpage: currentpage + 1, maxpage: currentpage + 9 }
    const { list, pages } = listOf(() => ({ rows: [{ id: 1 }], numbers }), { validation: 'strict' })
    const error = await failure(list.toArray())
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error.message).toContain(`requested page 1, received page ${currentpage}`)
    expect(pages).toEqual([1])
  },
)

it.each([
  ['fractional', { currentpage: 1.5, nextpage: 2.5, maxpage: 9.5 }],
  ['words', { currentpage: 'one', nextpage: 'two', maxpage: 'many' }],
])('a walk ends after the first page, or fails, if the page numbers are %s', async (_, numbers) => {
  for (const validation of ['strict', 'report'] as const) {
    const { list, pages } = listOf(() => ({ rows: [{ id: 1 }], numbers }), { validation })
    const result = await list.toArray().catch((error: unknown) => error)
    if (result instanceof Error) expect(result).toBeInstanceOf(InvalidResponseError)
    else expect(result).toEqual([{ id: 1 }])
    expect(pages).toEqual([1])
  }
})

describe('if the page size changes', () => {
  interface Answer {
    /** Rows on a page. */
    readonly size: number
    /** The `perpage` that the server sends. Default: `size`. */
    readonly perpage?: number
    /** The number of rows at the end of the page that the server leaves out. */
    readonly hidden?: number
  }

  /** Creates a list of `total` rows on a server with one response for each request. The last one is repeated. */
  const changing = (total: number, responses: readonly Answer[]) =>
    listOf((page, request) => {
      const { size, perpage = size, hidden = 0 } = responses[Math.min(request, responses.length) - 1]!
      const rows = range((page - 1) * size + 1, Math.min(page * size, total)).map((id) => ({ id }))
      return {
        rows: rows.slice(0, rows.length - hidden),
        numbers: { result: total, perpage, maxpage: Math.ceil(total / size) },
      }
    })

  it.each<[how: string, responses: Answer[]]>([
    ['by its `perpage`', [{ size: 70 }, { size: 100, hidden: 50 }]],
    ['after it was smaller', [{ size: 100 }, { size: 50 }, { size: 100 }]],
  ])('to a larger one, a walk fails, because rows between two pages would be lost: %s', async (_, responses) => {
    const { list, pages } = changing(300, responses)
    const error = await failure(list.toArray())
    expect(error).toMatchObject({ code: 'invalid_response', status: 200, outcome: 'unknown' })
    expect(error.message).toMatch(/^GET \/urls: page \d is larger than the page before/)
    expect(pages).toEqual(range(1, responses.length))
  })
})
