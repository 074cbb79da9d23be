import { describe, expect, test } from 'vitest'
import { proxied } from './upstream.ts'

const other = { Origin: 'https://other.example' }

describe('pages of other origins', () => {
  test.each<[string, Record<string, string>]>([
    ['another site, by Sec-Fetch-Site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a sibling of the same site', { ...other, 'Sec-Fetch-Site': 'same-site' }],
    ['another origin, by Origin alone', other],
    ['an opaque origin', { Origin: 'null' }],
    ['an extension under the name of this host', { Origin: 'extension://app.example' }],
  ])('are refused: %s', async (_name, headers) => {
    const { call, seen } = await proxied()
    const answer = await call('/campaigns', { headers })
    expect(answer.status).toBe(403)
    const { message } = await answer.json()
    expect(message).toBe(`this proxy: pages of ${headers.Origin ?? 'another site'} may not call it`)
    expect(answer.headers.has('access-control-allow-origin')).toBe(false)
    expect(seen).toEqual([])
  })

  test.each<[string, Record<string, string>]>([
    ['a page of this origin', { Origin: 'https://app.example', 'Sec-Fetch-Site': 'same-origin' }],
    [
      'a page of this origin behind a gateway that changes the host',
      { Origin: 'https://www', 'Sec-Fetch-Site': 'same-origin' },
    ],
    ['a page of this origin, by Origin alone', { Origin: 'https://app.example' }],
    ['a page of this origin without https, by Origin alone', { Origin: 'http://app.example' }],
    ['a page opened from the address bar', { 'Sec-Fetch-Site': 'none' }],
    ['a program that is not a browser', {}],
  ])('%s passes', async (_name, headers) => {
    const { call } = await proxied()
    expect((await call('/campaigns', { headers })).status).toBe(200)
  })

  test('a preflight from them is refused too', async () => {
    const { call } = await proxied()
    const headers = { ...other, 'Access-Control-Request-Method': 'GET' }
    expect((await call('/campaigns', { method: 'OPTIONS', headers })).status).toBe(403)
  })
})

describe('with cors', () => {
  const cors = { origins: ['https://other.example'] }

  test('a page of a listed origin may call, and may read the rate headers, of errors too', async () => {
    const { call } = await proxied({ cors })
    for (const [path, status] of [
      ['/campaigns', 200],
      ['/account', 403],
    ] as const) {
      const answer = await call(path, { headers: { ...other, 'Sec-Fetch-Site': 'cross-site' } })
      expect(answer.status).toBe(status)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'access-control-allow-origin': 'https://other.example',
        'access-control-expose-headers':
          'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Date',
        vary: 'Origin',
      })
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
    }
  })

  test('a page of another origin is refused', async () => {
    const { call, seen } = await proxied({ cors })
    expect((await call('/campaigns', { headers: { Origin: 'https://third.example' } })).status).toBe(403)
    expect(seen).toEqual([])
  })

  test('a preflight is answered without calling authorize or the platform', async () => {
    const { call, seen } = await proxied({
      cors: { ...cors, headers: ['X-CSRF'], credentials: true },
      allow: ['GET /qr/:id', 'GET /campaigns', 'DELETE /qr/:id/delete'],
      authorize: () => false,
    })
    const answer = await call('/qr/1', {
      method: 'OPTIONS',
      headers: { ...other, 'Access-Control-Request-Method': 'DELETE' },
    })
    expect(answer.status).toBe(204)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': 'https://other.example',
      'access-control-allow-methods': 'GET, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, X-CSRF',
      'access-control-allow-credentials': 'true',
      'access-control-max-age': '600',
    })
    expect(seen).toEqual([])
  })

  test("'*' allows every origin, without cookies", async () => {
    const { call } = await proxied({ cors: { origins: '*' } })
    const answer = await call('/campaigns', { headers: other })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
  })

  test('a request that names no origin, such as that of an image, is refused', async () => {
    const { call } = await proxied({ cors: { origins: '*' } })
    expect((await call('/campaigns', { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status).toBe(403)
  })

  test('a GET with the header of a preflight is a call like any other', async () => {
    const { call, seen } = await proxied({ cors })
    const headers = { ...other, 'Access-Control-Request-Method': 'GET' }
    expect((await call('/campaigns', { headers })).status).toBe(200)
    expect(seen).toHaveLength(1)
  })

  test('an OPTIONS request that is no preflight is a call like any other', async () => {
    const { call } = await proxied({ cors })
    const answer = await call('/campaigns', { method: 'OPTIONS', headers: other })
    expect([answer.status, (await answer.json()).message]).toEqual([
      403,
      'this proxy: OPTIONS /campaigns is not allowed',
    ])
  })

  test('a preflight names the headers that every page may send if the list of others is empty or missing', async () => {
    for (const more of [{}, { headers: [] }]) {
      const { call } = await proxied({ cors: { ...cors, ...more } })
      const headers = { ...other, 'Access-Control-Request-Method': 'GET' }
      const answer = await call('/campaigns', { method: 'OPTIONS', headers })
      expect(answer.headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type')
    }
  })
})
