import { expect, test } from 'vitest'
import { failure } from '../../../helpers/outcome.ts'
import { page } from '../../../helpers/responses.ts'
import { shopOf } from '../../links/connect-links.ts'

const shorturl = 'https://sho.rt/opening'

/** The other fields of a link if the server sends only its id and short address. */
const bare = {
  id: 44,
  shorturl,
  alias: 'opening',
  longurl: null,
  title: null,
  description: null,
  clicks: null,
  uniqueclicks: null,
  domain: null,
  campaign: null,
  channel: null,
  date: null,
}

const row = {
  id: 44,
  alias: 'opening',
  shorturl,
  longurl: 'https://shop.example/opening',
  title: 'Opening',
  description: 'The first day',
  clicks: 12,
  date: '2026-11-02 09:30:00',
}

const newerRow = { ...row, uniqueclicks: 9, domain: 'https://sho.rt', campaign: 3, channel: [9, 10] }

const details = {
  id: 44,
  shorturl,
  longurl: 'https://shop.example/opening',
  title: 'Opening',
  description: 'The first day',
  location: { DE: 'https://shop.example/de' },
  device: { iphone: 'https://shop.example/app' },
  expiry: '2027-01-31 18:00:00',
  date: '2026-11-02 09:30:00',
}

const statistics = {
  clicks: 12,
  uniqueClicks: 9,
  topCountries: { Germany: 8, France: 4 },
  topReferrers: { 'shop.example': 12 },
  topBrowsers: { Firefox: 12 },
  topOs: { Linux: 12 },
  socialCount: { facebook: 1, twitter: 2, google: 3 },
}

const rows: [form: string, wire: object, read: object][] = [
  ['has all fields of newer servers', newerRow, newerRow],
  ['has the fields of older servers', row, { ...bare, ...row }],
  ['has only an id and a short address', { id: 44, shorturl }, bare],
  ['has its short address under `short`', { id: 44, short: shorturl }, bare],
  [
    'has numbers as strings',
    { ...newerRow, id: '44', clicks: '12', uniqueclicks: '9', campaign: '3', channel: ['9', '10'] },
    newerRow,
  ],
  ['has empty strings for missing values', { ...bare, title: '', domain: '', campaign: '', channel: '' }, bare],
  [
    'has 0 for no campaign and for no channels',
    { id: 44, shorturl, campaign: 0, channel: '0' },
    { ...bare, channel: [] },
  ],
  [
    'has its alias only in an encoded address',
    { id: 44, shorturl: 'https://sho.rt/t%C3%BCr' },
    { ...bare, shorturl: 'https://sho.rt/t%C3%BCr', alias: 'tür' },
  ],
  ['has no alias', { id: 44, shorturl: 'https://sho.rt/' }, { ...bare, shorturl: 'https://sho.rt/', alias: null }],
  [
    'has its channels as a list with gaps',
    { id: 44, shorturl, channel: { 0: 9, 2: '10' } },
    { ...bare, channel: [9, 10] },
  ],
  [
    'has empty values among its channels',
    { id: 44, shorturl, channel: [null, 9, '', '10'] },
    { ...bare, channel: [9, 10] },
  ],
  ['has only an empty value among its channels', { id: 44, shorturl, channel: [null] }, { ...bare, channel: [] }],
  ['has undocumented fields', { id: 44, shorturl, favicon: 'f.ico' }, { ...bare, favicon: 'f.ico' }],
]

test.each(rows)('a link in a list that %s is read', async (_form, wire, read) => {
  const { shop } = await shopOf(page('urls', [wire]))
  expect((await shop.list()).items).toStrictEqual([read])
})

test('a list beside `error` instead of under `data` is read too', async () => {
  const { shop } = await shopOf({
    body: { error: 0, result: 1, perpage: 15, currentpage: 1, nextpage: 1, maxpage: 1, urls: [newerRow] },
  })
  expect((await shop.list()).items).toStrictEqual([newerRow])
})

test.each(['id', 'shorturl'])('a link in a list without %s is invalid', async (missing) => {
  const { shop } = await shopOf(page('urls', [{ ...row, [missing]: undefined }]))
  expect(await failure(shop.list())).toMatchObject({
    code: 'invalid_response',
    issues: [{ path: ['data', 'urls', 0, missing] }],
  })
})

test.each([
  ['campaign', 'spring', 'expected an integer, received a string'],
  ['channel', [9, 'news'], 'expected an integer, received a string', 1],
  ['channel', 'news', 'expected a list of integers, received a string'],
  ['channel', { 0: 9, news: 10 }, 'expected a list of integers, received an object'],
])('a link in a list whose %s is %j is invalid', async (name, value, message, ...at: number[]) => {
  const { shop } = await shopOf(page('urls', [{ ...row, [name]: value }]))
  expect(await failure(shop.list())).toMatchObject({ issues: [{ path: ['data', 'urls', 0, name, ...at], message }] })
})

test('a link is read with its statistics, and keeps undocumented fields', async () => {
  const body = { error: 0, id: 44, details: { ...details, qr: 'q' }, data: { ...statistics, topLanguages: { de: 1 } } }
  const { shop } = await shopOf({ body })
  expect(await shop.get(44)).toStrictEqual({
    id: 44,
    details: { ...details, qr: 'q' },
    data: {
      ...statistics,
      socialCount: { ...statistics.socialCount, instagram: 0 },
      topLanguages: { de: 1 },
    },
  })
})

test('a link without visits has empty maps, for which the server sends 0', async () => {
  const unvisited = { clicks: '0', uniqueClicks: 0, topCountries: 0, topReferrers: '0', topBrowsers: [], topOs: null }
  const { shop } = await shopOf({
    body: { error: '0', id: '44', details: { ...details, location: 0, device: [], expiry: null }, data: unvisited },
  })
  expect(await shop.get(44)).toStrictEqual({
    id: 44,
    details: { ...details, location: {}, device: {}, expiry: null },
    data: {
      clicks: 0,
      uniqueClicks: 0,
      topCountries: {},
      topReferrers: {},
      topBrowsers: {},
      topOs: {},
      socialCount: { facebook: 0, twitter: 0, instagram: 0, google: 0 },
    },
  })
})

test('a single link needs only an id and a short address', async () => {
  const { shop } = await shopOf({ body: { details: { id: '44', short: shorturl } } })
  const { details, data } = await shop.get('44')
  expect(details).toStrictEqual({
    id: 44,
    shorturl,
    longurl: null,
    title: null,
    description: null,
    location: {},
    device: {},
    expiry: null,
    date: null,
  })
  expect(data.socialCount).toStrictEqual({ facebook: 0, twitter: 0, instagram: 0, google: 0 })
})

test.each([
  ['create', 'POST /api/url/add'],
  ['update', 'PUT /api/url/44/update'],
] as const)('the response to %s has the short address under `shorturl` or `short`', async (method, line) => {
  for (const key of ['shorturl', 'short']) {
    const { shop, server } = await shopOf({ body: { error: 0, id: '44', [key]: shorturl, title: 'Opening' } })
    const params = { url: 'https://shop.example/opening' }
    const result = await (method === 'create' ? shop.create(params) : shop.update(44, params))
    expect(result).toStrictEqual({ id: 44, shorturl, title: 'Opening' })
    const [{ method: sent, url, body }] = server.seen as [(typeof server.seen)[number]]
    expect(`${sent} ${url}`).toBe(line)
    expect(JSON.parse(body.toString())).toEqual(params)
  }
})

test('an alias that is sent as a number is read from the short address, with its zeros', async () => {
  const row = { id: 1, longurl: 'https://shop.example/', clicks: 0 }
  const rows = [
    { ...row, alias: 7, shorturl: 'https://sho.rt/007' },
    { ...row, id: 2, alias: 100_000, shorturl: 'https://sho.rt/1e5' },
    { ...row, id: 3, alias: '7', shorturl: 'https://sho.rt/007' },
    { ...row, id: 4, alias: 7, shorturl: 'https://sho.rt/s/007' },
    { ...row, id: 5, alias: 42, shorturl: 'https://sho.rt/42' },
    { ...row, id: 6, alias: 7, shorturl: 'https://sho.rt/tea' },
  ]
  const { shop } = await shopOf(page('urls', rows))
  expect((await shop.list()).items.map(({ alias }) => alias)).toEqual(['007', '1e5', '007', '007', '42', '7'])
})
