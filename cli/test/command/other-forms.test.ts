import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

const a = { url: shop('a'), custom: 'aa1' }
const b = { url: shop('b'), custom: 'bb2' }

test.each([
  ['links', { links: [a, b], next: null }],
  ['data', { data: [a, b] }],
  ['a list of a response', { error: '0', data: { result: 2, nextpage: null, urls: [a, b] } }],
  ['other values and empty lists', { meta: { tags: ['x'], errors: [] }, items: [a, b], count: 2 }],
])('JSON with the list inside is read: %s', async (_, document) => {
  for (const indent of [0, 2]) {
    const text = JSON.stringify(document, null, indent)
    const { sandbox, write } = await setUp()
    expect((await run('import', await write('x.json', text))).status).toBe(0)
    expect(sentTo(sandbox)).toEqual([a, b])
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(text)]) as never)
    const { status, stdout } = await run('import', '-', '--format', 'ndjson')
    expect(status).toBe(0)
    expect(stdout.trim().split('\n')).toHaveLength(2)
  }
})

test.each([
  ['two lists', { links: [a], others: [b] }, ', found several: links, others. Keep one of them'],
  [
    'two lists in an object',
    { data: { urls: [a], domains: [{ id: 1 }] } },
    ', found several: data.urls, data.domains.',
  ],
  ['no list', { url: shop('a') }, ''],
  ['an empty list', { links: [] }, ''],
  ['a list of texts', { links: [shop('a')] }, ''],
])('JSON with %s is refused', async (_, document, found) => {
  const { sandbox, write } = await setUp()
  const file = await write('x.json', JSON.stringify(document))
  const { status, stderr } = await run('import', file)
  expect(status).toBe(2)
  expect(stderr).toContain(`${file}, line 1: expected a list of objects, such as [{"url": "https://…"}]${found}`)
  expect(sandbox.requests).toEqual([])
})

test.each([
  ['/lamps', 'lamps'],
  ['tea/', 'tea'],
  ['/tea/', 'tea'],
  ['/caf%C3%A9', 'café'],
  ['go.example/tea', 'tea'],
  ['https://go.example/tea/', 'tea'],
  ['50%', '50%'],
  ['/50%', '50%'],
  ['tea', 'tea'],
])('the path %s is the alias %s', async (cell, custom) => {
  for (const column of ['Path', 'custom', 'Slug']) {
    const { sandbox, write } = await setUp()
    await run('import', await write('x.csv', `${column},Target,code\n${cell},${shop('a')},301\n`))
    expect(sentTo(sandbox)).toEqual([{ url: shop('a'), custom }])
  }
})

test.each(['/a/b', '/', '/a?b', 'a/b/'])('the path %s is no alias, and its row fails', async (cell) => {
  const { sandbox, write } = await setUp()
  const { status, stdout } = await run('import', await write('x.csv', `Path,url\n${cell},${shop('a')}\n`))
  expect(status).toBe(1)
  expect(stdout).toContain('not-sent,"custom: expected an alias')
  expect(sandbox.requests).toEqual([])
})

test('a column with the codes of redirects is named and never offered as an alias', async () => {
  for (const [text, sent] of [
    [`url,code\n${shop('a')},301\n${shop('b')},302\n`, [{ url: shop('a') }, { url: shop('b') }]],
    [`Path,url,code\n/aa1,${shop('a')},301\n,${shop('b')},410\n`, [a, { url: shop('b') }]],
  ] as const) {
    const { sandbox, write } = await setUp()
    const { status, stderr } = await run('import', await write('x.csv', text))
    expect({ status, sent: sentTo(sandbox) }).toEqual({ status: 0, sent })
    expect(stderr).toContain('not sent: code\n')
  }
  const { write } = await setUp()
  const other = await run('import', await write('x.csv', `url,code\n${shop('a')},301\n${shop('b')},tea\n`))
  expect(other.stderr).toContain("column 'code' could be the alias, but would not be sent.")
})

test.each([
  ['apple', 'devicetarget.iOS', 'deeplink.apple'],
  ['google', 'devicetarget.Android', 'deeplink.google'],
  ['App Store URL', 'devicetarget.iOS', 'deeplink.apple'],
  ['Google Play', 'devicetarget.Android', 'deeplink.google'],
])('a column %s is refused until --map says which target it is', async (column, device, store) => {
  const { sandbox, write, path } = await setUp()
  const file = await write('x.csv', `url,custom,${column}\n${shop('a')},aa1,https://apps.example/1\n`)
  const { status, stderr } = await run('import', file)
  expect(status).toBe(2)
  const advice = `Use --map '${column}=${device}', --map '${column}=${store}', or --map '${column}=' to leave it out`
  expect(stderr).toContain(
    `${file}, column ${column}: could be the devicetarget or the deeplink of a link, but would not be sent. ${advice}`,
  )
  expect(sandbox.requests).toEqual([])
  const link = 'https://apps.example/1'
  for (const to of [device, store, '']) {
    const { status } = await run(
      'import',
      file,
      '--map',
      `${column}=${to}`,
      '--journal',
      path(`j${to}`),
      '--campaign',
      '1',
    )
    expect(status).toBe(0)
    sandbox.data.links.length = 0
  }
  const devices = device === 'devicetarget.iOS' ? ['iPhone', 'iPad'] : ['Android']
  expect(sentTo(sandbox)).toEqual([
    { ...a, campaign: 1, devicetarget: devices.map((name) => ({ device: name, link })) },
    { ...a, campaign: 1, deeplink: { [store.split('.')[1]!]: link } },
    { ...a, campaign: 1 },
  ])
})

test('addresses of app stores are added to a deep link, and may not contradict it', async () => {
  const { sandbox, write } = await setUp()
  const deeplink = '"{""auto"":true,""apple"":""https://apps.example/1""}"'
  const rows = [
    `${shop('a')},aa1,${deeplink},https://apps.example/1`,
    `${shop('b')},bb2,${deeplink},https://apps.example/2`,
  ]
  const file = await write('x.csv', `url,custom,deeplink,apple\n${rows.join('\n')}\n`)
  const { status, stdout } = await run('import', file, '--map', 'apple=deeplink.apple')
  expect(status).toBe(1)
  expect(sentTo(sandbox)).toEqual([{ ...a, deeplink: { auto: true, apple: 'https://apps.example/1' } }])
  expect(stdout).toContain('deeplink: apple has two values')
})

test('counts of visitors by apple and google are not sent, without a question', async () => {
  const { sandbox, write } = await setUp()
  await run('import', await write('x.csv', `url,custom,apple,google\n${shop('a')},aa1,4,7\n`))
  expect(sentTo(sandbox)).toEqual([a])
})

test.each([
  [
    'a line above the header, and columns separated by |',
    `Exported 2026-11-28\nurl|custom\n${shop('a')}|aa1\n`,
    'line 1 is not a header: expected column names, such as url, found Exported 2026-11-28. Save the file with commas, semicolons or tabs instead of |, and without the line above the header, which is line 2',
  ],
  [
    'columns separated by |',
    `url|custom\n${shop('a')}|aa1\n`,
    'the columns of line 1 are separated by |. Save the file with commas, semicolons or tabs instead of |',
  ],
  [
    'a line above the header',
    `Exported 2026-11-28\nurl,custom\n${shop('a')},aa1\n`,
    'line 1 is not a header: expected column names, such as url, found Exported 2026-11-28. Save the file without the line above the header, which is line 2',
  ],
  [
    'several lines above the header',
    `My shop\n\nLinks\nLong URL;Alias\n${shop('a')};aa1\n`,
    'line 1 is not a header: expected column names, such as url, found My shop. Save the file without the lines above the header, which is line 4',
  ],
  [
    'a line above a header with tabs',
    `My shop\ncustom\turl\naa1\t${shop('a')}\n`,
    'line 1 is not a header: expected column names, such as url, found My shop. Save the file without the line above the header, which is line 2',
  ],
])('a table with %s is refused with what to do', async (_, text, message) => {
  const { sandbox, write } = await setUp()
  const file = await write('x.csv', text)
  for (const command of ['import', 'sync']) {
    const { status, stderr } = await run(command, file)
    expect(status).toBe(2)
    expect(stderr).toContain(`shortlink ${command}: ${file}: ${message}\n`)
  }
  expect(sandbox.requests).toEqual([])
})

test('if the column of the addresses is unknown too, the command has a place for its name', async () => {
  const { write } = await setUp()
  const file = await write('x.csv', `Ziel,Titel\n${shop('a')},A\n`)
  const { status, stderr } = await run('import', file)
  expect(status).toBe(2)
  expect(stderr).toContain(`\nFor example: shortlink import ${file} --map 'COLUMN=url' --map 'Titel=title'\n`)
})

test('all unclear columns are named in one run, with the command to copy', async () => {
  const { sandbox, write, path } = await setUp()
  const header = 'url,Vanity URL,titel,utm_campaing,apple,End date,type'
  const file = await write('my links.csv', `${header}\n${shop('a')},aa1,A,may,https://apps.example/1,2030-01-01,301\n`)
  const options = ['--map', 'type=', '--campaign', '1', '--dry-run', '--out', path('r.csv')]
  const { status, stderr } = await run('import', file, ...options)
  expect(status).toBe(2)
  expect(stderr).toBe(
    [
      `shortlink import: ${file}, column titel: did you mean title? Use --map 'titel=title', or --map 'titel=' if it is something else`,
      `${file}, column utm_campaing: did you mean utm_campaign? Use --map 'utm_campaing=utm_campaign', or --map 'utm_campaing=' if it is something else`,
      `${file}: column 'Vanity URL' could be the alias, but would not be sent. Use --map 'Vanity URL=custom', or --map 'Vanity URL=' to leave it out`,
      `${file}, column apple: could be the devicetarget or the deeplink of a link, but would not be sent. Use --map 'apple=devicetarget.iOS', --map 'apple=deeplink.apple', or --map 'apple=' to leave it out`,
      `${file}, column End date: could be the expiry of a link, but would not be sent. Use --map 'End date=expiry', or --map 'End date=' to leave it out`,
      `For example: shortlink import '${file}' --map 'type=' --map 'titel=title' --map 'utm_campaing=utm_campaign' --map 'Vanity URL=custom' --map 'apple=devicetarget.iOS' --map 'End date=expiry' --campaign 1 --dry-run --out ${path('r.csv')}`,
      `'shortlink import --help' lists the options.\n`,
    ].join('\n'),
  )
  const command = /For example: shortlink (.*)/.exec(stderr)![1]!
  const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
  expect((await run(...args)).stderr).toContain('1 link\n')
  expect((await run(...args.filter((arg) => arg !== '--dry-run'))).status).toBe(0)
  expect(sandbox.data.links).toHaveLength(1)
})
