import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod/mini'
import { InvalidRequestError, InvalidResponseError, type Page, type Splash, type StandardSchema } from '../src/index.ts'
import { numberOf, page, splash, splashPages } from './helpers/answers.ts'
import { connect } from './helpers/client.ts'
import { failure, thrown, until } from './helpers/outcome.ts'
import { type Canned, type Server, serve } from './helpers/server.ts'

const pagesSeen = ({ seen }: Server) => seen.map(({ url }) => numberOf(url))
const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

describe('a list', () => {
  it('awaited is one page', async () => {
    const server = await serve(splashPages(7, 3))
    const list = await connect(server).splash.list({ page: 2, limit: 3 })
    expect(list).toEqual({
      items: [splash(4), splash(5), splash(6)],
      result: 7,
      perpage: 3,
      currentpage: 2,
      nextpage: 3,
      maxpage: 3,
      hasNextPage: true,
    })
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/splash?page=2&limit=3'])
  })

  it('iterated is every row of every page, in order', async () => {
    const server = await serve(splashPages(7, 3))
    expect(ids(await collect(connect(server).splash.list({ limit: 3 })))).toEqual(range(1, 7))
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/splash?limit=3',
      '/api/splash?limit=3&page=2',
      '/api/splash?limit=3&page=3',
    ])
  })

  it('iterated from a page begins there', async () => {
    expect(ids(await collect(connect(await serve(splashPages(7, 3))).splash.list({ page: 2 })))).toEqual(range(4, 7))
  })

  it('gives its pages', async () => {
    const pages = await collect(
      connect(await serve(splashPages(7, 3)))
        .splash.list()
        .pages(),
    )
    expect(pages.map(({ items }) => ids(items))).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  })

  it('of nothing is no row and one request', async () => {
    const server = await serve(page('splash', [], { result: 0, maxpage: 0 }))
    expect(await collect(connect(server).splash.list())).toEqual([])
    expect(await connect(server).splash.list().toArray()).toEqual([])
    expect(server.seen).toHaveLength(2)
  })

  it('keeps its other parameters on every page', async () => {
    const server = await serve(({ url }) => {
      const currentpage = numberOf(url)
      const row = { id: currentpage, name: 'a', downloads: 0, shorturl: 'https://sho.rt/a', date: '' }
      return { body: { error: 0, result: 2, perpage: 1, currentpage, nextpage: 2, maxpage: 2, list: [row] } }
    })
    expect(ids(await connect(server).files.list({ name: 'a&b' }).toArray())).toEqual([1, 2])
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/files?name=a%26b', '/api/files?name=a%26b&page=2'])
  })

  it('is one request however it is consumed', async () => {
    const server = await serve(splashPages(3, 3))
    const list = connect(server).splash.list()
    await list
    await list.withResponse()
    await list.safe()
    await list.then(() => {})
    await collect(list)
    await collect(list.pages())
    await list.toArray()
    expect(server.seen).toHaveLength(1)
  })

  it('collected stops at its limit, and asks for no page more', async () => {
    const server = await serve(splashPages(9, 3))
    expect(ids(await connect(server).splash.list().toArray({ limit: 3 }))).toEqual([1, 2, 3])
    expect(ids(await connect(server).splash.list().toArray({ limit: 4 }))).toEqual([1, 2, 3, 4])
    expect(pagesSeen(server)).toEqual([1, 1, 2])
  })

  it.each([0, -1, Number.NaN, null, 'many', 1.5])('collected to the limit %j is refused', async (limit) => {
    const client = connect(await serve({ status: 500 }))
    const error = await failure(client.splash.list().toArray({ limit: limit as never }))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error.message).toContain('limit')
  })
})

describe('the walk ends whatever the server says', () => {
  it.each<[said: string, numbers: Record<string, unknown>]>([
    ['a next page that is the current one', { nextpage: 1, maxpage: 5 }],
    ['a next page before the current one', { nextpage: 0, maxpage: 5 }],
    ['a next page beyond the last one', { nextpage: 2, maxpage: 1 }],
    ['the same as strings', { currentpage: '1', nextpage: '1', maxpage: '1' }],
  ])('%s', async (_, numbers) => {
    const server = await serve(page('splash', [splash(1)], numbers))
    expect(ids(await collect(connect(server).splash.list()))).toEqual([1])
    expect(server.seen).toHaveLength(1)
  })

  it('the same page again and again is an error', async () => {
    const server = await serve(page('splash', [splash(1)], { nextpage: 2, maxpage: 9 }))
    const rows: number[] = []
    const walk = async () => {
      for await (const { id } of connect(server).splash.list()) rows.push(id)
    }
    const error = await failure(walk())
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error).toMatchObject({ method: 'GET', path: '/splash', status: 200, outcome: 'unknown', attempts: 1 })
    expect(error.message).toContain('asked for page 2, the server answered with page 1')
    expect(rows).toEqual([1])
    expect(server.seen).toHaveLength(2)
  })

  it.each(['strict', 'report', 'off'] as const)(
    'another page than the one asked for is an error under `%s`',
    async (validation) => {
      const server = await serve(page('items', [], { currentpage: 1, nextpage: 2, maxpage: 9 }))
      const error = await failure(connect(server, { validation }).channels.items(5, { page: 4 }))
      expect(error).toBeInstanceOf(InvalidResponseError)
      expect(error.path).toBe('/channel/5')
      expect((error as InvalidResponseError).body).toMatchObject({ error: '0', data: { currentpage: 1 } })
    },
  )

  it('a list that grows while it is walked ends where it ends', async () => {
    let total = 3
    const server = await serve((request) => {
      total = Math.min(total + 1, 6)
      return splashPages(total, 2)(request, () => {})
    })
    expect(ids(await collect(connect(server).splash.list()))).toEqual(range(1, 6))
  })

  it('a page that fails ends the walk with its error, after the rows before it', async () => {
    const server = await serve((request) =>
      numberOf(request.url) === 3 ? { status: 500 } : splashPages(9, 2)(request, () => {}),
    )
    const rows: number[] = []
    const walk = async () => {
      for await (const { id } of connect(server).splash.list({}, { concurrency: 3 })) rows.push(id)
    }
    expect(await failure(walk())).toMatchObject({ code: 'server' })
    expect(rows).toEqual(range(1, 4))
  })
})

describe('a row seen already', () => {
  /** Pages with these rows. */
  const pagesOf = (...pages: unknown[][]) =>
    serve(({ url }): Canned => {
      const currentpage = numberOf(url)
      const rows = pages[currentpage - 1] ?? []
      return page('items', rows, { result: 99, currentpage, nextpage: currentpage + 1, maxpage: pages.length })
    })
  const item = (type: string, id: number) => ({
    type,
    id,
    title: '',
    preview: '',
    link: 'https://sho.rt/a',
    date: '2026-05-12',
  })
  const given = (rows: { type: string; id: number }[]) => rows.map(({ type, id }) => `${type} ${id}`)

  it('is not given twice, because pages shift', async () => {
    const server = await pagesOf([item('links', 1), item('links', 2)], [item('links', 2), item('links', 3)])
    expect(given(await connect(server).channels.items(1).toArray())).toEqual(['links 1', 'links 2', 'links 3'])
  })

  it('is known by its type too', async () => {
    const server = await pagesOf([item('links', 1), item('bio', 1)], [item('qr', 1), item('bio', 1)])
    expect(given(await connect(server).channels.items(1).toArray())).toEqual(['links 1', 'bio 1', 'qr 1'])
  })

  it('is given twice under `dedupe: false`, and in pages', async () => {
    const server = await pagesOf([item('links', 1)], [item('links', 1)])
    expect(await connect(server).channels.items(1, {}, { dedupe: false }).toArray()).toHaveLength(2)
    expect((await collect(connect(server).channels.items(1).pages())).flatMap(({ items }) => items)).toHaveLength(2)
  })

  it('is known by its id as a number and as a string alike in rows that nobody validates', async () => {
    const server = await serve(page('urls', [{ id: 1 }, { id: '1' }, { id: 2 }, 'no row', 'no row', {}, {}]))
    expect(await connect(server).paginate('/urls', { listKey: 'urls' }).toArray()).toEqual([
      { id: 1 },
      { id: 2 },
      'no row',
      'no row',
      {},
      {},
    ])
  })

  it('is remembered for 1,000 rows at least, and not for ever', async () => {
    const perpage = 100
    const shifted = (currentpage: number) =>
      range(1, perpage).map((_, row) =>
        splash(currentpage === 11 ? row + 1 : currentpage === 32 ? row + 1 : (currentpage - 1) * perpage + row + 1),
      )
    const server = await serve(({ url }) => {
      const currentpage = numberOf(url)
      return page('splash', shifted(currentpage), { perpage, currentpage, nextpage: currentpage + 1, maxpage: 32 })
    })
    const rows = await connect(server).splash.list().toArray()
    // Page 11 repeats what stood 1,000 rows before and is left out; page 32 repeats what stood 3,000 rows before.
    expect(rows).toHaveLength(31 * perpage)
  })
})

describe('pages in flight', () => {
  /** A server that holds every answer back until it is let go. */
  async function holding(total: number, perpage: number) {
    const held = new Map<number, () => void>()
    let most = 0
    const server = await serve(async (request) => {
      await new Promise<void>((resolve) => {
        held.set(numberOf(request.url), resolve)
        most = Math.max(most, held.size)
      })
      return splashPages(total, perpage)(request, () => {})
    })
    const release = async (number: number) => {
      await until(() => held.has(number))
      const answer = held.get(number)!
      held.delete(number)
      answer()
    }
    return { server, held, release, most: () => most }
  }

  it('are one, unless told otherwise, and no page is read ahead', async () => {
    const server = await serve(splashPages(9, 3))
    const rows = connect(server).splash.list()[Symbol.asyncIterator]()
    await rows.next()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(server.seen).toHaveLength(1)
    await rows.return()
  })

  it('are as many as `concurrency` says, never more, and their rows come in order whichever is answered first', async () => {
    const { release, most, held, server } = await holding(14, 2)
    const walk = collect(connect(server).splash.list({}, { concurrency: 3 }))
    await release(1)
    await until(() => held.size === 3)
    expect([...held.keys()].sort()).toEqual([2, 3, 4])
    await release(4)
    await release(3)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect([...held.keys()]).toEqual([2])
    await release(2)
    for (const number of [7, 6, 5]) await release(number)
    expect(ids(await walk)).toEqual(range(1, 14))
    expect(most()).toBe(3)
    expect(pagesSeen(server).sort()).toEqual(range(1, 7))
  })

  it.each([0, -1, 1.5, Number.NaN, '2', null])(
    'the concurrency %j is refused, and nothing is sent',
    async (concurrency) => {
      const server = await serve(splashPages(1, 1))
      const error = await failure(connect(server).splash.list({}, { concurrency: concurrency as never }))
      expect(error).toBeInstanceOf(InvalidRequestError)
      expect(error).toMatchObject({ method: 'GET', path: '/splash' })
      expect(server.seen).toEqual([])
    },
  )

  it('end with the loop: nothing is asked for after a break', async () => {
    const left = vi.fn()
    const server = await serve(async (request) => {
      if (numberOf(request.url) > 1) return undefined
      return splashPages(20, 2)(request, () => {})
    })
    const fetch: typeof globalThis.fetch = (input, init) => {
      init?.signal?.addEventListener('abort', left)
      return globalThis.fetch(input, init)
    }
    for await (const { id } of connect(server, { fetch }).splash.list({}, { concurrency: 4 })) {
      if (id === 1) await until(() => server.seen.length === 5)
      if (id === 2) break
    }
    expect(left).toHaveBeenCalledTimes(4)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(server.seen).toHaveLength(5)
  })

  it.each([1, 3])('end at once with a signal, its reason being the error (concurrency %i)', async (concurrency) => {
    const controller = new AbortController()
    const server = await serve((request) =>
      numberOf(request.url) > 1 ? undefined : splashPages(20, 2)(request, () => {}),
    )
    const rows: number[] = []
    const walk = async () => {
      for await (const { id } of connect(server).splash.list({}, { concurrency, signal: controller.signal }))
        rows.push(id)
    }
    const end = thrown(walk())
    await until(() => server.seen.length === 1 + concurrency)
    controller.abort('enough')
    expect(await end).toBe('enough')
    expect(rows).toEqual([1, 2])
  })

  it('end at once with a signal that the loop itself aborts: not one row more', async () => {
    const controller = new AbortController()
    const rows: number[] = []
    const walk = async () => {
      const list = connect(await serve(splashPages(20, 5))).splash.list({}, { signal: controller.signal })
      for await (const { id } of list) {
        rows.push(id)
        if (id === 2) controller.abort('enough')
      }
    }
    expect(await thrown(walk())).toBe('enough')
    expect(rows).toEqual([1, 2])
  })

  it('leave no listener on a signal that lives long', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    await collect(connect(await serve(splashPages(20, 2))).splash.list({}, { signal, concurrency: 3 }))
    expect(removed.mock.calls.length).toBeGreaterThanOrEqual(added.mock.calls.length)
  })
})

describe('no rejection goes unhandled', () => {
  async function unhandledIn(work: () => Promise<unknown>): Promise<unknown[]> {
    const unhandled: unknown[] = []
    const listener = (reason: unknown) => unhandled.push(reason)
    const others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', listener)
    onTestFinished(() => {
      process.removeAllListeners('unhandledRejection')
      for (const other of others) process.on('unhandledRejection', other)
    })
    await work()
    await new Promise((resolve) => setTimeout(resolve, 50))
    return unhandled
  }
  const failing = (after: number) =>
    serve((request) => (numberOf(request.url) > after ? { status: 500 } : splashPages(20, 2)(request, () => {})))

  it.each<[when: string, work: () => Promise<unknown>]>([
    [
      'a loop is left while pages ahead fail',
      async () => {
        const server = await failing(1)
        for await (const { id } of connect(server).splash.list({}, { concurrency: 4 })) {
          if (id === 1) await until(() => server.seen.length === 5)
          break
        }
      },
    ],
    ['a walk fails', async () => failure(collect(connect(await failing(2)).splash.list({}, { concurrency: 4 })))],
    ['only the rows are asked for', async () => failure(collect(connect(await failing(0)).splash.list()))],
    [
      'only the pages are asked for',
      async () =>
        failure(
          collect(
            connect(await failing(0))
              .splash.list()
              .pages(),
          ),
        ),
    ],
    [
      'only toArray is called',
      async () =>
        failure(
          connect(await failing(0))
            .splash.list()
            .toArray(),
        ),
    ],
    [
      'toArray refuses its limit',
      async () =>
        failure(
          connect(await failing(0))
            .splash.list()
            .toArray({ limit: 0 }),
        ),
    ],
    [
      'only `safe` is asked',
      async () =>
        connect(await failing(0))
          .splash.list()
          .safe(),
    ],
    [
      'the concurrency is refused',
      async () => failure(collect(connect(await failing(0)).splash.list({}, { concurrency: 0 }))),
    ],
    [
      'a signal ends a walk',
      async () => {
        const controller = new AbortController()
        const walk = thrown(
          collect(connect(await serve(() => undefined)).splash.list({}, { concurrency: 3, signal: controller.signal })),
        )
        controller.abort()
        await walk
      },
    ],
  ])('when %s', async (_, work) => {
    expect(await unhandledIn(work)).toEqual([])
  })

  it('this test sees one where there is one', async () => {
    expect(await unhandledIn(async () => void Promise.reject(new Error('nobody asks')))).toHaveLength(1)
  })
})

describe('client.paginate', () => {
  interface Link {
    id: number
    shorturl: string
  }
  const Row = z.object({ id: z.coerce.number(), shorturl: z.string() })
  /** A Standard Schema made by hand, without a library. */
  const handMade = (answer: 'at once' | 'later'): StandardSchema<Link> => ({
    '~standard': {
      version: 1,
      vendor: 'test',
      validate(value) {
        const { id, shorturl } = value as Record<string, string>
        const result = shorturl
          ? { value: { id: Number(id), shorturl } }
          : { issues: [{ message: 'no link', path: [{ key: 'shorturl' }] }] }
        return answer === 'later' ? Promise.resolve(result) : result
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

  it.each<[form: string, body: (url: string) => object]>([
    ['nested in `data`', (url) => ({ error: 0, data: { ...numbers(url), urls: rows(url) } })],
    ['at the top level', (url) => ({ error: 0, ...numbers(url), urls: rows(url) })],
  ])('walks any list %s, its rows as they came or as a schema gives them', async (_, body) => {
    const server = await serve(({ url }) => ({ body: body(url) }))
    const client = connect(server)
    expect(await client.paginate('/urls', { listKey: 'urls' }).toArray()).toEqual([1, 2, 3].map(wireLink))
    for (const schema of [Row, handMade('at once'), handMade('later')]) {
      expect(await client.paginate<Link>('/urls', { listKey: 'urls', schema }).toArray()).toEqual([1, 2, 3].map(link))
    }
    expect(pagesSeen(server)).toEqual([1, 2, 1, 2, 1, 2, 1, 2])
  })

  it('sends its query, on every page', async () => {
    const server = await serve(({ url }) => ({ body: { error: 0, ...numbers(url), urls: rows(url) } }))
    await connect(server)
      .paginate('/urls', { listKey: 'urls', query: { order: 'date & name', limit: 2 } })
      .toArray()
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/urls?order=date%20%26%20name&limit=2',
      '/api/urls?order=date%20%26%20name&limit=2&page=2',
    ])
  })

  it.each([Row, handMade('at once'), handMade('later')])(
    'says which row a schema refuses, and where',
    async (schema) => {
      const server = await serve(page('urls', [wireLink(1), { id: 2 }]))
      const error = await failure(connect(server).paginate<Link>('/urls', { listKey: 'urls', schema }))
      expect(error).toBeInstanceOf(InvalidResponseError)
      expect((error as InvalidResponseError).issues.map(({ path }) => path)).toEqual([['data', 'urls', 1, 'shorturl']])
    },
  )

  it('gives the row as it came under `report`, and does not ask the schema under `off`', async () => {
    const server = await serve(page('urls', [wireLink(1), { id: 2 }]))
    const onDrift = vi.fn()
    const list = (validation: 'report' | 'off') =>
      connect(server, { validation, onDrift }).paginate<Link>('/urls', { listKey: 'urls', schema: Row }).toArray()
    expect(await list('report')).toEqual([link(1), { id: 2 }])
    expect(onDrift).toHaveBeenCalledOnce()
    expect(await list('off')).toEqual([wireLink(1), { id: 2 }])
    expect(onDrift).toHaveBeenCalledOnce()
  })

  it('says that the key is wrong, where no list stands under it', async () => {
    const error = await failure(
      connect(await serve(page('urls', [wireLink(1)]))).paginate('/urls', { listKey: 'links' }),
    )
    expect((error as InvalidResponseError).issues).toEqual([
      { path: ['data', 'links'], message: 'is missing, expected a list' },
    ])
  })
})

it('a page has the type that it says', async () => {
  const list: Page<Splash> = await connect(await serve(page('splash', [splash(1)]))).splash.list()
  expect(list.items[0]!.name).toBe('Splash 1')
})
