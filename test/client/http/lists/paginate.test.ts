import { InvalidResponseError, type StandardSchema } from 'shortlink-sdk'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/v4/mini'
import { connect } from '../../../helpers/client.ts'
import { addresses, pagesSeen } from '../../../helpers/lists.ts'
import { failure } from '../../../helpers/outcome.ts'
import { numberOf, page } from '../../../helpers/responses.ts'
import { serve } from '../../../helpers/server.ts'

describe('client.paginate', () => {
  interface Link {
    id: number
    shorturl: string
  }
  const Row = z.object({ id: z.coerce.number(), shorturl: z.string() })
  /** Creates a Standard Schema without a library. */
  const handMade = (settles: 'at once' | 'later'): StandardSchema<Link> => ({
    '~standard': {
      version: 1,
      vendor: 'test',
      validate(value) {
        const { id, shorturl } = value as Record<string, string>
        const result = shorturl
          ? { value: { id: Number(id), shorturl } }
          : { issues: [{ message: 'no link', path: [{ key: 'shorturl' }] }] }
        return settles === 'later' ? Promise.resolve(result) : result
      },
    },
  })
  const link = (id: number) => ({ id, shorturl: `https://sho.rt/${id}` })
  const wireLink = (id: number) => ({ ...link(id), id: String(id) })
  const numbers = (url: string) => ({
    result: '3',
    perpage: '2',
    currentpage: String(numberOf(url)),
    nextpage: '2',
    maxpage: '2',
  })
  const rows = (url: string) => (numberOf(url) === 1 ? { '0': wireLink(1), '5': wireLink(2) } : [wireLink(3)])

  it('leaves out only identical rows, because the `id`s of an unknown list may not be unique', async () => {
    const days = [
      { id: 7, day: 'Monday' },
      { id: 7, day: 'Tuesday' },
      { id: 8, day: 'Monday' },
    ]
    const both = { result: 4, perpage: 3, maxpage: 2 }
    const pages = [
      page('days', days, { ...both, currentpage: 1, nextpage: 2 }),
      page('days', [days[2], { id: 8, day: 'Tuesday' }], { ...both, currentpage: 2, nextpage: null }),
    ]
    const server = await serve(({ url }) => pages[numberOf(url) - 1]!)
    const list = connect(server).paginate('/days', { listKey: 'days' })
    expect(await list.toArray()).toEqual([...days, { id: 8, day: 'Tuesday' }])

    const schema = z.object({
      id: z.pipe(
        z.number(),
        z.transform((id: number) => BigInt(id)),
      ),
      day: z.string(),
    })
    const withBigints = connect(server).paginate('/days', { listKey: 'days', schema })
    expect((await withBigints.toArray()).map(({ id }) => id)).toEqual([7n, 7n, 8n, 8n])
  })

  it.each<[form: string, body: (url: string) => object]>([
    ['nested in `data`', (url) => ({ error: 0, data: { ...numbers(url), urls: rows(url) } })],
    ['at the top level', (url) => ({ error: 0, ...numbers(url), urls: rows(url) })],
  ])('walks a list %s and yields its rows unchanged, or as a schema returns them', async (_, body) => {
    const server = await serve(({ url }) => ({ body: body(url) }))
    const client = connect(server)
    expect(await client.paginate('/urls', { listKey: 'urls' }).toArray()).toEqual([1, 2, 3].map(wireLink))
    for (const schema of [Row, handMade('at once'), handMade('later')]) {
      expect(await client.paginate<Link>('/urls', { listKey: 'urls', schema }).toArray()).toEqual([1, 2, 3].map(link))
    }
    expect(pagesSeen(server)).toEqual([1, 2, 1, 2, 1, 2, 1, 2])
  })

  it('sends its query with every page', async () => {
    const server = await serve(({ url }) => ({ body: { error: 0, ...numbers(url), urls: rows(url) } }))
    await connect(server)
      .paginate('/urls', { listKey: 'urls', query: { order: 'date & name', limit: 2 } })
      .toArray()
    expect(addresses(server)).toEqual([
      '/api/urls?order=date%20%26%20name&limit=2',
      '/api/urls?order=date%20%26%20name&limit=2&page=2',
    ])
  })

  it.each([Row, handMade('at once'), handMade('later')])(
    'names the row that does not match the schema',
    async (schema) => {
      const server = await serve(page('urls', [wireLink(1), { id: 2 }]))
      const error = await failure(connect(server).paginate<Link>('/urls', { listKey: 'urls', schema }))
      expect(error).toBeInstanceOf(InvalidResponseError)
      expect((error as InvalidResponseError).issues.map(({ path }) => path)).toEqual([['data', 'urls', 1, 'shorturl']])
    },
  )

  it('returns such a row unchanged with `validation: report`', async () => {
    const server = await serve(page('urls', [wireLink(1), { id: 2 }]))
    const onDrift = vi.fn()
    const client = connect(server, { validation: 'report', onDrift })
    const rows = client.paginate<Link>('/urls', { listKey: 'urls', schema: Row }).toArray()
    expect(await rows).toEqual([link(1), { id: 2 }])
    expect(onDrift).toHaveBeenCalledOnce()
  })

  it.each<[form: string, body: object, path: string[]]>([
    ['in `data`', page('urls', [], { perpage: 'many' }).body as object, ['data', 'perpage']],
    ['at the top level', { error: 0, ...numbers('/'), perpage: 'many', urls: [] }, ['perpage']],
  ])('names the invalid number of a page: %s', async (_, body, path) => {
    const error = await failure(connect(await serve({ body })).paginate('/urls', { listKey: 'urls' }))
    expect((error as InvalidResponseError).issues).toEqual([
      { path, message: 'expected an integer, received a string', code: 'invalid' },
    ])
  })

  it.each<[rows: number[], currentpage: unknown, nextpage: unknown, maxpage: unknown, next: number | null]>([
    [[1], 1, 2, 2, 2],
    [[1], 1, null, 2, 2],
    [[1], '1', 1, '2', 2],
    [[1], 1, 'two', 3, 2],
    [[1], 1, 3, 1, null],
    [[1], 1, 2, 'many', null],
    [[1], 1, 2, {}, null],
    [[], 1, 2, 2, null],
    [[1], 1, 2, undefined, 2],
    [[1], '1', '2', undefined, 2],
    [[1], 1, 2, null, 2],
    [[1], 1, 2, '', 2],
    [[1], 1, 9, undefined, 2],
    [[1], 1, 1, undefined, null],
    [[1], 1, 0, undefined, null],
    [[1], 1, null, undefined, null],
    [[1], 1, undefined, undefined, null],
    [[1], -1, undefined, undefined, null],
    [[1], 1, 'two', undefined, null],
    [[], 1, 2, undefined, null],
  ])(
    'a page with rows %j, currentpage %j, nextpage %j, maxpage %j: the next page is %j',
    async (rows, currentpage, nextpage, maxpage, expected) => {
      const server = await serve(page('urls', rows.map(wireLink), { currentpage, nextpage, maxpage }))
      const client = connect(server, { validation: 'report', logLevel: 'off' })
      const list = await client.paginate('/urls', { listKey: 'urls' })
      expect(list.nextpage).toBe(expected)
    },
  )

  it.each([undefined, null, ''])('has no `result` and no `maxpage` if the server sends %j there', async (absent) => {
    const numbers = { result: absent, maxpage: absent, perpage: 1, nextpage: 2 }
    const list = connect(await serve(page('urls', [wireLink(1)], numbers))).paginate('/urls', { listKey: 'urls' })
    expect(await list).toStrictEqual({
      items: [wireLink(1)],
      result: undefined,
      perpage: 1,
      currentpage: 1,
      nextpage: 2,
      maxpage: undefined,
    })
  })

  it.each<[numbers: Record<string, unknown>, issue: object]>([
    [{ result: 'many' }, { path: ['data', 'result'], message: 'expected an integer, received a string' }],
    [{ maxpage: 1.5 }, { path: ['data', 'maxpage'], message: 'expected an integer, received a number' }],
    [{ maxpage: [] }, { path: ['data', 'maxpage'], message: 'expected an integer, received a list' }],
    [
      { maxpage: undefined, nextpage: '/urls?page=2' },
      { path: ['data', 'nextpage'], message: 'expected an integer, received a string' },
    ],
    [{ perpage: undefined }, { path: ['data', 'perpage'], message: 'is missing, expected an integer' }],
    [{ currentpage: undefined }, { path: ['data', 'currentpage'], message: 'is missing, expected an integer' }],
  ])('fails for a page with %j', async (numbers, issue) => {
    const server = await serve(page('urls', [wireLink(1)], numbers))
    const error = await failure(connect(server).paginate('/urls', { listKey: 'urls' }))
    expect(error).toMatchObject({ code: 'invalid_response', issues: [issue] })
  })

  it.each(['strict', 'report'] as const)(
    'fails with validation %s if the server sends a different page from the requested one',
    async (validation) => {
      const server = await serve(page('urls', [wireLink(1)], { nextpage: 2, maxpage: 9 }))
      const list = (page?: number) =>
        connect(server, { validation }).paginate('/urls', { listKey: 'urls', query: page ? { page } : {} })
      expect((await list()).items).toEqual([wireLink(1)])
      expect((await list(1)).items).toEqual([wireLink(1)])
      const error = await failure(list(4))
      expect(error).toBeInstanceOf(InvalidResponseError)
      expect((error as InvalidResponseError).issues).toEqual([
        { path: ['currentpage'], message: 'requested page 4, received page 1', code: 'invalid' },
      ])
    },
  )

  it('says that the list is missing if `listKey` is not in the response', async () => {
    const error = await failure(
      connect(await serve(page('urls', [wireLink(1)]))).paginate('/urls', { listKey: 'links' }),
    )
    expect((error as InvalidResponseError).issues).toEqual([
      { path: ['data', 'links'], message: 'is missing, expected a list', code: 'missing' },
    ])
  })
})
