import fs, { chmod, mkdir, open, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSandbox } from '../../src/testing/index.ts'
import { serve } from '../../src/testing/server.ts'
import { run, setUp, shop } from './run.ts'

/** The addresses, aliases and further parameters that a file had sent, in its order. */
const sentTo = (sandbox: Awaited<ReturnType<typeof setUp>>['sandbox']) =>
  sandbox.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)

test('import makes a link for every row, and the result is the file with the link and the outcome of each', async () => {
  const { sandbox, write, read, files } = await setUp()
  const text = `url,custom,title\n${shop('tea')},tea,Tea\n${shop('cake')},cake,"Cake, with cream"\n${shop('lamps')},,\n`
  const [file, out] = [await write('links.csv', text), await write('r.csv', '')]
  expect(await run('import', file, '--out', out)).toEqual({
    status: 0,
    stdout: '',
    stderr: '3 links\n3 created, 0 found and not changed, 0 failed\n',
  })
  const random = sandbox.data.links.find(({ longurl }) => longurl === shop('lamps'))!.alias
  expect(await read('r.csv')).toBe(`url,custom,title,shorturl,alias,created,outcome,error
${shop('tea')},tea,Tea,https://sho.rt/tea,tea,true,done,
${shop('cake')},cake,"Cake, with cream",https://sho.rt/cake,cake,true,done,
${shop('lamps')},,,https://sho.rt/${random},${random},true,done,
`)
  // The journal stays, because it is the record of which row got which link. The lock goes.
  expect(await files()).toEqual(['links.csv', 'links.csv.journal', 'r.csv'])
})

test('the same import again sends nothing, and gives the same result under any name', async () => {
  const { sandbox, write, read, path } = await setUp()
  const file = await write(
    'links.csv',
    `url,custom,Note\n${shop('tea')},tea,a\n${shop('cake')},,b\n${shop('cake')},,c\n`,
  )
  await run('import', file, '--out', path('r.csv'))
  const requests = sandbox.requests.length
  for (const out of ['r.csv', 'r2.csv']) {
    expect(await run('import', file, '--out', path(out))).toEqual({
      status: 0,
      stdout: '',
      stderr: `not sent: Note\n3 links, 3 done before\n3 done before, nothing sent: delete ${file}.journal to import them again\n`,
    })
    expect(await read(out)).toBe(await read('r.csv'))
  }
  expect(sandbox.requests).toHaveLength(requests)
  expect(sandbox.data.links).toHaveLength(3)
})

test('a row that was added is imported, whatever the result is called, and a file that was tried on another server is new', async () => {
  const { sandbox, write, path } = await setUp()
  const file = await write('links.csv', `url\n${shop('tea')}\n`)
  await run('import', file, '--out', path('r.csv'))
  await write('links.csv', `url\n${shop('cake')}\n${shop('tea')}\n`)
  const { stderr } = await run('import', file, '--out', path('r2.csv'))
  expect(stderr).toBe('2 links, 1 done before\n1 created, 0 found and not changed, 0 failed; 1 done before\n')
  expect(sentTo(sandbox)).toEqual([{ url: shop('tea') }, { url: shop('cake') }])
  const server = await serve(createSandbox())
  vi.stubEnv('SHORTLINK_BASE_URL', server.baseUrl)
  const elsewhere = await run('import', file, '--out', path('r3.csv'))
  await server.close()
  expect(elsewhere.stderr).toBe('2 links\n2 created, 0 found and not changed, 0 failed\n')
})

test('--journal keeps the journal of standard input, and a line says what there is to lose without it', async () => {
  const { sandbox, path, files } = await setUp()
  const input = () => {
    const text = Readable.from([Buffer.from(`url\n${shop('tea')}\n`)])
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(text as never)
  }
  onTestFinished(() => void vi.restoreAllMocks())
  for (const counts of ['1 created, 0 found and not changed, 0 failed', '1 done before, nothing sent: delete']) {
    input()
    const { stderr } = await run('import', '-', '--journal', path('tea.journal'))
    expect(stderr).toContain(counts)
    expect(stderr).not.toContain('No journal')
  }
  expect(sandbox.data.links).toHaveLength(1)
  input()
  expect((await run('import', '-')).stderr).toContain(
    'No journal: after a crash, the same command would make its links a second time. --journal FILE keeps one.\n',
  )
  expect(await files()).toEqual(['tea.journal'])
  const file = path('links.csv')
  await writeFile(file, `url\n${shop('tea')}\n`)
  const { status, stderr } = await run('import', file, '--journal', path('r.csv'), '--out', path('r.csv'))
  expect({ status, stderr }).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('is the journal of this import'),
  })
})

/** What another input has got, and files that are none of ours. */
test.each([
  [
    'the result of another file',
    `url,shorturl,alias,created,outcome,error\n${shop('x')},https://sho.rt/x,x,true,done,\n`,
    'which',
  ],
  [
    'a result of other columns without a link',
    'Link,shorturl,alias,created,outcome,error\nx,,,rejected,No.\n',
    'another file',
  ],
  ['a file of links', `url,custom\n${shop('x')},x\n`, 'is no result of'],
  ['any other file', 'Dear all,\n', 'is no result of'],
])('--out over %s is refused, and nothing is sent', async (_, text, message) => {
  const { sandbox, write, read } = await setUp()
  const file = await write('links.csv', `url\n${shop('tea')}\n`)
  const out = await write('r.csv', text)
  const { status, stdout, stderr } = await run('import', file, '--out', out)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr).toContain('Nothing was sent: give another file, or delete this one')
  expect(await read('r.csv')).toBe(text)
  expect(sandbox.requests).toEqual([])
})

test.each(['csv', 'json', 'ndjson', 'md', 'tsv'])(
  '--out over the .%s result of the same input replaces it',
  async (suffix) => {
    const { write, path } = await setUp()
    const file = await write('links.csv', `url,title\n${shop('tea')},a | b\nnonsense,\n`)
    expect((await run('import', file, '--out', path(`r.${suffix}`))).status).toBe(1)
    await write('links.csv', `url,title\n${shop('tea')},a | b\n${shop('cake')},\n`)
    expect((await run('import', file, '--out', path(`r.${suffix}`))).status).toBe(0)
    expect((await run('import', file, '--out', path(`r.${suffix}`))).status).toBe(0)
  },
)

test('once the journal is deleted, --out over the only list of the first addresses is refused', async () => {
  const { sandbox, write, path } = await setUp()
  const file = await write('links.csv', `url\n${shop('tea')}\n`)
  await run('import', file, '--out', path('r.csv'))
  await rm(`${file}.journal`)
  const { status, stderr } = await run('import', file, '--out', path('r.csv'))
  expect(status).toBe(2)
  expect(stderr).toMatch(/r\.csv: has https:\S+, which \S+ and its journal do not have\. Nothing was sent/)
  expect(sandbox.data.links).toHaveLength(1)
})

test.skipIf(process.platform === 'win32')('the result and the journal have the permissions of the input', async () => {
  const { write, path } = await setUp()
  const file = await write('links.csv', `url,password\n${shop('tea')},open sesame\n`)
  await chmod(file, 0o600)
  const empty = await write('r.csv', '')
  await chmod(empty, 0o644)
  for (const out of ['r.csv', 'r2.csv']) expect((await run('import', file, '--out', path(out))).status).toBe(0)
  for (const name of ['links.csv.journal', 'r.csv', 'r2.csv']) {
    expect([name, ((await stat(path(name))).mode & 0o777).toString(8)]).toEqual([name, '600'])
  }
})

test('of two imports with one --out, the later one writes its result beside it, says where, and ends with 1', async () => {
  const { sandbox, write, read, path } = await setUp()
  const file = await write('tea.csv', `url\n${shop('tea')}\n`)
  sandbox.fail({ path: '/url/add', delay: 300 })
  const later = run('import', file, '--out', path('r.csv'))
  await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(0), 20_000)
  await write(
    'r.csv',
    `url,shorturl,alias,created,outcome,error\n${shop('cake')},https://sho.rt/cake,cake,true,done,\n`,
  )
  const { status, stderr } = await later
  expect(status).toBe(1)
  expect(stderr).toContain(
    `${path('r.csv')} was written by another run meanwhile: the result is in ${path('r-2.csv')}\n`,
  )
  expect(await read('r.csv')).toContain(shop('cake'))
  expect(await read('r-2.csv')).toContain(`${shop('tea')},https://sho.rt/`)
})

test('the result has every column, delimiter, mark, line end and empty row of the input, and passwords as they were', async () => {
  const { sandbox, write, read, path } = await setUp()
  const text = `sep=;\r\nSKU;URL;Alias;Password;Note;Note\r\n1;${shop('tea')};tea;'=x;"a\nb";ü\r\n;;;;;\r\n2;nonsense;b;;;\r\n`
  const { status, stderr } = await run('import', await write('links.csv', `\uFEFF${text}`), '--out', path('r.csv'))
  expect(status).toBe(1)
  expect(stderr).toBe(`read as: Alias → custom
not sent: SKU, Note, Note
2 links
1 created, 0 found and not changed, 1 failed
shortlink-sdk import: 1 row failed, see outcome and error. To try again, run the same command.
`)
  expect(sentTo(sandbox)).toEqual([{ url: shop('tea'), custom: 'tea', password: '=x' }])
  const error =
    '"url: expected an absolute URL with its scheme, such as https://shop.example or myapp://open, received ""nonsense"""'
  expect(await read('r.csv')).toBe(
    `\uFEFFsep=;\r\nSKU;URL;Alias;Password;Note;Note;shorturl;result_alias;created;outcome;error\r\n1;${shop('tea')};tea;'=x;"a\nb";ü;https://sho.rt/tea;tea;true;done;\r\n;;;;;;;;;;\r\n2;nonsense;b;;;;;b;;not-sent;${error}\r\n`,
  )
})

test('a result that is imported again is replaced: rows that are done are not sent, the others are', async () => {
  const { sandbox, write, read, path } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea') }] } })
  const header = 'created,url,custom,shorturl,alias,result_created,outcome,error'
  const file = await write(
    'r.csv',
    `${header}\nmonday,${shop('tea')},tea,https://sho.rt/tea,tea,true,done,\ntuesday,${shop('cake')},cake,,cake,,rejected,No.\n`,
  )
  const { stderr } = await run('import', file, '--out', path('r2.csv'))
  expect(sentTo(sandbox)).toEqual([{ url: shop('cake'), custom: 'cake' }])
  expect(stderr).toContain('2 links, 1 to check\n1 created, 0 found and not changed, 0 failed; 1 done before')
  expect(await read('r2.csv')).toBe(
    `${header}\nmonday,${shop('tea')},tea,https://sho.rt/tea,tea,true,done,\ntuesday,${shop('cake')},cake,https://sho.rt/cake,cake,true,done,\n`,
  )
})

test.each(['TRUE', 'WAHR', 'VRAI', 'true'])('the %s that a spreadsheet writes for true is read as it', async (cell) => {
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

test('a cell with spaces around it comes back with them', async () => {
  const { write } = await setUp()
  const file = await write('links.csv', `url,Note\n${shop('tea')},"  two before"\n${shop('cake')},"behind "\n`)
  const { stdout } = await run('import', file)
  expect(stdout).toContain(`\n${shop('tea')},"  two before",https:`)
  expect(stdout).toContain(`\n${shop('cake')},"behind ",https:`)
})

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
])('a result whose columns a spreadsheet has %s is known as one', async (_, header, cells) => {
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

test('a result that has lost its short addresses is refused, unless --map says that its outcome is something else', async () => {
  const { sandbox, write } = await setUp()
  const lost = await write('r.csv', `url,Outcome\n${shop('tea')},done\n`)
  const { status, stderr } = await run('import', lost)
  expect(status).toBe(2)
  expect(stderr).toContain(
    "r.csv: the result of an import, by its column Outcome, lacks shorturl. Put it back, or say --map 'Outcome=' if the file is no result",
  )
  const row = await write('r2.csv', `url,shorturl,outcome\n${shop('tea')},,done\n`)
  expect((await run('import', row)).stderr).toContain(
    'r2.csv, row 2: is done and has no shorturl. Put it back, or empty outcome to make another link',
  )
  expect(sandbox.requests).toEqual([])
  const { stdout } = await run('import', lost, '--map', 'Outcome=')
  expect(stdout).toMatch(/^url,Outcome,shorturl,alias,created,result_outcome,error\n.*,done,https:\S+,true,done,\n$/)
})

test('rows that are done are compared with the links of the server: one that leads elsewhere, is gone or has another alias has failed', async () => {
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
  expect(stderr).toContain('4 links, 4 to check\n0 created, 0 found and not changed, 3 failed; 1 done before\n')
  const result = await read('r2.csv')
  expect(result.split('\n').slice(1, 5)).toEqual([
    rows[0],
    `${shop('corrected')},b,https://sho.rt/b,b,true,rejected,"https://sho.rt/b leads to ${shop('b')}, not to the url of this row. To change where a link leads, use sync"`,
    `${shop('c')},c,https://sho.rt/c,c,true,rejected,"https://sho.rt/c is not on this server. To make another link, empty shorturl and outcome"`,
    `${shop('d')},other,https://sho.rt/d,d,true,rejected,"the link of this row is https://sho.rt/d, which has another alias. To make another link, empty shorturl and outcome"`,
  ])
  // A list that lacks a link is read once more.
  expect(sandbox.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(4).fill('GET /urls'))
  // What has failed so is not sent when the new result is imported.
  expect((await run('import', path('r2.csv'))).status).toBe(1)
  expect(sentTo(sandbox)).toEqual([])
})

test('a row whose link moved out of sight while the list was read is looked up, and is done', async () => {
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

test('a JSON result is known too, whichever of its rows has failed', async () => {
  const { sandbox, write, path } = await setUp()
  const file = await write('links.json', JSON.stringify([{ url: 'nonsense' }, { url: shop('tea'), note: 'x' }]))
  expect((await run('import', file, '--out', path('r.json'))).status).toBe(1)
  expect((await run('import', path('r.json'))).stderr).toContain('2 links, 1 to check')
  expect(sentTo(sandbox)).toEqual([{ url: shop('tea') }])
})

test('of two columns with one name, the second is name_2 in JSON, so no cell is lost', async () => {
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
])('a .%s file comes back as one, with the four keys', async (suffix, format, parse) => {
  const { write } = await setUp()
  const row = { longurl: shop('tea'), alias: 'tea', extra: { deep: [1, null] } }
  const { status, stdout } = await run('import', await write(`links.${suffix}`, format([row])))
  expect(status).toBe(0)
  expect(parse(stdout)).toEqual([
    { ...row, shorturl: 'https://sho.rt/tea', result_alias: 'tea', created: true, outcome: 'done', error: null },
  ])
})

test('a failed row keeps the journal, and the same command tries only that row again', async () => {
  const { sandbox, write, files, path } = await setUp()
  const first = await write('links.csv', `url,custom\n${shop('tea')},tea\n${shop('x')},tea\n${shop('lamps')},lamps\n`)
  const failed = await run('import', first)
  expect(failed.status).toBe(1)
  expect(failed.stdout).toContain(`${shop('x')},tea,,tea,,not-sent,"custom: ""tea"" is the alias of row 2 already"`)
  expect(await files()).toEqual(['links.csv', 'links.csv.journal'])

  const before = sandbox.requests.length
  await write('links.csv', `url,custom\n${shop('tea')},tea\n${shop('cake')},cake\n${shop('lamps')},lamps\n`)
  const second = await run('import', path('links.csv'), '--json')
  expect(second.status).toBe(0)
  expect(JSON.parse(second.stdout)).toMatchObject([
    { shorturl: 'https://sho.rt/tea', outcome: 'done' },
    { shorturl: 'https://sho.rt/cake', created: true, outcome: 'done' },
    { shorturl: 'https://sho.rt/lamps', outcome: 'done' },
  ])
  expect(second.stderr).toContain('1 created, 0 found and not changed, 0 failed; 2 done before')
  expect(sandbox.requests).toHaveLength(before + 1)
})

test('what was made before, and what was found, are two numbers', async () => {
  const { write } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea') }] } })
  const file = await write('links.csv', `url,custom\n${shop('tea')},tea\n${shop('cake')},cake\n`)
  const { stdout, stderr } = await run('import', file)
  expect(stderr).toContain('1 created, 1 found and not changed, 0 failed\n')
  expect(stdout).toContain('https://sho.rt/tea,tea,false,done,')
})

test('import --dry-run says how long it takes and what is wrong, needs no key, and sends nothing', async () => {
  const { sandbox, write } = await setUp()
  vi.stubEnv('SHORTLINK_RATE_LIMIT', '30')
  vi.stubEnv('SHORTLINK_BASE_URL', undefined)
  vi.stubEnv('SHORTLINK_API_KEY', undefined)
  const rows = Array.from({ length: 1000 }, (_, index) => `${shop(String(index))},p-${index}`)
  const good = await run('import', await write('good.csv', `url,custom\n${rows.join('\n')}`), '--dry-run')
  expect(good).toEqual({
    status: 0,
    stdout: '',
    stderr: expect.stringMatching(/^1,000 links, about 34 minutes at 30 a minute\nrow 2: /),
  })
  const file = await write('bad.csv', `url,custom,expiry\n,"t\nea",\n${shop('x')},a,\n${shop('y')},b,24.12.2030\n`)
  const bad = await run('import', file, '--dry-run')
  expect(bad.status).toBe(1)
  expect(bad.stderr).toContain(`${file}, row 2: url: is missing, expected an absolute URL`)
  expect(bad.stderr).toContain(`${file}, row 4: expiry: expected YYYY-MM-DD HH:MM:SS, without seconds`)
  expect(bad.stderr).toContain('shortlink-sdk import: 2 rows cannot be imported')
  expect((await run('import', file)).stderr).toContain('no address: set SHORTLINK_BASE_URL')
  expect(sandbox.requests).toEqual([])
})

test('import --on-taken suffix gives a taken alias a number', async () => {
  const { write } = await setUp({ data: { links: [{ alias: 'tea', url: shop('other') }] } })
  const file = await write('links.ndjson', `{"longurl":"${shop('tea')}","alias":"tea"}\n`)
  const refused = await run('import', file)
  expect(refused.status).toBe(1)
  expect(refused.stdout).toContain('already leads to https://shop.example/other')
  const { status, stdout } = await run('import', file, '--on-taken', 'suffix', '--format', 'ndjson')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ shorturl: 'https://sho.rt/tea-2' })
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

test.each(['2030-12-24T18:00:00Z', '2030-12-24 18:00+02:00'])(
  'the date %s is refused for its time zone',
  async (cell) => {
    const { write } = await setUp()
    const { stdout } = await run('import', await write('links.csv', `url,expiry\n${shop('tea')},${cell}\n`))
    expect(stdout).toContain(`: the platform has no time zones, so leave out ${cell.endsWith('Z') ? 'Z' : '+02:00'}`)
  },
)

test.each(['2030-02-30', '24.12.2030', '2030-12-24 25:00', '12/24/2030', '2030-12-24T18:00:00Z'])(
  'the date %s fails its row with the accepted forms, and nothing is sent',
  async (cell) => {
    const { sandbox, write } = await setUp()
    const { stdout } = await run('import', await write('links.csv', `url,custom,expiry\n${shop('tea')},tea,${cell}\n`))
    expect(stdout).toContain('not-sent,"expiry: expected YYYY-MM-DD HH:MM:SS, without seconds, with T, or YYYY-MM-DD')
    expect(sentTo(sandbox)).toEqual([])
  },
)

test('campaigns and channels may be given by name, and an unknown one fails its row with the near ones', async () => {
  const { sandbox, write } = await setUp({
    data: { campaigns: [{ name: 'Spring' }, { name: 'Summer sale' }], channels: [{ name: 'Flyers' }], links: [] },
  })
  const rows = [`tea,spring,Flyers`, `cake,2,`, `lamps,Sprng,`, `boots,Summer,`, `hats,,1`, `x,,`]
  const file = await write(
    'links.csv',
    `url,custom,campaign,channel\n${rows.map((row) => `${shop(row.split(',')[0]!)},${row}`).join('\n')}\n`,
  )
  const { status, stdout } = await run('import', file, '--campaign', 'Summer sale')
  expect(status).toBe(1)
  expect(
    sentTo(sandbox).map((body) =>
      Object.values(body as object)
        .slice(1)
        .map(String),
    ),
  ).toEqual([
    ['tea', '1', '1'],
    ['cake', '2'],
    ['hats', '2', '1'],
    ['x', '2'],
  ])
  expect(stdout).toContain(`"campaign: there is none called ""Sprng"", did you mean 'Spring'?"`)
  expect(stdout).toContain(`"campaign: there is none called ""Summer"", did you mean 'Summer sale'?"`)
  const wrong = await run('import', file, '--campaign', 'Autumn')
  expect(wrong.status).toBe(2)
  expect(wrong.stderr).toContain(`--campaign: there is none called "Autumn", there are 'Spring' and 'Summer sale'`)
})

test('a campaign may be called by a number: the name is meant if that is no id, and both are refused', async () => {
  const campaigns = [
    { id: 7, name: 'Sale' },
    { id: 12, name: '7' },
    { id: 13, name: '2026' },
  ]
  const { sandbox, write } = await setUp({ data: { campaigns, links: [] } })
  const rows = ['2026', '12', '7', '99'].map((campaign, index) => `${shop(String(index))},${campaign}\n`)
  const file = await write('links.csv', `url,campaign\n${rows.join('')}`)
  const { stdout } = await run('import', file)
  expect(sentTo(sandbox)).toEqual([
    { url: shop('0'), campaign: 13 },
    { url: shop('1'), campaign: 12 },
  ])
  expect(stdout).toContain('"campaign: ""7"" is the id of ""Sale"" and the name of id 12, give ""Sale"" or 12"')
  expect(stdout).toContain('not-sent,"campaign: there is none called ""99""')
  expect((await run('import', file, '--campaign', '7')).stderr).toContain('--campaign: "7" is the id of "Sale"')
  expect(sandbox.requests.filter(({ path }) => path === '/campaigns')).toHaveLength(2)
})

const ownDomains = { data: { domains: [{ domain: 'https://go.example' }, { domain: 'https://b.example' }] } }

test('--domain is for the rows that have none', async () => {
  const { write } = await setUp(ownDomains)
  const file = await write('links.csv', `url,custom,domain\n${shop('a')},a,\n${shop('b')},b,https://b.example\n`)
  const { stdout } = await run('import', file, '--domain', 'https://go.example')
  expect(stdout.split('\n').slice(1, 3)).toEqual([
    `${shop('a')},a,,https://go.example/a,a,true,done,`,
    `${shop('b')},b,https://b.example,https://b.example/b,b,true,done,`,
  ])
})

test('a domain is sent as the server writes it, and an unknown one fails its row, in --domain it is wrong usage', async () => {
  const { sandbox, write } = await setUp(ownDomains)
  const rows = ['GO.example', 'http://b.example/', 'nope.example', 'go.exampel', '127.0.0.1']
  const file = await write('links.csv', `url,domain\n${rows.map((domain) => `${shop('a')},${domain}`).join('\n')}\n`)
  const plan = await run('import', file, '--dry-run')
  expect(plan.status).toBe(1)
  expect(plan.stderr).toContain('row 4: domain: there is none called "nope.example", there are \'https://go.example\'')
  expect(plan.stderr).toContain('row 5: domain: there is none called "go.exampel", did you mean')
  expect(sandbox.requests.map(({ path }) => path)).toEqual(['/domains', '/urls'])
  await run('import', file)
  expect(sentTo(sandbox).slice(0, 2)).toEqual([
    { url: shop('a'), domain: 'https://go.example' },
    { url: shop('a'), domain: 'https://b.example' },
  ])
  const requests = sandbox.requests.length
  for (const args of [
    ['import', file],
    ['shorten', shop('a')],
  ]) {
    const { status, stderr } = await run(...args, '--domain', 'nope.example')
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('--domain: there is none') })
  }
  expect(sandbox.requests.slice(requests).every(({ method }) => method === 'GET')).toBe(true)
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

test('a column with the domain of another shortener is said once before the rows, with what to write', async () => {
  const { sandbox, write } = await setUp()
  const rows = ['a', 'b', 'c'].map((name) => `${shop(name)},dub.sh\n`)
  const file = await write('links.csv', `url,Domain\n${rows.join('')}`)
  const { status, stderr } = await run('import', file, '--dry-run')
  expect(status).toBe(1)
  const advice =
    "3 rows with a domain that this account does not have. To import them on the main domain of the server, say --map 'Domain='"
  expect(stderr.split(advice)).toHaveLength(2)
  expect(stderr.indexOf(advice)).toBeLessThan(stderr.indexOf('row 2: domain'))
  expect((await run('import', file, '--map', 'Domain=')).status).toBe(0)
  expect(sentTo(sandbox)).toHaveLength(3)
})

test('a domain that a link of the account has is known', async () => {
  const { sandbox, write } = await setUp({ data: { links: [{ alias: 'x', url: shop('x') }] } })
  const file = await write('links.csv', `url,domain\n${shop('a')},sho.rt\n`)
  expect((await run('import', file)).status).toBe(0)
  expect(sentTo(sandbox)).toEqual([expect.objectContaining({ domain: 'https://sho.rt' })])
})

test('what a link that was there lacks is said again when the result is imported, and is still a success', async () => {
  const { write, path, read } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea'), title: 'Old' }] } })
  const file = await write('links.csv', `url,custom,title\n${shop('tea')},tea,Tea\n`)
  const lacks = '1 link may lack what the row says, see error: sync changes links\n'
  expect((await run('import', file, '--out', path('r.csv'))).stderr).toContain(lacks)
  const { status, stderr } = await run('import', path('r.csv'), '--out', path('r2.csv'))
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining(lacks) })
  expect(await read('r2.csv')).toBe(await read('r.csv'))
  expect((await run('sync', path('r.csv'), '--apply')).status).toBe(0)
  expect((await run('import', path('r.csv'), '--out', path('r2.csv'))).stderr).not.toContain(lacks)
})

test('an alias that leads elsewhere is said without the request that has found it', async () => {
  const { write } = await setUp({ data: { links: [{ alias: 'tea', url: shop('other') }] } })
  const { stdout } = await run('import', await write('links.csv', `url,custom\n${shop('tea')},tea\n`))
  expect(stdout).toContain(`,https://sho.rt/tea already leads to ${shop('other')}\n`)
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

test.each([
  ['the key is wrong', { key: 'wrong-key-1234567890' }, /: 401 .*SHORTLINK_API_KEY/],
  ['the address is wrong', { path: '/v2' }, /: 404 .* right\? It is http:\S+\/api\/v2\./],
])('import and shorten end at the first failure if %s, with nothing but that', async (_, server, message) => {
  const { sandbox, write, files } = await setUp()
  const { key = sandbox.apiKey, path = '' }: Record<string, string> = server
  vi.stubEnv('SHORTLINK_API_KEY', key)
  const rows = Array.from({ length: 100 }, (_, index) => `${shop(String(index))},p-${index}`)
  const file = await write('links.csv', `url,custom\n${rows.join('\n')}`)
  for (const command of [
    ['import', file],
    ['shorten', shop('a'), shop('b')],
  ]) {
    const before = sandbox.requests.length
    const { status, stdout, stderr } = await run(...command, '--base-url', process.env.SHORTLINK_BASE_URL + path)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/1234567890|apiKey|authScheme/)
    expect(stderr.match(/^shortlink-sdk /gm)).toHaveLength(1)
    expect(sandbox.requests.length - before).toBeLessThanOrEqual(20)
  }
  expect(await files()).toEqual(['links.csv', 'links.csv.journal'])
})

test('the row that a revoked key has ended an import at has the refusal for its error', async () => {
  const { sandbox, write } = await setUp()
  const refusal = { status: 401, body: { error: 1, message: 'Invalid key.' } }
  sandbox.fail({ path: '/url/add', after: 10, times: 100, ...refusal })
  const rows = Array.from({ length: 30 }, (_, index) => `${shop(String(index))},p-${index}`)
  const { status, stdout } = await run('import', await write('links.csv', `url,custom\n${rows.join('\n')}`))
  expect(status).toBe(1)
  expect(stdout).toMatch(/,rejected,.*401 Invalid key\..*\n/)
  expect(stdout).not.toContain('rejected,not tried yet')
  expect(stdout).toContain('p-29,,p-29,,not-sent,not tried yet\n')
})

test.each([0, 15])('import goes on if the campaign of row %i is not found', async (after) => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ path: '/url/add', after, status: 404, body: { error: 1, message: 'No.' } })
  const rows = Array.from({ length: 20 }, (_, index) => `${shop(String(index))},p-${index},2`)
  const { status, stderr } = await run('import', await write('links.csv', `url,custom,campaign\n${rows.join('\n')}`))
  expect(status).toBe(1)
  expect(stderr).toContain('19 created, 0 found and not changed, 1 failed')
})

test('standard input is read for -, whatever its format, and comes back in it', async () => {
  await setUp()
  for (const [text, first] of [
    [`url\tcustom\n${shop('a')}\ta\n`, 'url\tcustom\tshorturl\talias\tcreated\toutcome\terror'],
    [`[{"url":"${shop('b')}","custom":"b"}]`, '['],
    [
      `{"url":"${shop('c')}","custom":"c"}\n`,
      `{"url":"${shop('c')}","custom":"c","shorturl":"https://sho.rt/c","alias":"c","created":true,"outcome":"done","error":null}`,
    ],
  ] as const) {
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(text)]) as never)
    const { status, stdout } = await run('import', '-')
    expect(status).toBe(0)
    expect(stdout.split('\n')[0]).toBe(first)
  }
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from('[{')]) as never)
  expect((await run('import', '-')).stderr).toContain('shortlink-sdk import: standard input: expected JSON')
  vi.restoreAllMocks()
})

test.each([
  ['utf16le', (bytes: Buffer) => bytes],
  ['utf16be', (bytes: Buffer) => bytes.swap16()],
])('a file in %s is read, and the result is written in it', async (_name, order) => {
  const { sandbox, write, path } = await setUp()
  const text = (rows: string[]) => order(Buffer.from(`\uFEFF${rows.map((row) => `${row}\r\n`).join('')}`, 'utf16le'))
  const file = await write('links.txt', text(['url\tcustom\ttitle', `${shop('tea')}\ttea\tThé`]))
  expect((await run('import', file, '--out', path('r.txt'))).status).toBe(0)
  expect(sandbox.data.links[0]!.title).toBe('Thé')
  expect(await readFile(path('r.txt'))).toEqual(
    text([
      'url\tcustom\ttitle\tshorturl\talias\tcreated\toutcome\terror',
      `${shop('tea')}\ttea\tThé\thttps://sho.rt/tea\ttea\ttrue\tdone\t`,
    ]),
  )
})

test('every line end ends a row, also if a file has several, and a line break or tab in a cell is in no address', async () => {
  const { sandbox, write } = await setUp()
  const [one, two, three] = ['1', '2', '3'].map(shop)
  const text = `url\r\n${one}\n${two}\r\n${three}\r"${shop('4')}\n${shop('5')}"\r\n${shop('6')}\t7\n`
  const { stdout, stderr } = await run('import', await write('links.csv', text))
  expect(sentTo(sandbox)).toEqual([{ url: one }, { url: two }, { url: three }])
  expect(stderr).toContain('5 links\n3 created, 0 found and not changed, 2 failed\n')
  expect(stdout.match(/,not-sent,"url: expected an absolute URL with its scheme/g)).toHaveLength(2)
})

const alias = 'could be the alias, and would not be sent. Say --map'

test.each<[string, string, string | Buffer | undefined, string]>([
  ['a file that is not there', 'none.csv', undefined, ': there is no such file'],
  ['another kind of file', 'links.xml', 'x', ': expected a .csv, .tsv, .txt, .json or .ndjson file'],
  [
    'a workbook',
    'links.xlsx',
    Buffer.from('PK\x03\x04abc\0'),
    ': is a workbook, or another zip file. In the spreadsheet, save it as "CSV UTF-8"',
  ],
  ['a workbook under another name', 'links.csv', Buffer.from('PK\x03\x04abc\0'), ': is a workbook'],
  ['NUL bytes', 'links.csv', Buffer.alloc(100), ', line 1: is no text: it has NUL bytes'],
  ['a NUL byte far behind', 'links.csv', `url\n${'a\n'.repeat(100_000)}\0`, ', line 100002: is no text'],
  ['an empty file', 'links.csv', '\uFEFF\n', ', line 1: expected the names of the columns, the file is empty'],
  [
    'two columns for one parameter',
    'links.csv',
    'url,alias,Slug\na,b,c\n',
    ": there are two columns for custom: alias and Slug. Say which it is: --map 'alias=custom'",
  ],
  ['an old encoding', 'links.csv', Buffer.from('url\na\nb\xfc\n', 'latin1'), ', line 3: expected UTF-8 or UTF-16.'],
  ['no column url', 'links.csv', `name,page\na,${shop('b')}\n`, ': expected a column url (or longurl, destination'],
  [
    'addresses without a header',
    'links.txt',
    `${shop('a')}\n${shop('b')}\n`,
    ', line 1: expected the names of the columns, such as url, found an address',
  ],
  [
    'a slip in a column',
    'links.csv',
    'url,custom,titel\na,b,c\n',
    ", column titel: did you mean title? Say --map 'titel=title', or --map 'titel=' if it is something else",
  ],
  [
    'a column called as aliases are',
    'links.csv',
    `url,Vanity URL\n${shop('a')},a\n`,
    `: column 'Vanity URL' ${alias} 'Vanity URL=custom', or --map 'Vanity URL=' to leave it out`,
  ],
  ['too many cells', 'links.csv', 'url,custom\na,b\nc,d,e\n', ', row 3: has 3 cells, but there are 2 columns'],
  [
    'an open quote',
    'links.csv',
    'url,custom\na,b\n"a,b\nc,d\ne,f\n',
    ', line 3: a quote (") opens a cell of this row and does not close it',
  ],
  ['an open quote before others', 'links.csv', 'url,title\na,"b\nc,"d ""x"""\n', ', line 2: a quote (") opens'],
  ['a quote in a cell', 'links.csv', 'url,title\na,5" lamp\n', ', line 2: Invalid Opening Quote'],
  ['broken JSON', 'links.json', '[\n {"url": "a"},\n {"url": }\n]', `: expected JSON: Unexpected token '}'`],
  ['JSON that is no list', 'links.json', '{"url": "a"}', ', line 1: expected a list of objects'],
  ['JSON rows that are none', 'links.json', '[{"url": "a"}, 7]', ', row 2: expected an object'],
  ['a broken line', 'links.ndjson', '{"url": "a"}\n{"url": \n', ', line 2: expected JSON'],
])('import refuses %s with its place, in two lines, and sends nothing', async (_what, name, text, message) => {
  const { sandbox, write, path, files } = await setUp()
  const file = text === undefined ? path(name) : await write(name, text)
  const { status, stdout, stderr } = await run('import', file)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(`shortlink-sdk import: ${file}${message}`)
  expect(stderr.split('\n')).toHaveLength(3)
  expect(sandbox.requests).toEqual([])
  expect(await files()).toEqual(text === undefined ? [] : [name])
})

test('a folder, and a file beyond the limit, are refused in a sentence', async () => {
  const { path, write } = await setUp()
  await mkdir(path('x.csv'))
  expect((await run('import', path('x.csv'))).stderr).toContain(`${path('x.csv')}: is a folder, expected a file`)
  const large = await write('large.csv', `url\n${'a\n'.repeat(33 * 2 ** 20)}`)
  expect((await run('import', large)).stderr).toContain('is larger than 64 MiB: split it into several files')
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

test.each([
  ['csv', `url,${Array.from({ length: 1000 }, (_, index) => `c${index}`)}\n`],
  ['ndjson', Array.from({ length: 200_000 }, (_, index) => `{"url":"x","k${index}":1}`).join('\n')],
])('a .%s file of more than 1,000 columns is refused at once', async (suffix, text) => {
  const { write } = await setUp()
  const file = await write(`links.${suffix}`, text)
  expect(await run('import', file)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`${file}: has more than 1,000 columns\n`),
  })
})

test('rows of NDJSON come back with their own keys alone', async () => {
  const { write } = await setUp()
  const rows = [
    { url: shop('a'), custom: 'a', one: 1 },
    { url: shop('b'), custom: 'b', two: null },
  ]
  const file = await write('links.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'))
  const { stdout } = await run('import', file)
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const ours = { created: true, outcome: 'done', error: null }
  expect(results).toEqual(
    rows.map((row) => ({ ...row, shorturl: `https://sho.rt/${row.custom}`, alias: row.custom, ...ours })),
  )
})

test('the input is never overwritten, whatever the output is called', async () => {
  const { write, path, read } = await setUp()
  const text = `url,custom\n${shop('a')},a\n`
  const file = await write('links.csv', text)
  await symlink(file, path('other.csv'))
  await mkdir(path('folder'))
  for (const out of ['links.csv', 'other.csv', 'folder/../links.csv']) {
    const { status, stderr } = await run('import', file, '--out', path('').concat('/', out))
    expect(status).toBe(2)
    expect(stderr).toContain('is the file that is read. Give another file')
  }
  expect(await read('links.csv')).toBe(text)
})

test('a second import of a file that is being imported is refused, through a symlink and with another output too', async () => {
  const { sandbox, write, path, files } = await setUp()
  const file = await write('links.csv', `url\n${shop('a')}\n`)
  await symlink(file, path('other.csv'))
  sandbox.fail({ path: '/url/add', delay: 300 })
  const first = run('import', file, '--out', path('r.csv'))
  await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(0), 20_000)
  const second = await run('import', path('other.csv'), '--out', path('r2.csv'))
  expect(second.status).toBe(1)
  expect(second.stderr).toContain('in use by another run')
  expect((await first).status).toBe(0)
  expect(sandbox.data.links).toHaveLength(1)
  expect(await files()).toEqual(['links.csv', 'links.csv.journal', 'other.csv', 'r.csv'])
})

test('beside a file in a folder that cannot be written, import says so and sends nothing; with --journal elsewhere it works', async () => {
  const { sandbox, write, path, files } = await setUp()
  const file = await write('links.csv', `url\n${shop('a')}\n`)
  const { writeFile } = fs
  vi.spyOn(fs, 'writeFile').mockImplementation(async (name, ...rest) => {
    const error = Object.assign(new Error(`EROFS: read-only file system, open '${name}'`), { code: 'EROFS' })
    return String(name).startsWith(file) ? Promise.reject(error) : writeFile(name, ...rest)
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })
  const { status, stdout, stderr } = await run('import', file)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain(
    'Nothing is lost: allow writing there and run the same command, or give --journal FILE elsewhere',
  )
  expect(sandbox.requests).toEqual([])
  expect((await run('import', file, '--journal', path('j.journal'))).status).toBe(0)
  expect(await files()).toEqual(['j.journal', 'links.csv'])
})

test('a full disk at the end says what to do, and nothing is lost: the same command sends nothing again', async () => {
  const { sandbox, write, path, files } = await setUp()
  const file = await write('links.csv', `url\n${shop('a')}\n${shop('b')}\n`)
  const probe = await open(file, 'r')
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  const sync = vi.spyOn(Object.getPrototypeOf(probe), 'sync').mockRejectedValue(full)
  await probe.close()
  const { status, stderr } = await run('import', file, '--out', path('r.csv'))
  sync.mockRestore()
  expect(status).toBe(1)
  expect(stderr).toContain(
    'ENOSPC: no space left on device. Nothing is lost: make room and run the same command, or give --out FILE elsewhere',
  )
  expect(await files()).toEqual(['links.csv', 'links.csv.journal'])
  const before = sandbox.requests.length
  expect((await run('import', file, '--out', path('r.csv'))).status).toBe(0)
  expect(sandbox.requests).toHaveLength(before)
})

test('an alias that is called as an option is printed as it is', async () => {
  const { write } = await setUp({ data: { links: [{ alias: 'baseUrl', url: shop('other') }] } })
  const { stdout } = await run('import', await write('links.csv', `url,custom\n${shop('apiKey')},baseUrl\n`))
  expect(stdout).toContain(`https://sho.rt/baseUrl already leads to ${shop('other')}`)
  expect(stdout).not.toContain('--base-url')
})

test('a link that was found and lacks what the row says is named in the result, without its password', async () => {
  const { write } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea'), title: 'Old' }] } })
  const file = await write('links.csv', `url,custom,title,password\n${shop('tea')},tea,New,s3cret\n`)
  const { status, stdout, stderr } = await run('import', file)
  expect(status).toBe(0)
  expect(stdout).toContain(
    'https://sho.rt/tea,tea,false,done,"left as it is: title, password may not be as in this row"',
  )
  expect(stderr).toContain('1 link may lack what the row says, see error: sync changes links\n')
})

test('a link that the server makes under an alias of its own is named, with the call that deletes it', async () => {
  const { sandbox, write } = await setUp({ dialect: ['alias-ignored'], data: { links: [] } })
  const { status, stderr } = await run('import', await write('links.csv', `url,custom\n${shop('tea')},tea\n`))
  expect(status).toBe(1)
  const [{ id, alias }] = sandbox.data.links as unknown as [{ id: number; alias: string }]
  expect(stderr).toContain(
    `https://sho.rt/${alias} was made in place of the wanted link. To delete it: shortlink-sdk call DELETE /url/${id}/delete\n`,
  )
})

test('import --dry-run shows what the first three rows send, without passwords, and aliases that are twins', async () => {
  const { sandbox, write } = await setUp()
  const rows = ['Tea,New tea,s3cret', 'tea,,', 'cake,,', 'lamps,,'].map(
    (cells, index) => `${shop(`${index}`)},${cells}`,
  )
  const file = await write('links.csv', `url,custom,title,password\n${rows.join('\n')}\n`)
  const { status, stderr } = await run('import', file, '--dry-run')
  expect(status).toBe(0)
  expect(stderr).toBe(
    `4 links
row 2: url=${shop('0')}, custom=Tea, title=New tea, password=(a password)
row 3: url=${shop('1')}, custom=tea
row 4: url=${shop('2')}, custom=cake
rows 2 and 3: Tea and tea are one alias on some servers
`,
  )
  expect(sandbox.requests).toEqual([])
})
