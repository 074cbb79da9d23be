import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { apiPages } from '../../scripts/api/pages.ts'
import { exportsOf } from '../../scripts/api/program.ts'
import { entries } from '../../scripts/entries.ts'
import { fencesOf, typeErrors } from '../helpers/snippets.ts'

const pages = await apiPages()
const everything = pages.map(({ markdown }) => markdown).join('\n')

/** The headings of a page as its addresses have them. */
const anchorsOf = (markdown: string) =>
  [...markdown.matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

test('every export of the package is on a page', () => {
  const exported = Object.values(entries).flatMap((entry) => [...exportsOf(entry).keys()])
  expect(exported.length).toBeGreaterThan(150)
  // The methods of this one are the page itself.
  const missing = exported.filter((name) => !everything.includes(`\n## ${name}\n`) && name !== 'LinksResource')
  expect(missing).toEqual([])
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

test('every example that runs compiles', { timeout: 240_000 }, async () => {
  // Inside the project, so that imports resolve as everybody else's do.
  const folder = fileURLToPath(new URL('.tmp/api-pages/', import.meta.url))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(folder, { recursive: true })
  const programs = fencesOf(everything).filter(({ words }) => words[1] === 'run')
  expect(programs.length).toBeGreaterThanOrEqual(31 + 7 + 3)
  const paths = programs.map(({ line }) => `${folder}line-${line}.ts`)
  await Promise.all(programs.map(({ code }, index) => writeFile(paths[index]!, `${code}\nexport {}\n`)))
  expect(typeErrors(paths)).toEqual([])
})

test('every example is a program that runs against the sandbox, except those that need more than it', () => {
  const shown = fencesOf(everything).flatMap(({ words, code }) => (words.join(' ') === 'ts' ? [code] : []))
  const isDeclaration = (code: string) =>
    /^(import openapi|type|interface|function|const \w+:|[\w.]+(<.*>)?\(.*\): .*\n$)/.test(code)
  const programs = shown.filter((code) => !isDeclaration(code))
  expect(programs).toEqual([
    // They need the environment of a process, a file, Redis, a session, or a server.
    expect.stringContaining('process.env.SHORTLINK_API_KEY'),
    expect.stringContaining('fileFromPath('),
    expect.stringContaining('fileJournal('),
    expect.stringContaining('RateLimiterRedis('),
    expect.stringContaining('journal: fileJournal('),
    expect.stringContaining('createProxy('),
    expect.stringContaining('handlers('),
    expect.stringContaining('serve('),
  ])
})
