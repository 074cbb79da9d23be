/**
 * All calls: how a program makes each, the request, the response of a platform with the data of `seed`, and the result,
 * all written by hand from the reference and the field notes. The tests of the client, the sandbox, the runtimes, the
 * schemas and the OpenAPI document, and the fuzzer, read this table.
 */
import type { ShortLinkClient } from 'shortlink-sdk'
import type { SandboxSeed } from 'shortlink-sdk/testing'
import * as types from './types.ts'

/** A call of the client. */
export interface Call {
  readonly call: (client: ShortLinkClient) => PromiseLike<unknown>
  /** The method, and the path relative to the base URL. Requests to the app opener begin with `OPENER`. */
  readonly request: string
  /** The exact body of the request. */
  readonly body?: string
  /** The body of the response, before it is serialized. */
  readonly wire: unknown
  /** What the call resolves with. */
  readonly read: unknown
  /** The documented type of the result. */
  readonly type: types.Type
  /** Another response, as the field notes saw it, and its result. Keys that nobody documented survive. */
  readonly fieldNote?: Pick<Call, 'wire' | 'read'>
}

type Sample = Pick<Call, 'wire' | 'read' | 'type'>

const done = (message: string): Sample => ({
  wire: { error: 0, message },
  read: { message },
  type: types.actionResult,
})

const created: Sample = { wire: { error: 0, id: 3 }, read: { id: 3 }, type: types.created }

/** A response with its fields beside `error`. */
const beside = (fields: object, type: types.Type): Sample => ({ wire: { error: 0, ...fields }, read: fields, type })

const onePage = (result: number) => ({ result, perpage: 15, currentpage: 1, nextpage: null, maxpage: 1 })

/**
 * A page under `data`. In the reference, the `error` of lists is `"0"`.
 *
 * @param items The rows as the client returns them, if they differ.
 */
const list = (key: string, type: types.Type, rows: unknown[], items = rows): Sample => ({
  wire: { error: '0', data: { ...onePage(rows.length), [key]: rows } },
  read: { ...onePage(rows.length), items },
  type: types.pageOf(type),
})

/** An action whose message is in the language of the site, or missing. */
const notedAction = (message?: string): Pick<Call, 'wire' | 'read'> => ({
  wire: { error: false, message },
  read: { message: message ?? '' },
})

/** Numbers as strings, and a last page that names itself as the next, as in the platform's own printed sample. */
const notedNumbers = { result: '2', perpage: '15', currentpage: '1', nextpage: '1', maxpage: '1' }
const notedPage = (...items: unknown[]) => ({ ...onePage(2), items })

/** A list with gaps, which PHP sends as an object with number keys. */
const withGaps = (first: unknown, second: unknown) => ({ '0': first, '2': second })

const account = {
  id: 7,
  email: 'ann@shop.example',
  username: 'ann',
  avatar: 'https://shop.example/ann.png',
  status: 'pro',
  expires: '2026-01-01 00:00:00',
  registered: '2024-01-01 10:00:00',
}

const one = {
  id: 1,
  domain: 'https://one.example',
  redirectroot: 'https://shop.example',
  redirect404: 'https://shop.example/404',
}
const two = { id: 2, domain: 'http://two.example' }

const overlays = [
  { id: 1, type: 'message', name: 'Hello', date: '2025-01-01 09:00:00' },
  { id: 2, type: 'contact', name: 'Ask us', date: '2025-01-02 09:00:00' },
]

const spring = {
  id: 1,
  name: 'Spring',
  public: true,
  rotator: 'https://sho.rt/r/spring',
  list: 'https://sho.rt/u/ann/list-1',
}
const summer = { id: 2, public: false, rotator: false, list: 'https://sho.rt/u/ann/list-2' }
const autumn = { id: 3, public: true, rotator: 'https://sho.rt/r/autumn', list: 'https://sho.rt/u/ann/list-3' }
const springSale = { id: 1, public: false, rotator: false, list: 'https://sho.rt/u/ann/list-1' }

/** A new or changed campaign. The server sends its name as `domain`. */
const campaign = (fields: object, name: string): Sample => ({
  wire: { error: 0, ...fields, domain: name },
  read: { ...fields, name },
  type: types.createdCampaign,
})

const news = { id: 1, name: 'News', description: 'All news', color: '#112233', starred: true }
const empty = { id: 2, name: 'Empty', description: '', color: '#445566', starred: false }
const shop = { id: 3, name: 'Shop', description: 'Offers', color: '#AABBCC', starred: true }

const item = (type: string, id: number, title: string, alias: string, date: string) => ({
  type,
  id,
  title,
  preview: `https://sho.rt/${alias}/preview`,
  link: `https://sho.rt/${alias}`,
  date,
})
const channelItems = [
  item('links', 1, 'Tea', 'tea', '2025-01-06'),
  item('bio', 1, 'Ann', 'ann', '2025-01-08'),
  item('qr', 2, 'Flyer', 'flyer', '2025-01-12'),
]

const splash = [{ id: 1, name: 'Welcome', date: '2025-01-03 09:00:00' }]

/** The content of an upload: it looks like JSON after its control characters. */
const bytes = '\u0000\u0001{"not":"JSON"}\r\n\u007f'
export const prices = {
  id: 1,
  name: 'Price list',
  downloads: 4,
  shorturl: 'https://sho.rt/prices',
  date: '2025-01-04 09:00:00',
}

const tea = {
  id: 1,
  alias: 'tea',
  shorturl: 'https://sho.rt/tea',
  longurl: 'https://shop.example/tea',
  title: 'Tea',
  description: '',
  clicks: 5,
  uniqueclicks: 0,
  domain: 'https://sho.rt',
  campaign: 1,
  channel: [1],
  date: '2025-01-06 09:00:00',
}
export const map = {
  id: 2,
  alias: 'map',
  shorturl: 'https://sho.rt/map',
  longurl: 'https://shop.example/map',
  title: 'Map',
  description: 'Where we are',
  clicks: 3,
  uniqueclicks: 2,
  domain: 'https://sho.rt',
  campaign: null,
  channel: [],
  date: '2025-01-07 09:00:00',
}

/** The statistics of a link with three visits, and of a link without visits. */
const visited = {
  clicks: 3,
  uniqueClicks: 2,
  topCountries: { Japan: '2', Kenya: '1' },
  topReferrers: { Direct: '2', 'facebook.com': '1' },
  topBrowsers: { Safari: '2', Chrome: '1' },
  topOs: { iOS: '2', Android: '1' },
  socialCount: { facebook: 1, twitter: 0, instagram: 0 },
}
const visitedRead = {
  ...visited,
  topCountries: { Japan: 2, Kenya: 1 },
  topReferrers: { Direct: 2, 'facebook.com': 1 },
  topBrowsers: { Safari: 2, Chrome: 1 },
  topOs: { iOS: 2, Android: 1 },
}
export const unvisited = {
  clicks: 0,
  uniqueClicks: 0,
  topCountries: {},
  topReferrers: {},
  topBrowsers: {},
  topOs: {},
  socialCount: { facebook: 0, twitter: 0, instagram: 0 },
}

const teaDetails = {
  id: 1,
  shorturl: 'https://sho.rt/tea',
  longurl: 'https://shop.example/tea',
  title: 'Tea',
  description: '',
  location: {},
  device: {},
  expiry: null,
  date: '2025-01-06 09:00:00',
}
const mapDetails = {
  id: 2,
  shorturl: 'https://sho.rt/map',
  longurl: 'https://shop.example/map',
  title: 'Map',
  description: 'Where we are',
  location: { Japan: 'https://shop.example/jp' },
  device: { iPhone: 'https://shop.example/ios' },
  expiry: '2026-01-01 00:00:00',
  date: '2025-01-07 09:00:00',
}
export const singleTea = { error: 0, id: 1, details: teaDetails, data: { ...unvisited, clicks: 5 } }

const pixels = [
  { id: 1, type: 'gtmpixel', name: 'Tags', tag: 'GTM-1', date: '2025-01-09 09:00:00' },
  { id: 2, type: 'fbpixel', name: 'Ads', tag: 'FB-2', date: '2025-01-10 09:00:00' },
]

const newLink = {
  url: 'https://shop.example/new',
  custom: 'new',
  domain: 'https://one.example',
  password: 'a long one',
  expiry: '2026-01-01 00:00:00',
  type: 'splash',
  status: 'public',
  metatitle: 'T',
  metadescription: 'D',
  metaimage: 'https://shop.example/i.png',
  title: 'New',
  description: 'All of it',
  pixels: [1, '2'],
  channel: 2,
  campaign: '2',
  deeplink: { auto: true, apple: 'https://apps.example/a', google: 'https://apps.example/g' },
  geotarget: [{ location: 'Kenya', link: 'https://shop.example/ke' }],
  devicetarget: [{ device: 'Android', link: 'https://shop.example/android' }],
  languagetarget: [{ language: 'pt', link: 'https://shop.example/pt' }],
  parameters: [{ name: 'utm_source', value: 'news' }],
}

export const poster = { id: 1, link: 'https://sho.rt/poster', scans: 0, name: 'Poster', date: '2025-01-11 09:00:00' }
const flyer = { id: 2, link: 'https://sho.rt/flyer', scans: 3, name: 'Flyer', date: '2025-01-12 09:00:00' }

export const opened = {
  id: 1,
  shorturl: 'https://opener.example/o163z',
  status: 'public',
  provider: 'YouTube',
  domain: 'https://opener.example',
  devicetarget: [
    { device: 'iPhone', link: 'youtube://www.youtube.com/watch?v=abc' },
    { device: 'iPad', link: 'youtube://www.youtube.com/watch?v=abc' },
    {
      device: 'Android',
      link: 'intent://www.youtube.com/watch?v=abc#Intent;scheme=https;package=com.google.android.youtube;S.browser_fallback_url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3Dabc;end',
    },
  ],
  'powered-by': 'Short-Link Platform',
}

const threeVisits = {
  uniqueclicks: 2,
  topCountries: { Kenya: 1, Japan: 2 },
  topReferrers: { 'facebook.com': 1, Direct: 2 },
  topBrowsers: { Safari: 2, Chrome: 1 },
  topOs: { iOS: 2, Android: 1 },
}

/** What a sandbox holds for the table. */
export const seed: SandboxSeed = {
  account,
  domains: [one, two],
  overlays,
  campaigns: [
    { name: 'Spring', slug: 'spring', public: true, links: [1] },
    { name: 'Summer', slug: 'summer' },
  ],
  channels: [
    {
      ...news,
      items: [
        { type: 'links', id: 1 },
        { type: 'bio', id: 1 },
        { type: 'qr', id: 2 },
      ],
    },
    { name: 'Empty', color: '#445566' },
  ],
  splash,
  files: [
    { name: 'Price list', filename: 'p.pdf', alias: 'prices', downloads: 4, date: '2025-01-04 09:00:00' },
    {
      name: 'photo.png',
      filename: 'photo.png',
      alias: 'photo',
      domain: 'https://one.example',
      date: '2025-01-05 09:00:00',
    },
  ],
  links: [
    { url: 'https://shop.example/tea', title: 'Tea', alias: 'tea', clicks: 5, date: '2025-01-06 09:00:00' },
    {
      url: 'https://shop.example/map',
      title: 'Map',
      description: 'Where we are',
      alias: 'map',
      clicks: 3,
      ...threeVisits,
      expiry: '2026-01-01 00:00:00',
      geotarget: [{ location: 'Japan', link: 'https://shop.example/jp' }],
      devicetarget: [{ device: 'iPhone', link: 'https://shop.example/ios' }],
      date: '2025-01-07 09:00:00',
    },
  ],
  bios: [{ title: 'Ann', alias: 'ann', date: '2025-01-08 09:00:00' }],
  pixels,
  qrs: [
    { name: 'Poster', alias: 'poster', date: '2025-01-11 09:00:00' },
    { name: 'Flyer', alias: 'flyer', date: '2025-01-12 09:00:00', scans: 3, ...threeVisits },
  ],
  openerLinks: [],
}

const referenceCalls = {
  'account.get': {
    call: (c) => c.account.get(),
    request: 'GET /account',
    wire: { error: 0, data: account },
    read: account,
    type: types.account,
    fieldNote: {
      wire: {
        error: '0',
        data: {
          id: '1',
          email: 'owner@shop.example',
          username: 'owner',
          avatar: '',
          status: 'gratis-für-immer',
          expires: null,
          registered: '2026-11-10 18:01:43',
          planid: '3',
        },
      },
      read: {
        id: 1,
        email: 'owner@shop.example',
        username: 'owner',
        avatar: null,
        status: 'gratis-für-immer',
        expires: null,
        registered: '2026-11-10 18:01:43',
        planid: '3',
      },
    },
  },
  'account.update': {
    call: (c) => c.account.update({ email: 'new@shop.example', password: 'correct "horse"' }),
    request: 'PUT /account/update',
    body: '{"email":"new@shop.example","password":"correct \\"horse\\""}',
    ...done('Account has been successfully updated.'),
    fieldNote: notedAction('Das Konto wurde geändert.'),
  },
  'domains.list': {
    call: (c) => c.domains.list({ limit: 15, page: 1 }),
    request: 'GET /domains?limit=15&page=1',
    ...list(
      'domains',
      types.domain,
      [one, { ...two, redirectroot: '', redirect404: '' }],
      [one, { ...two, redirectroot: null, redirect404: null }],
    ),
    fieldNote: {
      wire: {
        error: false,
        data: {
          ...notedNumbers,
          domains: withGaps(
            { id: '1', domain: 'https://go.example', redirectroot: '', redirect404: null },
            { id: 4, domain: 'https://to.example', verified: '1' },
          ),
        },
      },
      read: notedPage(
        { id: 1, domain: 'https://go.example', redirectroot: null, redirect404: null },
        { id: 4, domain: 'https://to.example', redirectroot: null, redirect404: null, verified: '1' },
      ),
    },
  },
  'domains.create': {
    call: (c) =>
      c.domains.create({
        domain: 'https://go.example',
        redirectroot: 'https://shop.example',
        redirect404: 'https://shop.example/404',
      }),
    request: 'POST /domain/add',
    body: '{"domain":"https://go.example","redirectroot":"https://shop.example","redirect404":"https://shop.example/404"}',
    ...created,
    fieldNote: { wire: { error: '0', id: '12' }, read: { id: 12 } },
  },
  'domains.update': {
    call: (c) => c.domains.update(2, { redirectroot: 'https://shop.example', redirect404: '' }),
    request: 'PUT /domain/2/update',
    body: '{"redirectroot":"https://shop.example","redirect404":""}',
    ...done('Domain has been updated successfully.'),
    fieldNote: notedAction(),
  },
  'domains.delete': {
    call: (c) => c.domains.delete(2),
    request: 'DELETE /domain/2/delete',
    ...done('Domain has been deleted successfully.'),
    fieldNote: notedAction(),
  },
  'overlays.list': {
    call: (c) => c.overlays.list({ limit: 15 }),
    request: 'GET /overlay?limit=15',
    ...list('cta', types.overlay, overlays),
    fieldNote: {
      wire: {
        data: {
          ...notedNumbers,
          overlay: [
            { id: '1', type: 'message', name: 'Promo', date: '2026-11-10 18:00:00' },
            { id: '2', type: 'countdown', name: 'Ends soon', date: '2026-11-10 18:10:00' },
          ],
        },
      },
      read: notedPage(
        { id: 1, type: 'message', name: 'Promo', date: '2026-11-10 18:00:00' },
        { id: 2, type: 'countdown', name: 'Ends soon', date: '2026-11-10 18:10:00' },
      ),
    },
  },
  'campaigns.list': {
    call: (c) => c.campaigns.list({ limit: 15 }),
    request: 'GET /campaigns?limit=15',
    // Some rows have their name under `name`, others under `domain`.
    ...list(
      'campaigns',
      types.campaign,
      [spring, { ...summer, domain: 'Summer' }],
      [spring, { ...summer, name: 'Summer' }],
    ),
    fieldNote: {
      wire: {
        error: 0,
        data: {
          ...notedNumbers,
          campaigns: [
            {
              id: '1',
              name: 'Spring',
              public: '1',
              rotator: 'https://sho.rt/r/spring',
              list: 'https://sho.rt/u/1',
              views: '88',
            },
            { id: 2, domain: 'Facebook', public: 0, rotator: false, list: 'https://sho.rt/u/2', views: 0 },
          ],
        },
      },
      read: notedPage(
        {
          id: 1,
          name: 'Spring',
          public: true,
          rotator: 'https://sho.rt/r/spring',
          list: 'https://sho.rt/u/1',
          views: '88',
        },
        { id: 2, name: 'Facebook', public: false, rotator: false, list: 'https://sho.rt/u/2', views: 0 },
      ),
    },
  },
  'campaigns.create': {
    call: (c) => c.campaigns.create({ name: 'Autumn', slug: 'autumn', public: true }),
    request: 'POST /campaign/add',
    body: '{"name":"Autumn","slug":"autumn","public":true}',
    ...campaign(autumn, 'Autumn'),
    fieldNote: {
      wire: { error: 0, id: '3', campaign: 'Neu', public: '0', rotator: '', list: 'https://sho.rt/u/owner/neu-3' },
      read: { id: 3, name: 'Neu', public: false, rotator: false, list: 'https://sho.rt/u/owner/neu-3' },
    },
  },
  'campaigns.assignLink': {
    call: (c) => c.campaigns.assignLink(2, 1),
    request: 'POST /campaign/2/assign/1',
    ...done('Link successfully added to the campaign.'),
    fieldNote: notedAction(),
  },
  'campaigns.update': {
    call: (c) => c.campaigns.update(1, { name: 'Spring sale', slug: 'spring', public: false }),
    request: 'PUT /campaign/1/update',
    body: '{"name":"Spring sale","slug":"spring","public":false}',
    ...campaign(springSale, 'Spring sale'),
    fieldNote: {
      wire: { error: 0, id: 3, campaign: 'Neu', public: 1, rotator: null, list: 'https://sho.rt/u/owner/neu-3' },
      read: { id: 3, name: 'Neu', public: true, rotator: false, list: 'https://sho.rt/u/owner/neu-3' },
    },
  },
  'campaigns.delete': {
    call: (c) => c.campaigns.delete(1),
    request: 'DELETE /campaign/1/delete',
    ...done('Campaign has been deleted successfully.'),
    fieldNote: notedAction('La campagne a été supprimée.'),
  },
  'channels.list': {
    call: (c) => c.channels.list({ limit: 15, page: 1 }),
    request: 'GET /channels?limit=15&page=1',
    ...list('channels', types.channel, [news, empty], [news, { ...empty, description: null }]),
    fieldNote: {
      wire: {
        error: '0',
        data: {
          ...notedNumbers,
          channels: withGaps(
            { id: '1', name: '2026', description: '', color: null, starred: '1' },
            { id: '2', name: 'News', description: 'What is new', color: '#ff0000', starred: '0' },
          ),
        },
      },
      read: notedPage(
        { id: 1, name: '2026', description: null, color: null, starred: true },
        { id: 2, name: 'News', description: 'What is new', color: '#ff0000', starred: false },
      ),
    },
  },
  'channels.items': {
    call: (c) => c.channels.items(1, { limit: 15, page: 1 }),
    request: 'GET /channel/1?limit=15&page=1',
    ...list('items', types.channelItem, channelItems),
    fieldNote: {
      wire: {
        error: '0',
        data: {
          ...notedNumbers,
          items: [
            { type: 'links', id: '7', title: null, preview: '', link: 'https://sho.rt/a', date: '2026-05-12' },
            { type: 'gallery', id: 7, title: 2026, link: 'https://sho.rt/b', date: '2026-05-13' },
          ],
        },
      },
      read: notedPage(
        { type: 'links', id: 7, title: null, preview: null, link: 'https://sho.rt/a', date: '2026-05-12' },
        { type: 'gallery', id: 7, title: '2026', preview: null, link: 'https://sho.rt/b', date: '2026-05-13' },
      ),
    },
  },
  'channels.create': {
    call: (c) => c.channels.create({ name: 'Shop', description: 'Offers', color: '#AABBCC', starred: true }),
    request: 'POST /channel/add',
    body: '{"name":"Shop","description":"Offers","color":"#AABBCC","starred":true}',
    ...beside(shop, types.createdChannel),
    fieldNote: {
      wire: { error: '0', id: '3', name: 'News', description: null, color: '', starred: 0 },
      read: { id: 3, name: 'News', description: null, color: null, starred: false },
    },
  },
  'channels.assignItem': {
    call: (c) => c.channels.assignItem(2, 'bio', 1),
    request: 'POST /channel/2/assign/bio/1',
    ...done('Item successfully added to the channel.'),
    fieldNote: notedAction(),
  },
  'channels.update': {
    call: (c) => c.channels.update(1, { name: 'News', description: '', color: null, starred: false }),
    request: 'PUT /channel/1/update',
    body: '{"name":"News","description":"","color":null,"starred":false}',
    ...done('Channel has been updated successfully.'),
    fieldNote: {
      // The whole channel, and no message.
      wire: { error: 0, id: 3, name: 'News', description: '', color: '#3366FF', starred: '1' },
      read: { message: '', id: 3, name: 'News', description: '', color: '#3366FF', starred: '1' },
    },
  },
  'channels.delete': {
    call: (c) => c.channels.delete(1),
    request: 'DELETE /channel/1/delete',
    ...done('Channel has been deleted successfully.'),
    fieldNote: notedAction(),
  },
  'splash.list': {
    call: (c) => c.splash.list({ limit: 15 }),
    request: 'GET /splash?limit=15',
    ...list('splash', types.splash, splash),
    fieldNote: {
      // An empty list.
      wire: {
        error: 0,
        data: { result: '0', perpage: '15', currentpage: '1', nextpage: null, maxpage: '0', splash: [] },
      },
      read: { items: [], result: 0, perpage: 15, currentpage: 1, nextpage: null, maxpage: 0 },
    },
  },
  'files.list': {
    call: (c) => c.files.list({ name: 'Price list', limit: 15, page: 1 }),
    request: 'GET /files?name=Price%20list&limit=15&page=1',
    // The only list whose page is beside `error`.
    wire: { error: '0', ...onePage(1), list: [prices] },
    read: { ...onePage(1), items: [prices] },
    type: types.pageOf(types.file),
    fieldNote: {
      wire: {
        error: '0',
        ...notedNumbers,
        list: withGaps(
          {
            id: '1',
            name: 'Ünïcode 文件.pdf',
            downloads: '10',
            shorturl: 'https://sho.rt/J',
            date: '2026-08-09 17:00:00',
          },
          { id: 3, name: '', downloads: 0, shorturl: 'https://sho.rt/h', date: '2026-08-11 19:01:00', size: 12 },
        ),
      },
      read: notedPage(
        { id: 1, name: 'Ünïcode 文件.pdf', downloads: 10, shorturl: 'https://sho.rt/J', date: '2026-08-09 17:00:00' },
        { id: 3, name: '', downloads: 0, shorturl: 'https://sho.rt/h', date: '2026-08-11 19:01:00', size: 12 },
      ),
    },
  },
  'files.upload': {
    call: (c) =>
      c.files.upload('menu & prices é.pdf', new Blob([bytes]), {
        name: 'Tea & Co',
        custom: 'tea?',
        domain: 'https://one.example',
        password: 'p w',
        expiry: '2025-12-31',
        maxdownloads: 10,
      }),
    request:
      'POST /files/upload/menu%20%26%20prices%20%C3%A9.pdf?name=Tea%20%26%20Co&custom=tea%3F&domain=https%3A%2F%2Fone.example&password=p%20w&expiry=2025-12-31&maxdownloads=10',
    body: bytes,
    ...beside({ id: 3, shorturl: 'https://one.example/tea%3F' }, types.shortened),
    fieldNote: {
      // The id under the key "1".
      wire: { error: 0, '0': 'id', '1': '123', shorturl: 'https://sho.rt/DkWhy' },
      read: { '0': 'id', id: 123, shorturl: 'https://sho.rt/DkWhy' },
    },
  },
  'pixels.list': {
    call: (c) => c.pixels.list({ limit: 15 }),
    request: 'GET /pixels?limit=15',
    ...list('pixels', types.pixel, pixels),
    fieldNote: {
      wire: {
        error: 0,
        data: {
          ...notedNumbers,
          pixels: [
            { id: '1', type: 'tiktok', name: 'Shop', tag: 1234567, date: '2026-11-10 18:00:00' },
            { id: '2', type: 'tomorrowpixel', name: 'New one', tag: 'T-1', date: '2026-11-10 18:10:00' },
          ],
        },
      },
      read: notedPage(
        { id: 1, type: 'tiktok', name: 'Shop', tag: '1234567', date: '2026-11-10 18:00:00' },
        { id: 2, type: 'tomorrowpixel', name: 'New one', tag: 'T-1', date: '2026-11-10 18:10:00' },
      ),
    },
  },
  'pixels.create': {
    call: (c) => c.pixels.create({ type: 'gtmpixel', name: 'GTM', tag: 'GA-123456789' }),
    request: 'POST /pixel/add',
    body: '{"type":"gtmpixel","name":"GTM","tag":"GA-123456789"}',
    ...created,
    fieldNote: { wire: { id: '5' }, read: { id: 5 } },
  },
  'pixels.update': {
    call: (c) => c.pixels.update(1, { name: 'GTM', tag: 'GA-1' }),
    request: 'PUT /pixel/1/update',
    body: '{"name":"GTM","tag":"GA-1"}',
    ...done('Pixel has been updated successfully.'),
    fieldNote: notedAction(),
  },
  'pixels.delete': {
    call: (c) => c.pixels.delete(1),
    request: 'DELETE /pixel/1/delete',
    ...done('Pixel has been deleted successfully.'),
    fieldNote: notedAction('Пиксель удалён.'),
  },
  'qr.list': {
    call: (c) => c.qr.list({ limit: 15 }),
    request: 'GET /qr?limit=15',
    ...list('qrs', types.qrCode, [poster, flyer]),
    fieldNote: {
      wire: {
        error: 0,
        data: {
          ...notedNumbers,
          qrs: [
            { id: '2', link: 'https://sho.rt/qr/a', scans: '0', name: null, date: '2026-11-10 18:01:43' },
            {
              id: 1,
              link: 'https://sho.rt/qr/b',
              scans: '5',
              name: 'Poster',
              date: '2026-11-10 18:00:25',
              type: 'crypto',
            },
          ],
        },
      },
      read: notedPage(
        { id: 2, link: 'https://sho.rt/qr/a', scans: 0, name: '', date: '2026-11-10 18:01:43' },
        { id: 1, link: 'https://sho.rt/qr/b', scans: 5, name: 'Poster', date: '2026-11-10 18:00:25', type: 'crypto' },
      ),
    },
  },
  'qr.get': {
    call: (c) => c.qr.get(2),
    request: 'GET /qr/2',
    wire: { error: 0, details: flyer, data: visited },
    read: { details: flyer, data: visitedRead },
    type: types.qrDetails,
    fieldNote: {
      // The date under `data`, empty maps as lists, counts as strings, another network.
      wire: {
        error: 0,
        details: { id: '1', link: 'https://sho.rt/qr/a', scans: '5', name: 'Poster', data: '2026-11-10 18:01:43' },
        data: {
          clicks: '4',
          uniqueClicks: 2,
          topCountries: { Canada: '3', 'Côte d’Ivoire': 1 },
          topReferrers: [],
          topBrowsers: {},
          topOs: null,
          socialCount: { facebook: '1', twitter: '0', linkedin: '9' },
        },
      },
      read: {
        details: { id: 1, link: 'https://sho.rt/qr/a', scans: 5, name: 'Poster', date: '2026-11-10 18:01:43' },
        data: {
          clicks: 4,
          uniqueClicks: 2,
          topCountries: { Canada: 3, 'Côte d’Ivoire': 1 },
          topReferrers: {},
          topBrowsers: {},
          topOs: {},
          socialCount: { facebook: 1, twitter: 0, instagram: 0, linkedin: '9' },
        },
      },
    },
  },
  'qr.create': {
    call: (c) =>
      c.qr.create({
        type: 'wifi',
        data: { ssid: 'Tea & Co', hidden: false },
        background: 'rgb(255,255,255)',
        foreground: 'rgb(0, 0, 0)',
        logo: 'https://shop.example/logo.png',
      }),
    request: 'POST /qr/add',
    body: '{"type":"wifi","data":{"ssid":"Tea & Co","hidden":false},"background":"rgb(255,255,255)","foreground":"rgb(0, 0, 0)","logo":"https://shop.example/logo.png"}',
    ...beside({ id: 3, link: 'https://sho.rt/q1ibx' }, types.createdQrCode),
    fieldNote: {
      wire: { error: '0', id: '3', link: 'https://sho.rt/qr/c' },
      read: { id: 3, link: 'https://sho.rt/qr/c' },
    },
  },
  'qr.update': {
    call: (c) => c.qr.update(1, { data: ['https://shop.example', 'ü'], background: 'rgb(0,0,255)' }),
    request: 'PUT /qr/1/update',
    body: '{"data":["https://shop.example","ü"],"background":"rgb(0,0,255)"}',
    ...done('QR has been updated successfully.'),
    fieldNote: notedAction(),
  },
  'qr.delete': {
    call: (c) => c.qr.delete(1),
    request: 'DELETE /qr/1/delete',
    ...done('QR Code has been deleted successfully.'),
    fieldNote: notedAction(),
  },
  'opener.create': {
    call: (c) => c.opener.create({ url: 'https://www.youtube.com/watch?v=abc', status: 'public' }),
    request: 'OPENER POST /v3/api',
    body: '{"url":"https://www.youtube.com/watch?v=abc","status":"public"}',
    // The reference shows the link object without an `error`.
    wire: opened,
    read: opened,
    type: types.openerLink,
    fieldNote: {
      wire: {
        error: '0',
        id: '7',
        shorturl: 'https://opener.example/yt/abc',
        status: 'unlisted',
        provider: 'YouTube',
        domain: 'https://opener.example',
        devicetarget: withGaps(
          { device: 'iPhone', link: 'youtube://watch?v=1' },
          { device: 'Watch', link: 'youtube://watch?v=1', since: 2026 },
        ),
      },
      read: {
        id: 7,
        shorturl: 'https://opener.example/yt/abc',
        status: 'unlisted',
        provider: 'YouTube',
        domain: 'https://opener.example',
        devicetarget: [
          { device: 'iPhone', link: 'youtube://watch?v=1' },
          { device: 'Watch', link: 'youtube://watch?v=1', since: 2026 },
        ],
        'powered-by': '',
      },
    },
  },
} satisfies Record<string, Call & Required<Pick<Call, 'fieldNote'>>>

/** The calls of links, which the reference does not document. */
const linkCalls = {
  'links.list': {
    call: (c) => c.links.list({ limit: 15, page: 1, order: 'date' }),
    request: 'GET /urls?limit=15&page=1&order=date',
    ...list('urls', types.link, [map, tea], [map, { ...tea, description: null }]),
  },
  'links.get': {
    call: (c) => c.links.get('2'),
    request: 'GET /url/2',
    wire: { error: 0, id: 2, details: mapDetails, data: visited },
    read: {
      id: 2,
      details: mapDetails,
      data: { ...visitedRead, socialCount: { ...visited.socialCount, google: 0 } },
    },
    type: types.linkDetails,
  },
  'links.find': {
    call: (c) => c.links.find('https://sho.rt/tea'),
    request: 'GET /urls?short=https%3A%2F%2Fsho.rt%2Ftea',
    wire: singleTea,
    read: {
      ...teaDetails,
      alias: 'tea',
      description: null,
      clicks: 5,
      uniqueclicks: 0,
      domain: null,
      campaign: null,
      channel: null,
    },
    type: types.link,
  },
  'links.create': {
    call: (c) => c.links.create(newLink),
    request: 'POST /url/add',
    body: JSON.stringify(newLink),
    ...beside({ id: 3, shorturl: 'https://one.example/new' }, types.shortened),
  },
  'links.update': {
    call: (c) => c.links.update(1, { url: 'https://shop.example/other', custom: 'tee', expiry: '', type: 4 }),
    request: 'PUT /url/1/update',
    body: '{"url":"https://shop.example/other","custom":"tee","expiry":"","type":4}',
    ...beside({ id: 1, shorturl: 'https://sho.rt/tee' }, types.shortened),
  },
  'links.delete': {
    call: (c) => c.links.delete(1),
    request: 'DELETE /url/1/delete',
    ...done('Link has been deleted successfully.'),
  },
} satisfies Record<`links.${string}`, Call>

export const calls = { ...referenceCalls, ...linkCalls }

/** The names of the calls, as a program writes them. */
export type CallName = keyof typeof calls

/** The calls with their names, for tests that take them one by one. */
export const rows: readonly (readonly [name: CallName, row: Call])[] = Object.entries(calls) as [CallName, Call][]
