import { InvalidRequestError, type ShortLinkClient } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import { callOptionNames } from '../../../src/client/http/request-options.ts'
import { clientOptionChecks } from '../../../src/client/options.ts'
import { linkCreate } from '../../../src/client/resources/links.ts'
import { findSimilarName } from '../../../src/client/runtime/similar-name.ts'
import { connect } from '../../helpers/client.ts'
import { failure } from '../../helpers/outcome.ts'
import { serve } from '../../helpers/server.ts'

type Call = (client: ShortLinkClient) => PromiseLike<unknown>

const content = new Blob(['a'])
const upload =
  (params: object): Call =>
  (c) =>
    c.files.upload('a.txt', content, params)
const json =
  (a: unknown): Call =>
  (c) =>
    c.request('POST', '/url/add', { json: { a } })

describe('an invalid parameter is refused before anything is sent', () => {
  type Refused = [promise: string, call: Call, path: string, message: RegExp]
  const refused: Refused[] = [
    ['no name', (c) => c.campaigns.update(1, {} as never), 'name', /is missing, expected a string/],
    ['a number for a name', (c) => c.campaigns.create({ name: 5 as never }), 'name', /expected a string, received 5/],
    [
      'a string for a boolean',
      (c) => c.campaigns.create({ public: 'yes' as never }),
      'public',
      /expected true or false/,
    ],
    ['the name of a color', (c) => c.channels.update(1, { color: 'red' }), 'color', /#RRGGBB or #RGB, received "red"/],
    ['a color followed by a line break', (c) => c.channels.update(1, { color: '#ffffff\n' }), 'color', /#RRGGBB/],
    [
      'rgb beyond 255',
      (c) => c.qr.create({ type: 'text', data: 'a', background: 'rgb(0,256,0)' }),
      'background',
      /0 to 255/,
    ],
    [
      'a type of QR code that the reference does not list',
      (c) => c.qr.create({ type: 'url' as never, data: 'a' }),
      'type',
      /expected one of text, vcard, link, email, phone, sms, wifi, received "url"/,
    ],
    [
      'a type of pixel that the reference does not list',
      (c) => c.pixels.create({ type: 'anything' as never, name: 'a', tag: 'b' }),
      'type',
      /expected one of gtmpixel, gapixel, fbpixel, .*, tiktok, received "anything"/,
    ],
    [
      'an empty type',
      (c) => c.qr.create({ type: '' as never, data: 'a' }),
      'type',
      /received an empty string|received ""/,
    ],
    ['empty data of a QR code', (c) => c.qr.create({ type: 'text', data: '' }), 'data', /a string that is not empty/],
    ['an empty name of a channel', (c) => c.channels.create({ name: '' }), 'name', /a string that is not empty/],
    ['an address without its scheme', (c) => c.links.create({ url: 'shop.example/a' }), 'url', /with its scheme/],
    ['a host with a port', (c) => c.links.create({ url: 'shop.example:8080/a' }), 'url', /with its scheme/],
    ['localhost with a port', (c) => c.links.create({ url: 'localhost:3000' }), 'url', /with its scheme/],
    ['no data for a QR code', (c) => c.qr.update(1, {} as never), 'data', /is missing/],
    [
      'a number for the data',
      (c) => c.qr.update(1, { data: 5 as never }),
      'data',
      /a string that is not empty, a list or an object/,
    ],
    ['no domain', (c) => c.domains.create({} as never), 'domain', /is missing/],
    ['no address', (c) => c.opener.create({} as never), 'url', /is missing/],
    ['no type of QR code', (c) => c.qr.create({ data: 'a' } as never), 'type', /is missing/],
    ['no data for a new QR code', (c) => c.qr.create({ type: 'text' } as never), 'data', /is missing/],
    ['no name of a pixel', (c) => c.pixels.create({ type: 'gtmpixel', tag: 'b' } as never), 'name', /is missing/],
    ['no tag of a pixel', (c) => c.pixels.create({ type: 'gtmpixel', name: 'a' } as never), 'tag', /is missing/],
    ['no type of pixel', (c) => c.pixels.create({ name: 'a', tag: 'b' } as never), 'type', /is missing/],
    ['a channel without a name', (c) => c.channels.create({} as never), 'name', /is missing/],
    ['no tag', (c) => c.pixels.update(1, { name: 'a' } as never), 'tag', /is missing/],
    [
      'a type of item that the reference does not list',
      (c) => c.channels.assignItem(1, 'link' as never, 1),
      'type',
      /expected one of links, bio, qr, received "link"/,
    ],
    [
      'a status of an opener link that the reference does not list',
      (c) => c.opener.create({ url: 'https://shop.example', status: 'hidden' as never }),
      'status',
      /expected one of public, private, received "hidden"/,
    ],
    ['a domain without scheme', (c) => c.domains.create({ domain: 'go.example' }), 'domain', /with its scheme/],
    ['a domain with a path', (c) => c.domains.create({ domain: 'https://go.example/a' }), 'domain', /with its scheme/],
    [
      'a redirect into a script',
      (c) => c.domains.update(1, { redirect404: 'javascript:alert(1)' }),
      'redirect404',
      /absolute URL/,
    ],
    ['an address without scheme', (c) => c.opener.create({ url: 'www.youtube.com' }), 'url', /absolute URL/],
    [
      'two addresses in one',
      (c) => c.opener.create({ url: 'https://shop.example/1\nhttps://shop.example/2' }),
      'url',
      /absolute URL/,
    ],
    ['an address with a tab', (c) => c.opener.create({ url: 'https://shop.example/a\tb' }), 'url', /absolute URL/],
    ['a day that does not exist', upload({ expiry: '2026-02-30' }), 'expiry', /a date that exists/],
    ['a day and a time', upload({ expiry: '2026-01-31 10:00:00' }), 'expiry', /YYYY-MM-DD/],
    ['a Date', upload({ expiry: new Date() }), 'expiry', /YYYY-MM-DD, received a Date$/],
    [
      'a negative number of downloads',
      upload({ maxdownloads: -1 }),
      'maxdownloads',
      /whole number from 0, received -1/,
    ],
    ['a file without a name', (c) => c.files.upload('', content), 'filename', /file name/],
    [
      'a file name with a zero-width space',
      (c) => c.files.upload('a\u200b.txt', content),
      'filename',
      /: it has an invisible character/,
    ],
    [
      'an alias with a byte order mark',
      (c) => c.links.create({ url: 'https://shop.example', custom: 'tea\ufeff' }),
      'custom',
      /: it has an invisible character/,
    ],
    ['an alias of a file with a direction mark', upload({ custom: '\u202etea' }), 'custom', /an invisible character/],
    ['the parent folder for a file name', (c) => c.files.upload('..', content), 'filename', /file name/],
    ['page 0', (c) => c.campaigns.list({ page: 0 }), 'page', /positive integer/],
    ['a list of parameters', (c) => c.account.update([] as never), '', /an object of parameters, received a list/],
    [
      'a value that JSON cannot represent',
      (c) => c.request('POST', '/url/add', { json: { id: 5n } }),
      '',
      /a JSON value/,
    ],
    ['a body for GET', (c) => c.request('GET', '/urls', { json: {} }), 'body', /GET/],
    ['a file for GET', (c) => c.request('GET', '/urls', { body: content }), 'body', /GET/],
    [
      'JSON and a body',
      (c) => c.request('POST', '/url/add', { json: {}, body: content }),
      'body',
      /json.*body|body.*json/,
    ],
    ['a method in lower case', (c) => c.request('post' as never, '/url/add'), 'method', /one of GET, POST/],
    ['a lone surrogate in a query', (c) => c.files.list({ name: 'a\ud800' }), 'name', /surrogate/],
    ['a path for a file', (c) => c.files.upload('a.txt', './a.txt' as never), 'content', /Blob/],
    ['a symbol in a query', (c) => c.request('GET', '/urls', { query: { q: Symbol('a') as never } }), 'q', /symbol/],
    [
      'an object in a query',
      (c) => c.request('GET', '/urls', { query: { filter: {} as never } }),
      'filter',
      /^expected a string, a number or a boolean, received an object$/,
    ],
    [
      'a schema of zod 3.22',
      (c) => c.request('GET', '/urls', { schema: { _def: {}, parse: () => 1 } as never }),
      'schema',
      /received an object: use zod 3\.24 or later$/,
    ],
    ...[null, 5, () => {}, { '~standard': {} }].map(
      (schema): Refused => [
        'a value that is not a schema',
        (c) => c.request('POST', '/url/add', { json: {}, schema: schema as never }),
        'schema',
        /expected a Standard Schema, such as one of zod, valibot or ArkType/,
      ],
    ),
    ...[undefined, '', 5].map(
      (listKey): Refused => [
        'a list without `listKey`',
        (c) => c.paginate('/urls', { listKey } as never),
        'listKey',
        /the key of the rows/,
      ],
    ),
    ['a path without its slash', (c) => c.request('GET', 'account'), 'path', /^did you mean "\/account"\?$/],
    ['a form for a file', (c) => c.files.upload('a.txt', new FormData() as never), 'content', /received a FormData$/],
    [
      'a Promise for a file',
      (c) => c.files.upload('a.txt', Promise.resolve(content) as never),
      'content',
      /received a Promise: await it first$/,
    ],
    [
      'a form for the JSON',
      (c) => c.request('POST', '/url/add', { json: new FormData() }),
      'json',
      /^expected a JSON value, received a FormData$/,
    ],
    [
      'a Promise for the parameters',
      (c) => c.campaigns.create(Promise.resolve({}) as never),
      '',
      /^expected an object of parameters, received a Promise: await it first$/,
    ],
    [
      'URLSearchParams for the query',
      (c) => c.request('GET', '/urls', { query: new URLSearchParams('limit=5') as never }),
      'query',
      /^expected an object of parameters, received a URLSearchParams/,
    ],
    [
      'an alias under the name of the response field',
      (c) => c.links.create({ url: 'https://shop.example', alias: 'tea' } as never),
      'alias',
      /^unknown parameter, did you mean custom\?$/,
    ],
    [
      'an AbortController for a signal',
      (c) => c.account.get({ signal: new AbortController() as never }),
      'signal',
      /^expected an AbortSignal, received an AbortController$/,
    ],
    [
      'an unknown option of an upload',
      (c) => c.files.upload('a.txt', content, {}, { concurrency: 2 } as never),
      'concurrency',
      /unknown option/,
    ],
    ['null for a signal', (c) => c.account.get({ signal: null as never }), 'signal', /an AbortSignal, received null/],
    ['a timeout of 0', (c) => c.account.get({ timeout: 0 }), 'timeout', /milliseconds above 0/],
  ]

  it.each<[slip: string, meant: string, call: Call]>([
    ['costum', 'custom', (c) => c.links.create({ url: 'https://shop.example', costum: 'tea' } as never)],
    ['urll', 'url', (c) => c.links.create({ urll: 'https://shop.example' } as never)],
    ['passwrod', 'password', (c) => c.account.update({ passwrod: 'a' } as never)],
    ['nmae', 'name', (c) => c.campaigns.create({ nmae: 'a' } as never)],
    ['is_public', 'public', (c) => c.campaigns.create({ name: 'a', is_public: true } as never)],
    ['metatilte', 'metatitle', (c) => c.links.update(1, { metatilte: 'a' } as never)],
    ['langagetarget', 'languagetarget', (c) => c.links.update(1, { langagetarget: [] } as never)],
    ['maxdownlods', 'maxdownloads', upload({ maxdownlods: 5 })],
  ])('the slip %s for %s', async (slip, meant, call) => {
    const error = await failure(call(connect({ origin: 'https://sho.rt' })))
    expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
    expect((error as InvalidRequestError).issues).toContainEqual({
      path: [slip],
      message: `unknown parameter, did you mean ${meant}?`,
      code: 'unknown',
    })
  })

  it('no name of a parameter or an option is close enough to another to count as misspelled', () => {
    for (const names of [Object.keys(linkCreate), callOptionNames, Object.keys(clientOptionChecks)]) {
      expect(names.length).toBeGreaterThan(5)
      for (const name of names) {
        const others = names.filter((other) => other !== name)
        expect([name, findSimilarName(name, others)]).toEqual([name, undefined])
      }
    }
  })

  it.each(refused)('%s', async (_, call, path, message) => {
    const server = await serve({})
    const error = await failure(call(connect(server)))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent', retryable: false, attempts: 0 })
    expect(error.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/(api|opener)/)
    const { issues } = error as InvalidRequestError
    expect(issues.map((issue) => issue.path.join('.'))).toEqual([path])
    expect(issues[0]!.message).toMatch(message)
    expect(error.message).toContain(issues[0]!.message)
    expect(server.seen).toEqual([])
  })

  it.each([0, -1, Number.POSITIVE_INFINITY, '05', ' 5', '', '1/../2', null, undefined, {}])('the id %j', async (id) => {
    const server = await serve({})
    const client = connect(server)
    const calls = [
      client.domains.delete(id as never),
      client.campaigns.assignLink(1, id as never),
      client.channels.items(id as never),
      client.qr.get(id as never),
    ]
    for (const call of calls) {
      const error = await failure(call)
      expect(error).toBeInstanceOf(InvalidRequestError)
      expect(error.message).toMatch(/expected a positive integer/)
    }
    expect(server.seen).toEqual([])
  })

  it('an option of a list; the error names the call of the list', async () => {
    const error = await failure(connect({ origin: 'https://sho.rt' }).campaigns.list({}, { retry: -1 }))
    expect(error).toMatchObject({ method: 'GET', path: '/campaigns', issues: [{ path: ['retry'] }] })
  })

  it('all invalid parameters are named in one error, a password without its value', async () => {
    const call = connect({ origin: 'https://sho.rt' }).account.update({ email: 5 as never, password: 1234567 as never })
    const error = await failure(call)
    expect(error.message).toBe(
      'PUT /account/update: email: expected a string, received 5; password: expected a string, received a number',
    )
  })

  it('a long value is truncated in the error', async () => {
    const error = await failure(connect({ origin: 'https://sho.rt' }).channels.update(1, { color: 'x'.repeat(5000) }))
    expect(error.message.length).toBeLessThan(400)
  })
})

describe('what is sent', () => {
  /** Returns the parsed body that a call sends. */
  async function sent(call: Call): Promise<unknown> {
    const server = await serve({})
    await call(connect(server, { validation: 'report' }))
    return JSON.parse(server.seen[0]!.body.toString())
  }

  it.each<[promise: string, call: Call, body: object]>([
    ['`null` is sent', (c) => c.domains.update(1, { redirectroot: null }), { redirectroot: null }],
    ['an empty string clears an address', (c) => c.domains.update(1, { redirectroot: '' }), { redirectroot: '' }],
    [
      'a domain may have http:',
      (c) => c.domains.create({ domain: 'http://a.example/' }),
      { domain: 'http://a.example/' },
    ],
    ['an empty name is sent if the name is optional', (c) => c.campaigns.create({ name: '' }), { name: '' }],
    ['a color of three digits is sent', (c) => c.channels.update(1, { color: '#FFF' }), { color: '#FFF' }],
    ['the address of an app is sent', (c) => c.links.create({ url: 'myapp://open' }), { url: 'myapp://open' }],
    [
      'a mailto: address is sent',
      (c) => c.links.create({ url: 'mailto:tea@shop.example' }),
      { url: 'mailto:tea@shop.example' },
    ],
    ['a telephone number is sent', (c) => c.links.create({ url: 'tel:5551' }), { url: 'tel:5551' }],
    ['0 is sent', (c) => c.account.update({ credits: 0 } as never), { credits: 0 }],
    ['`undefined` is left out', (c) => c.campaigns.create({ name: 'a', slug: undefined } as never), { name: 'a' }],
    ...'notes tags folder utm theme status2 custom2 retarget redirect group team ttl visits private locale language'
      .concat(' countries comment order since cursor metatags publish published og hidden date schedule deep app')
      .split(' ')
      .map((name): [string, Call, object] => [
        `${name}, which some server may have, is sent`,
        (c) => c.links.create({ url: 'https://shop.example', [name]: 'a' } as never),
        { url: 'https://shop.example', [name]: 'a' },
      ]),
    [
      'a name close to one that is given is sent',
      (c) => c.links.create({ url: 'https://shop.example', custom: 'tea', costum: 'b' } as never),
      { url: 'https://shop.example', custom: 'tea', costum: 'b' },
    ],
    [
      'an unlisted key is sent unchanged',
      (c) => c.qr.create({ type: 'text', data: 'a', eyes: { shape: 'round' } } as never),
      { type: 'text', data: 'a', eyes: { shape: 'round' } },
    ],
    ['a list is data of a QR code', (c) => c.qr.update(1, { data: ['a', 0, null] }), { data: ['a', 0, null] }],
    ['a color may be in any case', (c) => c.channels.update(1, { color: '#00aAfF' }), { color: '#00aAfF' }],
    [
      'a color may have spaces',
      (c) => c.qr.update(1, { data: 'a', background: 'rgb( 1 , 2 , 255 )' }),
      { data: 'a', background: 'rgb( 1 , 2 , 255 )' },
    ],
    ['a lone surrogate in JSON is sent escaped', (c) => c.campaigns.create({ name: 'a\ud800' }), { name: 'a\ud800' }],
    ['any JSON goes through `request`', (c) => c.request('PATCH', '/url/1', { json: [null, false] }), [null, false]],
    ['a password may be `null`', (c) => c.account.update({ password: null as never }), { password: null }],
    ['an object with toJSON is data', json(new Date(0)), { a: '1970-01-01T00:00:00.000Z' }],
    ['`null` as the whole JSON', (c) => c.request('PUT', '/url/1', { json: null }), null as never],
  ])('%s', async (_, call, body) => {
    expect(await sent(call)).toEqual(body)
  })

  it.each<[promise: string, call: Call, search: string]>([
    ['`undefined` is left out', (c) => c.files.list({ name: undefined, limit: 5 } as never), '?limit=5'],
    [
      '`null` and empty strings are sent empty',
      (c) => c.request('GET', '/files', { query: { a: null, b: '' } }),
      '?a=&b=',
    ],
    ['0 and false are sent', (c) => c.request('GET', '/files', { query: { a: 0, b: false } }), '?a=0&b=false'],
    ['an empty query sends no query string', (c) => c.request('GET', '/files', { query: {} }), ''],
    ['an unlisted key is sent', (c) => c.files.list({ folder: 'a/b', limit: 5 } as never), '?folder=a%2Fb&limit=5'],
    ['names are escaped too', (c) => c.request('GET', '/files', { query: { 'a&b=c': '+' } }), '?a%26b%3Dc=%2B'],
  ])('in a query %s', async (_, call, search) => {
    const server = await serve({})
    await call(connect(server, { validation: 'report' }))
    expect(server.seen[0]!.url).toBe(`/api/files${search}`)
  })

  it.each(['a b.txt', 'a#b.txt', '100%25.txt', 'Ünïcode 文件 🫖.txt', "it's (1)*!~.txt", '.htaccess', '👩‍🍳'])(
    'the file name, display name and alias %j are sent unchanged',
    async (name) => {
      const server = await serve({})
      await connect(server, { validation: 'report' }).files.upload(name, content, { name, custom: name })
      const { pathname, searchParams } = new URL(server.seen[0]!.url, 'http://sho.rt')
      expect(decodeURIComponent(pathname.slice('/api/files/upload/'.length))).toBe(name)
      expect(pathname.split('/')).toHaveLength(5)
      expect(Object.fromEntries(searchParams)).toEqual({ name, custom: name })
    },
  )

  it('parameters are read when the call is made, and never changed', async () => {
    const params = Object.freeze({ name: 'a', slug: 'b' })
    expect(await sent((c) => c.campaigns.create(params))).toEqual(params)
  })
})

type SendType = (client: ShortLinkClient, type: never) => Promise<unknown>
const createPixel: SendType = (client, type) => client.pixels.create({ type, name: 'a', tag: 'b' })
const createQrCode: SendType = (client, type) => client.qr.create({ type, data: 'a' })
const assignItem: SendType = (client, type) => client.channels.assignItem(1, type, 2)
const pixels = 'gtmpixel gapixel fbpixel adwordspixel linkedinpixel twitterpixel adrollpixel quorapixel pinterest bing'

it.each<[type: string, send: SendType]>([
  ...`${pixels} snapchat reddit tiktok`.split(' ').map((type): [string, SendType] => [type, createPixel]),
  ...'text vcard link email phone sms wifi'.split(' ').map((type): [string, SendType] => [type, createQrCode]),
  ...'links bio qr'.split(' ').map((type): [string, SendType] => [type, assignItem]),
])('the type %s reaches the server', async (type, send) => {
  const server = await serve({})
  await send(connect(server, { validation: 'report' }), type as never)
  const { url, body } = server.seen[0]!
  expect(`${url} ${body}`).toContain(type)
})
