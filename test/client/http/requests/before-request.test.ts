import type { ShortLinkClient, ShortLinkClientOptions } from 'shortlink-sdk'
import { expect, it } from 'vitest'
import { connect, KEY } from '../../../helpers/client.ts'
import { account } from '../../../helpers/responses.ts'
import { serve } from '../../../helpers/server.ts'

const refused = { status: 429, headers: { 'Retry-After': '0' } }
const uploaded = { body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } }

/** A limiter that notes what is done with its slots. */
function notingLimiter(done: string[]): ShortLinkClientOptions['rateLimit'] {
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
      rateLimit: notingLimiter(done),
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
    'returns no Request',
    () => 'x' as never,
    'GET /account: beforeRequest: expected a Request or nothing, received a string',
  ],
]

it.each(broken)(
  'a beforeRequest that %s ends the call before it is sent, and its slot is free again',
  async (_, beforeRequest, message) => {
    const server = await serve({ body: account })
    const done: string[] = []
    const result = await connect(server, { retry: 2, rateLimit: notingLimiter(done), beforeRequest })
      .account.get()
      .safe()
    expect(result.error).toMatchObject({ code: 'configuration', outcome: 'not-sent', attempts: 0, message })
    expect(result.error?.cause).toBeInstanceOf(Error)
    expect(done).toEqual(['slot', 'released'])
    expect(server.seen).toEqual([])
  },
)

it('counts the time of beforeRequest towards the timeout', async () => {
  const server = await serve({ body: account })
  const done: string[] = []
  const never = () => new Promise<void>(() => {})
  const options = { timeout: 20, rateLimit: notingLimiter(done), beforeRequest: never }
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
