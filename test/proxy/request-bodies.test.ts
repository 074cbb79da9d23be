import { request } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { ShortLinkClientOptions } from 'shortlink-sdk'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../helpers/server.ts'
import { KEY, proxied, refusal } from './upstream.ts'

const json = { 'Content-Type': 'application/json' }
const allow = ['GET /campaigns', 'POST /files/upload/:filename'] as const

describe('the request to the platform', () => {
  test('has only the body and the language of the page, with the content type of the reference', async () => {
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

  test('has a body that is forwarded while it arrives, with its announced length', async () => {
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
        // The second half is sent only after the first has reached the platform.
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

  test('is not sent for a GET that announces a body, which gets 400', async () => {
    const { call, seen, errors } = await proxied()
    const answer = await call('/campaigns', { headers: { 'Content-Length': '2' } })
    expect([await refusal(answer), seen, errors]).toEqual([[400, 'this proxy: a GET has no body'], [], []])
    expect((await call('/campaigns', { headers: { 'Content-Length': '0' } })).status).toBe(200)
  })

  test('uses the redirect mode in which Node keeps no copy of the body', async () => {
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

  test('has the announced length on a runtime that streams only bodies of known length', async () => {
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

  test('ends when the page closes the connection, without an error in onError', async () => {
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

/** Starts a platform of raw sockets, and an endless upload of a page. */
async function startUpload(head: string, timeout?: number) {
  let closed = () => {}
  const socketClosed = new Promise<void>((resolve) => {
    closed = resolve
  })
  // The platform reads nothing until the response is there, so the proxy never waits for the page.
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.pause()
      sockets.push(socket)
      socket.write(head)
      // Only a connection that carried a request counts: Node's fetch opens another one at once.
      socket.on('close', closed)
    })
  })
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1000)),
  })
  const { call } = await proxied({ client: { baseUrl: `${await listen(server)}/api`, timeout }, allow })
  const answer = await call('/files/upload/a.bin', { method: 'POST', body, duplex: 'half' } as RequestInit)
  for (const socket of sockets) socket.resume()
  // On a busy machine, the attempt may end before its request arrives.
  if (sockets.length === 0) closed()
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
  ])('to a platform that %s ends at the timeout, and its connection is closed', async (_name, head) => {
    // Node's fetch misses the abort if garbage collection runs between the headers and the abort.
    collecting = setInterval(collectGarbage, 20)
    const { answer, socketClosed } = await startUpload(head, 1000)
    expect(await refusal(answer)).toEqual([504, 'this proxy: the platform did not respond in time'])
    await socketClosed
  })

  test.each([
    ['nothing', 0],
    ['its first chunk', 1],
  ])('whose page sends %s and then stalls gets 408, without an error in onError', async (_, count) => {
    const { call, errors } = await proxied({ client: { timeout: 1000 }, allow }, (request, response) => {
      request.on('end', () => response.writeHead(200, json).end('{"error":0}'))
    })
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (sent++ < count ? controller.enqueue(new Uint8Array(10)) : new Promise(() => {})),
    })
    const init = { method: 'POST', body, duplex: 'half', headers: { 'Content-Length': '20' } } as RequestInit
    expect(await refusal(await call('/files/upload/a.bin', init))).toEqual([
      408,
      'this proxy: the body of the request did not arrive in time',
    ])
    expect(errors).toEqual([])
  })

  test('that is complete, to a platform that does not respond, gets 504', async () => {
    const { call } = await proxied({ client: { timeout: 300 }, allow }, () => {})
    const init = { method: 'POST', body: new Uint8Array(100_000) }
    expect((await call('/files/upload/a.bin', init)).status).toBe(504)
  })

  test('that the platform refuses early ends, and its connection is closed', async () => {
    const head = 'HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"error":1}'
    const { answer, socketClosed } = await startUpload(head)
    expect(answer.status).toBe(413)
    await socketClosed
  })

  test('that the platform cuts off does not crash the server of the proxy', async () => {
    const origin = await listen((_request, response) => {
      response.writeHead(413, { Connection: 'close' }).end()
    })
    const { proxy } = await proxied({ client: { baseUrl: `${origin}/api` }, allow })
    // Node 20 throws outside of any promise if a request's stream is canceled while bytes still arrive.
    const site = await listen(async (request, response) => {
      const body = Readable.toWeb(request) as ReadableStream<Uint8Array>
      const init = { method: 'POST', body, duplex: 'half' } as RequestInit
      response.writeHead((await proxy(new Request(`https://app.example${request.url}`, init))).status).end()
    })
    const status = await new Promise((resolve) => {
      const page = request(`${site}/files/upload/a.bin`, { method: 'POST' }, (response) => resolve(response.statusCode))
      // The server may not read the rest.
      page.on('error', () => {}).end(new Uint8Array(20_000_000))
    })
    // Node's fetch may lose the response when the connection closes under an upload.
    expect([413, 502]).toContain(status)
  })

  test('that is redirected gets 502', async () => {
    const head = 'HTTP/1.1 307 Temporary\r\nLocation: https://new.example/\r\nContent-Length: 0\r\n\r\n'
    const { answer } = await startUpload(head)
    expect(await refusal(answer)).toEqual([502, 'this proxy: the platform did not respond as it should'])
  })
})

describe('a body that was already read', () => {
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
    ['a used request', read],
    ['an adapter that passes no body', () => streamed(null)],
    ['an adapter that passes an empty stream', () => streamed(emptied())],
    ['an adapter whose stream fails at the first read', () => streamed(failing())],
    ['an adapter whose stream is locked', () => streamed(locked())],
  ])('is reported as such, with %s', async (_name, request) => {
    const { proxy, errors } = await proxied({ allow: ['POST /campaign/add'] })
    expect(await refusal(await proxy(await request()))).toEqual([500, `this proxy: ${message}`])
    expect(errors.map(String)).toEqual([`ConfigurationError: ${message}`])
  })

  test('is not confused with an empty body, which has no announced length', async () => {
    const { call } = await proxied({ allow: ['POST /campaign/add'] })
    const init = { method: 'POST', body: emptied(), duplex: 'half' } as RequestInit
    expect((await call('/campaign/add', init)).status).toBe(200)
  })

  test('is reported if `authorize` read it, and nothing is sent', async () => {
    const { call, seen } = await proxied({
      allow: ['POST /campaign/add'],
      authorize: async (request) => (await request.text()) !== '',
    })
    const answer = await call('/campaign/add', { method: 'POST', body: '{}' })
    expect([...(await refusal(answer)), seen]).toEqual([500, `this proxy: ${message}`, []])
  })

  test('is not reported to a page that stops in the middle of its upload', async () => {
    let chunks = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (chunks++) controller.error(new TypeError('terminated'))
        else controller.enqueue(new Uint8Array(10))
      },
    })
    const { proxy } = await proxied({ allow: ['POST /campaign/add'] })
    expect(await refusal(await proxy(streamed(body)))).toEqual([499, 'this proxy: the upload was cut off'])
  })
})
