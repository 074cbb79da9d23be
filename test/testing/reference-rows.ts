import { calls, rows as documented, map, opened, poster, prices, singleTea, unvisited } from '../calls.ts'

/** A request and its complete response, written by hand from the reference. */
export interface Row {
  /** The method and path. A request to the app opener starts with `OPENER`. */
  request: string
  /** The body: JSON, or bytes for an upload. */
  body?: unknown
  key?: string | null
  /** Content-Type, if it is not JSON. */
  type?: string
  status?: number
  answer: unknown
}

const bytes = new Uint8Array([0, 1, 2, 254, 255])
const url = 'https://a.example'
const youTube = 'https://www.youtube.com/watch?v=abc'

/** The calls in the table of calls. The reference uses no key for the app opener. */
const everyCall = documented.map(([, { request, body, wire }]): Row => {
  const sent = body && (request.includes('/upload/') ? new TextEncoder().encode(body) : JSON.parse(body))
  return { request, ...(body && { body: sent }), ...(request.startsWith('OPENER') && { key: null }), answer: wire }
})

/** Returns the numbers of a page with one of two rows. */
const pageNumbers = (numbers: object) => ({
  result: 2,
  perpage: 1,
  currentpage: 1,
  nextpage: 2,
  maxpage: 2,
  ...numbers,
})
const none = { result: 0, perpage: 15, nextpage: null, maxpage: 1 }
const askUs = { id: 2, type: 'contact', name: 'Ask us', date: '2025-01-02 09:00:00' }

/** The same calls with other parameters. */
const variants: Row[] = [
  {
    request: 'GET /overlay?limit=1&page=2',
    answer: { error: '0', data: { ...pageNumbers({ currentpage: 2, nextpage: null }), cta: [askUs] } },
  },
  { request: 'GET /files?limit=1', answer: { error: '0', ...pageNumbers({}), list: [prices] } },
  { request: 'GET /urls?order=date&limit=1', answer: { error: '0', data: { ...pageNumbers({}), urls: [map] } } },
  { request: 'GET /channel/2', answer: { error: '0', data: { ...pageNumbers(none), items: [] } } },
  { request: 'GET /files?name=pRICE', answer: calls['files.list'].wire },
  { request: 'GET /qr/1', answer: { error: 0, details: poster, data: unvisited } },
  { request: 'GET /url/1', answer: singleTea },
  ...['https://sho.rt/tea', 'sho.rt/tea'].map((short) => ({
    request: `GET /urls?short=${encodeURIComponent(short)}`,
    answer: singleTea,
  })),
  ...['links', 'qr'].map((type) => ({
    request: `POST /channel/2/assign/${type}/1`,
    answer: calls['channels.assignItem'].wire,
  })),
  ...'gapixel fbpixel adwordspixel linkedinpixel twitterpixel adrollpixel quorapixel pinterest bing snapchat reddit tiktok'
    .split(' ')
    .map((type) => ({
      request: 'POST /pixel/add',
      body: { type, name: 'New', tag: 'NEW' },
      answer: { error: 0, id: 3 },
    })),
  ...'text vcard link email phone sms'.split(' ').map((type) => ({
    request: 'POST /qr/add',
    body: { type, data: 'hello' },
    answer: calls['qr.create'].wire,
  })),
  {
    request: 'PUT /domain/2/update',
    body: { redirectroot: null, redirect404: '' },
    answer: calls['domains.update'].wire,
  },
  {
    request: 'POST /files/upload/tea%20%2Fx.pdf?custom=x',
    body: bytes,
    answer: { error: 0, id: 3, shorturl: 'https://sho.rt/x' },
  },
  {
    request: 'OPENER POST /v3/api',
    body: { url: youTube },
    key: null,
    answer: { ...opened, status: 'private' },
  },
]

type Refusal = readonly [request: string, message: string, body?: unknown]

/** Requests that the platform refuses with 400. */
const invalid: Refusal[] = [
  ['PUT /account/update', 'The parameter email must be an e-mail address.', { email: 'nobody' }],
  ['POST /domain/add', 'The parameter domain is required.', { redirect404: url }],
  ['POST /domain/add', 'The parameter domain must be an address with http or https.', { domain: 'new.example' }],
  ['POST /domain/add', 'That domain is taken.', { domain: 'https://one.example' }],
  ['POST /domain/add', 'The domain must point to the service first.', { domain: 'https://no.invalid' }],
  ['POST /campaign/add', 'That slug is taken. Please choose another one.', { slug: 'spring' }],
  ['POST /campaign/add', 'The parameter public must be true or false.', { public: 'yes' }],
  ['PUT /campaign/1/update', 'The parameter name is required.', { slug: 'x' }],
  ['PUT /campaign/1/update', 'That slug is taken. Please choose another one.', { name: 'x', slug: 'summer' }],
  ['POST /channel/add', 'The parameter name is required.', { color: '#112233' }],
  ['POST /channel/add', 'The parameter color must be a color such as #RRGGBB.', { name: 'x', color: 'red' }],
  ['POST /channel/add', 'There is a channel with that name.', { name: 'News' }],
  ['POST /channel/add', 'The body must be a JSON object.', [1]],
  ['POST /channel/1/assign/files/1', 'The parameter type must be one of: links, bio, qr.'],
  ['POST /files/upload/a.txt?custom=prices', 'That alias is taken. Please choose another one.', bytes],
  ['POST /files/upload/a.txt?expiry=tomorrow', 'The parameter expiry must be a date such as YYYY-MM-DD.', bytes],
  ['POST /files/upload/a.txt?maxdownloads=some', 'The parameter maxdownloads must be a number.', bytes],
  ['POST /url/add', 'The parameter url is required.', {}],
  ['POST /url/add', 'The parameter url must be an address with its scheme.', { url: 'shop' }],
  ['POST /url/add', 'That alias is taken. Please choose another one.', { url, custom: 'poster' }],
  [
    'POST /url/add',
    'The parameter expiry must be a time such as YYYY-MM-DD HH:MM:SS.',
    { url, expiry: '1 January 2026' },
  ],
  [
    'POST /url/add',
    'The parameter geotarget must be a list of objects with location and link.',
    { url, geotarget: [{ location: 'Kenya' }] },
  ],
  ['POST /url/add', 'The parameter pixels must be a list of ids.', { url, pixels: 1 }],
  ['PUT /url/1/update', 'That alias is taken. Please choose another one.', { custom: 'map' }],
  ['POST /pixel/add', 'The parameter tag is required.', { type: 'bing', name: 'x' }],
  ['POST /pixel/add', 'The parameter name is required.', { type: 'bing', tag: 'x' }],
  ['POST /pixel/add', 'The parameter type is required.', { name: 'x', tag: 'x' }],
  ['POST /pixel/add', 'There is a pixel with that tag.', { type: 'fbpixel', name: 'x', tag: 'FB-2' }],
  ['PUT /pixel/1/update', 'The parameter tag is required.', { name: 'x' }],
  ['POST /qr/add', 'The parameter data is required.', { type: 'text' }],
  ['POST /qr/add', 'The parameter type is required.', { data: 'x' }],
  [
    'POST /qr/add',
    'The parameter background must be a color such as rgb(R,G,B).',
    { type: 'text', data: 'x', background: '#fff' },
  ],
  ['PUT /qr/1/update', 'The parameter data is required.', { logo: 'x' }],
]

/** Requests for resources that do not exist, which get 404. */
const missing: Refusal[] = [
  ['PUT /domain/9/update', 'Domain does not exist.', {}],
  ['DELETE /domain/9/delete', 'Domain does not exist.'],
  ['POST /campaign/9/assign/1', 'Campaign does not exist.'],
  ['POST /campaign/1/assign/9', 'Link does not exist.'],
  ['PUT /campaign/9/update', 'Campaign does not exist.', { name: 'x' }],
  ['DELETE /campaign/9/delete', 'Campaign does not exist.'],
  ['GET /channel/9', 'Channel does not exist.'],
  ['POST /channel/1/assign/bio/9', 'Item does not exist.'],
  ['PUT /channel/9/update', 'Channel does not exist.', {}],
  ['DELETE /channel/9/delete', 'Channel does not exist.'],
  ['GET /urls?short=poster', 'Link does not exist.'],
  ['GET /url/9', 'Link does not exist.'],
  ['POST /url/add', 'Campaign does not exist.', { url, campaign: 9 }],
  ['PUT /url/9/update', 'Link does not exist.', { title: 'x' }],
  ['DELETE /url/9/delete', 'Link does not exist.'],
  ['PUT /pixel/9/update', 'Pixel does not exist.', { tag: 'x' }],
  ['DELETE /pixel/9/delete', 'Pixel does not exist.'],
  ['GET /qr/9', 'QR code does not exist.'],
  ['PUT /qr/9/update', 'QR does not exist.', { data: 'x' }],
  ['DELETE /qr/9/delete', 'QR Code does not exist.'],
  ['GET /nowhere', 'There is nothing at this path.'],
]

const refusal = (status: number, [request, message, body]: Refusal): Row => ({
  request,
  ...(body !== undefined && { body }),
  status,
  answer: { error: 1, message },
})

/** Errors of the app opener, which sends some of its messages in `error`. */
const openerRefusals: Row[] = [
  ...[{}, { url: '' }, { url: 'www.youtube.com' }, { url: 7 }].map((body) => ({
    request: 'OPENER POST /v3/api',
    body,
    status: 400,
    answer: { error: 'url is required & must be a valid URL' },
  })),
  ...['GET', 'DELETE'].map((method) => ({
    request: `OPENER ${method} /v3/api`,
    status: 405,
    answer: { error: 'Method not allowed. Use POST' },
  })),
  refusal(400, ['OPENER POST /v3/api', 'URL parameter is missing']),
  refusal(400, [
    'OPENER POST /v3/api',
    'The parameter status must be one of: public, private.',
    { url: youTube, status: 'secret' },
  ]),
  refusal(400, ['OPENER POST /v3/api', 'This URL belongs to no supported app.', { url: 'https://shop.example' }]),
].map((row) => ({ ...row, key: null }))

const noKey = 'A valid API key is required to use this service.'

export const rows: Row[] = [
  ...everyCall,
  ...variants,
  ...invalid.map((row) => refusal(400, row)),
  ...missing.map((row) => refusal(404, row)),
  refusal(405, ['DELETE /campaign/add', 'This path does not take DELETE.']),
  { ...refusal(401, ['GET /account', noKey]), key: null },
  { ...refusal(401, ['GET /account', noKey]), key: 'WRONG' },
  {
    ...refusal(400, ['POST /channel/add', 'Every request must carry Content-Type: application/json.', { name: 'x' }]),
    type: 'text/plain',
  },
  ...openerRefusals,
]
