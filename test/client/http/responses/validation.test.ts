import { type Drift, InvalidResponseError, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { Campaign, Domain, Link, LinkDetails, OpenerLink, QrDetails, QrStatistics } from 'shortlink-sdk/schemas'
import { describe, expect, it, vi } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { account, page, splash } from '../../../helpers/responses.ts'
import { type Canned, serve } from '../../../helpers/server.ts'

/** Returns the result of a call whose server responds with this body. */
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

describe('a value in the spelling of some servers', () => {
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
  ])('the boolean %j is read as %j', async (flag, expected) => {
    expect(await read(page('campaigns', [{ ...campaign, public: flag }]).body, oneCampaign)).toEqual({
      ...campaign,
      public: expected,
    })
  })

  it.each([
    [false, false],
    [0, false],
    ['0', false],
    ['', false],
    [null, false],
    [undefined, false],
    ['https://sho.rt/r/spring', 'https://sho.rt/r/spring'],
    [2026, '2026'],
  ])('the rotator %j is read as %j', async (rotator, expected) => {
    expect(await read(page('campaigns', [{ ...campaign, rotator }]).body, oneCampaign)).toEqual({
      ...campaign,
      rotator: expected,
    })
  })

  it('a date stays a string, unchanged', async () => {
    const dates = ['2026-03-29 02:30:00', '0000-00-00 00:00:00', '2026-02-30 25:61:61']
    const rows = dates.map((date, index) => ({ ...splash(index + 1), date }))
    const { items } = await connect(await serve(page('splash', rows))).splash.list()
    expect(items.map(({ date }) => date)).toEqual(dates)
  })

  it.each([[[]], [{}], [0], ['0'], [null], [''], [undefined]])('the map %j is read as an empty map', async (topOs) => {
    const result = await read({ error: 0, details: qr, data: { ...statistics, topOs } }, (c) => c.qr.get(1))
    expect(result).toEqual({ details: qr, data: statistics })
  })

  it('an object without keys, which is sent as `[]`, is read with the default values', async () => {
    const result = await read({ error: 0, details: qr, data: { ...statistics, socialCount: [] } }, (c) => c.qr.get(1))
    expect(result).toEqual({ details: qr, data: statistics })
  })

  it.each([[null], [''], [[]], [undefined]])('the statistics %j are read as undefined', async (data) => {
    expect(await read({ error: 0, details: qr, data }, (c) => c.qr.get(1))).toEqual({ details: qr, data: undefined })
  })
})

describe('a field under the name of some servers', () => {
  it.each(['name', 'domain', 'campaign'])('the name of a campaign under `%s` is read as `name`', async (key) => {
    const { name, ...rest } = campaign
    expect(await read({ error: 0, ...rest, [key]: name }, (c) => c.campaigns.create({}))).toEqual(campaign)
  })

  it('an alternative name is an ordinary field if the documented name is present', async () => {
    const body = { error: 0, ...campaign, domain: 'https://go.example' }
    expect(await read(body, (c) => c.campaigns.create({}))).toEqual({ ...campaign, domain: 'https://go.example' })
  })

  it('an invalid row has its documented names too, and the odd field as it came', async () => {
    const row = { ...campaign, name: undefined, domain: 'Spring', public: 'maybe' }
    const client = connect(await serve(page('campaigns', [row])), { validation: 'report' })
    expect((await client.campaigns.list()).items).toEqual([{ ...campaign, name: 'Spring', public: 'maybe' }])
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
  ])('the id of an upload is 123 if the response is %j', async (body) => {
    const result = await read({ error: 0, ...body }, (c) => c.files.upload('a.txt', new Blob(['a'])))
    expect(result).toMatchObject({ id: 123, shorturl: 'https://sho.rt/a' })
  })
})

describe('the envelope of a success', () => {
  it.each([[0], ['0'], [''], [false], [null], [undefined], [[]]])('`error: %j` is a success', async (error) => {
    expect(await read({ ...account, error }, (c) => c.account.get())).toEqual(account.data)
  })

  it.each([
    ['an empty list as null', { result: 0, maxpage: 0 }, null, []],
    ['an empty list as an empty object', { result: '0', maxpage: '0' }, {}, []],
    ['a list with gaps', { result: 2 }, { '12': splash(2), '0': splash(1) }, [splash(1), splash(2)]],
  ])('%s is a list', async (_, numbers, rows, items) => {
    expect((await connect(await serve(page('splash', rows, numbers))).splash.list()).items).toEqual(items)
  })

  it('a page is plain data that survives JSON', async () => {
    const list = await connect(await serve(page('splash', [splash(1)]))).splash.list()
    expect(JSON.parse(JSON.stringify(list))).toStrictEqual(list)
  })
})

it('fields with the names of Object’s members are harmless, and all but `__proto__` are kept', async () => {
  const text = `{"error":0,"data":{"__proto__":{"polluted":1},"constructor":"x",${JSON.stringify(account.data).slice(1)}}`
  const result = await connect(await serve({ body: text })).account.get()
  expect(Object.keys(result)).toContain('constructor')
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

describe('a response that does not match its documented type', () => {
  const bad = { ...splash(2), id: 'two', name: 5, date: { y: 2026 }, more: 1 }
  const response: Canned = page('splash', [splash(1), bad, 'no row'])
  const list = async (options: ShortLinkClientOptions, call = response) =>
    connect(await serve(call), options).splash.list()
  const issues = [
    { path: ['data', 'splash', 1, 'id'], message: 'expected an integer, received a string', code: 'invalid' },
    { path: ['data', 'splash', 1, 'date'], message: 'expected a string, received an object', code: 'invalid' },
    { path: ['data', 'splash', 2], message: 'expected an object, received a string', code: 'invalid' },
  ]

  it('fails with an InvalidResponseError with `strict`, the default: it has the paths and the expected and received types', async () => {
    const error = await failure(list({}))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error).toMatchObject({ code: 'invalid_response', status: 200, outcome: 'unknown', attempts: 1, issues })
    expect(error.message).toBe(
      'GET /splash: invalid response: data.splash.1.id: expected an integer, received a string; data.splash.1.date: expected a string, received an object; data.splash.2: expected an object, received a string',
    )
    expect((error as InvalidResponseError).body).toEqual(response.body)
  })

  it('has its matching fields converted with `report`, and `onDrift` receives the issues without values', async () => {
    const drifts: Drift[] = []
    const { items } = await list({ validation: 'report', onDrift: (drift) => drifts.push(drift) })
    expect(items).toEqual([splash(1), { ...bad, name: '5' }, 'no row'])
    expect(drifts).toEqual([{ method: 'GET', path: '/splash', issues }])
  })

  it('is read as `validation` of the call says, in either direction', async () => {
    const onDrift = vi.fn()
    const strict = connect(await serve(response), { onDrift })
    expect((await strict.splash.list({}, { validation: 'report' })).items).toHaveLength(3)
    expect(onDrift).toHaveBeenCalledTimes(1)
    const reporting = connect(await serve(response), { validation: 'report', onDrift })
    expect(await failure(reporting.splash.list({}, { validation: 'strict' }))).toMatchObject({ reason: 'schema' })
    expect(onDrift).toHaveBeenCalledTimes(1)
  })

  it('fails in a lookup whatever `validation` says', async () => {
    const body = { error: 0, details: { id: 'one', shorturl: 'https://sho.rt/tea' } }
    const client = connect(await serve({ body }), { validation: 'report' })
    const error = await failure(client.links.find('tea', { validation: 'report' }))
    expect(error).toMatchObject({ reason: 'schema' })
  })

  it('succeeds with one drift for a client that has an `openerUrl` alone', async () => {
    const drifts: Drift[] = []
    const body = { error: 0, id: 'one', shorturl: 's', status: 's', provider: 'p', domain: 'd', devicetarget: [] }
    const { origin } = await serve({ body })
    const client = new ShortLinkClient({
      ...{ openerUrl: origin, apiKey: null, validation: 'report' },
      onDrift: (drift) => drifts.push(drift),
    })
    expect(await client.opener.create({ url: 'https://shop.example' })).toMatchObject({ id: 'one', status: 's' })
    expect(drifts).toMatchObject([{ method: 'POST', path: '/v3/api', issues: [{ path: ['id'] }] }])
  })

  it('does not call onDrift if everything matches', async () => {
    const onDrift = vi.fn()
    await list({ validation: 'report', onDrift }, page('splash', [splash(1)]))
    expect(onDrift).not.toHaveBeenCalled()
  })

  const visits = (changed: object) => ({ error: 0, details: qr, data: { ...statistics, ...changed } })
  const opened = (devicetarget: unknown) => ({
    ...{ id: 1, shorturl: 's', status: 'private', provider: 'p', domain: 'd' },
    devicetarget,
  })
  const getQr = (c: ShortLinkClient) => c.qr.get(1)
  const createDomain = (c: ShortLinkClient) => c.domains.create({ domain: 'https://a.example' })
  const createCampaign = (c: ShortLinkClient) => c.campaigns.create({})
  const createLink = (c: ShortLinkClient) => c.opener.create({ url: 'https://shop.example' })
  const pageOfQr = { result: 1, perpage: 15, currentpage: 1, nextpage: null, maxpage: 1 }

  it.each<[name: string, body: unknown, call: (c: ShortLinkClient) => PromiseLike<unknown>, issue: string]>([
    ['an account without `data`', { error: 0 }, (c) => c.account.get(), 'data: is missing, expected an object'],
    ['a creation without an id', { error: 0 }, createDomain, 'id: is missing, expected an integer'],
    [
      'an id above the largest safe integer',
      '{"error":0,"id":9007199254740993}',
      createDomain,
      'id: expected an integer, received a number',
    ],
    [
      'a word for a boolean',
      { ...campaign, public: 'yes' },
      createCampaign,
      'public: expected a boolean, received a string',
    ],
    [
      'a list without its key',
      { error: 0, data: pageOfQr },
      (c) => c.qr.list(),
      'data.qrs: is missing, expected a list',
    ],
    [
      'a string for a count in a map',
      visits({ topOs: { Linux: 'many', Windows: 1 } }),
      getQr,
      'data.topOs.Linux: expected an integer, received a string',
    ],
    [
      'an invalid device target',
      opened([{ device: 'iPad' }]),
      createLink,
      'devicetarget.0.link: is missing, expected a string',
    ],
  ])('%s is an issue with its path and the expected type', async (_, body, call, issue) => {
    const error = await failure(Promise.resolve(read(body, call)))
    expect(error).toBeInstanceOf(InvalidResponseError)
    const { issues } = error as InvalidResponseError
    expect(issues.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([issue])
  })

  it('the message has the first issues, and `issues` has all', async () => {
    const error = await failure(list({}, page('splash', Array(40).fill(0))))
    expect(error.message).toMatch(/; and 35 more$/)
    expect((error as InvalidResponseError).issues).toHaveLength(40)
  })

  it.each<[name: string, rows: unknown[], currentpage: number]>([
    ['with one issue each', Array(150).fill(0), 1],
    ['with three issues each', Array(40).fill({}), 1],
  ])('of rows %s, 100 issues are kept', async (_, rows, currentpage) => {
    const server = await serve(page('splash', rows, { currentpage, maxpage: 2 }))
    const error = await failure(connect(server).splash.list({ page: 1 }))
    expect((error as InvalidResponseError).issues).toHaveLength(100)
  })

  it('rows after the hundredth issue are returned unchanged', async () => {
    const rows = [...Array(100).fill(0), { ...splash(1), id: '1' }]
    const { items } = await list({ validation: 'report' }, page('splash', rows))
    expect(items.at(-1)).toEqual({ ...splash(1), id: '1' })
  })
})

describe('900,000 wrong values, more than zod can pass as arguments', () => {
  const many = Array<unknown>(900_000).fill('many')
  const lists = Array<unknown>(900_000).fill([])
  const details = { id: 1, shorturl: 'https://sho.rt/a' }
  const opened = { id: 1, shorturl: 's', status: 's', provider: 'p', domain: 'd' }

  it.each([
    ['of a map of counts', QrStatistics, { ...statistics, topOs: { ...many } }, 100],
    ['of a map of strings', LinkDetails, { details: { ...details, location: { ...lists } } }, 100],
    ['of a list of objects', OpenerLink, { ...opened, devicetarget: many }, 100],
    ['of a list of ids', Link, { ...details, channel: many }, 100],
  ])('%s are reported as at most as many issues as the client keeps', (_, schema, value, count) => {
    expect(schema.safeParse(value).error?.issues).toHaveLength(count)
  })
})

describe('an exported schema', () => {
  it('accepts the same spellings as the client', async () => {
    expect(await Domain['~standard'].validate({ ...domain, id: '1', redirectroot: '' })).toEqual({ value: domain })
  })

  it('returns zod’s issues', async () => {
    const link = { id: 'a', shorturl: 's', status: 'private', provider: 'p', domain: 'd', devicetarget: [0] }
    expect(await OpenerLink['~standard'].validate(link)).toEqual({
      issues: [
        {
          code: 'invalid_type',
          expected: 'number',
          path: ['id'],
          message: 'expected an integer, received a string',
        },
        {
          code: 'invalid_type',
          expected: 'object',
          path: ['devicetarget', 0],
          message: 'expected an object, received a number',
        },
      ],
    })
  })

  it.each([
    ['a map', QrStatistics, { ...statistics, topOs: Object.fromEntries(Array(150).fill('many').entries()) }],
    [
      'a list',
      OpenerLink,
      { id: 1, shorturl: 's', status: 's', provider: 'p', domain: 'd', devicetarget: Array(150).fill(0) },
    ],
  ])('returns at most 100 issues of %s', async (_, schema, value) => {
    expect((await schema['~standard'].validate(value)).issues).toHaveLength(100)
  })

  it('has only the documented names: the client renames fields before parsing', async () => {
    const { name, ...rest } = campaign
    expect(Campaign.safeParse({ ...rest, domain: name }).error?.issues).toMatchObject([
      { path: ['name'], message: 'is missing, expected a string' },
    ])
    const { date, ...code } = qr
    expect(QrDetails.safeParse({ details: { ...code, data: date } }).success).toBe(false)
    expect(Link.safeParse({ id: 1, short: 'https://sho.rt/a' }).success).toBe(false)
    expect(Link.parse({ id: 1, shorturl: 'https://sho.rt/a' }).alias).toBeNull()
  })
})
