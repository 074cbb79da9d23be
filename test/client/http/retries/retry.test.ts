import { type ApiPromise, type Outcome, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { createSandbox, type Fault, type Sandbox, sampleData } from 'shortlink-sdk/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { API } from '../../../../src/client/http/api.ts'
import { parseUserPath } from '../../../../src/client/http/path.ts'
import { serve } from '../../../../src/testing/server.ts'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { closedOrigin, serve as serveAnswers } from '../../../helpers/server.ts'

async function setUp(options: ShortLinkClientOptions = {}): Promise<{ sandbox: Sandbox; client: ShortLinkClient }> {
  const sandbox = createSandbox({ data: sampleData() })
  const { baseUrl, close } = await serve(sandbox)
  onTestFinished(close)
  const client = new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, retry: 1, ...options })
  return { sandbox, client }
}

const oneShot = () => new Blob(['{"tag":"G-1"}']).stream()

/** Without a schema, `client.request` accepts an empty response as a success. */
const anyObject = z.looseObject({})

const calls = {
  GET: (client) => client.account.get(),
  PUT: (client) => client.pixels.update(1, { tag: 'G-1' }),
  DELETE: (client) => client.pixels.delete(1),
  POST: (client) => client.campaigns.create({ name: 'Spring' }),
  'POST of a Blob': (client) => client.files.upload('a.txt', new Blob(['text'])),
  'POST of a stream': (client) => client.files.upload('a.txt', oneShot()),
  'PUT of a stream': (client) => client.request('PUT', '/pixel/1/update', { body: oneShot(), schema: anyObject }),
  'idempotent POST': (client) =>
    client.request('POST', '/campaign/add', { json: { name: 'Spring' }, schema: anyObject, idempotent: true }),
} satisfies Record<string, (client: ShortLinkClient) => ApiPromise<unknown>>

type CallName = keyof typeof calls
const repeatable: CallName[] = ['GET', 'PUT', 'DELETE', 'idempotent POST']
const replayable: CallName[] = [...repeatable, 'POST', 'POST of a Blob']
const nothing: CallName[] = []

const now = { 'Retry-After': '0' }
const html = '<html><body><h1>Sorry</h1></body></html>'

/** The failure, the calls that are retried after it, and the outcome of a write that is not retried. */
const rule: [what: string, fault: Fault, again: CallName[], outcome: Outcome][] = [
  ['the connection is lost before the work', { drop: 'before' }, repeatable, 'unknown'],
  ['the connection is lost after the work', { drop: 'after' }, repeatable, 'unknown'],
  ['the attempt takes too long', { delay: Infinity, done: false }, repeatable, 'unknown'],
  ['the attempt takes too long, but the work is done', { delay: Infinity }, repeatable, 'unknown'],
  ['the response stops halfway', { stall: true }, repeatable, 'unknown'],
  ['408', { status: 408, headers: now }, repeatable, 'unknown'],
  ['429', { status: 429, headers: now }, replayable, 'rejected'],
  ['429 inside a 200', { body: { error: 429, message: 'Slow down', 'Retry-After': 0 } }, replayable, 'rejected'],
  ['500', { status: 500, headers: now, done: true }, repeatable, 'unknown'],
  ['500 inside a 200', { body: { error: 500, message: 'Broken', 'Retry-After': 0 } }, repeatable, 'unknown'],
  ['502 with an HTML page', { status: 502, headers: now, body: html }, repeatable, 'unknown'],
  ['503', { status: 503, headers: now }, repeatable, 'unknown'],
  ['504, and the work goes on', { status: 504, headers: now, done: true }, repeatable, 'unknown'],
  ['425', { status: 425, headers: now }, repeatable, 'rejected'],
  ['507', { status: 507, headers: now }, repeatable, 'unknown'],
  ['520 of Cloudflare', { status: 520, headers: now, body: html }, repeatable, 'unknown'],
  ['530 of Cloudflare', { status: 530, headers: now, body: html }, repeatable, 'unknown'],
  ['505', { status: 505, headers: now }, nothing, 'unknown'],
  ['501', { status: 501, headers: now }, nothing, 'unknown'],
  ['400', { status: 400, headers: now }, nothing, 'rejected'],
  ['404', { status: 404, headers: now }, nothing, 'rejected'],
  ['499', { status: 499, headers: now }, nothing, 'unknown'],
  ['an error inside a 200', { body: { error: 1, message: 'Taken' } }, nothing, 'rejected'],
  ['an HTML page with 200', { body: html, done: true }, nothing, 'unknown'],
  ['half a response', { body: (honest: string) => honest.slice(0, 9) }, nothing, 'unknown'],
  ['a redirect with 302', { redirect: 'https://moved.example/' }, nothing, 'unknown'],
]

/** Returns whether a fault leaves a call without a response, so that its timeout ends it. */
const isStuck = (fault: Fault) => 'delay' in fault || 'stall' in fault

describe('a failed call is retried only if that cannot do the work twice, and its outcome is right', () => {
  for (const [what, fault, again, outcome] of rule) {
    // Concurrent, because they wait.
    describe.concurrent(`after ${what}`, () => {
      it.for(Object.keys(calls) as CallName[])('%s', async (name, { onTestFinished, expect }) => {
        const sandbox = createSandbox({ data: sampleData() })
        const { baseUrl, close } = await serve(sandbox)
        onTestFinished(close)
        // Short if no response is expected; otherwise longer than a busy machine takes.
        const timeout = isStuck(fault) ? 4000 : 30_000
        const client = new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, timeout, retry: 1 })
        sandbox.fail(fault)
        const result = await calls[name](client).safe()
        const attempts = again.includes(name) ? 2 : 1
        expect(sandbox.requests).toHaveLength(attempts)
        const wasDone = sandbox.requests[0]!.done && name !== 'GET'
        // The second attempt cannot delete it again.
        expect(result.ok).toBe(attempts === 2 && !(wasDone && name === 'DELETE'))
        if (result.ok) return
        expect(result.error).toMatchObject({ attempts, retryable: false })
        if (name !== 'GET') expect(result.error.outcome).toBe(outcome)
        if (wasDone) expect(outcome).toBe('unknown')
      })
    })
  }

  it.for(Object.keys(calls) as CallName[])('after a connection that never opened: %s', async (name) => {
    const closed = await closedOrigin()
    let asked = 0
    const { sandbox, client } = await setUp({
      fetch: (...call) => (asked++ === 0 ? fetch(closed) : fetch(...call)),
    })
    const result = await calls[name](client).safe()
    const again = replayable.includes(name)
    expect(result.ok).toBe(again)
    expect(sandbox.requests).toHaveLength(again ? 1 : 0)
  })

  it('is repeated until no retries are left, and counts the attempts', async () => {
    const { sandbox, client } = await setUp({ retry: 3 })
    sandbox.fail({ status: 503, headers: now, times: Infinity })
    await expect(client.account.get()).rejects.toMatchObject({ code: 'server', attempts: 4, retryable: true })
    expect(sandbox.requests).toHaveLength(4)
    await expect(client.account.get({ retry: 0 })).rejects.toMatchObject({ attempts: 1 })
  })

  it.each([
    ['POST', 'idempotent', 2],
    ['POST', 'read', 2],
    ['POST', undefined, 1],
    ['PUT', 'once', 1],
  ] as const)('a %s with the effect %s makes %i attempts', async (method, effect, attempts) => {
    const { sandbox, client } = await setUp()
    sandbox.fail({ status: 503, headers: now, times: Infinity })
    const path = parseUserPath('/pixel/1/update')
    await expect(client[API].run({ method, path, effect, read: () => {} })).rejects.toMatchObject({ attempts })
    expect(sandbox.requests).toHaveLength(attempts)
  })

  it('has its own retries for each page of a list', async () => {
    const { sandbox, client } = await setUp()
    sandbox.fail({ method: 'GET', path: '/campaigns', drop: 'before', times: 1 })
    expect((await client.campaigns.list()).items.length).toBeGreaterThan(0)
    expect(sandbox.requests).toHaveLength(2)
  })
})

describe('the wait before a retry', () => {
  /** Returns the delay of the first retry, and aborts the call. */
  async function delayAfter(fault: Fault, options: ShortLinkClientOptions = {}): Promise<number | undefined> {
    const controller = new AbortController()
    let delay: number | undefined
    const { sandbox, client } = await setUp({
      onRetry: ({ delayMs }) => {
        delay = delayMs
        controller.abort('seen')
      },
      ...options,
    })
    sandbox.fail({ ...fault, times: Infinity })
    await client.account.get({ signal: controller.signal }).catch(() => {})
    return delay
  }

  it.each([
    ['Retry-After in seconds', { status: 503, headers: { 'Retry-After': '41' } }, 41_000],
    ['a minimum of a second after a 429', { status: 429, headers: { 'Retry-After': '0' } }, 1000],
    ['Retry-After in the body', { body: { error: 429, message: '', 'Retry-After': 17 } }, 17_000],
  ] satisfies [string, Fault, number][])('follows %s', async (_, fault, expected) => {
    expect(await delayAfter(fault)).toBe(expected)
  })

  it('follows Retry-After as a date, measured against the clock of the server', async () => {
    const hoursAhead = Date.now() + 7_200_000
    const headers = {
      Date: new Date(hoursAhead).toUTCString(),
      'Retry-After': new Date(hoursAhead + 30_000).toUTCString(),
    }
    // Not from the sandbox, which overwrites the Date header.
    const response = () => Promise.resolve(Response.json({ error: 1, message: 'later' }, { status: 503, headers }))
    expect(await delayAfter({ status: 503 }, { fetch: response })).toBe(30_000)
  })

  it('follows the reset of the rate limit if a refusal states no wait', async () => {
    const delay = await delayAfter({ status: 429 })
    expect(delay).toBeGreaterThan(50_000)
    expect(delay).toBeLessThanOrEqual(63_000)
  })

  it.each([
    [429, 91, 'rate_limit'],
    [429, 3_000_000, 'rate_limit'],
    [503, 91, 'server'],
  ])('is an error at once if a %i asks for %i seconds', async (status, seconds, code) => {
    const { sandbox, client } = await setUp({ retry: 5 })
    sandbox.fail({ status, headers: { 'Retry-After': String(seconds) } })
    await expect(client.account.get()).rejects.toMatchObject({ code, attempts: 1 })
    expect(sandbox.requests).toHaveLength(1)
  })
})

it('a PATCH is not retried after a transient status, because it need not be idempotent', async () => {
  const server = await serveAnswers({ status: 503, headers: now })
  await connect(server, { retry: 2 })
    .request('PATCH', '/pixel/1/update', { json: { tag: 'G-1' } })
    .safe()
  expect(server.seen).toHaveLength(1)
})

it.each([
  ['GET', 'not-sent'],
  ['PUT', 'unknown'],
  ['DELETE', 'unknown'],
] as const)(
  'a %s that may have been done, and gets no slot for its retry, has the outcome %s',
  async (name, outcome) => {
    const server = await serveAnswers({ status: 503, headers: now })
    const state = { limit: 1, remaining: 0, resetAt: undefined, queued: 0 }
    let slots = 1
    const acquire = () => (slots-- > 0 ? undefined : Promise.reject({ reason: 'deadline', ms: 5000 }))
    const client = connect(server, { retry: 2, rateLimit: { state, acquire, observe() {} } })
    const { error } = await (calls[name](client) as ApiPromise<unknown>).safe()
    expect(error).toMatchObject({ code: 'rate_limit', retryAfter: 5, outcome, attempts: 1, retryable: true })
    expect(server.seen).toHaveLength(1)
  },
)

it.each([
  [0, [250, 500, 1000, 2000]],
  [0.5, [375, 750, 1500, 3000]],
])('the backoff doubles with each attempt, and its jitter removes up to half (random: %s)', async (value, delays) => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(value)
  onTestFinished(() => random.mockRestore())
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const seen: number[] = []
  const fetch = async () => new Response('busy', { status: 503 })
  const onRetry = ({ delayMs }: { delayMs: number }) => seen.push(delayMs)
  const call = connect({ origin: 'https://sho.rt' }, { fetch, onRetry, retry: 4 }).account.get().safe()
  await vi.runAllTimersAsync()
  expect(await call).toMatchObject({ error: { code: 'server', attempts: 5 } })
  expect(seen).toEqual(delays)
})

async function withSandbox(
  options: ShortLinkClientOptions,
  test: (client: ShortLinkClient, sandbox: Sandbox) => Promise<void>,
): Promise<void> {
  const sandbox = createSandbox({ rateLimit: false, data: { campaigns: [{ id: 1, name: 'Winter' }] } })
  const { baseUrl, close } = await serve(sandbox)
  try {
    await test(
      new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, retry: 0, rateLimit: false, ...options }),
      sandbox,
    )
  } finally {
    await close()
  }
}

describe('the outcome of a call that was sent more than once', () => {
  it.each([
    ['is rejected', { status: 404 }],
    ['is never sent', undefined],
  ] as const)('stays unknown if an earlier attempt may have done it and the last one %s', async (_, last) => {
    const closed = await closedOrigin()
    let sent = 0
    const fetch: typeof globalThis.fetch = (...call) =>
      sent++ === 0 || last ? globalThis.fetch(...call) : globalThis.fetch(closed)
    await withSandbox({ retry: 1, fetch }, async (client, sandbox) => {
      sandbox.fail({ drop: 'after' })
      if (last) sandbox.fail(last)
      expect(await failure(client.campaigns.update(1, { name: 'Summer' }))).toMatchObject({ outcome: 'unknown' })
      expect(sandbox.data.campaigns[0]!.name).toBe('Summer')
    })
  })

  it.each<[what: string, method: 'GET' | 'PUT', status: number]>([
    ['a PUT was refused both times', 'PUT', 429],
    ['a GET, which changes nothing, failed before', 'GET', 503],
  ])('is rejected if %s', async (_, method, status) => {
    const server = await serveAnswers({ status, headers: now }, { status: 400, body: { error: 1, message: 'No' } })
    const error = await failure(calls[method](connect(server, { retry: 1 })) as ApiPromise<unknown>)
    expect(error).toMatchObject({ attempts: 2, outcome: 'rejected', status: 400 })
  })

  it.concurrent.for([1, 2, 3, 4, 5, 6])(
    'is never `rejected` or `not-sent` if the work was done: seed %i',
    { timeout: 60_000 },
    async (seed, { expect }) => {
      await withSandbox({ retry: 2, timeout: 4000 }, async (client, sandbox) => {
        sandbox.chaos({ seed, rate: 0.5 })
        const names = Array.from({ length: 60 }, (_, index) => `name ${index}`)
        const results = await Promise.all(
          names.map((name, index) =>
            (index % 2 ? client.campaigns.create({ name }) : client.campaigns.update(1, { name })).safe(),
          ),
        )
        for (const [index, result] of results.entries()) {
          const requests = sandbox.requests.filter(({ body }) => (body as { name?: unknown })?.name === names[index])
          const done = requests.filter((request) => request.done).length
          if (result.ok) expect(done).toBeGreaterThan(0)
          else if (result.error.outcome !== 'unknown')
            expect([names[index], result.error.outcome, done]).toEqual([names[index], result.error.outcome, 0])
          if (index % 2) expect(done).toBeLessThanOrEqual(1)
        }
      })
    },
  )
})

const withCode = (code: string, fields = {}) => Object.assign(new Error('failed'), { code, ...fields })
const tried = (...errors: Error[]) => Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' })

function errorOfPost(thrown: unknown, origin = 'https://sho.rt') {
  const client = connect({ origin }, { fetch: () => Promise.reject(thrown), retry: 0 })
  return failure(client.campaigns.create({ name: 'a' }))
}

describe('a POST was certainly not sent, and can be retried', () => {
  it.each([
    withCode('ECONNREFUSED'),
    withCode('ENOTFOUND'),
    withCode('UND_ERR_CONNECT_TIMEOUT'),
    withCode('ConnectionRefused'),
    withCode('ETIMEDOUT', { syscall: 'connect' }),
    withCode('EHOSTUNREACH', { syscall: 'connect' }),
    tried(withCode('ETIMEDOUT', { syscall: 'connect' }), withCode('ECONNREFUSED', { syscall: 'connect' })),
    new Error(
      'error sending request for url (https://sho.rt/api/a): client error (Connect): tcp connect error: refused',
    ),
    new Error('Proxy response (407) !== 200 when HTTP Tunneling'),
  ])('after %o, also as a cause', async (error) => {
    expect(await errorOfPost(error)).toMatchObject({ code: 'connection', outcome: 'not-sent', retryable: true })
    const wrapped = new TypeError('fetch failed', { cause: error })
    expect(await errorOfPost(wrapped)).toMatchObject({ outcome: 'not-sent', retryable: true })
  })
})

describe('a POST was certainly not sent, and a retry would fail again', () => {
  it.each([withCode('SELF_SIGNED_CERT_IN_CHAIN'), withCode('DEPTH_ZERO_SELF_SIGNED_CERT')])(
    'after %o',
    async (error) => {
      expect(await errorOfPost(error)).toMatchObject({ outcome: 'not-sent', retryable: false })
    },
  )
})

describe('a POST may have been done', () => {
  it.each([
    withCode('ECONNRESET'),
    withCode('NOT_ECONNREFUSED'),
    withCode('ETIMEDOUT'),
    withCode('ETIMEDOUT', { syscall: 'read' }),
    withCode('EPROTO', { syscall: 'write' }),
    withCode('ERR_SSL_WRONG_VERSION_NUMBER'),
    withCode('ERR_TLS_HANDSHAKE_TIMEOUT'),
    tried(withCode('ETIMEDOUT', { syscall: 'connect' }), withCode('ETIMEDOUT', { syscall: 'read' })),
    tried(),
    new Error('error sending request for url (https://sho.rt/client error (Connect)): client error (SendRequest)'),
    new Error('Proxy response (407) === 200'),
    'ECONNREFUSED',
    undefined,
  ])('after %o', async (error) => {
    expect(await errorOfPost(error)).toMatchObject({ code: 'connection', outcome: 'unknown', retryable: false })
  })

  it('after an error with circular causes', async () => {
    const circle = new Error('round')
    circle.cause = circle
    expect(await errorOfPost(circle)).toMatchObject({ outcome: 'unknown' })
  })
})
