import { inspect } from 'node:util'
import type { ShortLinkClient } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import { connect, KEY } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { serve } from '../../../helpers/server.ts'

describe('headers', () => {
  it('of a call override the client’s, regardless of case', async () => {
    const server = await serve({})
    const client = connect(server, { headers: { 'X-Site': 'client', 'X-One': '1', 'User-Agent': 'shop/1' } })
    await client.request('GET', '/urls', {}, { headers: { 'x-site': 'call' } })
    expect(server.seen[0]!.headers).toMatchObject({ 'x-site': 'call', 'x-one': '1', 'user-agent': 'shop/1' })
  })

  it('override the default headers, regardless of case', async () => {
    const server = await serve({})
    const headers = { Accept: 'application/vnd.api+json', 'Content-Type': 'text/plain' }
    await connect(server).request('POST', '/url/add', { json: {} }, { headers })
    expect(server.seen[0]!.headers).toMatchObject({
      accept: 'application/vnd.api+json',
      'content-type': 'text/plain',
    })
  })

  it('with an Authorization beside a key are refused, in a call and in the client; the error names apiKey and authScheme', async () => {
    const server = await serve({})
    const headers = { AUTHORIZATION: 'Basic c2hvcDpodXNo' }
    const error = await failure(connect(server).account.get({ headers }))
    expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
    expect(error.message).toMatch(
      /^GET \/account: headers: Authorization is set by the client, from `apiKey` and `authScheme`/,
    )
    expect(() => connect(server, { headers })).toThrow(/^headers: Authorization .* `apiKey` and `authScheme`/)
    expect(server.seen).toEqual([])
  })

  it('with an Authorization are sent if there is no key, and its value is a secret', async () => {
    const server = await serve({ status: 401, body: { error: 1, message: 'Not c2hvcDpodXNo' } })
    const client = connect(server, { apiKey: null, headers: { authorization: 'Basic c2hvcDpodXNo' } })
    const error = await failure(client.account.get())
    expect(server.seen[0]!.headers.authorization).toBe('Basic c2hvcDpodXNo')
    expect(inspect(error) + JSON.stringify(error)).not.toContain('c2hvcDpodXNo')
  })

  describe('with several Authorizations', () => {
    const own = (value: string) => ({ Authorization: `Bearer ${value}` })
    const [ofClient, ofOptions, ofCall, ofHook] = [
      'client-credentials',
      'options-credentials',
      'call-credentials',
      'hook-credentials',
    ]

    it.each<[last: string, call: (client: ShortLinkClient) => PromiseLike<unknown>, sent: string]>([
      ['of the client', (client) => client.account.get(), ofClient],
      ['of withOptions', (client) => client.withOptions({ headers: own(ofOptions) }).account.get(), ofOptions],
      [
        'of the call',
        (client) => client.withOptions({ headers: own(ofOptions) }).account.get({ headers: own(ofCall) }),
        ofCall,
      ],
      [
        'of a hook',
        (client) =>
          client.account.get({
            headers: own(ofCall),
            beforeRequest: (request) => request.headers.set('authorization', `Bearer ${ofHook}`),
          }),
        ofHook,
      ],
    ])('send the last one, that %s, and the error shows none of them', async (_, call, sent) => {
      const message = `None of ${ofClient}, ${ofOptions}, ${ofCall}, ${ofHook}`
      const server = await serve({ status: 401, body: { error: 1, message } })
      const error = await failure(call(connect(server, { apiKey: null, headers: own(ofClient) })))
      expect(server.seen[0]!.headers.authorization).toBe(`Bearer ${sent}`)
      expect(inspect(error) + JSON.stringify(error)).not.toContain(sent)
      expect(inspect(error) + JSON.stringify(error)).not.toContain(ofClient)
    })

    it('of a hook that sign each request are no secrets of the client', async () => {
      const server = await serve({})
      const client = connect(server, { apiKey: null, validation: 'report', logLevel: 'off' })
      await client.account.get({ beforeRequest: (request) => request.headers.set('authorization', `Bearer ${ofHook}`) })
      expect(client.redact(ofHook)).toBe(ofHook)
    })
  })

  it.each([
    ['Bearer', `Bearer ${KEY}`],
    ['Token', `Token ${KEY}`],
    ['raw', KEY],
  ] as const)('contain the key in the form of authScheme %s', async (authScheme, authorization) => {
    const server = await serve({})
    await connect(server, { authScheme, validation: 'report' }).account.get()
    expect(server.seen[0]!.headers.authorization).toBe(authorization)
  })
})
