import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { failure } from '../../../helpers/outcome.ts'
import { account } from '../../../helpers/responses.ts'

/** The time of the program. Advancing it fires no timer, as in a program that is busy or frozen. */
let time = 0

beforeEach(() => {
  time += 1000
  vi.spyOn(performance, 'now').mockImplementation(() => time)
})

afterEach(() => {
  vi.restoreAllMocks()
})

const block = (ms: number) => {
  time += ms
}

const getKey = (ms: number) => {
  block(ms)
  return 'a-key'
}

function setUp(options: ShortLinkClientOptions) {
  const fetch = vi.fn(async () => Response.json(account))
  const client = new ShortLinkClient({
    baseUrl: 'https://sho.rt/api',
    apiKey: 'a-key',
    fetch,
    logLevel: 'off',
    ...options,
  })
  return { client, fetch }
}

describe.each<[string, ShortLinkClientOptions]>([
  ['with a limiter', {}],
  ['without a limiter', { rateLimit: false }],
])('%s, nothing is sent', (_, limit) => {
  describe.each([
    ['deadline', { deadline: 300 }, 'before the deadline (this attempt had 300 ms)'],
    ['timeout', { timeout: 300, retry: 0 }, 'within 300 ms'],
  ] as const)('after the %s', (_, limits, end) => {
    it.each<[string, ShortLinkClientOptions]>([
      ['the key function', { apiKey: () => getKey(300) }],
      ['a slow key function', { apiKey: () => Promise.resolve().then(() => getKey(300)) }],
      ['beforeRequest', { beforeRequest: () => block(300) }],
      ['onRequest', { onRequest: () => block(300) }],
    ])('if %s blocks the program', async (_, blocking) => {
      const { client, fetch } = setUp({ ...limit, ...limits, ...blocking })
      const error = await failure(client.campaigns.create({ name: 'a' }))
      expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent', attempts: 0, retryable: true })
      expect(error.message).toBe(`POST /campaign/add: the request was not sent ${end}`)
      expect(fetch).not.toHaveBeenCalled()
    })

    it('but a millisecond before it', async () => {
      const { client, fetch } = setUp({ ...limit, ...limits, beforeRequest: () => block(299) })
      await client.account.get()
      expect(fetch).toHaveBeenCalledTimes(1)
    })
  })

  it('if the deadline passes before the slot is taken', async () => {
    const { client, fetch } = setUp({ ...limit, deadline: 300, onRetry: () => block(300) })
    fetch.mockImplementationOnce(async () => Response.json({ error: 1 }, { status: 503 }))
    vi.spyOn(Math, 'random').mockReturnValue(-0.999)
    const error = await failure(client.account.get())
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent', attempts: 1 })
    expect(error.message).toBe('GET /account: the deadline passed before the request could be sent')
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('and the outcome is unknown if an earlier attempt may have been done', async () => {
    let keys = 0
    const { client, fetch } = setUp({ ...limit, deadline: 3000, apiKey: () => getKey(keys++ && 3000) })
    fetch.mockImplementationOnce(async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNRESET' }) })
    })
    vi.spyOn(Math, 'random').mockReturnValue(-0.999)
    const error = await failure(client.campaigns.update(1, { name: 'a' }))
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown', attempts: 1 })
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('but after a leap of the clock it is sent', async () => {
    const { client, fetch } = setUp({ ...limit, deadline: 300, timeout: 300, beforeRequest: () => block(-500) })
    await client.account.get()
    expect(fetch).toHaveBeenCalledTimes(1)
  })
})

describe('a call that waits in the queue while the program is frozen', () => {
  it('is not sent after its deadline, and a later call gets the slot', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { client, fetch } = setUp({ rateLimit: { requests: 1, interval: 1000 } })
      await client.account.get()
      const late = failure(client.account.get({ deadline: 2000 }))
      const next = client.account.get()
      block(5000)
      await vi.advanceTimersByTimeAsync(5000)
      expect(await late).toMatchObject({ code: 'timeout', outcome: 'not-sent', attempts: 0 })
      await next
      expect(fetch).toHaveBeenCalledTimes(2)
    } finally {
      vi.useRealTimers()
    }
  })
})
