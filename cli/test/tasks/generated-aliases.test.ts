import { type ImportResult, importLinks, type JournalEntry, type LinkRow } from 'shortlink-cli'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { countRequests, memoryJournal, setUp } from './set-up.ts'

type Fetch = typeof globalThis.fetch

const url = 'https://shop.example/opening'
const rows = ['tea', 'cake', 'lamps'].map((name) => ({ url: `https://shop.example/${name}` }))
const generated = /^[bcdfghjkmnpqrstvwxyz][bcdfghjkmnpqrstvwxyz2-9]{6}$/
const refusal = (message = 'This alias is not allowed.') => Response.json({ error: 1, message })

const sentAlias = (init: RequestInit | undefined) => JSON.parse(String(init?.body ?? '{}')).custom as string | undefined

const byIndex = (results: ImportResult<LinkRow>[]) => results.sort((one, other) => one.index - other.index)

test('a generated alias has seven of 28 letters and digits without vowels, and a letter first', async () => {
  const { client } = setUp()
  const results = await collect(importLinks(client, Array(300).fill({ url })))
  const aliases = results.map(({ alias }) => alias!)
  for (const alias of aliases) expect(alias).toMatch(generated)
  expect(new Set(aliases).size).toBe(300)
  expect([...new Set(aliases.join(''))].sort().join('')).toBe('23456789bcdfghjkmnpqrstvwxyz')
})

describe('a generated alias that is taken', () => {
  /** Answers lookups of these aliases as if another program had such a link. */
  function createTakingFetch(fetch: Fetch, isTaken: (alias: string, number: number) => boolean) {
    const taken = new Set<string>()
    const sent: string[] = []
    const own: Fetch = async (input, init) => {
      const alias = sentAlias(init)
      if (init?.method === 'POST' && alias !== undefined) {
        sent.push(alias)
        if (isTaken(alias, sent.length)) {
          taken.add(alias)
          return refusal('That alias is taken.')
        }
      }
      const short = new URL(String(input)).searchParams.get('short')
      if (short === null || !taken.has(short)) return fetch(input, init)
      const link = { id: 77, alias: short, shorturl: `https://sho.rt/${short}`, longurl: 'https://x.example' }
      return Response.json({ error: 0, data: { urls: [link], result: 1, perpage: 15, currentpage: 1, maxpage: 1 } })
    }
    return { own, sent }
  }

  test('is generated again, and the new alias is in the journal before its request and in the result', async () => {
    const { sandbox, client } = setUp()
    const journal = memoryJournal()
    const seen: { alias: string | undefined; last: JournalEntry | undefined }[] = []
    const taking = createTakingFetch(sandbox.fetch, (_, number) => number === 1)
    const fetch: Fetch = (input, init) => {
      if (init?.method === 'POST') seen.push({ alias: sentAlias(init), last: journal.entries.at(-1) })
      return taking.own(input, init)
    }
    const [result] = await collect(importLinks(client.withOptions({ fetch }), [{ url }], { journal }))
    const [first, second] = seen
    expect(first!.last).toMatchObject({ state: 'begun', data: { alias: first!.alias } })
    expect(second!.alias).not.toBe(first!.alias)
    expect(second!.last).toMatchObject({ state: 'begun', data: { alias: second!.alias } })
    expect(result).toMatchObject({ ok: true, created: true, alias: second!.alias })
    expect(sandbox.data.links.map(({ alias }) => alias)).toEqual([second!.alias])

    const sent = sandbox.requests.length
    const again = await collect(importLinks(client, [{ url }], { journal }))
    expect(again).toMatchObject([{ ok: true, replayed: true, alias: second!.alias, id: result!.id }])
    expect(sandbox.requests).toHaveLength(sent)
  })

  test('is found by the next run with the last alias if the response is lost', async () => {
    const { sandbox, client } = setUp()
    const journal = memoryJournal()
    const { own: fetch } = createTakingFetch(sandbox.fetch, (_, number) => number === 1)
    sandbox.fail({ method: 'POST', drop: 'after' })
    sandbox.fail({ method: 'GET', path: '/urls', status: 500, times: Infinity })
    const first = await collect(importLinks(client.withOptions({ fetch }), [{ url }], { journal }))
    expect(first).toMatchObject([{ outcome: 'unknown', alias: sandbox.data.links[0]!.alias }])
    sandbox.reset()
    sandbox.data.links.push({
      ...setUp({ data: { links: [{}] } }).sandbox.data.links[0]!,
      alias: first[0]!.alias!,
      longurl: url,
    })
    const again = await collect(importLinks(client, [{ url }], { journal }))
    expect(again).toMatchObject([{ ok: true, created: true, id: 1 }])
    expect(sandbox.data.links).toHaveLength(1)
  })

  test('three times fails the row, and no other alias is sent', async () => {
    const { sandbox, client } = setUp()
    const { own: fetch, sent } = createTakingFetch(sandbox.fetch, () => true)
    const [result] = await collect(importLinks(client.withOptions({ fetch }), [{ url }]))
    expect(result).toMatchObject({ ok: false, outcome: 'rejected', error: { code: 'link_conflict' } })
    expect(new Set(sent).size).toBe(3)
    expect(sandbox.data.links).toEqual([])
  })

  test.each([401, 403, 500])('is not generated again after a %i, which is not about the alias', async (status) => {
    const { sandbox, client } = setUp()
    sandbox.fail({ method: 'POST', status, body: { error: status, message: 'No.' } })
    sandbox.fail({ method: 'GET', status: 500, times: Infinity })
    const [result] = await collect(importLinks(client, [{ url }]))
    expect(result!.ok).toBe(false)
    expect(countRequests(sandbox)['POST /url/add']).toBe(1)
  })
})

describe('a link that has the generated alias', () => {
  afterEach(() => void vi.restoreAllMocks())

  test('and leads to another address is not changed, and another alias is generated', async () => {
    const draw = vi.spyOn(crypto, 'getRandomValues')
    draw.mockImplementationOnce((numbers) => numbers)
    const { sandbox, client } = setUp({ data: { links: [{ alias: 'bbbbbbb', url: 'https://x.example' }] } })
    const [result] = await collect(importLinks(client, [{ url }]))
    expect(result).toMatchObject({ ok: true, created: true, alias: expect.stringMatching(generated) })
    expect(sandbox.data.links.map(({ longurl }) => longurl)).toEqual(['https://x.example', url])
  })

  test('belongs to the row if the response to its creation was lost, whatever address the server shows', async () => {
    const { sandbox, client } = setUp()
    const cut: Fetch = async (input, init) => {
      const response = await sandbox.fetch(input, init)
      if (init?.method !== 'GET') return response
      return new Response((await response.text()).replaceAll('opening', 'ope'), response)
    }
    sandbox.fail({ method: 'POST', drop: 'after' })
    const journal = memoryJournal()
    const [result] = await collect(importLinks(client.withOptions({ fetch: cut }), [{ url }], { journal }))
    expect(result).toMatchObject({ ok: true, created: true, id: 1, differs: ['url'] })
    expect(sandbox.data.links).toHaveLength(1)
    expect(await collect(importLinks(client, [{ url }], { journal }))).toMatchObject([
      { ok: true, replayed: true, differs: ['url'] },
    ])
  })

  test('belongs to a row that an earlier run started, whatever address the server shows', async () => {
    const { sandbox, client } = setUp()
    const journal = memoryJournal()
    sandbox.fail({ method: 'POST', after: 1, drop: 'after' })
    sandbox.fail({ method: 'GET', status: 500 })
    const own = [rows[0]!, { url }]
    await collect(importLinks(client, own, { journal, concurrency: 1 }))
    sandbox.data.links[1]!.longurl = 'https://shop.example/OPENING'
    expect(await collect(importLinks(client, own, { journal }))).toMatchObject([
      { ok: true, replayed: true },
      { ok: true, created: true, id: 2, differs: ['url'] },
    ])
    expect(sandbox.data.links).toHaveLength(2)
  })
})

test.each<[string, LinkRow[]]>([
  [
    'with aliases',
    [
      { url, custom: 'one' },
      { url: 'https://shop.example/two', custom: 'two' },
    ],
  ],
  [
    'with one domain',
    [
      { url, custom: 'one' },
      { url: 'https://shop.example/two', custom: 'two', domain: 'sho.rt' },
    ],
  ],
])('a row that gets the link of another row fails, and the error names that row: %s', async (_what, two) => {
  const { sandbox, client } = setUp()
  sandbox.fail({ method: 'POST', after: 1, body: { error: 0, id: 1, shorturl: 'https://sho.rt/two' } })
  const results = await collect(importLinks(client, two, { concurrency: 1 }))
  expect(results).toMatchObject([
    { ok: true, id: 1 },
    { ok: false, outcome: 'rejected' },
  ])
  expect(String(results[1]!.error)).toContain(
    'the server returned the existing link https://sho.rt/two (id 1), of row 1, whose url is "https://shop.example/opening"',
  )
})

test('a row without an alias never gets a link to another address on a server that returns existing links', async () => {
  const { client } = setUp({ dialect: ['url-existing'] })
  const addresses = ['https://shop.example/Tea', 'https://shop.example/tea', 'https://shop.example/Tea']
  const results = byIndex(
    await collect(
      importLinks(
        client,
        addresses.map((url) => ({ url })),
        { aliases: false },
      ),
    ),
  )
  expect(results.map(({ ok, created }) => [ok, created])).toEqual([
    [true, true],
    [false, undefined],
    [true, false],
  ])
  expect(String(results[1]!.error)).toMatch(/the server returned the existing link \S+ \(id 1\), of row 1, /)
})

test('rows with the same address may get the same link on a server that returns existing links', async () => {
  const { sandbox, client } = setUp({ dialect: ['alias-ignored'] })
  const body = { error: 0, id: 1, shorturl: 'https://sho.rt/same' }
  sandbox.fail({ method: 'POST', body, times: 2 })
  const results = byIndex(await collect(importLinks(client, [{ url }, { url }], { concurrency: 1, aliases: false })))
  expect(results.map(({ ok, id, created }) => [ok, id, created])).toEqual([
    [true, 1, true],
    [true, 1, false],
  ])
})

test('each conflict looks for the alias on the domains of the account', async () => {
  const links = Array.from({ length: 20 }, (_, index) => ({ alias: `p-${index}`, url: 'https://x.example' }))
  const { sandbox, client } = setUp({ data: { links } })
  const taken = links.map(({ alias }) => ({ url, custom: alias }))
  const results = await collect(importLinks(client, taken, { concurrency: 1 }))
  expect(results.every(({ error }) => error?.code === 'link_conflict')).toBe(true)
  expect(countRequests(sandbox)).toEqual({ 'POST /url/add': 20, 'GET /urls': 20, 'GET /domains': 20 })
})

test('a row is recorded before its request even if the client has a hook that signs requests', async () => {
  const { sandbox, client } = setUp()
  const journal = memoryJournal()
  const recorded: unknown[] = []
  const fetch: Fetch = (input, init) => {
    if (init?.method === 'POST') {
      const signature = new Headers(init.headers).get('x-signature')
      recorded.push([signature, journal.entries.at(-1)?.state])
    }
    return sandbox.fetch(input, init)
  }
  const beforeRequest = (request: Request) =>
    new Request(request, { headers: { ...Object.fromEntries(request.headers), 'x-signature': 'signed' } })
  const own = client.withOptions({ fetch, beforeRequest })
  await importLinks(own, [{ url, custom: 'opening' }, { url }], { journal, concurrency: 1 }).summary()
  expect(recorded).toEqual(Array(2).fill(['signed', 'begun']))
})
