/** Servers that change, cut or refuse the addresses of links. */
import { importLinks, type LinkRow, syncLinks } from 'shortlink-cli'
import type { Deviation } from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { countRequests, memoryJournal, setUp } from './set-up.ts'

const long = `https://shop.example/${'tea/'.repeat(20)}`
const lostResponse = { method: 'POST', drop: 'after' } as const

describe.each(['opening', undefined])('a row with the alias %s', (custom) => {
  test.each([
    'https://shop.example/tea/',
    'https://shop.example/tea/?a=1&b=2',
    'https://shop.example/caf%c3%a9',
    'https://shop.example/cafe\u0301',
    'https://shop.example/?html=<a href=x>',
    'https://shop.example/tea#menu',
    'https://shop.example/tea/#/menu',
    'https://shop.example/#menu',
  ])('to %s has one link after a lost response on a server that stores addresses in another spelling', async (url) => {
    const { sandbox, client } = setUp({ dialect: ['url-respelled'] })
    const rows = [{ url, custom }]
    sandbox.fail(lostResponse)
    const [row] = await collect(importLinks(client, rows))
    expect(row).toMatchObject({ ok: true, created: true, differs: [] })
    expect(sandbox.data.links).toHaveLength(1)
    expect(sandbox.data.links[0]!.longurl).not.toBe(url)
  })

  test.each(['https://shop.example/tea/?a=1&b=2', 'https://shop.example/tea/#menu'])(
    'to %s that an earlier run started never conflicts with its own link',
    async (url) => {
      const { sandbox, client } = setUp({ dialect: ['url-respelled'] })
      const journal = memoryJournal()
      sandbox.fail(lostResponse)
      sandbox.fail({ method: 'GET', status: 500 })
      expect(await collect(importLinks(client, [{ url, custom }], { journal }))).toMatchObject([{ outcome: 'unknown' }])
      expect(await collect(importLinks(client, [{ url, custom }], { journal }))).toMatchObject([{ ok: true, id: 1 }])
      expect(sandbox.data.links).toHaveLength(1)
    },
  )

  test.each<[Deviation, string, string]>([
    ['url-cut', long, long.slice(0, 80)],
    ['url-lower-case', 'https://shop.example/Tea', 'https://shop.example/tea'],
  ])(
    'has the address that the server shows after a lost response, with the deviation %s',
    async (deviation, url, longurl) => {
      const { sandbox, client } = setUp({ dialect: [deviation] })
      const journal = memoryJournal()
      sandbox.fail(lostResponse)
      const done = { ok: true, created: true, id: 1, differs: ['url'], longurl }
      expect(await collect(importLinks(client, [{ url, custom }], { journal }))).toMatchObject([done])
      expect(await collect(importLinks(client, [{ url, custom }], { journal }))).toMatchObject([
        { ...done, replayed: true },
      ])
      expect(sandbox.data.links).toHaveLength(1)
    },
  )
})

test.each<[Deviation, string]>([
  ['url-cut', long],
  ['url-lower-case', 'https://shop.example/Tea'],
])('an existing alias is found, and the result has the address that the server shows: %s', async (deviation, url) => {
  const { sandbox, client } = setUp({ dialect: [deviation] })
  const rows = [{ url, custom: 'opening', title: 'Opening' }]
  expect(await collect(importLinks(client, rows))).toMatchObject([{ ok: true, created: true, differs: [] }])
  const { longurl } = sandbox.data.links[0]!
  expect(await collect(importLinks(client, rows))).toMatchObject([
    { ok: true, created: false, differs: ['url'], longurl },
  ])
})

test.each(['https://shop.example/other', 'https://shop.example/tea#menu', 'https://shop.example/Tea'])(
  'a row whose alias leads to %s is a conflict',
  async (longurl) => {
    const { client } = setUp({ data: { links: [{ alias: 'opening', longurl }] } })
    const url = 'https://shop.example/tea#other'
    expect(await collect(importLinks(client, [{ url, custom: 'opening' }]))).toMatchObject([
      { ok: false, outcome: 'rejected', error: { code: 'link_conflict', longurl } },
    ])
  },
)

test('a lost creation whose alias leads to another address is unknown, and the error names both', async () => {
  const { sandbox, client } = setUp({ data: { links: [{ alias: 'opening', longurl: 'https://x.example' }] } })
  sandbox.fail({ method: 'POST', drop: 'before' })
  const url = 'https://shop.example/tea'
  const [row] = await collect(importLinks(client, [{ url, custom: 'opening' }]))
  expect(row).toMatchObject({ ok: false, outcome: 'unknown', error: { longurl: 'https://x.example' } })
})

describe('a server that returns existing links', () => {
  test.each([1, 10])(
    'never returns one link for two rows with different addresses, %i at a time',
    async (concurrency) => {
      const { sandbox, client } = setUp({ dialect: ['url-existing'] })
      const addresses = ['https://shop.example/Tea', 'https://shop.example/te\u0301a', 'https://shop.example/cake']
      const results = await collect(
        importLinks(
          client,
          addresses.map((url) => ({ url })),
          { concurrency, aliases: false },
        ),
      )
      const [first, second, third] = results.sort((one, other) => one.index - other.index)
      expect([first!.ok, second!.ok, third!.ok]).toEqual([true, false, true])
      expect(second!.error!.message).toMatch(
        /the server returned the existing link \S+ \(id 1\), of row 1, whose url is/,
      )
      expect(second!.outcome).toBe('rejected')
      expect(sandbox.data.links).toHaveLength(2)
    },
  )

  test('makes a row fail if it returns the link of another row from an earlier run', async () => {
    const { client } = setUp({ dialect: ['url-existing'] })
    const journal = memoryJournal()
    const first = { url: 'https://shop.example/Tea' }
    const options = { journal, aliases: false }
    await importLinks(client, [first], options).summary()
    const results = await collect(importLinks(client, [first, { url: 'https://shop.example/tea' }], options))
    expect(results.map(({ ok, replayed }) => [ok, replayed])).toEqual([
      [true, true],
      [false, undefined],
    ])
  })

  test('makes a row fail if it returns an existing link to another address', async () => {
    const links = ['https://shop.example/Tea', 'https://shop.example/cake'].map((longurl) => ({ longurl }))
    const { client } = setUp({ dialect: ['url-existing'], data: { links } })
    const rows = [{ url: 'https://shop.example/tea' }, { url: 'https://shop.example/cake' }]
    const results = await collect(importLinks(client, rows, { concurrency: 1, aliases: false }))
    expect(results).toMatchObject([
      { ok: false, outcome: 'rejected' },
      { ok: true, id: 2, created: false, differs: [] },
    ])
    expect(results[0]!.error!.message).toContain('which leads to "https://shop.example/Tea"')
  })

  test('names what the row asked for and the existing link does not show', async () => {
    const links = [{ longurl: 'https://shop.example/tea', title: 'Tea' }]
    const { client } = setUp({ dialect: ['url-existing'], data: { links } })
    const row = { url: 'https://shop.example/tea', title: 'Tea', password: 'hush hush', expiry: '2030-01-01 00:00:00' }
    const [result] = await collect(importLinks(client, [row], { aliases: false }))
    expect(result).toMatchObject({ ok: true, created: false, differs: ['password', 'expiry'] })
  })

  test('with an alias, an existing link is no row of this import, and five of them in a row end it', async () => {
    const links = Array.from({ length: 20 }, (_, index) => ({ longurl: `https://shop.example/${index}` }))
    const { client } = setUp({ dialect: ['url-existing'], data: { links } })
    const rows = links.map(({ longurl }, index) => ({ url: longurl, custom: `p-${index}` }))
    const run = importLinks(client, rows, { concurrency: 1, journal: memoryJournal() })
    await expect(run.summary()).rejects.toThrow('the server returned existing links for 5 items in a row')
    expect(await run.summary()).toMatchObject({ failed: 5, unknown: 0, strays: [] })
  })

  test('fails a row whose link cannot be read', async () => {
    const links = [{ longurl: 'https://shop.example/Tea' }]
    const { sandbox, client } = setUp({ dialect: ['url-existing'], data: { links } })
    sandbox.fail({ method: 'GET', path: '/url/:id', status: 500 })
    const [row] = await collect(importLinks(client, [{ url: 'https://shop.example/tea' }], { aliases: false }))
    // Its id is not above the newest one, so the server has created no link.
    expect(row).toMatchObject({ ok: false, outcome: 'rejected' })
    expect(row!.error!.message).toContain('GET /url/1: 500')
  })

  test('returns one with the alias of its row, which this import has not created', async () => {
    const links = [{ alias: 'tea', longurl: 'https://shop.example/tea', title: 'Tea' }]
    const { client } = setUp({ dialect: ['same-url-same-link'], data: { links } })
    const rows = [
      { url: 'https://shop.example/cake', custom: 'cake' },
      { url: 'https://shop.example/tea', custom: 'tea', title: 'Green tea' },
    ]
    const results = await collect(importLinks(client, rows, { concurrency: 1 }))
    expect(results).toMatchObject([
      { ok: true, id: 2, created: true },
      { ok: true, id: 1, created: false, differs: ['title'] },
    ])
  })

  test.each([
    ['returns one', [{ alias: 'tea', longurl: 'https://shop.example/tea' }], 200, false, []],
    ['creates one', [{ alias: 'cake', longurl: 'https://shop.example/cake' }], 200, true, []],
    ['creates the first one', [], 200, true, []],
    ['creates one, and its newest links cannot be read', [], 403, false, ['password']],
  ])(
    'says with aliases: false whether it has created the first link, which has the alias of its row: %s',
    async (_what, links, status, created, differs) => {
      // This server creates no aliases, but a link that it returns may have the wanted one.
      const { sandbox, client } = setUp({
        dialect: links.some(({ alias }) => alias === 'tea') ? ['url-existing'] : [],
        data: { links },
      })
      if (status !== 200) sandbox.fail({ path: '/urls', status, times: Infinity })
      const rows = [
        { url: 'https://shop.example/tea', custom: 'tea', ...(differs.length > 0 && { password: 'hush hush' }) },
      ]
      const results = await collect(importLinks(client, rows, { aliases: false }))
      expect(results).toMatchObject([{ ok: true, created, differs }])
    },
  )

  test('returns one to two rows at once, of which one has created it', async () => {
    const { client } = setUp({ dialect: ['url-existing'] })
    const rows = ['cake', 'tea', 'tea'].map((name) => ({ url: `https://shop.example/${name}` }))
    const results = await collect(importLinks(client, rows, { concurrency: 3, aliases: false }))
    expect(results.map(({ id, created }) => `${id} ${created}`).sort()).toEqual(['1 true', '2 false', '2 true'])
  })

  test('returns one to two rows at once, of which one has another alias, and it is no stray', async () => {
    const { client } = setUp({ dialect: ['url-existing'] })
    const rows = [
      { url: 'https://shop.example/cake' },
      { url: 'https://shop.example/tea' },
      { url: 'https://shop.example/tea', custom: 'tea' },
    ]
    const run = importLinks(client, rows, { concurrency: 3, aliases: false })
    expect((await collect(run)).map(({ outcome }) => outcome).sort()).toEqual(['done', 'done', 'rejected'])
    expect((await run.summary()).strays).toEqual([])
  })

  test('has created no link, as far as anybody can tell, if the newest id cannot be read', async () => {
    const { sandbox, client } = setUp({ dialect: ['url-existing'] })
    sandbox.fail({ path: '/urls', status: 403, times: Infinity })
    const rows = [{ url: 'https://shop.example/tea', password: 'hush hush' }]
    const results = await collect(importLinks(client, rows, { aliases: false }))
    expect(results).toMatchObject([{ ok: true, created: false, differs: ['password'] }])
  })

  test('does not turn the link of a row into a stray', async () => {
    const { client } = setUp({ dialect: ['url-existing'] })
    const rows = [{ url: 'https://shop.example/tea' }, { url: 'https://shop.example/TEA', custom: 'tea' }]
    const run = importLinks(client, rows, { concurrency: 1, aliases: false })
    expect((await collect(run)).map(({ ok }) => ok)).toEqual([true, false])
    expect((await run.summary()).strays).toEqual([])
  })
})

describe('a server that accepts only ASCII addresses', () => {
  const addresses = [
    'https://shop.example/café',
    'https://bücher.example/straße?q=grün',
    'https://shop.example/two words',
    'https://shop.example/茶#菜单',
  ]

  test.each([true, false])('gets the ASCII form, and the links are found again, with aliases: %s', async (hasAlias) => {
    const { sandbox, client } = setUp({ dialect: ['url-ascii'] })
    const rows = addresses.map((url, index): LinkRow => ({ url, ...(hasAlias && { custom: `row-${index}` }) }))
    expect(await importLinks(client, rows, { concurrency: 1 }).summary()).toMatchObject({ created: 4, failed: 0 })
    expect(sandbox.data.links.map(({ longurl }) => longurl)).toEqual(addresses.map((url) => new URL(url).href))
    // The first address is sent twice. Then the import knows that the server needs ASCII.
    expect(countRequests(sandbox)['POST /url/add']).toBe(5)
    if (!hasAlias) return
    expect(await importLinks(client, rows).summary()).toMatchObject({ found: 4, failed: 0 })
    expect(await collect(importLinks(client, rows))).toMatchObject(Array(4).fill({ differs: [] }))
  })

  test('has one link after a lost response to the ASCII form', async () => {
    const { sandbox, client } = setUp({ dialect: ['url-ascii'] })
    sandbox.fail({ method: 'POST', after: 1, drop: 'after' })
    const [row] = await collect(importLinks(client, [{ url: addresses[0]! }]))
    expect(row).toMatchObject({ ok: true, created: true, differs: [] })
    expect(sandbox.data.links).toHaveLength(1)
  })

  test('gets the targets of a row in ASCII too', async () => {
    const { sandbox, client } = setUp()
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const isAscii = /^[ -~]*$/.test(String(init?.body ?? ''))
      return isAscii ? sandbox.fetch(input, init) : Response.json({ error: 1, message: 'Please enter a valid link.' })
    }
    const devicetarget = [{ device: 'iphone', link: 'https://shop.example/café' }]
    const rows = [{ url: 'https://shop.example/tea', devicetarget }]
    expect(await collect(importLinks(client.withOptions({ fetch }), rows))).toMatchObject([{ ok: true }])
    const body = sandbox.requests.at(-1)!.body as { devicetarget: unknown }
    expect(body.devicetarget).toEqual([{ device: 'iphone', link: 'https://shop.example/caf%C3%A9' }])
  })

  test.each([401, 403])('does not get an address again that it refuses with a %i', async (status) => {
    const { sandbox, client } = setUp()
    sandbox.fail({ method: 'POST', status, body: { error: 1, message: 'No.' }, times: Infinity })
    await importLinks(client, [{ url: addresses[0]!, custom: 'tea' }]).summary()
    expect(countRequests(sandbox)).toEqual({ 'POST /url/add': 1 })
  })

  test('does not get an address again whose alias is taken', async () => {
    const { sandbox, client } = setUp({ data: { links: [{ alias: 'tea', longurl: 'https://x.example' }] } })
    await importLinks(client, [{ url: addresses[0]!, custom: 'tea', domain: 'https://sho.rt' }]).summary()
    expect(countRequests(sandbox)['POST /url/add']).toBe(1)
  })

  test('gets the links of a sync, and a second sync changes nothing', async () => {
    const { client } = setUp({ dialect: ['url-ascii'] })
    const wanted = addresses.map((url, index) => ({ url, custom: `row-${index}` }))
    expect(await syncLinks(client, wanted, { apply: true }).summary()).toMatchObject({ created: 4, failed: 0 })
    expect(await syncLinks(client, wanted).summary()).toMatchObject({ keep: 4 })
  })
})
