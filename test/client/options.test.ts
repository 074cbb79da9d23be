import { ConfigurationError, InvalidRequestError, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { becomeBrowser } from '../helpers/browser.ts'
import { connect, KEY } from '../helpers/client.ts'
import { failure } from '../helpers/outcome.ts'
import { account, page, splash } from '../helpers/responses.ts'
import { type Server, serve } from '../helpers/server.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

/** Returns the error of the constructor. */
function refused(options: unknown): ConfigurationError {
  try {
    new ShortLinkClient(options as ShortLinkClientOptions)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', attempts: 0 })
    expect(error).not.toHaveProperty('method')
    return error as ConfigurationError
  }
  return expect.fail(`the constructor should reject ${JSON.stringify(options)}`)
}

const good = { baseUrl: 'https://sho.rt/api', apiKey: 'KEY' }

describe('an invalid option is refused, and the error names it', () => {
  it.each<[option: string, value: unknown, message: RegExp]>([
    ['baseUrl', 'sho.rt/api', /expected an absolute URL such as https:\/\/sho\.rt\/api, received a string$/],
    ['baseUrl', 'ftp://sho.rt', /expected an address that begins with http: or https:/],
    ['baseUrl', 'https://user:secret@sho.rt', /leave out the user name and password/],
    ['baseUrl', 'https://sho.rt/api?version=3', /leave out the query and the fragment/],
    ['apiKey', '', /^apiKey: is empty$/],
    ['apiKey', 5, /^apiKey: expected a string, received a number$/],
    [
      'apiKey',
      'Bearer KEY',
      /begins with “Bearer”: leave it out, the client adds the scheme from `authScheme` or SHORTLINK_AUTH_SCHEME/,
    ],
    ['apiKey', 'KEY\n', /white space: trim it/],
    ['apiKey', 'ключ', /^apiKey: contains .* that a header cannot carry: U\+043A$/],
    ['apiKey', 'tea key', /a header cannot carry: U\+0020$/],
    ['apiKey', 'tea…', /a header cannot carry: U\+2026$/],
    ['timeout', 0, /milliseconds above 0/],
    ['timeout', Number.POSITIVE_INFINITY, /or false/],
    [
      'timeout',
      2 ** 31,
      /^timeout: expected milliseconds above 0 and up to 2147483647, or false, received 2147483648$/,
    ],
    ['retry', -1, /whole number/],
    ['retry', { limit: 3 }, /whole number of retries/],
    ['deadline', 0, /milliseconds above 0/],
    ['rateLimit.requests', { requests: 1.5 }, /whole number from 1, or Infinity, received 1.5/],
    ['rateLimit.interval', { interval: 0 }, /milliseconds above 0 and up to 86400000, received 0/],
    ['rateLimit.maxWait', { maxWait: 5 }, /unknown option/],
    ['validation', 'loose', /expected one of strict, report, received "loose"/],
    [
      'rateLimit',
      0.5,
      /expected an object of options, a number of requests a minute, a RateLimiter, or false, received 0.5/,
    ],
    ['fetch', 'fetch', /a function/],
    ['logger', null, /expected an object with the functions error, warn, info and debug, received null/],
    ['logLevel', 'verbose', /expected one of off, error, warn, info, debug, received "verbose"/],
    ['onRequest', {}, /a function/],
    ['headers', 'x-site: shop', /names and values of headers.*received a string/],
    [
      'headers',
      { 'x-site': 'a\r\nx-evil: 1' },
      /"x-site" is invalid, its value contains U\+000D, which a header cannot carry$/,
    ],
    [
      'headers',
      { 'x-site': 'tea… é' },
      /"x-site" is invalid, its value contains U\+2026, which a header cannot carry$/,
    ],
    ['headers', { 'x-site': 'tea 🍵' }, /"x-site" is invalid, its value contains U\+1F375, which/],
    ['headers', { 'x-site': 'tea\u202e' }, /"x-site" is invalid, its value contains U\+202E, which/],
    ['headers', { 'x-ſite': 'a' }, /"x-ſite" is invalid, its name contains U\+017F$/],
    ['headers', { 'x site': 'a' }, /"x site" is invalid, its name contains U\+0020$/],
    ['headers', { '': 'a' }, /"" is invalid, its name is an empty string$/],
    ['headers', { 'x-site': 5 }, /"x-site" is invalid, its value is a number/],
    ['headers', { 'x-site\r\n': 'a' }, /"x-site\\r\\n" is invalid/],
  ])('%s: %o', (option, value, message) => {
    const [name] = option.split('.') as [string]
    const error = refused({ ...good, [name]: value })
    expect(error.message).toContain(option)
    expect(error.message).toMatch(message)
  })

  it.each([
    [null, 'null'],
    [5, 'a number'],
    ['https://sho.rt', 'a string'],
    [[], 'a list'],
  ])('%j instead of an object of options is refused', (options, received) => {
    expect(refused(options).message).toBe(`expected an object of options, received ${received}`)
  })

  it.each(['', 5, null])('the key %j beside another invalid option does not change the message', (apiKey) => {
    expect(refused({ ...good, apiKey, timeout: 0 }).message).toMatch(/^timeout: expected milliseconds .*, received 0$/)
  })

  it('a key in the place of another option is not shown', () => {
    expect(refused({ ...good, apiKey: 'the-key-1', timeout: 'the-key-1' }).message).toMatch(/received "\[redacted\]"$/)
  })

  it('all invalid options are named in one error', () => {
    expect(refused({ ...good, timeout: 0, validation: 'loose', fetch: 1 }).message).toMatch(
      /^timeout: .*; validation: .*; fetch: /,
    )
  })

  it.each<[option: string, value: unknown]>([
    ['timeout', false],
    ['timeout', 2 ** 31 - 1],
    ['retry', 0],
    ['deadline', 10_000],
    ['rateLimit', false],
    ['rateLimit', 60],
    ['rateLimit', { requests: Number.POSITIVE_INFINITY, interval: 86_400_000 }],
    ['rateLimit', { acquire() {}, observe() {} }],
    ['headers', { 'x-site': 'Müller & Söhne', 'x-empty': '' }],
    ['headers', new Headers({ 'x-site': 'shop' })],
    ['headers', new Map([['x-site', 'shop']])],
    ['logger', Object.assign(() => {}, { error() {}, warn() {}, info() {}, debug() {} })],
    ['apiKey', null],
    ['apiKey', () => 'KEY'],
    ['baseUrl', new URL('https://sho.rt/api/')],
  ])('%s may be %o', (option, value) => {
    expect(() => new ShortLinkClient({ ...good, [option]: value })).not.toThrow()
  })
})

it('by default, an attempt may take 30 s, and a call is retried twice', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const fetch = () => new Promise<never>(() => {})
  const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: KEY, rateLimit: false, fetch })
  const call = client.account.get().safe()
  await vi.advanceTimersByTimeAsync(95_000)
  expect(await call).toMatchObject({ error: { code: 'timeout', timeout: 30_000, attempts: 3 } })
})

describe('environment variables', () => {
  it('supply both addresses and the key', async () => {
    const server = await serve({ body: account })
    vi.stubEnv('SHORTLINK_BASE_URL', `${server.origin}/from-env/`)
    vi.stubEnv('SHORTLINK_OPENER_URL', `${server.origin}/opener-from-env`)
    vi.stubEnv('SHORTLINK_API_KEY', 'KEY-FROM-ENV')
    const client = new ShortLinkClient({ openerAuth: 'bearer', validation: 'report' })
    await client.account.get()
    await client.opener.create({ url: 'https://www.youtube.com/watch?v=1' })
    expect(server.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/from-env/account', 'Bearer KEY-FROM-ENV'],
      ['/opener-from-env/v3/api', 'Bearer KEY-FROM-ENV'],
    ])
  })

  it('are overridden by options', async () => {
    const server = await serve({ body: account })
    vi.stubEnv('SHORTLINK_BASE_URL', 'https://elsewhere.example')
    vi.stubEnv('SHORTLINK_API_KEY', 'KEY-FROM-ENV')
    await connect(server).account.get()
    await connect(server, { apiKey: null }).account.get()
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, undefined])
  })

  it('count as unset if they are empty', async () => {
    vi.stubEnv('SHORTLINK_BASE_URL', '')
    vi.stubEnv('SHORTLINK_API_KEY', '')
    const missing = (options: ShortLinkClientOptions) => failure(new ShortLinkClient(options).account.get())
    expect((await missing({})).message).toMatch(/`baseUrl` or SHORTLINK_BASE_URL/)
    expect((await missing({ baseUrl: 'https://sho.rt' })).message).toMatch(
      /`apiKey` or SHORTLINK_API_KEY, or `apiKey: null` if a proxy adds the key/,
    )
  })

  it.each([
    ['SHORTLINK_BASE_URL', 'sho.rt', /SHORTLINK_BASE_URL: expected an absolute URL such as .*, received a string$/],
    ['SHORTLINK_API_KEY', 'Bearer KEY', /SHORTLINK_API_KEY: begins with “Bearer”/],
    ['SHORTLINK_AUTH_SCHEME', 'Basic', /SHORTLINK_AUTH_SCHEME: expected one of Bearer, Token, raw, received "Basic"$/],
    [
      'SHORTLINK_RATE_LIMIT',
      '30/min',
      /SHORTLINK_RATE_LIMIT: expected off, or a number of requests a minute, received "30.min"$/,
    ],
    ['SHORTLINK_LOG', 'loud', /SHORTLINK_LOG: expected one of off, error, warn, info, debug, received "loud"$/],
  ])('that are invalid fail the first call, and nothing is sent: %s=%s', async (name, value, message) => {
    vi.stubEnv('SHORTLINK_BASE_URL', 'https://sho.rt')
    vi.stubEnv('SHORTLINK_API_KEY', 'KEY')
    vi.stubEnv(name, value)
    const fetch = vi.fn()
    const error = await failure(new ShortLinkClient({ fetch }).account.get())
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', method: 'GET', path: '/account' })
    expect(error.message).toMatch(message)
    expect(fetch).not.toHaveBeenCalled()
  })

  it('are read at the first call, and not when the client is created', async () => {
    const client = new ShortLinkClient({ fetch: async () => Response.json(account) })
    const server = await serve({ body: account })
    vi.stubEnv('SHORTLINK_BASE_URL', `${server.origin}/api`)
    vi.stubEnv('SHORTLINK_API_KEY', 'KEY')
    vi.stubEnv('SHORTLINK_RATE_LIMIT', 'off')
    await client.account.get()
    expect(client.rateLimit).toEqual({ limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 })
  })

  it('set the rate limit and the auth scheme', async () => {
    const server = await serve({ body: account })
    vi.stubEnv('SHORTLINK_RATE_LIMIT', '7')
    vi.stubEnv('SHORTLINK_AUTH_SCHEME', 'Token')
    const client = connect(server, { rateLimit: undefined })
    await client.account.get()
    expect(client.rateLimit.limit).toBe(7)
    expect(server.seen[0]!.headers.authorization).toBe(`Token ${KEY}`)
  })

  it('the opener API needs no key, unless openerAuth is bearer', async () => {
    const fetch = vi.fn(async () => Response.json({ error: 'no' }))
    const open = (openerAuth: 'none' | 'bearer') =>
      failure(
        new ShortLinkClient({ openerUrl: 'https://opener.example', openerAuth, fetch }).opener.create({
          url: 'https://a.example',
        }),
      )
    expect((await open('none')).code).toBe('api')
    expect((await open('bearer')).message).toMatch(/no key/)
    expect(fetch).toHaveBeenCalledTimes(1)
  })
})

describe('an http: address', () => {
  it.each(['http://sho.rt/api', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example', 'http://0.0.0.0'])(
    'beyond loopback is refused, with advice: %s',
    (address) => {
      for (const name of ['baseUrl', 'openerUrl']) {
        expect(refused({ apiKey: 'KEY', [name]: address }).message).toMatch(
          new RegExp(`^${name}: .*use https:, or set allowInsecureHttp`),
        )
        expect(() => new ShortLinkClient({ apiKey: 'KEY', [name]: address, allowInsecureHttp: true })).not.toThrow()
      }
    },
  )

  it.each([
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]:80/api',
    'http://api.localhost',
    'http://LOCALHOST',
    'http://2130706433',
  ])('on loopback is accepted: %s', (baseUrl) => {
    expect(() => new ShortLinkClient({ baseUrl, apiKey: 'KEY' })).not.toThrow()
  })
})

describe('a path as baseUrl', () => {
  const page = {
    document: {},
    navigator: { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
    location: { href: 'https://shop.example/a/index.html' },
  }
  it.each([
    ['/api', 'https://shop.example/api/account'],
    ['./api', 'https://shop.example/a/api/account'],
    ['../api', 'https://shop.example/api/account'],
    ['//sho.rt/api', 'https://sho.rt/api/account'],
  ])('is resolved against the page in a browser: %s', async (baseUrl, address) => {
    becomeBrowser(page)
    const fetch = vi.fn(async () => Response.json(account))
    await new ShortLinkClient({ baseUrl, apiKey: null, fetch }).account.get()
    expect(fetch).toHaveBeenCalledWith(address, expect.anything())
  })

  it.each([['lacks its scheme', 'sho.rt/api', page]])('is refused if it %s', (_, baseUrl, globals) => {
    becomeBrowser(globals)
    expect(refused({ baseUrl, apiKey: null }).message).toMatch(/^baseUrl: expected an absolute URL/)
  })

  it('is accepted without a page, and fails the first call with advice', async () => {
    const fetch = vi.fn()
    const client = new ShortLinkClient({ baseUrl: '/api/shortlink', apiKey: null, fetch })
    const error = await failure(client.account.get())
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', path: '/account' })
    expect(error.message).toBe('GET /account: baseUrl: is relative, but there is no page: use an absolute URL')
    expect(fetch).not.toHaveBeenCalled()
  })
})

describe('a string key in a browser', () => {
  const asPage = () => {
    becomeBrowser()
  }
  const asWorker = () => {
    becomeBrowser({ WorkerGlobalScope: class {} })
  }

  it.each([
    ['a page', asPage],
    ['a worker', asWorker],
  ])('is refused in %s, with advice', (_, become) => {
    become()
    expect(refused(good).message).toMatch(
      /^apiKey: every visitor of the page could read it.*`apiKey: null`.*dangerouslyAllowBrowser/,
    )
    for (const options of [{ apiKey: null }, { apiKey: () => 'KEY' }, { dangerouslyAllowBrowser: true }]) {
      expect(() => new ShortLinkClient({ ...good, ...options })).not.toThrow()
    }
  })

  it.each([
    ['Node', {}],
    ['Deno, which has a window', { window: globalThis, navigator: { userAgent: 'Deno/2.5.0' } }],
    ['a Cloudflare worker', { WorkerGlobalScope: class {}, navigator: { userAgent: 'Cloudflare-Workers' } }],
    ['Bun', { navigator: { userAgent: 'Bun/1.3' } }],
  ])('is accepted in %s', (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
    expect(() => new ShortLinkClient(good)).not.toThrow()
  })
})

describe('apiKey as a function', () => {
  const keysSeen = (server: Server) => server.seen.map(({ headers }) => headers.authorization)

  it('is called before each attempt', async () => {
    let count = 0
    const server = await serve(
      { status: 503, headers: { 'Retry-After': '0' } },
      { status: 503, headers: { 'Retry-After': '0' } },
      { body: account },
    )
    await connect(server, { apiKey: () => `KEY-${++count}`, retry: 2 }).account.get()
    expect(keysSeen(server)).toEqual(['Bearer KEY-1', 'Bearer KEY-2', 'Bearer KEY-3'])
  })

  it('is not called for a call that sends no key', async () => {
    const apiKey = vi.fn(() => 'KEY')
    await connect(await serve({ body: { error: 0 } }), { apiKey, validation: 'report' }).opener.create({
      url: 'https://shop.example',
    })
    expect(apiKey).not.toHaveBeenCalled()
  })

  it.each<[gives: string, apiKey: () => unknown, message: RegExp]>([
    [
      'throws',
      () => {
        throw new Error('the vault is closed')
      },
      /: apiKey\(\) failed: the vault is closed$/,
    ],
    ['rejects', () => Promise.reject(new Error('the vault is closed')), /: apiKey\(\) failed: the vault is closed$/],
    ['returns nothing', () => undefined, /: apiKey: is missing, expected a string$/],
    ['returns an empty string', () => '', /: apiKey: is empty$/],
    ['returns a key with a line break', () => 'KEY\n', /white space: trim it/],
  ])('that %s fails the call before it is sent, and the slot is released', async (_, apiKey, message) => {
    const server = await serve({ body: account })
    const client = connect(server, { apiKey: apiKey as never, rateLimit: { requests: 5 }, retry: 2 })
    const error = await failure(client.account.get())
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error).toMatchObject({
      outcome: 'not-sent',
      retryable: false,
      attempts: 0,
      method: 'GET',
      path: '/account',
    })
    expect(error.message).toMatch(message)
    expect(server.seen).toEqual([])
    expect(client.rateLimit.remaining).toBe(5)
  })
})

describe('the path of client.request and client.paginate', () => {
  it.each([
    '',
    '//evil.example/urls',
    'https://evil.example',
    '/urls?limit=5',
    '/urls/../account',
    '/urls/%2e%2E/account',
    '/urls\\..\\account',
    '/my urls',
    '/urls\u0000',
    5,
    ['/urls'],
  ])('%j is refused before anything is sent', async (path) => {
    const server = await serve({ body: page('urls', [splash(1)]).body })
    for (const call of [
      connect(server).request('GET', path as never),
      connect(server).paginate(path as never, { listKey: 'urls' }),
    ]) {
      const error = await failure(call)
      expect(error).toBeInstanceOf(InvalidRequestError)
      expect(error.message).toMatch(/path: expected a path/)
    }
    expect(server.seen).toEqual([])
  })

  it.each(['/', '/urls', '/url/1/update', '/a%20b', '/a..b/.c', '/Ünïcode', '/a//b'])('%j is sent', async (path) => {
    const server = await serve({})
    await connect(server).request('GET', path)
    expect(decodeURI(server.seen[0]!.url)).toBe(decodeURI(`/api${path}`))
  })
})

describe('withOptions', () => {
  it('returns a client with other options, and does not change the first one', async () => {
    const server = await serve({ body: account })
    const first = connect(server, { headers: { 'x-site': 'first' } })
    await first.withOptions({ headers: { 'x-site': 'second' }, apiKey: 'OTHER' }).account.get()
    await first.account.get()
    expect(server.seen.map(({ headers }) => [headers['x-site'], headers.authorization])).toEqual([
      ['second', 'Bearer OTHER'],
      ['first', `Bearer ${KEY}`],
    ])
  })

  it('has the state of the last response if there is no limiter', async () => {
    const headers = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '41' }
    const client = connect(await serve({ body: account, headers }), { rateLimit: false })
    expect(client.rateLimit).toEqual({ limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 })
    await client.account.get()
    expect(client.rateLimit).toMatchObject({ limit: 60, remaining: 41, queued: 0 })
  })

  it('can replace or remove the rate limiter', async () => {
    const first = connect(await serve({ body: account }), { rateLimit: {} })
    const unknown = { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 }
    expect(first.withOptions({ rateLimit: false }).rateLimit).toEqual(unknown)
    const state = { limit: 5, remaining: 5, resetAt: undefined, queued: 0 }
    const rateLimit = { state, acquire: () => undefined, observe() {} }
    expect(first.withOptions({ rateLimit }).rateLimit).toBe(state)
    expect(first.rateLimit.limit).toBe(30)
  })

  it('keeps an option if its override is undefined', async () => {
    const server = await serve({ body: account })
    const first = connect(server, { headers: { 'x-site': 'first' } })
    await first.withOptions({ headers: undefined, apiKey: undefined, timeout: undefined }).account.get()
    expect(server.seen[0]!.headers).toMatchObject({ 'x-site': 'first', authorization: `Bearer ${KEY}` })
  })
})

it('the client’s Authorization header is not sent to the opener, with openerAuth none', async () => {
  const server = await serve({ body: account })
  const headers = { Authorization: 'Basic dTpwYXNzd29yZA==' }
  const client = connect(server, { apiKey: null, headers })
  await client.opener.create({ url: 'https://shop.example' }).safe()
  expect(server.seen[0]!.headers.authorization).toBeUndefined()
})

it('an error of "false" in a response is a success', async () => {
  const server = await serve({ body: { ...account, error: 'false' } })
  expect(await connect(server).account.get()).toMatchObject({ email: expect.any(String) })
})

it('a base URL may have a path and trailing slashes', async () => {
  for (const [ending, path] of [
    ['/api', '/api'],
    ['/api///', '/api'],
    ['', ''],
    ['/', ''],
    ['/a%20b/', '/a%20b'],
  ]) {
    const server = await serve({})
    await connect(server, { baseUrl: new URL(server.origin + ending), validation: 'report' }).account.get()
    expect(server.seen[0]!.url).toBe(`${path}/account`)
  }
})
