import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import { createConnection } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type Served, type ServeOptions, serve } from 'shortlink-sdk/node'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { arrival } from './arrival.ts'

const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))

const closers: (() => Promise<void>)[] = []
afterEach(() => Promise.all(closers.splice(0).map((close) => close())))

async function start(options: ServeOptions = {}, sandbox = createSandbox({ data: sampleData() })) {
  const served: Served = await serve(sandbox, options)
  closers.push(served.close)
  return {
    sandbox,
    ...served,
    headers: { Authorization: `Bearer ${sandbox.apiKey}`, 'Content-Type': 'application/json' },
  }
}

describe('serve', () => {
  test('listens on a free loopback port, or on the given one', async () => {
    const { baseUrl, openerUrl } = await start()
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/)
    expect(openerUrl).toBe(baseUrl.replace('/api', '/opener'))
    const port = Number(new URL(baseUrl).port)
    await expect(serve(createSandbox(), { port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `port ${port} is in use: choose another one, or 0 for any that is free`,
    })
  })

  test('a dropped connection is reset', async () => {
    const { sandbox, baseUrl } = await start()
    sandbox.fail({ drop: 'before' })
    await expect(fetch(`${baseUrl}/account`)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  })

  test('close() ends idle connections and unfinished responses', async () => {
    const { sandbox, baseUrl, close } = await start()
    const { arrived, body } = arrival()
    sandbox.fail({ delay: Number.POSITIVE_INFINITY, body })
    const { port, hostname } = new URL(baseUrl)
    const idle = createConnection(Number(port), hostname)
    await once(idle, 'connect')
    const idleEnded = new Promise((resolve) => idle.on('close', resolve).on('error', () => {}))
    const waiting = expect(fetch(`${baseUrl}/account`)).rejects.toBeInstanceOf(TypeError)
    await arrived
    await Promise.all([close(), waiting, idleEnded])
  })

  test('logs a caller that gives up, and serves the next one', async () => {
    const log = new EventEmitter()
    const { sandbox, baseUrl, headers } = await start({ log: (line) => log.emit('line', line) })
    const { arrived, body } = arrival()
    const caller = new AbortController()
    sandbox.fail({ delay: Number.POSITIVE_INFINITY, body })
    const left = expect(fetch(`${baseUrl}/account`, { headers, signal: caller.signal })).rejects.toThrow()
    await arrived
    const dropped = once(log, 'line')
    caller.abort()
    await left
    expect(await dropped).toEqual([expect.stringMatching(/^GET \/api\/account dropped \d+ ms$/)])

    const served = once(log, 'line')
    expect((await fetch(`${baseUrl}/account`, { headers })).status).toBe(200)
    expect(await served).toEqual([expect.stringMatching(/^GET \/api\/account 200 \d+ ms$/)])
  })

  test('logs no password and no key of a query', async () => {
    const log = new EventEmitter()
    const { baseUrl } = await start({ log: (line) => log.emit('line', line) })
    const logged = once(log, 'line')
    await fetch(`${baseUrl}/files/upload/a.txt?name=a%20b&password=PASS&api_key=KEY-1&key=KEY-2`, { method: 'POST' })
    expect(await logged).toEqual([
      expect.stringMatching(
        /^POST \/api\/files\/upload\/a\.txt\?name=a\+b&password=\*{3}&api_key=\*{3}&key=\*{3} 401 \d+ ms$/,
      ),
    ])
  })

  test('logs how long a response took, and not what the page asks', async () => {
    const log = new EventEmitter()
    const { baseUrl, headers } = await start({ log: (line) => log.emit('line', line) })
    const began = performance.now()
    const logged = once(log, 'line')
    await fetch(new URL('/sandbox/state', baseUrl))
    await fetch(`${baseUrl}/account`, { headers })
    const [line] = (await logged) as [string]
    const [, ms] = /^GET \/api\/account 200 (\d+) ms$/.exec(line) ?? []
    expect(Number(ms)).toBeLessThanOrEqual(Math.ceil(performance.now() - began))
  })

  test.skipIf(!hasIPv6)('listens on IPv6, whose addresses have brackets', async () => {
    const { baseUrl, headers } = await start({ host: '::1' })
    expect(baseUrl).toMatch(/^http:\/\/\[::1\]:\d+\/api$/)
    expect((await fetch(`${baseUrl}/account`, { headers })).status).toBe(200)
  })

  test('only with cors, a page of another origin gets preflights and rate headers', async () => {
    const closed = await start()
    const preflight = (baseUrl: string) =>
      fetch(`${baseUrl}/account`, { method: 'OPTIONS', headers: { Origin: 'https://app.example' } })
    expect((await preflight(closed.baseUrl)).headers.get('Access-Control-Allow-Origin')).toBeNull()

    const open = await start({ cors: true })
    const answer = await preflight(open.baseUrl)
    expect(answer.status).toBe(204)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type',
    })
    const asked = await fetch(`${open.baseUrl}/account`, { headers: open.headers })
    expect(asked.headers.get('Access-Control-Expose-Headers')).toContain('X-RateLimit-Remaining')
    expect(open.sandbox.requests).toHaveLength(1)
  })

  test('the short address of an opener link leads to its target', async () => {
    const { sandbox, openerUrl } = await start()
    const url = 'https://www.youtube.com/watch?v=abc'
    const body = JSON.stringify({ url })
    await fetch(`${openerUrl}/v3/api`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    const { alias } = sandbox.data.openerLinks[0]!
    const response = await fetch(`${openerUrl}/${alias}`, { redirect: 'manual' })
    expect([response.status, response.headers.get('Location')]).toEqual([302, url])
  })

  test('a file can be fetched from below the root', async () => {
    const { baseUrl, headers } = await start()
    const init = { method: 'POST', headers, body: 'hello' }
    await fetch(`${baseUrl}/files/upload/a.txt?custom=%C3%A4%2F`, init)
    expect(await (await fetch(new URL('/%C3%A4%2F', baseUrl))).text()).toBe('hello')
  })
})

/** A request with headers that `fetch` does not let a caller set, such as `Host`. */
function rawRequest(url: URL | string, method: string, headers: Record<string, string>, body?: string) {
  return new Promise<{ status: number; cors: string | undefined }>((resolve, reject) => {
    request(url, { method, headers }, (answer) => {
      const { statusCode, headers } = answer.resume()
      resolve({ status: statusCode!, cors: headers['access-control-allow-origin'] })
    })
      .on('error', reject)
      .end(body)
  })
}

describe('the Host of a request', () => {
  const calls: [method: string, path: string][] = [
    ['GET', '/api/account'],
    ['POST', '/api/campaign/add'],
    ['POST', '/opener/v3/api'],
    ['OPTIONS', '/api/account'],
    ['GET', '/a-short-address'],
    ['GET', '/openapi.json'],
    ['GET', '/'],
  ]

  test.each([
    'evil.example',
    'evil.example:4010',
    'localhost.evil.example',
    'evil-localhost',
    'notlocalhost',
    '127.0.0.1.evil.example',
    'allowed.example.evil.example',
    'a b',
  ])('%s is refused on every path, because foreign DNS may point it here', async (host) => {
    const { sandbox, baseUrl, headers } = await start({ cors: true, hosts: ['allowed.example'] })
    for (const [method, path] of calls) {
      const answer = await rawRequest(new URL(path, baseUrl), method, { ...headers, Host: host })
      expect([method, path, answer]).toEqual([method, path, { status: 403, cors: undefined }])
    }
    expect(sandbox.requests).toEqual([])
  })

  test.each(['localhost:4010', 'LOCALHOST', '127.0.0.1', '10.0.0.7:4010', '[::1]:4010', 'allowed.example:4010'])(
    '%s is answered',
    async (host) => {
      const { baseUrl, headers } = await start({ hosts: ['allowed.example'] })
      expect((await rawRequest(`${baseUrl}/account`, 'GET', { ...headers, Host: host })).status).toBe(200)
      expect((await rawRequest(new URL('/', baseUrl), 'GET', { Host: host })).status).toBe(200)
    },
  )
})

describe('the page at /', () => {
  const json = { 'Content-Type': 'application/json' }
  const control = (baseUrl: string, action: string, body: object, headers: object = json) =>
    fetch(new URL(`/sandbox/${action}`, baseUrl), {
      method: 'POST',
      headers: { ...headers },
      body: JSON.stringify(body),
    })
  const state = async (baseUrl: string) => (await fetch(new URL('/sandbox/state', baseUrl))).json()

  test('loads nothing from elsewhere, under a policy that lets it load nothing', async () => {
    const { baseUrl } = await start()
    const response = await fetch(new URL('/', baseUrl))
    const html = await response.text()
    const policy = response.headers.get('Content-Security-Policy')!
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(policy).toContain("default-src 'none'")
    const nonce = /script-src 'nonce-([\w-]+)'/.exec(policy)![1]
    expect(html).toContain(`<script type="module" nonce="${nonce}">`)
    expect(html).toContain(`<style nonce="${nonce}">`)
    expect(html).not.toMatch(/(src|href)="(?!data:)/)
    expect(html).not.toMatch(/ style=| on\w+=/)
  })

  test('shows the rows and the requests, without bytes, passwords and the key that was sent', async () => {
    const { sandbox, baseUrl, headers } = await start()
    sandbox.data.account.password = 'PASS-1'
    sandbox.data.files[0]!.password = 'PASS-2'
    await fetch(`${baseUrl}/channel/add`, { method: 'POST', headers, body: '{"name":"Brand new","password":"PASS-3"}' })
    await fetch(`${baseUrl}/files/upload/a.txt?password=PASS-4&name=A`, { method: 'POST', headers, body: 'hello' })
    const shown = await state(baseUrl)
    expect(shown.lists.channels).toMatchObject({
      total: 4,
      rows: [{ id: 4, name: 'Brand new' }, { id: 3 }, { id: 2 }, { id: 1 }],
    })
    expect(shown.requests).toMatchObject([
      { number: 2, path: '/files/upload/a.txt', query: { password: '***', name: 'A' }, body: '5 bytes', done: true },
      { number: 1, method: 'POST', body: { name: 'Brand new', password: '***' }, status: 200 },
    ])
    expect(shown.requests[0].headers.authorization).toBe('Bearer ***')
    expect(shown.accessKey).toBe(sandbox.apiKey)
    expect(JSON.stringify(shown)).not.toContain('PASS-')
  })

  test('can make a request fail, advance the clock and reset the sandbox', async () => {
    const { sandbox, baseUrl, headers } = await start({}, createSandbox({ now: () => 0 }))
    await control(baseUrl, 'fail', { status: 503 })
    expect((await fetch(`${baseUrl}/account`, { headers })).status).toBe(503)
    await control(baseUrl, 'advance', { ms: 60_000 })
    expect(sandbox.now()).toBe(60_000)
    await control(baseUrl, 'reset', {})
    expect([sandbox.now(), sandbox.requests]).toEqual([0, []])
  })

  test.each([
    ['fail', { status: 99 }, 'fail.status: expected a whole number from 200 to 599, received 99'],
    ['advance', { ms: 'long' }, 'advance: expected a number of milliseconds'],
    ['explode', {}, 'There is no explode.'],
  ])('refuses to %s with %j', async (action, body, error) => {
    const { baseUrl } = await start()
    const response = await control(baseUrl, action, body)
    expect([response.status, await response.json()]).toEqual([400, { error }])
  })

  test.each<[string, Record<string, string>]>([
    ['another origin', { Origin: 'https://evil.example' }],
    ['a sandboxed frame', { Origin: 'null' }],
    ['another port of this machine', { Origin: 'http://127.0.0.1:1' }],
    ['another site that sends no Origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another port that sends no Origin', { 'Sec-Fetch-Site': 'same-site' }],
    ['a name that resolves to this machine', { Host: 'evil.example', Origin: 'http://evil.example' }],
    ['a name that begins like this machine', { Host: 'localhost.evil.example', 'Sec-Fetch-Site': 'same-origin' }],
  ])('refuses control and state to a page of %s, with cors too', async (_, headers) => {
    const { sandbox, baseUrl } = await start({ cors: true })
    const ask = (method: string, path: string) =>
      rawRequest(
        new URL(path, baseUrl),
        method,
        { ...json, ...headers },
        method === 'POST' ? '{"ms":60000}' : undefined,
      )
    sandbox.data.campaigns = []
    for (const action of ['reset', 'advance', 'fail']) {
      expect(await ask('POST', `/sandbox/${action}`)).toEqual({ status: 403, cors: undefined })
    }
    expect(await ask('GET', '/sandbox/state')).toEqual({ status: 403, cors: undefined })
    expect(sandbox.data.campaigns).toEqual([])
  })

  test('an address that a user typed is allowed', async () => {
    const { baseUrl } = await start()
    const url = new URL('/sandbox/state', baseUrl)
    expect(await rawRequest(url, 'GET', { 'Sec-Fetch-Site': 'none' })).toMatchObject({ status: 200 })
  })

  test('its own requests are allowed, and do not count as requests of the platform', async () => {
    const { sandbox, baseUrl } = await start()
    const own = { ...json, Origin: new URL(baseUrl).origin, 'Sec-Fetch-Site': 'same-origin' }
    expect((await control(baseUrl, 'advance', { ms: 1 }, own)).status).toBe(200)
    expect((await fetch(new URL('/', baseUrl))).status).toBe(200)
    expect(sandbox.requests).toEqual([])
  })
})
