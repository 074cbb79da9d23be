import { ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'
import { describe, expect, test } from 'vitest'
import { proxied, refusal } from './upstream.ts'

describe('the client', () => {
  test('adds its key, even from a function, its scheme and its headers', async () => {
    const headers = { 'X-Gateway': 'g', 'User-Agent': 'shop/1' }
    const { call, seen } = await proxied({ client: { apiKey: async () => 'key-of-it', authScheme: 'Token', headers } })
    await call('/campaigns')
    expect(seen[0]!.headers).toMatchObject({
      authorization: 'Token key-of-it',
      'x-gateway': 'g',
      'user-agent': 'shop/1',
    })
  })

  test('can be chosen for each request, after authorize', async () => {
    const sent: unknown[] = []
    const createClient = (tenant: string | null) =>
      new ShortLinkClient({
        baseUrl: 'https://sho.rt/api',
        apiKey: `key-of-${tenant}`,
        fetch: async (_, init) => {
          sent.push(init.headers.authorization)
          return Response.json({ error: 0 })
        },
      })
    const proxy = createProxy(async (request) => createClient(request.headers.get('x-tenant')), {
      allow: ['GET /campaigns'],
      authorize: (request) => request.headers.get('x-tenant') !== 'c',
    })
    for (const tenant of ['a', 'b', 'c']) {
      await proxy(new Request('https://app.example/campaigns', { headers: { 'x-tenant': tenant } }))
    }
    expect(sent).toEqual(['Bearer key-of-a', 'Bearer key-of-b'])
  })

  test('causes a 500 and a call of onError if its function returns something else', async () => {
    const errors: unknown[] = []
    const proxy = createProxy((() => ({ baseUrl: 'https://sho.rt' })) as never, {
      allow: ['GET /campaigns'],
      authorize: 'everyone',
      onError: (error) => errors.push(error),
    })
    expect((await proxy(new Request('https://app.example/campaigns'))).status).toBe(500)
    expect(errors.map(String)).toEqual(['ConfigurationError: client(): expected a ShortLinkClient, received an object'])
  })

  test('fails the call if its key function returns an invalid key, which onError does not get', async () => {
    const { call, seen, errors } = await proxied({ client: { apiKey: () => 'secret\nX-Evil: 1' } })
    expect((await call('/campaigns')).status).toBe(500)
    expect([seen, String(errors)]).toEqual([
      [],
      expect.stringContaining('contains a character that a header cannot carry'),
    ])
    expect(String(errors)).not.toMatch('secret')
  })

  test('applies its timeout to a key function that never settles', async () => {
    const { call, seen } = await proxied({ client: { apiKey: () => new Promise<string>(() => {}), timeout: 50 } })
    expect([(await call('/campaigns')).status, seen]).toEqual([504, []])
  })

  test('reports forwarded calls to its observers and its log', async () => {
    const heard: string[] = []
    const record = (name: string) => () => void heard.push(name)
    const info: string[] = []
    const logger = { error() {}, warn() {}, debug() {}, info: (line: string) => void info.push(line) }
    const observers = { onRequest: record('request'), onResponse: record('response'), onError: record('error') }
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
})

describe('the rate limit', () => {
  test('a call that would have to wait gets a 429 with Retry-After at once, and calls of the client count too', async () => {
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

  test('a rate-limit response, even inside a 200, closes the window and is not retried', async () => {
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

  test('a client in the page waits and retries', async () => {
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
