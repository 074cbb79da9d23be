import { describe, expect, it, vi } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { account } from '../../../helpers/responses.ts'

const words = '`fetch` must return a new Response each time, received'

/** Creates a client with this `fetch` and retries. */
const clientOf = (fetch: unknown) => connect({ origin: 'https://sho.rt' }, { fetch: fetch as never, retry: 2 })

describe('a fetch that does not return a new Response', () => {
  it.each<[what: string, returned: unknown, received: string]>([
    ['undefined', undefined, 'nothing'],
    ['null', null, 'null'],
    ['a string', '{"error":0}', 'a string'],
    ['{ ok, json }', { ok: true, json: async () => account }, 'an object'],
    ['{ status, json }', { status: 200, json: async () => account }, 'an object'],
    ['only the body', account, 'an object'],
  ])('%s: the error says so, and the call is not retried', async (_, returned, received) => {
    for (const fetch of [vi.fn(() => returned), vi.fn(async () => returned)]) {
      const error = await failure(clientOf(fetch).account.get())
      expect(error).toMatchObject({ code: 'connection', outcome: 'unknown', attempts: 1, retryable: false })
      expect(error.message).toBe(`GET /account: ${words} ${received}`)
      expect(fetch).toHaveBeenCalledTimes(1)
    }
  })

  it('the same Response a second time', async () => {
    const fetch = vi.fn().mockResolvedValue(Response.json(account))
    const client = clientOf(fetch)
    await client.account.get()
    const error = await failure(client.account.get())
    expect(error.message).toBe(`GET /account: ${words} one whose body was already read`)
    expect(fetch).toHaveBeenCalledTimes(2)
  })
})

describe('a fetch that throws before it returns a promise', () => {
  const broken = (): never => {
    throw new TypeError('Invalid header value')
  }

  it('has sent nothing', async () => {
    const error = await failure(connect({ origin: 'https://sho.rt' }, { fetch: broken }).campaigns.create({}))
    expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent', attempts: 1 })
    expect(error.message).toBe(
      'POST /campaign/add: fetch refused to send the request: Invalid header value. Check `fetchOptions` and its dispatcher, or your mock',
    )
  })

  it('is called once, because it would throw again', async () => {
    const fetch = vi.fn(broken)
    const error = await failure(connect({ origin: 'https://sho.rt' }, { fetch }).account.get())
    expect(error).toMatchObject({ outcome: 'not-sent', retryable: false })
    expect(fetch).toHaveBeenCalledTimes(1)
  })
})
