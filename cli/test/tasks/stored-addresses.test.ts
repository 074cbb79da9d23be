/** Addresses that a server stores, cuts, compares or refuses its own way. */
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
  ])('to %s has one link after a lost response, on a server that stores addresses in another spelling', async (url) => {
    const { sandbox, client } = setUp({ dialect: ['url-respelled'] })
    const rows = [{ url, custom }]
    sandbox.fail(lostResponse)
    const [row] = await collect(importLinks(client, rows))
    expect(row).toMatchObject({ ok: true, created: true, differs: [] })
    expect(sandbox.data.links).toHaveLength(1)
    expect(sandbox.data.links[0]!.longurl).not.toBe(url)
  })

  test.each(['https://shop.example/tea/?a=1&b=2', 'https://shop.example/tea/#menu'])(
    'to %s that an earlier run began is never refused for its own link',
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
    'says what the server shows after a lost response, if it has the deviation %s',
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
])('an alias that is there is found, and the address that the server shows is named: %s', async (deviation, url) => {
  const { sandbox, client } = setUp({ dialect: [deviation] })
  const rows = [{ url, custom: 'opening', title: 'Opening' }]
  expect(await collect(importLinks(client, rows))).toMatchObject([{ ok: true, created: true, differs: [] }])
  const { longurl } = sandbox.data.links[0]!
  expect(await collect(importLinks(client, rows))).toMatchObject([
    { ok: true, created: false, differs: ['url'], longurl },
  ])
})

test.each(['https://shop.example/other', 'https://shop.example/tea#menu', 'https://shop.example/Tea'])(
  'an alias that leads to %s is a conflict of a row to another address',
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

describe('a server that gives the link that exists', () => {
  test.each([1, 10])('gives two rows with different addresses no one link, %i at a time', async (concurrency) => {
    const { sandbox, client } = setUp({ dialect: ['url-existing'] })
    const addresses = ['https://shop.example/Tea', 'https://shop.example/te\u0301a', 'https://shop.example/cake']
    const results = await collect(
      importLinks(
        client,
        addresses.map((url) => ({ url })),
        { concurrency },
      ),
    )
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true])
    expect(results[1]!.error!.message).toContain('the server gave the link of row 1')
    expect(sandbox.data.links).toHaveLength(2)
  })

  test('gives a later run the link of a row that an earlier run has done, and the row fails', async () => {
    const { client } = setUp({ dialect: ['url-existing'] })
    const journal = memoryJournal()
    const first = { url: 'https://shop.example/Tea' }
    await importLinks(client, [first], { journal }).summary()
    const results = await collect(importLinks(client, [first, { url: 'https://shop.example/tea' }], { journal }))
    expect(results.map(({ ok, replayed }) => [ok, replayed])).toEqual([
      [true, true],
      [false, undefined],
    ])
  })

  test('gives a row no link that was there before and leads to another address', async () => {
    const links = ['https://shop.example/Tea', 'https://shop.example/cake'].map((longurl) => ({ longurl }))
    const { client } = setUp({ dialect: ['url-existing'], data: { links } })
    const rows = [{ url: 'https://shop.example/tea' }, { url: 'https://shop.example/cake' }]
    const results = await collect(importLinks(client, rows, { concurrency: 1 }))
    expect(results).toMatchObject([
      { ok: false, outcome: 'unknown' },
      { ok: true, id: 2 },
    ])
    expect(results[0]!.error!.message).toContain('which leads to "https://shop.example/Tea"')
  })

  test('fails a row whose link cannot be read', async () => {
    const links = [{ longurl: 'https://shop.example/Tea' }]
    const { sandbox, client } = setUp({ dialect: ['url-existing'], data: { links } })
    sandbox.fail({ method: 'GET', path: '/url/:id', status: 500 })
    const [row] = await collect(importLinks(client, [{ url: 'https://shop.example/tea' }]))
    expect(row).toMatchObject({ ok: false, outcome: 'unknown' })
    expect(row!.error!.message).toMatch(/the server gave .* Whether it is a new link is unknown: GET \/url\/1: 500/)
  })

  test('a link of a row is no stray', async () => {
    const { client } = setUp({ dialect: ['url-existing'] })
    const rows = [{ url: 'https://shop.example/tea' }, { url: 'https://shop.example/TEA', custom: 'tea' }]
    const run = importLinks(client, rows, { concurrency: 1 })
    await expect(collect(run)).rejects.toMatchObject({ reason: 'other_alias' })
    expect((await run.summary()).strays).toEqual([])
  })
})

describe('a server that takes addresses in ASCII alone', () => {
  const addresses = [
    'https://shop.example/café',
    'https://bücher.example/straße?q=grün',
    'https://shop.example/two words',
    'https://shop.example/茶#菜单',
  ]

  test.each([true, false])(
    'gets their ASCII form, and the links are found again, with aliases: %s',
    async (hasAlias) => {
      const { sandbox, client } = setUp({ dialect: ['url-ascii'] })
      const rows = addresses.map((url, index): LinkRow => ({ url, ...(hasAlias && { custom: `row-${index}` }) }))
      expect(await importLinks(client, rows, { concurrency: 1 }).summary()).toMatchObject({ created: 4, failed: 0 })
      expect(sandbox.data.links.map(({ longurl }) => longurl)).toEqual(addresses.map((url) => new URL(url).href))
      // The first address is sent twice, and then the server is known.
      expect(countRequests(sandbox)['POST /url/add']).toBe(5)
      if (!hasAlias) return
      expect(await importLinks(client, rows).summary()).toMatchObject({ found: 4, failed: 0 })
      expect(await collect(importLinks(client, rows))).toMatchObject(Array(4).fill({ differs: [] }))
    },
  )

  test('gets one link after a lost response to the ASCII form', async () => {
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

  test.each([401, 403])('an address that is refused with a %i is not sent again', async (status) => {
    const { sandbox, client } = setUp()
    sandbox.fail({ method: 'POST', status, body: { error: 1, message: 'No.' }, times: Infinity })
    await importLinks(client, [{ url: addresses[0]!, custom: 'tea' }]).summary()
    expect(countRequests(sandbox)).toEqual({ 'POST /url/add': 1 })
  })

  test('an address whose alias is taken is not sent again', async () => {
    const { sandbox, client } = setUp({ data: { links: [{ alias: 'tea', longurl: 'https://x.example' }] } })
    await importLinks(client, [{ url: addresses[0]!, custom: 'tea', domain: 'https://sho.rt' }]).summary()
    expect(countRequests(sandbox)['POST /url/add']).toBe(1)
  })

  test('gets the links of a sync, which are all kept the second time', async () => {
    const { client } = setUp({ dialect: ['url-ascii'] })
    const wanted = addresses.map((url, index) => ({ url, custom: `row-${index}` }))
    expect(await syncLinks(client, wanted, { apply: true }).summary()).toMatchObject({ created: 4, failed: 0 })
    expect(await syncLinks(client, wanted).summary()).toMatchObject({ keep: 4 })
  })
})
