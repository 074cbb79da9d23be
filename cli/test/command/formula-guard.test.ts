import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seed } from '../../../test/helpers/seed.ts'
import { guardFormulas, removeGuards } from '../../src/command/files/formula-guard.ts'
import { plainDialect, readInput } from '../../src/command/files/input.ts'
import { formatResultTable } from '../../src/command/files/result.ts'
import { createOutput } from '../../src/command/output.ts'
import { run, sentTo, setUp, shop } from './run.ts'

const signs = fc.string({ unit: fc.constantFrom(..."''==+-@＝;\t\r\n,\" a") })
/** Texts of cells. NUL is left out, because a file with NUL bytes is rejected. */
const texts = fc
  .oneof(signs, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
  .filter((text) => !text.includes('\0'))

test('removing guards restores the text, and no part of a guarded cell starts a formula', () => {
  const check = fc.property(texts, (text) => {
    const guarded = guardFormulas(text)
    expect(removeGuards(guarded)).toBe(text)
    for (const part of guarded.split(/[;\t\r\n]/)) expect(part).not.toMatch(/^[=+\-@＋－＝＠]/)
    expect(guarded).not.toMatch(/^[\t\r]/)
  })
  fc.assert(check, { numRuns: 5000, seed })
})

const rowsOf = ({ columns, rows }: Awaited<ReturnType<typeof readInput>>) =>
  rows.map(({ cells }) => Object.fromEntries(columns.map((column, index) => [column, cells[index]])))

test('any text in a list survives writing and reading, in each format', async () => {
  const { path } = await setUp()
  for (const suffix of ['csv', 'json', 'ndjson']) {
    const out = path(`list.${suffix}`)
    const check = fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 5 }), async (titles) => {
      const rows = titles.map((title) => ({ shorturl: 'https://sho.rt/a', title, longurl: shop('a') }))
      await (await createOutput({ out })).write(rows)
      expect(rowsOf(await readInput(out))).toEqual(rows)
    })
    await fc.assert(check, { numRuns: 100, seed })
  }
})

test.each([',', ';', '\t'])('any text in a result with %j survives writing and reading', async (delimiter) => {
  const { write } = await setUp()
  const check = fc.asyncProperty(texts, texts, async (title, error) => {
    const dialect = { ...plainDialect, lineEnd: '\r\n' }
    const input = { name: '', format: 'csv', columns: ['url', 'title'], rows: [], dialect } as const
    const rows = [{ number: 2, cells: [shop('a'), title], result: { outcome: 'rejected', error } }]
    const file = await write('result.csv', formatResultTable(input, rows, String, delimiter))
    const none = { shorturl: '', alias: '', created: '' }
    expect(rowsOf(await readInput(file))).toEqual([{ url: shop('a'), title, ...none, outcome: 'rejected', error }])
  })
  await fc.assert(check, { numRuns: 100, seed })
})

const quoted = [
  { url: "https://shop.example/?q=a;'-b", custom: 'q', title: "'=1'" },
  { url: 'https://shop.example/plus', custom: 'plus', title: '=Sum of parts' },
]

test.each([
  ['json', JSON.stringify(quoted)],
  ['ndjson', quoted.map((row) => JSON.stringify(row)).join('\n')],
  ['csv', `url,custom,title\n${quoted.map((row) => Object.values(row).join()).join('\n')}\n`],
  ['tsv', `url\tcustom\ttitle\n${quoted.map((row) => Object.values(row).join('\t')).join('\n')}\n`],
])('apostrophes in a .%s file are kept exactly, in links and in the result', async (suffix, text) => {
  const { sandbox, write, path } = await setUp()
  expect((await run('import', await write(`links.${suffix}`, text), '--out', path('r.csv'))).status).toBe(0)
  expect(sentTo(sandbox)).toEqual(quoted)
  sandbox.data.links.length = 0
  expect((await run('sync', path('r.csv'), '--apply')).status).toBe(0)
  expect(sentTo(sandbox).slice(2)).toEqual(quoted)
  const result = await readFile(path('r.csv'), 'utf8')
  expect(result).toMatch(/[,\t]''=1'[,\t]/)
  expect(result).not.toMatch(/[,;\t]=/)
})

test('lists, reports, results and syncs keep texts unchanged in every format', async () => {
  const links = quoted.map(({ url, custom, title }) => ({ url, alias: custom, title }))
  const { sandbox, path } = await setUp({ data: { links } })
  for (const suffix of ['csv', 'json', 'ndjson']) {
    for (const command of [['list', 'links'], ['report']]) {
      expect((await run(...command, '--out', path(`all.${suffix}`), '--force')).status).toBe(0)
      expect((await run('sync', path(`all.${suffix}`))).stderr).toContain('2 to keep')
    }
    const { stderr } = await run('report', '--previous', path(`all.${suffix}`))
    expect(stderr).toContain('0 of them new since')
    for (const format of ['csv', 'json']) {
      const out = path(`r-${suffix}.${format}`)
      expect((await run('import', path(`all.${suffix}`), '--out', out)).status).toBe(0)
      // The file is recognized as a result of this input, and replaced.
      expect((await run('import', path(`all.${suffix}`), '--out', out)).status).toBe(0)
      expect((await run('sync', out)).stderr).toContain('2 to keep')
    }
  }
  expect(sandbox.data.links.map(({ title }) => title)).toEqual(quoted.map(({ title }) => title))
})

test('an apostrophe is a guard if all formulas of a file have one, or if the file is a list', async () => {
  const { sandbox, write } = await setUp()
  await run('import', await write('a.csv', `url,custom,title,Change\n${shop('a')},a,'+1,-3\n${shop('b')},b,''=b,4\n`))
  const own = `shorturl,longurl,alias,title\nhttps://sho.rt/c,${shop('c')},c,'+1\nhttps://sho.rt/d,${shop('d')},d,-5 degrees\n`
  await run('import', await write('c.csv', own))
  expect(sandbox.data.links.map(({ title }) => title)).toEqual(['+1', "'=b", '+1', '-5 degrees'])
})

test('the names of columns are guarded like cells', async () => {
  const { write, path } = await setUp()
  const file = await write('x.json', JSON.stringify([{ url: shop('a'), '=x': '=y' }]))
  await run('import', file, '--out', path('r.csv'))
  expect(await readFile(path('r.csv'), 'utf8')).toMatch(/^url,'=x,/)
  expect((await readInput(path('r.csv'))).columns.slice(0, 2)).toEqual(['url', '=x'])
})
