import { inspect } from 'node:util'
import { InvalidRequestError, type ListPromise, ShortLinkClient, type Splash } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { describe, expect, it } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { addresses, collect, ids, pagesSeen, range } from '../../../helpers/lists.ts'
import { failure } from '../../../helpers/outcome.ts'
import { numberOf, page, splash, splashPages } from '../../../helpers/responses.ts'
import { type Canned, serve } from '../../../helpers/server.ts'

describe('a list', () => {
  it('resolves to one page when it is awaited', async () => {
    const server = await serve(splashPages(7, 3))
    const list = await connect(server).splash.list({ page: 2, limit: 3 })
    expect(list).toEqual({
      items: [splash(4), splash(5), splash(6)],
      result: 7,
      perpage: 3,
      currentpage: 2,
      nextpage: 3,
      maxpage: 3,
    })
    expect(addresses(server)).toEqual(['/api/splash?page=2&limit=3'])
  })

  it('corrects the server’s `nextpage`: the number of the next page, or null on the last one', async () => {
    const numbers = { result: 2, perpage: 1, maxpage: 2 }
    const server = await serve(
      page('splash', [splash(1)], { ...numbers, currentpage: 1, nextpage: null }),
      page('splash', [splash(2)], { ...numbers, currentpage: 2, nextpage: 2 }),
    )
    const { splash: client } = connect(server)
    expect(await client.list()).toMatchObject({ nextpage: 2 })
    expect(await client.list({ page: 2 })).toMatchObject({ nextpage: null })
  })

  it('yields every row of every page in order when it is iterated', async () => {
    const server = await serve(splashPages(7, 3))
    expect(ids(await collect(connect(server).splash.list({ limit: 3 })))).toEqual(range(1, 7))
    expect(addresses(server)).toEqual([
      '/api/splash?limit=3',
      '/api/splash?limit=3&page=2',
      '/api/splash?limit=3&page=3',
    ])
  })

  it('yields its pages from pages()', async () => {
    const pages = await collect(
      connect(await serve(splashPages(7, 3)))
        .splash.list()
        .pages(),
    )
    expect(pages.map(({ items }) => ids(items))).toEqual([[1, 2, 3], [4, 5, 6], [7]])
  })

  it('has no rows and takes one request when it is empty', async () => {
    const server = await serve(page('splash', [], { result: 0, maxpage: 0 }))
    expect(await collect(connect(server).splash.list())).toEqual([])
    expect(await connect(server).splash.list().toArray()).toEqual([])
    expect(server.seen).toHaveLength(2)
  })

  it('sends its other parameters with every page', async () => {
    const server = await serve(({ url }) => {
      const currentpage = numberOf(url)
      const row = { id: currentpage, name: 'a', downloads: 0, shorturl: 'https://sho.rt/a', date: '' }
      return { body: { error: 0, result: 2, perpage: 1, currentpage, nextpage: 2, maxpage: 2, list: [row] } }
    })
    expect(ids(await connect(server).files.list({ name: 'a&b' }).toArray())).toEqual([1, 2])
    expect(addresses(server)).toEqual(['/api/files?name=a%26b&limit=100', '/api/files?name=a%26b&page=2&limit=100'])
  })

  it('sends nothing until it is used, even if it is inspected', async () => {
    const server = await serve(splashPages(3, 3))
    const list = connect(server).splash.list()
    inspect(list)
    await new Promise((resolve) => setImmediate(resolve))
    expect(server.seen).toEqual([])
  })

  it('sends one request even if it is awaited several times in different ways', async () => {
    const server = await serve(splashPages(3, 3))
    const list = connect(server).splash.list()
    await list
    await list.withResponse()
    await list.safe()
    await list.then(() => {})
    expect(server.seen).toHaveLength(1)
  })

  it.each<[when: string, walk: (list: ListPromise<Splash>) => Promise<unknown>]>([
    ['at once', (list) => collect(list)],
    ['after an await', (list) => new Promise(setImmediate).then(() => collect(list))],
    ['inside a helper', async (list) => (async (rows: AsyncIterable<Splash>) => collect(rows))(list)],
    ['after the list was awaited', (list) => list.withResponse().then(() => collect(list))],
  ])('is walked in two requests for 120 rows when the loop begins %s', async (when, walk) => {
    const sandbox = createSandbox({ data: { splash: range(1, 120).map(splash) } })
    await walk(new ShortLinkClient({ ...sandbox.clientOptions, rateLimit: false }).splash.list())
    const page = when === 'after the list was awaited' ? [{}] : []
    expect(sandbox.requests.map(({ query }) => query)).toEqual([...page, { limit: '100' }, { page: '2', limit: '100' }])
  })

  it('stops at the limit of toArray and requests no further page', async () => {
    const server = await serve(splashPages(9, 3))
    expect(ids(await connect(server).splash.list().toArray({ limit: 3 }))).toEqual([1, 2, 3])
    expect(ids(await connect(server).splash.list().toArray({ limit: 4 }))).toEqual([1, 2, 3, 4])
    expect(pagesSeen(server)).toEqual([1, 1, 2])
  })

  it.each([0, -1, Number.NaN, null, 'many', 1.5])('rejects toArray({ limit: %j })', async (limit) => {
    const server = await serve(splashPages(7, 3))
    const { splash } = connect(server)
    for (const query of [{}, { limit: 3 }]) {
      const list = splash.list(query)
      const error = await failure(list.toArray({ limit: limit as never }))
      expect(error).toBeInstanceOf(InvalidRequestError)
      expect(error.message).toContain('limit')
    }
    expect(server.seen).toEqual([])
  })
})

describe('a misspelled parameter of a list', () => {
  const lists: [
    name: string,
    list: (client: ShortLinkClient, query: Record<string, number>) => ListPromise<unknown>,
  ][] = [
    ['domains.list', ({ domains }, query) => domains.list(query)],
    ['overlays.list', ({ overlays }, query) => overlays.list(query)],
    ['campaigns.list', ({ campaigns }, query) => campaigns.list(query)],
    ['channels.list', ({ channels }, query) => channels.list(query)],
    ['channels.items', ({ channels }, query) => channels.items(1, query)],
    ['splash.list', ({ splash }, query) => splash.list(query)],
    ['files.list', ({ files }, query) => files.list(query)],
    ['pixels.list', ({ pixels }, query) => pixels.list(query)],
    ['qr.list', ({ qr }, query) => qr.list(query)],
    ['links.list', ({ links }, query) => links.list(query)],
    ['client.paginate', (client, query) => client.paginate('/splash', { listKey: 'splash', query })],
  ]
  const ways: [how: string, consume: (list: ListPromise<unknown>) => Promise<unknown>][] = [
    ['an await', async (list) => list],
    ['for await', collect],
    ['pages()', (list) => collect(list.pages())],
    ['toArray()', (list) => list.toArray()],
    ['toArray() with a limit', (list) => list.toArray({ limit: 5 })],
  ]

  it.each(lists)('is refused before anything is sent, in every use of the list: %s', async (_, list) => {
    const server = await serve(splashPages(7, 3))
    for (const [slip, meant] of [
      ['limt', 'limit'],
      ['pgae', 'page'],
    ] as const) {
      for (const [how, consume] of ways) {
        const error = await failure(consume(list(connect(server), { [slip]: 2 })))
        expect(error, how).toBeInstanceOf(InvalidRequestError)
        const message = `unknown parameter, did you mean ${meant}?`
        expect(error, how).toMatchObject({ issues: [{ path: [slip], message }] })
      }
    }
    expect(server.seen).toEqual([])
  })

  it('is sent if the caller also gave the parameter with the similar name', async () => {
    const server = await serve(splashPages(7, 3))
    await connect(server)
      .splash.list({ limit: 3, page: 3, limt: 1, pgae: 2 } as object)
      .toArray()
    expect(addresses(server)).toEqual(['/api/splash?limit=3&page=3&limt=1&pgae=2'])
  })
})

describe('the page size of a list', () => {
  const limitOf = (url: string) => new URL(url, 'http://sho.rt').searchParams.get('limit')
  const limitsAsked = async (consume: Consume) => {
    const server = await serve(splashPages(7, 3))
    await consume(connect(server))
    return server.seen.map(({ url }) => limitOf(url))
  }
  type Consume = (client: ReturnType<typeof connect>) => PromiseLike<unknown>

  it.each<[how: string, consume: Consume, requests: number]>([
    ['for await', ({ splash }) => collect(splash.list()), 3],
    ['pages()', ({ splash }) => collect(splash.list().pages()), 3],
    ['toArray()', ({ splash }) => splash.list().toArray(), 3],
    ['a walk from a page', ({ splash }) => splash.list({ page: 2 }).toArray({ limit: 5 }), 2],
    ['client.paginate', (client) => client.paginate('/splash', { listKey: 'splash' }).toArray(), 3],
  ])('is 100 rows in %s', async (_, consume, requests) => {
    expect(await limitsAsked(consume)).toEqual(Array(requests).fill('100'))
  })

  it.each<[how: string, consume: Consume, sent: string]>([
    ['an await', ({ splash }) => splash.list(), '/api/splash'],
    ['an await of a later page', ({ splash }) => splash.list({ page: 2 }), '/api/splash?page=2'],
    ['withResponse()', ({ splash }) => splash.list().withResponse(), '/api/splash'],
    ['safe()', ({ splash }) => splash.list().safe(), '/api/splash'],
    ['an await with other parameters', ({ links }) => links.list({ order: 'date' }).safe(), '/api/urls?order=date'],
    ['an await of client.paginate', (client) => client.paginate('/splash', { listKey: 'splash' }), '/api/splash'],
  ])("is the server's own in %s, which sends only the caller's parameters", async (_, consume, sent) => {
    const server = await serve(splashPages(7, 3))
    await consume(connect(server))
    expect(addresses(server)).toEqual([sent])
  })

  it('is the limit of toArray if that is below 100', async () => {
    expect(await limitsAsked(({ splash }) => splash.list().toArray({ limit: 5 }))).toEqual(['5', '5'])
  })

  it('is the `limit` of the caller, for a single page and for a walk', async () => {
    expect(await limitsAsked(({ splash }) => splash.list({ limit: 3 }))).toEqual(['3'])
    expect(await limitsAsked(({ splash }) => splash.list({ limit: 3 }).toArray())).toEqual(['3', '3', '3'])
    expect(await limitsAsked(({ splash }) => splash.list({ limit: 3, page: 2 }).toArray())).toEqual(['3', '3'])
  })

  describe('that the server refuses', () => {
    /** The refusals of different servers. */
    const refusals: Canned[] = [
      { status: 400, body: { error: 1, message: 'limit' } },
      { status: 422, body: { error: true, message: { limit: ['unknown'] } } },
      { body: { error: '1', message: 'limit' } },
      { body: { error: 'Unknown parameter' } },
    ]
    const refusing = (refusal = refusals[0]!) =>
      serve((request, destroy) => (limitOf(request.url) ? refusal : splashPages(7, 3)(request, destroy)))

    it.each(refusals)('is left out of later requests: $body', async (refusal) => {
      const server = await refusing(refusal)
      const { splash } = connect(server)
      expect(ids(await splash.list({ page: 2 }).toArray())).toEqual([4, 5, 6, 7])
      expect(ids(await splash.list().toArray())).toEqual(range(1, 7))
      expect(ids((await collect(splash.list().pages())).flatMap(({ items }) => items))).toEqual(range(1, 7))
      const walked = ['100', null, null, null]
      expect(server.seen.map(({ url }) => limitOf(url))).toEqual(['100', null, null, ...walked, ...walked])
    })

    it.each(refusals)('ends the loop if the first page was not refused: $body', async (refusal) => {
      const server = await serve((request, destroy) =>
        numberOf(request.url) === 2 ? refusal : splashPages(6, 3)(request, destroy),
      )
      const rows: number[] = []
      const walk = async () => {
        for await (const { id } of connect(server).splash.list()) rows.push(id)
      }
      expect(await failure(walk())).toMatchObject({ code: 'api' })
      expect(rows).toEqual([1, 2, 3])
      expect(server.seen.map(({ url }) => limitOf(url))).toEqual(['100', '100'])
    })

    it.each(refusals)('does not cause a second request in an await: $body', async (refusal) => {
      const server = await serve(refusal)
      const { splash } = connect(server)
      expect(await failure(splash.list())).toMatchObject({ code: 'api' })
      expect(await failure(splash.list({ page: 2 }))).toMatchObject({ code: 'api' })
      expect(addresses(server)).toEqual(['/api/splash', '/api/splash?page=2'])
    })

    it('is an error if the caller gave the `limit`', async () => {
      const server = await refusing()
      const { splash } = connect(server)
      expect(await failure(splash.list({ limit: 5 }).toArray())).toMatchObject({ status: 400 })
      expect(await failure(splash.list({ limit: 5 }))).toMatchObject({ status: 400 })
      expect(server.seen).toHaveLength(2)
    })

    it('is not the cause if the server also refuses the request without it: that error is thrown, and nothing is remembered', async () => {
      const server = await serve({ body: { error: 1, message: 'no' } }, { body: { error: 1, message: 'no list' } })
      const client = connect(server)
      expect((await failure(client.splash.list().toArray())).message).toContain('no list')
      await failure(collect(client.splash.list()))
      expect(server.seen.map(({ url }) => limitOf(url))).toEqual(['100', null, '100', null])
    })

    it.each([401, 403, 404, 409, 429, 500])(
      'is not the cause of a failure inside a 200 with the number %i',
      async (number) => {
        const server = await serve({ body: { error: number, message: 'no' } })
        await failure(connect(server).splash.list().toArray())
        expect(server.seen).toHaveLength(1)
      },
    )

    it.each([302, 401, 404, 409, 429, 500])('is not the cause of a response with the status %i', async (status) => {
      const server = await serve({ status, body: { error: 1 }, headers: { location: '/' } })
      await failure(connect(server).splash.list().toArray())
      expect(server.seen).toHaveLength(1)
    })
  })
})

describe('a list is a plain thenable', () => {
  it('is no Promise, and shows as a ListPromise', async () => {
    const list = connect(await serve(splashPages(1, 1))).splash.list()
    expect(list).not.toBeInstanceOf(Promise)
    expect(String(list)).toBe('[object ListPromise]')
  })
})
