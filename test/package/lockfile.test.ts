import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly integrity?: string; readonly link?: boolean }>>
}

test.each(['package-lock.json', 'docs/package-lock.json'])('%s has the integrity of every package', async (file) => {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  const { '': _, ...packages } = (JSON.parse(text) as Lockfile).packages
  expect(Object.keys(packages).length).toBeGreaterThan(100)
  const without = Object.entries(packages).filter(([, { integrity, link }]) => !integrity && !link)
  expect(without.map(([name]) => name)).toEqual([])
})
