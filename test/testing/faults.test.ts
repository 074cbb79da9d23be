import { createSandbox, type Fault, type Sandbox } from 'shortlink-sdk/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createArrival } from './arrival.ts'
import { key, now } from './send.ts'
import { type Transport, transports } from './transports.ts'

describe.each(Object.keys(transports))('faults through %s', (name) => {
  let sandbox: Sandbox
  let transport: Transport
  beforeAll(async () => {
    sandbox = createSandbox({ apiKey: key, rateLimit: {}, now: () => now })
    transport = await transports[name]!(sandbox)
  })
  afterAll(() => transport.close())
  beforeEach(() => sandbox.reset())

  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const get = (path = '/account', init?: RequestInit) =>
    transport.fetch(transport.baseUrl + path, { headers, redirect: 'manual', ...init })
  const post = (init?: RequestInit) =>
    get('/campaign/add', { method: 'POST', body: JSON.stringify({ name: 'Sale' }), ...init })

  const wasDone = () => sandbox.data.campaigns.length === 1 && sandbox.requests[0]!.done
  const wasNotDone = () => sandbox.data.campaigns.length === 0 && !sandbox.requests[0]!.done
  const told = { error: 1, message: 'The sandbox was told to respond with 503.' }
  const no = { error: 1, message: 'No.', more: [1] }

  test.each<[what: string, fault: Fault, status: number, body: string, isDone: boolean]>([
    ['a status', { status: 503 }, 503, JSON.stringify(told), false],
    ['a status after the work', { status: 503, done: true }, 503, JSON.stringify(told), true],
    ['a status and a body', { status: 422, body: no }, 422, JSON.stringify(no), false],
    ['an error in a 200', { body: no }, 200, JSON.stringify(no), false],
    ['an empty body', { body: '' }, 200, '', false],
    ['a status that has no body', { status: 204 }, 204, '', true],
    ['a body of bytes', { body: new Uint8Array([0, 255, 7]) }, 200, '\0\xff\x07', false],
    ['a body that a function cuts', { body: (honest: string) => honest.slice(0, 12) }, 200, '{"error":0,"', true],
    ['a redirect', { redirect: 'https://moved.example/api' }, 302, '', false],
    ['a redirect that keeps the method', { redirect: 'https://moved.example/api', status: 308 }, 308, '', false],
  ])('a fault makes the response %s', async (_, fault, status, body, isDone) => {
    sandbox.fail(fault)
    const response = await post()
    const bytes = Buffer.from(await response.arrayBuffer())
    expect([response.status, bytes.toString('latin1')]).toEqual([status, body])
    expect(response.headers.get('Location')).toBe(fault.redirect ?? null)
    expect(response.headers.get('X-RateLimit-Remaining')).toBe('29')
    expect(isDone ? wasDone() : wasNotDone()).toBe(true)
  })

  test('a fault whose body is HTML has the content type text/html', async () => {
    sandbox.fail({ status: 502, body: '<html>Bad gateway</html>' })
    expect((await get()).headers.get('Content-Type')).toContain('text/html')
  })

  test('a fault with a delay makes the response late', async () => {
    sandbox.fail({ delay: 60 })
    const start = performance.now()
    await get()
    expect(performance.now() - start).toBeGreaterThan(55)
  })

  test('a response that never arrives ends with the signal, and the work is done', async () => {
    const { arrived, body } = createArrival()
    const caller = new AbortController()
    sandbox.fail({ delay: Number.POSITIVE_INFINITY, body })
    const answer = expect(post({ signal: caller.signal })).rejects.toMatchObject({ name: 'AbortError' })
    await arrived
    caller.abort()
    await answer
    expect(wasDone()).toBe(true)
  })

  test('a body that stops halfway ends with the signal', async () => {
    sandbox.fail({ stall: true })
    const caller = new AbortController()
    const response = await get('/account', { signal: caller.signal })
    expect(response.status).toBe(200)
    const reader = response.body!.getReader()
    const first = await reader.read()
    expect(new TextDecoder().decode(first.value)).toMatch(/^\{"error":0,/)
    const rest = (async () => {
      for (;;) if ((await reader.read()).done) return 'ended'
    })()
    caller.abort()
    await expect(rest).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('a connection dropped before the work leaves it undone', async () => {
    sandbox.fail({ drop: 'before' })
    await expect(post()).rejects.toBeInstanceOf(TypeError)
    expect(wasNotDone()).toBe(true)
    expect(sandbox.requests[0]!.status).toBeUndefined()
  })

  test('a connection dropped after the work leaves it done', async () => {
    sandbox.fail({ drop: 'after' })
    await expect(post()).rejects.toBeInstanceOf(TypeError)
    expect(wasDone()).toBe(true)
  })

  test('a fault replaces a header with a string, and removes it with null', async () => {
    sandbox.fail({ headers: { 'x-ratelimit-limit': null, 'X-RateLimit-Remaining': 'many', 'X-RateLimit-Reset': '7' } })
    const response = await get()
    const values = ['Limit', 'Remaining', 'Reset'].map((name) => response.headers.get(`X-RateLimit-${name}`))
    expect(values).toEqual([null, 'many', '7'])
    expect(await response.json()).toMatchObject({ error: 0 })
  })

  test('method, path, after and times of a fault select the requests that fail', async () => {
    const statuses = async () => [
      (await get('/account')).status,
      (await get('/campaigns')).status,
      (await get('/campaign/1/update', { method: 'PUT', body: '{"name":"x"}' })).status,
      (await get('/campaigns')).status,
    ]
    const cases: [Fault, number[]][] = [
      [{ status: 500 }, [500, 200, 404, 200]],
      [{ status: 500, times: 2 }, [500, 500, 404, 200]],
      [{ status: 500, after: 1 }, [200, 500, 404, 200]],
      [{ status: 500, times: Number.POSITIVE_INFINITY }, [500, 500, 500, 500]],
      [{ status: 500, method: 'PUT' }, [200, 200, 500, 200]],
      [{ status: 500, path: '/campaigns', after: 1 }, [200, 200, 404, 500]],
      [{ status: 500, path: '/campaign/:id/update' }, [200, 200, 500, 200]],
      [{ status: 500, path: '/campaign/{id}/update' }, [200, 200, 500, 200]],
      [{ status: 500, path: /^\/campaign/, times: 2 }, [200, 500, 500, 200]],
    ]
    for (const [fault, expected] of cases) {
      sandbox.reset()
      sandbox.fail(fault)
      expect(await statuses(), JSON.stringify(fault)).toEqual(expected)
    }
  })

  test('several faults can be pending at the same time', async () => {
    sandbox.fail({ path: '/account', status: 500 })
    sandbox.fail({ status: 503 })
    expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([500, 503, 200])
  })
})

describe('sandbox.fetch fails like fetch', () => {
  const sandbox = createSandbox()
  const { fetch, baseUrl } = sandbox

  test('sandbox.fetch rejects with a TypeError with a code if the connection is dropped', async () => {
    sandbox.fail({ drop: 'before' })
    await expect(fetch(baseUrl)).rejects.toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { code: 'ECONNRESET' },
    })
  })

  test('sandbox.fetch finds no other host', async () => {
    await expect(fetch('https://else.example/api')).rejects.toMatchObject({ cause: { code: 'ENOTFOUND' } })
  })

  test('sandbox.fetch rejects with the reason of a signal that is already aborted', async () => {
    const reason = new Error('enough')
    await expect(fetch(`${baseUrl}/account`, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  test('an address outside the API returns an HTML page, as with a wrong baseUrl', async () => {
    const response = await fetch('https://sho.rt/wrong/account')
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
  })

  test('sandbox.fetch returns a redirect, and does not follow it', async () => {
    sandbox.fail({ redirect: `${baseUrl}/account`, status: 307 })
    expect((await fetch(`${baseUrl}/campaigns`)).status).toBe(307)
    expect(sandbox.requests.at(-1)!.path).toBe('/campaigns')
  })
})

test('pendingFaults has each fault until it has failed all of its requests', async () => {
  const sandbox = createSandbox()
  const ask = () => sandbox.fetch(`${sandbox.baseUrl}/account`)
  const [never, twice, always]: Fault[] = [
    { path: '/campaigns', status: 500 },
    { status: 501, times: 2 },
    { status: 502, times: Number.POSITIVE_INFINITY },
  ]
  for (const fault of [never!, twice!, always!]) sandbox.fail(fault)
  expect(sandbox.pendingFaults).toEqual([never, twice, always])
  await ask()
  expect(sandbox.pendingFaults).toEqual([never, twice, always])
  await ask()
  expect(sandbox.pendingFaults).toEqual([never, always])
  await ask()
  expect(sandbox.pendingFaults).toEqual([never])
  expect((await ask()).status).toBe(502)
  sandbox.reset()
  expect(sandbox.pendingFaults).toEqual([])
})
