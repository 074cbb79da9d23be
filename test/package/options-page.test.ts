import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { callOptionNames, requestOptionChecks } from '../../src/client/http/request-options.ts'
import { clientOptionChecks, defaults } from '../../src/client/options.ts'

const page = await readFile(new URL('../../docs/src/content/docs/guides/options.md', import.meta.url), 'utf8')

/** Returns the rows of the table under a heading, as cells without backticks. */
function readTable(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const rows = [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row)
  return rows.map((row) => row.split(/ ?\| ?/).map((cell) => cell.replaceAll('`', '')))
}

const client = readTable('The client')
const call = readTable('A call')
const more = readTable('An upload, `ensure`')
const names = (rows: string[][]) => rows.map(([name]) => name)

test('the options page has exactly the options that the client checks', () => {
  expect(names(client).sort()).toEqual(Object.keys(clientOptionChecks).sort())
})

test('the options page has every option of a call, an upload and ensure', () => {
  expect(names(call).sort()).toEqual(Object.keys(requestOptionChecks).sort())
  expect(names([...call, ...more]).sort()).toEqual([...callOptionNames].sort())
})

test('the options page has the defaults of the code', () => {
  const { fetch: _, ...values } = defaults
  const written = Object.fromEntries(
    client.map(([name, type = '']) => [name, /default '?(\w+)'?$/.exec(type)?.[1]?.replaceAll('_', '')]),
  )
  expect(written).toMatchObject(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
  )
})

test('the options page has every environment variable that the packages read', async () => {
  const sources = ['src/', 'cli/src/'].map((folder) => new URL(`../../${folder}`, import.meta.url))
  const files = await Promise.all(
    sources.map(async (source) =>
      (await readdir(source, { recursive: true })).flatMap((name) =>
        name.endsWith('.ts') ? [new URL(name, source)] : [],
      ),
    ),
  )
  const texts = await Promise.all(files.flat().map((file) => readFile(file, 'utf8')))
  const read = texts.join('\n').match(/\bSHORTLINK_[A-Z_]+\b/g)
  const written = client.flatMap(([, , text]) => /Variable: (\w+)\.$/.exec(text ?? '')?.[1] ?? [])
  expect(written.sort()).toEqual([...new Set(read)].sort())
})

test('each row has a type and a sentence', () => {
  for (const [name, type, text] of [...client, ...call, ...more]) {
    expect([name, Boolean(type), /\.$/.test(text ?? '')]).toEqual([name, true, true])
  }
})
