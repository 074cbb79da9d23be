import { expect, test } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

test.each([
  ['https://go.example/caf%C3%A9', 'café'],
  ['go.example/tea%20week/', 'tea week'],
  ['go.example/tea', 'tea'],
  ['v1.2', 'v1.2'],
])('of %s in the column of aliases, the alias is %s', async (cell, custom) => {
  const { sandbox, write } = await setUp()
  await run('import', await write('links.csv', `url,custom\n${shop('a')},${cell}\n`))
  expect(sentTo(sandbox)).toEqual([{ url: shop('a'), custom }])
})

test('lists and objects in cells are sent as such, utm columns as parameters, and other cells as they are', async () => {
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
])('the date %s fails its row with the accepted forms, and nothing is sent', async (cell) => {
  const { sandbox, write } = await setUp()
  const { stdout } = await run('import', await write('links.csv', `url,custom,expiry\n${shop('tea')},tea,${cell}\n`))
  expect(stdout).toContain('not-sent,"expiry: expected YYYY-MM-DD HH:MM:SS, without seconds, with T, or YYYY-MM-DD')
  const [, zone] = /:00(Z|\+.*)$/.exec(cell) ?? []
  if (zone) expect(stdout).toContain(`: the platform has no time zones, so leave out ${zone}`)
  expect(sentTo(sandbox)).toEqual([])
})

test.each([
  [
    'password',
    ['true', 'FALSE', ''],
    "column password: 'true' and 'FALSE' may be something else than the password of a link.",
  ],
  ['Password', ['0', '1', '1'], "column Password: '0' and '1' may be something else than the password of a link."],
  ['type', ['301', '302', ''], "column type: '301' and '302' may be something else than the type of a link."],
  ['Status', ['301', '301', '301'], "column Status: '301' may be something else than the status of a link."],
  [
    'Status',
    ['Active', 'active', ''],
    "column Status: 'Active' and 'active' may be something else than the status of a link.",
  ],
])('a column %s of %j is refused with what to write, and --map says which', async (column, cells, message) => {
  const { sandbox, write } = await setUp()
  const rows = cells.map((cell, index) => `${shop(`${index}`)},${cell}\n`).join('')
  const file = await write('links.csv', `url,${column}\n${rows}`)
  const { status, stderr } = await run('import', file)
  expect(status).toBe(2)
  expect(stderr).toContain(`${message} Say --map '${column}=' to leave it out, or --map`)
  expect(sandbox.requests).toEqual([])
  expect((await run('import', file, '--map', `${column}=`)).status).toBe(0)
  expect(sentTo(sandbox)).toEqual(cells.map((_, index) => ({ url: shop(`${index}`) })))
})

test('a password column with a real password is sent', async () => {
  const { sandbox, write } = await setUp()
  await run('import', await write('links.csv', `url,password\n${shop('a')},true\n${shop('b')},s3cret\n`))
  expect(sentTo(sandbox)).toMatchObject([{ password: 'true' }, { password: 's3cret' }])
})

test('NULL and \\N of a database are empty, and the errors of a spreadsheet fail their row', async () => {
  const { sandbox, write } = await setUp()
  const errors = ['#REF!', '#NAME?', '#N/A', '#BEZUG!', '#DIV/0!']
  const rows = [`${shop('a')},NULL,\\N`, ...errors.map((error) => `${shop('b')},${error},x`), `${shop('c')},,#tea!`]
  const file = await write('links.csv', `url,custom,title\n${rows.join('\n')}\n`)
  const { stdout } = await run('import', file)
  expect(sentTo(sandbox)).toEqual([{ url: shop('a') }, { url: shop('c'), title: '#tea!' }])
  for (const error of errors) expect(stdout).toContain(`not-sent,custom: ${error} is an error of the spreadsheet`)
})

test('--map says what a column is, and what is none; the other columns for it are then not sent', async () => {
  const { sandbox, write } = await setUp()
  const file = await write('links.csv', `URL,Old URL,Vanity Name,Titel\n${shop('a')},${shop('old')},a,A\n`)
  const maps = ['Old URL=url', 'vanity-name=custom', 'Titel='].flatMap((map) => ['--map', map])
  const { stderr } = await run('import', file, ...maps)
  expect(stderr).toContain('read as: Old URL → url, Vanity Name → custom\nnot sent: URL, Titel\n')
  expect(sentTo(sandbox)).toEqual([{ url: shop('old'), custom: 'a' }])
  for (const [map, message] of [
    ['Vanity', "--map takes 'Column=parameter', not 'Vanity'"],
    ['Vanty=custom', "has no column 'Vanty', but URL, Old URL"],
    ['Titel=titel', "--map: a link has no parameter 'titel', did you mean title?"],
  ] as const) {
    expect((await run('import', file, '--map', map)).stderr).toContain(message)
  }
})

test('a status and a type are taken in any case', async () => {
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
