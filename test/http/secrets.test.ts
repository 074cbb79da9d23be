import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ApiKey } from '../../src/http/api-key.ts'
import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  createRateLimiter,
  InvalidRequestError,
  InvalidResponseError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ShortLinkClient,
  type ShortLinkClientOptions,
  type ShortLinkError,
  TimeoutError,
} from '../../src/index.ts'
import { account, page, splash } from '../helpers/answers.ts'
import { connect, KEY } from '../helpers/client.ts'
import { failure, thrown } from '../helpers/outcome.ts'
import { type Canned, serve } from '../helpers/server.ts'

/** A character at a time, as a server may spell the key. */
const each = (spell: (code: number) => string) =>
  Array.from(KEY, (character) => spell(character.charCodeAt(0))).join('')
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')

/** The key as servers spell it inside of other texts. */
const otherSpellings = {
  base64: btoa(KEY),
  'base64 behind a user name': btoa(`owner:${KEY}`),
  base64url: Buffer.from(KEY).toString('base64url'),
  'HTML entities': KEY.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  'numeric HTML entities': each((code) => `&#${code};`),
  'unicode escapes': each((code) => `\\u${hex(code, 4)}`),
  'percent-encoding in lower case': encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase()),
  'full percent-encoding': each((code) => `%${hex(code, 2)}`),
  'percent-encoding, twice': encodeURIComponent(encodeURIComponent(KEY)),
}

const spellings = [
  ...Object.values(otherSpellings),
  KEY,
  encodeURIComponent(KEY),
  encodeURI(KEY),
  JSON.stringify(KEY).slice(1, -1),
  JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/'),
  new URL(`https://sho.rt/?${KEY}`).search.slice(1),
]

/** Everything that a log could print of a value: all depths, hidden properties, getters, JSON, text, and what is inside. */
function printed(value: unknown): string {
  const all = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true, maxStringLength: null }
  const texts = [inspect(value, all), inspect(value, { ...all, customInspect: false }), String(value)]
  return [...texts, JSON.stringify(value) ?? '', ...strings(value)].join('\n')
}

/** Every string that can be reached from a value, names included, as it is and not as a printer escapes it. */
function strings(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  const entries = value instanceof Headers || value instanceof Map || value instanceof Set ? [...value] : []
  const names = Reflect.ownKeys(value)
  const inner = [...entries, ...names.map((name) => Reflect.get(value, name))]
  return [...names.map(String), ...inner.flatMap((part) => strings(part, seen))]
}

function expectNoKey(value: unknown): void {
  const text = printed(value)
  for (const spelling of spellings) expect(text).not.toContain(spelling)
}

/** An answer that says the key in every place there is. */
const echo = (answer: Canned = {}): Canned => ({
  statusText: `No ${KEY}`,
  headers: { 'X-Key': KEY, 'X-Url': `https://sho.rt/?key=${encodeURIComponent(KEY)}` },
  ...answer,
  body: answer.body ?? {
    error: 1,
    message: `Key ${KEY} is wrong`,
    log: JSON.stringify({ key: KEY }),
    tried: [{ [KEY]: `Bearer ${KEY}` }, encodeURIComponent(KEY)],
  },
})

it('expectNoKey fails wherever the key is hidden', () => {
  const error = Object.assign(new Error('x'), { request: new Request('https://sho.rt', { headers: { a: KEY } }) })
  for (const value of [
    error,
    { a: [{ b: KEY }] },
    new Headers({ a: KEY }),
    new Error(KEY),
    {
      get key() {
        return KEY
      },
    },
  ]) {
    expect(() => expectNoKey(value)).toThrow()
  }
})

describe('the key appears nowhere', () => {
  it.each<[of: string, options: ShortLinkClientOptions]>([
    ['a key that is a string', { apiKey: KEY }],
    ['a key that a function gives', { apiKey: () => KEY }],
  ])('in the client and its parts, with %s', async (_, options) => {
    const client = connect(await serve({ body: account }), { ...options, rateLimit: createRateLimiter() })
    await client.account.get()
    for (const value of [client, ...Object.values(client), client.rateLimit, client.withOptions({ timeout: 5 })]) {
      expectNoKey(value)
      expect(Object.getOwnPropertySymbols(value).map(String).join()).not.toContain(KEY)
    }
  })

  const classes: [type: new (...args: never[]) => ShortLinkError, answer: Canned][] = [
    [ApiError, { status: 400 }],
    [ApiError, { body: { error: `the key ${KEY} is wrong` } }],
    [AuthenticationError, { status: 401 }],
    [PermissionError, { status: 403 }],
    [NotFoundError, { status: 404 }],
    [RateLimitError, { status: 429 }],
    [ServerError, { status: 500 }],
    [ServerError, { status: 502, body: `<p>${KEY} ${encodeURIComponent(KEY)}</p>` }],
    [ApiError, { status: 301, headers: { location: `https://new.example/${KEY}?key=${encodeURIComponent(KEY)}` } }],
    [ApiError, { status: 302, headers: { location: `//${KEY}:80:80` } }],
    [InvalidResponseError, { body: `{"error":0,"data":{"key":${JSON.stringify(KEY)}` }],
    [InvalidResponseError, { body: `{"error":0,"data":{"key":"${KEY.replaceAll('/', '\\/').replaceAll('"', '\\"')}` }],
    [InvalidResponseError, { body: { error: 0, data: { ...account.data, id: KEY, [KEY]: KEY } } }],
    [InvalidResponseError, { body: [KEY] }],
    [InvalidResponseError, { body: JSON.stringify(`${KEY}`) }],
  ]

  it.each(classes.map(([type, answer]) => [type.name, answer, type] as const))(
    'in %s for %o',
    async (_, answer, type) => {
      const error = await failure(connect(await serve(echo(answer))).account.get())
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

  it('in InvalidRequestError if somebody put it into a parameter or a path', async () => {
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
      () => client.request('GET', `/urls`, { query: { [KEY]: 'a\ud800' } }),
      () => client.files.upload(KEY, KEY as never),
      () => client.account.get({ headers: { [KEY]: KEY } }),
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

  it('in the error about a page that was not asked for', async () => {
    const server = await serve(page('splash', [{ ...splash(1), name: KEY, [KEY]: KEY }], { currentpage: 3 }))
    const error = await failure(connect(server).splash.list({ page: 2 }))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expectNoKey(error)
  })

  it('in the issues of a schema that quotes what it refuses', async () => {
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

  it('in what a hostile fetch throws, whatever carries it there', async () => {
    class HostileError extends Error {
      readonly request: Request
      constructor(request: Request) {
        const authorization = request.headers.get('authorization')
        super(`failed: ${authorization}`, {
          cause: Object.assign(new Error(`${authorization}`), { config: { authorization } }),
        })
        this.request = request
        this.name = `HostileError ${authorization}`
        Object.assign(this, {
          code: `E_${authorization}`,
          [Symbol('request')]: request,
          toJSON: () => ({ authorization }),
        })
      }
      [inspect.custom]() {
        return this.request.headers.get('authorization')
      }
    }
    const throwing: ((request: Request) => unknown)[] = [
      (request) => new HostileError(request),
      (request) => new AggregateError([new HostileError(request)], 'all failed'),
      (request) => ({ request, key: request.headers.get('authorization') }),
      (request) => `${request.headers.get('authorization')}`,
      (request) => [request.headers.get('authorization')],
      (request) => new DOMException(`${request.headers.get('authorization')}`, 'NetworkError'),
      (request) => {
        let error: Error = new HostileError(request)
        for (let depth = 0; depth < 12; depth++) error = new Error(`${depth}`, { cause: error })
        return error
      },
    ]
    for (const toThrow of throwing) {
      const fetch = (input: RequestInfo | URL) => Promise.reject(toThrow(input as Request))
      const error = await failure(connect({ origin: 'https://sho.rt' }, { fetch }).account.get())
      expect(error).toBeInstanceOf(ConnectionError)
      expectNoKey(error)
    }
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

  it('in an answer, its Response and its promise', async () => {
    const call = connect(await serve({ body: account })).account.get()
    expectNoKey(call)
    expectNoKey(await call.withResponse())
    expectNoKey(await call.safe())
  })

  it('in a list and its walk', async () => {
    const list = connect(await serve(page('splash', [splash(1)]))).splash.list()
    for (const value of [list, list.pages(), list[Symbol.asyncIterator](), await list]) expectNoKey(value)
  })

  it('if a key function returns another key each time: none of the last four', async () => {
    let count = 0
    const apiKey = () => `${KEY}-${count++}`
    const all = Array.from({ length: 4 }, (_, index) => `${KEY}-${index}`).join(' ')
    const server = await serve({ status: 503, headers: { 'Retry-After': '0' }, body: { error: 1, message: all } })
    const error = await failure(connect(server, { apiKey, retry: 3 }).account.get())
    expect(error.message).not.toContain(KEY)
  })

  it('if a key function returns a key again: it counts as the newest', async () => {
    const given = ['first', 'second', 'third', 'fourth', 'first', 'fifth']
    const key = new ApiKey(() => given.shift() as string, undefined)
    for (let call = 0; call < 6; call++) await key.authorization()
    expect(key.redact('fifth first fourth third')).toBe('[redacted] [redacted] [redacted] [redacted]')
    // Whatever a key function returns, memory stays bounded.
    expect(key.redact('second')).toBe('second')
  })
})

describe.each(Object.entries(otherSpellings))('the key in %s', (_, spelling) => {
  it.each<[place: string, answer: Canned]>([
    ['the message of an error', { body: { error: 1, message: `Wrong key: ${spelling}` } }],
    ['the body of an error', { status: 400, body: { error: 1, message: 'No', sent: { deep: [spelling] } } }],
    ['an HTML page', { status: 502, body: `<p>${spelling}</p>` }],
    ['an answer that is not JSON', { body: `{"key":"${spelling}` }],
    ['a header of an error', { status: 400, headers: { 'x-echo': spelling } }],
    ['the address of a redirect', { status: 302, headers: { location: `https://new.example/?key=${spelling}` } }],
    ['rows that do not fit', { body: { error: 0, data: { ...account.data, id: spelling, [spelling]: [spelling] } } }],
  ])('does not appear in the error for %s', async (_, answer) => {
    const error = await failure(connect(await serve(answer)).account.get())
    expectNoKey(error)
    expectNoKey([...((error as ApiError).headers ?? [])])
  })

  it('does not appear in the headers of withResponse()', async () => {
    const server = await serve({ body: account, headers: { 'x-echo': spelling, 'x-other': 'stays' } })
    const { response } = await connect(server).account.get().withResponse()
    expectNoKey([...response.headers])
    expect(response.headers.get('x-other')).toBe('stays')
  })

  it('does not appear in the error for an argument', async () => {
    const client = connect({ origin: 'https://sho.rt' })
    expectNoKey(await failure(client.pixels.create({ type: spelling as never, name: 'a', tag: 'b' })))
    expectNoKey(await failure(client.campaigns.list().toArray({ limit: spelling as never })))
    expectNoKey(await failure(client.request('GET', `/urls?${spelling}`)))
  })
})

it.each(Object.entries(otherSpellings))(
  'the key in %s does not appear where a message is cut in it',
  async (_, spelling) => {
    for (let room = 20; room < spelling.length; room += 5) {
      const message = `${'.'.repeat(300 - room)}${spelling}`
      const error = await failure(connect(await serve({ status: 400, body: { error: 1, message } })).account.get())
      // In base64, a user name may stand before it.
      expect(error.message).not.toContain(spelling.slice(8, 18))
    }
  },
)

it.each(['expected', 'an', 'of', 'links', 'option', 'headers', 'meant', 'is'])(
  'a key that is the word `%s` leaves the sentences of errors whole, and is removed from what they quote',
  async (apiKey) => {
    const client = connect({ origin: 'https://sho.rt' }, { apiKey })
    const rejections: [error: unknown, message: string][] = [
      [
        await failure(client.channels.assignItem(1, apiKey === 'links' ? ('x' as never) : (apiKey as never), 2)),
        `expected one of links, bio, qr, received "${apiKey === 'links' ? 'x' : '[redacted]'}"`,
      ],
      [await failure(client.campaigns.list().toArray({ limit: apiKey as never })), 'received "[redacted]"'],
      [await failure(client.links.find(5 as never)), 'expected a string that is not empty, received 5'],
      [await failure(client.request('GET', 'account')), 'did you mean "/account"?'],
      [
        await failure(client.account.get({ headers: { 'a b': 'c' } })),
        'expected names and values of headers, each a line without control characters, received an object: "a b" is invalid',
      ],
      [
        await failure((async () => new ShortLinkClient({ apiKey, validation: apiKey as never }))()),
        'validation: expected one of strict, report, off, received "[redacted]"',
      ],
      [
        await failure((async () => new ShortLinkClient({ apiKey, logger: null as never }))()),
        'logger: expected an object with the functions error, warn, info and debug, received null',
      ],
    ]
    for (const [error, message] of rejections) expect((error as Error).message).toContain(message)
  },
)

it('the beginning of the key does not appear if an error cuts a long argument in the middle of it', async () => {
  for (let length = 30; length < 60; length++) {
    const type = 'x'.repeat(length) + KEY
    const { message } = await failure(
      connect({ origin: 'https://sho.rt' }).pixels.create({ type: type as never, name: 'a', tag: 'b' }),
    )
    expect(message).not.toContain(KEY.slice(0, 4))
  }
})

describe('the key in another part of a response', () => {
  const plainKey = 'k7d92abcdefghi4455667788'
  const echo = { statusText: `Bearer ${plainKey}`, headers: { [`x-${plainKey}`]: '1', 'x-other': 'stays' } }

  it('does not appear in the status text and in the names of headers of withResponse()', async () => {
    const client = connect(await serve({ body: account, ...echo }), { apiKey: plainKey })
    const { response } = await client.account.get().withResponse()
    expect(printed(response)).not.toContain(plainKey)
    expect(response.statusText).toBe('Bearer [redacted]')
    expect(response.headers.get('x-other')).toBe('stays')
  })

  it('does not appear in the names of headers of an error', async () => {
    const client = connect(await serve({ status: 400, ...echo }), { apiKey: plainKey })
    const error = await failure(client.account.get())
    expect(printed([...(error as ApiError).headers])).not.toContain(plainKey)
    expect((error as ApiError).headers.get('x-other')).toBe('stays')
  })

  it('does not appear in the address of the response', async () => {
    const client = connect(await serve({ body: account }), { apiKey: plainKey })
    const { response } = await client.request('GET', '/account', { query: { key: plainKey } }).withResponse()
    expect(printed(response)).not.toContain(plainKey)
  })
})

describe('a password among the parameters', () => {
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

  it('is left in a text if it has two characters or less, which any word may contain', async () => {
    const server = await serve({ status: 422, body: { error: 1, message: 'password: abc, but absent is ab' } })
    const messageFor = async (password: string) =>
      (await failure(connect(server).account.update({ password }))).message.slice('PUT /account/update: 422 '.length)
    expect(await messageFor('ab')).toBe('password: abc, but absent is ab')
    expect(await messageFor('abc')).toBe('password: [redacted], but absent is ab')
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

describe('what a server says to a terminal or a log', () => {
  const hostile = 'no\r\nERROR forged \u001b[31mred\u001b[0m \u202Etxt.exe\u2028end \u009b2J'
  const signs = /[\p{Cc}\p{Cf}\u2028\u2029]/u

  it('is in one line without control characters in the message of a refusal', async () => {
    const error = await failure(
      connect(await serve({ status: 400, body: { error: 1, message: hostile } })).account.get(),
    )
    expect(error.message).toBe('GET /account: 400 no ERROR forged \ufffd[31mred\ufffd[0m \ufffdtxt.exe end \ufffd2J')
  })

  it('is so in the log, and in the reason of a retry', async () => {
    const lines: string[] = []
    const line = (text: string) => void lines.push(text)
    const logger = { error: line, warn: line, info: line, debug: line }
    const server = await serve({ status: 503, headers: { 'Retry-After': '0' }, body: { error: 1, message: hostile } })
    await failure(connect(server, { retry: 1, logger, logLevel: 'debug' }).account.get())
    expect(lines.join('')).toMatch('ERROR forged')
    for (const text of lines) expect(text).not.toMatch(signs)
  })

  it('is so in the paths and messages of a drift', async () => {
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

  it('is so in the cause of a connection that failed', async () => {
    const fetch = () => Promise.reject(Object.assign(new Error(hostile), { code: hostile }))
    const error = await failure(connect({ origin: 'https://sho.rt' }, { fetch }).account.get())
    const { message, code } = error.cause as Error & { code: string }
    for (const text of [error.message, message, code]) expect(text).not.toMatch(signs)
  })
})

describe('a polluted Object.prototype', () => {
  const names =
    'baseUrl openerUrl fetch apiKey headers prefixUrl redirect method url href origin credentials dispatcher proxy json body query content api address send searchParams'
  it.each(names.split(' '))('with `%s` does not divert the key', async (name) => {
    const evil = await serve({ body: account })
    const evilFetch = (_: unknown, init?: RequestInit) => fetch(evil.origin, init)
    const server = await serve({ body: account })
    const options = { baseUrl: `${server.origin}/api`, apiKey: KEY, retry: 0, rateLimit: false as const }
    const value =
      name === 'fetch' || name === 'send'
        ? evilFetch
        : name === 'headers'
          ? { authorization: 'Bearer evil', host: 'evil.example' }
          : evil.origin
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true, enumerable: false })
    try {
      const client = new ShortLinkClient(options)
      await client.account.get().safe()
      await client.campaigns.create({ name: 'a' }).safe()
      await client.campaigns.list().safe()
    } finally {
      Reflect.deleteProperty(Object.prototype, name)
    }
    expect(evil.seen).toEqual([])
    for (const { headers } of server.seen) expect(headers.authorization).toBe(`Bearer ${KEY}`)
  })
})

describe('where the key goes', () => {
  it('not to the opener, unless asked', async () => {
    const server = await serve({ body: { error: 1 } })
    await thrown(connect(server).opener.create({ url: 'https://shop.example' }))
    await thrown(connect(server, { openerAuth: 'bearer' }).opener.create({ url: 'https://shop.example' }))
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, `Bearer ${KEY}`])
  })

  it('not to the address that a redirect names', async () => {
    const other = await serve({ body: account })
    const server = await serve({ status: 307, headers: { location: other.origin } })
    await failure(connect(server).account.get())
    expect(other.seen).toEqual([])
  })
})
