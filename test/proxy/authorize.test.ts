import { Response as OtherResponse } from 'undici'
import { describe, expect, test } from 'vitest'
import { proxied, refusal } from './upstream.ts'

describe('authorize', () => {
  test('receives the request and the entry of `allow`, and decides whether to send it', async () => {
    const received: unknown[] = []
    const { call, seen } = await proxied({
      allow: ['GET /qr/:id', 'DELETE /qr/:id/delete'],
      authorize: async (request, call) => {
        received.push(request.headers.get('cookie'), call)
        return call.startsWith('GET ')
      },
    })
    expect((await call('/qr/1', { headers: { cookie: 'session=1' } })).status).toBe(200)
    expect((await call('/qr/1/delete', { method: 'DELETE' })).status).toBe(403)
    expect(received).toEqual(['session=1', 'GET /qr/:id', null, 'DELETE /qr/:id/delete'])
    expect(seen).toHaveLength(1)
  })

  test('may return a response, even from another implementation or with immutable headers', async () => {
    const teapot = new OtherResponse('short and stout', { status: 418, headers: { 'X-Tea': 'green' } })
    const { call } = await proxied({ authorize: () => teapot as never })
    const answer = await call('/campaigns')
    expect([answer.status, answer.headers.get('x-tea'), await answer.text()]).toEqual([418, 'green', 'short and stout'])

    const redirecting = await proxied({ authorize: () => Response.redirect('https://app.example/login') })
    expect((await redirecting.call('/campaigns')).status).toBe(302)
  })

  test('causes a 500 and a call of onError if it returns a response that cannot be sent', async () => {
    const used = new Response('used')
    await used.text()
    for (const verdict of [Response.error(), used]) {
      const { call, seen, errors } = await proxied({ authorize: () => verdict })
      expect((await call('/campaigns')).status).toBe(500)
      expect([errors.length, seen]).toEqual([1, []])
    }
  })

  test('allows a call only if it returns true, and onError is not called for a refusal', async () => {
    for (const verdict of [undefined, null, 0, '', 1, 'yes', 'everyone', {}, [], { status: 200 }, () => true]) {
      const { call, seen, errors } = await proxied({ authorize: () => verdict as never })
      expect(await refusal(await call('/campaigns'))).toEqual([403, 'this proxy: you are not allowed to do this'])
      expect([seen, errors]).toEqual([[], []])
    }
  })

  test('passes its errors to onError, hides them from the page, and sends nothing', async () => {
    const errors: unknown[] = []
    const failure = new Error('the session store at 10.0.0.5 is down')
    const { call, seen } = await proxied({
      authorize: () => Promise.reject(failure),
      onError: (error) => {
        errors.push(error)
        throw new Error('thrown by the observer')
      },
    })
    expect(await refusal(await call('/campaigns'))).toEqual([500, 'this proxy: internal error'])
    expect([errors, seen]).toEqual([[failure], []])
  })
})
