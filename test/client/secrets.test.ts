import { inspect } from 'node:util'
import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  InvalidResponseError,
  LinkConflictError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ShortLinkClient,
  type ShortLinkClientOptions,
  type ShortLinkError,
  TimeoutError,
} from 'shortlink-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/v4/mini'
import { createRedactor, redactBody, redactCause, Secrets } from '../../src/client/secrets.ts'
import { connect, KEY } from '../helpers/client.ts'
import { failure, thrown } from '../helpers/outcome.ts'
import { account, page, splash } from '../helpers/responses.ts'
import { type Canned, serve } from '../helpers/server.ts'

const escaped = (text: string, by: Readonly<Record<string, string>>) =>
  Array.from(text, (sign) => by[sign] ?? sign).join('')
const asIs = (text: string) => text
const lower = (text: string) => text.replace(/%../g, (byte) => byte.toLowerCase())
const strict = (text: string) =>
  escaped(encodeURIComponent(text), { '!': '%21', "'": '%27', '(': '%28', ')': '%29', '*': '%2A' })
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const ascii = (text: string) =>
  json(text).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
const slashes = (text: string) => text.replaceAll('/', '\\/')
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** The spellings of a secret in the output of servers, frameworks and runtimes. */
const echoes: [by: string, spell: (secret: string) => string][] = [
  ['nginx, of a header', asIs],
  ['IIS, of a query', (text) => lower(encodeURIComponent(text))],
  ['a browser, of an address', encodeURI],
  ['PHP, of JSON', (text) => slashes(ascii(text))],
  ['PHP, of an address', strict],
  ['rawurlencode behind a gateway', (text) => lower(strict(text))],
  ['Python, of JSON', ascii],
  ['Python, of an address', (text) => strict(text).replaceAll('%2F', '/')],
  ['Go, of JSON', (text) => escaped(json(text), { '&': '\\u0026', '<': '\\u003c', '>': '\\u003e' })],
  ['JSON within JSON', json],
  ['URL, of a query', (text) => escaped(text, { ' ': '%20', '"': '%22', '<': '%3C', '>': '%3E', '#': '%23' })],
  ['a cookie', base64],
  ['an address with a cookie', (text) => encodeURIComponent(base64(text))],
  ['node-fetch', encodeURIComponent],
]

const kindsOfKeys: Readonly<Record<string, string>> = {
  'of letters and digits': 'k7d92abcdefghi4455667788',
  'in base64': 'q+8f/Zk3T1s0Yw2mB9cXeg==',
  'that is a JWT': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
  'with signs of addresses': 'live~key!a?b=c&d#e:f@(g)*%41',
  'with quotes': KEY,
  'that a visitor types': `Grüße & "Küsse" von Mina's <Tee> 100%`,
  'of eight characters': "tea & 'c",
}

describe('createRedactor', () => {
  it.each(echoes)('removes any key and password from the output of %s', (_, spell) => {
    for (const secret of Object.values(kindsOfKeys)) {
      // Padding at the end of base64 reveals nothing.
      const clean = createRedactor(secret)(`Sent: ${spell(secret)}.`).replace(/\[redacted\](=|%3D)+/, '[redacted]')
      expect(clean).toBe('Sent: [redacted].')
    }
  })

  it('removes each of several secrets wherever it is, the longer one first', () => {
    const redact = createRedactor('secret-1', 'secret-1-2', '')
    expect(redact('secret-1-2, secret-1, secret-1')).toBe('[redacted], [redacted], [redacted]')
  })

  it.each(['Bearer ', 'Token ', 'Basic owner:', 'a'])('removes a key in the base64 of %sKEY', (before) => {
    for (const secret of Object.values(kindsOfKeys)) {
      const header = Buffer.from(`${before}${secret}:x`).toString('base64')
      const [, start = '', end = ''] = /^(.*)\[redacted\](.*)$/.exec(createRedactor(secret)(header)) ?? []
      // The base64 characters before and after it may contain a few bits of the key.
      const left = Buffer.from(`${start}${'A'.repeat(64)}`, 'base64')
        .toString('latin1')
        .replace(/\0.*/, '')
      expect(left.slice(0, before.length)).toBe(before)
      expect(left.length).toBeLessThanOrEqual(before.length + 1)
      expect(header).toContain(start)
      expect(end.length).toBeLessThanOrEqual(5)
    }
  })

  it('removes a key in a mix of spellings, and each of its prefixes of at least twelve characters', () => {
    const key = 'live/k7 d92"abc+ü=efghi'
    const spelled = 'live%2fk7 d92\\"abc%2B\\u00fc=efghi'
    expect(createRedactor(key)(`(${spelled})`)).toBe('([redacted])')
    for (let length = 12; length <= key.length; length++) {
      const beginning = key.slice(0, length)
      for (const text of [beginning, encodeURIComponent(beginning), json(beginning)]) {
        expect(createRedactor(key)(`(${text})`)).toBe('([redacted])')
      }
      // Its last base64 character differs, because less follows.
      expect(createRedactor(key)(base64(beginning))).toMatch(/^\[redacted\][\w+/]?=*$/)
    }
    expect(createRedactor(key)(key.slice(0, 11))).toBe(key.slice(0, 11))
  })

  it.each(['k', '7d', 'k7"', 'a/b%', 'k7d92ab'])('removes a key shorter than eight characters: %s', (key) => {
    const redact = createRedactor(key)
    for (const spell of [asIs, encodeURIComponent, json, base64]) {
      expect(redact(`(${spell(key)})`)).toMatch(/^\(\[redacted\]=*\)$/)
    }
  })

  it('removes overlapping secrets completely, and changes nothing the second time', () => {
    const redact = createRedactor('abcdefgh', 'efghijklmnopqrst', 'redacted', 'act')
    const text = 'abcdefghijklmnopqrst, redacted, act, abcdefghabcdefgh'
    const clean = '[redacted], [redacted], [redacted], [redacted][redacted]'
    expect(redact(text)).toBe(clean)
    expect(redact(clean)).toBe(clean)
  })

  it.each([
    ['of words', 'It was the best of times. '],
    ['of beginnings', 'k7d92abcdef '],
    ['of backslashes', '\\'],
    ['of escapes', '%6b%37'],
    ['of quotes', '"k7"'],
    ['of the key', 'k7d92abcdefghi4455667788'],
  ])('reads a long text %s in linear time', (_, part) => {
    const indexOf = String.prototype.indexOf
    const startsWith = String.prototype.startsWith
    const work = (times: number) => {
      const text = part.repeat(times)
      const redact = createRedactor('k7d92abcdefghi4455667788', '"k7d92" "abc"', `\\${KEY}`)
      let read = 0
      const spies = [
        vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, searched, from = 0) {
          const at = indexOf.call(this, searched, from)
          read += (at === -1 ? this.length : at) - from + 1
          return at
        }),
        vi.spyOn(String.prototype, 'startsWith').mockImplementation(function (this: string, searched, from) {
          read++
          return startsWith.call(this, searched, from)
        }),
      ]
      redact(text)
      for (const spy of spies) spy.mockRestore()
      return read
    }
    expect(work(1000)).toBeGreaterThan(part.length * 1000)
    expect(work(2000) / work(1000)).toBeLessThan(2.1)
  })
})

describe('Secrets', () => {
  it('redacts keys of any length, and passwords from eight characters on, because any text may contain shorter ones', () => {
    const secrets = new Secrets(9)
    secrets.add('k7d9')
    for (const password of ['test', '400', 'seven77', 'eight888']) secrets.addPassword(password)
    expect(secrets.redact('latest news, 400, seven77, eight888, k7d9')).toBe(
      'latest news, 400, seven77, [redacted], [redacted]',
    )
    expect(secrets.redactData('eight888, k7d9')).toBe('[redacted], k7d9')
  })

  it('redacts the newest secrets, and shared ones', () => {
    const shared = new Secrets(2)
    const secrets = new Secrets(9, shared)
    for (const key of ['key-1', 'key-2', 'key-1', 'key-3']) shared.add(key)
    expect(secrets.redact('key-1 key-2 key-3')).toBe('[redacted] key-2 [redacted]')
    secrets.add('key-2')
    expect(secrets.redact('key-1 key-2 key-3')).toBe('[redacted] [redacted] [redacted]')
    shared.add('key-4')
    expect(secrets.redact('key-1 key-2 key-3 key-4')).toBe('key-1 [redacted] [redacted] [redacted]')
  })
})

describe('redactBody', () => {
  const redact = createRedactor(KEY)

  it('removes a secret from strings and keys, and changes nothing else', () => {
    const body = {
      id: 12345678,
      [KEY]: [`Bearer ${KEY}`, null, true],
      tea: { kind: 'green', note: encodeURIComponent(KEY) },
    }
    const clean = {
      id: 12345678,
      '[redacted]': ['Bearer [redacted]', null, true],
      tea: { kind: 'green', note: '[redacted]' },
    }
    expect(redactBody(redact, body)).toEqual(clean)
    expect(redactBody(redact, `the ${KEY}`)).toBe('the [redacted]')
  })

  it('keeps the first 256 kB of a string, and no part of a secret at its end', () => {
    const room = 256 * 1024 - 20
    expect(redactBody(redact, `${'-'.repeat(room)}${KEY}${'-'.repeat(100_000)}`)).toBe(
      `${'-'.repeat(room)}[redacted]----------…`,
    )
  })
})

/** Returns everything that a log could print of a value: all depths, hidden properties, getters, JSON, and text. */
function printed(value: unknown): string {
  const all = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true, maxStringLength: null }
  const texts = [inspect(value, all), inspect(value, { ...all, customInspect: false }), String(value)]
  return [...texts, JSON.stringify(value) ?? '', ...strings(value)].join('\n')
}

/** Returns every string that is reachable from a value, including names, without escapes. */
function strings(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  const entries = value instanceof Headers || value instanceof Map || value instanceof Set ? [...value] : []
  const names = Reflect.ownKeys(value)
  const inner = [...entries, ...names.map((name) => Reflect.get(value, name))]
  return [...names.map(String), ...inner.flatMap((part) => strings(part, seen))]
}

/** The key in the spellings that a server may send. */
const spellings = [asIs, ...echoes.map(([, spell]) => spell)].map((spell) => spell(KEY).replace(/=+$/, ''))

function expectNoKey(value: unknown): void {
  const text = printed(value)
  for (const spelling of spellings) expect(text).not.toContain(spelling)
}

/** Creates a response with the key in every place. */
const echo = (canned: Canned = {}): Canned => ({
  statusText: `No ${KEY}`,
  headers: { 'X-Key': KEY, 'X-Url': `https://sho.rt/?key=${encodeURIComponent(KEY)}` },
  ...canned,
  body: canned.body ?? {
    error: 1,
    message: `Key ${KEY} is wrong`,
    log: JSON.stringify({ key: KEY }),
    tried: [{ [KEY]: `Bearer ${KEY}` }, encodeURIComponent(KEY)],
  },
})

describe('the key appears nowhere', () => {
  it.each<[of: string, options: ShortLinkClientOptions]>([
    ['a string key', { apiKey: KEY }],
    ['a key function', { apiKey: () => KEY }],
  ])('in the client and its parts, with %s', async (_, options) => {
    const client = connect(await serve({ body: account }), { ...options, rateLimit: {} })
    await client.account.get()
    for (const value of [client, ...Object.values(client), client.rateLimit, client.withOptions({ timeout: 5 })]) {
      expectNoKey(value)
      expect(Object.getOwnPropertySymbols(value).map(String).join()).not.toContain(KEY)
    }
  })

  const classes: [type: new (...args: never[]) => ShortLinkError, canned: Canned][] = [
    [ApiError, { status: 400 }],
    [AuthenticationError, { status: 401 }],
    [NotFoundError, { status: 404 }],
    [RateLimitError, { status: 429 }],
    [ServerError, { status: 502, body: `<p>${KEY} ${encodeURIComponent(KEY)}</p>` }],
    [ApiError, { status: 301, headers: { location: `https://new.example/${KEY}?key=${encodeURIComponent(KEY)}` } }],
    [ApiError, { status: 302, headers: { location: `//${KEY}:80:80` } }],
    [InvalidResponseError, { body: `{"error":0,"data":{"key":${JSON.stringify(KEY)}` }],
    [InvalidResponseError, { body: `{"error":0,"data":{"key":"${KEY.replaceAll('/', '\\/').replaceAll('"', '\\"')}` }],
    [InvalidResponseError, { body: { error: 0, data: { ...account.data, id: KEY, [KEY]: KEY } } }],
  ]

  it.each(classes.map(([type, canned]) => [type.name, canned, type] as const))(
    'in %s for %o',
    async (_, canned, type) => {
      const error = await failure(connect(await serve(echo(canned))).account.get())
      expect(error.constructor).toBe(type)
      expectNoKey(error)
      const { headers } = error as ApiError
      if (headers) expectNoKey([...headers])
    },
  )

  it('in ConfigurationError', async () => {
    const made = (options: ShortLinkClientOptions) => {
      try {
        new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: KEY, ...options })
      } catch (error) {
        return error
      }
      return expect.fail('It should have been refused')
    }
    const errors = [
      made({ apiKey: `${KEY}\n` }),
      made({ apiKey: { key: KEY } as never }),
      made({ baseUrl: KEY }),
      made({ baseUrl: `https://user:${encodeURIComponent(KEY)}@sho.rt` }),
      made({ baseUrl: `https://sho.rt/?${KEY}` }),
      made({ headers: { 'x-key': `${KEY}\r\n` } }),
      made({ timeout: KEY as never, validation: KEY as never, fetch: KEY as never, retry: KEY as never }),
    ]
    for (const error of errors) {
      expect(error).toBeInstanceOf(ConfigurationError)
      expectNoKey(error)
    }
    for (const apiKey of [() => `${KEY}\n`, () => Promise.resolve(`${KEY} `)]) {
      expectNoKey(await failure(connect({ origin: 'https://sho.rt' }, { apiKey }).account.get()))
    }
    const missing = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: KEY })
    expectNoKey(await failure(missing.opener.create({ url: 'https://shop.example' })))
  })

  it('in InvalidRequestError if it was put into a parameter or a path', async () => {
    const client = connect({ origin: 'https://sho.rt' })
    const calls = [
      () => client.pixels.create({ type: KEY as never, name: 'a', tag: 'b' }),
      () => client.channels.assignItem(1, KEY as never, 2),
      () => client.account.update({ email: 5 as never, password: { KEY } as never }),
      () => client.opener.create({ url: KEY }),
      () => client.domains.delete(KEY as never),
      () => client.request('GET', `/urls?key=${KEY}`),
      () => client.request('GET', `/urls/../${encodeURIComponent(KEY)}`),
      () => client.request(KEY as never, '/urls'),
      () => client.request('POST', `/${encodeURIComponent(KEY)}`, { json: { id: 5n } }),
      () => client.files.upload(KEY, KEY as never),
      () => client.account.get({ headers: { key: `${KEY}\n` } }),
    ]
    for (const call of calls) {
      const error = await failure(call())
      expect(error).toBeInstanceOf(InvalidRequestError)
      expectNoKey(error)
    }
  })

  it('in an error whose path contains it', async () => {
    const server = await serve({ status: 404 }, { status: 404 }, page('urls', [], { currentpage: 3 }))
    const path = `/url/${encodeURIComponent(KEY)}`
    expectNoKey(await failure(connect(server).request('GET', path)))
    expectNoKey(await failure(connect(server).files.upload(KEY, new Blob(['a']))))
    expectNoKey(await failure(connect(server).paginate(path, { listKey: 'urls', query: { page: 2 } })))
  })

  it('in the issues of a schema that quotes invalid values', async () => {
    const quoting = z.custom<never>(() => false, { error: ({ input }) => `refused ${JSON.stringify(input)}` })
    const server = await serve(page('urls', [{ key: KEY }]))
    expectNoKey(await failure(connect(server).request('GET', '/urls', { schema: quoting })))
    expectNoKey(await failure(connect(server).paginate('/urls', { listKey: 'urls', schema: quoting })))
  })

  it('in TimeoutError and ConnectionError', async () => {
    const slow = await failure(connect(await serve(() => undefined), { timeout: 20 }).account.get())
    expect(slow).toBeInstanceOf(TimeoutError)
    expectNoKey(slow)
    const lost = await failure(connect(await serve((_, destroy) => void destroy())).account.get())
    expect(lost).toBeInstanceOf(ConnectionError)
    expectNoKey(lost)
  })

  it('in the error of a fetch that contains the request', async () => {
    const fetch = (_: string, { headers }: { headers: Record<string, string> }) => {
      const { authorization } = headers
      const cause = Object.assign(new Error(`sent ${authorization}`), { config: { authorization } })
      const error = new Error(`failed: ${authorization}`, { cause })
      throw Object.assign(error, { name: `Error of ${authorization}`, code: `E_${authorization}`, request: headers })
    }
    const error = await failure(connect({ origin: 'https://sho.rt' }, { fetch }).account.get())
    expect(error.cause).toMatchObject({ message: 'failed: Bearer [redacted]', name: 'Error of Bearer [redacted]' })
    expectNoKey(error)
  })

  it('in the events of observers', async () => {
    const told: unknown[] = []
    const tell = (event: unknown) => told.push(event)
    const server = await serve(
      echo({ status: 429, headers: { 'Retry-After': '0' } }),
      echo({ status: 503, headers: { 'Retry-After': '0' } }),
      echo({ body: { error: 0, data: { ...account.data, id: KEY, status: { [KEY]: KEY } } } }),
    )
    const observers = { onRequest: tell, onResponse: tell, onRetry: tell, onDrift: tell }
    const client = connect(server, { retry: 2, validation: 'report', ...observers })
    await client.account.get()
    await client.request('GET', `/url/${encodeURIComponent(KEY)}`, { query: { key: KEY } }).safe()
    expect(told).toHaveLength(3 + 3 + 2 + 1 + 2)
    for (const event of told) expectNoKey(event)
  })

  it('in a result, its Response and its promise', async () => {
    const call = connect(await serve({ body: account })).account.get()
    expectNoKey(call)
    expectNoKey(await call.withResponse())
    expectNoKey(await call.safe())
  })

  it('in a list and its walk', async () => {
    const list = connect(await serve(page('splash', [splash(1)]))).splash.list()
    for (const value of [list, list.pages(), list[Symbol.asyncIterator](), await list]) expectNoKey(value)
  })

  it('if a key function returns another key each time: none of the last four keys', async () => {
    // No key begins like another, because beginnings are redacted too.
    const keys = ['one', 'two', 'three', 'four', 'five'].map((name) => `${name}-${KEY}`)
    const all = keys.join(' ')
    const server = await serve({ status: 503, headers: { 'Retry-After': '0' }, body: { error: 1, message: all } })
    let count = 0
    const client = connect(server, { apiKey: () => keys[count++]!, retry: 4 })
    const error = await failure(client.account.get())
    expect(error.message).not.toContain(KEY)
    expect(client.redact(all)).toBe(`${keys[0]} [redacted] [redacted] [redacted] [redacted]`)
  })
})

describe('a key in the environment', () => {
  const key = 'live-k7d92abcdefghi4455667788'

  afterEach(() => {
    vi.unstubAllEnvs()
  })

  /** Returns the error message of the first call, before anything is sent. */
  const firstError = async (
    variables: Record<string, string>,
    call: (client: ShortLinkClient) => PromiseLike<unknown> = (client) => client.account.get(),
  ) => {
    const all = { SHORTLINK_BASE_URL: 'https://sho.rt/api', SHORTLINK_API_KEY: key, ...variables }
    for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
    return failure(call(new ShortLinkClient()))
  }
  const expectNothingOf = (error: unknown) => expect(printed(error)).not.toContain(key.slice(0, 12))

  it.each([
    { SHORTLINK_AUTH_SCHEME: `Bearer ${key}` },
    { SHORTLINK_RATE_LIMIT: key },
    { SHORTLINK_LOG: key },
    { SHORTLINK_BASE_URL: key },
    { SHORTLINK_BASE_URL: `sho.rt/${key}` },
    { SHORTLINK_BASE_URL: key, SHORTLINK_API_KEY: 'https://sho.rt/api' },
    { SHORTLINK_BASE_URL: `${key}:1`, SHORTLINK_API_KEY: 'https://sho.rt/api' },
    { SHORTLINK_API_KEY: `Bearer ${key}` },
  ])('is not shown by the error of %o', async (variables) => {
    expectNothingOf(await firstError(variables))
  })

  it('is not shown in the opener’s address', async () => {
    const opener = (client: ShortLinkClient) => client.opener.create({ url: 'https://shop.example' })
    expectNothingOf(await firstError({ SHORTLINK_OPENER_URL: key }, opener))
    expectNothingOf(await firstError({ SHORTLINK_OPENER_URL: `${key}:1` }, opener))
  })

  it('is not shown if it is given as a parameter, or to the constructor', async () => {
    expectNothingOf(await firstError({}, (client) => client.qr.get(key)))
    expectNothingOf(await firstError({}, (client) => client.links.create({ url: key })))
    vi.stubEnv('SHORTLINK_API_KEY', key)
    expectNothingOf(await thrown((async () => new ShortLinkClient({ logLevel: key as never }))()))
  })
})

describe('the key that a call was sent with', () => {
  it('is redacted in its error, even with many calls with other keys in flight', async () => {
    const waiting: (() => void)[] = []
    let count = 0
    const apiKey = () => `tenant-key-number-${count++}-of-many`
    const echo = (_: string, { headers }: { headers: Record<string, string> }) =>
      new Promise<Response>((resolve) => {
        waiting.push(() => resolve(Response.json({ error: 1, message: `no ${headers.authorization}` })))
        if (waiting.length === 12) for (const respond of waiting) respond()
      })
    const client = connect({ origin: 'https://sho.rt' }, { apiKey, fetch: echo })
    const errors = await Promise.all(Array.from({ length: 12 }, () => failure(client.account.get())))
    for (const { message } of errors) expect(message).toBe('GET /account: no Bearer [redacted]')
  })

  it.each([12, 15, 20, 27])('is redacted if the server sends its first %i characters', async (length) => {
    const key = 'k7d92abcdefghi4455667788ABCD'
    const message = `Authorization: Bearer ${key.slice(0, length)}`
    const server = await serve({
      status: 500,
      body: `<b>Fatal error</b> auth('${key.slice(0, length)}...') ${message}`,
    })
    const error = await failure(connect(server, { apiKey: key }).account.get())
    expect(printed(error)).not.toContain(key.slice(0, 12))
  })
})

it('a password of 400 is not confused with the 400 of a refusal', async () => {
  const url = 'https://shop.example/tea'
  const link = { id: 7, alias: 'tea', shorturl: 'https://sho.rt/tea', longurl: url }
  const taken = { body: { error: 400, message: 'This alias is taken' } }
  const server = await serve(page('urls', []), taken, page('urls', [link]))
  const ensured = await connect(server).links.ensure({ url, custom: 'tea', password: '400' })
  expect(ensured).toMatchObject({ id: 7, shorturl: 'https://sho.rt/tea', created: false })
})

describe('a text is redacted before it is truncated: no beginning of the key appears', () => {
  const origin = 'https://sho.rt'
  /** Returns the error of a call whose fetch responds with a Response, or throws an Error. */
  const errorOf = (response: Response | Error, options: ShortLinkClientOptions = {}) => {
    const fetch = async () => {
      if (response instanceof Error) throw response
      return response
    }
    return failure(connect({ origin }, { fetch, retry: 0, ...options }).account.get())
  }
  const refusing = (message: string) => ({
    '~standard': { version: 1 as const, vendor: 'test', validate: () => ({ issues: [{ message, path: [message] }] }) },
  })
  const made = async (options: ShortLinkClientOptions) => new ShortLinkClient({ apiKey: KEY, ...options })

  /** The places where a text is truncated, and an error that contains the text there. */
  const places: [where: string, errorWith: (text: string) => unknown][] = [
    ['a message', (message) => errorOf(Response.json({ error: 1, message }))],
    ['a status text', (statusText) => errorOf(new Response('', { status: 500, statusText }))],
    ['a body that is not JSON', (text) => errorOf(new Response(`OK ${text}`))],
    ['a web page', (text) => errorOf(new Response(`<p>${text}`, { status: 502 }))],
    ['a redirect', (text) => errorOf(new Response(null, { status: 301, headers: { location: `/${text}` } }))],
    [
      'the path of a relative redirect',
      (text) => {
        const fetch = async () => new Response(null, { status: 301, headers: { location: '?' } })
        return failure(connect({ origin }, { fetch }).request('GET', `/${encodeURIComponent(text)}`))
      },
    ],
    ['an error of fetch', (text) => errorOf(new Error('no', { cause: new Error(text) }))],
    ['the address', (text) => errorOf(new Response('<p>'), { baseUrl: `${origin}/${encodeURIComponent(text)}` })],
    [
      'an error of the key function',
      (text) => {
        const keys = [KEY]
        const apiKey = () => keys.pop() ?? Promise.reject(new Error(text))
        const client = connect({ origin }, { apiKey, fetch: async () => Response.json(account) })
        return client.account.get().then(() => failure(client.account.get()))
      },
    ],
    [
      'an error of a stream',
      (text) => {
        const content = new ReadableStream({ pull: () => Promise.reject(new Error(text)) })
        const fetch = (_: string, init: RequestInit) => new Response(init.body).text().then(() => new Response(''))
        return failure(connect({ origin }, { fetch: fetch as never }).files.upload('a', content))
      },
    ],
    ['a parameter', (text) => failure(connect({ origin }).pixels.create({ type: text as never, name: 'a', tag: 'b' }))],
    [
      'an issue of a schema',
      (text) => {
        const client = connect({ origin }, { fetch: async () => Response.json({ error: 0 }) })
        return failure(client.request('GET', '/urls', { schema: refusing(text) }))
      },
    ],
    [
      'a conflict',
      (text) =>
        new LinkConflictError({ shorturl: text, longurl: text }, { redact: createRedactor(KEY) }, [
          { shorturl: text, longurl: text },
        ]),
    ],
    ['an option', (text) => thrown(made({ validation: text as never }))],
    ...['SHORTLINK_LOG', 'SHORTLINK_RATE_LIMIT', 'SHORTLINK_AUTH_SCHEME'].map((name): (typeof places)[number] => [
      name,
      (text) => {
        vi.stubEnv(name, text)
        const fetch = async () => Response.json(account)
        return failure(new ShortLinkClient({ baseUrl: origin, apiKey: KEY, fetch }).account.get())
      },
    ]),
  ]

  afterEach(() => void vi.unstubAllEnvs())

  it.each(places)('in %s', async (_, errorWith) => {
    for (const most of [100, 200, 300, 600, 2000, 4000]) {
      for (let length = most - 60; length <= most + 5; length += 5) {
        const { message } = (await errorWith(`${'x'.repeat(length)}${KEY}`)) as Error
        expect(message).not.toContain(KEY.slice(0, 3))
      }
    }
  })

  it.each(['message', 'type'])('in a short %s with many keys', async (where) => {
    const texts = [50, 100, 150].map((times) => `${KEY} `.repeat(times).trim())
    for (const text of texts) {
      const { message } =
        where === 'type'
          ? await failure(connect({ origin }).pixels.create({ type: text as never, name: 'a', tag: 'b' }))
          : await errorOf(Response.json({ error: 1, message: text }))
      expect(message).toContain('[redacted]')
      expect(message).not.toContain(KEY.slice(0, 3))
    }
  })
})

it.each(['k7d9', 'k7"d9', '1'])('a key shorter than eight characters appears in no error: %s', async (apiKey) => {
  const said = `no ${apiKey}, ${encodeURIComponent(apiKey)}, ${json(apiKey)}, ${base64(apiKey)}.`
  const server = await serve({
    status: 403,
    statusText: said,
    headers: { 'x-said': said },
    body: { error: 1, message: said },
  })
  const error = (await failure(connect(server, { apiKey }).account.get())) as ApiError
  const clean = 'no [redacted], [redacted], [redacted], [redacted]'
  expect(error.serverMessage.replaceAll('=', '')).toBe(`${clean}.`)
  expect(error.headers.get('x-said')?.replaceAll('=', '')).toBe(`${clean}.`)
  expect(JSON.stringify(error.body).replaceAll('=', '')).toContain(clean)
})

it('the data of a success are as the server sent them, also if it repeats the key', async () => {
  const server = await serve({ body: { error: 0, data: { ...account.data, username: KEY } } })
  expect((await connect(server).account.get()).username).toBe(KEY)
})

it('the key does not appear in the status text, the headers and the URL of withResponse()', async () => {
  const headers = { 'x-echo': encodeURIComponent(KEY), 'x-other': 'stays' }
  const server = await serve({ body: account, statusText: `Bearer ${KEY}`, headers })
  const { response } = await connect(server)
    .request('GET', '/account', { query: { key: KEY } })
    .withResponse()
  expectNoKey(response)
  expectNoKey([...response.headers])
  expect(response.statusText).toBe('Bearer [redacted]')
  expect(response.headers.get('x-other')).toBe('stays')
})

describe('a password among the parameters', () => {
  it.each([301, 302, 307, 308])(
    'is redacted by its name in the error of a redirect with %i, even if it is short',
    async (status) => {
      const server = await serve(({ url }) => ({
        status,
        headers: { location: `https://new.example${url}` },
        body: `<a href="https://new.example${url?.replaceAll('&', '&amp;')}">moved</a>`,
      }))
      const params = { name: 'a', password: 'tea7' }
      const error = await failure(connect(server).files.upload('a.txt', new Blob(['a']), params))
      expect(printed(error)).not.toContain('tea7')
      expect((error as ApiError).headers.get('location')).toMatch(/[?&]password=\[redacted\]$/)
    },
  )

  const password = 'Grüße & "Küsse" 100%'
  const told: unknown[] = []
  const tell = (event: unknown) => void told.push(event)
  const observers = { onRequest: tell, onResponse: tell, onRetry: tell, onError: tell }

  it('is sent, and appears in no error, event or log line of an upload', async () => {
    const lines: string[] = []
    const logger = { error: () => {}, warn: () => {}, info: () => {}, debug: (line: string) => void lines.push(line) }
    const server = await serve({ status: 429, headers: { 'Retry-After': '0' }, body: { error: 1, message: password } })
    const client = connect(server, { retry: 1, logger, logLevel: 'debug', ...observers })
    const error = await failure(client.files.upload('a.txt', new Blob(['a']), { password }))
    expect(new URL(server.seen[0]!.url, 'http://sho.rt').searchParams.get('password')).toBe(password)
    expect(error.url).toMatch(/\/files\/upload\/a\.txt\?password=\[redacted\]$/)
    expect(told).toHaveLength(2 + 2 + 1 + 1)
    for (const text of [error, ...told, lines].map(printed)) expect(text).not.toMatch(/Gr(ü|%C3%BC)|K(ü|%C3%BC)sse/i)
  })

  it.each(['a', 'ab', '1'])('does not appear in the address of an upload, even if it is %s', async (short) => {
    const server = await serve({ status: 400, body: { error: 1, message: 'no' } })
    const error = await failure(connect(server).files.upload('b.txt', new Blob(['b']), { password: short }))
    expect(new URL(server.seen[0]!.url, 'http://sho.rt').searchParams.get('password')).toBe(short)
    expect(error.url).toMatch(/\/files\/upload\/b\.txt\?password=\[redacted\]$/)
  })

  it.each([password, 'ab'])('does not appear in the response of an upload: %s', async (secret) => {
    const server = await serve({ body: { error: 0, id: 3, shorturl: 'https://sho.rt/tea' } })
    const { response } = await connect(server)
      .files.upload('a.txt', new Blob(['a']), { password: secret })
      .withResponse()
    expect(server.seen[0]!.url).toContain(encodeURIComponent(secret))
    expect(response.url).toBe('')
    expect(response.status).toBe(200)
  })

  it('appears in no error of an account update', async () => {
    const server = await serve({
      status: 422,
      body: { error: 1, message: `${password} is too short`, sent: { password } },
    })
    const error = await failure(connect(server).account.update({ password }))
    expect(printed(error)).not.toMatch(/Gr(ü|\\u00fc)ße/)
  })
})

describe('a server’s text in a terminal or a log', () => {
  const hostile = 'no\r\nERROR forged \u001b[31mred\u001b[0m \u202Etxt.exe\u2028end \u009b2J'
  const signs = /[\p{Cc}\p{Cf}\u2028\u2029]/u

  it('is one line without control characters in the message of a refusal', async () => {
    const error = await failure(
      connect(await serve({ status: 400, body: { error: 1, message: hostile } })).account.get(),
    )
    expect(error.message).toBe('GET /account: 400 no ERROR forged \ufffd[31mred\ufffd[0m \ufffdtxt.exe end \ufffd2J')
  })

  it('is the same in the paths and messages of a drift', async () => {
    const drifts: { path: readonly (string | number)[]; message: string }[] = []
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) => ({
          issues: [{ message: hostile, path: Object.keys(value as object).slice(-1) }],
        }),
      },
    }
    const client = connect(await serve({ body: { error: 0, [hostile]: 1 } }), {
      validation: 'report',
      onDrift: ({ issues }) => void drifts.push(...issues),
    })
    await client.request('GET', '/urls', { schema })
    expect(drifts).toHaveLength(1)
    expect(JSON.stringify(drifts)).toMatch('ERROR forged')
    for (const { path, message } of drifts)
      for (const text of [...path, message]) expect(String(text)).not.toMatch(signs)
  })
})

describe('the key is not sent', () => {
  it('to the opener, unless openerAuth is bearer', async () => {
    const server = await serve({ body: { error: 1 } })
    await thrown(connect(server).opener.create({ url: 'https://shop.example' }))
    await thrown(connect(server, { openerAuth: 'bearer' }).opener.create({ url: 'https://shop.example' }))
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, `Bearer ${KEY}`])
  })

  it('to the target of a redirect', async () => {
    const other = await serve({ body: account })
    const server = await serve({ status: 307, headers: { location: other.origin } })
    await failure(connect(server).account.get())
    expect(other.seen).toEqual([])
  })
})

describe('redactCause', () => {
  const redact = createRedactor(KEY)
  const copyOf = (thrown: unknown) => redactCause(redact, thrown) as Error & { code?: unknown }

  it('keeps four causes', () => {
    let thrown = new Error('innermost')
    for (let depth = 9; depth >= 0; depth--) thrown = new Error(`error ${depth}`, { cause: thrown })
    const messages: string[] = []
    for (let error: unknown = copyOf(thrown); error instanceof Error; error = error.cause) messages.push(error.message)
    expect(messages).toEqual(['error 0', 'error 1', 'error 2', 'error 3', 'error 4'])
  })
})
