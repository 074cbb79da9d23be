import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly integrity?: string; readonly link?: boolean }>>
}

test.each(['package-lock.json', 'docs/package-lock.json'])('%s has the integrity of every package', async (file) => {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  // The workspaces of the repository, and the links to them, have no integrity.
  const packages = Object.entries((JSON.parse(text) as Lockfile).packages).filter(([name]) => name.includes('/'))
  expect(packages.length).toBeGreaterThan(100)
  const without = packages.filter(([, { integrity, link }]) => !integrity && !link)
  expect(without.map(([name]) => name)).toEqual([])
})
