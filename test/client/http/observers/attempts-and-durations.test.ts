import type { ShortLinkClientOptions } from 'shortlink-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect, KEY } from '../../../helpers/client.ts'
import { account } from '../../../helpers/responses.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const delayed = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value))

/** Creates a client of a server that takes 200 ms, with spies as observers. */
function clientOf(options: ShortLinkClientOptions) {
  const fetch = vi.fn(() => delayed(200, Response.json(account)))
  const onResponse = vi.fn()
  const onError = vi.fn()
  const onRequest = vi.fn()
  const observers = { onRequest, onResponse, onError }
  return { client: connect({ origin: 'https://sho.rt' }, { fetch, ...observers, ...options }), fetch, ...observers }
}

it('durationMs of a response is counted from sending, without the hooks and the key function', async () => {
  const { client, onResponse } = clientOf({
    apiKey: () => delayed(3000, KEY),
    beforeRequest: () => delayed(500, undefined),
  })
  const call = client.account.get()
  await vi.advanceTimersByTimeAsync(4000)
  await call
  expect(onResponse).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ durationMs: 200, attempt: 1 }))
})

it('durationMs of an error is counted from the call, with waits', async () => {
  const busy = () => delayed(100, Response.json({ error: 1 }, { status: 503, headers: { 'Retry-After': '5' } }))
  const { client, onError, onResponse } = clientOf({ fetch: busy, retry: 1 })
  const call = client.account.get().safe()
  await vi.advanceTimersByTimeAsync(6000)
  expect(await call).toMatchObject({ ok: false })
  expect(onResponse.mock.calls.map(([{ durationMs }]) => durationMs)).toEqual([100, 100])
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ durationMs: 5200, attempts: 2 }))
})

it('the log states the duration of each attempt and of the whole call', async () => {
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const logger = { error: log, warn: log, info: log, debug: log }
  const { client } = clientOf({ apiKey: () => delayed(3000, KEY), logger, logLevel: 'debug' })
  const calls = [client.account.get(), client.campaigns.list().safe()]
  await vi.advanceTimersByTimeAsync(4000)
  await Promise.all(calls)
  expect(lines.filter((line) => line.includes(' in ')).map((line) => line.replace(/#\d+/, '#1'))).toEqual([
    'shortlink-sdk: #1 responded 200 in 200 ms',
    'shortlink-sdk: GET /account 200 in 3.2 s',
    'shortlink-sdk: #1 responded 200 in 200 ms',
    'shortlink-sdk: GET /campaigns failed (invalid_response, unknown) in 3.2 s',
  ])
})

describe('`attempts` is the number of calls of fetch:', () => {
  const never = () => new Promise<never>(() => {})
  const fail = (): never => {
    throw new Error('no session')
  }

  it.each<[what: string, options: ShortLinkClientOptions]>([
    ['a key function that throws', { apiKey: fail }],
    ['a key function that takes too long, each time', { apiKey: never, timeout: 100 }],
    ['a hook that throws', { beforeRequest: fail }],
    ['a hook that takes too long, each time', { beforeRequest: never, timeout: 100 }],
  ])('0 after %s', async (_, options) => {
    const { client, fetch, onError, onRequest } = clientOf({ retry: 2, ...options })
    const call = client.account.get().safe()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await call).toMatchObject({ error: { outcome: 'not-sent', attempts: 0 } })
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ attempts: 0 }))
    expect(fetch).not.toHaveBeenCalled()
    expect(onRequest).not.toHaveBeenCalled()
  })

  it('0 if a hook or a key function returns after the attempt has ended, and the attempt does not continue', async () => {
    const apiKey = vi.fn(() => delayed(500, KEY))
    const beforeRequest = vi.fn(() => delayed(500, undefined))
    const slowKey = clientOf({ apiKey, timeout: 100, retry: 0 })
    const slowHook = clientOf({ apiKey, beforeRequest, timeout: 100, retry: 0 })
    const calls = [slowKey, slowHook].map(({ client }) => client.account.get().safe())
    await vi.advanceTimersByTimeAsync(5000)
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ error: { attempts: 0 } })
    for (const { fetch, onRequest } of [slowKey, slowHook]) {
      expect(fetch).not.toHaveBeenCalled()
      expect(onRequest).not.toHaveBeenCalled()
    }
    expect(apiKey).toHaveBeenCalledTimes(1)
  })

  it('1 after a slow key and a response', async () => {
    const apiKey = vi.fn<() => Promise<string>>().mockImplementationOnce(never).mockResolvedValue(KEY)
    const { client, onRequest } = clientOf({ apiKey, timeout: 1000, retry: 1 })
    const call = client.account.get().withResponse()
    await vi.advanceTimersByTimeAsync(5000)
    expect(await call).toMatchObject({ attempts: 1 })
    expect(onRequest).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ attempt: 2 }))
  })

  it('1 after a lost connection and a hook that throws', async () => {
    const fetch = vi.fn().mockRejectedValue(new TypeError('fetch failed'))
    const beforeRequest = vi
      .fn()
      .mockImplementationOnce(() => {})
      .mockImplementationOnce(fail)
    const { client } = clientOf({ fetch, beforeRequest, retry: 2 })
    const call = client.account.get().safe()
    await vi.advanceTimersByTimeAsync(5000)
    expect(await call).toMatchObject({ error: { code: 'configuration', attempts: 1 } })
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('0 after an abort in the queue, 1 after an abort during the wait for a retry', async () => {
    const { client } = clientOf({ rateLimit: { requests: 1 } })
    const first = client.account.get()
    const inQueue = new AbortController()
    const queued = client.account.get({ signal: inQueue.signal }).safe()
    await vi.advanceTimersByTimeAsync(1000)
    await first
    inQueue.abort('left')
    expect(await queued).toMatchObject({ error: { code: 'aborted', outcome: 'not-sent', attempts: 0 } })

    const lost = clientOf({ fetch: vi.fn().mockRejectedValue(new TypeError('fetch failed')), retry: 2 })
    const inWait = new AbortController()
    const retried = lost.client.account.get({ signal: inWait.signal }).safe()
    await vi.advanceTimersByTimeAsync(100)
    inWait.abort('left')
    expect(await retried).toMatchObject({ error: { code: 'aborted', attempts: 1, cause: 'left' } })
  })
})
