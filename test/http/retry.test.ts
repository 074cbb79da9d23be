import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { TimeoutError } from '../../src/errors.ts'
import { type ApiPromise, ShortLinkClient, type ShortLinkClientOptions } from '../../src/index.ts'
import { createSandbox, type Fault, type Sandbox, sampleData } from '../../src/testing/index.ts'
import { serve } from '../../src/testing/server.ts'
import { connect } from '../helpers/client.ts'
import { closedOrigin, serve as serveAnswers } from '../helpers/server.ts'
import { collectTable } from '../rate-limit/table.ts'
import { isStuck, timeoutFor } from '../rate-limit/timeouts.ts'

async function setUp(options: ShortLinkClientOptions = {}): Promise<{ sandbox: Sandbox; client: ShortLinkClient }> {
  const sandbox = createSandbox({ data: sampleData() })
  const { baseUrl, close } = await serve(sandbox)
  onTestFinished(close)
  const client = new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, retry: 1, ...options })
  return { sandbox, client }
}

const oneShot = () => new Blob(['text']).stream()

const calls = {
  GET: (client) => client.account.get(),
  PUT: (client) => client.pixels.update(1, { tag: 'G-1' }),
  DELETE: (client) => client.pixels.delete(1),
  POST: (client) => client.campaigns.create({ name: 'Spring' }),
  'POST of a Blob': (client) => client.files.upload('a.txt', new Blob(['text'])),
  'POST of a stream': (client) => client.files.upload('a.txt', oneShot()),
  'PUT of a stream': (client) => client.request('PUT', '/pixel/1/update', { body: oneShot() }),
} satisfies Record<string, (client: ShortLinkClient) => ApiPromise<unknown>>

type CallName = keyof typeof calls
const repeatable: CallName[] = ['GET', 'PUT', 'DELETE']
const replayable: CallName[] = [...repeatable, 'POST', 'POST of a Blob']
const nothing: CallName[] = []

const now = { 'Retry-After': '0' }
const html = '<html><body><h1>Sorry</h1></body></html>'

/** The rule of the design, row by row: what happens, and which calls are sent again after it. */
const rule: [what: string, fault: Fault, again: CallName[]][] = [
  ['the connection is lost', { drop: 'before' }, repeatable],
  ['the attempt takes too long', { delay: Infinity, done: false }, repeatable],
  ['the answer stops halfway', { stall: true, done: false }, repeatable],
  ['408', { status: 408, headers: now }, repeatable],
  ['429', { status: 429, headers: now }, replayable],
  ['429 inside a 200', { body: { error: 429, message: 'Slow down', 'Retry-After': 0 } }, replayable],
  ['500', { status: 500, headers: now }, repeatable],
  ['500 inside a 200', { body: { error: 500, message: 'Broken', 'Retry-After': 0 } }, repeatable],
  ['502 with an HTML page', { status: 502, headers: now, body: html }, repeatable],
  ['503', { status: 503, headers: now }, repeatable],
  ['504', { status: 504, headers: now }, repeatable],
  ['501', { status: 501, headers: now }, nothing],
  ['400', { status: 400, headers: now }, nothing],
  ['401', { status: 401, headers: now }, nothing],
  ['403', { status: 403, headers: now }, nothing],
  ['404', { status: 404, headers: now }, nothing],
  ['409', { status: 409, headers: now }, nothing],
  ['422', { status: 422, headers: now }, nothing],
  ['an error inside a 200', { body: { error: 1, message: 'Taken' } }, nothing],
  ['an HTML page with 200', { status: 200, body: html }, nothing],
  ['an empty answer', { status: 200, body: '' }, nothing],
  ['a redirect', { redirect: 'https://moved.example/' }, nothing],
]

const record = collectTable('Sent again after')

describe('sending again', () => {
  for (const [what, fault, again] of rule) {
    // Those that wait do so together.
    describe(`after ${what}`, { concurrent: isStuck(fault) }, () => {
      it.concurrent.for(Object.keys(calls) as CallName[])('%s', async (name, { onTestFinished, expect }) => {
        const sandbox = createSandbox({ data: sampleData() })
        const { baseUrl, close } = await serve(sandbox)
        onTestFinished(close)
        const client = new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, timeout: timeoutFor(fault), retry: 1 })
        sandbox.fail(fault)
        const result = await calls[name](client).safe()
        const attempts = sandbox.requests.length
        record(what, name, attempts === 2)
        expect(attempts).toBe(again.includes(name) ? 2 : 1)
        expect(result.ok).toBe(again.includes(name))
        if (!result.ok) expect(result.error).toMatchObject({ attempts: 1, retryable: false })
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
    record('the connection never opened', name, again)
    expect(result.ok).toBe(again)
    expect(sandbox.requests).toHaveLength(again ? 1 : 0)
  })

  it('goes on until the retries are used up, and counts the attempts', async () => {
    const { sandbox, client } = await setUp({ retry: 3 })
    sandbox.fail({ status: 503, headers: now, times: Infinity })
    await expect(client.account.get()).rejects.toMatchObject({ code: 'server', attempts: 4, retryable: true })
    expect(sandbox.requests).toHaveLength(4)
    await expect(client.account.get({ retry: 0 })).rejects.toMatchObject({ attempts: 1 })
  })

  it('counts a list as one call for each page', async () => {
    const { sandbox, client } = await setUp()
    sandbox.fail({ method: 'GET', path: '/campaigns', drop: 'before', times: 1 })
    expect((await client.campaigns.list()).items.length).toBeGreaterThan(0)
    expect(sandbox.requests).toHaveLength(2)
  })
})

describe('the wait before sending again', () => {
  /** How long the client would wait; it is not waited for. */
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
    ['Retry-After in the body', { body: { error: 429, message: '', 'Retry-After': 17 } }, 17_000],
    ['Retry-After as text in the body', { body: { error: 429, message: '', 'Retry-After': '17' } }, 17_000],
    [
      'the header before the body',
      { status: 429, body: { error: 1, 'Retry-After': 17 }, headers: { 'Retry-After': '5' } },
      5000,
    ],
  ] satisfies [string, Fault, number][])('follows %s', async (_, fault, expected) => {
    expect(await delayAfter(fault)).toBe(expected)
  })

  it('follows Retry-After as a date, measured against the clock of the server', async () => {
    const hoursAhead = Date.now() + 7_200_000
    const headers = {
      Date: new Date(hoursAhead).toUTCString(),
      'Retry-After': new Date(hoursAhead + 30_000).toUTCString(),
    }
    // The sandbox says its own date last, so the answer is made by hand here.
    const answer = () => Promise.resolve(Response.json({ error: 1, message: 'later' }, { status: 503, headers }))
    expect(await delayAfter({ status: 503 }, { fetch: answer })).toBe(30_000)
  })

  it('follows the reset of the rate window if a refusal names no wait', async () => {
    const delay = await delayAfter({ status: 429 })
    expect(delay).toBeGreaterThan(50_000)
    expect(delay).toBeLessThanOrEqual(63_000)
  })

  it('grows from half a second, with jitter, if nothing is said', async () => {
    const delay = await delayAfter({ status: 503 })
    expect(delay).toBeGreaterThanOrEqual(250)
    expect(delay).toBeLessThanOrEqual(500)
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

it('a PATCH is not sent again after a transient status, because nobody promises that it does the same twice', async () => {
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
] as const)('a %s that may have been done, and then gets no slot, ends as %s', async (name, outcome) => {
  const server = await serveAnswers({ status: 503, headers: now })
  const state = { limit: 1, remaining: 0, resetAt: undefined, queued: 0 }
  let slots = 1
  const acquire = () => (slots-- > 0 ? undefined : Promise.reject(new TimeoutError(5, { outcome: 'not-sent' }, 'late')))
  const client = connect(server, { retry: 2, rateLimit: { state, acquire, observe() {} } })
  const { error } = await (calls[name](client) as ApiPromise<unknown>).safe()
  expect(error).toMatchObject({ code: 'timeout', timeout: 5, outcome, attempts: 1, retryable: true })
  expect(server.seen).toHaveLength(1)
})

it.each([
  [0, [250, 500, 1000, 2000]],
  [0.5, [375, 750, 1500, 3000]],
])('the backoff doubles with each attempt, and its jitter takes off up to half (dice: %s)', async (dice, delays) => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(dice)
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
