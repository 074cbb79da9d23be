import { readFile } from 'node:fs/promises'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { run, setUp, shop } from './run.ts'

const { links } = createSandbox({ data: sampleData() }).data
const commands: Record<string, string[]> = {
  report: ['report'],
  'report --by': ['report', '--by', 'domain'],
  list: ['list', 'links'],
  'list campaigns': ['list', 'campaigns'],
  sync: ['sync', 'SOURCE'],
}
const source = `url,custom\n${shop('new')},new\n`

async function setUpLinks() {
  const context = await setUp({ data: { ...sampleData(), links: links.slice(0, 3) } })
  const file = await context.write('source.csv', source)
  const use = (name: string, ...more: string[]) =>
    run(...commands[name]!.map((one) => (one === 'SOURCE' ? file : one)), ...more)
  return { ...context, file, use }
}

test.each(Object.keys(commands))('%s replaces its own file in each format, and an empty one', async (name) => {
  const { use, write, path, read } = await setUpLinks()
  for (const suffix of ['csv', 'tsv', 'json', 'ndjson', 'md']) {
    const out = path(`own.${suffix}`)
    for (const _ of [1, 2, 3]) expect(await use(name, '--out', out)).toMatchObject({ status: 0 })
    const text = await read(`own.${suffix}`)
    await write(`own.${suffix}`, '')
    expect((await use(name, '--out', out)).status).toBe(0)
    expect(await read(`own.${suffix}`)).toBe(text)
  }
})

test.each<[string, string, string]>([
  ['the source of the links', 'links.csv', source],
  ['a list with other columns', 'links.csv', 'id,shorturl,clicks\n1,https://sho.rt/a,2\n'],
  ['the source in JSON', 'links.json', JSON.stringify([{ url: shop('a'), custom: 'a' }])],
  ['the source as lines', 'links.ndjson', `${JSON.stringify({ url: shop('a'), custom: 'a' })}\n`],
  ['a page', 'links.md', '# Links\n'],
  ['a page that begins with a table', 'links.md', '| url | name |\n| --- | --- |\n'],
  ['no text', 'links.csv', '\0\0\0'],
  ['broken', 'links.json', '[{'],
  ['of another format', 'links.json', source],
])('a file that is %s is not replaced without --force', async (_, name, text) => {
  for (const command of Object.keys(commands)) {
    const { sandbox, use, write, path, read } = await setUpLinks()
    await write(name, text)
    const { status, stdout, stderr } = await use(command, '--out', path(name))
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(
      `--out ${path(name)}: already exists, and does not have the columns of this output. Nothing was sent. Use another file, or replace it with --force\n`,
    )
    expect(await read(name)).toBe(text)
    expect(sandbox.requests).toEqual([])
    expect((await use(command, '--out', path(name), '--force')).status).toBe(0)
    expect(await read(name)).not.toBe(text)
  }
})

test('a report to which a person has added a column is not replaced', async () => {
  const { use, write, path, read } = await setUpLinks()
  await use('report', '--out', path('r.csv'))
  await write('r.csv', (await read('r.csv')).replace(/\n/, ',Notes\n'))
  expect((await use('report', '--out', path('r.csv'))).status).toBe(2)
})

test('even with --force, a sync does not replace its own file of links', async () => {
  const { use, file } = await setUpLinks()
  const { status, stderr } = await use('sync', '--out', file, '--force')
  expect(status).toBe(2)
  expect(stderr).toContain('is the input file')
})

/** Reads a table as a spreadsheet does: in UTF-8 only with a byte order mark, and with the separator of its country. */
function openInSpreadsheet(bytes: Buffer, separator: string): string[][] {
  const isMarked = bytes.subarray(0, 3).equals(Buffer.from('\uFEFF'))
  const text = isMarked ? bytes.subarray(3).toString('utf8') : bytes.toString('latin1')
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split(separator))
}

test.each<[string, string[], string]>([
  ['a.csv', [], ','],
  ['a.csv', ['--delimiter', ';'], ';'],
  ['a.csv', ['--delimiter', ','], ','],
  ['a.csv', ['--delimiter', 'tab'], '\t'],
  ['a.tsv', [], '\t'],
  ['a.tsv', ['--delimiter', ';'], ';'],
])('a spreadsheet opens %s, written with %j', async (name, options, separator) => {
  for (const [command, column] of [
    ['report', 'title'],
    ['list', 'title'],
    ['sync', 'changes'],
  ] as const) {
    const { sandbox, use, write, path } = await setUpLinks()
    for (const link of sandbox.data.links) Object.assign(link, { title: 'Käse', alias: 'kaese' })
    if (command === 'sync') await write('source.csv', `url,custom\n${shop('x')},Käse\n`)
    expect(await use(command, '--out', path(name), ...options)).toMatchObject({ status: 0 })
    const [header = [], row = []] = openInSpreadsheet(await readFile(path(name)), separator)
    expect(header.length).toBeGreaterThan(5)
    expect(row).toContain('Käse')
    expect(row).toHaveLength(header.length)
    expect(header).toContain(column)
  }
})

test('the files are read again as they were written, and may have any of the separators', async () => {
  for (const [name, ...options] of [
    ['a.csv'],
    ['a.csv', '--delimiter', ';'],
    ['a.tsv'],
    ['b.tsv', '--delimiter', ';'],
  ]) {
    const { use, path, sandbox } = await setUpLinks()
    Object.assign(sandbox.data.links[0]!, { title: 'Käse, "fresh"; and\tmore' })
    await use('report', '--out', path(name!), ...options)
    expect((await run('report', '--previous', path(name!))).stderr).toContain('0 of them new')
    expect((await run('sync', path(name!))).stderr).toContain('3 to keep')
    expect((await use('report', '--out', path(name!))).status).toBe(0)
  }
})

test('standard output, pipes and devices get no byte order mark', async () => {
  const { use } = await setUpLinks()
  for (const options of [[], ['--delimiter', ';'], ['--format', 'csv'], ['--out', '/dev/null']]) {
    expect((await use('report', ...options)).stdout).not.toContain('\uFEFF')
  }
  const { stdout } = await use('list', '--delimiter', ';')
  expect(stdout.split('\n')[0]).toBe(
    'id;shorturl;alias;longurl;title;description;clicks;uniqueclicks;domain;campaign;channel;date',
  )
})

test('--delimiter makes CSV on a terminal, and is wrong for other formats and signs', async () => {
  const { use, path } = await setUpLinks()
  const { isTTY } = process.stdout
  onTestFinished(() => {
    process.stdout.isTTY = isTTY
  })
  process.stdout.isTTY = true
  expect((await use('report --by', '--delimiter', ';')).stdout).toMatch(/^domain;links;clicks\n/)
  for (const [options, message] of [
    [['--delimiter', '|'], "--delimiter takes ',', ';' or tab, not '|'"],
    [['--delimiter', ';', '--json'], '--delimiter is for CSV, and the output is json'],
    [['--delimiter', ';', '--out', path('x.md')], '--delimiter is for CSV, and the output is md'],
  ] as const) {
    const { status, stderr } = await use('report', ...options)
    expect(status).toBe(2)
    expect(stderr).toContain(message)
  }
})
