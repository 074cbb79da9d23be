import { ConfigurationError } from 'shortlink-sdk'
import {
  createSandbox,
  type Deviation,
  deviations,
  type SandboxDialect,
  type SandboxOptions,
} from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'
import { key, now, seed } from '../fixtures/seed.ts'
import { type Row, rows } from './rows.ts'
import { send } from './send.ts'

type Question = Pick<Row, 'request' | 'body' | 'key' | 'type'>

/** Asks a new sandbox once. */
async function ask(dialect: SandboxDialect, question: Question, options: SandboxOptions = {}) {
  const sandbox = createSandbox({ apiKey: key, data: seed, now: () => now, dialect, ...options })
  const response = await send(sandbox, question)
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: await response.json() }
}

/** How one deviation answers a request, and which requests it changes at all. */
interface Example extends Question {
  status?: number
  answer: unknown
  changes: RegExp
}

const lists = /^GET \/(account|domains|overlay|campaigns|channels|channel\/\d|splash|files|pixels|qr|urls)\b/
const news = { id: 1, name: 'News', description: 'All news', color: '#112233', starred: true }
const empty = { id: 2, name: 'Empty', description: '', color: '#445566', starred: false }
const onePage = { result: 2, perpage: 15, currentpage: 1, nextpage: null, maxpage: 1 }
const taken = { request: 'POST /channel/add', body: { name: 'News' } }
const says = 'There is a channel with that name.'
const splash = { id: 1, name: 'Welcome', date: '2025-01-03 09:00:00' }

const refusedKey = {
  request: 'GET /account',
  status: 401,
  answer: { error: 1, message: 'A valid API key is required to use this service.' },
  changes: /^(?!OPENER)/,
}

const examples: Record<Exclude<Deviation, 'bot-wall-beget'>, Example> = {
  'key-as-token': refusedKey,
  'key-raw': refusedKey,
  'limit-refused': {
    request: 'GET /splash?limit=5',
    status: 400,
    answer: { error: 1, message: 'The parameter limit is not known.' },
    changes: /limit=/,
  },
  'limit-ignored': {
    request: 'GET /overlay?limit=1',
    answer: expect.objectContaining({ data: expect.objectContaining({ perpage: 15, maxpage: 1 }) }),
    changes: /limit=/,
  },
  'limit-forgotten': {
    request: 'GET /overlay?limit=1&page=2',
    answer: { error: '0', data: { ...onePage, currentpage: 2, cta: [] } },
    changes: /limit=\d+&page=2/,
  },
  'limit-capped': {
    request: 'GET /splash?limit=100',
    answer: { error: '0', data: { ...onePage, result: 1, perpage: 25, splash: [splash] } },
    changes: /limit=100/,
  },
  'short-ignored': {
    request: 'GET /urls?short=map',
    answer: { error: '0', data: { ...onePage, urls: [expect.anything(), expect.anything()] } },
    changes: /short=/,
  },
  'alias-ignored': {
    request: 'POST /url/add',
    body: { url: 'https://shop.example/new', custom: 'new' },
    answer: { error: 0, id: 3, shorturl: expect.stringMatching(/^https:\/\/sho\.rt\/(?!new$)./) },
    changes: /^(POST \/url\/add|PUT \/url)/,
  },
  'alias-slugged': {
    request: 'POST /url/add',
    body: { url: 'https://shop.example/new', custom: 'Café_au.lait Crème' },
    answer: { error: 0, id: 3, shorturl: 'https://sho.rt/cafe-aulait-creme' },
    changes: /^POST \/url\/add/,
  },
  'alias-case-ignored': {
    request: 'POST /url/add',
    body: { url: 'https://shop.example/new', custom: 'TEA' },
    status: 400,
    answer: { error: 1, message: 'That alias is taken. Please choose another one.' },
    changes: /^POST \/url\/add/,
  },
  'count-too-high': {
    request: 'GET /splash',
    answer: { error: '0', data: { ...onePage, result: 16, maxpage: 2, splash: [splash] } },
    changes: lists,
  },
  'same-url-same-link': {
    request: 'POST /url/add',
    body: { url: 'https://shop.example/tea' },
    answer: { error: 0, id: 1, shorturl: 'https://sho.rt/tea' },
    changes: /^POST \/url\/add/,
  },
  'short-as-list': {
    request: 'GET /urls?short=map',
    answer: { error: '0', data: { ...onePage, result: 1, urls: [expect.objectContaining({ id: 2, alias: 'map' })] } },
    changes: /short=/,
  },
  'extra-keys': {
    request: 'GET /account',
    answer: { error: 0, data: expect.objectContaining({ id: 7, planid: 3 }) },
    changes: /^GET \/(account|campaigns|qr\/\d|url\/\d|urls\?short)/,
  },
  'unknown-types': {
    request: 'GET /overlay',
    answer: {
      error: '0',
      data: {
        ...onePage,
        cta: [expect.objectContaining({ type: 'message' }), expect.objectContaining({ type: 'coupon' })],
      },
    },
    changes: /^GET \/(overlay|pixels)/,
  },
  'absent-as-null': {
    request: 'GET /domains',
    answer: {
      error: '0',
      data: {
        ...onePage,
        domains: [
          expect.objectContaining({ redirectroot: 'https://shop.example' }),
          { id: 2, domain: 'http://two.example', redirectroot: null, redirect404: null },
        ],
      },
    },
    changes: /^GET \/(account|domains)/,
  },
  'absent-as-missing': {
    request: 'GET /domains',
    answer: {
      error: '0',
      data: {
        ...onePage,
        domains: [
          expect.objectContaining({ redirectroot: 'https://shop.example' }),
          { id: 2, domain: 'http://two.example' },
        ],
      },
    },
    changes: /^GET \/(account|domains)/,
  },
  'older-link-rows': {
    request: 'GET /urls?limit=1',
    answer: {
      error: '0',
      data: {
        result: 2,
        perpage: 1,
        currentpage: 1,
        nextpage: 2,
        maxpage: 2,
        urls: [
          {
            id: 1,
            alias: 'tea',
            shorturl: 'https://sho.rt/tea',
            longurl: 'https://shop.example/tea',
            title: 'Tea',
            description: '',
            clicks: 5,
            date: '2025-01-06 09:00:00',
          },
        ],
      },
    },
    changes: /^GET \/urls/,
  },
  'channel-update-echoes': {
    request: 'PUT /channel/1/update',
    body: { starred: false },
    answer: { error: 0, ...news, starred: false },
    changes: /^PUT \/channel/,
  },
  'message-missing': {
    request: 'DELETE /channel/1/delete',
    answer: { error: 0 },
    changes: /^(PUT|DELETE|POST \/(campaign|channel)\/\d+\/assign)/,
  },
  'messages-translated': {
    ...taken,
    status: 400,
    answer: { error: 1, message: 'Die Anfrage ist ungültig.' },
    changes: /./,
  },
  'nextpage-repeats': {
    request: 'GET /splash',
    answer: { error: '0', data: { ...onePage, result: 1, nextpage: 1, splash: [splash] } },
    changes: lists,
  },
  'booleans-as-digits': {
    request: 'GET /channels',
    answer: {
      error: '0',
      data: {
        ...onePage,
        channels: [
          { ...news, starred: 1 },
          { ...empty, starred: 0 },
        ],
      },
    },
    changes: /\/(campaign|channel)/,
  },
  'numbers-as-strings': {
    request: 'GET /channels',
    answer: {
      error: '0',
      data: {
        result: '2',
        perpage: '15',
        currentpage: '1',
        nextpage: null,
        maxpage: '1',
        channels: [
          { ...news, id: '1' },
          { ...empty, id: '2' },
        ],
      },
    },
    changes: /./,
  },
  'ids-sometimes-strings': {
    request: 'GET /channels',
    answer: { error: '0', data: { ...onePage, channels: [news, { ...empty, id: '2' }] } },
    changes: /^(GET|POST|OPENER POST) /,
  },
  'empty-maps-as-lists': {
    request: 'GET /qr/1',
    answer: expect.objectContaining({ data: expect.objectContaining({ clicks: 0, topCountries: [], topOs: [] }) }),
    changes: /^GET \/(qr|url|urls)\b/,
  },
  'empty-maps-as-zero': {
    request: 'GET /url/1',
    answer: expect.objectContaining({
      details: expect.objectContaining({ location: {} }),
      data: expect.objectContaining({ clicks: 5, topCountries: 0, topReferrers: 0, topBrowsers: 0, topOs: 0 }),
    }),
    changes: /^GET \/(qr|url|urls)\b/,
  },
  'lists-with-gaps': {
    request: 'GET /channels',
    answer: { error: '0', data: { ...onePage, channels: { 0: news, 2: empty } } },
    changes: /^(GET|OPENER POST) /,
  },
  'overlay-key': {
    request: 'GET /overlay',
    answer: { error: '0', data: { ...onePage, overlay: [expect.anything(), expect.anything()] } },
    changes: /^GET \/overlay/,
  },
  'campaign-key': {
    request: 'PUT /campaign/1/update',
    body: { name: 'Sale', public: false },
    answer: { error: 0, id: 1, campaign: 'Sale', public: false, rotator: false, list: 'https://sho.rt/u/ann/list-1' },
    changes: /^(POST \/campaign\/add|PUT \/campaign)/,
  },
  'upload-id-under-1': {
    request: 'POST /files/upload/a.txt?custom=a',
    body: new Uint8Array([1]),
    answer: { error: 0, 0: 'id', 1: 3, shorturl: 'https://sho.rt/a' },
    changes: /^POST \/files/,
  },
  'qr-date-under-data': {
    request: 'GET /qr/2',
    answer: expect.objectContaining({
      details: { id: 2, link: 'https://sho.rt/flyer', scans: 3, name: 'Flyer', data: '2025-01-12 09:00:00' },
    }),
    changes: /^GET \/qr\/\d/,
  },
  'link-create-short': {
    request: 'POST /url/add',
    body: { url: 'https://shop.example/new', custom: 'new' },
    answer: { error: 0, short: 'https://sho.rt/new' },
    changes: /^POST \/url\/add/,
  },
  'link-update-short': {
    request: 'PUT /url/1/update',
    body: { title: 'Green tea' },
    answer: { error: 0, id: 1, short: 'https://sho.rt/tea' },
    changes: /^PUT \/url/,
  },
  'social-google': {
    request: 'GET /url/2',
    answer: expect.objectContaining({
      data: expect.objectContaining({ socialCount: { facebook: 1, twitter: 0, google: 0 } }),
    }),
    changes: /^GET \/(url\/|urls\?short)/,
  },
  'error-as-number': {
    request: 'GET /splash',
    answer: { error: 0, data: { ...onePage, result: 1, splash: [splash] } },
    changes: lists,
  },
  'error-as-string': { ...taken, status: 400, answer: { error: '1', message: says }, changes: /./ },
  'error-as-boolean': { ...taken, status: 400, answer: { error: true, message: says }, changes: /./ },
  'error-missing': {
    request: 'GET /splash',
    answer: { data: { ...onePage, result: 1, splash: [splash] } },
    changes: /./,
  },
  'key-refused-with-403': {
    request: 'GET /account',
    key: 'WRONG',
    status: 403,
    answer: { error: 1, message: 'A valid API key is required to use this service.' },
    changes: /^GET \/account/,
  },
  'error-as-status': {
    request: 'GET /url/9',
    status: 404,
    answer: { error: 404, message: 'Link does not exist.' },
    changes: /\/9|\/nowhere|^DELETE \/campaign\/add|short=poster|^POST \/url\/add/,
  },
  'refusals-in-200': { ...taken, answer: { error: 1, message: says }, changes: /./ },
  'rate-headers-hidden': {
    request: 'GET /splash',
    answer: { error: '0', data: { ...onePage, result: 1, splash: [splash] } },
    changes: /^$/,
  },
}

const questions: Question[] = [...rows.filter(({ status }) => status === undefined), ...Object.values(examples)]
/** What the reference answers to each. */
const references = await Promise.all(questions.map((question) => ask('reference', question)))
const names = Object.keys(deviations) as Deviation[]
const inJson = Object.keys(examples) as (keyof typeof examples)[]
/** Those under which the platform reads a request that carries the key as the reference has it. */
const readable = names.filter((name) => !['bot-wall-beget', 'key-as-token', 'key-raw'].includes(name))

describe.each(inJson)('the deviation %s', (name) => {
  const { answer, status, changes, ...question } = examples[name]

  test('answers as its sentence says', async () => {
    const response = await ask([name], question)
    expect(response.body).toEqual(answer)
    expect(response.status).toBe(status ?? 200)
    expect(deviations[name]).toMatch(/^[A-Za-z].*\.$/)
  })

  test('changes nothing else', async () => {
    const changed: string[] = []
    for (const [index, asked] of questions.entries()) {
      const { status, headers, body } = references[index]!
      const compared = Object.entries(headers).filter(
        ([header]) => name !== 'rate-headers-hidden' || !header.startsWith('x-ratelimit-'),
      )
      const reference = { status, headers: Object.fromEntries(compared), body }
      const deviating = await ask([name], asked)
      if (JSON.stringify(deviating) !== JSON.stringify(reference)) changed.push(asked.request)
    }
    expect(changed.filter((request) => !changes.test(request))).toEqual([])
    expect(changed.length > 0).toBe(name !== 'rate-headers-hidden')
  })
})

describe('several deviations', () => {
  const limited = { rateLimit: { requests: 1, interval: 60_000 } }

  test('can all be had at once', async () => {
    for (const question of questions) {
      const { status, body, headers } = await ask(readable, question)
      expect(status === 200 || status === 403).toBe(true)
      expect(body).toBeTypeOf('object')
      expect(headers).not.toHaveProperty('x-ratelimit-limit')
    }
  })

  test('that exclude each other leave one of them', async () => {
    const errorOf = async (dialect: Deviation[], question: Question = taken) =>
      (await ask(dialect, question)).body.error
    expect(await errorOf(['error-as-number', 'error-as-boolean', 'error-as-string'])).toBe(true)
    expect(await errorOf(['error-as-boolean', 'error-missing'], { request: 'GET /splash' })).toBeUndefined()
  })

  test('on limit give way to the first in the list', async () => {
    const perpage = async (...dialect: Deviation[]) =>
      (await ask(dialect, { request: 'GET /splash?limit=40' })).body.data?.perpage
    expect(await perpage('limit-capped', 'limit-forgotten')).toBe(25)
    expect(await perpage('limit-capped', 'limit-ignored')).toBe(15)
    expect(await perpage('limit-capped', 'limit-ignored', 'limit-refused')).toBeUndefined()
  })

  test('of the deployed dialect are those that are common: arrays, error 0, and a string for some ids', async () => {
    expect((await ask('deployed', { request: 'GET /channels' })).body).toEqual({
      error: 0,
      data: { ...onePage, nextpage: 1, channels: [news, { ...empty, id: '2' }] },
    })
    expect(await ask('deployed', taken)).toMatchObject({ status: 200, body: { error: 1, message: says } })
  })

  test('refuse a rate with HTTP 429, or with error 429 in a 200', async () => {
    for (const [dialect, status, retryAfter, body] of [
      [[], 429, '60', { error: 1, message: 'Too many requests. Please wait.' }],
      [['refusals-in-200'], 200, undefined, { error: 429, message: expect.any(String), 'Retry-After': 60 }],
    ] as const) {
      const sandbox = createSandbox({ apiKey: key, now: () => now, dialect, ...limited })
      await send(sandbox, { request: 'GET /account' })
      const response = await send(sandbox, { request: 'GET /account' })
      expect(response.status).toBe(status)
      expect(response.headers.get('Retry-After') ?? undefined).toBe(retryAfter)
      expect(await response.json()).toEqual(body)
    }
  })
})

describe('the key', () => {
  const sent = { Bearer: `Bearer ${key}`, Token: `Token ${key}`, bare: key, 'lower case': `token ${key}`, none: null }
  test.each<[Deviation[], taken: string[], authScheme: string]>([
    [[], ['Bearer'], 'Bearer'],
    [['key-as-token'], ['Token', 'lower case'], 'Token'],
    [['key-raw'], ['bare'], 'raw'],
    [['key-raw', 'key-as-token'], ['Token', 'lower case'], 'Token'],
  ])('with %j is taken as %j, and shown in no request', async (dialect, taken, authScheme) => {
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

describe('the deviation bot-wall-beget', () => {
  const sandbox = createSandbox({ apiKey: key, dialect: ['bot-wall-beget'], data: seed, rateLimit: {} })
  const get = (address: string, headers: Record<string, string> = {}) =>
    sandbox.fetch(address, { headers: { Authorization: `Bearer ${key}`, ...headers }, redirect: 'manual' })

  test('answers every call with a page whose script sets the cookie, and neither does nor counts it', async () => {
    sandbox.fail({ status: 500 })
    const response = await get(`${sandbox.baseUrl}/url/1/delete`)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await response.text()).toContain('document.cookie="beget=begetok; path=/";location.reload();')
    expect(response.headers.get('X-RateLimit-Limit')).toBeNull()
    expect(sandbox.requests).toMatchObject([{ path: '/url/1/delete', status: 200, done: false }])
    expect([sandbox.rateLimit?.remaining, sandbox.pendingFaults.length]).toEqual([30, 1])
    sandbox.reset()
  })

  test.each([
    [{ Cookie: 'beget=begetok' }, true],
    [{ Cookie: 'theme=dark; beget=begetok' }, true],
    [{ 'User-Agent': 'curl/8.5.0' }, true],
    [{ Cookie: 'beget=begetnot' }, false],
    [{ Cookie: 'beget=begetoken' }, false],
    [{ Cookie: 'nobeget=begetok' }, false],
    [{ 'User-Agent': 'not curl' }, false],
  ])('lets a request with %j through: %s', async (headers, passes) => {
    const response = await get(`${sandbox.baseUrl}/account`, headers as Record<string, string>)
    expect((await response.text()).startsWith('{"error":0')).toBe(passes)
  })

  test('comes with the header that a client needs', async () => {
    expect(sandbox.clientOptions.headers).toEqual({ Cookie: 'beget=begetok' })
    expect((await get(`${sandbox.baseUrl}/account`, sandbox.clientOptions.headers)).status).toBe(200)
    expect(createSandbox().clientOptions).not.toHaveProperty('headers')
  })

  test('stands neither before the opener nor before short addresses', async () => {
    expect((await get(`${sandbox.openerUrl}/v3/api`)).status).toBe(405)
    const [link] = sandbox.data.links
    expect((await get(`${link!.domain}/${link!.alias}`)).status).toBe(302)
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
    return { sandbox, ask: async (question: Question) => (await send(sandbox, question)).json() }
  }

  test('an ignored alias is random with each creation, and kept in an update', async () => {
    const { sandbox, ask } = platform(['alias-ignored'])
    const [one, other] = [await ask(add('sale')), await ask(add('sale'))]
    expect(new Set([one.shorturl, other.shorturl, 'https://sho.rt/sale']).size).toBe(3)
    expect(await ask(add('sale', 'PUT /url/1/update'))).toMatchObject({ error: 0, shorturl: 'https://sho.rt/tea' })
    expect(sandbox.data.links.map(({ alias }) => alias)).not.toContain('sale')
  })

  test('a slugged alias is taken in each spelling, and found only as it is stored', async () => {
    const { ask } = platform(['alias-slugged'])
    expect(await ask(add('Sale_May'))).toMatchObject({ error: 0, shorturl: 'https://sho.rt/sale-may' })
    expect(await ask(add('sale may'))).toMatchObject({ error: 1 })
    expect(await ask(add('cafe\u0301'))).toMatchObject({ error: 0, shorturl: 'https://sho.rt/cafe' })
    expect(await ask(found('Sale_May'))).toMatchObject({ error: 1 })
    expect(await ask(found('sale-may'))).toMatchObject({ error: 0, id: 3 })
  })

  test('an alias without case is found and opened in each spelling, and stored as first written', async () => {
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

  test('a count that is too high has an empty page in the middle, and ends before maxpage', async () => {
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

describe('the deviation same-url-same-link', () => {
  const add = async (body: object, dialect: SandboxDialect = ['same-url-same-link']) => {
    const sandbox = createSandbox({ apiKey: key, data: seed, dialect })
    const answer = await (await send(sandbox, { request: 'POST /url/add', body })).json()
    return { id: answer.id, links: sandbox.data.links.length }
  }

  test.each([
    ['the same address', { url: 'https://shop.example/tea' }, { id: 1, links: 2 }],
    ['the same address with other fields', { url: 'https://shop.example/map', title: 'New' }, { id: 2, links: 2 }],
    ['an alias', { url: 'https://shop.example/tea', custom: 'green' }, { id: 3, links: 3 }],
    ['an empty alias', { url: 'https://shop.example/tea', custom: '' }, { id: 1, links: 2 }],
    ['another domain', { url: 'https://shop.example/tea', domain: 'https://one.example' }, { id: 3, links: 3 }],
    ['another address', { url: 'https://shop.example/tea?x=1' }, { id: 3, links: 3 }],
  ])('answers %s with the link that there is, or a new one', async (_, body, expected) => {
    expect(await add(body)).toEqual(expected)
    expect(await add(body, 'reference')).toEqual({ id: 3, links: 3 })
  })

  test('still wants the key', async () => {
    const sandbox = createSandbox({ apiKey: key, data: seed, dialect: ['same-url-same-link'] })
    const question = { request: 'POST /url/add', body: { url: 'https://shop.example/tea' }, key: 'WRONG' }
    expect((await send(sandbox, question)).status).toBe(401)
  })
})

test.each([
  [['numbers-as-string'], "dialect: there is no deviation 'numbers-as-string', did you mean numbers-as-strings?"],
  [
    ['toString'],
    "dialect: there is no deviation 'toString', `shortlink-sdk sandbox --list-dialects` prints what there is",
  ],
  ['klingon', `dialect: expected 'reference', 'deployed' or a list of deviations, received "klingon"`],
])('the dialect %j is refused', (dialect, message) => {
  const create = () => createSandbox({ dialect: dialect as SandboxDialect })
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(message)
})
