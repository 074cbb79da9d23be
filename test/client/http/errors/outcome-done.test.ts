import type { ApiPromise, ShortLinkClient } from 'shortlink-sdk'
import { describe, expect, it, vi } from 'vitest'
import { connect } from '../../../helpers/client.ts'

/** Creates a client whose server responds with this body, and its fetch. */
function clientOf(body: unknown, headers: HeadersInit = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const fetch = vi.fn(async () => new Response(text, { headers }))
  return { fetch, client: connect({ origin: 'https://sho.rt' }, { fetch, retry: 2 }) }
}

type Call = (client: ShortLinkClient) => ApiPromise<unknown>

const create: Call = (client) => client.domains.create({ domain: 'https://go.example' })
const change: Call = (client) => client.campaigns.update(1, { name: 'Opening' })
const upload: Call = (client) => client.files.upload('a.txt', new Blob(['a']))
const send: Call = (client) => client.request('DELETE', '/x', { schema: failing })
const read: Call = (client) => client.account.get()

const failing = {
  '~standard': { version: 1 as const, vendor: 'test', validate: () => ({ issues: [{ message: 'never' }] }) },
}

describe('a write whose response does not match', () => {
  it.each<[name: string, call: Call]>([
    ['a creation', create],
    ['an update', change],
    ['an upload', upload],
    ['a DELETE with a schema', send],
  ])('is done if `error` says so, keeps the body, and is not retried: %s', async (_, call) => {
    for (const error of [0, '0', false, 'false']) {
      const body = { error, id: 'seven', note: 'kept' }
      const { client, fetch } = clientOf(body)
      const result = await call(client).safe()
      expect(result).toMatchObject({
        error: { code: 'invalid_response', reason: 'schema', outcome: 'done', retryable: false, attempts: 1, body },
      })
      expect(fetch).toHaveBeenCalledTimes(1)
    }
  })

  it.each<[what: string, body: unknown]>([
    ['without `error`', { id: 'seven' }],
    ['that is a list', [1]],
    ['that is HTML', '<html><body>Maintenance</body></html>'],
    ['that is cut off', '{"error":0,"id":'],
  ])('may have been done if it gets a response %s', async (_, body) => {
    const { client, fetch } = clientOf(body)
    expect(await create(client).safe()).toMatchObject({ error: { code: 'invalid_response', outcome: 'unknown' } })
    expect(fetch).toHaveBeenCalledTimes(1)
  })
})

it('a read is never done', async () => {
  const { client } = clientOf({ error: 0, data: { id: 'seven' } })
  expect(await read(client).safe()).toMatchObject({ error: { code: 'invalid_response', outcome: 'unknown' } })
})

it('is done even if an earlier attempt may have done it', async () => {
  const fetch = vi
    .fn(async () => Response.json({ error: 0, id: 'seven' }))
    .mockImplementationOnce(async () => Response.json({ error: 1 }, { status: 503, headers: { 'Retry-After': '0' } }))
  const client = connect({ origin: 'https://sho.rt' }, { fetch, retry: 2 })
  expect(await change(client).safe()).toMatchObject({ error: { outcome: 'done', attempts: 2 } })
})

it('with `validation: report`, it is a success and is reported', async () => {
  const onDrift = vi.fn()
  const client = clientOf({ error: 0, id: 'seven' }).client.withOptions({ validation: 'report', onDrift })
  expect(await create(client)).toMatchObject({ id: 'seven' })
  expect(onDrift).toHaveBeenCalledTimes(1)
})
