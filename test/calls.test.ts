import { describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { type ShortLinkClient, VERSION } from '../src/index.ts'
import { fieldNotes } from './fixtures/field-notes.ts'
import { type CallName, reference } from './fixtures/reference.ts'
import { connect, KEY } from './helpers/client.ts'
import { serve } from './helpers/server.ts'

/** A call, its request line, and its body byte for byte. */
type Row = [call: (client: ShortLinkClient) => PromiseLike<unknown>, line: string, body?: string]

const bytes = '\u0000\u0001{"not":"JSON"}\r\n\u007f'

const rows: Record<CallName, Row> = {
  'account.get': [(c) => c.account.get(), 'GET /api/account'],
  'account.update': [
    (c) => c.account.update({ email: 'new@shop.example', password: 'correct "horse"' }),
    'PUT /api/account/update',
    '{"email":"new@shop.example","password":"correct \\"horse\\""}',
  ],
  'domains.list': [(c) => c.domains.list({ limit: 2, page: 1 }), 'GET /api/domains?limit=2&page=1'],
  'domains.create': [
    (c) =>
      c.domains.create({
        domain: 'https://go.example',
        redirectroot: 'https://shop.example',
        redirect404: 'https://shop.example/404',
      }),
    'POST /api/domain/add',
    '{"domain":"https://go.example","redirectroot":"https://shop.example","redirect404":"https://shop.example/404"}',
  ],
  'domains.update': [
    (c) => c.domains.update(5, { redirectroot: 'https://shop.example', redirect404: '' }),
    'PUT /api/domain/5/update',
    '{"redirectroot":"https://shop.example","redirect404":""}',
  ],
  'domains.delete': [(c) => c.domains.delete(5), 'DELETE /api/domain/5/delete'],
  'overlays.list': [(c) => c.overlays.list(), 'GET /api/overlay'],
  'campaigns.list': [(c) => c.campaigns.list({ limit: 50 }), 'GET /api/campaigns?limit=50'],
  'campaigns.create': [
    (c) => c.campaigns.create({ name: 'New Campaign', slug: 'new-campaign', public: true }),
    'POST /api/campaign/add',
    '{"name":"New Campaign","slug":"new-campaign","public":true}',
  ],
  'campaigns.assignLink': [(c) => c.campaigns.assignLink(3, 44), 'POST /api/campaign/3/assign/44'],
  'campaigns.update': [
    (c) => c.campaigns.update(3, { name: 'New Campaign', slug: 'new-campaign', public: false }),
    'PUT /api/campaign/3/update',
    '{"name":"New Campaign","slug":"new-campaign","public":false}',
  ],
  'campaigns.delete': [(c) => c.campaigns.delete(3), 'DELETE /api/campaign/3/delete'],
  'channels.list': [(c) => c.channels.list({ page: 1 }), 'GET /api/channels?page=1'],
  'channels.items': [(c) => c.channels.items(9, { limit: 15, page: 1 }), 'GET /api/channel/9?limit=15&page=1'],
  'channels.create': [
    (c) => c.channels.create({ name: 'News', description: 'What is new', color: '#3366FF', starred: true }),
    'POST /api/channel/add',
    '{"name":"News","description":"What is new","color":"#3366FF","starred":true}',
  ],
  'channels.assignItem': [(c) => c.channels.assignItem(9, 'bio', 12), 'POST /api/channel/9/assign/bio/12'],
  'channels.update': [
    (c) => c.channels.update(9, { name: 'News', description: '', color: null, starred: false }),
    'PUT /api/channel/9/update',
    '{"name":"News","description":"","color":null,"starred":false}',
  ],
  'channels.delete': [(c) => c.channels.delete(9), 'DELETE /api/channel/9/delete'],
  'splash.list': [(c) => c.splash.list(), 'GET /api/splash'],
  'files.list': [
    (c) => c.files.list({ name: 'tea & co', limit: 15, page: 1 }),
    'GET /api/files?name=tea%20%26%20co&limit=15&page=1',
  ],
  'files.upload': [
    (c) =>
      c.files.upload('menu & prices.pdf', new Blob([bytes]), {
        name: 'Menu',
        custom: 'menu',
        domain: 'https://go.example',
        password: 'p w',
        expiry: '2027-01-31',
        maxdownloads: 10,
      }),
    'POST /api/files/upload/menu%20%26%20prices.pdf?name=Menu&custom=menu&domain=https%3A%2F%2Fgo.example&password=p%20w&expiry=2027-01-31&maxdownloads=10',
    bytes,
  ],
  'pixels.list': [(c) => c.pixels.list(), 'GET /api/pixels'],
  'pixels.create': [
    (c) => c.pixels.create({ type: 'gtmpixel', name: 'GTM', tag: 'GA-123456789' }),
    'POST /api/pixel/add',
    '{"type":"gtmpixel","name":"GTM","tag":"GA-123456789"}',
  ],
  'pixels.update': [
    (c) => c.pixels.update(2, { name: 'GTM', tag: 'GA-1' }),
    'PUT /api/pixel/2/update',
    '{"name":"GTM","tag":"GA-1"}',
  ],
  'pixels.delete': [(c) => c.pixels.delete(2), 'DELETE /api/pixel/2/delete'],
  'qr.list': [(c) => c.qr.list(), 'GET /api/qr'],
  'qr.get': [(c) => c.qr.get(1), 'GET /api/qr/1'],
  'qr.create': [
    (c) =>
      c.qr.create({
        type: 'wifi',
        data: { ssid: 'Tea & Co', hidden: false },
        background: 'rgb(255,255,255)',
        foreground: 'rgb(0, 0, 0)',
        logo: 'https://shop.example/logo.png',
      }),
    'POST /api/qr/add',
    '{"type":"wifi","data":{"ssid":"Tea & Co","hidden":false},"background":"rgb(255,255,255)","foreground":"rgb(0, 0, 0)","logo":"https://shop.example/logo.png"}',
  ],
  'qr.update': [
    (c) => c.qr.update(1, { data: ['https://shop.example', 'ü'], background: 'rgb(0,0,255)' }),
    'PUT /api/qr/1/update',
    '{"data":["https://shop.example","ü"],"background":"rgb(0,0,255)"}',
  ],
  'qr.delete': [(c) => c.qr.delete(1), 'DELETE /api/qr/1/delete'],
  'opener.create': [
    (c) => c.opener.create({ url: 'https://www.youtube.com/watch?v=1', status: 'public' }),
    'POST /opener/v3/api',
    '{"url":"https://www.youtube.com/watch?v=1","status":"public"}',
  ],
}

/** Headers that belong to the connection and to fetch itself. */
const ofTheRuntime = /^(host|connection|accept-language|accept-encoding|sec-fetch-mode|content-length)$/

describe.each(Object.entries(rows) as [CallName, Row][])('%s', (name, [call, line, body]) => {
  it('sends the documented request', async () => {
    const server = await serve({ body: reference[name].wire })
    await call(connect(server))
    expect(server.seen).toHaveLength(1)
    const { method, url, headers, body: sent } = server.seen[0]!
    expect(`${method} ${url}`).toBe(line)
    expect(sent.toString()).toBe(body ?? '')
    expect(headers['content-length']).toBe(
      body !== undefined ? String(Buffer.byteLength(body)) : method === 'POST' ? '0' : undefined,
    )
    expect(Object.fromEntries(Object.entries(headers).filter(([header]) => !ofTheRuntime.test(header)))).toEqual({
      accept: 'application/json',
      'user-agent': `shortlink-sdk/${VERSION}`,
      'content-type': 'application/json',
      ...(name !== 'opener.create' && { authorization: `Bearer ${KEY}` }),
    })
  })

  it.each([
    ['the reference', reference[name]],
    ['other deployments', fieldNotes[name]],
  ])('returns the documented type for an answer in the form of %s', async (_, { wire, read }) => {
    const answer = await call(connect(await serve({ body: wire })))
    expect(answer).toStrictEqual(read)
  })
})

it('VERSION is the version of the package', () => {
  expect(VERSION).toBe(manifest.version)
})

it('the tests above cover all 31 methods of the client', () => {
  const client = connect({ origin: 'https://sho.rt' })
  const methods = Object.entries(client).flatMap(([resource, value]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(value))
      .filter((method) => method !== 'constructor')
      .map((method) => `${resource}.${method}`),
  )
  expect(methods.sort()).toEqual(Object.keys(rows).sort())
  expect(methods).toHaveLength(31)
})
