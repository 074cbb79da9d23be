import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { fencesOf } from '../helpers/snippets.ts'

/*
 * The skill is a summary of the pages of the documentation, and of the doc comments of shortlink-cli. These tests check
 * that its programs, commands, tables and names are also there. The tests of the pages run the programs.
 */
const root = new URL('../..', import.meta.url)
const skill = await readFile(new URL('docs/skills/shortlink-sdk/SKILL.md', root), 'utf8')
const folder = new URL('docs/src/content/docs/', root)
const pages = await readPages()

async function readPages(): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /^(?!api).*\.md$/.test(name))
  return await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))
}

test('the skill has at most 150 lines, and its front matter has the name of its folder and a description', () => {
  expect(skill.split('\n').length - 1).toBeLessThanOrEqual(150)
  const [, name, description = ''] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(skill) ?? []
  expect(name).toBe('shortlink-sdk')
  expect(description.length).toBeGreaterThan(100)
  expect(description.length).toBeLessThanOrEqual(1024)
})

test('each program of the skill is on a page that runs it', () => {
  const run = pages.flatMap(fencesOf).filter(({ words: [, kind] }) => kind === 'run' || kind === 'node')
  const programs = new Set(run.map(({ code }) => code))
  const fences = fencesOf(skill).filter(({ words: [language] }) => language === 'ts')
  expect(fences.length).toBeGreaterThanOrEqual(4)
  expect(fences.filter(({ code }) => !programs.has(code))).toEqual([])
})

test('each command, and each table without links, is on a page too', () => {
  const commands = fencesOf(skill).filter(({ words: [language] }) => language === 'sh')
  const tables = [...skill.matchAll(/^\|.*(?:\n\|.*)*/gm)]
    .map(([table]) => table)
    .filter((table) => !table.includes(']('))
  const parts = [...commands.map(({ code }) => code), ...tables]
  expect(parts).toHaveLength(2)
  expect(parts.filter((part) => !pages.some((page) => page.includes(part)))).toEqual([])
})

/** Returns the texts that a part of the skill refers to: pages, types of shortlink-cli, and the README of that package. */
async function readReferences(part: string): Promise<string[]> {
  const pages = [...part.matchAll(/[a-z]+\/[\w-]+\.md/g)].map(([path]) => new URL(path, folder))
  const types = [...part.matchAll(/(tasks\/[\w-]+)\.d\.ts/g)].map(([, path]) => new URL(`cli/src/${path}.ts`, root))
  const readme = part.includes('shortlink-cli') ? [new URL('cli/README.md', root)] : []
  return await Promise.all([...pages, ...types, ...readme].map((file) => readFile(file, 'utf8')))
}

test('each name in a section of the skill, or in a row of its task table, is in a file that the section or row refers to', async () => {
  const prose = skill.replaceAll(/^```[\s\S]*?^```$/gm, '').replace(/^---[\s\S]*?^---$/m, '')
  const row = /^\|.*(?:\]\(|\.d\.ts|shortlink-cli).*$/gm
  const parts = [...(prose.match(row) ?? []), ...prose.replaceAll(row, '').split(/^(?=## )/m)]
  let names = 0
  const strange: string[] = []
  for (const part of parts) {
    const known = new Set((await readReferences(part)).join('\n').match(/[A-Za-z]\w+/g))
    const code = [...part.matchAll(/`([^`]+)`/g)].map(([, text]) => text!).join(' ')
    for (const name of new Set(code.match(/[A-Za-z]\w+/g))) {
      names++
      if (!known.has(name)) strange.push(`${name} in ${part.trim().split('\n')[0]}`)
    }
  }
  expect(names).toBeGreaterThan(80)
  expect(strange).toEqual([])
})
