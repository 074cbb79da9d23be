import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { fencesOf } from './helpers/snippets.ts'

/*
 * The skill is put together from the pages of the documentation: what stands in both is the same, and the tests of the pages
 * run its programs.
 */
const root = new URL('..', import.meta.url)
const skill = await readFile(new URL('skills/shortlink-sdk/SKILL.md', root), 'utf8')
const pages = await readPages(new URL('docs/src/content/docs/', root))

async function readPages(folder: URL): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /^(?!api).*\.md$/.test(name))
  return await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))
}

test('the skill is 150 lines at most, and its front matter has the name of its folder and a description', () => {
  expect(skill.split('\n').length - 1).toBeLessThanOrEqual(150)
  const [, name, description = ''] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(skill) ?? []
  expect(name).toBe('shortlink-sdk')
  expect(description.length).toBeGreaterThan(100)
  expect(description.length).toBeLessThanOrEqual(1024)
})

test('each program of the skill is one that a page runs', () => {
  const run = pages.flatMap(fencesOf).filter(({ words: [, kind] }) => kind === 'run' || kind === 'node')
  const programs = new Set(run.map(({ code }) => code))
  const fences = fencesOf(skill).filter(({ words: [language] }) => language === 'ts')
  expect(fences.length).toBeGreaterThanOrEqual(4)
  expect(fences.filter(({ code }) => !programs.has(code))).toEqual([])
})

test('each command and each table with more than links stands in a page too', () => {
  const commands = fencesOf(skill).filter(({ words: [language] }) => language === 'sh')
  const tables = [...skill.matchAll(/^\|.*(?:\n\|.*)*/gm)]
    .map(([table]) => table)
    .filter((table) => !table.includes(']('))
  const parts = [...commands.map(({ code }) => code), ...tables]
  expect(parts).toHaveLength(2)
  expect(parts.filter((part) => !pages.some((page) => page.includes(part)))).toEqual([])
})

test('each name in the sentences of the skill stands in a page too', () => {
  const prose = skill.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const code = [...prose.matchAll(/`([^`]+)`/g)].map(([, text]) => text!).join(' ')
  const names = new Set(code.match(/[A-Za-z]\w+/g))
  expect(names.size).toBeGreaterThan(60)
  const all = new Set(pages.join('\n').match(/[A-Za-z]\w+/g))
  expect([...names].filter((name) => !all.has(name))).toEqual([])
})
