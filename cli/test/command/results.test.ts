import type { Deviation } from 'shortlink-sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

test('the result keeps the columns, delimiter, byte order mark, line endings, empty rows and passwords of the input', async () => {
  const { sandbox, write, read, path } = await setUp()
  const text = `sep=;\r\nSKU;URL;Alias;Password;Note;Note\r\n1;${shop('tea')};tea;'=x;"a\nb";ü\r\n;;;;;\r\n2;nonsense;b;;;\r\n`
  const file = await write('links.csv', `\uFEFF${text}`)
  const { status, stderr } = await run('import', file, '--out', path('r.csv'))
  expect(status).toBe(1)
  expect(stderr).toBe(`read as: Alias → custom
not sent: SKU, Note, Note
2 links
1 created, 0 already existed, unchanged, 1 failed
${file}, row 4: url: expected an absolute URL with its scheme, such as https://shop.example or myapp://open, received "nonsense"
shortlink import: 1 row failed, see the columns outcome and error. To try again, run the same command.
`)
  expect(sentTo(sandbox)).toEqual([{ url: shop('tea'), custom: 'tea', password: '=x' }])
  const error =
    '"url: expected an absolute URL with its scheme, such as https://shop.example or myapp://open, received ""nonsense"""'
  expect(await read('r.csv')).toBe(
    `\uFEFFsep=;\r\nSKU;URL;Alias;Password;Note;Note;shorturl;result_alias;created;outcome;error\r\n1;${shop('tea')};tea;'=x;"a\nb";ü;https://sho.rt/tea;tea;true;done;\r\n;;;;;;;;;;\r\n2;nonsense;b;;;;;b;;not-sent;${error}\r\n`,
  )
})

test('importing a result sends only the rows that are not done', async () => {
  const { sandbox, write, read, path } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea') }] } })
  const header = 'created,url,custom,shorturl,alias,result_created,outcome,error'
  const file = await write(
    'r.csv',
    `${header}\nmonday,${shop('tea')},tea,https://sho.rt/tea,tea,true,done,\ntuesday,${shop('cake')},cake,,cake,,rejected,No.\n`,
  )
  const { stderr } = await run('import', file, '--out', path('r2.csv'))
  expect(sentTo(sandbox)).toEqual([{ url: shop('cake'), custom: 'cake' }])
  expect(stderr).toContain('2 links, 1 to check\n1 created, 0 already existed, unchanged, 0 failed; 1 done before')
  expect(await read('r2.csv')).toBe(
    `${header}\nmonday,${shop('tea')},tea,https://sho.rt/tea,tea,true,done,\ntuesday,${shop('cake')},cake,https://sho.rt/cake,cake,true,done,\n`,
  )
})

test('a row of a result with an unknown outcome and no alias is not sent, and stays unknown', async () => {
  const { sandbox, write, read, path } = await setUp({ dialect: ['alias-ignored'] })
  const file = await write('links.csv', `url\n${shop('cake')}\n${shop('tea')}\n`)
  sandbox.fail({ method: 'POST', after: 1, drop: 'after' })
  await run('import', file, '--no-aliases', '--out', path('r.csv'))
  expect(sandbox.data.links).toHaveLength(2)
  const problem = 'an earlier run may have created the link of this row: it was sent without an alias'
  for (const [from, to] of [
    ['r.csv', 'r2.csv'],
    ['r2.csv', 'r3.csv'],
  ] as const) {
    expect((await run('import', path(from), '--out', path(to))).status).toBe(1)
    expect(await read(to)).toContain(`\n${shop('tea')},,,,unknown,"${problem},`)
    expect(sandbox.data.links).toHaveLength(2)
  }
})

test.each(['TRUE', 'WAHR', 'VRAI', 'true'])('%s, as spreadsheets write true, is read as true', async (cell) => {
  const links = ['tea', 'cake'].map((alias) => ({ alias, url: shop(alias) }))
  const { write, path, read } = await setUp({ data: { links } })
  const rows = `${shop('tea')},https://sho.rt/tea,tea,${cell},done,\n${shop('cake')},https://sho.rt/cake,cake,FALSE,done,\n`
  const file = await write('r.csv', `url,shorturl,alias,created,outcome,error\n${rows}`)
  const { stderr } = await run('import', file, '--out', path('r2.csv'))
  expect(stderr).toBe('2 links, 2 to check\n2 done before, nothing sent\n')
  expect(await read('r2.csv')).toBe(
    await read('r.csv').then((text) => text.replace(cell, 'true').replace('FALSE', 'false')),
  )
})

test('the result keeps spaces at the ends of cells', async () => {
  const { write } = await setUp()
  const file = await write('links.csv', `url,Note\n${shop('tea')},"  two before"\n${shop('cake')},"behind "\n`)
  const { stdout } = await run('import', file)
  expect(stdout).toContain(`\n${shop('tea')},"  two before",https:`)
  expect(stdout).toContain(`\n${shop('cake')},"behind ",https:`)
})

test.each([
  [
    'moved',
    'shorturl,url,outcome,Remark,error,created',
    ['https://sho.rt/tea', shop('tea'), 'done', 'good', '', 'true'],
  ],
  [
    'in capitals',
    'URL,Remark,ShortURL,Created,OUTCOME,Error',
    [shop('tea'), 'good', 'https://sho.rt/tea', 'true', 'done', ''],
  ],
  ['without created and error', 'url,Remark,Outcome,shorturl', [shop('tea'), 'good', 'done', 'https://sho.rt/tea']],
])('a result is recognized if its columns are %s', async (_, header, cells) => {
  const { sandbox, write, path, read } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea') }] } })
  const file = await write('r.csv', `${header}\n${cells}\n`)
  const { status, stderr } = await run('import', file, '--out', path('r2.csv'))
  expect({ status, stderr }).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('1 done before, nothing sent\n'),
  })
  expect(sentTo(sandbox)).toEqual([])
  const created = /created/i.test(header) ? 'true' : ''
  expect(await read('r2.csv')).toMatch(
    new RegExp(
      `^url,Remark,shorturl,alias,created,outcome,error\n.*,good,https://sho.rt/tea,tea,${created},done,\n$`,
      'i',
    ),
  )
})

test('a result without its short addresses is rejected, unless --map declares its outcome as an own column', async () => {
  const { sandbox, write } = await setUp()
  const lost = await write('r.csv', `url,Outcome\n${shop('tea')},done\n`)
  const { status, stderr } = await run('import', lost)
  expect(status).toBe(2)
  expect(stderr).toContain(
    "r.csv has the column Outcome, as the result of an import, but no column shorturl. Restore that column, or use --map 'Outcome=' if the file is not a result",
  )
  const row = await write('r2.csv', `url,shorturl,outcome\n${shop('tea')},,done\n`)
  expect((await run('import', row)).stderr).toContain(
    'r2.csv, row 2: is done, but has no shorturl. Restore it, or clear outcome to create another link',
  )
  expect(sandbox.requests).toEqual([])
  const { stdout } = await run('import', lost, '--map', 'Outcome=')
  expect(stdout).toMatch(/^url,Outcome,shorturl,alias,created,result_outcome,error\n.*,done,https:\S+,true,done,\n$/)
})

test('a finished row fails if its link leads to another address, is gone or has another alias', async () => {
  const links = ['a', 'b', 'c', 'd'].map((alias) => ({ alias, url: shop(alias) }))
  const others = Array.from({ length: 150 }, (_, index) => ({ alias: `x-${index}`, url: shop('x') }))
  const { sandbox, write, read, path } = await setUp({ data: { links: [...links, ...others] } })
  sandbox.data.links.splice(2, 1)
  const rows = [
    ['a', 'a'],
    ['corrected', 'b'],
    ['c', 'c'],
    ['d', 'other'],
  ].map(([url, custom], index) => `${shop(url!)},${custom},https://sho.rt/${'abcd'[index]},${'abcd'[index]},true,done,`)
  const file = await write('r.csv', `url,custom,shorturl,alias,created,outcome,error\n${rows.join('\n')}\n`)
  const { status, stderr } = await run('import', file, '--out', path('r2.csv'))
  expect(status).toBe(1)
  expect(stderr).toContain('4 links, 4 to check\n0 created, 0 already existed, unchanged, 3 failed; 1 done before\n')
  const result = await read('r2.csv')
  expect(result.split('\n').slice(1, 5)).toEqual([
    rows[0],
    `${shop('corrected')},b,https://sho.rt/b,b,true,rejected,"https://sho.rt/b leads to ${shop('b')}, not to the url of this row. To change where a link leads, use sync"`,
    `${shop('c')},c,https://sho.rt/c,c,true,rejected,"https://sho.rt/c is not on this server. To create another link, clear shorturl and outcome"`,
    `${shop('d')},other,https://sho.rt/d,d,true,rejected,"the link of this row is https://sho.rt/d, which has another alias. To create another link, clear shorturl and outcome"`,
  ])
  // A list that lacks a link is read again.
  expect(sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(4).fill('GET /urls'))
  // Importing the new result does not send the failed rows.
  expect((await run('import', path('r2.csv'))).status).toBe(1)
  expect(sentTo(sandbox)).toEqual([])
})

test('a finished row succeeds even if its link moved to another page while the list was read', async () => {
  const links = Array.from({ length: 250 }, (_, index) => ({ alias: `p-${index}`, url: shop(`${index}`) }))
  const { sandbox, write } = await setUp({ data: { links } })
  const file = await write(
    'r.csv',
    `url,shorturl,outcome\n${shop('0')},https://sho.rt/p-0,done\n${shop('1')},https://sho.rt/p-1,done\n`,
  )
  const { fetch } = globalThis
  let pages = 0
  vi.stubGlobal('fetch', async (...call: Parameters<typeof fetch>) => {
    const response = await fetch(...call)
    if (++pages === 2) sandbox.data.links.splice(-120, 110)
    return response
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  expect((await run('import', file)).stderr).toContain('2 done before, nothing sent')
})

test('a JSON result is recognized even if its first row failed', async () => {
  const { sandbox, write, path } = await setUp()
  const file = await write('links.json', JSON.stringify([{ url: 'nonsense' }, { url: shop('tea'), note: 'x' }]))
  expect((await run('import', file, '--out', path('r.json'))).status).toBe(1)
  expect((await run('import', path('r.json'))).stderr).toContain('2 links, 1 to check')
  expect(sentTo(sandbox)).toEqual([{ url: shop('tea') }])
})

test('in JSON, the second of two columns with the same name becomes name_2', async () => {
  const { write } = await setUp()
  const file = await write('links.csv', `url,Note,Note,created,created\n${shop('tea')},a,b,c,d\n`)
  const { stdout } = await run('import', file, '--json')
  expect(JSON.parse(stdout)).toMatchObject([
    { Note: 'a', Note_2: 'b', created: 'c', created_2: 'd', result_created: true },
  ])
})

test.each([
  ['json', (rows: unknown[]) => JSON.stringify(rows), (text: string) => JSON.parse(text)],
  [
    'ndjson',
    (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n\n'),
    (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  ],
])('the result of a .%s file has the same format, and each row keeps its own keys', async (suffix, format, parse) => {
  const { write } = await setUp()
  const rows = [
    { longurl: shop('tea'), alias: 'tea', extra: { deep: [1, null] } },
    { longurl: shop('cake'), alias: 'cake', other: null },
  ]
  const { status, stdout } = await run('import', await write(`links.${suffix}`, format(rows)))
  expect(status).toBe(0)
  const ours = { created: true, outcome: 'done', error: null }
  expect(parse(stdout)).toEqual(
    rows.map((row) => ({ ...row, shorturl: `https://sho.rt/${row.alias}`, result_alias: row.alias, ...ours })),
  )
})

test('differences of a link that was found are reported again when the result is imported, without failing', async () => {
  const { write, path, read } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea'), title: 'Old' }] } })
  const file = await write('links.csv', `url,custom,title,password\n${shop('tea')},tea,Tea,s3cret\n`)
  const lacks = '1 link may differ from the row, see the column error. To change links, use sync\n'
  expect((await run('import', file, '--out', path('r.csv'))).stderr).toContain(lacks)
  expect(await read('r.csv')).toContain(',false,done,"not changed: title, password may differ from this row"')
  const { status, stderr } = await run('import', path('r.csv'), '--out', path('r2.csv'))
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining(lacks) })
  expect(await read('r2.csv')).toBe(await read('r.csv'))
})

test('cells that a spreadsheet would run as formulas are guarded when written, and restored when read', async () => {
  const titles = ['=1+1', '+1', '-1', '@x', 'plain', 'Shop;=1+1;', 'Tea\t+1', 'list\n-1\r@x', 'a;b']
  const { sandbox, path, read } = await setUp({
    data: { links: titles.map((title, index) => ({ title, alias: `p-${index}`, url: shop(`${index}`) })) },
  })
  await run('list', 'links', '--out', path('all.csv'))
  for (const cell of ["'=1+1", "'+1", "'-1", "'@x", 'plain', '"Shop;\'=1+1;"', '"a;b"']) {
    expect(await read('all.csv')).toContain(`,${cell},`)
  }
  // Spreadsheets may treat any of these as the end of a cell.
  expect(await read('all.csv')).not.toMatch(/[,;\t\r\n][=+\-@]/)
  sandbox.data.links.length = 0
  expect((await run('import', path('all.csv'), '--map', 'domain=domain')).status).toBe(0)
  expect(sandbox.data.links.map(({ title }) => title)).toEqual(titles)
})

test('the output of list and report can be imported, and synced without changes', async () => {
  const data = {
    campaigns: [{ id: 1, links: [2] }],
    channels: [{ id: 1, items: [{ type: 'links' as const, id: 1 }] }],
    links: [
      { alias: 'tea', url: shop('tea'), title: 'Tea' },
      { alias: 'cake', url: shop('cake'), title: 'Cake', clicks: 3 },
    ],
  }
  for (const name of ['all.csv', 'all.json', 'all.ndjson']) {
    for (const command of [['list', 'links'], ['report']]) {
      const { sandbox, path } = await setUp({ data })
      expect((await run(...command, '--out', path(name))).status).toBe(0)
      expect((await run('sync', path(name))).stderr).toContain('2 to keep, 0 to delete\nNothing to do.\n')
      sandbox.data.links.length = 0
      // No links are left that would show that the host belongs to this server.
      const maps = ['domain', 'campaign', 'channel'].flatMap((kind) => ['--map', `${kind}=${kind}`])
      expect(await run('import', path(name), ...maps, '--out', path('r.csv'))).toMatchObject({ status: 0 })
      expect(sandbox.data.links.map(({ alias, longurl, title }) => [alias, longurl, title]).sort()).toEqual([
        ['cake', shop('cake'), 'Cake'],
        ['tea', shop('tea'), 'Tea'],
      ])
    }
  }
})

test.each<[Deviation, string, string]>([
  ['url-respelled', 'caf%c3%a9/?a=1&b=2', ''],
  ['url-respelled', 'tea/', ''],
  ['url-respelled', 'tea/#opening', `the server shows the url as ${shop('tea')}`],
  ['url-lower-case', 'Tea?Q=1', `the server shows the url as ${shop('tea?q=1')}`],
  ['url-cut', `${'long-'.repeat(20)}end`, `the server shows the url as ${shop('long-'.repeat(20)).slice(0, 80)}`],
])('importing a result succeeds if %s changed the stored address of %s', async (deviation, name, error) => {
  const { sandbox, write, path, read } = await setUp({ dialect: [deviation], data: { links: [] } })
  const file = await write('links.csv', `url,custom\n${shop(name)},tea\n`)
  expect((await run('import', file, '--out', path('r.csv'))).status).toBe(0)
  const sent = sentTo(sandbox).length
  const { status, stderr } = await run('import', path('r.csv'), '--out', path('r2.csv'))
  expect(status).toBe(0)
  expect(stderr).toContain('1 done before')
  expect((await read('r2.csv')).split('\n')[1]).toBe(`${shop(name)},tea,https://sho.rt/tea,tea,true,done,${error}`)
  expect(sentTo(sandbox)).toHaveLength(sent)
})

test('importing a result fails if a link leads to another address or to a prefix of it', async () => {
  const links = ['a', 'b'].map((alias) => ({ alias, longurl: shop(alias) }))
  const { write, path, read } = await setUp({ data: { links } })
  const rows = [`${shop('a/1')},https://sho.rt/a,done`, `${shop('x')},https://sho.rt/b,done`]
  const file = await write('r.csv', `url,shorturl,outcome\n${rows.join('\n')}\n`)
  expect((await run('import', file, '--out', path('r2.csv'))).status).toBe(1)
  const result = await read('r2.csv')
  expect(result.match(/rejected,"https:\/\/sho\.rt\/. leads to/g)).toHaveLength(2)
})
