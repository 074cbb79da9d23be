import { ConfigurationError } from 'shortlink-sdk'
import {
  createSandbox,
  type Deviation,
  deviations,
  type SandboxDialect,
  type SandboxOptions,
} from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'
import { calls, seed } from '../calls.ts'
import { type Row, rows } from './reference-rows.ts'
import { key, now, send } from './send.ts'

type Call = Pick<Row, 'request' | 'body' | 'key' | 'type'>

/** Returns the response of a new sandbox: the values of its JSON by their paths, the status and a rate header. */
async function readResponse(dialect: SandboxDialect, call: Call): Promise<Record<string, unknown>> {
  const sandbox = createSandbox({ apiKey: key, data: seed, now: () => now, dialect, rateLimit: {} })
  const response = await send(sandbox, call)
  const limit = response.headers.get('X-RateLimit-Limit')
  return Object.fromEntries([['status', response.status], ['limit', limit], ...flatten(await response.json())])
}

function flatten(json: unknown, path: readonly string[] = []): [path: string, value: unknown][] {
  const inner = Object.entries(typeof json === 'object' ? (json ?? {}) : {})
  return inner.length > 0 ? inner.flatMap(([name, value]) => flatten(value, [...path, name])) : [[path.join('.'), json]]
}

/** Returns the values that differ from the reference, and `gone` for missing ones. */
function findDifferences(
  reference: Record<string, unknown>,
  deviating: Record<string, unknown>,
): Record<string, unknown> {
  const paths = [...new Set([...Object.keys(reference), ...Object.keys(deviating)])]
  const differing = paths.filter((path) => JSON.stringify(reference[path]) !== JSON.stringify(deviating[path]))
  return Object.fromEntries(differing.map((path) => [path, deviating[path] === undefined ? gone : deviating[path]]))
}

const gone = 'gone'
const some = (values: Record<string, unknown>): Record<string, unknown> => expect.objectContaining(values)

/** A request, what a deviation changes in the response, and a pattern of other requests that it changes. */
interface Example extends Call {
  to: Record<string, unknown>
  changes: RegExp
}

const listCalls = Object.values(calls).filter(({ wire }) => JSON.stringify(wire).includes('"perpage"'))
const listPatterns = listCalls.map(({ request }) => request.replace(/\?.*/, '').replace(/\d+/, '\\d+'))
/** The requests of lists, and those with a longer path, such as `GET /qr/2`. */
const lists = new RegExp(`^(${listPatterns.join('|')})\\b`)
const taken = { request: 'POST /channel/add', body: { name: 'News' } }
const url = 'https://shop.example/new'
const add = (custom: string) => ({ request: 'POST /url/add', body: { url, custom } })
const aliasTaken = 'That alias is taken. Please choose another one.'

/** Deviations without an example, because they need several requests or another key. They have their own tests. */
type OtherDeviation =
  | 'key-as-token'
  | 'key-raw'
  | 'url-respelled'
  | 'url-cut'
  | 'url-lower-case'
  | 'title-cut'
  | 'update-clears'
  | 'plan-limit'
  | 'alias-as-number'
  | 'order-unstable'

/** For each of the other deviations, a request and what the deviation changes in its response. */
const examples: Record<Exclude<Deviation, OtherDeviation>, Example> = {
  'limit-refused': {
    request: 'GET /splash?limit=5',
    to: some({ status: 400, error: 1, message: 'The parameter limit is not known.' }),
    changes: /limit=/,
  },
  'limit-capped': { request: 'GET /splash?limit=100', to: { 'data.perpage': 25 }, changes: /limit=100/ },
  'short-ignored': {
    request: 'GET /urls?short=map',
    to: some({ id: gone, 'data.result': 2, 'data.urls.0.alias': 'tea', 'data.urls.1.alias': 'map' }),
    changes: /short=/,
  },
  'alias-ignored': {
    ...add('new'),
    to: { shorturl: expect.stringMatching(/^https:\/\/sho\.rt\/(?!new$)./) },
    changes: /^(POST \/url\/add|PUT \/url)/,
  },
  'alias-slugged': {
    ...add('Café_au.lait Crème'),
    to: { shorturl: 'https://sho.rt/cafe-aulait-creme' },
    changes: /^POST \/url\/add/,
  },
  'alias-case-ignored': {
    ...add('TEA'),
    to: { status: 400, error: 1, message: aliasTaken, id: gone, shorturl: gone },
    changes: /^POST \/url\/add/,
  },
  'refused-words': {
    ...add('Xxx-new'),
    to: { status: 400, error: 1, message: 'This alias is not available.', id: gone, shorturl: gone },
    changes: /^POST \/url\/add/,
  },
  'domain-ignored': {
    request: 'POST /url/add',
    body: { url, custom: 'new', domain: 'https://one.example' },
    to: { shorturl: 'https://sho.rt/new' },
    changes: /^POST \/url\/add/,
  },
  'url-ascii': {
    request: 'POST /url/add',
    body: { url: 'https://shop.example/tür' },
    to: { status: 400, error: 1, message: 'Please enter a valid URL.', id: gone, shorturl: gone },
    changes: /^POST \/url\/add/,
  },
  'url-existing': {
    request: 'POST /url/add',
    body: { url: 'https://Shop.example/TEA ', custom: 'new' },
    to: { id: 1, shorturl: 'https://sho.rt/tea' },
    changes: /^POST \/url\/add/,
  },
  'same-url-same-link': {
    request: 'POST /url/add',
    body: { url: 'https://shop.example/tea' },
    to: { id: 1, shorturl: 'https://sho.rt/tea' },
    changes: /^POST \/url\/add/,
  },
  'short-as-list': {
    request: 'GET /urls?short=map',
    to: some({ id: gone, 'data.result': 1, 'data.urls.0.id': 2, 'data.urls.0.alias': 'map' }),
    changes: /short=/,
  },
  'extra-keys': {
    request: 'GET /account',
    to: { 'data.planid': 3 },
    changes: /^GET \/(account|campaigns|qr\/\d|url\/\d|urls\?short)/,
  },
  'unknown-types': {
    request: 'GET /overlay',
    to: { 'data.cta.1.type': 'coupon' },
    changes: /^GET \/(overlay|pixels)/,
  },
  'absent-as-null': {
    request: 'GET /domains',
    to: { 'data.domains.1.redirectroot': null, 'data.domains.1.redirect404': null },
    changes: /^GET \/(account|domains)/,
  },
  'absent-as-missing': {
    request: 'GET /domains',
    to: { 'data.domains.1.redirectroot': gone, 'data.domains.1.redirect404': gone },
    changes: /^GET \/(account|domains)/,
  },
  'older-link-rows': {
    request: 'GET /urls?limit=1',
    to: {
      'data.urls.0.uniqueclicks': gone,
      'data.urls.0.domain': gone,
      'data.urls.0.campaign': gone,
      'data.urls.0.channel.0': gone,
    },
    changes: /^GET \/urls/,
  },
  'channel-update-echoes': {
    request: 'PUT /channel/1/update',
    body: { starred: false },
    to: { message: gone, id: 1, name: 'News', description: 'All news', color: '#112233', starred: false },
    changes: /^PUT \/channel/,
  },
  'message-missing': {
    request: 'DELETE /channel/1/delete',
    to: { message: gone },
    changes: /^(PUT|DELETE|POST \/(campaign|channel)\/\d+\/assign)/,
  },
  'messages-translated': { ...taken, to: { message: 'Die Anfrage ist ungültig.' }, changes: /./ },
  'count-too-high': { request: 'GET /splash', to: { 'data.result': 16, 'data.maxpage': 2 }, changes: lists },
  'nextpage-repeats': { request: 'GET /splash', to: { 'data.nextpage': 1 }, changes: lists },
  'booleans-as-digits': {
    request: 'GET /channels',
    to: { 'data.channels.0.starred': 1, 'data.channels.1.starred': 0 },
    changes: /\/(campaign|channel)/,
  },
  'numbers-as-strings': {
    request: 'GET /splash',
    to: {
      'data.result': '1',
      'data.perpage': '15',
      'data.currentpage': '1',
      'data.maxpage': '1',
      'data.splash.0.id': '1',
    },
    changes: /./,
  },
  'ids-sometimes-strings': {
    request: 'GET /channels',
    to: { 'data.channels.1.id': '2' },
    changes: /^(GET|POST|OPENER POST) /,
  },
  'empty-maps-as-lists': {
    request: 'GET /url/1',
    to: {
      'details.location': [],
      'details.device': [],
      'data.topCountries': [],
      'data.topReferrers': [],
      'data.topBrowsers': [],
      'data.topOs': [],
    },
    changes: /^GET \/(qr|url|urls)\b/,
  },
  'empty-maps-as-zero': {
    request: 'GET /url/1',
    to: { 'data.topCountries': 0, 'data.topReferrers': 0, 'data.topBrowsers': 0, 'data.topOs': 0 },
    changes: /^GET \/(qr|url|urls)\b/,
  },
  'lists-with-gaps': {
    request: 'GET /campaigns',
    to: some({ 'data.campaigns.1.id': gone, 'data.campaigns.2.id': 2 }),
    changes: /^(GET|OPENER POST) /,
  },
  'overlay-key': {
    request: 'GET /overlay',
    to: some({ 'data.cta.0.id': gone, 'data.cta.1.id': gone, 'data.overlay.0.id': 1, 'data.overlay.1.id': 2 }),
    changes: /^GET \/overlay/,
  },
  'campaign-key': {
    request: 'PUT /campaign/1/update',
    body: { name: 'Sale' },
    to: { domain: gone, campaign: 'Sale' },
    changes: /^(POST \/campaign\/add|PUT \/campaign)/,
  },
  'upload-id-under-1': {
    request: 'POST /files/upload/a.txt?custom=a',
    body: new Uint8Array([1]),
    to: { id: gone, 0: 'id', 1: 3 },
    changes: /^POST \/files/,
  },
  'qr-date-under-data': {
    request: 'GET /qr/2',
    to: { 'details.date': gone, 'details.data': '2025-01-12 09:00:00' },
    changes: /^GET \/qr\/\d/,
  },
  'link-update-short': {
    request: 'PUT /url/1/update',
    body: { title: 'Green tea' },
    to: { shorturl: gone, short: 'https://sho.rt/tea' },
    changes: /^PUT \/url/,
  },
  'social-google': {
    request: 'GET /url/2',
    to: { 'data.socialCount.instagram': gone, 'data.socialCount.google': 0 },
    changes: /^GET \/(url\/|urls\?short)/,
  },
  'error-as-number': { request: 'GET /splash', to: { error: 0 }, changes: lists },
  'error-as-string': { ...taken, to: { error: '1' }, changes: /./ },
  'error-as-boolean': { ...taken, to: { error: true }, changes: /./ },
  'error-missing': { request: 'GET /splash', to: { error: gone }, changes: /./ },
  'key-refused-with-403': { request: 'GET /account', key: 'WRONG', to: { status: 403 }, changes: /^GET \/account/ },
  'error-as-status': {
    request: 'GET /url/9',
    to: { error: 404 },
    changes: /\/9|\/nowhere|^DELETE \/campaign\/add|short=poster|^POST \/url\/add/,
  },
  'refusals-in-200': { ...taken, to: { status: 200 }, changes: /./ },
  'rate-headers-hidden': { request: 'GET /splash', to: { limit: null }, changes: /^(?!OPENER)/ },
}

const questions: Call[] = [...rows.filter(({ status }) => status === undefined), ...Object.values(examples)]
/** The responses of the reference. */
const references = await Promise.all(questions.map((question) => readResponse('reference', question)))
const names = Object.keys(examples) as (keyof typeof examples)[]

describe.each(names)('the deviation %s', (name) => {
  const { to, changes, ...question } = examples[name]

  test(`a server with ${name} responds as its description says`, async () => {
    expect(findDifferences(await readResponse('reference', question), await readResponse([name], question))).toEqual(to)
    expect(deviations[name]).toMatch(/^[A-Za-z].*\.$/)
  })

  test(`${name} changes no other call`, async () => {
    for (const [index, asked] of questions.entries()) {
      if (!changes.test(asked.request)) {
        expect([asked.request, await readResponse([name], asked)]).toEqual([asked.request, references[index]])
      }
    }
  })
})

const stored: [name: Deviation, sent: object, kept: object][] = [
  [
    'url-respelled',
    { url: 'https://shop.example/cafe\u0301%c3%a9/?a=1&href=b#menu' },
    { longurl: 'https://shop.example/caf\u00e9%C3%A9?a=1&amp;rel="nofollow" href=b' },
  ],
  [
    'url-cut',
    { url: `https://shop.example/${'a'.repeat(100)}` },
    { longurl: `https://shop.example/${'a'.repeat(59)}` },
  ],
  ['url-lower-case', { url: 'https://shop.example/Tea?A=B' }, { longurl: 'https://shop.example/tea?a=b' }],
  ['title-cut', { url, title: ` <b>Tea</b> ${'a'.repeat(200)}` }, { title: `Tea ${'a'.repeat(187)}` }],
]

test.each(stored)('a server with %s stores links as its description says', async (name, sent, kept) => {
  const sandbox = createSandbox({ apiKey: key, dialect: [name] })
  const created = await send(sandbox, { request: 'POST /url/add', body: sent })
  expect(created.status).toBe(200)
  expect(sandbox.data.links.at(-1)).toMatchObject(kept)
})

test('a server with update-clears clears what an update of a link leaves out', async () => {
  const before = {
    longurl: url,
    domain: 'https://one.example',
    alias: 'tea',
    password: 'hush hush',
    expiry: '2027-01-31 18:00:00',
    geotarget: [{ location: 'fr', link: url }],
  }
  const updated = async (dialect: Deviation[], body: object) => {
    const sandbox = createSandbox({ apiKey: key, dialect, data: { links: [before] } })
    await send(sandbox, { request: 'PUT /url/1/update', body })
    return sandbox.data.links[0]
  }
  expect(await updated([], { title: 'Tea' })).toMatchObject({ ...before, title: 'Tea' })
  expect(await updated(['update-clears'], { title: 'Tea', expiry: before.expiry })).toMatchObject({
    title: 'Tea',
    alias: 'tea',
    expiry: before.expiry,
    password: '',
    domain: 'https://sho.rt',
    geotarget: [],
  })
})

test('a server with plan-limit refuses the sixth link', async () => {
  const sandbox = createSandbox({ apiKey: key, dialect: ['plan-limit'] })
  const statuses: number[] = []
  for (let count = 0; count < 6; count++)
    statuses.push((await send(sandbox, { request: 'POST /url/add', body: { url } })).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 400])
})

test('a server with alias-as-number sends aliases of digits as numbers', async () => {
  const links = ['007', '1e5', 'tea'].map((alias) => ({ alias, longurl: url }))
  const sandbox = createSandbox({ apiKey: key, dialect: ['alias-as-number'], data: { links } })
  const { data } = await (await send(sandbox, { request: 'GET /urls' })).json()
  expect(data.urls.map(({ alias, shorturl }: { alias: unknown; shorturl: string }) => [alias, shorturl])).toEqual([
    [7, 'https://sho.rt/007'],
    [100_000, 'https://sho.rt/1e5'],
    ['tea', 'https://sho.rt/tea'],
  ])
})

test('a server with order-unstable returns links with equal dates in another order on each page', async () => {
  const links = Array.from({ length: 40 }, (_, index) => ({
    alias: `a${index}`,
    longurl: url,
    date: '2026-01-01 12:00:00',
  }))
  const idsOf = async (dialect: Deviation[]) => {
    const sandbox = createSandbox({ apiKey: key, dialect, data: { links } })
    const ids: number[] = []
    for (const page of [1, 2, 3, 4]) {
      const { data } = await (await send(sandbox, { request: `GET /urls?order=date&limit=10&page=${page}` })).json()
      ids.push(...data.urls.map(({ id }: { id: number }) => id))
    }
    return ids
  }
  expect(new Set(await idsOf([])).size).toBe(40)
  const shuffled = await idsOf(['order-unstable'])
  expect(shuffled).toHaveLength(40)
  expect(new Set(shuffled).size).toBeLessThan(40)
})

describe('several deviations', () => {
  test('that exclude each other have the effect of only one', async () => {
    expect((await readResponse(['error-as-number', 'error-as-boolean', 'error-as-string'], taken)).error).toBe(true)
    expect(await readResponse(['error-as-boolean', 'error-missing'], { request: 'GET /splash' })).not.toHaveProperty(
      'error',
    )
  })

  test('of `limit` have the effect of the first in the table', async () => {
    const asked = { request: 'GET /splash?limit=40' }
    expect(await readResponse(['limit-capped', 'limit-refused'], asked)).toMatchObject({ status: 400 })
  })

  test('are combined in the deployed dialect: arrays, error 0, and strings for some ids', async () => {
    const asked = { request: 'GET /channels' }
    const common = { error: 0, 'data.nextpage': 1, 'data.channels.1.id': '2' }
    expect(findDifferences(await readResponse('reference', asked), await readResponse('deployed', asked))).toEqual(
      common,
    )
    expect(await readResponse('deployed', taken)).toMatchObject({ status: 200, error: 1 })
  })
})

test('with refusals-in-200 and a rate limit send error 429 and the wait in the body', async () => {
  const sandbox = createSandbox({
    apiKey: key,
    now: () => now,
    dialect: ['refusals-in-200'],
    rateLimit: { requests: 1 },
  })
  await send(sandbox, { request: 'GET /account' })
  const response = await send(sandbox, { request: 'GET /account' })
  expect([response.status, response.headers.get('Retry-After')]).toEqual([200, null])
  expect(await response.json()).toEqual({ error: 429, message: expect.any(String), 'Retry-After': 60 })
})

describe('the key', () => {
  const sent = { Bearer: `Bearer ${key}`, Token: `Token ${key}`, bare: key, 'lower case': `token ${key}`, none: null }
  test.each<[Deviation[], taken: string[], authScheme: string]>([
    [[], ['Bearer'], 'Bearer'],
    [['key-as-token'], ['Token', 'lower case'], 'Token'],
    [['key-raw'], ['bare'], 'raw'],
    [['key-raw', 'key-as-token'], ['Token', 'lower case'], 'Token'],
  ])('is accepted by a sandbox with %j as %j, and masked in sandbox.requests', async (dialect, taken, authScheme) => {
    const sandbox = createSandbox({ apiKey: key, dialect })
    expect(sandbox.authScheme).toBe(authScheme)
    for (const [form, authorization] of Object.entries(sent)) {
      const headers = new Headers(authorization === null ? {} : { Authorization: authorization })
      const { status } = await sandbox.fetch(`${sandbox.baseUrl}/account`, { headers })
      expect([form, status]).toEqual([form, taken.includes(form) ? 200 : 401])
    }
    expect(JSON.stringify(sandbox.requests)).not.toContain(key)
    expect(sandbox.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer ***',
      'Token ***',
      '***',
      'token ***',
      undefined,
    ])
  })
})

describe('aliases and counts that a server changes', () => {
  const add = (custom: string, request = 'POST /url/add') => ({
    request,
    body: { url: 'https://shop.example/new', custom },
  })
  const found = (short: string) => ({ request: `GET /urls?short=${encodeURIComponent(short)}` })
  const platform = (dialect: Deviation[], options: SandboxOptions = {}) => {
    const sandbox = createSandbox({ apiKey: key, data: seed, dialect, ...options })
    return { sandbox, ask: async (question: Call) => (await send(sandbox, question)).json() }
  }

  test('with alias-ignored, each new link gets a random alias, and an update keeps it', async () => {
    const { sandbox, ask } = platform(['alias-ignored'])
    const [one, other] = [await ask(add('sale')), await ask(add('sale'))]
    expect(new Set([one.shorturl, other.shorturl, 'https://sho.rt/sale']).size).toBe(3)
    expect(await ask(add('sale', 'PUT /url/1/update'))).toMatchObject({ error: 0, shorturl: 'https://sho.rt/tea' })
    expect(sandbox.data.links.map(({ alias }) => alias)).not.toContain('sale')
  })

  test('with alias-slugged, an alias is accepted in any spelling, and found only as stored', async () => {
    const { ask } = platform(['alias-slugged'])
    expect(await ask(add('Sale_May'))).toMatchObject({ error: 0, shorturl: 'https://sho.rt/sale-may' })
    expect(await ask(add('sale may'))).toMatchObject({ error: 1 })
    expect(await ask(add('cafe\u0301'))).toMatchObject({ error: 0, shorturl: 'https://sho.rt/cafe' })
    expect(await ask(found('Sale_May'))).toMatchObject({ error: 1 })
    expect(await ask(found('sale-may'))).toMatchObject({ error: 0, id: 3 })
  })

  test('with alias-case-ignored, an alias is found and opened in any case, and stored as first written', async () => {
    const { sandbox, ask } = platform(['alias-case-ignored'])
    expect(await ask(add('Sale'))).toMatchObject({ error: 0, shorturl: 'https://sho.rt/Sale' })
    expect(await ask(add('sale'))).toMatchObject({ error: 1 })
    expect(await ask(found('https://sho.rt/SALE'))).toMatchObject({
      id: 3,
      details: { shorturl: 'https://sho.rt/Sale' },
    })
    expect((await sandbox.fetch('https://sho.rt/sALE', { redirect: 'manual' })).status).toBe(302)
    expect(await ask({ request: 'PUT /url/3/update', body: { custom: 'SALE' } })).toMatchObject({ error: 0 })
  })

  test('with count-too-high, a list has an empty page in the middle, and ends before maxpage', async () => {
    const pixels = Array.from({ length: 5 }, () => ({}))
    const { ask } = platform(['count-too-high'], { data: { ...seed, pixels } })
    const pages = [1, 2, 3, 4].map((page) => ask({ request: `GET /pixels?limit=2&page=${page}` }))
    expect((await Promise.all(pages)).map(({ data }) => [data.pixels.length, data.nextpage, data.maxpage])).toEqual([
      [2, 2, 4],
      [0, 3, 4],
      [1, null, 4],
      [0, null, 4],
    ])
    expect((await ask({ request: 'GET /files' })).result).toBe(17)
    expect((await ask({ request: 'GET /channel/2' })).data.result).toBe(0)
  })
})

test.each([
  ['the same address with other fields', { url: 'https://shop.example/map', title: 'New' }, 2],
  ['an empty alias', { url: 'https://shop.example/tea', custom: '' }, 1],
  ['an alias', { url: 'https://shop.example/tea', custom: 'green' }, 3],
  ['another domain', { url: 'https://shop.example/tea', domain: 'https://one.example' }, 3],
  ['another address', { url: 'https://shop.example/tea?x=1' }, 3],
])('with same-url-same-link, %s returns the existing link or a new one', async (_, body, id) => {
  expect(await readResponse(['same-url-same-link'], { request: 'POST /url/add', body })).toMatchObject({ id })
})

test.each([
  [['numbers-as-string'], "dialect: there is no deviation 'numbers-as-string', did you mean numbers-as-strings?"],
  [['toString'], "dialect: there is no deviation 'toString', `deviations` of shortlink-sdk/testing lists them all"],
  ['klingon', `dialect: expected 'reference', 'deployed' or a list of deviations, received "klingon"`],
])('the dialect %j is rejected', (dialect, message) => {
  const create = () => createSandbox({ dialect: dialect as SandboxDialect })
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(message)
})
