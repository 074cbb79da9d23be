import { ConfigurationError } from 'shortlink-sdk'
import { serve } from 'shortlink-sdk/node'
import { createSandbox, type Fault, type Sandbox, type SandboxOptions } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'

const nothing = 'fail: nothing would fail: set status, body, headers, delay, drop, stall or redirect'

/** Options and faults that would have no effect, so that a test with them would test nothing. */
test.each<[fault: unknown, message: string]>([
  [undefined, 'fail: expected an object of options, received null'],
  [{}, nothing],
  [{ path: '/campaigns', times: 2 }, nothing],
  [{ done: true }, nothing],
  [{ statsu: 503 }, 'fail.statsu: unknown option, did you mean status?'],
  [
    { code: 503 },
    'fail.code: unknown option, expected one of method, path, after, times, status, body, headers, delay, drop, stall, redirect, done',
  ],
  [{ status: 600 }, 'fail.status: expected a whole number from 200 to 599, received 600'],
  [{ status: 503, times: 0 }, 'fail.times: expected a whole number from 1, or Infinity, received 0'],
  [{ status: 503, after: -1 }, 'fail.after: expected a whole number from 0, received -1'],
  [{ drop: 'befor' }, 'fail.drop: expected one of before, after, received "befor"'],
  [{ delay: '5s' }, 'fail.delay: expected milliseconds from 0, or Infinity, received "5s"'],
  [{ stall: 1 }, 'fail.stall: expected true or false, received 1'],
  [{ redirect: null }, 'fail.redirect: expected a string, received null'],
  [
    { headers: { 'Retry-After': 5 } },
    'fail.headers: expected an object of strings, and null for a header to remove, received an object',
  ],
  [{ status: 503, method: 'PSOT' }, 'fail.method: expected one of GET, POST, PUT, DELETE, received "PSOT"'],
  [{ status: 503, path: 7 }, 'fail.path: expected a string or a RegExp, received 7'],
  [{ status: 503, method: 'GET', path: '/url/add' }, 'fail.method: no endpoint is GET /url/add, did you mean POST?'],
  [{ status: 503, method: 'GET', path: '/v3/api' }, 'fail.method: no endpoint is GET /v3/api, did you mean POST?'],
  [{ status: 503, path: '/campaign' }, 'fail.path: no endpoint is /campaign, did you mean /campaigns?'],
  [{ status: 503, path: '/api/campaigns' }, 'fail.path: no endpoint is /api/campaigns, did you mean /campaigns?'],
  [
    { status: 503, path: '/shop' },
    'fail.path: no endpoint is /shop, expected one as the reference writes it, or a RegExp',
  ],
])('fail(%j) is rejected with what to use', (fault, message) => {
  const sandbox = createSandbox()
  expect(() => sandbox.fail(fault as Fault)).toThrow(new ConfigurationError(message))
  expect(sandbox.pendingFaults).toEqual([])
})

test.each<Fault>([
  { path: '/campaign/7/update', status: 503 },
  { path: '/campaign/:number/update', status: 503 },
  { path: '/campaign/{id}/update', status: 503 },
  { path: '/files/upload/b%C3%A4r.txt', status: 503 },
  { path: '/v3/api', status: 503 },
  { path: /^\/tea$/, status: 503 },
  { method: 'POST', drop: 'before' },
  { done: false },
  { status: 503, times: Number.POSITIVE_INFINITY, after: 0 },
])('fail(%j) is accepted', (fault) => {
  const sandbox = createSandbox()
  sandbox.fail(fault)
  expect(sandbox.pendingFaults).toEqual([fault])
})

const addressOf = 'expected an absolute URL such as https://sho.rt/api'

test.each<[options: unknown, message: string]>([
  [
    { rateLimit: 30 },
    'rateLimit: expected { requests, interval } or false, received 30: did you mean { requests: 30 }?',
  ],
  [{ rateLimit: true }, 'rateLimit: expected { requests, interval } or false, received true'],
  [{ rateLimit: { request: 5 } }, 'rateLimit.request: unknown option, did you mean requests?'],
  [{ rateLimit: { requests: 0 } }, 'rateLimit.requests: expected a positive integer, received 0'],
  [{ data: { campaign: [] } }, 'data.campaign: unknown option, did you mean campaigns?'],
  [{ data: { campaigns: 3 } }, 'data.campaigns: expected a list of rows, received 3'],
  [{ data: { campaigns: [{}, { nmae: 'Sale' }] } }, 'data.campaigns.1.nmae: unknown option, did you mean name?'],
  [{ data: { account: { mail: 'a@b.example' } } }, 'data.account.mail: unknown option, did you mean email?'],
  [{ data: () => ({}) }, 'data: expected an object of options, received a function'],
  [{ ratelimit: false }, 'ratelimit: unknown option, did you mean rateLimit?'],
  [{ baseURL: 'https://sho.rt' }, 'baseURL: unknown option, did you mean baseUrl?'],
  [{ baseUrl: '/api' }, `baseUrl: ${addressOf}, received "/api"`],
  [{ apiKey: 7 }, 'apiKey: expected a string, received 7'],
  [{ now: 0 }, 'now: expected a function, received 0'],
  [{ dialect: 5 }, "dialect: expected 'reference', 'deployed' or a list of deviations, received 5"],
  [30, 'expected an object of options, received a number'],
  [null, 'expected an object of options, received null'],
  [Promise.resolve({}), 'expected an object of options, received a Promise: await it first'],
])('createSandbox rejects %j with what to use', (options, message) => {
  expect(() => createSandbox(options as SandboxOptions)).toThrow(new ConfigurationError(message))
})

test.each([
  [{ prot: 4010 }, 'serve.prot: unknown option, did you mean port?'],
  [{ port: '4010' }, 'serve.port: expected a whole number from 0 to 65535, received "4010"'],
])('serve rejects %j', async (options, message) => {
  await expect(serve(createSandbox(), options as never)).rejects.toThrow(new ConfigurationError(message))
})

test('serve rejects anything but a sandbox', async () => {
  const refusal = new ConfigurationError('serve: expected a sandbox, made with createSandbox()')
  for (const value of [undefined, { port: 0 }]) await expect(serve(value as never)).rejects.toThrow(refusal)
})

test.each<[what: string, call: (sandbox: Sandbox) => void, message: string]>([
  [
    'chaos without a rate',
    (sandbox) => sandbox.chaos({} as never),
    'chaos.rate: expected a number from 0 to 1, received null',
  ],
  [
    'chaos without options',
    (sandbox) => sandbox.chaos(undefined as never),
    'chaos: expected an object of options, received null',
  ],
  [
    'chaos with a rate of 2',
    (sandbox) => sandbox.chaos({ rate: 2 }),
    'chaos.rate: expected a number from 0 to 1, received 2',
  ],
  [
    'advance without a number',
    (sandbox) => sandbox.advance('5' as never),
    'advance: expected a number of milliseconds',
  ],
])('%s is rejected', (_, call, message) => {
  expect(() => call(createSandbox())).toThrow(new ConfigurationError(message))
})
