import { InvalidRequestError, type LinkCreate } from 'shortlink-sdk'
import { expect, test } from 'vitest'
import { failure } from '../../../helpers/outcome.ts'
import { shopOf } from '../../links/connect-links.ts'

const url = 'https://shop.example/opening'

const refused: [name: keyof LinkCreate, value: unknown, message: RegExp][] = [
  ['url', undefined, /is missing, expected an absolute URL/],
  ['url', '', /an absolute URL .* received ""/],
  ['url', 'shop.example', /an absolute URL .* received "shop.example"/],
  ['custom', 5, /an alias, such as opening, received 5/],
  ['custom', '\ud83d', /an alias, such as opening, received "\\ud83d"$/],
  ['custom', 'tea/green', /received "tea\/green": an alias cannot contain \/$/],
  ['custom', '..', /a server could read it as a path/],
  ['domain', 5, /a string, received 5/],
  ['password', 12345, /a string, received a number$/],
  ['expiry', '2027-01-31', /as YYYY-MM-DD HH:MM:SS, received "2027-01-31"/],
  ['expiry', '2027-02-29 10:00:00', /that exist/],
  ['expiry', '2027-01-31T10:00:00', /HH:MM:SS/],
  ['expiry', '2027-01-31 10:00:00Z', /HH:MM:SS/],
  ['expiry', new Date(0), /HH:MM:SS, received a Date$/],
  ['type', 0, /direct, frame, splash, or an id, received 0/],
  ['status', true, /a string, received true/],
  ['description', 5, /a string/],
  ['pixels', 5, /a list of ids, received 5/],
  ['pixels', [1, 'two'], /a list of ids/],
  ['channel', 0, /a positive integer/],
  ['campaign', 'three', /a positive integer/],
  ['deeplink', 'auto', /\{ auto, apple, google \}/],
  ['deeplink', { apple: 5 }, /\{ auto, apple, google \}/],
  ['geotarget', { DE: url }, /a list of \{ location, link \}.* received an object/],
  [
    'geotarget',
    [
      { location: 'DE', link: url },
      { location: 'FR', link: '/fr' },
    ],
    /a list of { location, link }, each link an absolute URL with its scheme.*, received a list: entry 2: link is "\/fr"$/,
  ],
  ['geotarget', [{ location: '', link: url }], /a list of \{ location, link \}/],
  ['devicetarget', [{ location: 'DE', link: url }], /a list of \{ device, link \}/],
  ['languagetarget', [null], /a list of \{ language, link \}.*: entry 1: null$/],
  ['devicetarget', [{ device: 'ios', link: 'javascript:alert(1)' }], /entry 1: link is "javascript:alert\(1\)"$/],
  ['parameters', [{ name: 'ref', value: 5 }], /a list of \{ name, value \}/],
]

test.each(refused)('%s: %j is refused before anything is sent', async (name, value, message) => {
  const { shop, server } = await shopOf({})
  const params = { url, custom: 'opening', [name]: value } as LinkCreate & { custom: string }
  const calls = [shop.create(params), shop.ensure(params)]
  // No parameter of an update is required, and an empty value clears it.
  if (value !== undefined && value !== '') calls.push(shop.update(44, params) as never)
  for (const call of calls) {
    const error = await failure(call)
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ outcome: 'not-sent', issues: [{ path: [name] }] })
    expect((error as InvalidRequestError).issues[0]?.message).toMatch(message)
  }
  expect(server.seen).toEqual([])
})

test('valid, empty and unlisted parameters are sent unchanged', async () => {
  const { shop, server } = await shopOf({ body: { error: 0, id: 44, shorturl: 'https://sho.rt/opening' } })
  const params = {
    url,
    custom: 'öffnung 🎉',
    domain: 'https://go.example',
    password: 'p w',
    expiry: '2028-02-29 23:59:59',
    type: 'splash',
    status: 'private',
    metatitle: 'Opening',
    metadescription: '',
    metaimage: 'https://shop.example/a.png',
    title: '',
    description: 'The first day',
    pixels: [1, '2'],
    channel: 9,
    campaign: '3',
    deeplink: { auto: true, apple: 'https://apps.example/1', google: '' },
    geotarget: [{ location: 'DE', link: 'https://shop.example/de' }],
    devicetarget: [{ device: 'ios', link: 'youtube://youtu.be/aqz' }],
    languagetarget: [{ language: 'de', link: 'http://shop.example/de' }],
    parameters: [{ name: 'ref', value: '' }],
    folder: 'from a newer version',
  }
  await shop.create(params)
  const changed = { ...params, type: 12, expiry: '2027-01-31 09:30:00' }
  await shop.update(44, changed)
  await shop.update(44, { deeplink: { auto: true } })
  const sent = server.seen.map(({ body }) => JSON.parse(body.toString()))
  expect(sent).toEqual([params, changed, { deeplink: { auto: true } }])
})

test('invalid arguments of the other methods are refused before anything is sent', async () => {
  const { shop, server } = await shopOf({})
  const calls: [call: () => PromiseLike<unknown>, parameter: string, message: RegExp][] = [
    [() => shop.list({ limit: 0 }), 'limit', /a positive integer, received 0/],
    [() => shop.list({ order: 5 as never }), 'order', /a string.* received 5/],
    [() => shop.get('opening'), 'id', /a positive integer, or the same as a string of digits, received "opening"/],
    [() => shop.find(''), 'addressOrAlias', /a short address or an alias, received ""/],
    [() => shop.find('opening\u200B'), 'addressOrAlias', /: it has an invisible character$/],
    [() => shop.find(undefined as never), 'addressOrAlias', /is missing, expected a short address or an alias/],
    [() => shop.find('opening', { retyr: 1 } as never), 'retyr', /did you mean retry/],
    [() => shop.update(0, {}), 'id', /a positive integer.* received 0/],
    [() => shop.delete(-1), 'id', /a positive integer.* received -1/],
    [() => shop.ensure({ url, custom: 'opening' }, { retyr: 1 } as never), 'retyr', /did you mean retry/],
    [() => shop.ensure({ url, custom: 'opening', domain: 5 as never }), 'domain', /a string, received 5/],
  ]
  for (const [call, parameter, message] of calls) {
    const error = await failure(call())
    expect(error).toMatchObject({ code: 'invalid_request', issues: [{ path: [parameter] }] })
    expect((error as InvalidRequestError).issues[0]?.message).toMatch(message)
  }
  for (const params of [undefined, null, 'https://shop.example', []]) {
    expect(await failure(shop.ensure(params as never))).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
  }
  expect(server.seen).toEqual([])
})

test('the password of a link is in no error', async () => {
  const { shop } = await shopOf({ body: { error: 1, message: 'The password "hush hush" is too weak.' } })
  const error = await failure(shop.create({ url, password: 'hush hush' }))
  expect(JSON.stringify(error) + String(error)).not.toContain('hush hush')
})
