import type { SandboxSeed, Visit } from 'shortlink-sdk/testing'

/** One request and the whole answer to it, written by hand from the reference. */
export interface Row {
  /** Section of the reference; links are outside it. */
  section: string
  request: string
  /** The body: JSON, or bytes for an upload. */
  body?: unknown
  key?: string | null
  /** Content-Type, where it is not JSON. */
  type?: string
  status?: number
  answer: unknown
}

export const now = Date.UTC(2025, 5, 1, 12)
export const key = 'KEY-OF-THE-TESTS'

const threeVisits: Visit[] = [
  { visitor: 'a', country: 'Japan', referrer: 'facebook.com', browser: 'Safari', os: 'iOS' },
  { visitor: 'a', country: 'Japan', referrer: 'Direct', browser: 'Safari', os: 'iOS' },
  { visitor: 'b', country: 'Kenya', referrer: 'Direct', browser: 'Chrome', os: 'Android' },
]

export const seed: SandboxSeed = {
  account: {
    id: 7,
    email: 'ann@shop.example',
    username: 'ann',
    avatar: 'https://shop.example/ann.png',
    status: 'pro',
    expires: '2026-01-01 00:00:00',
    registered: '2024-01-01 10:00:00',
  },
  domains: [
    { domain: 'https://one.example', redirectroot: 'https://shop.example', redirect404: 'https://shop.example/404' },
    { domain: 'http://two.example' },
  ],
  overlays: [
    { type: 'message', name: 'Hello', date: '2025-01-01 09:00:00' },
    { type: 'contact', name: 'Ask us', date: '2025-01-02 09:00:00' },
  ],
  campaigns: [
    { name: 'Spring', slug: 'spring', public: true, links: [1] },
    { name: 'Summer', slug: 'summer' },
  ],
  channels: [
    {
      name: 'News',
      description: 'All news',
      color: '#112233',
      starred: true,
      items: [
        { type: 'links', id: 1 },
        { type: 'bio', id: 1 },
        { type: 'qr', id: 2 },
      ],
    },
    { name: 'Empty', color: '#445566' },
  ],
  splash: [{ name: 'Welcome', date: '2025-01-03 09:00:00' }],
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
      visits: threeVisits,
      expiry: '2026-01-01 00:00:00',
      geotarget: [{ location: 'Japan', link: 'https://shop.example/jp' }],
      devicetarget: [{ device: 'iPhone', link: 'https://shop.example/ios' }],
      date: '2025-01-07 09:00:00',
    },
  ],
  bios: [{ title: 'Ann', alias: 'ann', date: '2025-01-08 09:00:00' }],
  pixels: [
    { type: 'gtmpixel', name: 'Tags', tag: 'GTM-1', date: '2025-01-09 09:00:00' },
    { type: 'fbpixel', name: 'Ads', tag: 'FB-2', date: '2025-01-10 09:00:00' },
  ],
  qrs: [
    { name: 'Poster', alias: 'poster', date: '2025-01-11 09:00:00' },
    {
      name: 'Flyer',
      alias: 'flyer',
      date: '2025-01-12 09:00:00',
      scans: threeVisits,
    },
  ],
  openerLinks: [],
}

const onePage = (result: number) => ({ result, perpage: 15, currentpage: 1, nextpage: null, maxpage: 1 })
const done = (section: string, request: string, message: string, body?: unknown): Row => ({
  section,
  request,
  ...(body === undefined ? {} : { body }),
  answer: { error: 0, message },
})

const invalid = (section: string, request: string, message: string, body: unknown): Row => ({
  section,
  request,
  body,
  status: 400,
  answer: { error: 1, message },
})

const missing = (section: string, request: string, message: string, body?: unknown): Row => ({
  section,
  request,
  ...(body === undefined ? {} : { body }),
  status: 404,
  answer: { error: 1, message },
})

const created = (section: string, request: string, body: unknown): Row => ({
  section,
  request,
  body,
  answer: { error: 0, id: 3 },
})

const account: Row[] = [
  {
    section: 'Account',
    request: 'GET /account',
    answer: {
      error: 0,
      data: {
        id: 7,
        email: 'ann@shop.example',
        username: 'ann',
        avatar: 'https://shop.example/ann.png',
        status: 'pro',
        expires: '2026-01-01 00:00:00',
        registered: '2024-01-01 10:00:00',
      },
    },
  },
  done('Account', 'PUT /account/update', 'Account has been successfully updated.', {
    email: 'b@shop.example',
    password: 'x',
  }),
  invalid('Account', 'PUT /account/update', 'The parameter email must be an e-mail address.', { email: 'nobody' }),
]

const domains: Row[] = [
  {
    section: 'Branded domains',
    request: 'GET /domains',
    answer: {
      error: '0',
      data: {
        ...onePage(2),
        domains: [
          {
            id: 1,
            domain: 'https://one.example',
            redirectroot: 'https://shop.example',
            redirect404: 'https://shop.example/404',
          },
          { id: 2, domain: 'http://two.example', redirectroot: '', redirect404: '' },
        ],
      },
    },
  },
  created('Branded domains', 'POST /domain/add', {
    domain: 'https://new.example',
    redirectroot: 'https://shop.example',
  }),
  invalid('Branded domains', 'POST /domain/add', 'The parameter domain is required.', {
    redirect404: 'https://a.example',
  }),
  invalid('Branded domains', 'POST /domain/add', 'The parameter domain must be an address with http or https.', {
    domain: 'new.example',
  }),
  invalid('Branded domains', 'POST /domain/add', 'That domain is taken.', { domain: 'https://one.example' }),
  invalid('Branded domains', 'POST /domain/add', 'The domain must point to the service first.', {
    domain: 'https://no.invalid',
  }),
  done('Branded domains', 'PUT /domain/2/update', 'Domain has been updated successfully.', {
    redirectroot: null,
    redirect404: '',
  }),
  missing('Branded domains', 'PUT /domain/9/update', 'Domain does not exist.', {}),
  done('Branded domains', 'DELETE /domain/1/delete', 'Domain has been deleted successfully.'),
  missing('Branded domains', 'DELETE /domain/9/delete', 'Domain does not exist.'),
]

const overlays: Row[] = [
  {
    section: 'CTA overlays',
    request: 'GET /overlay',
    answer: {
      error: '0',
      data: {
        ...onePage(2),
        cta: [
          { id: 1, type: 'message', name: 'Hello', date: '2025-01-01 09:00:00' },
          { id: 2, type: 'contact', name: 'Ask us', date: '2025-01-02 09:00:00' },
        ],
      },
    },
  },
]

const spring = { id: 1, public: true, rotator: 'https://sho.rt/r/spring', list: 'https://sho.rt/u/ann/list-1' }
const summer = { id: 2, public: false, rotator: false, list: 'https://sho.rt/u/ann/list-2' }

const campaigns: Row[] = [
  {
    section: 'Campaigns',
    request: 'GET /campaigns',
    answer: {
      error: '0',
      data: {
        ...onePage(2),
        campaigns: [
          { ...spring, name: 'Spring' },
          { ...summer, domain: 'Summer' },
        ],
      },
    },
  },
  {
    section: 'Campaigns',
    request: 'POST /campaign/add',
    body: { name: 'Autumn', slug: 'autumn', public: true },
    answer: {
      error: 0,
      id: 3,
      domain: 'Autumn',
      public: true,
      rotator: 'https://sho.rt/r/autumn',
      list: 'https://sho.rt/u/ann/list-3',
    },
  },
  invalid('Campaigns', 'POST /campaign/add', 'That slug is taken. Please choose another one.', { slug: 'spring' }),
  invalid('Campaigns', 'POST /campaign/add', 'The parameter public must be true or false.', { public: 'yes' }),
  done('Campaigns', 'POST /campaign/2/assign/1', 'Link successfully added to the campaign.'),
  missing('Campaigns', 'POST /campaign/9/assign/1', 'Campaign does not exist.'),
  missing('Campaigns', 'POST /campaign/1/assign/9', 'Link does not exist.'),
  {
    section: 'Campaigns',
    request: 'PUT /campaign/1/update',
    body: { name: 'Spring sale', public: false },
    answer: {
      error: 0,
      id: 1,
      domain: 'Spring sale',
      public: false,
      rotator: false,
      list: 'https://sho.rt/u/ann/list-1',
    },
  },
  invalid('Campaigns', 'PUT /campaign/1/update', 'The parameter name is required.', { slug: 'x' }),
  invalid('Campaigns', 'PUT /campaign/1/update', 'That slug is taken. Please choose another one.', {
    name: 'x',
    slug: 'summer',
  }),
  missing('Campaigns', 'PUT /campaign/9/update', 'Campaign does not exist.', { name: 'x' }),
  done('Campaigns', 'DELETE /campaign/1/delete', 'Campaign has been deleted successfully.'),
  missing('Campaigns', 'DELETE /campaign/9/delete', 'Campaign does not exist.'),
]

const news = { id: 1, name: 'News', description: 'All news', color: '#112233', starred: true }
const link = {
  type: 'links',
  id: 1,
  title: 'Tea',
  preview: 'https://sho.rt/tea/preview',
  link: 'https://sho.rt/tea',
  date: '2025-01-06',
}
const bio = {
  type: 'bio',
  id: 1,
  title: 'Ann',
  preview: 'https://sho.rt/ann/preview',
  link: 'https://sho.rt/ann',
  date: '2025-01-08',
}
const code = {
  type: 'qr',
  id: 2,
  title: 'Flyer',
  preview: 'https://sho.rt/flyer/preview',
  link: 'https://sho.rt/flyer',
  date: '2025-01-12',
}

const channels: Row[] = [
  {
    section: 'Channels',
    request: 'GET /channels',
    answer: {
      error: '0',
      data: {
        ...onePage(2),
        channels: [news, { id: 2, name: 'Empty', description: '', color: '#445566', starred: false }],
      },
    },
  },
  {
    section: 'Channels',
    request: 'GET /channel/1',
    answer: { error: '0', data: { ...onePage(3), items: [link, bio, code] } },
  },
  {
    section: 'Channels',
    request: 'GET /channel/2',
    answer: { error: '0', data: { ...onePage(0), items: [] } },
  },
  missing('Channels', 'GET /channel/9', 'Channel does not exist.'),
  {
    section: 'Channels',
    request: 'POST /channel/add',
    body: { name: 'Shop', description: 'Offers', color: '#AABBCC', starred: true },
    answer: { error: 0, id: 3, name: 'Shop', description: 'Offers', color: '#AABBCC', starred: true },
  },
  invalid('Channels', 'POST /channel/add', 'The parameter name is required.', { color: '#112233' }),
  invalid('Channels', 'POST /channel/add', 'The parameter color must be a colour such as #RRGGBB.', {
    name: 'x',
    color: 'red',
  }),
  invalid('Channels', 'POST /channel/add', 'There is a channel with that name.', { name: 'News' }),
  done('Channels', 'POST /channel/2/assign/links/1', 'Item successfully added to the channel.'),
  done('Channels', 'POST /channel/2/assign/bio/1', 'Item successfully added to the channel.'),
  done('Channels', 'POST /channel/2/assign/qr/1', 'Item successfully added to the channel.'),
  {
    ...invalid(
      'Channels',
      'POST /channel/1/assign/files/1',
      'The parameter type must be one of: links, bio, qr.',
      undefined,
    ),
  },
  missing('Channels', 'POST /channel/1/assign/bio/9', 'Item does not exist.'),
  {
    section: 'Channels',
    request: 'PUT /channel/1/update',
    body: { starred: false, description: '' },
    answer: { error: 0, message: 'Channel has been updated successfully.' },
  },
  missing('Channels', 'PUT /channel/9/update', 'Channel does not exist.', {}),
  done('Channels', 'DELETE /channel/1/delete', 'Channel has been deleted successfully.'),
  missing('Channels', 'DELETE /channel/9/delete', 'Channel does not exist.'),
]

const splash: Row[] = [
  {
    section: 'Custom splash',
    request: 'GET /splash',
    answer: { error: '0', data: { ...onePage(1), splash: [{ id: 1, name: 'Welcome', date: '2025-01-03 09:00:00' }] } },
  },
]

const prices = {
  id: 1,
  name: 'Price list',
  downloads: 4,
  shorturl: 'https://sho.rt/prices',
  date: '2025-01-04 09:00:00',
}
const photo = {
  id: 2,
  name: 'photo.png',
  downloads: 0,
  shorturl: 'https://one.example/photo',
  date: '2025-01-05 09:00:00',
}
const bytes = new Uint8Array([0, 1, 2, 254, 255])

const files: Row[] = [
  {
    section: 'Files',
    request: 'GET /files',
    answer: { error: '0', ...onePage(2), list: [prices, photo] },
  },
  {
    section: 'Files',
    request: 'GET /files?name=pRICE',
    answer: { error: '0', ...onePage(1), list: [prices] },
  },
  {
    section: 'Files',
    request:
      'POST /files/upload/tea%20%26%20%C3%A9%2Fx.pdf?name=Tea&custom=tea%3F&domain=https%3A%2F%2Fone.example&password=p&expiry=2025-12-31&maxdownloads=3',
    body: bytes,
    answer: { error: 0, id: 3, shorturl: 'https://one.example/tea%3F' },
  },
  invalid('Files', 'POST /files/upload/a.txt?custom=prices', 'That alias is taken. Please choose another one.', bytes),
  invalid(
    'Files',
    'POST /files/upload/a.txt?expiry=tomorrow',
    'The parameter expiry must be a date such as YYYY-MM-DD.',
    bytes,
  ),
  invalid('Files', 'POST /files/upload/a.txt?maxdownloads=some', 'The parameter maxdownloads must be a number.', bytes),
]

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
const map = {
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
/** The statistics of the three visits, and of none. */
const visited = {
  clicks: 3,
  uniqueClicks: 2,
  topCountries: { Japan: '2', Kenya: '1' },
  topReferrers: { Direct: '2', 'facebook.com': '1' },
  topBrowsers: { Safari: '2', Chrome: '1' },
  topOs: { iOS: '2', Android: '1' },
  socialCount: { facebook: 1, twitter: 0, instagram: 0 },
}
const unvisited = {
  clicks: 0,
  uniqueClicks: 0,
  topCountries: {},
  topReferrers: {},
  topBrowsers: {},
  topOs: {},
  socialCount: { facebook: 0, twitter: 0, instagram: 0 },
}

const singleTea = {
  error: 0,
  id: 1,
  details: {
    id: 1,
    shorturl: 'https://sho.rt/tea',
    longurl: 'https://shop.example/tea',
    title: 'Tea',
    description: '',
    location: {},
    device: {},
    expiry: null,
    date: '2025-01-06 09:00:00',
  },
  data: { ...unvisited, clicks: 5 },
}
const singleMap = {
  error: 0,
  id: 2,
  details: {
    id: 2,
    shorturl: 'https://sho.rt/map',
    longurl: 'https://shop.example/map',
    title: 'Map',
    description: 'Where we are',
    location: { Japan: 'https://shop.example/jp' },
    device: { iPhone: 'https://shop.example/ios' },
    expiry: '2026-01-01 00:00:00',
    date: '2025-01-07 09:00:00',
  },
  data: visited,
}

const outside = 'Links, outside the reference'
const everyLinkParameter = {
  title: 'New',
  description: 'All of it',
  password: 'p',
  expiry: '2026-01-01 00:00:00',
  type: 'splash',
  status: 'public',
  metatitle: 'T',
  metadescription: 'D',
  metaimage: 'https://shop.example/i.png',
  pixels: [1, '2'],
  channel: 2,
  campaign: '2',
  deeplink: { auto: true, apple: 'https://apps.example/a', google: 'https://apps.example/g' },
  geotarget: [{ location: 'Kenya', link: 'https://shop.example/ke' }],
  devicetarget: [{ device: 'Android', link: 'https://shop.example/android' }],
  languagetarget: [{ language: 'pt', link: 'https://shop.example/pt' }],
  parameters: [{ name: 'utm_source', value: 'news' }],
}

const links: Row[] = [
  { section: outside, request: 'GET /urls', answer: { error: '0', data: { ...onePage(2), urls: [tea, map] } } },
  {
    section: outside,
    request: 'GET /urls?order=date&limit=1',
    answer: {
      error: '0',
      data: { result: 2, perpage: 1, currentpage: 1, nextpage: 2, maxpage: 2, urls: [map] },
    },
  },
  ...['tea', 'https://sho.rt/tea', 'sho.rt/tea'].map(
    (short): Row => ({
      section: outside,
      request: `GET /urls?short=${encodeURIComponent(short)}`,
      answer: singleTea,
    }),
  ),
  missing(outside, 'GET /urls?short=poster', 'Link does not exist.'),
  { section: outside, request: 'GET /url/1', answer: singleTea },
  { section: outside, request: 'GET /url/2', answer: singleMap },
  missing(outside, 'GET /url/9', 'Link does not exist.'),
  {
    section: outside,
    request: 'POST /url/add',
    body: { url: 'https://shop.example/new', custom: 'new', domain: 'https://one.example', ...everyLinkParameter },
    answer: { error: 0, id: 3, shorturl: 'https://one.example/new' },
  },
  invalid(outside, 'POST /url/add', 'The parameter url is required.', {}),
  invalid(outside, 'POST /url/add', 'The parameter url must be an address with http or https.', { url: 'shop' }),
  invalid(outside, 'POST /url/add', 'That alias is taken. Please choose another one.', {
    url: 'https://a.example',
    custom: 'poster',
  }),
  invalid(outside, 'POST /url/add', 'The parameter expiry must be a time such as YYYY-MM-DD HH:MM:SS.', {
    url: 'https://a.example',
    expiry: '1 January 2026',
  }),
  invalid(outside, 'POST /url/add', 'The parameter geotarget must be a list of objects with location and link.', {
    url: 'https://a.example',
    geotarget: [{ location: 'Kenya' }],
  }),
  invalid(outside, 'POST /url/add', 'The parameter pixels must be a list of ids.', {
    url: 'https://a.example',
    pixels: 1,
  }),
  missing(outside, 'POST /url/add', 'Campaign does not exist.', { url: 'https://a.example', campaign: 9 }),
  {
    section: outside,
    request: 'PUT /url/1/update',
    body: { url: 'https://shop.example/other', custom: 'tee', ...everyLinkParameter },
    answer: { error: 0, id: 1, shorturl: 'https://sho.rt/tee' },
  },
  invalid(outside, 'PUT /url/1/update', 'That alias is taken. Please choose another one.', { custom: 'map' }),
  missing(outside, 'PUT /url/9/update', 'Link does not exist.', { title: 'x' }),
  done(outside, 'DELETE /url/1/delete', 'Link has been deleted successfully.'),
  missing(outside, 'DELETE /url/9/delete', 'Link does not exist.'),
]

const pixels: Row[] = [
  {
    section: 'Pixels',
    request: 'GET /pixels',
    answer: {
      error: '0',
      data: {
        ...onePage(2),
        pixels: [
          { id: 1, type: 'gtmpixel', name: 'Tags', tag: 'GTM-1', date: '2025-01-09 09:00:00' },
          { id: 2, type: 'fbpixel', name: 'Ads', tag: 'FB-2', date: '2025-01-10 09:00:00' },
        ],
      },
    },
  },
  ...'gtmpixel gapixel fbpixel adwordspixel linkedinpixel twitterpixel adrollpixel quorapixel pinterest bing snapchat reddit tiktok'
    .split(' ')
    .map((type) => created('Pixels', 'POST /pixel/add', { type, name: 'New', tag: 'NEW' })),
  invalid('Pixels', 'POST /pixel/add', 'The parameter tag is required.', { type: 'bing', name: 'x' }),
  invalid('Pixels', 'POST /pixel/add', 'The parameter name is required.', { type: 'bing', tag: 'x' }),
  invalid('Pixels', 'POST /pixel/add', 'The parameter type is required.', { name: 'x', tag: 'x' }),
  invalid('Pixels', 'POST /pixel/add', 'There is a pixel with that tag.', { type: 'fbpixel', name: 'x', tag: 'FB-2' }),
  done('Pixels', 'PUT /pixel/1/update', 'Pixel has been updated successfully.', { tag: 'GTM-2' }),
  invalid('Pixels', 'PUT /pixel/1/update', 'The parameter tag is required.', { name: 'x' }),
  missing('Pixels', 'PUT /pixel/9/update', 'Pixel does not exist.', { tag: 'x' }),
  done('Pixels', 'DELETE /pixel/1/delete', 'Pixel has been deleted successfully.'),
  missing('Pixels', 'DELETE /pixel/9/delete', 'Pixel does not exist.'),
]

const poster = { id: 1, link: 'https://sho.rt/poster', scans: 0, name: 'Poster', date: '2025-01-11 09:00:00' }
const flyer = { id: 2, link: 'https://sho.rt/flyer', scans: 3, name: 'Flyer', date: '2025-01-12 09:00:00' }

const qr: Row[] = [
  {
    section: 'QR codes',
    request: 'GET /qr',
    answer: { error: '0', data: { ...onePage(2), qrs: [poster, flyer] } },
  },
  {
    section: 'QR codes',
    request: 'GET /qr/2',
    answer: {
      error: 0,
      details: flyer,
      data: visited,
    },
  },
  {
    section: 'QR codes',
    request: 'GET /qr/1',
    answer: {
      error: 0,
      details: poster,
      data: unvisited,
    },
  },
  missing('QR codes', 'GET /qr/9', 'QR code does not exist.'),
  ...'text vcard link email phone sms wifi'.split(' ').map(
    (type, index): Row => ({
      section: 'QR codes',
      request: 'POST /qr/add',
      body: {
        type,
        data: index % 2 ? { name: 'Ann' } : 'hello',
        background: 'rgb(255,255,255)',
        foreground: 'rgb(0, 0, 0)',
      },
      answer: { error: 0, id: 3, link: 'https://sho.rt/q1ibx' },
    }),
  ),
  invalid('QR codes', 'POST /qr/add', 'The parameter data is required.', { type: 'text' }),
  invalid('QR codes', 'POST /qr/add', 'The parameter type is required.', { data: 'x' }),
  invalid('QR codes', 'POST /qr/add', 'The parameter background must be a colour such as rgb(R,G,B).', {
    type: 'text',
    data: 'x',
    background: '#fff',
  }),
  done('QR codes', 'PUT /qr/1/update', 'QR has been updated successfully.', {
    data: 'new',
    logo: 'https://shop.example/logo.png',
  }),
  invalid('QR codes', 'PUT /qr/1/update', 'The parameter data is required.', { logo: 'x' }),
  missing('QR codes', 'PUT /qr/9/update', 'QR code does not exist.', { data: 'x' }),
  done('QR codes', 'DELETE /qr/1/delete', 'QR Code has been deleted successfully.'),
  missing('QR codes', 'DELETE /qr/9/delete', 'QR code does not exist.'),
]

const targets = [
  { device: 'iPhone', link: 'youtube://www.youtube.com/watch?v=abc' },
  { device: 'iPad', link: 'youtube://www.youtube.com/watch?v=abc' },
  {
    device: 'Android',
    link: 'intent://www.youtube.com/watch?v=abc#Intent;scheme=https;package=com.google.android.youtube;S.browser_fallback_url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3Dabc;end',
  },
]
const opened = {
  id: 1,
  shorturl: 'https://opener.example/o163z',
  provider: 'YouTube',
  domain: 'https://opener.example',
  'powered-by': 'Short-Link Platform',
}
const said = (request: string, status: number, answer: object, body?: unknown): Row => ({
  section: 'App-opener endpoint',
  request,
  ...(body === undefined ? {} : { body }),
  key: null,
  status,
  answer,
})
const notAUrl = { error: 'url is required & must be a valid URL' }

const opener: Row[] = [
  {
    section: 'App-opener endpoint',
    request: 'OPENER POST /v3/api',
    body: { url: 'https://www.youtube.com/watch?v=abc' },
    key: null,
    answer: { ...opened, status: 'private', devicetarget: targets },
  },
  {
    section: 'App-opener endpoint',
    request: 'OPENER POST /v3/api',
    body: { url: 'https://www.youtube.com/watch?v=abc', status: 'public' },
    key: null,
    answer: { ...opened, status: 'public', devicetarget: targets },
  },
  said('OPENER POST /v3/api', 400, notAUrl, {}),
  said('OPENER POST /v3/api', 400, notAUrl, { url: '' }),
  said('OPENER POST /v3/api', 400, notAUrl, { url: 'www.youtube.com' }),
  said('OPENER POST /v3/api', 400, notAUrl, { url: 7 }),
  said('OPENER GET /v3/api', 405, { error: 'Method not allowed. Use POST' }),
  said('OPENER DELETE /v3/api', 405, { error: 'Method not allowed. Use POST' }),
  {
    ...said('OPENER POST /v3/api', 400, { error: 1, message: 'URL parameter is missing' }),
  },
  {
    ...invalid('App-opener endpoint', 'OPENER POST /v3/api', 'The parameter status must be one of: public, private.', {
      url: 'https://youtu.be/a',
      status: 'secret',
    }),
    key: null,
  },
  {
    ...invalid('App-opener endpoint', 'OPENER POST /v3/api', 'This URL belongs to no supported app.', {
      url: 'https://shop.example',
    }),
    key: null,
  },
]

const refusedKey = (wrong: string | null): Row => ({
  section: 'Authentication',
  request: 'GET /account',
  key: wrong,
  status: 401,
  answer: { error: 1, message: 'A valid API key is required to use this service.' },
})

const common: Row[] = [
  refusedKey(null),
  refusedKey('WRONG'),
  {
    section: 'Common rules',
    request: 'GET /overlay?limit=1&page=2',
    answer: {
      error: '0',
      data: {
        result: 2,
        perpage: 1,
        currentpage: 2,
        nextpage: null,
        maxpage: 2,
        cta: [{ id: 2, type: 'contact', name: 'Ask us', date: '2025-01-02 09:00:00' }],
      },
    },
  },
  {
    section: 'Pagination envelope',
    request: 'GET /splash?limit=1&page=1',
    answer: {
      error: '0',
      data: {
        result: 1,
        perpage: 1,
        currentpage: 1,
        nextpage: null,
        maxpage: 1,
        splash: [{ id: 1, name: 'Welcome', date: '2025-01-03 09:00:00' }],
      },
    },
  },
  {
    section: 'Pagination envelope',
    request: 'GET /files?limit=1',
    answer: { error: '0', result: 2, perpage: 1, currentpage: 1, nextpage: 2, maxpage: 2, list: [prices] },
  },
  missing('Errors', 'GET /nowhere', 'There is nothing at this path.'),
  {
    section: 'Errors',
    request: 'DELETE /campaign/add',
    status: 405,
    answer: { error: 1, message: 'This path does not take DELETE.' },
  },
  invalid('Common rules', 'POST /channel/add', 'The body must be a JSON object.', [1]),
  {
    ...invalid('Common rules', 'POST /channel/add', 'Every request must carry Content-Type: application/json.', {
      name: 'x',
    }),
    type: 'text/plain',
  },
]

export const rows: Row[] = [
  ...common,
  ...account,
  ...domains,
  ...overlays,
  ...campaigns,
  ...channels,
  ...splash,
  ...files,
  ...links,
  ...pixels,
  ...qr,
  ...opener,
]
