import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createApiPages } from '../../scripts/api/pages.ts'
import { getExports } from '../../scripts/api/reflections.ts'
import { cliEntries, entries } from '../../scripts/entries.ts'
import { rows } from '../calls.ts'
import { fencesOf, typeErrors } from '../helpers/snippets.ts'

const pages = await createApiPages()
const everything = pages.map(({ markdown }) => markdown).join('\n')

/** The headings of a page as its addresses have them. */
const anchorsOf = (markdown: string) =>
  [...markdown.matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

test('every export of both packages is on a page', () => {
  const files = [...Object.values(entries), ...Object.values(cliEntries)]
  const exported = files.flatMap((entry) => [...getExports(entry).keys()])
  expect(exported.length).toBeGreaterThan(150)
  const missing = exported.filter((name) => !everything.includes(`\n## ${name}\n`))
  expect(missing).toEqual([])
})

test('the first page links to each of the others', () => {
  const [first, ...others] = pages
  expect(first!.path).toBe('index.md')
  expect(others.filter(({ path }) => !first!.markdown.includes(`](${path})`))).toEqual([])
})

test('every link leads to a heading of a page', () => {
  const broken = pages.flatMap(({ path, markdown }) =>
    [...markdown.matchAll(/\]\(([\w-]+\.md)?(?:#([\w-]+))?\)/g)].flatMap(([link, file = path, anchor]) => {
      const target = pages.find((page) => page.path === file)
      return target && (!anchor || anchorsOf(target.markdown).includes(anchor)) ? [] : [`${path}: ${link}`]
    }),
  )
  expect(broken).toEqual([])
})

test('every example that runs compiles', { timeout: 400_000 }, async () => {
  // Inside the project, so that imports resolve as everybody else's do.
  const folder = fileURLToPath(new URL('.tmp/api-pages/', import.meta.url))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(folder, { recursive: true })
  const programs = fencesOf(everything).filter(({ words }) => words[1] === 'run')
  const ofClient = ['redact', 'withOptions', 'request', 'paginate']
  expect(programs.length).toBeGreaterThanOrEqual(rows.length + ofClient.length)
  const paths = programs.map(({ line }) => `${folder}line-${line}.ts`)
  await Promise.all(programs.map(({ code }, index) => writeFile(paths[index]!, `${code}\nexport {}\n`)))
  expect(typeErrors(paths)).toEqual([])
})

test('every example is a program that runs against the sandbox, except those that need more than it', () => {
  const shown = fencesOf(everything).flatMap(({ words, code }) => (words.join(' ') === 'ts' ? [code] : []))
  const isDeclaration = (code: string) =>
    /^(import openapi|type|interface|function|const \w+:|[\w.]+(<.*>)?\(.*\): .*\n$)/.test(code)
  const needsMore = /process\.env|fileFromPath\(|fileJournal\(|RateLimiterRedis\(|createProxy\(|handlers\(|serve\(/
  const programs = shown.filter((code) => !isDeclaration(code))
  expect(programs.length).toBeGreaterThan(5)
  expect(programs.filter((code) => !needsMore.test(code))).toEqual([])
})
