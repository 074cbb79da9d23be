import { Response as OtherResponse } from 'undici'
import { describe, expect, test, vi } from 'vitest'
import { ShortLinkClient } from '../../src/index.ts'
import { type AllowedCall, createProxy } from '../../src/proxy/index.ts'
import { KEY, proxied, refusal } from './upstream.ts'

describe('the allow list', () => {
  test.each<[AllowedCall, string, string]>([
    ['GET /campaigns', 'GET', '/campaigns?a=%26&b=1&b=+%2B&c'],
    ['GET /qr/:id', 'GET', '/qr/7'],
    ['PUT /campaign/:id/update', 'PUT', '/campaign/12/update'],
    ['DELETE /pixel/:id/delete', 'DELETE', '/pixel/3/delete'],
    ['POST /channel/:channelid/assign/:type/:itemid', 'POST', '/channel/1/assign/links/9'],
    ['POST /files/upload/:filename', 'POST', '/files/upload/a%20b%26%3F%23c%C3%A9.pdf'],
    ['POST /files/upload/:filename', 'POST', '/files/upload/100%25.pdf'],
    ['POST /files/upload/:filename', 'POST', `/files/upload/${encodeURIComponent('語'.repeat(85))}`],
    ['GET /v1.0/campaigns', 'GET', '/v1.0/campaigns'],
  ])('%s lets %s %s through, unchanged and with the key', async (allowed, method, path) => {
    const { call, seen } = await proxied({ allow: [allowed] })
    expect((await call(path, { method })).status).toBe(200)
    expect(seen).toMatchObject([{ method, url: `/api${path}`, headers: { authorization: `Bearer ${KEY}` } }])
  })

  test.each([
    ['GET', '/account'],
    ['POST', '/campaigns'],
    ['HEAD', '/campaigns'],
    ['GET', '/campaigns/'],
    ['GET', '/CAMPAIGNS'],
    ['GET', '/campaigns/1'],
    ['GET', '/v1x0/account'],
    ['PUT', '/campaign//update'],
    ['PUT', '/campaign/1/2/update'],
    ['GET', '/qr/..%2faccount'],
    ['GET', '/qr/%2e%2e%2faccount'],
    ['GET', '/qr/1%5c2'],
    ['GET', '/qr/1%00'],
    ['GET', '/qr/1;x'],
    ['GET', '/qr/%31'],
    ['GET', '//evil.example/qr/1'],
    ['GET', '/files/upload/..%2f..%2faccount'],
    ['GET', '/files/upload/%252e%252e%252faccount'],
    ['GET', '/files/upload/a%5cb'],
    ['GET', '/files/upload/a%00b'],
    ['GET', '/files/upload/a%0d%0ab'],
    ['GET', '/files/upload/a/b'],
    ['GET', '/files/upload/%ff'],
    ['GET', '/files/upload/%252e%252e'],
    ['GET', '/files/upload/a%25252f%25252e%25252e%25252fb%25'],
    ['GET', '/files/upload/a%2Fb'],
    ['GET', '/files/upload/..;'],
    ['GET', '/files/upload/%2e%2e%3Ba=b'],
    ['GET', `/files/upload/a%${'25'.repeat(9)}b`],
    ['GET', '/files/upload/'],
  ])('refuses %s %s before authorize sees it', async (method, path) => {
    const authorize = vi.fn(() => true)
    const allow = ['GET /campaigns', 'GET /v1.0/account', 'PUT /campaign/:id/update', 'GET /qr/:id'] as const
    const { call, seen } = await proxied({ authorize, allow: [...allow, 'GET /files/upload/:filename'] })
    const answer = await call(path, { method })
    expect([answer.status, answer.headers.get('cache-control'), seen]).toEqual([403, 'no-store', []])
    expect(authorize).not.toHaveBeenCalled()
  })

  test.each(['/x/../../account', '/x/%2e%2e/%2E%2e/account', '/x\\..\\..\\account', '/xyz/qr/1', '/x', '/'])(
    '%s leads out of the prefix and is not found',
    async (path) => {
      const { call, seen } = await proxied({ prefix: '/x', allow: ['GET /account', 'GET /qr/:id'] })
      const [status, message] = await refusal(await call(path))
      expect([status, message, seen]).toEqual([404, expect.stringMatching(/^this proxy: there is nothing at \//), []])
    },
  )

  test('a refusal says that the proxy refused what, in at most 200 characters of it', async () => {
    const { call } = await proxied()
    expect(await refusal(await call('/account'))).toEqual([403, 'this proxy: GET /account is not allowed'])
    expect((await refusal(await call(`/${'x'.repeat(2000)}`)))[1].length).toBeLessThan(300)
  })
})

test('the prefix is removed, with or without slashes at its end', async () => {
  for (const prefix of ['/api/shortlink', '/api/shortlink//']) {
    const { call, seen } = await proxied({ prefix })
    expect((await call('/api/shortlink/campaigns?page=2')).status).toBe(200)
    expect(seen[0]!.url).toBe('/api/campaigns?page=2')
  }
})

test('/opener leads to the app-opener API, without the key unless openerAuth asks for it', async () => {
  for (const openerAuth of ['none', 'bearer'] as const) {
    const { call, seen } = await proxied({ client: { openerAuth }, prefix: '/p', allow: ['POST /opener/v3/api'] })
    expect((await call('/p/opener/v3/api', { method: 'POST', body: '{}' })).status).toBe(200)
    expect([seen[0]!.url, seen[0]!.body]).toEqual(['/v3/api', '{}'])
    expect(seen[0]!.headers.authorization).toBe(openerAuth === 'bearer' ? `Bearer ${KEY}` : undefined)
  }
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

  test('a response of it is sent as it is, of another implementation or with immutable headers too', async () => {
    const teapot = new OtherResponse('short and stout', { status: 418, headers: { 'X-Tea': 'green' } })
    const { call } = await proxied({ authorize: () => teapot as never })
    const answer = await call('/campaigns')
    expect([answer.status, answer.headers.get('x-tea'), await answer.text()]).toEqual([418, 'green', 'short and stout'])

    const redirecting = await proxied({ authorize: () => Response.redirect('https://app.example/login') })
    expect((await redirecting.call('/campaigns')).status).toBe(302)
  })

  test('a call that is passed on is one of the client: its observers and its log hear of it', async () => {
    const heard: string[] = []
    const hear = (name: string) => () => void heard.push(name)
    const info: string[] = []
    const logger = { error() {}, warn() {}, debug() {}, info: (line: string) => void info.push(line) }
    const observers = { onRequest: hear('request'), onResponse: hear('response'), onError: hear('error') }
    const client = { ...observers, logger, logLevel: 'info' as const }
    const { call } = await proxied({ client }, (_, response) => void response.writeHead(404).end('{"error":404}'))
    expect((await call('/campaigns')).status).toBe(404)
    expect(heard).toEqual(['request', 'response'])
    expect(info).toEqual([expect.stringMatching(/^shortlink-sdk: GET \/campaigns 404 in /)])

    const broken = await proxied({ client }, (_, response) => void response.destroy())
    expect((await broken.call('/campaigns')).status).toBe(502)
    expect(heard.slice(2)).toEqual(['request', 'error'])
    expect(info[1]).toMatch(/^shortlink-sdk: GET \/campaigns failed \(connection, unknown\) in /)
  })

  test('a response that cannot be sent is a 500, reported to onError', async () => {
    const used = new Response('used')
    await used.text()
    for (const verdict of [Response.error(), used]) {
      const { call, seen, errors } = await proxied({ authorize: () => verdict })
      expect((await call('/campaigns')).status).toBe(500)
      expect([errors.length, seen]).toEqual([1, []])
    }
  })

  test('only true lets a call pass, and onError is not told of a refusal', async () => {
    for (const verdict of [undefined, null, 0, '', 1, 'yes', 'everyone', {}, [], { status: 200 }, () => true]) {
      const { call, seen, errors } = await proxied({ authorize: () => verdict as never })
      expect(await refusal(await call('/campaigns'))).toEqual([403, 'this proxy: you are not allowed to do this'])
      expect([seen, errors]).toEqual([[], []])
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
    expect(await refusal(await call('/campaigns'))).toEqual([500, 'this proxy: internal error'])
    expect([errors, seen]).toEqual([[failure], []])
  })
})

describe('the client', () => {
  test('adds the key of its function, its scheme and its headers', async () => {
    const headers = { 'X-Gateway': 'g', 'User-Agent': 'shop/1' }
    const { call, seen } = await proxied({ client: { apiKey: async () => 'key-of-it', authScheme: 'Token', headers } })
    await call('/campaigns')
    expect(seen[0]!.headers).toMatchObject({
      authorization: 'Token key-of-it',
      'x-gateway': 'g',
      'user-agent': 'shop/1',
    })
  })

  test('can be chosen for each request, after authorize has said who it is', async () => {
    const sent: unknown[] = []
    const clientOf = (tenant: string | null) =>
      new ShortLinkClient({
        baseUrl: 'https://sho.rt/api',
        apiKey: `key-of-${tenant}`,
        fetch: async (_, init) => {
          sent.push(init.headers.authorization)
          return Response.json({ error: 0 })
        },
      })
    const proxy = createProxy(async (request) => clientOf(request.headers.get('x-tenant')), {
      allow: ['GET /campaigns'],
      authorize: (request) => request.headers.get('x-tenant') !== 'c',
    })
    for (const tenant of ['a', 'b', 'c']) {
      await proxy(new Request('https://app.example/campaigns', { headers: { 'x-tenant': tenant } }))
    }
    expect(sent).toEqual(['Bearer key-of-a', 'Bearer key-of-b'])
  })

  test('a function that returns another thing is a 500 that onError is told about', async () => {
    const errors: unknown[] = []
    const proxy = createProxy((() => ({ baseUrl: 'https://sho.rt' })) as never, {
      allow: ['GET /campaigns'],
      authorize: 'everyone',
      onError: (error) => errors.push(error),
    })
    expect((await proxy(new Request('https://app.example/campaigns'))).status).toBe(500)
    expect(errors.map(String)).toEqual(['ConfigurationError: client(): expected a ShortLinkClient, received an object'])
  })

  test('a key function that returns no valid key fails the call, and onError is told without the value', async () => {
    const { call, seen, errors } = await proxied({ client: { apiKey: () => 'secret\nX-Evil: 1' } })
    expect((await call('/campaigns')).status).toBe(500)
    expect([seen, String(errors)]).toEqual([[], expect.stringContaining('contains a space, a line break')])
    expect(String(errors)).not.toMatch('secret')
  })

  test('a key function that never settles is covered by the timeout', async () => {
    const { call, seen } = await proxied({ client: { apiKey: () => new Promise<string>(() => {}), timeout: 50 } })
    expect([(await call('/campaigns')).status, seen]).toEqual([504, []])
  })
})

describe('the rate limit', () => {
  test('a call that would have to wait is a 429 with Retry-After at once, and the limit is the client’s', async () => {
    const { baseUrl } = await proxied()
    const client = new ShortLinkClient({ baseUrl, apiKey: 'key-of-the-limit', rateLimit: { requests: 2 } })
    const proxy = createProxy(client, { allow: ['GET /campaigns'], authorize: 'everyone' })
    await client.request('GET', '/campaigns')
    const answers = []
    for (let i = 0; i < 2; i++) answers.push(await proxy(new Request('https://app.example/campaigns')))
    const [first, second] = answers
    expect([first!.status, client.rateLimit.remaining]).toEqual([200, 0])
    expect(await refusal(second!)).toEqual([
      429,
      expect.stringMatching(/^this proxy: too many requests: try again in \d+ s$/),
    ])
    const seconds = Number(second!.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThan(65)
  })

  test('what the platform refuses for its rate, inside a 200 too, closes the window, and is not retried', async () => {
    for (const status of [429, 200]) {
      const { call, seen } = await proxied(
        { client: { apiKey: `key-of-${status}-refused`, rateLimit: {} } },
        (_request, response) => response.writeHead(status, { 'Retry-After': '70' }).end('{"error":429}'),
      )
      const answers = [await call('/campaigns'), await call('/campaigns')]
      expect(answers.map((answer) => answer.status)).toEqual([status, 429])
      expect(Number(answers[1]!.headers.get('retry-after'))).toBeGreaterThan(60)
      expect(seen).toHaveLength(1)
    }
  })

  test('a page in front of it waits and gets through', async () => {
    const responses = [
      Response.json({ error: 0 }),
      new Response('{"error":1}', { status: 429, headers: { 'Retry-After': '0' } }),
    ]
    const client = new ShortLinkClient({
      baseUrl: 'https://sho.rt/api',
      apiKey: 'key-of-the-page',
      fetch: async () => responses.pop()!,
    })
    const proxy = createProxy(client, { prefix: '/p', allow: ['GET /campaigns'], authorize: 'everyone' })
    const page = new ShortLinkClient({
      baseUrl: 'https://app.example/p',
      apiKey: null,
      fetch: (url, init) => proxy(new Request(url, init)),
    })
    const { attempts } = await page.request('GET', '/campaigns').withResponse()
    expect(attempts).toBe(2)
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
    const { proxy, errors } = await proxied({ allow: ['POST /campaign/add'] })
    expect(await refusal(await proxy(await request()))).toEqual([500, `this proxy: ${message}`])
    expect(errors.map(String)).toEqual([`ConfigurationError: ${message}`])
  })

  test('is not an empty one, whose length no page announces', async () => {
    const { call } = await proxied({ allow: ['POST /campaign/add'] })
    const init = { method: 'POST', body: emptied(), duplex: 'half' } as RequestInit
    expect((await call('/campaign/add', init)).status).toBe(200)
  })

  test('is told apart when `authorize` read it, and nothing is sent', async () => {
    const { call, seen } = await proxied({
      allow: ['POST /campaign/add'],
      authorize: async (request) => (await request.text()) !== '',
    })
    const answer = await call('/campaign/add', { method: 'POST', body: '{}' })
    expect([...(await refusal(answer)), seen]).toEqual([500, `this proxy: ${message}`, []])
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
    expect(await refusal(await proxy(streamed(body)))).toEqual([499, 'this proxy: the upload broke off'])
  })
})

test('what a proxy of one format needs of a client of the other is found by a registered symbol', () => {
  expect(Symbol.for('shortlink-sdk.transport') in new ShortLinkClient()).toBe(true)
})
