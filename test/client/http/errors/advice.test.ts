import { createServer as createTlsServer } from 'node:https'
import type { ShortLinkClient } from 'shortlink-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { selfSigned } from '../../../fixtures/self-signed.ts'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { html } from '../../../helpers/responses.ts'
import { type Canned, listen, serve } from '../../../helpers/server.ts'

afterEach(() => void vi.unstubAllGlobals())

const refused = { error: 1, message: 'No' }
const keyAdvice = /Check `apiKey` or SHORTLINK_API_KEY, then `authScheme`: some servers do not expect Bearer/

/** Returns the message of the error for a response. */
async function messageFor(canned: Canned, options = {}): Promise<string> {
  const error = await failure(connect(await serve(canned), options).account.get())
  return error.message
}

/** Starts a TLS server and returns its port. */
async function startTls(): Promise<string> {
  return new URL(await listen(createTlsServer(selfSigned, (_, response) => response.end('{"error":0}')))).port
}

describe('a refused key', () => {
  it.each([401, 403])('with %i: the advice is to check the key, if one was sent', async (status) => {
    expect(await messageFor({ status, body: refused })).toMatch(keyAdvice)
  })

  it('has exactly one full stop between the server’s message and the advice', async () => {
    const advised = /401 No\. Check `apiKey`/
    expect(await messageFor({ status: 401, body: refused })).toMatch(advised)
    expect(await messageFor({ status: 401, body: { error: 1, message: 'No.' } })).toMatch(advised)
  })

  it.each([401, 403])('with %i: the error has no advice if a proxy adds the key', async (status) => {
    expect(await messageFor({ status, body: refused }, { apiKey: null })).toBe(`GET /account: ${status} No`)
  })

  it.each([401, 403])('with %i: the error has no advice if the opener API is sent no key', async (status) => {
    const client = connect(await serve({ status, body: refused }))
    const error = await failure(client.opener.create({ url: 'https://shop.example' }))
    expect(error.message).toBe(`POST /v3/api: ${status} No`)
  })
})

describe('a wrong base URL', () => {
  it.each([
    ['an HTML page', html],
    ['text', 'no such page'],
    ['nothing', ''],
  ])('is suspected if a 404 is %s', async (_, body) => {
    const server = await serve({ status: 404, body })
    const error = await failure(connect(server).account.get())
    expect(error).toMatchObject({ code: 'not_found', outcome: 'rejected' })
    expect(error.message).toContain(`Check \`baseUrl\` or SHORTLINK_BASE_URL, which is ${server.origin}/api`)
  })

  it('is suspected with the name `openerUrl` for the opener API', async () => {
    const error = await failure(
      connect(await serve({ status: 404, body: html })).opener.create({ url: 'https://shop.example' }),
    )
    expect(error.message).toContain('Check `openerUrl` or SHORTLINK_OPENER_URL, which is ')
  })

  it.each<[name: string, body: unknown]>([
    ['JSON whose `error` is a string, as from a web framework', { error: 'Not Found', message: 'No' }],
    ['JSON from the platform', refused],
  ])('is suspected if a 404 is %s, and the call has no id', async (_, body) => {
    expect(await messageFor({ status: 404, body })).toMatch(/^GET \/account: 404 No\. Check `baseUrl` or /)
  })

  it.each<[params: object, isSuspected: boolean]>([
    [{}, true],
    [{ campaign: 999 }, false],
    [{ pixels: [7] }, false],
  ])('is suspected after a 404 from the platform only if no parameter is an id: %j', async (params, isSuspected) => {
    const client = connect(await serve({ status: 404, body: refused }))
    const { message } = await failure(client.links.create({ url: 'https://shop.example', ...params }))
    expect(message.includes('Check `baseUrl`')).toBe(isSuspected)
  })

  it('is the second suspicion after a 404 of the links section, which the server may lack', async () => {
    const client = connect(await serve({ status: 404, body: html }))
    const error = await failure(client.links.list())
    expect(error.message).toMatch(
      /This server may have no links section\. Check `baseUrl` or SHORTLINK_BASE_URL, which is http/,
    )
  })

  it.each<[body: unknown, isSuspected: boolean]>([
    [refused, false],
    [{ error: true, message: 'No' }, false],
    [{ error: 'Not Found', message: 'No' }, true],
  ])('is suspected after a call with an id only if the 404 is not from the platform: %j', async (body, isSuspected) => {
    const { message } = await failure(connect(await serve({ status: 404, body })).campaigns.delete(7))
    expect(message.includes('Check `baseUrl`')).toBe(isSuspected)
  })
})

describe('a 404 of the API', () => {
  it.each<[what: string, isSuspected: boolean, call: (client: ShortLinkClient) => PromiseLike<unknown>]>([
    ['an id in the path', false, (c) => c.qr.get(7)],
    ['an id as a string', false, (c) => c.channels.assignItem('3', 'links', '7')],
    ['an id among the parameters', false, (c) => c.links.create({ url: 'https://shop.example', campaign: 7 })],
    ['no id', true, (c) => c.account.get()],
    ['digits in a parameter that is not an id', false, (c) => c.channels.create({ name: '2026', color: '#123456' })],
    ['digits in a file name', false, (c) => c.files.upload('7', new Blob(['a']))],
    ['digits in an address', true, (c) => c.domains.create({ domain: 'https://7.example' })],
    ['digits in a segment of another path', true, (c) => c.request('GET', '/v2/urls')],
    ['an id in a path of the user', false, (c) => c.request('GET', '/teams/7/links')],
    ['an id in a body of the user', false, (c) => c.request('POST', '/teams/add', { json: { user: '7' } })],
    ['no id in a body of the user', true, (c) => c.request('POST', '/teams/add', { json: { name: '7 tea' } })],
  ])('to a call with %s: a wrong address is suspected: %s', async (_, isSuspected, call) => {
    const server = await serve({ status: 404, body: { error: 1, message: 'None' } })
    const { message } = await failure(call(connect(server)))
    expect(/Check `baseUrl`/.test(message)).toBe(isSuspected)
  })
})

describe('an address that may be wrong', () => {
  const advice = /\. Check `baseUrl` or SHORTLINK_BASE_URL, which is \S+$/

  it.each(['ENOTFOUND', 'ECONNREFUSED'])('is suspected after %s, and the error contains it', async (code) => {
    const fetch = () => Promise.reject(Object.assign(new Error(`connect ${code}`), { code }))
    const error = await failure(connect({ origin: 'https://sho.rt' }, { fetch }).account.get())
    expect(error.message).toMatch(advice)
  })

  it('is suspected after an HTML page with 200, and the error contains it', async () => {
    expect(await messageFor({ body: html })).toMatch(advice)
  })

  it('is not guessed from a redirect to another path', async () => {
    const headers = { Location: '/login' }
    expect(await messageFor({ status: 302, headers })).toMatch(
      /set `baseUrl` or SHORTLINK_BASE_URL to the new address$/,
    )
  })
})

describe('TLS', () => {
  it('an https: address of an HTTP port proves nothing, and is not retried for a write', async () => {
    const { origin } = await serve({})
    const client = connect({ origin: origin.replace('http:', 'https:') })
    const error = await failure(client.campaigns.create({ name: 'a' }))
    // OpenSSL's codes do not show whether the handshake failed.
    expect(error).toMatchObject({ code: 'connection', outcome: 'unknown', retryable: false })
    expect(error.message).toMatch(/^POST \/campaign\/add: no response: /)
  })

  it('a self-signed certificate is not retried, and the error names NODE_EXTRA_CA_CERTS', async () => {
    const origin = `https://localhost:${await startTls()}`
    const onRetry = vi.fn()
    for (const call of [(c: ShortLinkClient) => c.account.get(), (c: ShortLinkClient) => c.campaigns.create({})]) {
      const error = await failure(call(connect({ origin }, { retry: 2, onRetry })))
      expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent', retryable: false, attempts: 1 })
      expect(error.message).toContain('set NODE_EXTRA_CA_CERTS to its file')
    }
    expect(onRetry).not.toHaveBeenCalled()
  })
})

describe('a misspelled or misplaced name', () => {
  it.each<[name: string, call: (client: ShortLinkClient) => PromiseLike<unknown>, message: RegExp]>([
    ['an option of a call', (c) => c.account.get({ retyr: 0 } as never), /retyr: unknown option, did you mean retry\?/],
    [
      'a signal among the parameters of a POST',
      (c) => c.campaigns.create({ name: 'a', signal: new AbortController().signal } as never),
      /signal: is an option of the call, pass it as the next argument/,
    ],
  ])('%s is refused, with a suggestion, and nothing is sent', async (_, call, message) => {
    const server = await serve({})
    const error = await failure(call(connect(server)))
    expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
    expect(error.message).toMatch(message)
    expect(server.seen).toEqual([])
  })

  it.each<[options: object, message: RegExp]>([
    [{ baseURL: 'https://sho.rt' }, /^baseURL: unknown option, did you mean baseUrl\?$/],
    [{ rateLimit: { intervall: 5 } }, /^rateLimit\.intervall: unknown option, did you mean interval\?$/],
  ])('a misspelled option is refused, with a suggestion: %j', (options, message) => {
    expect(() => connect({ origin: 'https://sho.rt' }, options)).toThrow(message)
  })

  it('the valid options are listed if no name is close', () => {
    expect(() => connect({ origin: 'https://sho.rt' }, { elephants: 0 } as never)).toThrow(
      /^elephants: unknown option, expected one of timeout, deadline, retry, priority, validation, headers, fetchOptions, beforeRequest, baseUrl, /,
    )
  })

  it('a parameter outside the reference is sent if its value is plain', async () => {
    const server = await serve({ body: { error: 0 } })
    await connect(server, { validation: 'report' }).files.list({ folder: 'a', deep: true, limit: 5 } as never)
    expect(server.seen[0]!.url).toBe('/api/files?folder=a&deep=true&limit=5')
  })
})

describe('a value of another form is accepted:', () => {
  it('an id may be a string of digits, as in the parameters of a route', async () => {
    const server = await serve({ body: { error: 0, message: '' } })
    await connect(server).campaigns.assignLink('3', '52')
    await connect(server).domains.delete('52')
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/campaign/3/assign/52', '/api/domain/52/delete'])
  })

  it('maxdownloads may be 0', async () => {
    const server = await serve({ body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } })
    await connect(server).files.upload('a.txt', new Blob(['a']), { maxdownloads: 0 })
    expect(server.seen[0]!.url).toBe('/api/files/upload/a.txt?maxdownloads=0')
  })
})
