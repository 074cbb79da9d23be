import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import type { Drift, ShortLinkClientOptions } from '../src/index.ts'
import { InvalidResponseError, type ShortLinkClient } from '../src/index.ts'
import { account, page, splash } from './helpers/answers.ts'
import { connect } from './helpers/client.ts'
import { failure } from './helpers/outcome.ts'
import { type Canned, serve } from './helpers/server.ts'

/** What a client makes of one body. */
async function read(body: unknown, call: (client: ShortLinkClient) => PromiseLike<unknown>): Promise<unknown> {
  return await call(connect(await serve({ body })))
}

const domain = { id: 1, domain: 'https://go.example', redirectroot: null, redirect404: null }
const campaign = { id: 1, name: 'Spring', public: true, rotator: false, list: 'https://sho.rt/u/1' }
const statistics = {
  clicks: 0,
  uniqueClicks: 0,
  topCountries: {},
  topReferrers: {},
  topBrowsers: {},
  topOs: {},
  socialCount: { facebook: 0, twitter: 0, instagram: 0 },
}
const qr = { id: 1, link: 'https://sho.rt/qr/a', scans: 0, name: '', date: '2026-11-10 18:00:00' }

describe('a value in the spellings that deployments use', () => {
  const oneDomain = (c: ShortLinkClient) => c.domains.list().then(({ items }) => items[0])
  const oneCampaign = (c: ShortLinkClient) => c.campaigns.list().then(({ items }) => items[0])

  it.each([[5], ['5'], [0], ['0'], [9_007_199_254_740_991], ['123456789012345']])(
    'the id %j is read as a number',
    async (id) => {
      expect(await read(page('domains', [{ ...domain, id }]).body, oneDomain)).toEqual({ ...domain, id: Number(id) })
    },
  )

  it.each([
    [true, true],
    [false, false],
    [1, true],
    [0, false],
    ['1', true],
    ['0', false],
    ['', false],
    [null, false],
  ])('the flag %j is read as %j', async (flag, expected) => {
    expect(await read(page('campaigns', [{ ...campaign, public: flag }]).body, oneCampaign)).toEqual({
      ...campaign,
      public: expected,
    })
  })

  it.each([[false], [0], ['0'], [''], [null], [undefined]])('the rotator %j is read as false', async (rotator) => {
    expect(await read(page('campaigns', [{ ...campaign, rotator }]).body, oneCampaign)).toEqual(campaign)
  })

  it.each([[null], [''], [undefined]])('the absent redirect %j is read as null', async (redirectroot) => {
    expect(await read(page('domains', [{ ...domain, redirectroot }]).body, oneDomain)).toEqual(domain)
  })

  it('a date stays a string, unchanged', async () => {
    const dates = ['2026-03-29 02:30:00', '0000-00-00 00:00:00', '2026-02-30 25:61:61']
    const rows = dates.map((date, index) => ({ ...splash(index + 1), date }))
    const { items } = await connect(await serve(page('splash', rows))).splash.list()
    expect(items.map(({ date }) => date)).toEqual(dates)
  })

  it.each([[[]], [{}], [0], ['0'], [null], [''], [undefined]])('the map %j is read as an empty map', async (topOs) => {
    const answer = await read({ error: 0, details: qr, data: { ...statistics, topOs } }, (c) => c.qr.get(1))
    expect(answer).toEqual({ details: qr, data: statistics })
  })

  it.each([[null], [''], [[]], [undefined]])('the statistics %j are read as undefined', async (data) => {
    expect(await read({ error: 0, details: qr, data }, (c) => c.qr.get(1))).toEqual({ details: qr, data: undefined })
  })
})

describe('a field under the names that deployments use', () => {
  it.each(['name', 'domain', 'campaign'])('the name of a campaign under `%s` is read as `name`', async (key) => {
    const { name, ...rest } = campaign
    expect(await read({ error: 0, ...rest, [key]: name }, (c) => c.campaigns.create({}))).toEqual(campaign)
  })

  it('an alternative name is an ordinary key where the documented one is present', async () => {
    const body = { error: 0, ...campaign, domain: 'https://go.example' }
    expect(await read(body, (c) => c.campaigns.create({}))).toEqual({ ...campaign, domain: 'https://go.example' })
  })

  it.each(['cta', 'overlay'])('overlays under `%s` are read', async (key) => {
    const overlay = { id: 1, type: 'message', name: 'Promo', date: '2026-11-10 18:00:00' }
    expect((await connect(await serve(page(key, [overlay]))).overlays.list()).items).toEqual([overlay])
  })

  it.each(['date', 'data'])('the date of a QR code under `%s` is read as `date`', async (key) => {
    const { date, ...rest } = qr
    expect(await read({ error: 0, details: { ...rest, [key]: date } }, (c) => c.qr.get(1))).toMatchObject({
      details: qr,
    })
  })

  it.each([
    [{ id: 123, shorturl: 'https://sho.rt/a' }],
    [{ 0: 'id', 1: 123, shorturl: 'https://sho.rt/a' }],
    [{ 0: 'id', 1: '123', shorturl: 'https://sho.rt/a' }],
  ])('the id of an upload answered with %j is 123', async (body) => {
    const answer = await read({ error: 0, ...body }, (c) => c.files.upload('a.txt', new Blob(['a'])))
    expect(answer).toMatchObject({ id: 123, shorturl: 'https://sho.rt/a' })
  })
})

describe('the envelope of a success', () => {
  it.each([[0], ['0'], [''], [false], [null], [undefined], [[]]])('`error: %j` is a success', async (error) => {
    expect(await read({ ...account, error }, (c) => c.account.get())).toEqual(account.data)
  })

  it('X-RateLimit-Remaining: 0 is not an error', async () => {
    const headers = { 'X-RateLimit-Limit': '30', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1795267200' }
    const { rateLimit } = await connect(await serve({ body: account, headers }))
      .account.get()
      .withResponse()
    expect(rateLimit).toMatchObject({ limit: 30, remaining: 0 })
  })

  it('the reset is a Unix time in seconds, moved from the server’s clock to this one', async () => {
    const serverTime = 1_900_000_000
    const headers = { date: new Date(serverTime * 1000).toUTCString(), 'X-RateLimit-Reset': String(serverTime + 40) }
    const before = Date.now()
    const { rateLimit } = await connect(await serve({ body: account, headers }))
      .account.get()
      .withResponse()
    const inSeconds = (rateLimit.resetAt!.getTime() - before) / 1000
    expect(inSeconds).toBeGreaterThanOrEqual(40)
    expect(inSeconds).toBeLessThan(60)
  })

  it('without rate headers the state is undefined', async () => {
    const { rateLimit } = await connect(await serve({ body: account }))
      .account.get()
      .withResponse()
    expect(rateLimit).toEqual({ limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 })
  })

  it.each([
    ['an empty list as null', { result: 0, maxpage: 0 }, null, []],
    ['an empty list as an empty object', { result: '0', maxpage: '0' }, {}, []],
    ['a list with gaps', { result: 2 }, { '2': splash(2), '0': splash(1) }, [splash(1), splash(2)]],
  ])('%s is a list', async (_, numbers, rows, items) => {
    expect((await connect(await serve(page('splash', rows, numbers))).splash.list()).items).toEqual(items)
  })

  it.each([
    ['null', null],
    ['itself', 1],
    ['itself as a string', '1'],
    ['0', 0],
    ['an empty string', ''],
    ['false', false],
    ['left out', undefined],
  ])('a last page whose next one is %s has no next page', async (_, nextpage) => {
    const { hasNextPage } = await connect(await serve(page('splash', [splash(1)], { nextpage }))).splash.list()
    expect(hasNextPage).toBe(false)
  })

  it('a page is plain data that survives JSON', async () => {
    const list = await connect(await serve(page('splash', [splash(1)]))).splash.list()
    expect(JSON.parse(JSON.stringify(list))).toStrictEqual(list)
  })
})

it('a key named like a member of every object does no harm, and all but `__proto__` survive', async () => {
  const text = `{"error":0,"data":{"__proto__":{"polluted":1},"constructor":"x",${JSON.stringify(account.data).slice(1)}}`
  const answer = await connect(await serve({ body: text })).account.get()
  expect(Object.keys(answer)).toContain('constructor')
  expect(Object.getPrototypeOf(answer)).toBe(Object.prototype)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

describe('an answer that does not fit its documented type', () => {
  const bad = { ...splash(2), id: 'two', name: 5, date: { y: 2026 }, more: 1 }
  const answer: Canned = page('splash', [splash(1), bad, 'no row'])
  const list = async (options: ShortLinkClientOptions, call = answer) =>
    connect(await serve(call), options).splash.list()
  const issues = [
    { path: ['data', 'splash', 1, 'id'], message: 'expected an integer, received a string' },
    { path: ['data', 'splash', 1, 'date'], message: 'expected a string, received an object' },
    { path: ['data', 'splash', 2], message: 'expected an object, received a string' },
  ]

  it('is an InvalidResponseError under `strict`, the default, which says where, what was expected and what came', async () => {
    const error = await failure(list({}))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error).toMatchObject({ code: 'invalid_response', status: 200, outcome: 'unknown', attempts: 1, issues })
    expect(error.message).toBe(
      'GET /splash: the answer does not fit: data.splash.1.id: expected an integer, received a string; data.splash.1.date: expected a string, received an object; data.splash.2: expected an object, received a string',
    )
    expect((error as InvalidResponseError).body).toEqual(answer.body)
  })

  it('is returned as it came under `report`, and `onDrift` hears of it without values', async () => {
    const drifts: Drift[] = []
    const { items } = await list({ validation: 'report', onDrift: (drift) => drifts.push(drift) })
    expect(items).toEqual([splash(1), bad, 'no row'])
    expect(drifts).toEqual([{ method: 'GET', path: '/splash', issues }])
  })

  it('is returned as it came under `off`, which reads the envelope only', async () => {
    const rows = [{ ...splash(1), id: '1' }, { id: '1' }, 'no row']
    const onDrift = vi.fn()
    const { items } = await list({ validation: 'off', onDrift }, page('splash', rows, { result: 'many' }))
    expect(items).toEqual(rows)
    expect(onDrift).not.toHaveBeenCalled()
    const refused = connect(await serve({ body: { error: 1, message: 'No' } }), { validation: 'off' }).splash.list()
    expect(await failure(refused)).toMatchObject({ code: 'api' })
  })

  it('onDrift is not called where everything fits', async () => {
    const onDrift = vi.fn()
    await list({ validation: 'report', onDrift }, page('splash', [splash(1)]))
    expect(onDrift).not.toHaveBeenCalled()
  })

  it.each([
    ['an account without `data`', { error: 0 }, (c: ShortLinkClient) => c.account.get(), ['data']],
    [
      'a created thing without an id',
      { error: 0 },
      (c: ShortLinkClient) => c.domains.create({ domain: 'https://a.example' }),
      ['id'],
    ],
    [
      'a list without its key',
      { error: 0, data: { ...(page('x', []).body as object), result: 1, currentpage: 1, maxpage: 1, perpage: 15 } },
      (c: ShortLinkClient) => c.qr.list(),
      ['data', 'qrs'],
    ],
    [
      'a count with a fraction',
      { error: 0, details: { ...qr, scans: 1.5 } },
      (c: ShortLinkClient) => c.qr.get(1),
      ['details', 'scans'],
    ],
    [
      'a count in a map that is a text',
      { error: 0, details: qr, data: { ...statistics, topOs: { Linux: 'many' } } },
      (c: ShortLinkClient) => c.qr.get(1),
      ['data', 'topOs', 'Linux'],
    ],
    [
      'an id that JavaScript cannot hold',
      '{"error":0,"id":9007199254740993}',
      (c: ShortLinkClient) => c.domains.create({ domain: 'https://a.example' }),
      ['id'],
    ],
    [
      'a device target that is none',
      {
        ...{ id: 1, shorturl: 's', status: 'private', provider: 'p', domain: 'd' },
        devicetarget: [{ device: 'iPad' }],
      },
      (c: ShortLinkClient) => c.opener.create({ url: 'https://shop.example' }),
      ['devicetarget', 0, 'link'],
    ],
  ])('%s is named with its place', async (_, body, call, path) => {
    const error = await failure(Promise.resolve(read(body, call)))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect((error as InvalidResponseError).issues.map((issue) => issue.path)).toEqual([path])
  })

  it('many issues are cut in the message and complete in `issues`', async () => {
    const error = await failure(list({}, page('splash', Array(40).fill(0))))
    expect(error.message).toMatch(/; and 35 more$/)
    expect((error as InvalidResponseError).issues).toHaveLength(40)
  })
})

describe('client.request', () => {
  const Link = z.object({ shorturl: z.string() })

  it('returns the whole body as it came', async () => {
    const body = { error: '0', id: '5', anything: [1] }
    expect(await read(body, (c) => c.request('GET', '/url/5'))).toEqual(body)
  })

  it('returns what the schema makes of the body', async () => {
    const server = await serve({ body: { error: 0, shorturl: 'https://sho.rt/a', more: 1 } })
    const link = await connect(server).request('POST', '/url/add', {
      json: { url: 'https://shop.example' },
      schema: Link,
    })
    expect(link).toEqual({ shorturl: 'https://sho.rt/a' })
    expect(server.seen[0]!.body.toString()).toBe('{"url":"https://shop.example"}')
  })

  it('throws an InvalidResponseError with the issues of the schema', async () => {
    const error = await failure(
      connect(await serve({ body: { error: 0, shorturl: 5 } })).request('GET', '/url/5', { schema: Link }),
    )
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect((error as InvalidResponseError).issues.map(({ path }) => path)).toEqual([['shorturl']])
  })

  it('returns the body as it came where the schema refuses it under `report`, or is skipped under `off`', async () => {
    const body = { error: 0, shorturl: 5 }
    const drifts: Drift[] = []
    for (const validation of ['report', 'off'] as const) {
      const client = connect(await serve({ body }), { validation, onDrift: (drift) => drifts.push(drift) })
      expect(await client.request('GET', '/url/5', { schema: Link })).toEqual(body)
    }
    expect(drifts).toHaveLength(1)
  })
})
