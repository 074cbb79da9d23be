import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { fencesOf } from '../helpers/snippets.ts'

const folder = new URL('../../docs/src/content/docs/', import.meta.url)

/** The pages that people read first. */
const pages = [
  'index.md',
  'start/servers.md',
  'start/node.md',
  'start/browser.md',
  'start/edge.md',
  'guides/lists.md',
  'guides/errors.md',
  'guides/limits.md',
  'guides/links.md',
  'recipes/testing.md',
]

/** Returns the sentences of a page, including the cells of its tables, without its programs. */
function splitSentences(page: string): string[] {
  const prose = page.replace(/^---[\s\S]*?^---$/m, '').replaceAll(/^```[\s\S]*?^```$/gm, '\n')
  const blocks = prose.split(/\n\s*\n|^[-#] |^\d\. |\||:\n/m)
  return blocks.flatMap((block) =>
    block
      .replaceAll(/\]\([^)]*\)/g, ']')
      .replaceAll(/`[^`]*`/g, 'code')
      .replaceAll(/\s+/g, ' ')
      .split(/(?<=[.?!]['”)*]*) (?=\S)/),
  )
}

test.each(pages)('%s has no sentence of more than 25 words', async (name) => {
  const sentences = splitSentences(await readFile(new URL(name, folder), 'utf8'))
  expect(sentences.length).toBeGreaterThan(20)
  expect(sentences.filter((sentence) => sentence.split(' ').filter((word) => /\w/.test(word)).length > 25)).toEqual([])
})

test.each(pages)('%s starts with a program that runs', async (name) => {
  const page = await readFile(new URL(name, folder), 'utf8')
  const [first] = fencesOf(page).filter(({ words: [language] }) => language !== 'sh')
  expect(first?.words.slice(0, 2).join(' ')).toMatch(/^ts (run|node)$/)
  expect(first?.line).toBeLessThanOrEqual(30)
})
