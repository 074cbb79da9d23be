import { stringify } from 'csv-stringify/sync'
import { expect, test } from 'vitest'
import { parseTable } from '../../src/command/files/parse-table.ts'
import { run, sentTo, setUp, shop } from './run.ts'

const row = (name: string, title: string, delimiter = ',') => [shop(name), name, title].join(delimiter)
const table = (rows: readonly string[], delimiter = ',') =>
  `${['url', 'custom', 'title'].join(delimiter)}\n${rows.join('\n')}\n`

test.each<[string, string, string[]]>([
  ['inside a cell', 'x.csv', ['7" single', 'Blue']],
  ['at the end of a cell', 'x.csv', ['Blue 7"', 'Blue']],
  ['twice inside a cell', 'x.csv', ['a 7" or 12" single', 'Blue']],
  ['around a word inside a cell', 'x.csv', ['The "Blue" vinyl', 'Blue']],
  ['in a file with tabs', 'x.tsv', ['7" single', '12"']],
])('a quote %s is text', async (_, name, titles) => {
  const { sandbox, write, path, read } = await setUp()
  const delimiter = name.endsWith('.tsv') ? '\t' : ','
  const rows = titles.map((title, index) => row(`a${index}`, title, delimiter))
  const { status } = await run('import', await write(name, table(rows, delimiter)), '--out', path(`r-${name}`))
  expect(status).toBe(0)
  const sent = sentTo(sandbox)
  expect(sent.map(({ title }) => title)).toEqual(titles)
  // The result has the same cells.
  expect((await run('sync', path(`r-${name}`))).stderr).toContain('2 to keep')
  expect(await read(`r-${name}`)).toContain(`"${titles[0]!.replaceAll('"', '""')}"`)
})

const hides = (line: number, rows: string, cell: string) =>
  `line ${line}: a cell of this row begins with a quote (") and contains ${rows}. If a quote is part of the text, write the cell as ${cell}`

test.each<[string, string, string, string]>([
  [
    'a title that begins with a quote, and another that ends with one',
    'x.tsv',
    table([row('a', '"Blue', '\t'), row('b', 'Green', '\t'), row('c', 'Red"', '\t')], '\t'),
    hides(2, 'the next 2 rows', '"""Blue"'),
  ],
  [
    'a quote that the next row closes',
    'x.csv',
    table([row('a', 'Green'), row('b', '"Blue'), row('c', '7"')]),
    hides(3, 'the next row', '"""Blue"'),
  ],
  [
    'a quote that the next row closes in the middle of the row',
    'x.csv',
    `url,title,custom\n${shop('a')},"Blue,aa1\n${shop('b')},7",bb2\n`,
    hides(2, 'the next row', '"""Blue,aa1"'),
  ],
  [
    'the same with Windows line ends',
    'x.csv',
    table([row('a', '"Blue'), row('b', 'Green'), row('c', 'Red"')]).replaceAll('\n', '\r\n'),
    hides(2, 'the next 2 rows', '"""Blue"'),
  ],
  [
    'the same with semicolons, after a line with the separator',
    'x.csv',
    `sep=;\n${table([row('a', '"Blue', ';'), row('b', 'Red"', ';')], ';')}`,
    hides(3, 'the next row', '"""Blue"'),
  ],
  [
    'the same after a cell of two lines',
    'x.csv',
    table([row('a', '"two\nlines"'), row('b', '"Blue'), row('c', 'Red"')]),
    hides(4, 'the next row', '"""Blue"'),
  ],
  [
    'addresses of an app',
    'x.csv',
    `url,custom,title\nmyapp://a,a,"Blue\nmyapp://b,b,Red"\n`,
    hides(2, 'the next row', '"""Blue"'),
  ],
  [
    'a quote that nothing closes',
    'x.csv',
    table([row('a', '"Blue'), row('b', 'Green')]),
    'line 2: a cell of this row has an opening quote (") without a closing one. If a quote is part of the text, write the cell as """Blue"',
  ],
  [
    'a quote that the next row closes before a word',
    'x.csv',
    table([row('a', '"Blue'), row('b', 'a "Green" one')]),
    'line 2: a cell of this row has an opening quote (") that a quote in another row closes. If a quote is part of the text, write the cell as """Blue"',
  ],
  [
    'text after a closing quote',
    'x.csv',
    table([row('a', 'Green'), row('b', '"Blue" vinyl')]),
    'line 3: the cell "Blue" vinyl has text after its closing quote. If a quote is part of the text, write the cell as """Blue"" vinyl"',
  ],
  [
    'text after an empty cell in quotes',
    'x.csv',
    table([row('a', '""Blue""')]),
    'line 2: the cell ""Blue"" has text after its closing quote. If a quote is part of the text, write the cell as """""Blue"""""',
  ],
])('%s is refused with its line and the cell to write', async (_, name, text, message) => {
  const { sandbox, write } = await setUp()
  const file = await write(name, text)
  for (const command of ['import', 'sync']) {
    const { status, stderr } = await run(command, file)
    expect(status).toBe(2)
    expect(stderr).toContain(`shortlink ${command}: ${file}, ${message}\n`)
  }
  expect(sandbox.requests).toEqual([])
})

test('a cell may have several lines, also with addresses and the delimiter', async () => {
  const { sandbox, write } = await setUp()
  const titles = ['two\nlines', `see ${shop('x')},\n${shop('y')}, or\n${shop('z')},a,b,c`, 'a\r\nb', '"quoted"\nline']
  const rows = titles.map((title, index) => row(`a${index}`, `"${title.replaceAll('"', '""')}"`))
  expect((await run('import', await write('x.csv', table(rows)))).status).toBe(0)
  expect(sentTo(sandbox).map(({ title }) => title)).toEqual(titles)
})

test('tables are read as they were written', () => {
  const pieces = ['a', ' ', '"', ',', ';', '\t', '\n', '\r\n', 'é', '""', '']
  let seed = 7
  const draw = (max: number) => {
    seed = (seed * 16807) % 2147483647
    return seed % max
  }
  for (let round = 0; round < 500; round++) {
    const records = Array.from({ length: 1 + draw(4) }, () =>
      Array.from({ length: 1 + draw(4) }, () =>
        Array.from({ length: draw(5) }, () => pieces[draw(pieces.length)]).join(''),
      ),
    )
    for (const delimiter of [',', ';', '\t']) {
      const text = stringify(records, { delimiter, quoted: true, record_delimiter: ['\n', '\r\n', '\r'][draw(3)]! })
      expect(parseTable(text, delimiter, String)).toEqual(records)
    }
  }
})

test('spaces around cells are removed, and those in quotes are kept', () => {
  expect(parseTable('a , b\t,"c " , " d"\r\n\n1,,\n', ',', String)).toEqual([
    ['a', 'b', 'c ', ' d'],
    [''],
    ['1', '', ''],
  ])
  expect(parseTable(' a \t b\t "c "\t\r1', '\t', String)).toEqual([['a', 'b', 'c ', ''], ['1']])
})
