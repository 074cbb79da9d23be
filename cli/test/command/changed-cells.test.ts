import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

const fields = (cells: readonly string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()

const pasted: [string, Record<string, string>, string][] = [
  [
    'a zero-width space at the end of an address',
    { url: `${shop('tea')}\u200b` },
    'url: has the invisible character U+200B at position 25',
  ],
  [
    'a word joiner in an address',
    { url: 'https://shop.example/\u2060lamps' },
    'url: has the invisible character U+2060 at position 22',
  ],
  [
    'a right-to-left override',
    { url: 'https://shop.example/\u202e.abc' },
    'url: has the invisible character U+202E at position 22',
  ],
  [
    'a byte order mark in an alias',
    { custom: 'te\ufeffa' },
    'custom: has the invisible character U+FEFF at position 3',
  ],
  [
    'a soft hyphen in an alias, after an emoji',
    { custom: '🍵\u00adtea' },
    'custom: has the invisible character U+00AD at position 2',
  ],
  [
    'a joiner between letters of ASCII',
    { custom: 'te\u200da' },
    'custom: has the invisible character U+200D at position 3',
  ],
  [
    'a mark in a domain',
    { domain: 'https://go.\u200eexample' },
    'domain: has the invisible character U+200E at position 12',
  ],
  [
    'a mark in a target',
    { 'Android URL': `${shop('a')}\u200f` },
    'devicetarget.Android: has the invisible character U+200F at position 23',
  ],
  [
    'a no-break space after an alias',
    { custom: 'tea\xa0' },
    'custom: has the invisible character U+00A0 at position 4',
  ],
  [
    'a byte order mark before an address',
    { url: `\ufeff${shop('a')}` },
    'url: has the invisible character U+FEFF at position 1',
  ],
  [
    'a mark in JSON',
    { geotarget: `[{"location":"DE","link":"${shop('d')}\u200b"}]` },
    'geotarget: has the invisible character U+200B at position 49',
  ],
  [
    'two addresses with a space',
    { url: `${shop('x')} ${shop('y')}` },
    'url: has two addresses, the second from position 24 on',
  ],
  [
    'two addresses with a line break',
    { url: `${shop('x')}\n${shop('y')}` },
    'url: has two addresses, the second from position 24 on',
  ],
  [
    'two addresses with a comma',
    { url: `${shop('x')},${shop('y')}` },
    'url: has two addresses, the second from position 24 on',
  ],
  [
    'two short addresses as an alias',
    { custom: 'https://a.example/x; https://a.example/y' },
    'custom: has two addresses, the second from position 22 on',
  ],
]

test.each(pasted)('a row with %s fails, and the error names its position', async (_, row, problem) => {
  const { sandbox, write } = await setUp()
  const cells = { url: shop('tea'), custom: 'tea', ...row }
  const table = await write('x.csv', `${fields(Object.keys(cells))}\n${fields(Object.values(cells))}\n`)
  for (const file of [table, await write('x.json', JSON.stringify([cells]))]) {
    const { status, stdout } = await run('import', file, '--json')
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'not-sent', error: problem }])
    expect(await run('sync', file)).toMatchObject({ status: 2, stderr: expect.stringContaining(problem) })
  }
  expect(sandbox.requests).toEqual([])
})

test.each([
  ['a joiner between characters of a script', { url: shop('می‌خواهم') }],
  ['a joiner in an emoji', { custom: '👩‍🍳' }],
  ['a separator before an address in a query', { url: `${shop('x')}?to=a,https://b.example` }],
  ['an address in the path of another', { url: `https://web.example/save/${shop('x')}` }],
  ['a mark in a title', { title: 'Tea\u200b' }],
])('%s is sent', async (_, row) => {
  const { sandbox, write } = await setUp()
  await run('import', await write('x.json', JSON.stringify([{ url: shop('tea'), custom: 'tea', ...row }])))
  expect(sentTo(sandbox)).toMatchObject([row])
})

test('an invisible character in the short address of a result is an error, and nothing is looked up', async () => {
  const { sandbox, write } = await setUp()
  const file = await write('r.csv', `url,shorturl,outcome\n${shop('tea')},https://sho.rt/tea\u200b,done\n`)
  const { status, stderr } = await run('import', file)
  expect(status).toBe(2)
  expect(stderr).toContain('r.csv, row 2, shorturl: has the invisible character U+200B at position 19')
  expect(sandbox.requests).toEqual([])
})

/** What spreadsheets in English, German, French and other languages turn aliases into. */
const mangled = [
  '1.00E+05',
  '6.93217E+12',
  '1,00E+05',
  '02-Jan',
  'Jan-20',
  '24-Dec-26',
  '02. Mrz',
  '01. Dez 26',
  'Mai 26',
  '02-janv',
  'févr-26',
  '1-août',
  '1/2/2026',
  '02/01/26',
  '02.01.2026',
  '2026-01-02 00:00:00',
  '12:30:00',
  'TRUE',
  'FALSCH',
  'VRAI',
  '123.0',
]

test.each(mangled)('%s as an alias fails its row, unless another column has the alias', async (cell) => {
  const { sandbox, write, path } = await setUp({ data: { links: [{ alias: 'x1', url: shop('x') }] } })
  const file = await write('x.csv', `url,slug\n${shop('tea')},tea\n${shop('x')},"${cell}"\n`)
  const { stdout } = await run('import', file, '--json', '--journal', path('one'))
  const problem = `custom: "${cell}" looks like an alias that a spreadsheet has changed. Write the alias into a text column, or use --map 'slug=custom' if it is correct`
  expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'done' }, { outcome: 'not-sent', error: problem }])
  // A sync does not plan to delete the link whose alias it was.
  const synced = await run('sync', file, '--prune', 'x', '--apply')
  expect(synced).toMatchObject({ status: 2, stderr: expect.stringContaining(problem) })
  expect(sandbox.data.links).toHaveLength(2)
  const list = await write('l.csv', `shorturl,longurl,alias\nhttps://sho.rt/x1,${shop('x')},"${cell}"\n`)
  expect((await run('sync', list, '--prune', 'x')).stderr).toContain('0 to create, 0 to update, 1 to keep, 0 to delete')
})

test.each(['1.00E+05', 'TRUE', '24-Dec'])('--map confirms the alias %s', async (cell) => {
  const { sandbox, write } = await setUp()
  await run('import', await write('x.csv', `url,custom\n${shop('x')},${cell}\n`), '--map', 'custom=custom')
  expect(sentTo(sandbox)).toEqual([{ url: shop('x'), custom: cell }])
})

test.each([
  '1e5',
  '2024',
  '007',
  'true',
  'v1.2',
  '2026-01-11',
  'sale-dec-24',
  'jan',
  'may',
  'e+5',
  '1.2.10',
  'march-26',
])('the alias %s is sent unchanged', async (custom) => {
  const { sandbox, write } = await setUp()
  await run('import', await write('x.csv', `url,custom\n${shop('x')},${custom}\n`))
  expect(sentTo(sandbox)).toEqual([{ url: shop('x'), custom }])
})

test.each([
  ['007', '7'],
  ['1e5', '100000'],
  ['1e5', '1.00E+05'],
  ['jan-2', '02. Jan'],
])('if the alias %s of a list or a result became %s, it is read from the short address', async (alias, cell) => {
  const { sandbox, write, path } = await setUp()
  const file = await write('x.csv', `url,custom\n${shop('x')},${alias}\n`)
  await run('import', file, '--out', path('r.csv'))
  await run('list', 'links', '--out', path('l.csv'))
  for (const name of ['r.csv', 'l.csv']) {
    const opened = (await readFile(path(name), 'utf8')).replaceAll(`,${alias},`, `,${cell},`)
    expect(opened).toContain(`,${cell},`)
    const again = await write(`opened-${name}`, opened)
    expect((await run('sync', again, '--prune', alias.slice(0, 1))).stderr).toContain('1 to keep, 0 to delete')
    expect((await run('import', again)).status).toBe(0)
  }
  expect(sandbox.data.links).toHaveLength(1)
})

test('an unfinished row of a result is not sent if a spreadsheet changed its alias', async () => {
  const { sandbox, write } = await setUp()
  const rows = [`${shop('x')},02-Jan,,02-Jan,,not-sent,`, `${shop('y')},,,02-Jan,,rejected,`]
  const file = await write('r.csv', `url,custom,shorturl,alias,created,outcome,error\n${rows.join('\n')}\n`)
  const { status, stdout } = await run('import', file, '--json')
  expect(status).toBe(1)
  const error = expect.stringContaining('custom: "02-Jan" looks like an alias that a spreadsheet has changed')
  expect(JSON.parse(stdout)).toMatchObject([{ error }, { error }])
  expect(sandbox.requests).toEqual([])
})
