import { describe, expect, it } from 'vitest'
import { InvalidResponseError } from '../../../src/index.ts'
import { page } from '../../helpers/answers.ts'
import { connect } from '../../helpers/client.ts'
import { failure } from '../../helpers/outcome.ts'

/** A client of a server that gives these rows and numbers on every page, and the pages that were asked for. */
function setUp(answer: (page: number) => { rows: unknown; numbers?: Record<string, unknown> }, maxRequests = 1000) {
  const asked: number[] = []
  const fetch = async (url: string) => {
    const number = Number(new URL(url).searchParams.get('page') ?? 1)
    asked.push(number)
    if (asked.length > maxRequests) throw new Error('the walk goes on and on')
    const { rows, numbers } = answer(number)
    const endless = { result: 1e9, perpage: 1, currentpage: number, nextpage: number + 1, maxpage: 1e9 }
    return Response.json(page('urls', rows, { ...endless, ...numbers }).body)
  }
  return { asked, fetch: fetch as typeof globalThis.fetch }
}

type Hostile = Parameters<typeof setUp>[0]

describe('a walk ends with an error after a few pages if the server says that there are 1,000,000,000 and', () => {
  const cases: [what: string, answer: Hostile][] = [
    ['gives no rows', () => ({ rows: [] })],
    ['gives no rows and counts none', () => ({ rows: [], numbers: { result: 0 } })],
    ['gives no rows and no number of rows', () => ({ rows: [], numbers: { result: '' } })],
    ['gives the same row again and again', () => ({ rows: [{ id: 1 }] })],
    [
      'gives the same rows in another order',
      (number) => ({ rows: number % 2 ? [{ id: 1 }, { id: 2 }] : [{ id: 2 }, { id: 1 }] }),
    ],
    ['gives two pages in turn', (number) => ({ rows: [{ id: number % 2 }] })],
    ['gives three pages in turn', (number) => ({ rows: [{ id: number % 3 }] })],
    ['gives the same row without an id', () => ({ rows: [{ name: 'a' }] })],
    ['gives two pages of rows without an id in turn', (number) => ({ rows: [{ name: number % 2 }] })],
    ['gives the same rows, some without an id', () => ({ rows: [{ id: 1 }, { name: 'a' }] })],
    ['gives rows that are no objects', () => ({ rows: ['a', null, 1] })],
    ['gives rows whose id is an object', () => ({ rows: [{ id: {} }] })],
    ['gives rows whose id is very long', () => ({ rows: [{ id: 'x'.repeat(10_000) }] })],
    ['says that a page has 0 rows', () => ({ rows: [], numbers: { perpage: 0 } })],
    ['says that a page has -1 rows', () => ({ rows: [], numbers: { perpage: -1 } })],
    ['says that there are -1 rows', () => ({ rows: [], numbers: { result: -1 } })],
    ['says that the next page is the last of all', () => ({ rows: [], numbers: { nextpage: 1e9 } })],
    ['says that the next page is beyond all', () => ({ rows: [], numbers: { nextpage: Number.MAX_SAFE_INTEGER } })],
    [
      'says other numbers of pages each time',
      (number) => ({ rows: [{ id: 1 }], numbers: { maxpage: 1e9 - number, result: number } }),
    ],
    [
      'says other page sizes each time',
      (number) => ({ rows: [{ id: 1 }], numbers: { perpage: number, result: 1e9 * number } }),
    ],
  ]

  it.each(cases.flatMap(([what, answer]) => [1, 8].map((concurrency) => ({ what, answer, concurrency }))))(
    '$what (concurrency $concurrency)',
    async ({ answer, concurrency }) => {
      for (const dedupe of [true, false]) {
        for (const validation of ['strict', 'report', 'off'] as const) {
          const { fetch, asked } = setUp(answer)
          const client = connect({ origin: 'http://127.0.0.1' }, { fetch, validation, logLevel: 'off' })
          const rows = client.paginate('/urls', { listKey: 'urls' }, { concurrency, dedupe }).toArray()
          const error = await failure(rows)
          expect(error).toBeInstanceOf(InvalidResponseError)
          expect(error).toMatchObject({ method: 'GET', path: '/urls' })
          expect(asked.length).toBeLessThan(20 + concurrency)
        }
      }
    },
  )
})

const notANumber = { toString: 1, valueOf: 1 }

it.each(['result', 'perpage', 'currentpage', 'nextpage', 'maxpage'])(
  'a walk ends with rows or an error of this package if `%s` is an object that cannot be compared',
  async (name) => {
    for (const validation of ['strict', 'report', 'off'] as const) {
      const { fetch, asked } = setUp((number) => ({
        rows: number > 2 ? [] : [{ id: number }],
        numbers: { maxpage: 3, result: 2, perpage: 1, [name]: notANumber },
      }))
      const client = connect({ origin: 'http://127.0.0.1' }, { fetch, validation, logLevel: 'off' })
      const { ok, data, error } = await client.paginate('/urls', { listKey: 'urls' }).safe()
      expect(ok ? data.items : error.code).toEqual(validation === 'strict' ? 'invalid_response' : [{ id: 1 }])
      const walked = client.paginate('/urls', { listKey: 'urls' }).toArray()
      const ended = await walked.catch((error: unknown) => error)
      if (ended instanceof Error) expect(ended).toBeInstanceOf(InvalidResponseError)
      else expect(ended).toContainEqual({ id: 1 })
      expect(asked.length).toBeLessThan(6)
    }
  },
)

it('a page of 10,000 rows is read, and one of 10,001 refused under every validation', async () => {
  const pageOf = (count: number) => setUp(() => ({ rows: Array.from({ length: count }, (_, id) => ({ id })) }))
  for (const validation of ['strict', 'report', 'off'] as const) {
    const [small, large] = [10_000, 10_001].map((count) =>
      connect({ origin: 'http://127.0.0.1' }, { fetch: pageOf(count).fetch, validation, logLevel: 'off' }),
    )
    expect((await small!.paginate('/urls', { listKey: 'urls' })).items).toHaveLength(10_000)
    const error = await failure(large!.paginate('/urls', { listKey: 'urls' }))
    expect(error).toMatchObject({ code: 'invalid_response', outcome: 'unknown' })
    expect(error.message).toContain('data.urls: expected at most 10000 rows on a page, received 10001')
  }
})

describe('a walk does not go where the server says', () => {
  it.each([
    ['a next page far off', { nextpage: 77 }],
    ['a next page beyond all numbers', { nextpage: 1e300 }],
  ])('%s: it asks for the page after this one', async (_, numbers) => {
    const { fetch, asked } = setUp((number) => ({
      rows: [{ id: number }],
      numbers: { maxpage: 3, result: 3, ...(number < 3 ? numbers : { nextpage: null }) },
    }))
    const client = connect({ origin: 'http://127.0.0.1' }, { fetch, validation: 'off' })
    expect(await client.paginate('/urls', { listKey: 'urls' }).toArray()).toHaveLength(3)
    expect(asked).toEqual([1, 2, 3])
  })

  it.each([-5, 0, 2, 7, Number.MAX_SAFE_INTEGER - 1])(
    'fails if the first page says that it is page %i',
    async (currentpage) => {
      const { fetch, asked } = setUp(() => ({
        rows: [{ id: 1 }],
        numbers: { currentpage, nextpage: currentpage + 1, maxpage: currentpage + 9 },
      }))
      const client = connect({ origin: 'http://127.0.0.1' }, { fetch })
      const error = await failure(client.paginate('/urls', { listKey: 'urls' }).toArray())
      expect(error).toBeInstanceOf(InvalidResponseError)
      expect(error.message).toContain(`requested page 1, received page ${currentpage}`)
      expect(asked).toEqual([1])
    },
  )

  it.each([
    ['fractional', { currentpage: 1.5, nextpage: 2.5, maxpage: 9.5 }],
    ['negative', { currentpage: -2, nextpage: -1, maxpage: 5 }],
    ['words', { currentpage: 'one', nextpage: 'two', maxpage: 'many' }],
    ['objects', { currentpage: {}, nextpage: [], maxpage: {} }],
  ])('ends after the first page, or fails, if the numbers of the pages are %s', async (_, numbers) => {
    for (const validation of ['strict', 'report', 'off'] as const) {
      const { fetch, asked } = setUp(() => ({ rows: [{ id: 1 }], numbers }))
      const client = connect({ origin: 'http://127.0.0.1' }, { fetch, validation, logLevel: 'off' })
      const result = await client
        .paginate('/urls', { listKey: 'urls' })
        .toArray()
        .then(
          (rows) => rows,
          (error) => error,
        )
      if (result instanceof Error) expect(result).toBeInstanceOf(InvalidResponseError)
      else expect(result).toEqual([{ id: 1 }])
      expect(asked).toEqual([1])
    }
  })
})
