import { ConfigurationError, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { createProxy, type ProxyOptions } from 'shortlink-sdk/proxy'
import { expect, onTestFinished, test, vi } from 'vitest'
import { proxied } from './upstream.ts'

const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'the-secret-key' })
const good: ProxyOptions = { allow: ['GET /campaigns'], authorize: 'everyone' }

const open =
  "choose who may make these calls, because anyone on the web can reach a proxy: without a check, POST /url/add is an open shortener. Pass a function that returns true, false or a Response, or 'everyone' for read-only calls"
const calls = "a method and a path, such as 'GET /campaigns' or 'POST /files/upload/:filename'"
const origins = "a list of origins such as 'https://app.example', without a path"

test.each<[string, Record<string, unknown>]>([
  [`authorize: is missing, expected a function, or 'everyone': ${open}`, { authorize: undefined }],
  [`authorize: expected a function, or 'everyone', received true: ${open}`, { authorize: true }],
  [`authorize: expected a function, or 'everyone', received "anyone": ${open}`, { authorize: 'anyone' }],
  ["allow: is missing, expected a list of calls, such as ['GET /campaigns']", { allow: undefined }],
  [`allow: expected a list of calls, such as ['GET /campaigns'], received "GET /x"`, { allow: 'GET /x' }],
  [`allow: expected ${calls}, received "/campaigns"`, { allow: ['/campaigns'] }],
  [`allow: expected ${calls}, received "get /campaigns"`, { allow: ['get /campaigns'] }],
  [`allow: expected ${calls}, received "GET campaigns"`, { allow: ['GET campaigns'] }],
  [`allow: expected ${calls}, received "GET /*"`, { allow: ['GET /*'] }],
  [`allow: expected ${calls}, received "GET /qr/../account"`, { allow: ['GET /qr/../account'] }],
  [`allow: expected ${calls}, received "call GET /campaigns"`, { allow: ['call GET /campaigns'] }],
  [`allow: expected ${calls}, received "GET /campaigns now"`, { allow: ['GET /campaigns now'] }],
  [`allow: expected ${calls}, received 7`, { allow: ['GET /campaigns', 7] }],
  ['allow: "GET /campaings" is unknown, did you mean "GET /campaigns"?', { allow: ['GET /campaings'] }],
  ['allow: "PUT /qr/:id/updat" is unknown, did you mean "PUT /qr/:id/update"?', { allow: ['PUT /qr/:id/updat'] }],
  ['allow: "GET /url" is unknown, did you mean "GET /urls"?', { allow: ['GET /url'] }],
  ['prefix: expected a path such as /api/shortlink, received "api"', { prefix: 'api' }],
  ['prefix: expected a path such as /api/shortlink, received "/a b"', { prefix: '/a b' }],
  ['prefix: expected a path such as /api/shortlink, received 7', { prefix: 7 }],
  [`origins: expected ${origins}, received "*"`, { origins: '*' }],
  [`origins: expected ${origins}, received a list: "*" is invalid`, { origins: ['https://app.example', '*'] }],
  [`origins: expected ${origins}, received a list: "app.example" is invalid`, { origins: ['app.example'] }],
  [
    `origins: expected ${origins}, received a list: "https://a.example/" is invalid`,
    { origins: ['https://a.example/'] },
  ],
  ['onError: expected a function, received an object', { onError: {} }],
  ['prefx: unknown option, did you mean prefix?', { prefx: '/p' }],
  ['apiKey: unknown option, expected one of allow, authorize, prefix, origins, onError', { apiKey: 'k' }],
])('the message is: %s', (message, bad) => {
  expect(() => createProxy(client, { ...good, ...bad } as never)).toThrow(new ConfigurationError(message))
})

test.each([undefined, null, 7, 'options', []])('%s instead of options is a ConfigurationError', (options) => {
  expect(() => createProxy(client, options as never)).toThrow(ConfigurationError)
})

test.each([undefined, {}, { baseUrl: 'https://sho.rt/api' }, 'client'])('%j is not a client', (other) => {
  expect(() => createProxy(other as never, good)).toThrow(
    /^client: (is missing, )?expected a ShortLinkClient, or a function that returns one/,
  )
})

test('a client of another copy of the package is named as one', async () => {
  vi.resetModules()
  const { ShortLinkClient: OtherClient } = await import('../../src/client/client.ts')
  const other = new OtherClient({ baseUrl: 'https://sho.rt/api', apiKey: 'key' })
  expect(other).not.toBeInstanceOf(ShortLinkClient)
  expect(() => createProxy(other as never, good)).toThrow(
    /^client: expected a ShortLinkClient, or .+, received a ShortLinkClient of another copy of shortlink-sdk: /,
  )
})

test.each<[string, ShortLinkClientOptions, string]>([
  ['/campaigns', { baseUrl: undefined }, 'GET /campaigns: no base URL: set `baseUrl` or SHORTLINK_BASE_URL'],
  ['/campaigns', { baseUrl: '/api' }, 'GET /campaigns: baseUrl: is relative, but there is no page'],
  ['/campaigns', { apiKey: undefined }, 'GET /campaigns: no key: set `apiKey` or SHORTLINK_API_KEY'],
  ['/opener/v3', { openerUrl: undefined }, 'GET /v3: no base URL: set `openerUrl` or SHORTLINK_OPENER_URL'],
])(
  '%s of a client with %j fails in the first request, because frameworks import modules while they build',
  async (...row) => {
    const [path, missing, message] = row
    const allow = ['GET /campaigns', 'GET /opener/v3'] as const
    const { call, errors, seen } = await proxied({ client: missing, allow })
    const answer = await call(path)
    const refused = { error: 1, message: 'this proxy: internal error' }
    expect([answer.status, await answer.json(), seen]).toEqual([500, refused, []])
    expect(errors.map(String)).toEqual([expect.stringContaining(`ConfigurationError: ${message}`)])
  },
)

test('without onError, console.error prints one line for each error, without the key and the query', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => print.mockRestore())
  const fetch = () => Promise.reject(new Error('lost\nhold of the-secret-key\u001b[2J'))
  const failing = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'the-secret-key', fetch })
  const authorize = (request: Request) => {
    if (request.headers.has('cookie')) throw new TypeError('sessions\nare down')
    return true
  }
  const proxy = createProxy(failing, { ...good, prefix: '/p', authorize })
  await proxy(new Request('https://app.example/p/campaigns?secret=1'))
  await proxy(new Request('https://app.example/p/campaigns?secret=1', { headers: { cookie: 'a=1' } }))
  await proxy(new Request('https://app.example/p/account'))
  await createProxy((() => ({})) as never, good)(new Request('https://app.example/campaigns'))
  expect(print.mock.calls).toEqual([
    [expect.stringMatching(/^shortlink-sdk\/proxy: GET \/campaigns: no response: lost.hold of \[redacted\].\[2J$/u)],
    [expect.stringMatching(/^shortlink-sdk\/proxy: GET \/p\/campaigns: sessions.are down$/u)],
    ['shortlink-sdk/proxy: GET /campaigns: client(): expected a ShortLinkClient, received an object'],
  ])
  expect(print.mock.calls.join()).not.toMatch(/[\n\u001b]/)
})
