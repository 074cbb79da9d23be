import type { ShortLinkClient } from 'shortlink-sdk'
import { equal, matches, ok } from './assert.ts'
import type { Check, Topic } from './context.ts'
import { checksum } from './remote-sandbox.ts'

/** A call, the request that the server must receive, and what the call must return in every dialect. */
type Row = [call: (client: ShortLinkClient) => PromiseLike<unknown>, sent: string, body: unknown, answer: object]

const noBody = undefined
const action = {}

const rows: Record<string, Row> = {
  'account.get': [(c) => c.account.get(), 'GET /account', noBody, { id: 1, username: 'owner', status: 'pro' }],
  'account.update': [
    (c) => c.account.update({ email: 'new@shop.example', password: 'a long password' }),
    'PUT /account/update',
    { email: 'new@shop.example', password: 'a long password' },
    action,
  ],
  'domains.list': [(c) => c.domains.list(), 'GET /domains', noBody, { result: 3, currentpage: 1, hasNextPage: false }],
  'domains.create': [
    (c) => c.domains.create({ domain: 'https://go.example', redirectroot: 'https://shop.example' }),
    'POST /domain/add',
    { domain: 'https://go.example', redirectroot: 'https://shop.example' },
    { id: 4 },
  ],
  'domains.update': [
    (c) => c.domains.update(2, { redirect404: 'https://shop.example/404' }),
    'PUT /domain/2/update',
    { redirect404: 'https://shop.example/404' },
    action,
  ],
  'domains.delete': [(c) => c.domains.delete(2), 'DELETE /domain/2/delete', noBody, action],
  'overlays.list': [
    (c) => c.overlays.list(),
    'GET /overlay',
    noBody,
    { result: 3, items: [{ id: 1, type: 'message' }] },
  ],
  'campaigns.list': [
    (c) => c.campaigns.list(),
    'GET /campaigns',
    noBody,
    { items: [{ id: 1, name: 'Spring Tea', public: true }, { id: 2, public: false, rotator: false }, { id: 3 }] },
  ],
  'campaigns.create': [
    (c) => c.campaigns.create({ name: 'Launch', slug: 'launch', public: false }),
    'POST /campaign/add',
    { name: 'Launch', slug: 'launch', public: false },
    { id: 4, name: 'Launch', public: false, rotator: false },
  ],
  'campaigns.assignLink': [(c) => c.campaigns.assignLink(1, 3), 'POST /campaign/1/assign/3', noBody, action],
  'campaigns.update': [
    (c) => c.campaigns.update(1, { name: 'Renamed', public: true }),
    'PUT /campaign/1/update',
    { name: 'Renamed', public: true },
    { id: 1, name: 'Renamed', public: true },
  ],
  'campaigns.delete': [(c) => c.campaigns.delete(1), 'DELETE /campaign/1/delete', noBody, action],
  'channels.list': [
    (c) => c.channels.list(),
    'GET /channels',
    noBody,
    { items: [{ id: 1, starred: true }, { starred: false }] },
  ],
  'channels.items': [
    (c) => c.channels.items(1),
    'GET /channel/1',
    noBody,
    {
      items: [
        { type: 'links', id: 1 },
        { type: 'bio', id: 1 },
        { type: 'qr', id: 1 },
      ],
    },
  ],
  'channels.create': [
    (c) => c.channels.create({ name: 'News', description: 'Weekly', color: '#00aaFF', starred: true }),
    'POST /channel/add',
    { name: 'News', description: 'Weekly', color: '#00aaFF', starred: true },
    { id: 4, name: 'News', description: 'Weekly', color: '#00aaFF', starred: true },
  ],
  'channels.assignItem': [(c) => c.channels.assignItem(2, 'qr', 3), 'POST /channel/2/assign/qr/3', noBody, action],
  'channels.update': [
    (c) => c.channels.update(2, { starred: false }),
    'PUT /channel/2/update',
    { starred: false },
    action,
  ],
  'channels.delete': [(c) => c.channels.delete(2), 'DELETE /channel/2/delete', noBody, action],
  'splash.list': [(c) => c.splash.list(), 'GET /splash', noBody, { result: 3, items: [{ id: 1, name: 'Tea splash' }] }],
  'files.list': [
    (c) => c.files.list({ name: 'tea' }),
    'GET /files?name=tea',
    noBody,
    { result: 1, items: [{ id: 1, name: 'tea.txt', downloads: 0 }] },
  ],
  'files.upload': [
    (c) => c.files.upload('a.txt', new Blob(['hello'])),
    'POST /files/upload/a.txt',
    { size: 5, checksum: checksum(new TextEncoder().encode('hello')) },
    { id: 4 },
  ],
  'pixels.list': [(c) => c.pixels.list(), 'GET /pixels', noBody, { result: 3, items: [{ id: 1, tag: 'TAG-1000' }] }],
  'pixels.create': [
    (c) => c.pixels.create({ type: 'tiktok', name: 'Shop', tag: 'T-1' }),
    'POST /pixel/add',
    { type: 'tiktok', name: 'Shop', tag: 'T-1' },
    { id: 4 },
  ],
  'pixels.update': [(c) => c.pixels.update(1, { tag: 'T-2' }), 'PUT /pixel/1/update', { tag: 'T-2' }, action],
  'pixels.delete': [(c) => c.pixels.delete(1), 'DELETE /pixel/1/delete', noBody, action],
  'qr.list': [(c) => c.qr.list(), 'GET /qr', noBody, { items: [{ id: 1, name: 'Tea poster', scans: 0 }] }],
  'qr.get': [
    (c) => c.qr.get(2),
    'GET /qr/2',
    noBody,
    { details: { id: 2, name: 'Lamps poster', scans: 3 }, data: { clicks: 3, uniqueClicks: 3 } },
  ],
  'qr.create': [
    (c) => c.qr.create({ type: 'wifi', data: { ssid: 'Shop' }, foreground: 'rgb(1,2,3)' }),
    'POST /qr/add',
    { type: 'wifi', data: { ssid: 'Shop' }, foreground: 'rgb(1,2,3)' },
    { id: 4 },
  ],
  'qr.update': [
    (c) => c.qr.update(1, { data: 'https://shop.example' }),
    'PUT /qr/1/update',
    { data: 'https://shop.example' },
    action,
  ],
  'qr.delete': [(c) => c.qr.delete(1), 'DELETE /qr/1/delete', noBody, action],
  'opener.create': [
    (c) => c.opener.create({ url: 'https://www.youtube.com/watch?v=1', status: 'public' }),
    'POST /v3/api',
    { url: 'https://www.youtube.com/watch?v=1', status: 'public' },
    { status: 'public', provider: 'YouTube' },
  ],
  'client.request': [
    (c) => c.request('GET', '/urls', { query: { limit: 2 } }),
    'GET /urls?limit=2',
    noBody,
    { data: {} },
  ],
  'client.paginate': [
    (c) => c.paginate('/urls', { listKey: 'urls' }),
    'GET /urls',
    noBody,
    { result: 3, currentpage: 1 },
  ],
}

function checkOf([call, sent, body, answer]: Row): Check {
  return async ({ client, sandbox }) => {
    const received = await call(client)
    const requests = await sandbox.requests()
    equal(requests.length, 1, 'requests')
    const { method, path, query, headers, body: receivedBody } = requests[0]!
    const search = new URLSearchParams(query).toString()
    equal(`${method} ${path}${search && `?${search}`}`, sent, 'request')
    equal(receivedBody, body, 'body')
    equal(headers['content-type'], 'application/json', 'content-type')
    equal(headers.authorization, path === '/v3/api' ? undefined : 'Bearer ***', 'authorization')
    matches(received, answer, 'answer')
    if (answer === action) ok(typeof (received as { message: unknown }).message === 'string', 'message is no string')
  }
}

export const calls: Topic = {
  name: 'calls',
  checks: {
    ...Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, checkOf(row)])),

    'a campaign can be created, listed, updated and deleted': async ({ client }) => {
      const { id } = await client.campaigns.create({ name: 'Round trip' })
      equal((await client.campaigns.update(id, { name: 'Round trip 2' })).name, 'Round trip 2')
      const names = async () => (await client.campaigns.list().toArray()).map(({ name }) => name)
      ok((await names()).includes('Round trip 2'), 'the new name is not listed')
      await client.campaigns.delete(id)
      ok(!(await names()).includes('Round trip 2'), 'the deleted campaign is still listed')
    },

    'the device targets of an app-opener link are an array': async ({ client }) => {
      const link = await client.opener.create({ url: 'https://www.youtube.com/watch?v=1' })
      ok(Array.isArray(link.devicetarget) && link.devicetarget.length > 0, 'no device targets')
      for (const { device, link: target } of link.devicetarget) {
        ok(typeof device === 'string' && typeof target === 'string', 'a device target lacks its device or link')
      }
      equal(link.status, 'private', 'status')
      ok(typeof link['powered-by'] === 'string', 'powered-by is missing')
    },

    'the statistics of a QR code are numbers and objects': async ({ client }) => {
      const { data } = await client.qr.get(3)
      ok(data, 'no statistics')
      equal(typeof data.clicks, 'number', 'type of clicks')
      ok(!Array.isArray(data.topCountries) && typeof data.topCountries === 'object', 'topCountries is not an object')
      equal(typeof data.socialCount.facebook, 'number', 'type of socialCount.facebook')
    },
  },
}
