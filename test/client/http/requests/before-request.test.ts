import { ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { describe, expect, it } from 'vitest'
import { connect, KEY } from '../../../helpers/client.ts'
import { account } from '../../../helpers/responses.ts'
import { serve } from '../../../helpers/server.ts'

const refused = { status: 429, headers: { 'Retry-After': '0' } }
const uploaded = { body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } }

/** Creates a limiter that records the calls of its methods. */
function recordingLimiter(done: string[]): ShortLinkClientOptions['rateLimit'] {
  return {
    acquire: () => void done.push('slot'),
    observe() {},
    release: () => void done.push('released'),
    state: { limit: undefined, remaining: undefined, resetAt: undefined, queued: 0 },
  }
}

const calls: [string, (client: ShortLinkClient) => PromiseLike<unknown>][] = [
  ['a call', (client) => client.account.get()],
  ['an upload', (client) => client.files.upload('a.txt', new Blob(['a']))],
]

it.each(calls)(
  'beforeRequest of %s is called for each attempt, after its slot and before the key is added',
  async (name, call) => {
    const server = await serve(refused, name === 'an upload' ? uploaded : { body: account })
    const done: string[] = []
    const client = connect(server, {
      retry: 1,
      rateLimit: recordingLimiter(done),
      beforeRequest(request) {
        done.push(`hook ${request.headers.get('authorization')}`)
        request.headers.set('x-attempt', String(done.length))
      },
    })
    await call(client)
    expect(done).toEqual(['slot', 'hook null', 'slot', 'hook null'])
    const headers = server.seen.map(({ headers }) => [headers['x-attempt'], headers.authorization])
    expect(headers).toEqual([
      ['2', `Bearer ${KEY}`],
      ['4', `Bearer ${KEY}`],
    ])
  },
)

it('sends the headers of a Request that beforeRequest returns, to the address of the call', async () => {
  const server = await serve({ body: account })
  const beforeRequest = async () =>
    new Request('https://elsewhere.example/', { method: 'POST', headers: { 'x-own': 'yes' } })
  await connect(server, { beforeRequest }).account.get()
  expect(server.seen).toMatchObject([{ method: 'GET', headers: { 'x-own': 'yes', authorization: `Bearer ${KEY}` } }])
})

const broken: [string, ShortLinkClientOptions['beforeRequest'], string][] = [
  [
    'throws',
    () => {
      throw new Error(`no ${KEY}`)
    },
    'GET /account: beforeRequest: no [redacted]',
  ],
  ['rejects', () => Promise.reject(new Error('no session')), 'GET /account: beforeRequest: no session'],
  [
    'returns a string',
    () => 'x' as never,
    'GET /account: beforeRequest: expected a Request or nothing, received a string',
  ],
]

it.each(broken)(
  'a beforeRequest that %s ends the call before it is sent, and releases its slot',
  async (_, beforeRequest, message) => {
    const server = await serve({ body: account })
    const done: string[] = []
    const result = await connect(server, { retry: 2, rateLimit: recordingLimiter(done), beforeRequest })
      .account.get()
      .safe()
    expect(result.error).toMatchObject({ code: 'configuration', outcome: 'not-sent', attempts: 0, message })
    expect(result.error?.cause).toBeInstanceOf(Error)
    expect(done).toEqual(['slot', 'released'])
    expect(server.seen).toEqual([])
  },
)

it('counts the time of beforeRequest toward the timeout', async () => {
  const server = await serve({ body: account })
  const done: string[] = []
  const never = () => new Promise<void>(() => {})
  const options = { timeout: 20, rateLimit: recordingLimiter(done), beforeRequest: never }
  const { error } = await connect(server, options).account.get().safe()
  expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent' })
  expect(error?.message).toBe('GET /account: `beforeRequest` did not finish within 20 ms')
  expect(done).toEqual(['slot', 'released'])
})

it('ends at once if the signal aborts while beforeRequest runs', async () => {
  const server = await serve({ body: account })
  const controller = new AbortController()
  const beforeRequest = () => {
    controller.abort()
    return new Promise<void>(() => {})
  }
  const { error } = await connect(server, { beforeRequest }).account.get({ signal: controller.signal }).safe()
  expect(error).toMatchObject({ code: 'aborted', outcome: 'not-sent' })
  expect(server.seen).toEqual([])
})

describe('the hooks of the client and of the call', () => {
  it('both run, the client’s first, even if that returns a Request', async () => {
    const server = await serve({ body: account }, { body: account })
    const heard: string[] = []
    const client = connect(server, {
      beforeRequest(request) {
        heard.push('client')
        const headers = new Headers(request.headers)
        headers.set('x-client', 'yes')
        return new Request(request, { headers })
      },
    })
    const beforeRequest = (request: Request) => {
      heard.push(`call sees ${request.headers.get('x-client')}`)
      request.headers.set('x-call', 'yes')
    }
    await client.account.get({ beforeRequest })
    await client.account.get()
    expect(heard).toEqual(['client', 'call sees yes', 'client'])
    expect(server.seen[0]).toMatchObject({ headers: { 'x-client': 'yes', 'x-call': 'yes' } })
    expect(server.seen[1]!.headers).not.toHaveProperty('x-call')
  })

  it('the headers of a returned Request replace all headers, so missing headers are removed', async () => {
    const server = await serve({ body: account })
    const client = connect(server, { headers: { 'x-own': 'gone' } })
    await client.account.get({ beforeRequest: ({ url }) => new Request(url, { headers: { 'x-new': 'there' } }) })
    expect(server.seen[0]!.headers).toMatchObject({ 'x-new': 'there', authorization: `Bearer ${KEY}` })
    expect(server.seen[0]!.headers).not.toHaveProperty('x-own')
  })

  it('an appended header is sent once, even if the call is retried', async () => {
    const server = await serve(refused, { body: account })
    const beforeRequest = (request: Request) => request.headers.append('x-trace', 'a')
    await connect(server, { retry: 1, beforeRequest }).account.get({ beforeRequest })
    expect(server.seen.map(({ headers }) => headers['x-trace'])).toEqual(['a, a', 'a, a'])
  })

  it.each(['list', 'loop', 'upload', 'ensure'])('of a call reaches each of its requests: %s', async (kind) => {
    const sandbox = createSandbox()
    const client = new ShortLinkClient(sandbox.clientOptions)
    const options = { beforeRequest: (request: Request) => request.headers.set('x-call', kind) }
    if (kind === 'list') await client.campaigns.list({}, options)
    else if (kind === 'loop') for await (const row of client.campaigns.list({}, options)) void row
    else if (kind === 'upload') await client.files.upload('a.txt', new Blob(['a']), {}, options)
    else await client.links.ensure({ url: 'https://shop.example', custom: 'tea' }, options)
    expect(sandbox.requests.length).toBeGreaterThan(0)
    for (const { headers } of sandbox.requests) expect(headers).toMatchObject({ 'x-call': kind })
  })

  it('a value that is not a function is refused', async () => {
    const server = await serve({ body: account })
    const { error } = await connect(server)
      .account.get({ beforeRequest: 'x' as never })
      .safe()
    expect(error).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('beforeRequest: expected a function'),
    })
    expect(server.seen).toEqual([])
  })
})
