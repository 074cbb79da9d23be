import type { RateLimitError, ShortLinkClient, TimeoutError } from 'shortlink-sdk'
import { describe, expect, it, vi } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { account } from '../../../helpers/responses.ts'
import { serve } from '../../../helpers/server.ts'

const create = (client: ShortLinkClient, deadline?: number) => client.campaigns.create({ name: 'a' }, { deadline })

describe('the deadline of a call', () => {
  it('ends a call at once that would have to wait longer for the rate limit, and nothing is sent', async () => {
    const server = await serve({ body: account })
    const onWait = vi.fn()
    const client = connect(server, { rateLimit: { requests: 1 }, onWait })
    await client.account.get()
    const error = await failure(create(client, 10_000))
    expect(error).toMatchObject({
      name: 'RateLimitError',
      code: 'rate_limit',
      outcome: 'not-sent',
      attempts: 0,
      retryable: true,
      retryAfter: expect.any(Number),
      resetAt: expect.any(Date),
    })
    const { retryAfter, resetAt } = error as RateLimitError
    expect(retryAfter).toSatisfy((seconds: number) => Number.isInteger(seconds) && seconds > 10)
    expect(resetAt!.getTime()).toBeGreaterThan(Date.now() + 10_000)
    expect(error.message).toMatch(/^POST \/campaign\/add: would wait about \d+ s for the rate limit/)
    expect(server.seen).toHaveLength(1)
  })

  it('ends an attempt before its timeout: the work may have been done', async () => {
    const server = await serve(() => undefined)
    const error = await failure(create(connect(server, { timeout: 60_000 }), 500))
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown', attempts: 1 })
    expect(error.message).toMatch(/no response before the deadline/)
  })

  it('covers the key function', async () => {
    const server = await serve({ body: account })
    const client = connect(server, { apiKey: () => new Promise<string>(() => {}), deadline: 30 })
    const error = await failure(create(client))
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent', attempts: 0, timeout: expect.any(Number) })
    expect(error.message).toMatch(/: no key from `apiKey\(\)` before the deadline \(this attempt had \d+ ms\)$/)
    expect(Number.isInteger((error as TimeoutError).timeout)).toBe(true)
    expect(server.seen).toEqual([])
  })

  it('ends a call at once if the server asks for a longer wait, with the outcome of the refusal', async () => {
    const server = await serve({ status: 429, headers: { 'Retry-After': '60' } })
    const error = await failure(create(connect(server, { retry: 1 }), 10_000))
    expect(error).toMatchObject({ code: 'rate_limit', outcome: 'rejected', attempts: 1, retryAfter: 60 })
    expect(error.message).toMatch(/^POST \/campaign\/add: 429 /)
  })

  it('is the client’s, unless the call has one', async () => {
    const server = await serve(
      { status: 429, headers: { 'Retry-After': '1' } },
      { body: { error: 0, id: 1, domain: 'a', public: 0, rotator: false, list: '' } },
    )
    const client = connect(server, { deadline: 500, retry: 1 })
    expect(await failure(create(client))).toMatchObject({ code: 'rate_limit', attempts: 1 })
    expect(await create(connect(server, { retry: 1 }), 10_000)).toMatchObject({ id: 1 })
  })

  it('of the client is removed by `deadline: false` of a call', async () => {
    const server = await serve({ body: account })
    const slow: typeof globalThis.fetch = async (...call) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return globalThis.fetch(...call)
    }
    const client = connect(server, { deadline: 20, fetch: slow })
    expect(await failure(client.account.get())).toMatchObject({ code: 'timeout' })
    expect(await client.account.get({ deadline: false })).toMatchObject({ id: account.data.id })
  })

  it('does not exist by default, and an attempt with `timeout: false` has no time limit', async () => {
    const server = await serve({ body: account })
    const fetch: typeof globalThis.fetch = async (...call) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return globalThis.fetch(...call)
    }
    expect(await connect(server, { timeout: false, fetch }).account.get()).toMatchObject({ id: account.data.id })
  })
})
