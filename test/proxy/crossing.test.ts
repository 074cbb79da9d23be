import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ShortLinkClientOptions } from '../../src/index.ts'
import { listen } from '../helpers/server.ts'
import { KEY, proxied, refusal } from './upstream.ts'

const json = { 'Content-Type': 'application/json' }
const allow = ['GET /campaigns', 'POST /files/upload/:filename'] as const

describe('towards the platform', () => {
  test('goes nothing of the page but its body, in the content type of the reference, and its language', async () => {
    const { call, seen } = await proxied({ allow: ['POST /campaign/add'] })
    await call('/campaign/add', {
      method: 'POST',
      body: '{"name":"é"}',
      headers: {
        Accept: 'text/html',
        'Accept-Language': 'pt-BR',
        'Content-Type': 'text/plain',
        Authorization: 'Bearer of-the-page',
        Cookie: 'session=1',
        'Proxy-Authorization': 'Basic x',
        Connection: 'keep-alive, x-private',
        'X-Private': '1',
        'X-Forwarded-For': '10.0.0.1',
        Forwarded: 'for=10.0.0.1',
        Origin: 'https://app.example',
        Referer: 'https://app.example/secret',
      },
    })
    const { headers, body } = seen[0]!
    const ofFetch = ['host', 'connection', 'accept-encoding', 'sec-fetch-mode', 'transfer-encoding']
    const crossed = Object.entries(headers).filter(([name]) => !ofFetch.includes(name))
    expect(Object.fromEntries(crossed)).toEqual({
      accept: 'application/json',
      'accept-language': 'pt-BR',
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^shortlink-sdk\//),
    })
    expect(body).toBe('{"name":"é"}')
  })

  test('a body is forwarded while it still arrives, with its announced length', async () => {
    let received = 0
    let firstBytes = () => {}
    const arrived = new Promise<void>((resolve) => {
      firstBytes = resolve
    })
    const { call, seen } = await proxied({ allow }, (request, response) => {
      request.on('data', (chunk) => {
        received += chunk.length
        firstBytes()
      })
      request.on('end', () => response.writeHead(200, json).end('{"error":0}'))
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

  test('a GET that announces a body is a 400, and nothing is sent', async () => {
    const { call, seen, errors } = await proxied()
    const answer = await call('/campaigns', { headers: { 'Content-Length': '2' } })
    expect([await refusal(answer), seen, errors]).toEqual([[400, 'this proxy: a GET has no body'], [], []])
    expect((await call('/campaigns', { headers: { 'Content-Length': '0' } })).status).toBe(200)
  })

  test('a body is sent in the redirect mode in which Node keeps no copy of it', async () => {
    const modes: unknown[] = []
    const fetch: ShortLinkClientOptions['fetch'] = async (_, init) => {
      modes.push(init.redirect)
      return Response.json({ error: 0 })
    }
    const { call } = await proxied({ client: { fetch }, allow })
    await call('/files/upload/a.bin', { method: 'POST', body: 'a file' })
    await call('/campaigns')
    expect(modes).toEqual(['error', 'manual'])
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
    const { call, seen } = await proxied({ allow })
    for (const headers of [{ 'Content-Length': '6' }, {}] as HeadersInit[]) {
      expect((await call('/files/upload/a.bin', { method: 'POST', body: 'a file', headers })).status).toBe(200)
    }
    expect(lengths).toEqual([6])
    expect(seen.map(({ body }) => body)).toEqual(['a file', 'a file'])
  })

  test('a page that closes the connection ends the call, and nobody is told of an error', async () => {
    const controller = new AbortController()
    let closed = Promise.resolve()
    const { proxy, errors } = await proxied({}, (request) => {
      closed = new Promise((resolve) => request.socket.on('close', () => resolve()))
      controller.abort()
    })
    const answer = await proxy(new Request('https://app.example/campaigns', { signal: controller.signal }))
    expect(await refusal(answer)).toEqual([499, 'this proxy: the request was aborted'])
    await closed
    expect(errors).toEqual([])
  })
})

/** A platform of raw sockets, and a page that uploads without end. */
async function uploading(head: string, timeout?: number) {
  let closed = () => {}
  const socketClosed = new Promise<void>((resolve) => {
    closed = resolve
  })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(head)
      // Only a connection that carried a request counts: Node's fetch opens another one at once.
      socket.on('close', closed)
    })
    socket.resume()
  })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pause(5)
      controller.enqueue(new Uint8Array(1000))
    },
  })
  const { call } = await proxied({ client: { baseUrl: `${await listen(server)}/api`, timeout }, allow })
  const answer = await call('/files/upload/a.bin', { method: 'POST', body, duplex: 'half' } as RequestInit)
  return { answer, socketClosed }
}

describe('an upload', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  let collecting: NodeJS.Timeout | undefined
  afterEach(() => clearInterval(collecting))

  test.each([
    ['never answers', ''],
    ['never ends its response', 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'],
  ])('to a platform that %s is stopped at the timeout, and its connection closed', async (_name, head) => {
    // Node's fetch loses track of the abort when a collection runs between the headers and the abort.
    collecting = setInterval(collectGarbage, 20)
    const { answer, socketClosed } = await uploading(head, 1000)
    expect(await refusal(answer)).toEqual([504, 'this proxy: the platform did not respond in time'])
    await socketClosed
  })

  test('that the platform refuses early is stopped, and its connection closed', async () => {
    const head = 'HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"error":1}'
    const { answer, socketClosed } = await uploading(head)
    expect(answer.status).toBe(413)
    await socketClosed
  })

  test('that the platform cuts off leaves the server of the proxy alive', async () => {
    const origin = await listen((_request, response) => {
      response.writeHead(413, { Connection: 'close' }).end()
    })
    const { proxy } = await proxied({ client: { baseUrl: `${origin}/api` }, allow })
    // Node 20 throws outside of any promise if the stream of a request is cancelled while bytes still arrive.
    const site = await listen(async (request, response) => {
      const body = Readable.toWeb(request) as ReadableStream<Uint8Array>
      const init = { method: 'POST', body, duplex: 'half' } as RequestInit
      response.writeHead((await proxy(new Request(`https://app.example${request.url}`, init))).status).end()
    })
    const status = await new Promise((resolve) => {
      const page = request(`${site}/files/upload/a.bin`, { method: 'POST' }, (response) => resolve(response.statusCode))
      // The server need not take the rest.
      page.on('error', () => {}).end(new Uint8Array(20_000_000))
    })
    // Node's fetch may lose the response when the connection closes under an upload.
    expect([413, 502]).toContain(status)
  })

  test('that is redirected is a 502', async () => {
    const head = 'HTTP/1.1 307 Temporary\r\nLocation: https://new.example/\r\nContent-Length: 0\r\n\r\n'
    const { answer } = await uploading(head)
    expect(await refusal(answer)).toEqual([502, 'this proxy: the platform did not respond as it should'])
  })
})

describe('towards the browser', () => {
  test('only the rate headers, Retry-After and Date are passed on, without the key, and nothing is cached', async () => {
    const { call } = await proxied({}, (_request, response) => {
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Set-Cookie': 'admin=1',
        'X-RateLimit-Limit': '30',
        'X-RateLimit-Remaining': `0 for ${KEY}`,
        'X-RateLimit-Reset': '1767225600',
        'Retry-After': '41',
        Date: 'Thu, 01 Jan 2026 00:00:00 GMT',
        'X-Powered-By': 'PHP/8',
        Server: 'nginx',
        'Access-Control-Allow-Origin': '*',
        'WWW-Authenticate': 'Basic',
        Connection: 'keep-alive',
      }
      response.writeHead(429, headers).end('{"error":429,"message":"Slow down"}')
    })
    const answer = await call('/campaigns')
    expect([answer.status, await answer.text()]).toEqual([429, '{"error":429,"message":"Slow down"}'])
    expect(Object.fromEntries(answer.headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
      'retry-after': '41',
      vary: 'Origin',
      'x-content-type-options': 'nosniff',
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '0 for [redacted]',
      'x-ratelimit-reset': '1767225600',
    })
  })

  test.each<[string, Buffer]>([
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff, 0xfe])],
    ['a byte order mark and Latin-1', Buffer.from([0xef, 0xbb, 0xbf, 0x63, 0x61, 0x66, 0xe9])],
    ['words that a short key is part of', Buffer.from('latest news, https://other.example/?password=hunter22')],
    ['PHP warnings before the JSON', Buffer.from('<br>\nNotice: x in y\n{"error":0, "a" : 1.0}')],
  ])('%s is passed on byte for byte', async (_name, bytes) => {
    const { call } = await proxied({ client: { apiKey: 'test' } }, (_request, response) => response.end(bytes))
    const answer = await call('/campaigns')
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test.each<[string, (key: string) => string]>([
    ['as it is', (key) => key],
    ['percent-encoded', encodeURIComponent],
    ['as PHP writes JSON', (key) => JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/')],
    ['in base64, behind Bearer', (key) => Buffer.from(`Bearer ${key}`).toString('base64')],
  ])('the key is masked %s, between bytes that are no text too', async (_name, spell) => {
    const bytes = Buffer.concat([Buffer.from([0xe9]), Buffer.from(`${spell(KEY)} after`)])
    const { call } = await proxied({}, (_request, response) => response.end(bytes))
    expect(await (await call('/campaigns')).text()).toMatch(/^\ufffd\S*\[redacted\]\S* after$/)
  })

  test.each([
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    ['application/vnd.api+json', 'application/json'],
    ['text/html', 'text/plain; charset=utf-8'],
    ['image/svg+xml', 'text/plain; charset=utf-8'],
    ['text/application/json', 'text/plain; charset=utf-8'],
    ['application/jsonp', 'text/plain; charset=utf-8'],
    ['', 'text/plain; charset=utf-8'],
  ])('the type %j is passed on as %s, so that nothing runs as a page of this site', async (type, passedOn) => {
    const { call } = await proxied({}, (_request, response) => response.setHeader('Content-Type', type).end('{}'))
    const { headers } = await call('/campaigns')
    expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([passedOn, 'nosniff'])
  })

  test.each([204, 205, 400, 500])('the status %d is passed on', async (status) => {
    const { call, errors } = await proxied({}, (_request, response) => response.writeHead(status).end())
    const answer = await call('/campaigns')
    expect([answer.status, await answer.text(), errors]).toEqual([status, '', []])
  })

  test('a response of 16 MiB of backslashes passes within seconds, one byte more is a 502 that onError is told about', async () => {
    const MiB = 1024 * 1024
    for (const extra of [0, 1]) {
      const { call, errors } = await proxied({}, (_request, response) =>
        response.writeHead(200, json).end(Buffer.alloc(16 * MiB + extra, '\\')),
      )
      const before = process.cpuUsage()
      const answer = await call('/campaigns')
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1e6).toBeLessThan(16 * 0.3)
      if (!extra) expect((await answer.arrayBuffer()).byteLength).toBe(16 * MiB)
      else expect(await refusal(answer)).toEqual([502, 'this proxy: the platform did not respond as it should'])
      expect(String(errors)).toMatch(extra ? /larger than 16777216 bytes$/ : /^$/)
    }
  })

  test('a compressed response is counted after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const { call } = await proxied({}, (_request, response) =>
      response.writeHead(200, { ...json, 'Content-Encoding': 'gzip' }).end(bomb),
    )
    expect((await call('/campaigns')).status).toBe(502)
  })

  test('a response without end is a 502, and its connection is closed', async () => {
    let closed = Promise.resolve()
    const { call } = await proxied({}, (_request, response) => {
      closed = new Promise((resolve) => response.on('close', () => resolve()))
      response.writeHead(200, json)
      const fill = () => {
        while (!response.destroyed && response.write('x'.repeat(60_000)));
      }
      response.on('drain', fill)
      fill()
    })
    expect((await call('/campaigns')).status).toBe(502)
    await closed
  })
})

describe('when the platform fails', () => {
  test('a redirect is not followed, and only onError learns where it led, in one short line without the key', async () => {
    const { call, seen, errors } = await proxied({}, (_request, response) => {
      const target = `https://new.example/?key=${KEY}\u009b2J${'x'.repeat(9000)}`
      response.writeHead(301, { Location: target }).end()
    })
    const answer = await call('/campaigns')
    expect(answer.headers.get('location')).toBeNull()
    expect(await refusal(answer)).toEqual([502, 'this proxy: the platform did not respond as it should'])
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^the platform responded with status 301, to https:\/\/new\.example\/\?key=\[redacted\]\ufffd2Jx{200,300}…$/,
      ),
    ])
    expect(seen).toHaveLength(1)
  })

  test('a redirect whose address the runtime hides is a 502 too', async () => {
    const hidden = Object.defineProperties(new Response(), { type: { value: 'opaqueredirect' }, status: { value: 0 } })
    const { call } = await proxied({ client: { fetch: async () => hidden } })
    expect(await refusal(await call('/campaigns'))).toEqual([
      502,
      'this proxy: the platform did not respond as it should',
    ])
  })

  test.each([300, 304, 399, 600, 999])(
    'the status %d without an address is a 502, and onError learns it',
    async (status) => {
      const { call, errors } = await proxied({}, (_request, response) => response.writeHead(status).end())
      expect(await refusal(await call('/campaigns'))).toEqual([
        502,
        'this proxy: the platform did not respond as it should',
      ])
      expect(errors).toEqual([new Error(`the platform responded with status ${status}`)])
    },
  )

  test.each<[string, ShortLinkClientOptions, string]>([
    ['repeats the key', { fetch: () => Promise.reject(new Error(`sent Bearer ${KEY}`)) }, 'sent Bearer [redacted]'],
    ['cannot be reached', { baseUrl: 'http://127.0.0.1:2/api' }, '`baseUrl`'],
  ])('a platform that %s is a 502 that onError is told about once', async (_name, client, words) => {
    const { call, errors } = await proxied({ client })
    expect(await refusal(await call('/campaigns'))).toEqual([
      502,
      'this proxy: the platform did not respond as it should',
    ])
    expect(errors.map(String)).toEqual([expect.stringContaining(words)])
  })

  test('a request without a signal, as some runtimes make it, fails like any other', async () => {
    const { proxy } = await proxied({ client: { fetch: () => Promise.reject(new Error('offline')) } })
    const request = Object.defineProperty(new Request('https://app.example/campaigns'), 'signal', { value: undefined })
    expect((await proxy(request)).status).toBe(502)
  })

  test('a response that breaks off is a 502, and nothing is sent a second time', async () => {
    const { call, seen } = await proxied({}, (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{"error":0', () => response.destroy())
    })
    expect([(await call('/campaigns')).status, seen.length]).toEqual([502, 1])
  })

  test('a platform that never answers, or never ends its response, is a 504', async () => {
    for (const respond of [() => {}, (_: unknown, response: { write(text: string): unknown }) => response.write('{')]) {
      const { call, errors } = await proxied({ client: { timeout: 60 } }, respond)
      expect(await refusal(await call('/campaigns'))).toEqual([504, 'this proxy: the platform did not respond in time'])
      expect(errors.map(String)).toEqual(['TimeoutError: GET /campaigns: no response within 60 ms'])
    }
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
