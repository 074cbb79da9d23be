import { type ImportResult, importLinks, type JournalEntry, type LinkRow } from 'shortlink-cli'
import { describe, expect, test } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { countRequests, memoryJournal, setUp } from './set-up.ts'

const shop = (name: string | number) => `https://shop.example/${name}`
const tea = { url: shop('tea') }
const cake = { url: shop('cake'), custom: 'cake' }
const lamps = { url: shop('lamps'), title: 'Lamps' }

/** Returns the short address of each row, by its address and title. */
const addresses = (results: readonly ImportResult<LinkRow>[]) =>
  Object.fromEntries(results.map(({ row, shorturl }) => [`${row.url} ${row.title ?? ''}`, shorturl]))

/** Sets up an account, and a function that imports rows with the same journal. */
function setUpImport() {
  const { sandbox, client } = setUp()
  const journal = memoryJournal()
  const run = (rows: readonly LinkRow[], options = {}) =>
    collect(importLinks(client, rows, { journal, concurrency: 1, ...options }))
  return { sandbox, client, journal, run }
}

describe('an import that is repeated', () => {
  test('sends nothing, and returns the same link for every row', async () => {
    const { sandbox, client, journal, run } = setUpImport()
    const rows = [tea, cake, lamps, tea]
    const first = await run(rows)
    const requests = sandbox.requests.length
    const again = importLinks(client, rows, { journal })
    const results = await collect(again)
    expect(results.map(({ index, id, replayed, created }) => [index, id, replayed, created])).toEqual(
      first.map(({ index, id }) => [index, id, true, true]),
    )
    expect(sandbox.requests).toHaveLength(requests)
    const counts = { total: 4, done: 4, created: 0, found: 0, replayed: 4, failed: 0, unknown: 0 }
    expect(await again.summary()).toEqual({ ...counts, strays: [] })
  })

  test.each<[string, LinkRow[]]>([
    ['in another order', [lamps, cake, tea]],
    ['with some removed', [lamps, tea]],
    ['with new ones in between', [{ url: shop('new') }, lamps, cake, { url: shop('newer') }, tea]],
    ['with other column names and spellings', [{ longurl: 'https://SHOP.example/tea' }, { ...cake }]],
  ])('does no row again, with its rows %s', async (_what, rows) => {
    const { sandbox, run } = setUpImport()
    const first = addresses(await run([tea, cake, lamps]))
    const results = await run(rows)
    const isNew = ({ row }: { row: LinkRow }) => String(row.url).includes('new')
    expect(results.filter(({ replayed }) => !replayed).map(({ row }) => row)).toEqual(
      rows.filter((row) => isNew({ row })),
    )
    for (const { row, shorturl } of results) {
      const name = `${String(row.url ?? row.longurl).replace('SHOP', 'shop')} ${row.title ?? ''}`
      if (!isNew({ row })) expect(shorturl).toBe(first[name])
    }
    expect(sandbox.data.links).toHaveLength(3 + rows.filter((row) => isNew({ row })).length)
  })

  test('creates a new link for a row whose address changed, and reports that the alias of a row is taken', async () => {
    const { sandbox, run } = setUpImport()
    await run([tea, cake])
    const results = await run([
      { url: shop('green-tea') },
      { ...cake, url: shop('pie') },
      { url: cake.url, custom: 'pie' },
    ])
    expect(results.map(({ ok, replayed }) => [ok, replayed])).toEqual([
      [true, false],
      [false, undefined],
      [true, false],
    ])
    expect(String(results[1]!.error)).toContain('https://sho.rt/cake already leads to https://shop.example/cake')
    expect(sandbox.data.links.map(({ longurl }) => longurl)).toEqual(['tea', 'cake', 'green-tea', 'cake'].map(shop))
  })

  test('does not repeat a row with a corrected title, and reports the difference', async () => {
    const { sandbox, run } = setUpImport()
    await run([{ ...lamps, description: 'Warm' }])
    const rows = [{ ...lamps, title: 'All lamps', description: 'Warm', campaign: 3, price: 7 }]
    expect(await run(rows)).toMatchObject([{ ok: true, replayed: true, differs: ['title', 'campaign'] }])
    expect(sandbox.data.links.map(({ title }) => title)).toEqual(['Lamps'])
  })

  /** Creates a client that reaches a sandbox under another base URL. */
  const rename = ({ sandbox, client }: ReturnType<typeof setUp>, baseUrl: string) =>
    client.withOptions({
      baseUrl,
      allowInsecureHttp: true,
      fetch: (url: string | URL | Request, init) =>
        sandbox.fetch(String(url).replace(baseUrl.toLowerCase().replace(/:(80|443)\//, '/'), sandbox.baseUrl), init),
    })

  test.each([true, false])('is refused on another server before anything is written, dry run: %s', async (dryRun) => {
    const { journal, run } = setUpImport()
    await run([tea, cake])
    const before = journal.entries.length
    const other = setUp({ data: { links: [{ alias: 'x' }, { alias: 'y' }, { alias: 'z' }] } })
    const again = importLinks(rename(other, 'https://other.example/api'), [tea, cake], { journal, dryRun })
    await expect(again.summary()).rejects.toThrow(
      'the journal is of https://sho.rt/api, and link 2 is "y" at https://other.example/api',
    )
    await expect(again.summary()).resolves.toMatchObject({ total: 0 })
    expect(countRequests(other.sandbox)).toEqual({ 'GET /url/:id': 1 })
    expect(journal.entries).toHaveLength(before)
    const same = importLinks(rename(other, 'https://other.example/api'), [tea, cake], { journal, sameServer: true })
    expect(await same.summary()).toMatchObject({ done: 2, replayed: 2 })
  })

  test('is refused on a server where nothing can be looked up', async () => {
    const { journal, run } = setUpImport()
    await run([tea, cake])
    const other = setUp()
    other.sandbox.fail({ status: 500, times: Infinity })
    const again = importLinks(rename(other, 'https://other.example/api'), [tea, cake], { journal })
    await expect(again.summary()).rejects.toThrow('its newest link cannot be looked up: GET /url/2: 500')
  })

  test.each(['http://sho.rt/api', 'https://SHO.RT/api/', 'http://sho.rt:80/api'])(
    'goes on under %s without a request',
    async (baseUrl) => {
      const own = setUpImport()
      await own.run([tea, cake])
      const sent = own.sandbox.requests.length
      const again = importLinks(rename(own, baseUrl), [tea, cake], { journal: own.journal })
      expect(await again.summary()).toMatchObject({ done: 2, replayed: 2 })
      expect(own.sandbox.requests).toHaveLength(sent)
    },
  )

  test('goes on under another name if its newest link is found there', async () => {
    const own = setUpImport()
    await own.run([tea, cake])
    const sent = own.sandbox.requests.length
    const client = rename(own, 'https://new-name.example/api')
    expect(await importLinks(client, [tea, cake], { journal: own.journal }).summary()).toMatchObject({ replayed: 2 })
    expect(own.sandbox.requests).toHaveLength(sent + 1)
    const more = importLinks(client, [tea, cake, { url: shop('more') }], { journal: own.journal })
    expect(await more.summary()).toMatchObject({ replayed: 2, created: 1 })
    // The journal now has the new name.
    await importLinks(client, [tea, cake], { journal: own.journal }).summary()
    expect(countRequests(own.sandbox)['GET /url/:id']).toBe(2)
  })

  test('is refused if an older version has written its journal', async () => {
    const { client } = setUpImport()
    const key = '["https://sho.rt/api","https://shop.example/tea","","",1]'
    const journal = memoryJournal([
      { key, state: 'done', data: { id: 1, shorturl: 'https://sho.rt/a', created: true } },
    ])
    const run = importLinks(client, [tea], { journal, sameServer: true })
    await expect(run.summary()).rejects.toThrow('has the format of an older version')
  })

  test('identifies a row by address, alias, domain and number', async () => {
    const { journal, run } = setUpImport()
    await run([tea, tea, { ...cake, domain: 'https://go.example', password: 'hush hush' }])
    const keys = journal.entries.filter(({ state }) => state === 'begun').map(({ key }) => JSON.parse(key))
    expect(keys).toEqual([
      [tea.url, '', '', 1],
      [tea.url, '', '', 2],
      [cake.url, 'cake', 'go.example', 1],
    ])
    expect(journal.entries[0]).toEqual({ key: '["server"]', state: 'done', data: { baseUrl: 'https://sho.rt/api' } })
    expect(JSON.stringify(journal.entries)).not.toContain('hush')
  })
})

describe('rows with the same address and no alias', () => {
  const rows = ['Mail', 'Poster', 'Radio'].map((title) => ({ ...tea, title }))

  test.each<[string, (string | undefined)[]]>([
    ['in another order', ['Radio', 'Mail', 'Poster']],
    ['with one removed', ['Radio', 'Mail']],
    ['with one added at the start', ['New', 'Mail', 'Poster', 'Radio']],
  ])('keep their links %s', async (_what, titles) => {
    const { sandbox, run } = setUpImport()
    await run(rows)
    const results = await run(titles.map((title) => ({ ...tea, title })))
    for (const { row, id } of results) {
      expect(sandbox.data.links.find((link) => link.id === id)!.title).toBe(row.title)
    }
    expect(results.filter(({ replayed }) => !replayed).map(({ row }) => row.title)).toEqual(
      titles.filter((title) => title === 'New'),
    )
  })

  test('are distinguished by columns that are not sent', async () => {
    const { sandbox, run } = setUpImport()
    const people = ['Anna', 'Ben'].map((name) => ({ ...tea, name }) as LinkRow)
    const first = await run(people)
    const again = await run([...people].reverse())
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id).reverse())
    expect(JSON.stringify(sandbox.requests)).not.toContain('Anna')
  })

  test.each([0, 1, 2])(
    'get one link each if the outcome of number %i is unknown, however many there are the second time',
    async (lost) => {
      for (const count of [1, 2, 3, 4]) {
        const { sandbox, run } = setUpImport()
        sandbox.fail({ method: 'POST', after: lost, drop: 'after' })
        // The lookup of its link fails.
        sandbox.fail({ method: 'GET', status: 500 })
        const first = await run([tea, tea, tea])
        expect(first.map(({ outcome }) => outcome)).toEqual(
          [0, 1, 2].map((index) => (index === lost ? 'unknown' : 'done')),
        )
        const results = await run(Array(count).fill(tea))
        expect(results.map(({ ok }) => ok)).toEqual(Array(count).fill(true))
        expect(new Set(results.map(({ id }) => id)).size).toBe(count)
        expect(sandbox.data.links).toHaveLength(Math.max(count, 3))
      }
    },
  )
})

test('a done entry without its link ends an import with an error that names the missing data', async () => {
  const { client, journal, run } = setUpImport()
  await run([tea])
  const entries = journal.entries.map(({ key, state }): JournalEntry => ({ key, state }))
  const again = importLinks(client, [tea], { journal: memoryJournal(entries) }).summary()
  await expect(again).rejects.toThrow('is done but has no link. A journal for importLinks must store `data`')
})
