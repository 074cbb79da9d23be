import { execFile } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createConnection } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { type SandboxServer, type ServeOptions, serve } from 'shortlink-sdk/node'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { closedOrigin } from '../helpers/server.ts'
import { createArrival } from './arrival.ts'

const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))

const closers: (() => Promise<void>)[] = []
afterEach(() => Promise.all(closers.splice(0).map((close) => close())))

async function start(options: ServeOptions = {}, sandbox = createSandbox({ data: sampleData() })) {
  const served: SandboxServer = await serve(sandbox, options)
  closers.push(served.close)
  return {
    sandbox,
    ...served,
    headers: { Authorization: `Bearer ${sandbox.apiKey}`, 'Content-Type': 'application/json' },
  }
}

describe('serve', () => {
  test('serve listens on a free loopback port, or on the given one', async () => {
    const { baseUrl, openerUrl } = await start()
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/)
    expect(openerUrl).toBe(baseUrl.replace('/api', '/opener'))
    const port = Number(new URL(baseUrl).port)
    await expect(serve(createSandbox(), { port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `port ${port} is in use: choose another one, or 0 for any free port`,
    })
  })

  test('a connection that a fault drops is reset', async () => {
    const { sandbox, baseUrl } = await start()
    sandbox.fail({ drop: 'before' })
    await expect(fetch(`${baseUrl}/account`)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  })

  test('close() ends idle connections and unfinished responses', async () => {
    const { sandbox, baseUrl, close } = await start()
    const { arrived, body } = createArrival()
    sandbox.fail({ delay: Number.POSITIVE_INFINITY, body })
    const { port, hostname } = new URL(baseUrl)
    const idle = createConnection(Number(port), hostname)
    await once(idle, 'connect')
    const idleEnded = new Promise((resolve) => idle.on('close', resolve).on('error', () => {}))
    const waiting = expect(fetch(`${baseUrl}/account`)).rejects.toBeInstanceOf(TypeError)
    await arrived
    await Promise.all([close(), waiting, idleEnded])
  })

  test('serve logs an aborted request, and serves the next one', async () => {
    const log = new EventEmitter()
    const { sandbox, baseUrl, headers } = await start({ log: (line) => log.emit('line', line) })
    const { arrived, body } = createArrival()
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

  test('serve logs each request with its time, without passwords and keys in its query', async () => {
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

  test.each(['/', '/sandbox/state'])('serve logs a request for %s', async (path) => {
    const log = new EventEmitter()
    const { baseUrl } = await start({ log: (line) => log.emit('line', line) })
    const logged = once(log, 'line')
    await fetch(new URL(path, baseUrl))
    expect(await logged).toEqual([expect.stringMatching(`^GET ${path} 200 \\d+ ms$`)])
  })

  test.each([
    ['/account?auth=KEY%201%2F2', '/api/account?auth=***'],
    ['/account?auth=Bearer+KEY+1/2', '/api/account?auth=Bearer+***'],
    ['/account?KEY%201%2F2', '/api/account?***='],
    ['/account?auth=KEY%25201/2', '/api/account?auth=***'],
    ['/KEY%201/2/account', '***'],
    ['/account%', '/api/account%'],
  ])('serve logs the path %s without the key', async (path, shown) => {
    const log = new EventEmitter()
    const sandbox = createSandbox({ apiKey: 'KEY 1/2' })
    const { baseUrl } = await start({ log: (line) => log.emit('line', line) }, sandbox)
    const logged = once(log, 'line')
    await fetch(baseUrl + path)
    const [line] = await logged
    expect(line.replaceAll('%2A', '*').split(' ')[1]).toBe(shown)
  })

  test.skipIf(!hasIPv6)('serve listens on IPv6, whose addresses have brackets', async () => {
    const { baseUrl, headers } = await start({ host: '::1' })
    expect(baseUrl).toMatch(/^http:\/\/\[::1\]:\d+\/api$/)
    expect((await fetch(`${baseUrl}/account`, { headers })).status).toBe(200)
  })

  test('the link of a QR code returns its image if the sandbox knows the address of its server', async () => {
    const origin = await closedOrigin()
    const sandbox = createSandbox({ baseUrl: `${origin}/api` })
    const { baseUrl, headers } = await start({ port: Number(new URL(origin).port) }, sandbox)
    const init = { method: 'POST', headers, body: JSON.stringify({ type: 'link', data: 'https://shop.example' }) }
    const { link } = await (await fetch(`${baseUrl}/qr/add`, init)).json()
    const picture = await fetch(link)
    expect(picture.headers.get('Content-Type')).toBe('image/svg+xml')
    expect(await picture.text()).toMatch(/^<svg /)
  })

  test('an uploaded file can be downloaded at a path below the root of the server', async () => {
    const { baseUrl, headers } = await start()
    const init = { method: 'POST', headers, body: 'hello' }
    await fetch(`${baseUrl}/files/upload/a.txt?custom=%C3%A4%2F`, init)
    expect(await (await fetch(new URL('/%C3%A4%2F', baseUrl))).text()).toBe('hello')
  })
})

test('GET / responds with the addresses at which it was reached, the key, and a command that works', async () => {
  const { baseUrl } = await start({}, createSandbox({ apiKey: "it's a key", dialect: ['key-as-token'] }))
  const site = `http://localhost:${new URL(baseUrl).port}`
  const response = await fetch(site)
  expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
  const shown = await response.text()
  expect(
    shown,
  ).toBe(`This is a mock server of the short-link platform, made with shortlink-sdk. It keeps its data in memory.

  Management API   ${site}/api
  App opener       ${site}/opener
  API key          it's a key

Try:
  curl -H 'Authorization: Token it'\\''s a key' '${site}/api/campaigns'
`)
  const printArguments = `curl() { printf '%s\\n' "$@"; }; ${/curl .*/.exec(shown)![0]}`
  const { stdout } = await promisify(execFile)('sh', ['-c', printArguments])
  const [, header = '', url = ''] = stdout.split('\n')
  const campaigns = await fetch(url, { headers: [header.split(': ') as [string, string]] })
  expect(await campaigns.json()).toMatchObject({ error: '0', data: { campaigns: [] } })
})

describe('the paths that control the sandbox', () => {
  const control = (baseUrl: string, action: string, body: object) =>
    fetch(new URL(`/sandbox/${action}`, baseUrl), { method: 'POST', body: JSON.stringify(body) })
  const state = async (baseUrl: string) => (await fetch(new URL('/sandbox/state', baseUrl))).json()

  test('/sandbox/state has rows and requests, without bytes, passwords and the sent key', async () => {
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

  test('they make a request fail, advance the clock and reset the sandbox', async () => {
    const { sandbox, baseUrl, headers } = await start({}, createSandbox({ now: () => 0 }))
    await control(baseUrl, 'fail', { status: 503 })
    expect((await fetch(`${baseUrl}/account`, { headers })).status).toBe(503)
    await control(baseUrl, 'advance', { ms: 60_000 })
    expect(sandbox.now()).toBe(60_000)
    await control(baseUrl, 'reset', {})
    expect([sandbox.now(), sandbox.requests]).toEqual([0, []])
  })

  test.each([
    ['localhost:4010', 200],
    ['sandbox.localhost', 200],
    ['127.0.0.1:4010', 200],
    ['[::1]:4010', 200],
    ['rebound.example:4010', 403],
    ['localhost.example', 403],
    ['not a host', 403],
  ])(
    'a request for the key with the host %s gets %d, because other names may resolve to this server',
    async (Host, status) => {
      const { baseUrl } = await start()
      for (const path of ['/', '/sandbox/state']) {
        const [response] = await once(request(new URL(path, baseUrl), { headers: { Host } }).end(), 'response')
        expect((response as IncomingMessage).statusCode).toBe(status)
      }
    },
  )

  test.each<[Record<string, string>, number]>([
    [{}, 200],
    [{ Origin: 'http://sandbox.localhost' }, 200],
    [{ Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }, 200],
    [{ Origin: 'https://spy.example' }, 403],
    [{ Origin: 'http://sandbox.localhost:3000' }, 403],
    [{ Origin: 'http://localhost' }, 403],
    [{ Origin: 'null' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
  ])('a request with %j to control the sandbox gets %d', async (origin, status) => {
    const { sandbox, baseUrl, headers } = await start()
    await fetch(`${baseUrl}/account`, { headers })
    const init = { method: 'POST', headers: { Host: 'sandbox.localhost', 'Content-Type': 'text/plain', ...origin } }
    const [response] = await once(request(new URL('/sandbox/reset', baseUrl), init).end('{}'), 'response')
    expect((response as IncomingMessage).statusCode).toBe(status)
    expect(sandbox.requests).toHaveLength(status === 200 ? 0 : 1)
  })

  test('a link on another site can open /, and not the state', async () => {
    const { baseUrl } = await start()
    const headers = { 'Sec-Fetch-Site': 'cross-site' }
    expect((await fetch(new URL('/', baseUrl), { headers })).status).toBe(200)
    expect((await fetch(new URL('/sandbox/state', baseUrl), { headers })).status).toBe(403)
  })

  test.each<[action: string, body: BodyInit, error: string]>([
    ['fail', '{"status":99}', 'fail.status: expected a whole number from 200 to 599, received 99'],
    ['fail', '', 'fail: nothing would fail: set status, body, headers, delay, drop, stall or redirect'],
    ['fail', 'null', 'fail: expected an object of options, received null'],
    ['advance', '{"ms":"long"}', 'advance: expected a number of milliseconds'],
    ['advance', '{"seconds":1}', 'advance.seconds: unknown option, expected one of ms'],
    ['advance', '', 'advance: expected a number of milliseconds'],
    ['explode', '{}', 'expected GET /sandbox/state, or POST /sandbox/fail, /sandbox/advance or /sandbox/reset'],
    ['toString', '{}', 'expected GET /sandbox/state, or POST /sandbox/fail, /sandbox/advance or /sandbox/reset'],
  ])('an invalid request to %s with the body %j gets 400', async (action, body, error) => {
    const { baseUrl } = await start()
    const response = await fetch(new URL(`/sandbox/${action}`, baseUrl), { method: 'POST', body })
    expect([response.status, await response.json()]).toEqual([400, { error }])
  })

  test('a body that is not JSON gets 400, and reset needs none', async () => {
    const { baseUrl } = await start()
    const post = (body?: string) => fetch(new URL('/sandbox/reset', baseUrl), { method: 'POST', ...(body && { body }) })
    const refused = await post('{')
    expect([refused.status, await refused.json()]).toEqual([400, { error: expect.stringContaining('JSON') }])
    expect((await post()).status).toBe(200)
  })

  test('requests for / and for these paths are not in sandbox.requests', async () => {
    const { sandbox, baseUrl } = await start()
    await fetch(new URL('/', baseUrl))
    await control(baseUrl, 'advance', { ms: 1 })
    expect([sandbox.requests, (await state(baseUrl)).total]).toEqual([[], 0])
  })
})
