import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createProxy, type ProxyOptions } from '../../src/proxy/index.ts'
import { listen } from '../helpers/server.ts'
import { KEY, proxied } from './upstream.ts'

describe('long addresses', () => {
  const allow = ['GET /files/upload/:filename', 'GET /campaigns'] as const

  test.each([
    ['a path of 64 kB of escaped escapes', `/files/upload/${'%25'.repeat(21_000)}`],
    ['a path of 2,049 characters', `/${'a'.repeat(2048)}`],
    ['a query of 8,193 characters', `/campaigns?${'a'.repeat(8192)}`],
  ])('%s is refused with 414 before anything looks at it', async (_name, path) => {
    const authorize = vi.fn(() => true)
    const { call, seen } = await proxied({ allow, authorize })
    const answer = await call(path)
    expect([answer.status, await answer.json()]).toEqual([
      414,
      { error: 1, message: expect.stringContaining('longer') },
    ])
    expect(authorize).not.toHaveBeenCalled()
    expect(seen).toEqual([])
  })

  test.each([
    ['a file name of 255 three-byte characters', `/files/upload/${encodeURIComponent('語'.repeat(85))}`],
    ['a path of 2,048 characters', `/files/upload/${'a'.repeat(2034)}`],
    ['a query of 8,192 characters', `/campaigns?${'a'.repeat(8191)}`],
  ])('%s passes', async (_name, path) => {
    const { call } = await proxied({ allow })
    expect((await call(path)).status).toBe(200)
  })

  test('a file name that is escaped many times is refused, one that is escaped a few times passes', async () => {
    const { call } = await proxied({ allow })
    const escapedTimes = (times: number) => {
      let name = 'ä b.pdf'
      for (let i = 0; i < times; i++) name = encodeURIComponent(name)
      return `/files/upload/${name}`
    }
    const statuses = []
    for (const times of [1, 2, 8, 9, 30]) statuses.push((await call(escapedTimes(times))).status)
    expect(statuses).toEqual([200, 200, 200, 403, 403])
  })

  test('a refusal repeats no more than 200 characters of a path', async () => {
    const { call } = await proxied({ prefix: '/p' })
    for (const path of [`/p/${'x'.repeat(2000)}`, `/${'x'.repeat(2000)}`]) {
      expect((await (await call(path)).json()).message.length).toBeLessThan(300)
    }
  })
})

describe('hosts', () => {
  const hosts = ['App.example', 'localhost:3000', '[::1]']

  test.each([
    ['https://app.example', undefined],
    ['https://app.example:8443', undefined],
    ['http://localhost:3000', undefined],
    ['http://[::1]:8080', undefined],
    ['http://10.0.0.1', 'app.example'],
    ['http://10.0.0.1', 'APP.EXAMPLE:443'],
  ])('lets through a request to %s with the Host %s', async (origin, host) => {
    const { proxy } = await proxied({ hosts })
    const headers: HeadersInit = host ? { Host: host } : {}
    expect((await proxy(new Request(`${origin}/campaigns`, { headers }))).status).toBe(200)
  })

  test.each([
    ['http://rebound.example', undefined],
    ['http://localhost:3001', undefined],
    ['http://app.example.evil.example', undefined],
    ['http://app.example', 'rebound.example'],
    ['http://app.example', 'app.example, rebound.example'],
    ['http://app.example', 'rebound.example/app.example'],
    ['http://app.example', 'x@app.example'],
    ['http://app.example', 'app.example.'],
    ['http://app.example', ''],
  ])('refuses a request to %s with the Host %s, before authorize sees it', async (origin, host) => {
    const authorize = vi.fn(() => true)
    const { proxy, seen } = await proxied({ hosts, authorize })
    const headers: HeadersInit = host === undefined ? {} : { Host: host }
    // As a page does whose domain was pointed at this proxy: its own origin, by all that the browser knows.
    const init = { headers: { ...headers, 'Sec-Fetch-Site': 'same-origin' } }
    const answer = await proxy(new Request(`${origin}/campaigns`, init))
    expect([answer.status, authorize.mock.calls, seen]).toEqual([403, [], []])
    expect((await answer.json()).message).toBe('this proxy: unknown host')
  })

  test('refuses a preflight too', async () => {
    const { proxy } = await proxied({ hosts, cors: { origins: '*' } })
    const headers = { Origin: 'https://other.example', 'Access-Control-Request-Method': 'GET' }
    expect((await proxy(new Request('http://rebound.example/campaigns', { method: 'OPTIONS', headers }))).status).toBe(
      403,
    )
  })
})

describe('large responses', () => {
  const json = { 'Content-Type': 'application/json' }

  test('a response of exactly maxResponseSize passes, one byte more is a 502 that onError is told about', async () => {
    for (const [size, status] of [
      [1000, 200],
      [1001, 502],
    ] as const) {
      const errors: unknown[] = []
      const onError = (error: unknown) => errors.push(error)
      const { call } = await proxied({ maxResponseSize: 1000, onError }, (_request, response) =>
        response.writeHead(200, json).end('x'.repeat(size)),
      )
      const answer = await call('/campaigns')
      expect(answer.status).toBe(status)
      expect(String(errors)).toBe(
        status === 200 ? '' : 'BodyTooLargeError: the response is larger than maxResponseSize, 1000 bytes',
      )
    }
  })

  test('a compressed response is counted after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const { call } = await proxied({}, (_request, response) =>
      response.writeHead(200, { ...json, 'Content-Encoding': 'gzip' }).end(bomb),
    )
    const answer = await call('/campaigns')
    expect([answer.status, (await answer.json()).message]).toEqual([
      502,
      'this proxy: the response of the platform is too large',
    ])
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

describe('the key in the headers that are passed on', () => {
  const names = ['Date', 'Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
  const passed = async (value: string, key = KEY) => {
    const { call } = await proxied({ apiKey: key }, (_request, response) => {
      for (const name of names) response.setHeader(name, value)
      response.setHeader('Content-Type', 'application/json').end('{"error":0}')
    })
    const { headers } = await call('/campaigns')
    return names.map((name) => headers.get(name)).filter((value) => value !== null)
  }

  test.each([
    ['itself', KEY],
    ['a number and it', `30 ${KEY}`],
    ['base64', Buffer.from(KEY).toString('base64')],
    ['hexadecimal', Buffer.from(KEY).toString('hex')],
    ['reversed', [...KEY].reverse().join('')],
    ['between the parts of a date', `Mon, ${KEY.replace(/\W/g, ' ')} 01 Jan 2024 00:00:00 GMT`],
  ])('is not passed on as %s', async (_name, value) => {
    expect(await passed(value)).toEqual([])
  })

  test('is not passed on if it is a number', async () => {
    expect(await passed('1767225600', '1767225600')).toEqual([])
  })

  test('does not keep numbers and dates from being passed on', async () => {
    expect(await passed('41')).toEqual(['41', '41', '41', '41'])
    expect(await passed('Thu, 01 Jan 2026 00:00:00 GMT')).toEqual(['Thu, 01 Jan 2026 00:00:00 GMT', '0'])
  })
})

describe('the key in a body', () => {
  test.each<[string, (key: string) => string]>([
    ['as it is', (key) => key],
    ['percent-encoded', encodeURIComponent],
    ['as PHP writes JSON', (key) => JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/')],
    ['in base64, behind Bearer', (key) => Buffer.from(`Bearer ${key}`).toString('base64')],
  ])('is removed %s', async (_name, spell) => {
    const { call } = await proxied({}, (_request, response) => response.end(`before ${spell(KEY)} after`))
    expect(await (await call('/campaigns')).text()).toMatch(/^before \S*\[redacted\]\S* after$/)
  })

  test('is left if it has less than eight characters, because other words may contain it', async () => {
    const { call } = await proxied({ apiKey: 'test' }, (_request, response) => response.end('latest news'))
    expect(await (await call('/campaigns')).text()).toBe('latest news')
  })
})

/** A platform of raw sockets, and a page that uploads without end. */
async function uploading(options: Partial<ProxyOptions>, head: string) {
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
  let stopped = () => {}
  const uploadStopped = new Promise<void>((resolve) => {
    stopped = resolve
  })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pause(5)
      controller.enqueue(new Uint8Array(1000))
    },
    cancel: stopped,
  })
  const baseUrl = `${await listen(server)}/api`
  const proxy = createProxy({
    baseUrl,
    apiKey: KEY,
    allow: ['POST /files/upload/:filename'],
    onError: () => {},
    ...options,
  })
  const init = { method: 'POST', body, duplex: 'half' }
  const answer = await proxy(new Request('https://app.example/files/upload/a.bin', init))
  return { answer, socketClosed, uploadStopped }
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
    const { answer, socketClosed, uploadStopped } = await uploading({ timeout: 1000 }, head)
    expect(answer.status).toBe(504)
    await uploadStopped
    await socketClosed
  })

  test('that the platform refuses early is stopped, and its connection closed', async () => {
    const head = 'HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"error":1}'
    const { answer, socketClosed, uploadStopped } = await uploading({}, head)
    expect(answer.status).toBe(413)
    await uploadStopped
    await socketClosed
  })

  test('that is redirected is a 502 that says so', async () => {
    const head = 'HTTP/1.1 307 Temporary\r\nLocation: https://new.example/\r\nContent-Length: 0\r\n\r\n'
    const { answer } = await uploading({}, head)
    expect([answer.status, (await answer.json()).message]).toEqual([502, 'this proxy: the platform redirects'])
  })
})

test('a key function that never settles is covered by the timeout', async () => {
  const { call, seen } = await proxied({ apiKey: () => new Promise<string>(() => {}), timeout: 50 })
  expect((await call('/campaigns')).status).toBe(504)
  expect(seen).toEqual([])
})

test('a file name in the message of a lost connection is not called a redirect', async () => {
  const fetch = async () => {
    throw new TypeError('request to https://sho.rt/api/files/upload/redirects.csv failed, reason: socket hang up')
  }
  const { call } = await proxied({ fetch, allow: ['POST /files/upload/:filename'] })
  const answer = await call('/files/upload/redirects.csv', { method: 'POST', body: 'a' })
  expect([answer.status, (await answer.json()).message]).toEqual([502, 'this proxy: the platform did not respond'])
})

test('a status 304 is not called a redirect', async () => {
  const { call } = await proxied({}, (_request, response) => response.writeHead(304).end())
  expect((await (await call('/campaigns')).json()).message).toBe('this proxy: the platform responded with status 304')
})

test('a polluted Object.prototype diverts neither the key nor the call, and lets nobody in', async () => {
  const { baseUrl, seen } = await proxied()
  vi.stubEnv('SHORTLINK_API_KEY', KEY)
  vi.stubEnv('SHORTLINK_BASE_URL', baseUrl)
  const evil = vi.fn(async () => Response.json({ error: 0 }))
  const pollution: Record<string, unknown> = {
    fetch: evil,
    baseUrl: 'https://evil.example',
    openerUrl: 'https://evil.example',
    authorize: () => true,
    hosts: ['evil.example'],
    cors: { origins: '*' },
    headers: { 'X-Evil': '1' },
    origins: '*',
  }
  onTestFinished(() => {
    vi.unstubAllEnvs()
    for (const name of Object.keys(pollution)) delete (Object.prototype as Record<string, unknown>)[name]
  })
  for (const [name, value] of Object.entries(pollution)) {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
  }
  const proxy = createProxy({ allow: ['GET /campaigns'] })
  const foreign = await proxy(
    new Request('https://app.example/campaigns', { headers: { Origin: 'https://evil.example' } }),
  )
  const own = await proxy(new Request('https://app.example/campaigns'))
  expect([foreign.status, own.status]).toEqual([403, 200])
  expect(evil).not.toHaveBeenCalled()
  expect(seen.map(({ headers }) => headers['x-evil'])).toEqual([undefined])
})
