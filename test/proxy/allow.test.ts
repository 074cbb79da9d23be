import { connect } from 'node:net'
import type { AllowedCall, KnownCall } from 'shortlink-sdk/proxy'
import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import { isAllowed, knownCalls, parseRule } from '../../src/proxy/allow.ts'
import { calls } from '../calls.ts'
import { listen } from '../helpers/server.ts'
import { KEY, proxied, refusal } from './upstream.ts'

describe('the allow list', () => {
  test.each<[AllowedCall, string, string]>([
    ['GET /campaigns', 'GET', '/campaigns?a=%26&b=1&b=+%2B&c'],
    ['GET /qr/:id', 'GET', '/qr/7'],
    ['PUT /campaign/:id/update', 'PUT', '/campaign/12/update'],
    ['DELETE /pixel/:id/delete', 'DELETE', '/pixel/3/delete'],
    ['POST /channel/:channelid/assign/:type/:itemid', 'POST', '/channel/1/assign/links/9'],
    ['POST /files/upload/:filename', 'POST', '/files/upload/a%20b%26%3F%23c%C3%A9.pdf'],
    ['POST /files/upload/:filename', 'POST', '/files/upload/100%25.pdf'],
    ['POST /files/upload/:filename', 'POST', `/files/upload/${encodeURIComponent('語'.repeat(85))}`],
    ['GET /v1.0/campaigns', 'GET', '/v1.0/campaigns'],
  ])('%s allows %s %s, which is sent unchanged and with the key', async (allowed, method, path) => {
    const { call, seen } = await proxied({ allow: [allowed] })
    expect((await call(path, { method })).status).toBe(200)
    expect(seen).toMatchObject([{ method, url: `/api${path}`, headers: { authorization: `Bearer ${KEY}` } }])
  })

  test.each([
    ['GET', '/account'],
    ['POST', '/campaigns'],
    ['HEAD', '/campaigns'],
    ['GET', '/campaigns/'],
    ['GET', '/CAMPAIGNS'],
    ['GET', '/campaigns/1'],
    ['GET', '/v1x0/account'],
    ['PUT', '/campaign//update'],
    ['PUT', '/campaign/1/2/update'],
    ['GET', '/qr/..%2faccount'],
    ['GET', '/qr/%2e%2e%2faccount'],
    ['GET', '/qr/1%5c2'],
    ['GET', '/qr/1%00'],
    ['GET', '/qr/1;x'],
    ['GET', '/qr/%31'],
    ['GET', '//evil.example/qr/1'],
    ['GET', '/files/upload/..%2f..%2faccount'],
    ['GET', '/files/upload/%252e%252e%252faccount'],
    ['GET', '/files/upload/a%5cb'],
    ['GET', '/files/upload/a%00b'],
    ['GET', '/files/upload/a%0d%0ab'],
    ['GET', '/files/upload/a/b'],
    ['GET', '/files/upload/%ff'],
    ['GET', '/files/upload/%252e%252e'],
    ['GET', '/files/upload/a%25252f%25252e%25252e%25252fb%25'],
    ['GET', '/files/upload/a%2Fb'],
    ['GET', '/files/upload/..;'],
    ['GET', '/files/upload/%2e%2e%3Ba=b'],
    ['GET', `/files/upload/a%${'25'.repeat(9)}b`],
    ['GET', '/files/upload/'],
  ])('rejects %s %s before authorize is called', async (method, path) => {
    const authorize = vi.fn(() => true)
    const allow = ['GET /campaigns', 'GET /v1.0/account', 'PUT /campaign/:id/update', 'GET /qr/:id'] as const
    const { call, seen } = await proxied({ authorize, allow: [...allow, 'GET /files/upload/:filename'] })
    const answer = await call(path, { method })
    expect([answer.status, answer.headers.get('cache-control'), seen]).toEqual([403, 'no-store', []])
    expect(authorize).not.toHaveBeenCalled()
  })

  test.each(['/x/../../account', '/x/%2e%2e/%2E%2e/account', '/x\\..\\..\\account', '/xyz/qr/1', '/x', '/'])(
    '%s is outside the prefix and is not found',
    async (path) => {
      const { call, seen } = await proxied({ prefix: '/x', allow: ['GET /account', 'GET /qr/:id'] })
      const [status, message] = await refusal(await call(path))
      expect([status, message, seen]).toEqual([404, expect.stringMatching(/^this proxy: there is nothing at \//), []])
    },
  )

  test('a refusal names the proxy and at most 200 characters of the request', async () => {
    const { call } = await proxied()
    expect(await refusal(await call('/account'))).toEqual([403, 'this proxy: GET /account is not allowed'])
    expect((await refusal(await call(`/${'x'.repeat(2000)}`)))[1].length).toBeLessThan(300)
  })
})

test('the prefix is removed, with or without trailing slashes', async () => {
  for (const prefix of ['/api/shortlink', '/api/shortlink//']) {
    const { call, seen } = await proxied({ prefix })
    expect((await call('/api/shortlink/campaigns?page=2')).status).toBe(200)
    expect(seen[0]!.url).toBe('/api/campaigns?page=2')
  }
})

test('/opener leads to the app opener, without the key unless openerAuth is set', async () => {
  for (const openerAuth of ['none', 'bearer'] as const) {
    const { call, seen } = await proxied({ client: { openerAuth }, prefix: '/p', allow: ['POST /opener/v3/api'] })
    expect((await call('/p/opener/v3/api', { method: 'POST', body: '{}' })).status).toBe(200)
    expect([seen[0]!.url, seen[0]!.body]).toEqual(['/v3/api', '{}'])
    expect(seen[0]!.headers.authorization).toBe(openerAuth === 'bearer' ? `Bearer ${KEY}` : undefined)
  }
})

test('a Node server treats a request line with an absolute URL like any other', async () => {
  const { proxy, seen } = await proxied({ prefix: '/p' })
  const origin = await listen(async (request, response) => {
    const answer = await proxy(new Request(new URL(request.url!, 'http://localhost'), { method: request.method! }))
    response.writeHead(answer.status).end(await answer.text())
  })
  const port = Number(new URL(origin).port)
  const raw = (line: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      )
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text.slice(9, 12)))
    })
  expect(await raw('GET http://evil.example/p/campaigns')).toBe('200')
  expect(await raw('GET //evil.example/p/campaigns')).toBe('200')
  expect(await raw('GET /p/../campaigns')).toBe('404')
  expect(seen.map(({ url }) => url)).toEqual(['/api/campaigns', '/api/campaigns'])
})

const rules = knownCalls.map(parseRule)

/** Returns the known calls that match a request of the client. */
function findMatching(request: string): string[] {
  const [method = '', target = ''] = request.replace(/^OPENER (\w+) /, '$1 /opener').split(' ')
  const path = target.replace(/\?.*/, '')
  return rules.filter((rule) => isAllowed(rule, method, path)).map(({ call }) => call)
}

test.each(Object.entries(calls))('%s sends exactly one of the known calls', (_, { request }) => {
  expect(findMatching(request)).toHaveLength(1)
})

test('each known call is sent by a method', () => {
  const made = new Set(Object.values(calls).flatMap(({ request }) => findMatching(request)))
  expect(knownCalls.filter((call) => !made.has(call))).toEqual([])
})

test('an unknown call may be allowed, and a parameter may have any name', () => {
  for (const call of ['GET /reports/:id', 'PATCH /campaigns', 'GET /qr/:code'] as AllowedCall[]) {
    expect(parseRule(call)).toMatchObject({ call })
  }
  expectTypeOf<KnownCall>().toExtend<AllowedCall>()
  expectTypeOf<'GET /reports/:id'>().toExtend<AllowedCall>()
  expectTypeOf<'campaigns'>().not.toExtend<AllowedCall>()
})
