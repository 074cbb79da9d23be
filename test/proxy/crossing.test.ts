import { connect } from 'node:net'
import { createProxy } from 'shortlink-sdk/proxy'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../helpers/server.ts'
import { KEY, proxied } from './upstream.ts'

describe('towards the platform', () => {
  test('only the headers that a call needs are forwarded', async () => {
    const { call, seen } = await proxied({ allow: ['POST /campaign/add'], headers: { 'X-Gateway': 'g' } })
    await call('/campaign/add', {
      method: 'POST',
      body: '{"name":"é"}',
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        Authorization: 'Bearer of-the-page',
        Cookie: 'session=1',
        'Proxy-Authorization': 'Basic x',
        Connection: 'keep-alive, x-private',
        'X-Private': '1',
        'X-Forwarded-For': '10.0.0.1',
        Forwarded: 'for=10.0.0.1',
        'X-Real-IP': '10.0.0.1',
        Host: 'evil.example',
        Origin: 'https://app.example',
        Referer: 'https://app.example/secret',
      },
    })
    const { headers } = seen[0]!
    // Headers that the runtime's own fetch adds; they say nothing about the page.
    const own = ['host', 'connection', 'user-agent', 'accept-encoding', 'sec-fetch-mode', 'transfer-encoding']
    const crossed = Object.keys(headers).filter((name) => !own.includes(name) && name !== 'accept-language')
    expect(crossed.sort()).toEqual(['accept', 'authorization', 'content-type', 'x-gateway'])
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, host: expect.stringMatching('127.0.0.1') })
  })

  test('a body is forwarded while it still arrives, with its announced length', async () => {
    let received = 0
    let firstBytes = () => {}
    const arrived = new Promise<void>((resolve) => {
      firstBytes = resolve
    })
    const { call, seen } = await proxied({ allow: ['POST /files/upload/:filename'] }, (request, response) => {
      request.on('data', (chunk) => {
        received += chunk.length
        firstBytes()
      })
      request.on('end', () => response.setHeader('Content-Type', 'application/json').end('{"error":0}'))
    })
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (received === 0) controller.enqueue(new Uint8Array(1000))
        // The second half exists only once the first has reached the platform.
        await arrived
        controller.enqueue(new Uint8Array(24))
        controller.close()
      },
    })
    const init = { method: 'POST', body, duplex: 'half', headers: { 'Content-Length': '1024' } }
    expect((await call('/files/upload/a.bin', init)).status).toBe(200)
    expect(received).toBe(1024)
    expect(seen[0]!.headers).toMatchObject({ 'content-length': '1024' })
    expect(seen[0]!.headers).not.toHaveProperty('transfer-encoding')
  })

  test('a body is sent in the redirect mode in which Node keeps no copy of it', async () => {
    const modes: unknown[] = []
    const proxy = createProxy({
      baseUrl: 'https://sho.rt/api',
      apiKey: KEY,
      allow: ['GET /campaigns', 'POST /files/upload/:filename'],
      fetch: async (_, init) => {
        modes.push(init?.redirect)
        return Response.json({ error: 0 })
      },
    })
    await proxy(new Request('https://app.example/files/upload/a.bin', { method: 'POST', body: 'a file' }))
    await proxy(new Request('https://app.example/campaigns'))
    expect(modes).toEqual(['error', 'manual'])
  })

  test('a page that closes the connection ends the call to the platform too', async () => {
    const controller = new AbortController()
    let closed = Promise.resolve()
    const { proxy } = await proxied({}, (request) => {
      closed = new Promise((resolve) => request.socket.on('close', () => resolve()))
      controller.abort()
    })
    const answer = await proxy(new Request('https://app.example/campaigns', { signal: controller.signal }))
    expect([answer.status, (await answer.json()).message]).toEqual([
      499,
      'this proxy: the browser closed the connection',
    ])
    await closed
  })

  test('what a page still uploads is not read on once the platform has answered, or the time is over', async () => {
    for (const [status, fetch] of [
      [200, async () => Response.json({ error: 0 })],
      [504, () => new Promise<Response>(() => {})],
    ] as const) {
      let isCancelled = () => {}
      const cancelled = new Promise<void>((resolve) => {
        isCancelled = resolve
      })
      const { call } = await proxied({ allow: ['POST /files/upload/:filename'], fetch, timeout: 60 })
      const body = new ReadableStream({ cancel: () => isCancelled() })
      expect((await call('/files/upload/a.bin', { method: 'POST', body, duplex: 'half' } as RequestInit)).status).toBe(
        status,
      )
      await cancelled
    }
  })

  test('a runtime that streams only bodies of a known length is given the length that the page announced', async () => {
    const lengths: number[] = []
    class FixedLengthStream extends TransformStream {
      constructor(length: number) {
        super()
        lengths.push(length)
      }
    }
    vi.stubGlobal('FixedLengthStream', FixedLengthStream)
    onTestFinished(() => void vi.unstubAllGlobals())
    const { call, seen } = await proxied({ allow: ['POST /files/upload/:filename'] })
    for (const headers of [{ 'Content-Length': '6' }, {}] as HeadersInit[]) {
      expect((await call('/files/upload/a.bin', { method: 'POST', body: 'a file', headers })).status).toBe(200)
    }
    expect(lengths).toEqual([6])
    expect(seen.map(({ body }) => body)).toEqual(['a file', 'a file'])
  })
})

describe('towards the browser', () => {
  test('only the rate headers, Retry-After and Date are passed on, and nothing is cached', async () => {
    const { call } = await proxied({}, (_request, response) => {
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Set-Cookie': 'admin=1',
        'X-RateLimit-Limit': '30',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': '1767225600',
        'Retry-After': '41',
        'X-Powered-By': 'PHP/8',
        Server: 'nginx',
        'Access-Control-Allow-Origin': '*',
        'WWW-Authenticate': 'Basic',
        Connection: 'keep-alive',
      }
      response.writeHead(429, headers).end('{"error":429,"message":"Slow down"}')
    })
    const answer = await call('/campaigns')
    const { date, ...headers } = Object.fromEntries(answer.headers)
    expect(answer.status).toBe(429)
    expect(Date.parse(date!)).toBeGreaterThan(0)
    expect(headers).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'retry-after': '41',
      vary: 'Origin',
      'x-content-type-options': 'nosniff',
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1767225600',
    })
    expect(await answer.json()).toEqual({ error: 429, message: 'Slow down' })
  })

  test('the key is removed from a response that contains it, also when it is percent-encoded', async () => {
    const { call } = await proxied({}, (request, response) => {
      const { authorization } = request.headers
      const spellings = [authorization, encodeURIComponent(KEY)]
      response.setHeader('Content-Type', 'application/json').end(`{"error":1,"message":"${spellings.join(' ')}"}`)
    })
    const text = await (await call('/campaigns')).text()
    expect(text).toMatch('Bearer [redacted]')
    expect(text).not.toMatch(/key.{1,3}of-the-account/)
  })

  test('an HTML page is passed on as plain text, so that it never runs as a page of this site', async () => {
    const { call } = await proxied({}, (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<script>alert(1)</script>')
    })
    const answer = await call('/campaigns')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test.each([
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    ['application/vnd.api+json', 'application/json'],
    ['text/application/json', 'text/plain; charset=utf-8'],
    ['application/x+y+json', 'text/plain; charset=utf-8'],
    ['application/jsonp', 'text/plain; charset=utf-8'],
    ['', 'text/plain; charset=utf-8'],
  ])('the type %j is passed on as %s', async (type, passedOn) => {
    const { call } = await proxied({}, (_request, response) => response.setHeader('Content-Type', type).end('{}'))
    expect((await call('/campaigns')).headers.get('content-type')).toBe(passedOn)
  })

  test.each([204, 205])('a response of status %d is passed on without a body', async (status) => {
    const { call } = await proxied({}, (_request, response) => response.writeHead(status).end())
    const answer = await call('/campaigns')
    expect([answer.status, answer.body]).toEqual([status, null])
  })
})

describe('when the platform fails', () => {
  test('a redirect is not followed, and only onError learns where it led', async () => {
    const errors: unknown[] = []
    const { call, seen } = await proxied({ onError: (error) => errors.push(error) }, (_request, response) => {
      response.writeHead(301, { Location: `https://new.example/api/campaigns?key=${KEY}` }).end()
    })
    const answer = await call('/campaigns')
    expect([answer.status, (await answer.json()).message]).toEqual([502, 'this proxy: the platform redirects'])
    expect(answer.headers.get('location')).toBeNull()
    expect(String(errors)).toMatch('status 301, to https://new.example/api/campaigns?key=[redacted]')
    expect(seen).toHaveLength(1)
  })

  test('a redirect cannot steer the terminal that the log is shown on, and is told in one short line', async () => {
    const errors: Error[] = []
    const { call } = await proxied({ onError: (error) => errors.push(error as Error) }, (_request, response) => {
      response.writeHead(302, { Location: `https://new.example/\u009b2J${'x'.repeat(9000)}` }).end()
    })
    expect((await call('/campaigns')).status).toBe(502)
    expect(errors[0]!.message).toMatch(/^status 302, to https:\/\/new\.example\/\ufffd2Jx{270,}…$/)
    expect(errors[0]!.message.length).toBeLessThan(330)
  })

  test('a redirect whose address the runtime hides is a redirect too', async () => {
    const errors: unknown[] = []
    const hidden = { type: 'opaqueredirect', status: 0, statusText: '', headers: new Headers(), text: async () => '' }
    const { call } = await proxied({ fetch: async () => hidden, onError: (error) => errors.push(error) })
    const answer = await call('/campaigns')
    expect([answer.status, (await answer.json()).message]).toEqual([502, 'this proxy: the platform redirects'])
    expect(errors).toEqual([new Error('status 0, to an address that this runtime does not reveal')])
  })

  test.each([300, 304, 399])('the status %d without an address is a 502 that names it', async (status) => {
    const errors: unknown[] = []
    const { call } = await proxied({ onError: (error) => errors.push(error) }, (_request, response) =>
      response.writeHead(status).end(),
    )
    const answer = await call('/campaigns')
    const message = `this proxy: the platform responded with status ${status}`
    expect([answer.status, (await answer.json()).message]).toEqual([502, message])
    expect(errors).toEqual([new Error(`status ${status}`)])
  })

  test('the status 400 is passed on', async () => {
    const { call } = await proxied({}, (_request, response) => response.writeHead(400).end('{"error":1}'))
    expect((await call('/campaigns')).status).toBe(400)
  })

  test('an error of fetch that repeats the key is told to onError without it', async () => {
    const errors: unknown[] = []
    const fetch = () => Promise.reject(new Error(`cannot send Bearer ${KEY}`))
    const { call } = await proxied({ fetch, onError: (error) => errors.push(error) })
    expect((await call('/campaigns')).status).toBe(502)
    expect(errors).toEqual([new Error('cannot send Bearer [redacted]')])
  })

  test('a request without a signal, as some runtimes make it, fails like any other', async () => {
    const { proxy } = await proxied({ fetch: () => Promise.reject(new Error('offline')) })
    const request = Object.defineProperty(new Request('https://app.example/campaigns'), 'signal', { value: undefined })
    expect((await proxy(request)).status).toBe(502)
  })

  test('a platform that cannot be reached is a 502', async () => {
    const errors: unknown[] = []
    const { call } = await proxied({ baseUrl: 'http://127.0.0.1:1/api', onError: (error) => errors.push(error) })
    const answer = await call('/campaigns')
    expect([answer.status, await answer.json()]).toEqual([
      502,
      { error: 1, message: 'this proxy: the platform did not respond' },
    ])
    expect(errors).toHaveLength(1)
  })

  test('a response that breaks off is a 502', async () => {
    const { call } = await proxied({}, (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{"error":0', () => response.destroy())
    })
    expect((await call('/campaigns')).status).toBe(502)
  })

  test('a platform that never answers, or never ends its response, is a 504', async () => {
    const errors: unknown[] = []
    const silent = await proxied({ timeout: 60, onError: (error) => errors.push(error) }, () => {})
    const answer = await silent.call('/campaigns')
    expect([answer.status, (await answer.json()).message]).toEqual([
      504,
      'this proxy: the platform did not respond in time',
    ])
    expect(errors).toEqual([new Error('no response within 60 ms')])
    const endless = await proxied({ timeout: 60 }, (_request, response) => response.write('{'))
    expect((await endless.call('/campaigns')).status).toBe(504)
  })
})

test('a request line with an absolute address is treated like any other by a server of Node', async () => {
  const { proxy, seen } = await proxied({ prefix: '/p' })
  const origin = await listen(async (request, response) => {
    const answer = await proxy(new Request(new URL(request.url!, 'http://localhost'), { method: request.method! }))
    response.writeHead(answer.status).end(await answer.text())
  })
  const port = Number(new URL(origin).port)
  const raw = (line: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      )
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text.slice(9, 12)))
    })
  expect(await raw('GET http://evil.example/p/campaigns')).toBe('200')
  expect(await raw('GET //evil.example/p/campaigns')).toBe('200')
  expect(await raw('GET /p/../campaigns')).toBe('404')
  expect(seen.map(({ url }) => url)).toEqual(['/api/campaigns', '/api/campaigns'])
})
