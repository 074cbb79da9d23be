import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { type Account, NotFoundError, type Result } from 'shortlink-sdk'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { failure, thrown, until } from '../../../helpers/outcome.ts'
import { account } from '../../../helpers/responses.ts'
import { serve } from '../../../helpers/server.ts'

const missing = { status: 404, body: { error: 1, message: 'None' } }
const busy = { status: 503, headers: { 'Retry-After': '0' } }

describe('an ApiPromise', () => {
  it('is a promise of the result', async () => {
    const call = connect(await serve({ body: account })).account.get()
    expect(call).toBeInstanceOf(Promise)
    expectTypeOf(call).resolves.toEqualTypeOf<Account>()
    expect(await call).toEqual(account.data)
  })

  it('sends one request, even if it is awaited several times', async () => {
    const server = await serve({ body: account })
    const call = connect(server).account.get()
    await Promise.all([call, call, call.then(() => {}), call.withResponse(), call.safe(), call.finally(() => {})])
    expect(server.seen).toHaveLength(1)
  })

  it('is sent even if it is never awaited', async () => {
    const server = await serve({ body: account })
    const call = connect(server).account.get()
    await until(() => server.seen.length === 1)
    await call
  })

  it('resolves like any promise: in all, race, allSettled, then, catch, finally and async functions', async () => {
    const client = connect(await serve({ body: account }))
    const call = () => client.account.get()
    const { data } = account
    expect(await Promise.all([call(), call()])).toEqual([data, data])
    expect(await Promise.race([call()])).toEqual(data)
    expect(await Promise.allSettled([call()])).toEqual([{ status: 'fulfilled', value: data }])
    expect(await Promise.resolve(call())).toEqual(data)
    expect(await call().then(({ id }) => id)).toBe(1)
    expect(await call().then(null, () => 'not called')).toEqual(data)
    expect(await call().catch(() => 'not called')).toEqual(data)
    const last = vi.fn()
    expect(await call().finally(last)).toEqual(data)
    expect(last).toHaveBeenCalledWith()
    expect(await (async () => call())()).toEqual(data)
    const next = call().then(() => {})
    expect(next.constructor).toBe(Promise)
    await next
  })

  it('rejects like any promise', async () => {
    const client = connect(await serve(missing))
    const call = () => client.account.get()
    expect(await call().catch((error) => error)).toBeInstanceOf(NotFoundError)
    expect(await call().then(null, (error) => error)).toBeInstanceOf(NotFoundError)
    expect(await thrown(call().finally(() => {}))).toBeInstanceOf(NotFoundError)
    expect(await thrown(Promise.all([call(), call()]))).toBeInstanceOf(NotFoundError)
    expect(await Promise.allSettled([call()])).toMatchObject([{ status: 'rejected', reason: { code: 'not_found' } }])
    const passedOn = call().then(() => expect.fail())
    expect(await thrown(passedOn)).toBeInstanceOf(NotFoundError)
  })
})

describe('withResponse', () => {
  it('returns the result, the Response, the rate limit and the attempts', async () => {
    const headers = { 'X-Site': 'shop', 'X-RateLimit-Limit': '30', 'X-RateLimit-Remaining': '28' }
    const server = await serve(busy, { body: account, headers })
    const result = await connect(server, { retry: 1 }).account.get().withResponse()
    expect(result.data).toEqual(account.data)
    expect(result.response).toBeInstanceOf(Response)
    expect(result.response.status).toBe(200)
    expect(result.response.headers.get('x-site')).toBe('shop')
    expect(result.response.bodyUsed).toBe(true)
    expect(result.rateLimit).toMatchObject({ limit: 30, remaining: 28 })
    expect(result.attempts).toBe(2)
  })

  it('rejects with the error of the call', async () => {
    expect(
      await failure(
        connect(await serve(missing))
          .account.get()
          .withResponse(),
      ),
    ).toBeInstanceOf(NotFoundError)
  })
})

describe('safe', () => {
  it('returns the result or the error, and `ok` narrows the type', async () => {
    const good = await connect(await serve({ body: account }))
      .account.get()
      .safe()
    expectTypeOf(good).toEqualTypeOf<Result<Account>>()
    expect(good).toEqual({ ok: true, data: account.data })
    if (good.ok) expectTypeOf(good.data).toEqualTypeOf<Account>()
    const bad = await connect(await serve(missing))
      .account.get()
      .safe()
    expect(bad).toEqual({ ok: false, error: expect.any(NotFoundError) })
  })

  it('never rejects with a ShortLinkError', async () => {
    const client = connect(await serve(missing))
    const wrong = [
      client.domains.delete(0),
      client.request('GET', 'no path'),
      client.splash.list({ page: -1 }),
      client.splash.list({}, { retry: -1 }),
    ]
    for (const call of wrong) expect(await call.safe()).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
  })

  it('resolves after an abort too', async () => {
    const call = connect(await serve({ body: account })).account.get({ signal: AbortSignal.abort('left') })
    expect(await call.safe()).toMatchObject({ ok: false, error: { code: 'aborted', cause: 'left' } })
  })
})

it('each call uses the current global fetch, which a library may have replaced', async () => {
  const client = connect({ origin: 'https://sho.rt' })
  const msw = setupServer(http.get('https://sho.rt/api/account', () => HttpResponse.json(account)))
  msw.listen({ onUnhandledRequest: 'error' })
  try {
    expect(await client.account.get()).toEqual(account.data)
  } finally {
    msw.close()
  }
})
