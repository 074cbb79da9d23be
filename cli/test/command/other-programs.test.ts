import { expect, test } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

/** The error for the file; or for each row what is sent, or the error. */
type Expected = string | (Record<string, unknown> | string)[]

const tea = shop('tea')
const lamps = shop('lamps')
const a = { url: tea, custom: 'tea' }
const b = (custom: string) => ({ url: lamps, custom })

async function expectImport(text: string, expected: Expected, options: string[] = []) {
  const { sandbox, write } = await setUp()
  const isJson = text.startsWith('[')
  const { status, stdout, stderr } = await run(
    'import',
    await write(isJson ? 'x.json' : 'x.csv', text),
    '--json',
    ...options,
  )
  const sent = sentTo(sandbox)
  if (typeof expected === 'string') {
    expect(stderr).toContain(expected)
    expect({ status, sent }).toEqual({ status: 2, sent: [] })
    return stderr
  }
  const results: { outcome: string; error: string | null }[] = JSON.parse(stdout)
  const failed = expected.filter((row) => typeof row === 'string')
  expect(results.flatMap(({ outcome, error }) => (outcome === 'done' ? [] : [error]))).toEqual(
    failed.map((problem) => expect.stringContaining(problem)),
  )
  expect(sent).toEqual(expected.filter((row) => typeof row !== 'string'))
  expect(status).toBe(failed.length > 0 ? 1 : 0)
  return stderr
}

const bitly = `Link,Custom Link,Destination URL\nhttps://bit.ly/3AbCdEf,https://go.shop.example/tea,${tea}\nhttps://bit.ly/3XyZabc,,${lamps}\n`
const ofBitly = ['--map', 'Custom Link=custom']

test.each<[string, string, Expected, string[]?]>([
  ['Bitly, where one of two links is a custom link', bitly, [a, b('3XyZabc')], ofBitly],
  ['Bitly, without its links', bitly, [a, { url: lamps }], [...ofBitly, '--map', 'Link=']],
  [
    'TinyURL, where one of two links has an alias',
    `TinyURL,Alias,Long URL\nhttps://tinyurl.com/tea,tea,${tea}\nhttps://tinyurl.com/2p8abcde,,${lamps}\n`,
    [a, b('2p8abcde')],
  ],
  [
    'Polr',
    `short_url,long_url,clicks,is_disabled,is_custom\ntea,${tea},4,0,1\nlamps,${lamps},2,1,1\n`,
    "column 'short_url' could be the alias, but would not be sent. Use --map 'short_url=custom'",
  ],
  [
    'Polr, with a disabled link',
    `short_url,long_url,clicks,is_disabled,is_custom\ntea,${tea},4,0,1\nlamps,${lamps},2,1,1\n`,
    [a, `is_disabled: is "1", but the new link would be live. To import it, use --map 'is_disabled='`],
    ['--map', 'short_url=custom'],
  ],
  [
    'a disabled link by its state and its date',
    `url,slug,State,Archived At\n${tea},tea,active,\n${lamps},a,Disabled,\n${lamps},b,active,2026-01-02\n`,
    [a, `State: is "Disabled", but`, `Archived At: is "2026-01-02", but`],
  ],
  [
    'a program with short addresses without a scheme and with a folder',
    `url,slug,shortUrl\n${tea},tea,go.example/s/x\n${lamps},NULL,go.example/s/l%C3%A1mps\n`,
    [a, b('lámps')],
  ],
  [
    'a program with a number in its other column',
    `url,alias,Short ID\n${tea},tea,1\n${lamps},,17\n`,
    [
      a,
      "custom: is empty, and the alias may be in 'Short ID'. Write it into this cell, or use --map 'Short ID=' to leave that column out",
    ],
  ],
  [
    'a program with two other columns that contradict each other',
    `url,alias,Short URL,Vanity URL\n${tea},tea,,\n${lamps},,https://a.example/x,https://b.example/y\n`,
    [a, "the alias may be in 'Short URL' and 'Vanity URL'"],
  ],
  [
    'a program whose other column is a page of the shop, or a flag',
    `url,alias,Link,Custom Name\n${tea},tea,,yes\n${lamps},,https://shop.example/lamps/all,no\n`,
    [a, "the alias may be in 'Link'"],
  ],
  [
    'JSON, where aliases are numbers',
    JSON.stringify([
      { url: tea, alias: 'tea' },
      { url: lamps, alias: 7, shorturl: 'https://old.example/007' },
      { url: lamps, alias: null, shorturl: 'https://old.example/x1' },
    ]),
    [a, b('007'), b('x1')],
  ],
])('an export of %s keeps its aliases or is rejected', async (_, text, expected, options) => {
  const stderr = await expectImport(text, expected, options)
  expect(stderr).not.toMatch(/is_\w+=custom|Custom Name=custom/)
})

test('import prints which column aliases come from, and a second import and a sync find the same links', async () => {
  const { sandbox, write, path } = await setUp()
  const file = await write('bitly.csv', bitly)
  const { stderr } = await run('import', file, ...ofBitly, '--out', path('r.csv'))
  expect(stderr).toContain('not sent: Link\nalias of 1 row: from Link\n')
  for (const again of [file, path('r.csv')]) {
    expect((await run('import', again, ...ofBitly, '--journal', path('other'))).status).toBe(0)
    expect((await run('sync', again, ...ofBitly)).stderr).toContain('2 to keep')
  }
  expect(sandbox.data.links).toHaveLength(2)
})

const end = '2026-12-24 18:00:00'

test.each<[string, string, Expected, string[]?]>([
  ['expiresAt', `url,slug,expiresAt\n${tea},tea,${end}\n${lamps},l,\n`, [{ ...a, expiry: end }, b('l')]],
  ['Expiration date', `url,slug,Expiration date\n${tea},tea,${end}\n`, [{ ...a, expiry: end }]],
  [
    'validUntil in another format',
    `url,slug,validUntil\n${tea},tea,2026-12-24T18:00:00Z\n`,
    ['expiry: expected YYYY-MM-DD HH:MM[:SS], or'],
  ],
  [
    'End date',
    `url,slug,End date\n${tea},tea,${end}\n`,
    "column End date: could be the expiry of a link, but would not be sent. Use --map 'End date=expiry', or --map 'End date=' to leave it out",
  ],
  ['End date, mapped', `url,slug,End date\n${tea},tea,${end}\n`, [{ ...a, expiry: end }], ['--map', 'End date=expiry']],
  [
    'expiredUrl in addition to an expiry',
    `url,slug,expiresAt,expiredUrl\n${tea},tea,${end},${lamps}\n`,
    "column expiredUrl: could be the expiry of a link, but would not be sent. Use --map 'expiredUrl=' to leave it out",
  ],
  [
    'Click limit',
    `url,slug,Click limit\n${tea},tea,100\n`,
    "column Click limit: limits the visits of a link, but would not be sent. Use --map 'Click limit=' to leave it out",
  ],
  [
    'expire_at_views',
    `url,slug,expire_at_views\n${tea},tea,100\n`,
    'column expire_at_views: limits the visits of a link, but would not be sent.',
  ],
  [
    'expired',
    `url,slug,expired\n${tea},tea,false\n${lamps},l,true\n`,
    [a, 'expired: is "true", but the new link would be live.'],
  ],
  ['Link password', `url,slug,Link password\n${tea},tea,s3cret\n${lamps},l,\n`, [{ ...a, password: 's3cret' }, b('l')]],
  [
    'hasPassword',
    `url,slug,hasPassword\n${tea},tea,false\n${lamps},l,true\n`,
    "column hasPassword: could be the password of a link, but would not be sent. Use --map 'hasPassword=' to leave it out",
  ],
  ['hasPassword that is false', `url,slug,hasPassword\n${tea},tea,false\n`, [a]],
  [
    'iPhone URL and Android URL',
    `url,slug,iPhone URL,Android URL\n${tea},tea,${shop('i')},myapp://tea\n${lamps},l,,\n`,
    [
      {
        ...a,
        devicetarget: [
          { device: 'iPhone', link: shop('i') },
          { device: 'Android', link: 'myapp://tea' },
        ],
      },
      b('l'),
    ],
  ],
  [
    'ios in addition to targets in JSON',
    JSON.stringify([
      { url: tea, slug: 'tea', ios: shop('i'), devicetarget: [{ device: 'iPhone', link: shop('i') }] },
      { url: lamps, slug: 'l', ios: shop('i'), devicetarget: [{ device: 'iPad', link: shop('j') }] },
    ]),
    [
      { ...a, devicetarget: ['iPhone', 'iPad'].map((device) => ({ device, link: shop('i') })) },
      `devicetarget: iPad has two values, "${shop('j')}" and "${shop('i')}"`,
    ],
  ],
  [
    'Mobile redirect',
    `url,slug,Mobile redirect\n${tea},tea,${shop('m')}\n`,
    "column Mobile redirect: could be the devicetarget of a link, but would not be sent. Use --map 'Mobile redirect=devicetarget.Android', or --map 'Mobile redirect=' to leave it out",
  ],
  [
    'Mobile redirect, mapped to one device',
    `url,slug,Mobile redirect\n${tea},tea,${shop('m')}\n`,
    [{ ...a, devicetarget: [{ device: 'Android', link: shop('m') }] }],
    ['--map', 'Mobile redirect=devicetarget.Android'],
  ],
  [
    'geo',
    JSON.stringify([{ url: tea, slug: 'tea', geo: { DE: shop('de') } }]),
    "column geo: could be the geotarget of a link, but would not be sent. Use --map 'geo=geotarget'",
  ],
  [
    'geo, mapped',
    JSON.stringify([{ url: tea, slug: 'tea', geo: { DE: shop('de') } }]),
    [{ ...a, geotarget: [{ location: 'DE', link: shop('de') }] }],
    ['--map', 'geo=geotarget'],
  ],
  [
    'location and device of details',
    `url,slug,location,device\n${tea},tea,"{""Germany"":""${shop('de')}""}",{}\n${lamps},l,,\n`,
    [{ ...a, geotarget: [{ location: 'Germany', link: shop('de') }] }, b('l')],
  ],
  ['location and device of statistics', `url,slug,Location,Device\n${tea},tea,Berlin,iPhone\n`, [a]],
  ['clicks on a mobile link, and of countries', `url,slug,Mobile link clicks,Country\n${tea},tea,4,DE\n`, [a]],
])('%s is recognized or rejected', async (_, text, expected, options) => {
  await expectImport(text, expected, options)
})

const utm = (value: string) => ({ parameters: [{ name: 'utm_source', value }] })

test.each<[string, string, Expected]>([
  ['a column alone', `url,slug,utm_source\n${tea},tea,flyer\n`, [{ ...a, ...utm('flyer') }]],
  [
    'the same value in both',
    `url,slug,UTM Source\n${tea}?utm_source=flyer,tea,flyer\n`,
    [{ ...a, url: `${tea}?utm_source=flyer` }],
  ],
  [
    'the same value with spaces',
    `url,slug,UTM Source\n${tea}?utm_source=spring+sale,tea,spring sale\n`,
    [{ ...a, url: `${tea}?utm_source=spring+sale` }],
  ],
  [
    'another value',
    `url,slug,UTM Source\n${tea}?utm_source=mail,tea,flyer\n${lamps},l,flyer\n`,
    ['utm_source: the url has "mail", but the row has "flyer"', { ...b('l'), ...utm('flyer') }],
  ],
  [
    'another parameter',
    `url,slug,utm_source\n${tea}?utm_medium=print,tea,flyer\n`,
    [{ ...a, url: `${tea}?utm_medium=print`, ...utm('flyer') }],
  ],
  [
    'parameters in JSON',
    `url,slug,utm_source,parameters\n${tea},tea,flyer,"[{""name"":""utm_source"",""value"":""mail""}]"\n`,
    ['parameters: utm_source has two values, "mail" and "flyer"'],
  ],
  [
    'parameters in JSON and in the url',
    JSON.stringify([{ url: `${tea}?utm_source=mail`, slug: 'tea', parameters: utm('mail').parameters }]),
    [{ ...a, url: `${tea}?utm_source=mail` }],
  ],
])('UTM in url and columns: %s is sent once or rejected', async (_, text, expected) => {
  await expectImport(text, expected)
})
