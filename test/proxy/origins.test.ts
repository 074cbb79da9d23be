import { describe, expect, test, vi } from 'vitest'
import { proxied, refusal } from './upstream.ts'

const other = { Origin: 'https://other.example' }

describe('a call', () => {
  test.each<[string, Record<string, string>, string?]>([
    ['of a page of this origin', { Origin: 'https://app.example', 'Sec-Fetch-Site': 'same-origin' }],
    ['of a page of this origin, by Origin alone', { Origin: 'https://app.example' }],
    ['of a page of this origin without https, by Origin alone', { Origin: 'http://app.example' }],
    ['of a page opened from the address bar', { 'Sec-Fetch-Site': 'none' }],
    ['of a program that is not a browser', {}],
    [
      'of a page of this origin, behind a gateway that rewrites the host',
      { Origin: 'https://app.example', 'Sec-Fetch-Site': 'same-origin', Host: '10.0.0.5:3000' },
    ],
    [
      'of a page of this origin, through an adapter that invents the URL',
      { Origin: 'http://shop.example:8080', Host: 'Shop.example:8080' },
      'http://localhost:3000',
    ],
    [
      'of a page of this origin, behind a gateway that says which host it was',
      { Origin: 'https://shop.example', Host: '10.0.0.5:3000', 'X-Forwarded-Host': 'shop.example, 10.0.0.4' },
    ],
  ])('%s passes', async (_name, headers, origin = 'https://app.example') => {
    const { proxy } = await proxied({ allow: ['POST /campaign/add'] })
    const request = new Request(`${origin}/campaign/add`, { method: 'POST', headers })
    expect((await proxy(request)).status).toBe(200)
  })

  test.each<[string, Record<string, string>]>([
    ['another site, by Sec-Fetch-Site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a sibling of the same site', { ...other, 'Sec-Fetch-Site': 'same-site' }],
    ['another origin, by Origin alone', other],
    ['the host of the URL, if the browser saw another', { Origin: 'https://app.example', Host: 'shop.example' }],
    ['an opaque origin', { Origin: 'null' }],
    ['an extension under the name of this host', { Origin: 'extension://app.example' }],
  ])('of a page of another origin is rejected before authorize is called: %s', async (_name, headers) => {
    const authorize = vi.fn(() => true)
    const { call, seen } = await proxied({ authorize })
    const answer = await call('/campaigns', { headers })
    expect(answer.headers.has('access-control-allow-origin')).toBe(false)
    expect(await refusal(answer)).toEqual([
      403,
      `this proxy: pages of ${headers.Origin ?? 'another site'} may not call it`,
    ])
    expect([seen, authorize.mock.calls]).toEqual([[], []])
  })
})

describe('with origins', () => {
  const origins = [other.Origin]

  test('a page of a listed origin may call with its cookies, and read the rate headers, even of errors', async () => {
    const { call } = await proxied({ origins })
    for (const [path, status] of [
      ['/campaigns', 200],
      ['/account', 403],
    ] as const) {
      const answer = await call(path, { headers: { ...other, 'Sec-Fetch-Site': 'cross-site' } })
      expect(answer.status).toBe(status)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'access-control-allow-origin': other.Origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers':
          'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Date',
        vary: 'Origin',
      })
    }
  })

  test.each<[string, Record<string, string>]>([
    ['a third page', { Origin: 'https://third.example' }],
    ['a page without an origin, such as the request for an image', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('%s is rejected', async (_name, headers) => {
    const { call, seen } = await proxied({ origins })
    expect((await call('/campaigns', { headers })).status).toBe(403)
    expect(seen).toEqual([])
  })

  test('a preflight of a listed origin gets a response without authorize, others are rejected', async () => {
    const { call, seen } = await proxied({
      origins,
      allow: ['GET /qr/:id', 'GET /campaigns', 'DELETE /qr/:id/delete'],
      authorize: () => false,
    })
    const asks = { 'Access-Control-Request-Method': 'DELETE', 'Access-Control-Request-Headers': 'content-type,x-csrf' }
    const answer = await call('/qr/1', { method: 'OPTIONS', headers: { ...other, ...asks } })
    expect(answer.status).toBe(204)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': other.Origin,
      'access-control-allow-methods': 'GET, DELETE',
      'access-control-allow-headers': 'content-type,x-csrf',
      'access-control-allow-credentials': 'true',
      'access-control-max-age': '600',
    })
    const third = await call('/qr/1', { method: 'OPTIONS', headers: { Origin: 'https://third.example', ...asks } })
    expect([third.status, third.headers.has('access-control-allow-methods')]).toEqual([403, false])
    expect(seen).toEqual([])
  })

  test('a request that only looks like a preflight is a normal call', async () => {
    const { call } = await proxied({ origins })
    const get = await call('/campaigns', { headers: { ...other, 'Access-Control-Request-Method': 'GET' } })
    expect(get.status).toBe(200)
    const options = await call('/campaigns', { method: 'OPTIONS', headers: other })
    expect(await refusal(options)).toEqual([403, 'this proxy: OPTIONS /campaigns is not allowed'])
  })
})
