import { readdir, readFile, stat } from 'node:fs/promises'
import { posix } from 'node:path'
import { expect, test } from 'vitest'

const root = new URL('../..', import.meta.url)

/** What the package holds beside `dist`: npm adds the README. */
async function packedFiles(): Promise<string[]> {
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

test('each relative link in the Markdown of the package leads to a file of the package', async () => {
  const packed = await packedFiles()
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
  expect(count).toBeGreaterThan(100)
  expect(broken).toEqual([])
})
