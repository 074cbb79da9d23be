import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { run, setUp } from './run.ts'

const folder = 'test/fixtures/exports/'
const tea = 'https://shop.example/tea'

/** For each program: its file, the options, the printed columns, and what is sent for the first row. */
const table: [string, string, string[], string, Record<string, unknown>][] = [
  [
    'Bitly',
    'bitly.csv',
    ['--map', 'Custom Link=custom'],
    'read as: Custom Link → custom, Destination URL → url\nnot sent: Link, Created, Tags, Clicks\n',
    { url: `${tea}?ref=flyer`, custom: 'tea', title: 'Tea week' },
  ],
  [
    'Rebrandly',
    'rebrandly.csv',
    [],
    'read as: slashtag → custom, destination → url\nnot sent: id, createdAt, shortUrl, clicks\n',
    { url: tea, custom: 'tea', title: 'Tea week', domain: 'https://go.shop.example' },
  ],
  [
    'YOURLS',
    'yourls.csv',
    [],
    'read as: keyword → custom\nnot sent: timestamp, ip, clicks\n',
    { url: tea, custom: 'tea', title: 'Tea week' },
  ],
  [
    'TinyURL',
    'tinyurl.csv',
    [],
    'read as: Alias → custom, Long URL → url\nnot sent: TinyURL, Tags, Created At, Hits\n',
    { url: tea, custom: 'shop-tea' },
  ],
  [
    'Short.io',
    'short-io.csv',
    [],
    'read as: Original URL → url, Path → custom, UTM Source → utm_source, UTM Campaign → utm_campaign\nnot sent: Short URL, Tags, Clicks\n',
    {
      url: tea,
      custom: 'tea',
      title: 'Tea week',
      parameters: [
        { name: 'utm_source', value: 'flyer' },
        { name: 'utm_campaign', value: 'spring' },
      ],
    },
  ],
  [
    'dub',
    'dub.csv',
    ['--map', 'Short link=custom'],
    'read as: Short link → custom, Destination URL → url\nnot sent: Clicks, Created at, Tags\n',
    { url: tea, custom: 'tea' },
  ],
  [
    'a Google sheet',
    'google-sheet.csv',
    [],
    'read as: Link to → url, Custom alias → custom\nnot sent: Product, Notes\n',
    { url: tea, custom: 'tea' },
  ],
  [
    'Excel in German',
    'excel-german.csv',
    ['--map', 'Ziel=url', '--map', 'Kürzel=custom', '--map', 'Titel=title'],
    'read as: Titel → title, Ziel → url, Kürzel → custom\nnot sent: Preis\n',
    { url: tea, custom: 'tee', title: 'Tee für alle' },
  ],
  [
    'Excel, “Unicode text”',
    'excel-unicode.txt',
    [],
    'read as: Alias → custom\n',
    { url: tea, custom: 'tea', title: 'Thé "vert"' },
  ],
  [
    'Numbers',
    'numbers.csv',
    [],
    'read as: Long URL → url, Slug → custom\n',
    { url: tea, custom: 'tea', description: 'Tea for the opening', expiry: '2026-12-24 23:59:59' },
  ],
]

const readLines = (bytes: Buffer) => bytes.toString(bytes[0] === 0xff ? 'utf16le' : 'utf8').split(/\r?\n/)

test.each(table)(
  'an export of %s keeps its aliases and its columns, and a second import sends nothing',
  async (_name, file, maps, said, sent) => {
    const { sandbox, write, path } = await setUp({ data: { domains: [{ domain: 'https://go.shop.example' }] } })
    const input = await write(`export-${file}`, await readFile(folder + file))
    const out = path(file)
    const { status, stderr } = await run('import', input, ...maps, '--out', out)
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `${said}2 links\n2 created, 0 already existed, unchanged, 0 failed\n`,
    })
    const bodies = sandbox.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)
    expect(bodies[0]).toEqual(sent)
    const [before, after] = [readLines(await readFile(folder + file)), readLines(await readFile(out))]
    expect(after).toHaveLength(before.length)
    const unquoted = (line: string) => line.replaceAll('"', '')
    for (const [index, line] of after.entries()) expect(unquoted(line)).toContain(unquoted(before[index]!))
    expect(after[0]).toMatch(/(.)(result_)?shorturl\1(result_)?alias\1(result_)?created\1outcome\1error$/)
    // Importing the file or its result again sends nothing.
    const requests = sandbox.requests.length
    expect((await run('import', input, ...maps, '--out', path(`twice-${file}`))).status).toBe(0)
    expect(sandbox.requests).toHaveLength(requests)
    expect(await readFile(path(`twice-${file}`))).toEqual(await readFile(out))
    expect((await run('import', out, ...maps, '--out', path(`again-${file}`))).status).toBe(0)
    expect(sandbox.data.links).toHaveLength(2)
    expect(await readFile(path(`again-${file}`))).toEqual(await readFile(out))
  },
)

test('the page about other shorteners has each command', async () => {
  const page = await readFile('docs/src/content/docs/command/move-from-another-shortener.md', 'utf8')
  for (const [, file, maps] of table) {
    const quoted = maps.map((arg) => (arg.startsWith('--') ? arg : `'${arg}'`))
    expect(page).toContain(`\`${['npx shortlink-cli import', file, ...quoted, '--out result.'].join(' ')}`)
  }
})

test.each([
  ['bitly.csv', "columns 'Link' and 'Custom Link' could be the alias"],
  ['dub.csv', "column 'Short link' could be the alias"],
  [
    'excel-german.csv',
    "expected a column url (or longurl, destination, destinationurl, originalurl, target, linkto), found Titel, Ziel, Kürzel, Preis. To use another column: --map 'COLUMN=url'",
  ],
])('importing %s without its aliases is an error', async (file, message) => {
  const { sandbox } = await setUp()
  const { status, stderr } = await run('import', folder + file)
  expect(status).toBe(2)
  expect(stderr).toContain(message)
  expect(sandbox.requests).toEqual([])
})
