import { expect, onTestFinished, test, vi } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import { createProxy, type ProxyOptions } from '../../src/proxy/index.ts'

const good: ProxyOptions = { baseUrl: 'https://sho.rt/api', apiKey: 'the-secret-key', allow: ['GET /campaigns'] }

test.each<[string, Record<string, unknown>]>([
  ['baseUrl', { baseUrl: 'ftp://sho.rt' }],
  ['baseUrl', { baseUrl: 'https://user:pass@sho.rt' }],
  ['baseUrl', { baseUrl: 'https://sho.rt/api?x=1' }],
  ['baseUrl', { baseUrl: 'http://sho.rt/api' }],
  ['openerUrl', { openerUrl: 'opener' }],
  ['apiKey', { apiKey: '' }],
  ['apiKey', { apiKey: 'the-secret-key\n' }],
  ['allow', { allow: undefined }],
  ['allow', { allow: [] }],
  ['allow', { allow: 'GET /campaigns' }],
  ['allow', { allow: ['/campaigns'] }],
  ['allow', { allow: ['get /campaigns'] }],
  ['allow', { allow: ['GET campaigns'] }],
  ['allow', { allow: ['GET /*'] }],
  ['allow', { allow: ['GET /qr/../account'] }],
  ['allow', { allow: [7] }],
  ['allow', { allow: [['GET /campaigns']] }],
  ['allow', { allow: ['call GET /campaigns'] }],
  ['allow', { allow: ['GET /campaigns now'] }],
  ['prefix', { prefix: 'api' }],
  ['prefix', { prefix: '/a b' }],
  ['prefix', { prefix: 7 }],
  ['prefix', { prefix: ['/p'] }],
  ['timeout', { timeout: 0 }],
  ['timeout', { timeout: '30s' }],
  ['cors.origins', { cors: { origins: ['other.example'] } }],
  ['cors.origins', { cors: { origins: ['https://other.example/'] } }],
  ['cors.credentials', { cors: { origins: '*', credentials: true } }],
  ['cors.credentials', { cors: { origins: ['https://other.example'], credentials: 'yes' } }],
  ['cors.origins', { cors: { origins: 'https://other.example' } }],
  ['cors.headers', { cors: { origins: '*', headers: ['X-A, X-B'] } }],
  ['cors', { cors: true }],
  ['cors.origin', { cors: { origin: '*' } }],
  ['hosts', { hosts: 'app.example' }],
  ['hosts', { hosts: [] }],
  ['hosts', { hosts: ['https://app.example'] }],
  ['hosts', { hosts: ['app.example/x'] }],
  ['hosts', { hosts: [undefined] }],
  ['hosts', { hosts: ['*.example'] }],
  ['maxResponseSize', { maxResponseSize: 0 }],
  ['maxResponseSize', { maxResponseSize: '16MB' }],
  ['headers', { headers: { 'X Y': '1' } }],
  ['headers', { headers: { 'X-Gateway': 'a\nb' } }],
  ['authorize', { authorize: true }],
  ['onError', { onError: console }],
  ['fetch', { fetch: {} }],
  ['openerAuth', { openerAuth: 'basic' }],
  ['authScheme', { authScheme: 'Basic' }],
  ['alow', { alow: [] }],
])('a bad %s is named, without the key: %j', (option, bad) => {
  const create = () => createProxy({ ...good, ...bad } as ProxyOptions)
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(new RegExp(`^${option.replace('.', '\\.')}\\b`))
  expect(create).not.toThrow('the-secret-key')
})

test.each<[string, Record<string, unknown>]>([
  ['apiKey: expected a string or a function, received a number', { apiKey: 12_345_678 }],
  [
    `allow: expected a list of calls, such as ['GET /campaigns'], received "GET /campaigns"`,
    { allow: 'GET /campaigns' },
  ],
  ["allow: expected at least one call, such as 'GET /campaigns', received none", { allow: [] }],
  [
    `allow: expected a method and a path, such as 'GET /campaigns' or 'POST /files/upload/:filename', received "/campaigns"`,
    { allow: ['/campaigns'] },
  ],
  ['prefix: expected a path such as /api/shortlink, received "api"', { prefix: 'api' }],
  [
    `cors.credentials: expected false, because cors.origins is '*', received true`,
    { cors: { origins: '*', credentials: true } },
  ],
  [
    `cors.origins: expected '*', or a list of origins such as 'https://app.example', without a path, received a list: "other.example" is invalid`,
    { cors: { origins: ['https://app.example', 'other.example'] } },
  ],
  ['cors.headers: expected a list of header names, received a list: "X A" is invalid', { cors: { headers: ['X A'] } }],
  [
    `hosts: expected a list of hosts such as ['app.example', 'localhost:3000'], received a list: "a/b" is invalid`,
    { hosts: ['app.example', 'a/b'] },
  ],
  [
    `hosts: expected a list of hosts such as ['app.example', 'localhost:3000'], received a list: give at least one`,
    { hosts: [] },
  ],
  [`hosts: expected a list of hosts such as ['app.example', 'localhost:3000'], received "a/b"`, { hosts: 'a/b' }],
])('the message is: %s', (message, bad) => {
  expect(() => createProxy({ ...good, ...bad } as ProxyOptions)).toThrow(new ConfigurationError(message))
})

test('a prefix may end in slashes', async () => {
  const proxy = createProxy({ ...good, prefix: '/p//', fetch: async () => Response.json({ error: 0 }) })
  expect((await proxy(new Request('https://app.example/p/campaigns'))).status).toBe(200)
})

test.each([undefined, null, 7, 'options', []])('%s in the place of options is a ConfigurationError', (options) => {
  expect(() => createProxy(options as never)).toThrow(ConfigurationError)
})

test('an option that does not exist is refused with a suggestion', () => {
  expect(() => createProxy({ ...good, timout: 1000 } as ProxyOptions)).toThrow(
    'timout: unknown option, did you mean timeout?',
  )
})

test('headers can be anything that `new Headers` takes', async () => {
  for (const headers of [{ 'X-A': '1' }, new Headers({ 'X-A': '1' }), [['X-A', '1']] as [string, string][]]) {
    let sent: unknown
    const fetch = async (_: unknown, init: RequestInit) => {
      sent = new Headers(init.headers).get('X-A')
      return Response.json({ error: 0 })
    }
    await createProxy({ ...good, headers, fetch })(new Request('https://app.example/campaigns'))
    expect(sent).toBe('1')
  }
})

test.each(['http://localhost:8080', 'http://127.0.0.1/api', 'http://[::1]:80', 'http://api.localhost'])(
  '%s needs no https',
  (baseUrl) => expect(createProxy({ ...good, baseUrl })).toBeTypeOf('function'),
)

test('allowInsecureHttp lets an address beyond this machine be http', () => {
  expect(createProxy({ ...good, baseUrl: 'http://shortlinks.internal', allowInsecureHttp: true })).toBeTypeOf(
    'function',
  )
})

test.each<[string, Partial<ProxyOptions>, string]>([
  ['baseUrl', { baseUrl: undefined }, 'no base URL: set `baseUrl` or SHORTLINK_BASE_URL'],
  ['baseUrl', { baseUrl: '/api' }, 'baseUrl: /api is relative to the URL of a page, and there is no page here'],
  ['openerUrl', {}, 'no base URL: set `openerUrl` or SHORTLINK_OPENER_URL'],
  ['apiKey', { apiKey: undefined }, 'no key: set `apiKey` or SHORTLINK_API_KEY'],
])(
  'a missing %s fails in the first request, because frameworks create a proxy while they build: %j',
  async (option, missing, message) => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => print.mockRestore())
    const fetch = vi.fn()
    const proxy = createProxy({ ...good, ...missing, allow: ['GET /campaigns', 'GET /opener/v3'], fetch })
    const path = option === 'openerUrl' ? '/opener/v3' : '/campaigns'
    const answer = await proxy(new Request(`https://app.example${path}`))
    const refusal = { error: 1, message: 'this proxy: internal error, reported on its server' }
    expect([answer.status, await answer.json()]).toEqual([500, refusal])
    const [[line, error] = []] = print.mock.calls
    expect([line, String(error)]).toEqual([
      `shortlink-sdk/proxy: GET ${path}:`,
      expect.stringContaining(`ConfigurationError: ${message}`),
    ])
    expect(fetch).not.toHaveBeenCalled()
  },
)

test('authScheme says what stands before the key, and SHORTLINK_AUTH_SCHEME if it is not given', async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  const sent: unknown[] = []
  const fetch = async (_: unknown, init: RequestInit) => {
    sent.push(new Headers(init.headers).get('authorization'))
    return Response.json({ error: 0 })
  }
  const send = (options: Partial<ProxyOptions>) =>
    createProxy({ ...good, fetch, ...options })(new Request('https://app.example/campaigns'))
  await send({})
  await send({ authScheme: 'Token' })
  await send({ authScheme: 'raw', apiKey: () => 'key-of-a-tenant' })
  vi.stubEnv('SHORTLINK_AUTH_SCHEME', 'Token')
  await send({})
  await send({ authScheme: 'Bearer' })
  const token = 'Token the-secret-key'
  expect(sent).toEqual(['Bearer the-secret-key', token, 'key-of-a-tenant', token, 'Bearer the-secret-key'])
})

test('addresses and key come from the environment if no option gives them', async () => {
  vi.stubEnv('SHORTLINK_BASE_URL', 'https://sho.rt/api')
  vi.stubEnv('SHORTLINK_OPENER_URL', 'https://opener.example')
  vi.stubEnv('SHORTLINK_API_KEY', 'key-of-the-environment')
  onTestFinished(() => void vi.unstubAllEnvs())
  const sent: unknown[] = []
  const proxy = createProxy({
    allow: ['GET /campaigns', 'POST /opener/v3/api'],
    fetch: async (url, init) => {
      sent.push(url, new Headers(init?.headers).get('authorization'))
      return Response.json({ error: 0 })
    },
  })
  await proxy(new Request('https://app.example/campaigns'))
  await proxy(new Request('https://app.example/opener/v3/api', { method: 'POST' }))
  expect(sent).toEqual([
    'https://sho.rt/api/campaigns',
    'Bearer key-of-the-environment',
    'https://opener.example/v3/api',
    null,
  ])
})
