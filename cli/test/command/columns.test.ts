import { expect, test } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

test.each([
  ['https://go.example/caf%C3%A9', 'café'],
  ['go.example/tea%20week/', 'tea week'],
  ['go.example/tea', 'tea'],
  ['v1.2', 'v1.2'],
])('a cell %s in the alias column has the alias %s', async (cell, custom) => {
  const { sandbox, write } = await setUp()
  await run('import', await write('links.csv', `url,custom\n${shop('a')},${cell}\n`))
  expect(sentTo(sandbox)).toEqual([{ url: shop('a'), custom }])
})

test('JSON in cells is sent as lists and objects, UTM columns as parameters, and other cells unchanged', async () => {
  const { sandbox, write } = await setUp()
  const cells: Record<string, string> = {
    url: shop('tea'),
    title: '[Tea]',
    pixels: '[1,2]',
    channel: '[2]',
    deeplink: '{"auto":true}',
    geotarget: '[{"location":"Germany","link":"https://shop.example/de"}]',
    devicetarget: '[{"device":"iPhone","link":"https://shop.example/ios"}]',
    languagetarget: '[{"language":"de","link":"https://shop.example/de"}]',
    parameters: '[{"name":"ref","value":"[mail]"}]',
    'UTM Source': 'flyer',
    utm_medium: '',
  }
  const quoted = Object.values(cells).map((cell) => `"${cell.replaceAll('"', '""')}"`)
  const file = await write('links.csv', `${Object.keys(cells).join(';')}\n${quoted.join(';')}\n`)
  expect(await run('import', file)).toMatchObject({ status: 0 })
  const { url, title, channel: _, 'UTM Source': value, utm_medium: __, ...json } = cells
  const lists = Object.fromEntries(Object.entries(json).map(([name, cell]) => [name, JSON.parse(cell)]))
  const parameters = [...lists.parameters, { name: 'utm_source', value }]
  expect(sentTo(sandbox)).toEqual([{ url, title, ...lists, parameters, channel: 2 }])
})

test.each([
  ['2030-12-24 18:00:05', '2030-12-24 18:00:05'],
  ['2030-12-24 18:00', '2030-12-24 18:00:00'],
  ['2030-12-24T18:00', '2030-12-24 18:00:00'],
  ['2030-12-24T18:00:05', '2030-12-24 18:00:05'],
  ['2030-12-24', '2030-12-24 23:59:59'],
])('the date %s is sent as %s', async (cell, expiry) => {
  const { sandbox, write } = await setUp()
  await run('import', await write('links.csv', `url,custom,expiry\n${shop('tea')},tea,${cell}\n`))
  expect(sentTo(sandbox)).toEqual([{ url: shop('tea'), custom: 'tea', expiry }])
})

test.each([
  '2030-02-30',
  '24.12.2030',
  '2030-12-24 25:00',
  '12/24/2030',
  '2030-12-24T18:00Z',
  '2030-12-24 18:00+02:00',
])('a row with the date %s fails, the error names the accepted formats, and nothing is sent', async (cell) => {
  const { sandbox, write } = await setUp()
  const { stdout } = await run('import', await write('links.csv', `url,custom,expiry\n${shop('tea')},tea,${cell}\n`))
  expect(stdout).toContain('not-sent,"expiry: expected YYYY-MM-DD HH:MM[:SS], or YYYY-MM-DD for the end of that day')
  const [, zone] = /:00(Z|\+.*)$/.exec(cell) ?? []
  if (zone) expect(stdout).toContain(`: the platform has no time zones, so leave out ${zone}`)
  expect(sentTo(sandbox)).toEqual([])
})

test.each([
  ['password', ['true', 'FALSE', ''], "column password: expected the password of a link, found 'true' and 'FALSE'."],
  ['Password', ['0', '1', '1'], "column Password: expected the password of a link, found '0' and '1'."],
  ['type', ['301', '302', ''], "column type: expected the type of a link, found '301' and '302'."],
])('a column %s with %j is an error that suggests two --map options', async (column, cells, message) => {
  const { sandbox, write } = await setUp()
  const rows = cells.map((cell, index) => `${shop(`${index}`)},${cell}\n`).join('')
  const file = await write('links.csv', `url,${column}\n${rows}`)
  const { status, stderr } = await run('import', file)
  expect(status).toBe(2)
  expect(stderr).toContain(`${message} Use --map '${column}=' to leave it out, or --map`)
  expect(sandbox.requests).toEqual([])
  expect((await run('import', file, '--map', `${column}=`)).status).toBe(0)
  expect(sentTo(sandbox)).toEqual(cells.map((_, index) => ({ url: shop(`${index}`) })))
})

test('a password column with at least one real password is sent', async () => {
  const { sandbox, write } = await setUp()
  await run('import', await write('links.csv', `url,password\n${shop('a')},true\n${shop('b')},s3cret\n`))
  expect(sentTo(sandbox)).toMatchObject([{ password: 'true' }, { password: 's3cret' }])
})

test('NULL and \\N of databases count as empty, and spreadsheet errors fail their row', async () => {
  const { sandbox, write } = await setUp()
  const errors = ['#REF!', '#NAME?', '#N/A', '#BEZUG!', '#DIV/0!']
  const rows = [`${shop('a')},NULL,\\N`, ...errors.map((error) => `${shop('b')},${error},x`), `${shop('c')},,#tea!`]
  const file = await write('links.csv', `url,custom,title\n${rows.join('\n')}\n`)
  const { stdout } = await run('import', file)
  expect(sentTo(sandbox)).toEqual([{ url: shop('a') }, { url: shop('c'), title: '#tea!' }])
  for (const error of errors) expect(stdout).toContain(`not-sent,custom: ${error} is a spreadsheet error`)
})

test('--map sets or ignores a column, and other columns for the same parameter are not sent', async () => {
  const { sandbox, write } = await setUp()
  const file = await write('links.csv', `URL,Old URL,Vanity Name,Titel\n${shop('a')},${shop('old')},a,A\n`)
  const maps = ['Old URL=url', 'vanity-name=custom', 'Titel='].flatMap((map) => ['--map', map])
  const { stderr } = await run('import', file, ...maps)
  expect(stderr).toContain('read as: Old URL → url, Vanity Name → custom\nnot sent: URL, Titel\n')
  expect(sentTo(sandbox)).toEqual([{ url: shop('old'), custom: 'a' }])
  for (const [map, message] of [
    ['Vanity', "--map expected 'Column=parameter', received 'Vanity'"],
    ['Vanty=custom', "has no column 'Vanty', expected one of URL, Old URL"],
    ['Titel=titel', "--map: a link has no parameter 'titel', did you mean title?"],
  ] as const) {
    expect((await run('import', file, '--map', map)).stderr).toContain(message)
  }
})

test('a status and a type are accepted in any case', async () => {
  const { sandbox, write } = await setUp()
  await run('import', await write('b.csv', `url,custom,Status,Type\n${shop('b')},b,Private,direct\n`))
  expect(sentTo(sandbox)).toEqual([{ url: shop('b'), custom: 'b', status: 'private', type: 'direct' }])
})

test('an alias that is a number in JSON is sent as text, and shown by --dry-run', async () => {
  const { sandbox, write } = await setUp()
  const file = await write('links.json', JSON.stringify([{ url: shop('a'), custom: 2024 }]))
  expect((await run('import', file, '--dry-run')).stderr).toContain(`row 1: url=${shop('a')}, custom=2024`)
  expect((await run('import', file)).status).toBe(0)
  expect(sentTo(sandbox)).toEqual([{ url: shop('a'), custom: '2024' }])
})
