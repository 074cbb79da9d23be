import { Response as OtherResponse } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { AllowedCall } from '../../src/proxy/index.ts'
import { KEY, proxied } from './upstream.ts'

describe('what passes', () => {
  test('an allowed call reaches the platform with the key, its query and its body', async () => {
    const { call, seen } = await proxied({ allow: ['POST /campaign/add'] })
    const answer = await call('/campaign/add?a=%26&b=1', { method: 'POST', body: '{"name":"Spring"}' })
    expect([answer.status, await answer.json()]).toEqual([200, { error: 0 }])
    expect(seen).toMatchObject([{ method: 'POST', url: '/api/campaign/add?a=%26&b=1', body: '{"name":"Spring"}' }])
    expect(seen[0]!.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  test.each<[AllowedCall, string, string]>([
    ['GET /qr/:id', 'GET', '/qr/7'],
    ['PUT /campaign/:id/update', 'PUT', '/campaign/12/update'],
    ['DELETE /pixel/:id/delete', 'DELETE', '/pixel/3/delete'],
    ['POST /channel/:channelid/assign/:type/:itemid', 'POST', '/channel/1/assign/links/9'],
    ['POST /files/upload/:filename', 'POST', '/files/upload/a%20b%26%3F%23c%C3%A9.pdf'],
    ['POST /files/upload/:filename', 'POST', '/files/upload/100%25.pdf'],
    ['GET /v1.0/campaigns', 'GET', '/v1.0/campaigns'],
  ])('%s lets %s %s through, unchanged', async (allowed, method, path) => {
    const { call, seen } = await proxied({ allow: [allowed] })
    expect((await call(path, { method })).status).toBe(200)
    expect(seen).toMatchObject([{ method, url: `/api${path}` }])
  })

  test('everything else is refused and does not reach the platform', async () => {
    const { call, seen } = await proxied({ allow: ['GET /campaigns', 'GET /v1.0/account', 'PUT /campaign/:id/update'] })
    const refused: [string, string][] = [
      ['GET', '/account'],
      ['POST', '/campaigns'],
      ['GET', '/campaigns/'],
      ['GET', '/CAMPAIGNS'],
      ['GET', '/campaigns/1'],
      ['GET', '/v1x0/account'],
      ['HEAD', '/campaigns'],
      ['PUT', '/campaign//update'],
      ['PUT', '/campaign/1/2/update'],
      ['PUT', '/campaign/1/delete'],
    ]
    for (const [method, path] of refused) {
      const answer = await call(path, { method })
      expect([method, path, answer.status]).toEqual([method, path, 403])
    }
    expect(seen).toEqual([])
  })

  test('a refusal has the shape of the platform’s own errors', async () => {
    const { call } = await proxied()
    const answer = await call('/account')
    expect(await answer.json()).toEqual({ error: 1, message: 'this proxy: GET /account is not allowed' })
    expect(answer.headers.get('content-type')).toMatch('application/json')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

describe('tricks with the path', () => {
  test.each([
    '/qr/..%2faccount',
    '/qr/%2e%2e%2faccount',
    '/qr/1%2F2',
    '/qr/1%5c2',
    '/qr/1%00',
    '/qr/1;x',
    '/qr/%31',
    '/qr//1',
    '//evil.example/qr/1',
    '/qr/1%252f2',
    '/files/upload/..%2f..%2faccount',
    '/files/upload/%252e%252e%252faccount',
    '/files/upload/a%2f..%2f..%2fb',
    '/files/upload/a%5cb',
    '/files/upload/a%00b',
    '/files/upload/a%0d%0ab',
    '/files/upload/a/b',
    '/files/upload/%ff',
    '/files/upload/%252e%252e',
    '/files/upload/a%252f%252e%252e%252fb%2525',
    '/files/upload/a%25252f%25252e%25252e%25252fb%25',
    '/files/upload/a%25255cb%25',
    '/files/upload/a%25250ab%25',
    '/files/upload/a%2Fb',
    '/files/upload/%2F%2Fa',
    '/files/upload/..;',
    '/files/upload/%2e%2e%3Ba=b',
    '/files/upload/%25c0%25ae%25c0%25ae',
    '/files/upload/%25u002e%25u002e',
    '/files/upload/',
  ])('%s is refused', async (path) => {
    const { call, seen } = await proxied({ allow: ['GET /qr/:id', 'GET /files/upload/:filename'] })
    expect((await call(path)).status).toBe(403)
    expect(seen).toEqual([])
  })

  test.each(['/x/../../account', '/x/%2e%2e/%2E%2e/account', '/x\\..\\..\\account', '/xyz/qr/1', '/x', '/'])(
    '%s leads out of the prefix and is not found',
    async (path) => {
      const { call, seen } = await proxied({ prefix: '/x', allow: ['GET /account', 'GET /qr/:id'] })
      const answer = await call(path)
      expect([answer.status, (await answer.json()).message]).toEqual([
        404,
        expect.stringMatching(/^this proxy: there is nothing at \/.*$/),
      ])
      expect(seen).toEqual([])
    },
  )

  test('the host of the request does not decide where it goes', async () => {
    const { proxy, seen } = await proxied()
    expect((await proxy(new Request('http://evil.example/campaigns'))).status).toBe(200)
    expect(seen).toHaveLength(1)
  })
})

describe('where it is mounted', () => {
  test('the prefix is removed, with or without a trailing slash', async () => {
    for (const prefix of ['/api/shortlink', '/api/shortlink/']) {
      const { call, seen } = await proxied({ prefix })
      expect((await call('/api/shortlink/campaigns?page=2')).status).toBe(200)
      expect(seen[0]!.url).toBe('/api/campaigns?page=2')
    }
  })

  test('/opener leads to the app-opener API, without the key unless openerAuth asks for it', async () => {
    for (const openerAuth of ['none', 'bearer'] as const) {
      const { baseUrl, seen } = await proxied()
      const { call } = await proxied({
        openerUrl: baseUrl.replace('/api', ''),
        openerAuth,
        prefix: '/p',
        allow: ['POST /opener/v3/api'],
      })
      expect((await call('/p/opener/v3/api', { method: 'POST', body: '{}' })).status).toBe(200)
      expect(seen[0]!.url).toBe('/v3/api')
      expect(seen[0]!.headers.authorization).toBe(openerAuth === 'bearer' ? `Bearer ${KEY}` : undefined)
    }
  })
})

describe('authorize', () => {
  test('receives the request and the entry of `allow`, and decides', async () => {
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

  test('a response of its own is sent as it is', async () => {
    const { call } = await proxied({ authorize: () => new Response('Sign in', { status: 401 }) })
    const answer = await call('/campaigns')
    expect([answer.status, await answer.text()]).toEqual([401, 'Sign in'])
  })

  test('a response of another implementation, or with immutable headers, is sent too', async () => {
    const teapot = new OtherResponse('short and stout', { status: 418, headers: { 'X-Tea': 'green' } })
    expect(teapot).not.toBeInstanceOf(Response)
    const { call } = await proxied({ authorize: () => teapot as never })
    const answer = await call('/campaigns')
    expect([answer.status, answer.headers.get('x-tea'), await answer.text()]).toEqual([418, 'green', 'short and stout'])

    const redirecting = await proxied({ authorize: () => Response.redirect('https://app.example/login') })
    expect((await redirecting.call('/campaigns')).status).toBe(302)
  })

  test('a response that cannot be sent is a 500, reported to onError', async () => {
    const used = new Response('used')
    await used.text()
    for (const verdict of [Response.error(), used]) {
      const errors: unknown[] = []
      const { call, seen } = await proxied({ authorize: () => verdict, onError: (error) => errors.push(error) })
      expect((await call('/campaigns')).status).toBe(500)
      expect([errors.length, seen]).toEqual([1, []])
    }
  })

  test('only true lets a call pass, and onError is not told of a refusal', async () => {
    for (const verdict of [undefined, null, 0, '', 1, 'yes', {}, [], { status: 200 }, () => true]) {
      const onError = vi.fn()
      const { call, seen } = await proxied({ authorize: () => verdict as never, onError })
      const answer = await call('/campaigns')
      expect([answer.status, (await answer.json()).message]).toEqual([
        403,
        'this proxy: you are not allowed to do this',
      ])
      expect([seen, onError.mock.calls]).toEqual([[], []])
    }
  })

  test('an error of it is passed to onError, hidden from the page, and nothing is sent', async () => {
    const errors: unknown[] = []
    const failure = new Error('the session store at 10.0.0.5 is down')
    const { call, seen } = await proxied({
      authorize: () => Promise.reject(failure),
      onError: (error) => {
        errors.push(error)
        throw new Error('thrown by the observer')
      },
    })
    const answer = await call('/campaigns')
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: 1, message: 'this proxy: internal error, reported on its server' },
    ])
    expect([errors, seen]).toEqual([[failure], []])
  })
})

describe('the key', () => {
  test('can come from a function, which is called with every request', async () => {
    const { call, seen } = await proxied({ apiKey: async (request) => `key-${request.headers.get('x-tenant')}` })
    await call('/campaigns', { headers: { 'x-tenant': 'a' } })
    await call('/campaigns', { headers: { 'x-tenant': 'b' } })
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-a', 'Bearer key-b'])
  })

  test('from a function that returns none that fits fails the call, and onError is told without the value', async () => {
    const errors: unknown[] = []
    for (const key of ['', 'secret\nX-Evil: 1', undefined]) {
      const { call, seen } = await proxied({ apiKey: () => key as string, onError: (error) => errors.push(error) })
      expect((await call('/campaigns')).status).toBe(500)
      expect(seen).toEqual([])
    }
    expect(errors.join()).toMatch('contains a space, a line break')
    expect(errors.join()).not.toMatch('secret')
  })
})

describe('a body that was read before', () => {
  const message =
    'the body was already read: put the proxy before the body parser, and leave the body unread in `authorize`'
  const emptied = () => new ReadableStream({ start: (controller) => controller.close() })
  const failing = () => new ReadableStream({ start: (controller) => controller.error(new TypeError('unusable')) })
  const locked = () => {
    const stream = new ReadableStream()
    stream.getReader()
    return stream
  }
  const streamed = (body: ReadableStream | null) => {
    const headers = { 'Content-Length': '15' }
    const request = new Request('https://app.example/campaign/add', { method: 'POST', headers })
    return Object.defineProperty(request, 'body', { value: body })
  }
  const read = async () => {
    const request = new Request('https://app.example/campaign/add', { method: 'POST', body: '{}' })
    await request.text()
    return request
  }

  test.each<[string, () => Request | Promise<Request>]>([
    ['a request that was used', read],
    ['an adapter that gives no body', () => streamed(null)],
    ['an adapter that gives an empty stream', () => streamed(emptied())],
    ['an adapter whose stream fails at the first read', () => streamed(failing())],
    ['an adapter whose stream is locked', () => streamed(locked())],
  ])('is told apart from a platform that does not respond, with %s', async (_name, request) => {
    const errors: unknown[] = []
    const { proxy } = await proxied({ allow: ['POST /campaign/add'], onError: (error) => errors.push(error) })
    const answer = await proxy(await request())
    expect([answer.status, await answer.json()]).toEqual([500, { error: 1, message: `this proxy: ${message}` }])
    expect(errors.map(String)).toEqual([`ConfigurationError: ${message}`])
  })

  test('is told apart when `authorize` read it, and nothing is sent', async () => {
    const { call, seen } = await proxied({
      allow: ['POST /campaign/add'],
      authorize: async (request) => (await request.text()) !== '',
    })
    const answer = await call('/campaign/add', { method: 'POST', body: '{}' })
    expect([answer.status, (await answer.json()).message, seen]).toEqual([500, `this proxy: ${message}`, []])
  })

  test('is not what a page is told that stops in the middle of its upload', async () => {
    let chunks = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (chunks++) controller.error(new TypeError('terminated'))
        else controller.enqueue(new Uint8Array(10))
      },
    })
    const { proxy } = await proxied({ allow: ['POST /campaign/add'] })
    const answer = await proxy(streamed(body))
    expect([answer.status, (await answer.json()).message]).toEqual([502, 'this proxy: the platform did not respond'])
  })
})

describe('without onError', () => {
  test('console.error prints what went wrong and in which call, without the key or the query', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => print.mockRestore())
    const fetch = () => Promise.reject(new Error(`connect ECONNREFUSED, with ${KEY}`))
    const { call } = await proxied({ fetch, onError: undefined })
    await call('/campaigns?secret=1')
    await call('/account')
    expect(print.mock.calls).toEqual([
      ['shortlink-sdk/proxy: GET /campaigns:', new Error('connect ECONNREFUSED, with [redacted]')],
    ])
  })
})
