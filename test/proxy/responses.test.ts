import { gzipSync } from 'node:zlib'
import type { ShortLinkClientOptions } from 'shortlink-sdk'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { KEY, proxied, refusal } from './upstream.ts'

const json = { 'Content-Type': 'application/json' }

describe('a response to the browser', () => {
  test('has only the rate headers, Retry-After and Date of the platform, without the key, and is not cached', async () => {
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
    ['an image', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff, 0xfe])],
    ['a byte order mark and Latin-1', Buffer.from([0xef, 0xbb, 0xbf, 0x63, 0x61, 0x66, 0xe9])],
    ['words that contain a short key', Buffer.from('latest news, https://other.example/?password=hunter22')],
    ['PHP warnings before the JSON', Buffer.from('<br>\nNotice: x in y\n{"error":0, "a" : 1.0}')],
  ])('has %s byte for byte', async (_name, bytes) => {
    const { call } = await proxied({ client: { apiKey: 'test' } }, (_request, response) => response.end(bytes))
    const answer = await call('/campaigns')
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test.each<[string, (key: string) => string]>([
    ['unchanged', (key) => key],
    ['percent-encoded', encodeURIComponent],
    ['as PHP writes JSON', (key) => JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/')],
    ['in base64, after Bearer', (key) => Buffer.from(`Bearer ${key}`).toString('base64')],
  ])('never has the key %s, even between bytes that are not text', async (_name, spell) => {
    const bytes = Buffer.concat([Buffer.from([0xe9]), Buffer.from(`${spell(KEY)} after`)])
    const { call } = await proxied({}, (_request, response) => response.end(bytes))
    expect(await (await call('/campaigns')).text()).toMatch(/^\ufffd\S*\[redacted\]\S* after$/)
  })

  test('never has the key of its call, with a key function and many calls in flight', async () => {
    const keyOf = (tenant: number) => `key-of-tenant-${tenant}-0123456789abcdef`
    let tenants = 0
    let waiting: (() => void)[] = []
    const { call } = await proxied({ client: { apiKey: () => keyOf(tenants++) } }, (request, response) => {
      waiting.push(() =>
        response.writeHead(200, json).end(JSON.stringify({ error: 0, sent: request.headers.authorization })),
      )
      if (waiting.length < 8) return
      for (const answer of waiting) answer()
      waiting = []
    })
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('/campaigns')))
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(texts).toEqual(Array(8).fill('{"error":0,"sent":"Bearer [redacted]"}'))
  })

  test.each([29, 15, 12])('never has a key that the platform cut after %d characters', async (length) => {
    const key = 'abcdefghijklmnopqrstuvwxyz012345'
    const { call } = await proxied({ client: { apiKey: key } }, (_request, response) =>
      response.writeHead(500, json).end(JSON.stringify({ error: 1, message: `Bearer ${key.slice(0, length)}...` })),
    )
    expect(await (await call('/campaigns')).text()).toBe('{"error":1,"message":"Bearer [redacted]..."}')
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
  ])('has the type %j as %s, so that the browser runs nothing as a page of this site', async (type, passedOn) => {
    const { call } = await proxied({}, (_request, response) => response.setHeader('Content-Type', type).end('{}'))
    const { headers } = await call('/campaigns')
    expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([passedOn, 'nosniff'])
  })

  test.each([204, 205, 400, 500])('has the status %d of the platform', async (status) => {
    const { call, errors } = await proxied({}, (_request, response) => response.writeHead(status).end())
    const answer = await call('/campaigns')
    expect([answer.status, await answer.text(), errors]).toEqual([status, '', []])
  })

  test('may be 16 MiB of backslashes within seconds; one more byte causes a 502 and a call of onError', async () => {
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

  test('only the JSON of a small response is parsed, to see a refusal inside a 200', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    for (const [length, times] of [
      [65_536, 1],
      [65_537, 0],
    ] as const) {
      const body = '{"error":0}'.padEnd(length)
      const { call } = await proxied({}, (_request, response) => response.writeHead(200, json).end(body))
      expect(await (await call('/campaigns')).text()).toBe(body)
      expect(parse.mock.calls.filter(([text]) => text === body)).toHaveLength(times)
    }
  })

  test('a compressed response is counted after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const { call } = await proxied({}, (_request, response) =>
      response.writeHead(200, { ...json, 'Content-Encoding': 'gzip' }).end(bomb),
    )
    expect((await call('/campaigns')).status).toBe(502)
  })

  test('becomes a 502 if it never ends, and its connection is closed', async () => {
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
  test('a redirect is not followed, and only onError gets its target, in one short line without the key', async () => {
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
    'the status %d without a location is a 502, and onError gets the status',
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
  ])('a platform that %s causes a 502 and one call of onError', async (_name, client, words) => {
    const { call, errors } = await proxied({ client })
    expect(await refusal(await call('/campaigns'))).toEqual([
      502,
      'this proxy: the platform did not respond as it should',
    ])
    expect(errors.map(String)).toEqual([expect.stringContaining(words)])
  })

  test('a request without a signal, as in some runtimes, fails like any other', async () => {
    const { proxy } = await proxied({ client: { fetch: () => Promise.reject(new Error('offline')) } })
    const request = Object.defineProperty(new Request('https://app.example/campaigns'), 'signal', { value: undefined })
    expect((await proxy(request)).status).toBe(502)
  })

  test('an incomplete response is a 502, and nothing is sent again', async () => {
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
