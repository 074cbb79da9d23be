import type { CallErrorEvent, CallWaitEvent, ShortLinkClientOptions } from 'shortlink-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { createLogObservers } from '../../../../src/client/http/observers.ts'
import { connect } from '../../../helpers/client.ts'
import { failure, thrown, until } from '../../../helpers/outcome.ts'
import { account } from '../../../helpers/responses.ts'
import { type Canned, serve } from '../../../helpers/server.ts'
import { createRateLimiter, FakeClock } from '../../rate-limit/clock.ts'

const busy = { status: 503, headers: { 'Retry-After': '0' } }

describe('observers', () => {
  it('are called with each attempt, response and retry, in order, with one id', async () => {
    const told: [name: string, event: object][] = []
    const tell = (name: string) => (event: object) => void told.push([name, event])
    const server = await serve(busy, {
      body: account,
      headers: { 'X-RateLimit-Limit': '30', 'X-RateLimit-Remaining': '9' },
    })
    const observers = { onRequest: tell('onRequest'), onResponse: tell('onResponse'), onRetry: tell('onRetry') }
    await connect(server, { retry: 1, ...observers }).account.get()
    const call = { id: expect.any(String), method: 'GET', path: '/account', url: `${server.origin}/api/account` }
    const durationMs = expect.any(Number)
    expect(new Set(told.map(([, event]) => (event as { id: string }).id)).size).toBe(1)
    expect(told).toEqual([
      ['onRequest', { ...call, attempt: 1 }],
      [
        'onResponse',
        { ...call, attempt: 1, status: 503, durationMs, rateLimit: expect.objectContaining({ queued: 0 }) },
      ],
      ['onRetry', { ...call, attempt: 1, delayMs: 0, reason: 'GET /account: 503 Service Unavailable' }],
      ['onRequest', { ...call, attempt: 2 }],
      [
        'onResponse',
        {
          ...call,
          attempt: 2,
          status: 200,
          durationMs,
          rateLimit: expect.objectContaining({ limit: 30, remaining: 9 }),
        },
      ],
    ])
  })

  it('are not called with a response if there is none, and not at all if nothing is sent', async () => {
    const onRequest = vi.fn()
    const onResponse = vi.fn()
    const client = connect(await serve((_, destroy) => void destroy()), { onRequest, onResponse })
    await failure(client.account.get())
    await failure(client.domains.delete(0))
    expect(onRequest).toHaveBeenCalledOnce()
    expect(onResponse).not.toHaveBeenCalled()
  })

  it.each<[by: string, observer: () => unknown]>([
    [
      'throwing',
      () => {
        throw new Error('mine')
      },
    ],
    ['rejecting later', () => Promise.reject(new Error('mine'))],
    [
      'rejecting in another library’s promise',
      // biome-ignore lint/suspicious/noThenProperty: a promise of another library.
      () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(new Error('mine')) }),
    ],
  ])('cannot break a call by %s', async (_, observer) => {
    const drifted = { ...account, data: { ...account.data, id: 'x' } }
    const server = await serve(busy, { body: drifted }, { status: 404, body: { error: 1 } })
    const spy = vi.fn(observer)
    const observers = {
      onRequest: spy,
      onResponse: spy,
      onRetry: spy,
      onDrift: spy,
      onError: spy,
    } as unknown as ShortLinkClientOptions
    const client = connect(server, { retry: 1, validation: 'report', ...observers })
    expect(await client.account.get()).toEqual(drifted.data)
    expect(spy).toHaveBeenCalledTimes(2 + 2 + 1 + 1)
    await failure(client.qr.get(1))
    expect(spy.mock.lastCall).toMatchObject([{ error: { code: 'not_found' } }])
  })

  it('cannot change a call by changing an event', async () => {
    const server = await serve({ body: account })
    const onRequest = (event: object) => Object.assign(event, { url: 'https://evil.example', method: 'DELETE' })
    await connect(server, { onRequest: onRequest as never }).account.get()
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/api/account' })
  })

  it('are called with another id for each call', async () => {
    const ids: string[] = []
    const client = connect(await serve({ body: account }), { onRequest: ({ id }) => ids.push(id) })
    await Promise.all([client.account.get(), client.account.get(), client.withOptions({}).account.get()])
    expect(new Set(ids).size).toBe(3)
  })
})

describe('onError', () => {
  it('is called once with the error of a call, after its retries', async () => {
    const events: CallErrorEvent[] = []
    const server = await serve(busy)
    const error = await failure(connect(server, { retry: 1, onError: (event) => events.push(event) }).account.get())
    const call = { id: expect.any(String), method: 'GET', path: '/account', url: `${server.origin}/api/account` }
    expect(events).toEqual([{ ...call, error, attempts: 2, durationMs: expect.any(Number) }])
    expect(events[0]!.error).toBe(error)
  })

  it('is not called for a link that `find` or `ensure` does not find; the log has a response for the request', async () => {
    const onError = vi.fn()
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    const logger = { error: log, warn: log, info: log, debug: log }
    const missing: Canned = { status: 404, body: { error: 1, message: 'No such link' } }
    const made: Canned = { body: { error: 0, id: 1, shorturl: 'https://sho.rt/opening' } }
    const server = await serve(missing, missing, made)
    const client = connect(server, { onError, logger, logLevel: 'info' })
    expect(await client.links.find('opening')).toBeUndefined()
    await client.links.ensure({ url: 'https://shop.example', custom: 'opening' })
    expect(onError).not.toHaveBeenCalled()
    expect(lines).toEqual([
      expect.stringMatching(/GET \/urls 404/),
      expect.stringMatching(/GET \/urls 404/),
      expect.stringMatching(/POST \/url\/add 200/),
    ])
  })

  it('is not called for a call that is refused before it begins', async () => {
    const onError = vi.fn()
    await failure(connect(await serve(), { onError }).domains.delete(0))
    expect(onError).not.toHaveBeenCalled()
  })
})

describe('onWait', () => {
  it('is called when a call has to wait for the rate limit, with the estimated wait and the number of waiting calls', async () => {
    const clock = new FakeClock()
    const events: CallWaitEvent[] = []
    const server = await serve({ body: account })
    const client = connect(server, {
      rateLimit: createRateLimiter({ requests: 1, interval: 60_000 }, clock),
      logLevel: 'off',
      onWait: (event) => events.push(event),
    })
    await client.account.get()
    expect(events).toEqual([])
    const first = client.account.get()
    const second = client.domains.create({ domain: 'https://go.example' }).safe()
    await until(() => events.length === 2)
    const address = { id: expect.any(String), method: 'GET', path: '/account', url: `${server.origin}/api/account` }
    expect(events[0]).toEqual({ ...address, waitMs: expect.any(Number), queued: 1 })
    expect(events[0]!.waitMs).toBeGreaterThan(50_000)
    expect(events[1]).toMatchObject({ method: 'POST', path: '/domain/add', queued: 2 })
    expect(events[1]!.waitMs).toBeGreaterThan(events[0]!.waitMs)
    await clock.advance(61_000)
    // The next window begins with this response.
    await first
    await clock.advance(61_000)
    await second
  })
})

describe('the log', () => {
  // vitest.config.ts sets a level other than the default.
  beforeEach(() => void vi.stubEnv('SHORTLINK_LOG', undefined))
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  /** Creates a logger that stores its lines. */
  function memoryLogger() {
    const lines: string[] = []
    const keep = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
    return { lines, logger: { error: keep('error'), warn: keep('warn'), info: keep('info'), debug: keep('debug') } }
  }

  const respond = async () => new Response(JSON.stringify(account))

  /** Creates a client with fake timers whose second call has to wait for a minute. */
  async function waitingClient(options: ShortLinkClientOptions) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
    const client = connect(
      { origin: 'https://sho.rt' },
      // A new function, because clients with the same fetch share their limiter.
      { fetch: () => respond(), rateLimit: { requests: 1, interval: 60_000 }, ...options },
    )
    await client.account.get()
    await vi.advanceTimersByTimeAsync(500)
    return client
  }

  it('warns by default in one line on stderr: the call, the wait and its reason', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const others = (['error', 'info', 'debug', 'log'] as const).map((name) => vi.spyOn(console, name))
    const client = await waitingClient({})
    const call = client.account.get()
    await vi.advanceTimersByTimeAsync(60_000)
    await call
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^shortlink-sdk: GET \/account waits 59\.\d s for the rate limit/)],
    ])
    for (const other of others) expect(other).not.toHaveBeenCalled()
  })

  it.each<[what: string, waitMs: number, queued: number, line: string[]]>([
    ['of exactly five seconds', 5000, 1, []],
    ['of several calls', 60_000, 2, ['waits 60.0 s for the rate limit; 2 calls are waiting']],
  ])('has the right warning for a wait %s', (_, waitMs, queued, line) => {
    const { lines, logger } = memoryLogger()
    createLogObservers('warn', logger).onWait!({ id: '1', method: 'GET', path: '/urls', url: '', waitMs, queued })
    expect(lines).toEqual(line.map((text) => `warn shortlink-sdk: GET /urls ${text}`))
  })

  it('does not warn again until the first wait is over', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { lines, logger } = memoryLogger()
    const { onWait } = createLogObservers('warn', logger)
    const wait = () => onWait!({ id: '1', method: 'GET', path: '/urls', url: '', waitMs: 6000, queued: 1 })
    const told: number[] = []
    for (const ms of [0, 5999, 1]) {
      vi.advanceTimersByTime(ms)
      wait()
      told.push(lines.length)
    }
    expect(told).toEqual([1, 1, 2])
  })

  it('warns of the next wait after fake timers that were ahead are removed', () => {
    vi.useFakeTimers().advanceTimersByTime(86_400_000)
    const { lines, logger } = memoryLogger()
    const { onWait } = createLogObservers('warn', logger)
    const wait = () => onWait!({ id: '1', method: 'GET', path: '/urls', url: '', waitMs: 6000, queued: 1 })
    wait()
    vi.useRealTimers()
    wait()
    expect(lines).toHaveLength(2)
  })

  it('has the remaining requests, if known, and the reason of a retry at `debug`', () => {
    const { lines, logger } = memoryLogger()
    const { onResponse, onRetry } = createLogObservers('debug', logger)
    const call = { id: '7', method: 'GET', path: '/urls', url: 'https://sho.rt/urls', attempt: 1 }
    const state = { limit: 30, resetAt: undefined, queued: 0 }
    onResponse!({ ...call, status: 200, durationMs: 999, rateLimit: { ...state, remaining: 0 } })
    onResponse!({ ...call, status: 503, durationMs: 1000, rateLimit: { ...state, remaining: undefined } })
    onRetry!({ ...call, delayMs: 250, reason: '503 Busy' })
    expect(lines).toEqual([
      'debug shortlink-sdk: #7 responded 200 in 999 ms, 0 requests left',
      'debug shortlink-sdk: #7 responded 503 in 1.0 s',
      'debug shortlink-sdk: #7 retries in 250 ms: 503 Busy',
    ])
  })

  it('has a line for each call at `info`, with its retries', async () => {
    const { lines, logger } = memoryLogger()
    const server = await serve(busy, { body: account }, { status: 404, body: { error: 1, message: 'None' } })
    const client = connect(server, { retry: 1, logger, logLevel: 'info' })
    await client.account.get()
    await failure(client.qr.get(1))
    expect(lines).toEqual([
      expect.stringMatching(/^info shortlink-sdk: GET \/account 200 in \d+(\.\d)? m?s after 2 attempts$/),
      expect.stringMatching(/^info shortlink-sdk: GET \/qr\/1 failed \(not_found, rejected\) in \d+(\.\d)? m?s$/),
    ])
  })

  it('has aborted calls and failed user schemas at `info`', async () => {
    const { lines, logger } = memoryLogger()
    const client = connect(await serve({ body: { error: 0 } }), { logger, logLevel: 'info' })
    const schema = z.transform(() => {
      throw new RangeError('mine')
    })
    await thrown(client.request('GET', '/a', { schema }))
    await thrown(client.account.get({ signal: AbortSignal.abort('enough') }))
    expect(lines.map((line) => /failed \(.*\)/.exec(line)?.[0])).toEqual([
      'failed (invalid_response, unknown)',
      'failed (aborted, not-sent)',
    ])
  })

  it('has a line for each attempt at `debug`, without the key or a password', async () => {
    const { lines, logger } = memoryLogger()
    const server = await serve(busy, { body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } })
    const client = connect(server, { retry: 1, logger, logLevel: 'debug' })
    await client.files.upload('a.txt', new Blob(['a']), { password: 'correct horse' }).safe()
    await client.request('PUT', '/a', { query: { password: 'correct horse' } })
    expect(lines[0]).toMatch(
      /^debug shortlink-sdk: #\d+ POST http.*\/files\/upload\/a\.txt\?password=\[redacted\], attempt 1$/,
    )
    expect(lines[1]).toMatch(/^debug shortlink-sdk: #\d+ responded 503 in /)
    expect(lines.join('\n')).not.toMatch(/correct|horse/)
  })

  it.each(['off', 'error'] as const)('is empty at `%s`', async (logLevel) => {
    const { lines, logger } = memoryLogger()
    const client = await waitingClient({ logger, logLevel })
    const call = client.account.get()
    await vi.advanceTimersByTimeAsync(60_000)
    await call
    expect(lines).toEqual([])
  })

  it('takes its level from SHORTLINK_LOG, unless `logLevel` is given', async () => {
    vi.stubEnv('SHORTLINK_LOG', 'info')
    const { lines, logger } = memoryLogger()
    const server = await serve({ body: account })
    await connect(server, { logger }).account.get()
    await connect(server, { logger, logLevel: 'warn' }).account.get()
    expect(lines).toHaveLength(1)
  })
})
