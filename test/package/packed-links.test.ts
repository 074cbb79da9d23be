import { readdir, readFile, stat } from 'node:fs/promises'
import { posix } from 'node:path'
import { expect, test } from 'vitest'

const repository = new URL('../../', import.meta.url)

/** Returns the files of a package, except `dist`. npm adds the README. */
async function listPackedFiles(root: URL): Promise<string[]> {
  const { files } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))
  const leftOut = files.flatMap((entry: string) => (entry.startsWith('!') ? [entry.slice(1)] : []))
  const entries: string[] = ['README.md', ...files.filter((entry: string) => entry !== 'dist' && entry[0] !== '!')]
  const found = await Promise.all(
    entries.map(async (entry) => {
      if ((await stat(new URL(entry, root))).isFile()) return [entry]
      return (await readdir(new URL(`${entry}/`, root), { recursive: true })).map((name) => posix.join(entry, name))
    }),
  )
  return found.flat().filter((file) => !leftOut.includes(file))
}

test.each([
  ['shortlink-sdk', './', 100],
  ['shortlink-cli', './cli/', 0],
])('each relative link in the Markdown of %s leads to a file of the package', async (_, folder, least) => {
  const root = new URL(folder, repository)
  const packed = await listPackedFiles(root)
  const broken: string[] = []
  let count = 0
  for (const name of packed.filter((each) => each.endsWith('.md'))) {
    const prose = (await readFile(new URL(name, root), 'utf8')).replaceAll(/^```[\s\S]*?^```$/gm, '')
    for (const [, inline, defined] of prose.matchAll(/\]\((?!https?:)([^)#:]+)|^\[[\w-]+\]: (?!https?:)([^#\s]+)/gm)) {
      count++
      const path = (inline ?? defined)!
      if (!packed.includes(posix.join(posix.dirname(name), path))) broken.push(`${name}: ${path}`)
    }
  }
  expect(count).toBeGreaterThanOrEqual(least)
  expect(broken).toEqual([])
})

test('each page that the skill names without a link is in the package', async () => {
  const packed = await listPackedFiles(repository)
  const skill = await readFile(new URL('docs/skills/shortlink-sdk/SKILL.md', repository), 'utf8')
  const named = [...skill.matchAll(/(?<![\w/])[a-z]+\/[\w-]+\.md/g)].map(([page]) => `docs/src/content/docs/${page}`)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((page) => !packed.includes(page))).toEqual([])
})
