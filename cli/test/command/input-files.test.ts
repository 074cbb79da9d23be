import { mkdir, readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

test('- reads standard input in any format, and the result has the same format', async () => {
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
  expect((await run('import', '-')).stderr).toContain('shortlink import: standard input: expected JSON')
  vi.restoreAllMocks()
})

test.each([
  ['utf16le', (bytes: Buffer) => bytes],
  ['utf16be', (bytes: Buffer) => bytes.swap16()],
])('the result of a file in %s has the same encoding', async (_name, order) => {
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

test('a file may mix line endings, and rows with a line break or tab in their address fail', async () => {
  const { sandbox, write } = await setUp()
  const [one, two, three] = ['1', '2', '3'].map(shop)
  const text = `url\r\n${one}\n${two}\r\n${three}\r"${shop('4')}\n${shop('5')}"\r\n${shop('6')}\t7\n`
  const { stdout, stderr } = await run('import', await write('links.csv', text))
  expect(sentTo(sandbox)).toEqual([{ url: one }, { url: two }, { url: three }])
  expect(stderr).toContain('5 links\n3 created, 0 already existed, unchanged, 2 failed\n')
  expect(stdout).toContain(',not-sent,"url: has two addresses, the second from position 24 on"')
  expect(stdout).toContain(',not-sent,"url: expected an absolute URL with its scheme')
})

const alias = 'could be the alias, but would not be sent. Use --map'

test.each<[string, string, string | Buffer | undefined, string]>([
  ['a missing file', 'none.csv', undefined, ': there is no such file'],
  ['another kind of file', 'links.xml', 'x', ': expected a .csv, .tsv, .txt, .json or .ndjson file'],
  [
    'a workbook',
    'links.xlsx',
    Buffer.from('PK\x03\x04abc\0'),
    ': is a workbook or another zip file, expected text. In the spreadsheet, save it as "CSV UTF-8"',
  ],
  ['a workbook under another name', 'links.csv', Buffer.from('PK\x03\x04abc\0'), ': is a workbook'],
  ['NUL bytes', 'links.csv', Buffer.alloc(100), ', line 1: has NUL bytes, so it is not text'],
  ['a NUL byte near the end', 'links.csv', `url\n${'a\n'.repeat(100_000)}\0`, ', line 100002: has NUL bytes'],
  ['an empty file', 'links.csv', '\uFEFF\n', ', line 1: expected a header with column names, but the file is empty'],
  [
    'two columns for one parameter',
    'links.csv',
    'url,alias,Slug\na,b,c\n',
    " has two columns for custom: alias and Slug. Choose one: --map 'alias=custom'",
  ],
  ['an old encoding', 'links.csv', Buffer.from('url\na\nb\xfc\n', 'latin1'), ', line 3: expected UTF-8 or UTF-16.'],
  ['no column url', 'links.csv', `name,page\na,${shop('b')}\n`, ': expected a column url (or longurl, destination'],
  [
    'addresses without a header',
    'links.txt',
    `${shop('a')}\n${shop('b')}\n`,
    ': line 1 is not a header: expected column names, such as url, found an address',
  ],
  [
    'a misspelled column',
    'links.csv',
    'url,custom,titel\na,b,c\n',
    ", column titel: did you mean title? Use --map 'titel=title', or --map 'titel=' if it is something else",
  ],
  [
    'a column that could be the alias',
    'links.csv',
    `url,Vanity URL\n${shop('a')},a\n`,
    `: column 'Vanity URL' ${alias} 'Vanity URL=custom', or --map 'Vanity URL=' to leave it out`,
  ],
  [
    'a first line that is not a header',
    'links.csv',
    `My links\nurl,custom\n${shop('a')},a\n`,
    ': line 1 is not a header: expected column names, such as url, found My links',
  ],
  [
    'rows without a header',
    'links.csv',
    `tea,${shop('a')}\nlamps,${shop('b')},x\n`,
    ': line 1 is not a header: expected column names, such as url, found an address',
  ],
  ['too many cells for one column', 'links.csv', 'url\na,b\n', ', row 2: has 2 cells, but there is 1 column.'],
  ['too many cells', 'links.csv', 'url,custom\na,b\nc,d,e\n', ', row 3: has 3 cells, but there are 2 columns'],
  [
    'an open quote',
    'links.csv',
    'url,custom\na,b\n"a,b\nc,d\ne,f\n',
    ', line 3: a cell of this row has an opening quote (") without a closing one',
  ],
  [
    'an open quote before closed ones',
    'links.csv',
    'url,title\na,"b\nc,"d ""x"""\n',
    ', line 2: a cell of this row has an opening quote (")',
  ],
  [
    'text after a closing quote',
    'links.csv',
    'url,title\na,b\nc,"Blue" vinyl\n',
    ', line 3: the cell "Blue" vinyl has text after its closing quote. If a quote is part of the text, write the cell as """Blue"" vinyl"',
  ],
  ['broken JSON', 'links.json', '[\n {"url": "a"},\n {"url": }\n]', `: expected JSON: Unexpected token '}'`],
  ['JSON that is not a list', 'links.json', '{"url": "a"}', ', line 1: expected a list of objects'],
  ['JSON rows that are not objects', 'links.json', '[{"url": "a"}, 7]', ', row 2: expected an object'],
  ['a broken line', 'links.ndjson', '{"url": "a"}\n{"url": \n', ', line 2: expected JSON'],
])('import rejects %s with its position, in two lines, and sends nothing', async (_what, name, text, message) => {
  const { sandbox, write, path, files } = await setUp()
  const file = text === undefined ? path(name) : await write(name, text)
  const { status, stdout, stderr } = await run('import', file)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(`shortlink import: ${file}${message}`)
  expect(stderr.split('\n')).toHaveLength(3)
  expect(sandbox.requests).toEqual([])
  expect(await files()).toEqual(text === undefined ? [] : [name])
})

test('a folder, and a file that is too large, are rejected with a clear message', async () => {
  const { path, write } = await setUp()
  await mkdir(path('x.csv'))
  expect((await run('import', path('x.csv'))).stderr).toContain(`${path('x.csv')}: is a folder, expected a file`)
  const large = await write('large.csv', `url\n${'a\n'.repeat(33 * 2 ** 20)}`)
  expect((await run('import', large)).stderr).toContain('is larger than 64 MiB. Split it into several files')
})
