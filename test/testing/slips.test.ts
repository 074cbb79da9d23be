import { serve } from 'shortlink-sdk/node'
import { createSandbox, type Fault, type SandboxOptions } from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'

const rule = 'A path is that of an endpoint, relative to baseUrl; a RegExp matches any.'

/** Each option and fault that would never take effect, so that a test with it would pass and test nothing. */
const faults: [fault: unknown, message: string][] = [
  [undefined, 'fail: expected an object such as { status: 503 }'],
  [[{ status: 503 }], 'fail: expected an object such as { status: 503 }'],
  [{}, 'fail: nothing would fail: give status, body, headers, delay, drop, stall, drip or redirect'],
  [
    { path: '/campaigns', times: 2 },
    'fail: nothing would fail: give status, body, headers, delay, drop, stall, drip or redirect',
  ],
  [{ done: true }, 'fail: nothing would fail: give status, body, headers, delay, drop, stall, drip or redirect'],
  [{ statsu: 503 }, 'fail: statsu: unknown option, did you mean status?'],
  [
    { code: 503 },
    'fail: code: unknown option, expected one of method, path, after, times, status, body, headers, delay, drop, stall, drip, redirect, done',
  ],
  [{ status: 99 }, 'fail: status: expected an integer from 200 to 599, received 99'],
  [{ status: '503' }, 'fail: status: expected an integer from 200 to 599, received "503"'],
  [{ status: 503, times: 0 }, 'fail: times: expected an integer of at least 1, received 0'],
  [{ status: 503, times: 1.5 }, 'fail: times: expected an integer of at least 1, received 1.5'],
  [
    { status: 503, after: Number.POSITIVE_INFINITY },
    'fail: after: expected an integer of at least 0, received Infinity',
  ],
  [{ status: 503, after: -1 }, 'fail: after: expected an integer of at least 0, received -1'],
  [{ drop: true }, 'fail: drop: expected one of before, after, received true'],
  [{ drop: 'befor' }, 'fail: drop: expected one of before, after, received "befor". Did you mean before?'],
  [{ delay: '5s' }, 'fail: delay: expected a number of at least 0, received "5s"'],
  [{ drip: Number.NaN }, 'fail: drip: expected a number of at least 0, received NaN'],
  [{ stall: 1 }, 'fail: stall: expected true or false, received 1'],
  [{ redirect: null }, 'fail: redirect: expected a string, received null'],
  [
    { headers: { 'Retry-After': 5 } },
    'fail: headers: expected an object of strings, and null for a header to remove, received an object',
  ],
  [{ headers: [] }, 'fail: headers: expected an object of strings, and null for a header to remove, received a list'],
  [
    { status: 503, method: 'PSOT' },
    'fail: method: expected one of GET, POST, PUT, DELETE, HEAD, OPTIONS, PATCH, received "PSOT". Did you mean POST?',
  ],
  [{ status: 503, path: 7 }, 'fail: path: expected a string or a RegExp, received 7'],
  [{ path: 'campaigns' }, `fail: path: no request has 'campaigns', did you mean '/campaigns'? ${rule}`],
  [{ status: 503, method: 'GET', path: '/url/add' }, 'fail: method: no endpoint is GET /url/add, did you mean POST?'],
  [{ status: 503, method: 'get', path: '/v3/api' }, 'fail: method: no endpoint is get /v3/api, did you mean POST?'],
  ...(
    [
      ['campaigns', '/campaigns'],
      ['/api/campaigns', '/campaigns'],
      ['/api/campaign/7/update', '/campaign/7/update'],
      ['https://sho.rt/api/campaigns', '/campaigns'],
      ['/campaigns?limit=5', '/campaigns'],
      ['/campaigns/', '/campaigns'],
      ['/campaign', '/campaigns'],
      ['/Campaigns', '/campaigns'],
      ['/v3/campaigns', '/campaigns'],
      ['/opener/v3/api', '/v3/api'],
      ['/campaign/{id}/update', '/campaign/:id/update'],
      ['/campain/7/update', '/campaign/:id/update'],
      ['/links', '/urls'],
      ['/files/upload/a b.txt', '/files/upload/a%20b.txt'],
    ] as const
  ).map(([path, meant]): [unknown, string] => [
    { path, status: 503 },
    `fail: path: no request has '${path}', did you mean '${meant}'? ${rule}`,
  ]),
]

test.each(faults)('fail(%j) is refused with what was meant', (fault, message) => {
  const sandbox = createSandbox()
  expect(() => sandbox.fail(fault as Fault)).toThrow(new TypeError(message))
  expect(sandbox.pendingFaults).toEqual([])
})

test.each<Fault>([
  { path: '/campaigns', status: 503 },
  { path: '/campaign/7/update', status: 503 },
  { path: '/campaign/:number/update', status: 503 },
  { path: '/channel/1', status: 503 },
  { path: '/files/upload/b%C3%A4r.txt', status: 503 },
  { path: '/v3/api', status: 503 },
  { path: '/tea', status: 503 },
  { path: '/a/path/that/the/reference/does/not/show', body: { error: 0 } },
  { path: /campaing/, status: 503 },
  { method: 'post', drop: 'before' },
  { done: false },
  { status: 503, times: Number.POSITIVE_INFINITY, after: 0 },
])('fail(%j) is taken', (fault) => {
  const sandbox = createSandbox()
  sandbox.fail(fault)
  expect(sandbox.pendingFaults).toEqual([fault])
})

test('a path is told from one that begins with the address of another API', () => {
  const sandbox = createSandbox({ baseUrl: 'https://links.example' })
  sandbox.fail({ path: '/campaigns', status: 503 })
  expect(sandbox.pendingFaults).toHaveLength(1)
})

test('pendingFaults has each fault that has not failed as many requests as it is for', async () => {
  const sandbox = createSandbox()
  const ask = () => sandbox.fetch(`${sandbox.baseUrl}/account`)
  const [never, twice, always]: Fault[] = [
    { path: '/campaigns', status: 500 },
    { status: 501, times: 2 },
    { status: 502, times: Number.POSITIVE_INFINITY },
  ]
  for (const fault of [never!, twice!, always!]) sandbox.fail(fault)
  expect(sandbox.pendingFaults).toEqual([never, twice, always])
  await ask()
  expect(sandbox.pendingFaults).toEqual([never, twice, always])
  await ask()
  expect(sandbox.pendingFaults).toEqual([never, always])
  await ask()
  expect(sandbox.pendingFaults).toEqual([never])
  expect((await ask()).status).toBe(502)
  sandbox.reset()
  expect(sandbox.pendingFaults).toEqual([])
})

describe('createSandbox', () => {
  test.each<[options: unknown, message: string]>([
    [
      { rateLimit: 30 },
      'rateLimit: expected { requests, interval } or false, received 30. Did you mean { requests: 30 }?',
    ],
    [{ rateLimit: true }, 'rateLimit: expected { requests, interval } or false, received true'],
    [{ rateLimit: { windowMs: 1000 } }, 'rateLimit.windowMs: unknown option, did you mean interval?'],
    [{ rateLimit: { limit: 5 } }, 'rateLimit.limit: unknown option, did you mean requests?'],
    [{ rateLimit: { request: 5 } }, 'rateLimit.request: unknown option, did you mean requests?'],
    [{ rateLimit: { requests: 0 } }, 'rateLimit.requests: expected an integer of at least 1, received 0'],
    [{ rateLimit: { interval: '60s' } }, 'rateLimit.interval: expected a number of at least 1, received "60s"'],
    [{ data: { campaign: [] } }, 'data.campaign: unknown option, did you mean campaigns?'],
    [{ data: { campaigns: 3 } }, 'data.campaigns: expected a list of rows, received 3'],
    [{ data: { campaigns: [{}, { nmae: 'Sale' }] } }, 'data.campaigns[1].nmae: unknown option, did you mean name?'],
    [{ data: { account: { mail: 'a@b.example' } } }, 'data.account.mail: unknown option, did you mean email?'],
    [{ data: () => ({}) }, 'data: expected an object, received a function'],
    [{ ratelimit: false }, 'ratelimit: unknown option, did you mean rateLimit?'],
    [{ baseURL: 'https://sho.rt' }, 'baseURL: unknown option, did you mean baseUrl?'],
    [{ baseUrl: '/api' }, 'baseUrl: expected an absolute URL such as https://sho.rt/api, received "/api"'],
    [{ apiKey: 7 }, 'apiKey: expected a string, received 7'],
    [{ now: 0 }, 'now: expected a function, received 0'],
    [{ keepFiles: 'no' }, 'keepFiles: expected true or false, received "no"'],
    [{ dialect: 5 }, "dialect: expected 'reference', 'deployed' or a list of deviations, received 5"],
    [30, 'expected an object of options, received 30'],
    [[], 'expected an object of options, received a list'],
    [null, 'expected an object of options, received null'],
    [Promise.resolve({}), 'expected an object of options, received an object'],
  ])('refuses %j with what was meant', (options, message) => {
    expect(() => createSandbox(options as SandboxOptions)).toThrow(new TypeError(message))
  })
})

test.each([
  [{ prot: 4010 }, 'prot: unknown option, did you mean port?'],
  [{ port: '4010' }, 'port: expected an integer from 0 to 65535, received "4010"'],
  [{ hosts: 'sandbox' }, 'hosts: expected a list of names, received "sandbox"'],
])('serve refuses %j', async (options, message) => {
  await expect(serve(createSandbox(), options as never)).rejects.toThrow(new TypeError(message))
})

test.each<[sandbox: unknown, received: string]>([
  [undefined, 'nothing'],
  [{ port: 0 }, 'an object'],
])('serve refuses %j in place of a sandbox', async (sandbox, received) => {
  await expect(serve(sandbox as never)).rejects.toThrow(
    new TypeError(`serve: expected a sandbox, received ${received}: make one with createSandbox()`),
  )
})

test.each([
  [['deploy'], "dialect: there is no deviation 'deploy', did you mean deployed?"],
  [['deployed', 'key-raw'], "dialect: there is no deviation 'deployed', it is a dialect, and stands alone"],
])('createSandbox refuses the deviations %j', (dialect, message) => {
  expect(() => createSandbox({ dialect: dialect as never })).toThrow(new RangeError(message))
})

test.each([
  [undefined, 'chaos: expected an object of options, received nothing'],
  [0.3, 'chaos: expected an object of options, received 0.3'],
  [{ seed: 1 }, 'chaos: rate: is missing, expected a number from 0 to 1'],
])('chaos refuses %j', (options, message) => {
  expect(() => createSandbox().chaos(options as never)).toThrow(new TypeError(message))
})

test('advance refuses what would stop the clock', () => {
  const sandbox = createSandbox()
  expect(() => sandbox.advance(Number.NaN)).toThrow('advance: expected a number of milliseconds, received NaN')
  expect(() => sandbox.advance('60' as never)).toThrow('advance: expected a number of milliseconds, received "60"')
})
