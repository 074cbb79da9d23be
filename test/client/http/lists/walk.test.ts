import { InvalidResponseError, type Link, type ListPromise, ShortLinkClient, type Splash } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { collect, ids, pagesSeen, range, unhandledIn } from '../../../helpers/lists.ts'
import { failure, thrown, until } from '../../../helpers/outcome.ts'
import { numberOf, page, splash, splashPages } from '../../../helpers/responses.ts'
import { type Canned, serve } from '../../../helpers/server.ts'

/** Starts a server with these pages. `numbers` replaces numbers of each page. */
function pagesOf(key: string, pages: readonly (readonly unknown[])[], numbers: Record<string, unknown> = {}) {
  const result = pages.flat().length
  return serve(({ url }): Canned => {
    const currentpage = numberOf(url)
    const rows = pages[currentpage - 1] ?? []
    return page(key, rows, { result, currentpage, nextpage: currentpage + 1, maxpage: pages.length, ...numbers })
  })
}

const splashes = (from: number, to: number) => range(from, to).map(splash)

describe('a walk that ends with fewer rows than the server announced', () => {
  /** Servers that announce 250 rows and send 100. */
  const servers: [what: string, pages: unknown[][], numbers: Record<string, unknown>][] = [
    ['has no next page', [splashes(1, 100)], { result: 250, nextpage: null }],
    ['has an empty page in the middle', [splashes(1, 100), [], splashes(201, 250)], { result: 250 }],
    ['leaves rows out of its last page', [splashes(1, 60), splashes(61, 100)], { result: 250, perpage: 60 }],
    ['has its first page again on every page', [splashes(1, 100), splashes(1, 100)], { result: 250 }],
    ['has smaller pages later, then an empty one', [splashes(1, 80), splashes(61, 100), []], { result: 250 }],
  ]

  it.each(servers)('yields the rows, then fails if the list %s', async (_, pages, numbers) => {
    const server = await pagesOf('splash', pages, numbers)
    const rows: number[] = []
    const walk = async () => {
      for await (const { id } of connect(server).splash.list()) rows.push(id)
    }
    const error = await failure(walk())
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error.message).toBe('GET /splash: received 100 of 250 rows')
    expect(error).toMatchObject({
      ...{ method: 'GET', path: '/splash', url: `${server.origin}/api/splash`, status: 200 },
      ...{ outcome: 'unknown', attempts: 1, retryable: false },
      issues: [{ path: ['result'], message: 'received 100 of 250 rows' }],
    })
    expect(rows).toEqual(range(1, 100))
  })

  it('fails in every use of the list, also if the caller gave page 1', async () => {
    const server = await pagesOf('splash', [splashes(1, 100)], { result: 250 })
    const { splash: shop } = connect(server)
    const first = { page: 1 }
    for (const end of [collect(shop.list().pages()), shop.list().toArray(), shop.list(first).toArray({ limit: 101 })]) {
      expect((await failure(end)).message).toContain('received 100 of 250 rows')
    }
  })

  it('calls onDrift with `validation: report`, and yields the rows', async () => {
    const onDrift = vi.fn()
    const server = await pagesOf('splash', [splashes(1, 100)], { result: 250 })
    const client = connect(server, { validation: 'report', onDrift })
    expect(await client.splash.list().toArray()).toHaveLength(100)
    const issues = [{ path: ['result'], message: 'received 100 of 250 rows', code: 'invalid' }]
    expect(onDrift.mock.calls).toEqual([[{ method: 'GET', path: '/splash', issues }]])
  })

  it.each<[what: string, consume: (list: (page?: number) => ListPromise<Splash>) => Promise<unknown>]>([
    ['it was awaited', async (list) => list()],
    ['toArray stopped at its limit', (list) => list().toArray({ limit: 100 })],
    ['the loop was left', async (list) => (await list()[Symbol.asyncIterator]().next()).done],
    ['it began at a later page', (list) => list(2).toArray()],
  ])('does not fail if %s', async (_, consume) => {
    const server = await pagesOf('splash', [splashes(1, 50), splashes(51, 100)], { result: 250 })
    await consume((page) => connect(server).splash.list(page === undefined ? {} : { page }))
  })
})

describe('a walk', () => {
  it('yields each link once if links are created meanwhile, by row and by page', async () => {
    const walkPages = async (list: ListPromise<Link>) => (await collect(list.pages())).flatMap(({ items }) => items)
    for (const walk of [
      (list: ListPromise<Link>) => collect(list),
      (list: ListPromise<Link>) => list.toArray(),
      walkPages,
    ]) {
      const sandbox = createSandbox({ data: { links: [] } })
      const client = new ShortLinkClient({ ...sandbox.clientOptions, rateLimit: false })
      for (const id of range(1, 7)) await client.links.create({ url: `https://shop.example/${id}` })
      let created = 7
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const response = await sandbox.clientOptions.fetch(input, init)
        await client.links.create({ url: `https://shop.example/${++created}` })
        return response
      }
      const busy = new ShortLinkClient({ ...sandbox.clientOptions, fetch, rateLimit: false })
      const rows = await walk(busy.links.list({ order: 'date', limit: 3 }))
      const urls = rows.map(({ longurl }) => Number(longurl!.split('/').at(-1)))
      expect(urls.reverse()).toEqual(range(1, 7))
    }
  })

  it('fails when the server responds with a different page from the one requested', async () => {
    const server = await serve(page('splash', [splash(1)], { nextpage: 2, maxpage: 9 }))
    const rows: number[] = []
    const walk = async () => {
      for await (const { id } of connect(server).splash.list()) rows.push(id)
    }
    const error = await failure(walk())
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error).toMatchObject({ method: 'GET', path: '/splash', status: 200, outcome: 'unknown', attempts: 1 })
    expect(error.message).toContain('requested page 2, received page 1')
    expect(rows).toEqual([1])
    expect(server.seen).toHaveLength(2)
  })

  it.each([1, 16, 100, 101, 1000])(
    'of %i rows succeeds if the server’s `maxpage` is for its default page size, so that the last pages are empty',
    async (total) => {
      const fetch = async (url: string) => {
        const number = numberOf(url)
        const rows = range((number - 1) * 100 + 1, Math.min(number * 100, total)).map((id) => ({ id }))
        const maxpage = Math.ceil(total / 15)
        const nextpage = number < maxpage ? number + 1 : null
        const numbers = { result: total, perpage: 15, currentpage: number, nextpage, maxpage }
        return Response.json(page('urls', rows, numbers).body)
      }
      const client = connect({ origin: 'http://127.0.0.1' }, { fetch: fetch as typeof globalThis.fetch })
      const list = client.paginate<{ id: number }>('/urls', { listKey: 'urls' })
      expect(ids(await list.toArray())).toEqual(range(1, total))
    },
  )

  it('yields the rows before a page that fails, then throws the error of that page', async () => {
    const server = await serve((request) =>
      numberOf(request.url) === 3 ? { status: 500 } : splashPages(9, 2)(request, () => {}),
    )
    const rows: number[] = []
    const walk = async () => {
      for await (const { id } of connect(server).splash.list()) rows.push(id)
    }
    expect(await failure(walk())).toMatchObject({ code: 'server' })
    expect(rows).toEqual(range(1, 4))
  })
})

describe('a walk on a server that leaves out the number of', () => {
  const withoutMaxpage = { maxpage: undefined }

  it('pages continues while `nextpage` is above `currentpage`', async () => {
    const server = await serve(({ url }) => {
      const currentpage = numberOf(url)
      const rows = splashes(2 * currentpage - 1, Math.min(2 * currentpage, 5))
      const nextpage = Math.min(currentpage + 1, 3)
      return page('splash', rows, { ...withoutMaxpage, result: 5, perpage: 2, currentpage, nextpage })
    })
    expect(ids(await connect(server).splash.list().toArray())).toEqual(range(1, 5))
    expect(pagesSeen(server)).toEqual([1, 2, 3])
  })

  it('pages fails if it ends with fewer rows than the server announced', async () => {
    const server = await pagesOf('splash', [splashes(1, 2)], { ...withoutMaxpage, result: 4, nextpage: null })
    expect((await failure(connect(server).splash.list().toArray())).message).toBe('GET /splash: received 2 of 4 rows')
  })

  it('rows ends with its last page, because missing rows cannot be recognized', async () => {
    for (const pages of [[splashes(1, 2), splashes(3, 3)], [splashes(1, 2), []], [[]]]) {
      const server = await pagesOf('splash', pages, { result: undefined })
      expect(await connect(server).splash.list().toArray()).toEqual(pages.flat())
    }
  })

  it('rows on some pages fails if it yields fewer rows than another page announced', async () => {
    const server = await serve(({ url }) => {
      const currentpage = numberOf(url)
      return page('splash', [splash(currentpage)], {
        ...{ result: currentpage === 1 ? 3 : null, perpage: 1, currentpage, maxpage: 2 },
      })
    })
    expect((await failure(connect(server).splash.list().toArray())).message).toBe('GET /splash: received 2 of 3 rows')
  })
})

describe('a row that is repeated on a later page', () => {
  const item = (type: string, id: number) => ({
    ...{ type, id, title: '', preview: '', link: 'https://sho.rt/a' },
    date: '2026-05-12',
  })
  const paginated = async (...pages: unknown[][]) =>
    connect(await pagesOf('items', pages))
      .paginate('/items', { listKey: 'items' })
      .toArray()

  it('is left out of the rows and of the pages, unless it has another type', async () => {
    const pagesOfServer = [
      [item('links', 1), item('bio', 1)],
      [item('qr', 1), item('bio', 1)],
    ]
    const server = await pagesOf('items', pagesOfServer, { result: 3 })
    const { channels } = connect(server)
    const pages = await collect(channels.items(1).pages())
    expect(pages.map(({ items }) => items.map(({ type }) => type))).toEqual([['links', 'bio'], ['qr']])
    expect(await channels.items(1).toArray()).toEqual(pages.flatMap(({ items }) => items))
  })

  it('does not count twice, so a walk fails if the last row moves to the front meanwhile', async () => {
    const server = await pagesOf('splash', [splashes(1, 5), splashes(5, 9)], { result: 10 })
    const error = await failure(connect(server).splash.list().toArray())
    expect(error.message).toBe('GET /splash: received 9 of 10 rows')
  })

  it('is yielded again if it has no id', async () => {
    const withoutId = [
      'no row',
      'no row',
      {},
      {},
      { id: null },
      { id: null },
      { id: '' },
      { id: '' },
      { id: {} },
      { id: {} },
    ]
    expect(await paginated([{ id: 1 }, { id: 1 }, { id: '2' }, ...withoutId])).toEqual([
      { id: 1 },
      { id: '2' },
      ...withoutId,
    ])
  })

  it('is left out if it was among the last 1,000 rows; older rows are forgotten', async () => {
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
    // Page 11 repeats rows from 1,000 rows before and is left out; page 32 repeats rows from 3,000 rows before.
    expect(rows).toHaveLength(31 * perpage)
  })
})

it('a row that is repeated on the next page is left out however large the pages are', async () => {
  const server = await pagesOf('splash', [splashes(1, 1500), [...splashes(1, 5), ...splashes(1501, 1503)]], {
    perpage: 1500,
    result: 1503,
  })
  expect(ids(await connect(server).splash.list({ limit: 1500 }).toArray())).toEqual(range(1, 1503))
})

describe('a walk that is left or aborted', () => {
  it('requests no page ahead', async () => {
    const server = await serve(splashPages(9, 3))
    const rows = connect(server).splash.list()[Symbol.asyncIterator]()
    await rows.next()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(server.seen).toHaveLength(1)
    await rows.return()
  })

  it('ends with an AbortError as soon as its signal aborts', async () => {
    const controller = new AbortController()
    const server = await serve((request) =>
      numberOf(request.url) > 1 ? undefined : splashPages(20, 2)(request, () => {}),
    )
    const rows: number[] = []
    const walk = async () => {
      for await (const { id } of connect(server).splash.list({}, { signal: controller.signal })) rows.push(id)
    }
    const end = thrown(walk())
    await until(() => server.seen.length === 2)
    controller.abort('enough')
    expect(await end).toMatchObject({ code: 'aborted', cause: 'enough' })
    expect(rows).toEqual([1, 2])
  })

  it('requests nothing if the signal was already aborted', async () => {
    const server = await serve(splashPages(20, 5))
    const list = connect(server).splash.list({}, { signal: AbortSignal.abort('before') })
    const aborted = { code: 'aborted', cause: 'before', outcome: 'not-sent' }
    expect(await thrown(list.toArray())).toMatchObject(aborted)
    expect(await thrown(list.pages().next())).toMatchObject(aborted)
    expect(server.seen).toEqual([])
  })

  it.each<[what: string, loop: (list: ListPromise<Splash>, abort: () => void) => Promise<unknown>]>([
    [
      'row',
      async (list, abort) => {
        for await (const { id } of list) if (id >= 2) abort()
      },
    ],
    [
      'page',
      async (list, abort) => {
        for await (const _ of list.pages()) abort()
      },
    ],
  ])('yields no further %s and requests no page after the loop body aborted the signal', async (_, loop) => {
    const controller = new AbortController()
    const server = await serve(splashPages(20, 5))
    const abort = vi.fn(() => controller.abort('enough'))
    const end = loop(connect(server).splash.list({}, { signal: controller.signal }), abort)
    expect(await thrown(end)).toMatchObject({ code: 'aborted', cause: 'enough', outcome: 'not-sent' })
    expect(abort).toHaveBeenCalledOnce()
    expect(server.seen).toHaveLength(1)
  })

  it('leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    await collect(connect(await serve(splashPages(20, 2))).splash.list({}, { signal }))
    expect(removed.mock.calls.length).toBeGreaterThanOrEqual(added.mock.calls.length)
  })
})

describe('a `deadline`', () => {
  /** Creates a list of 6 rows on a server that takes 400 ms for each response and refuses a limit. */
  function slowList(deadline: number) {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const sizes: (string | null)[] = []
    const fetch = async (url: string) => {
      sizes.push(new URL(url).searchParams.get('limit'))
      await new Promise((resolve) => setTimeout(resolve, 400))
      if (sizes.at(-1)) return Response.json({ error: 1, message: 'limit' })
      const { body } = splashPages(6, 2)({ url } as never, () => {}) as Canned
      return Response.json(body)
    }
    const { splash } = connect({ origin: 'http://127.0.0.1' }, { fetch: fetch as typeof globalThis.fetch })
    return { sizes, list: splash.list({}, { deadline }) }
  }

  it('covers all pages of toArray', async () => {
    const { list, sizes } = slowList(1000)
    const [error] = await Promise.all([failure(list.toArray()), vi.advanceTimersByTimeAsync(1000)])
    expect(error).toMatchObject({ code: 'timeout', path: '/splash' })
    expect(sizes).toEqual(['100', null, null])
  })

  it('covers each page of a loop separately', async () => {
    const { list } = slowList(1000)
    const [pages] = await Promise.all([collect(list.pages()), vi.advanceTimersByTimeAsync(1600)])
    expect(pages).toHaveLength(3)
  })

  it.each<[how: string, walk: (list: ListPromise<Splash>) => Promise<unknown>]>([
    ['for await', collect],
    ['toArray()', (list) => list.toArray()],
  ])('covers the request after a refused limit too: %s', async (_, walk) => {
    const { list, sizes } = slowList(700)
    const [error] = await Promise.all([failure(walk(list)), vi.advanceTimersByTimeAsync(700)])
    expect(error).toMatchObject({ code: 'timeout' })
    expect(sizes).toEqual(['100', null])
  })
})

describe('a walk leaves no rejection unhandled', () => {
  type Consume = (splash: ShortLinkClient['splash']) => Promise<unknown>

  it.each<[when: string, pages: number, consume: Consume]>([
    ['a walk fails', 2, (splash) => failure(collect(splash.list()))],
    ['only safe() is called', 0, (splash) => splash.list().safe()],
    ['an option is rejected', 0, (splash) => failure(collect(splash.list({}, { retry: -1 })))],
    [
      'a signal ends a walk',
      20,
      async (splash) => {
        const controller = new AbortController()
        const end = thrown(collect(splash.list({}, { signal: controller.signal })))
        controller.abort()
        await end
      },
    ],
  ])('when %s', async (_, pages, consume) => {
    const server = await serve((request) =>
      numberOf(request.url) > pages ? { status: 500 } : splashPages(20, 2)(request, () => {}),
    )
    expect(await unhandledIn(() => consume(connect(server).splash))).toEqual([])
  })
})
