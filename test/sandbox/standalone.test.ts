import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../../src/', import.meta.url))
const sandbox = join(source, 'testing')

const files = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))

const imports = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, name]) => name!)

test('the sandbox imports nothing of the client, and the client nothing of the sandbox', () => {
  for (const file of files(source)) {
    const inside = file.startsWith(sandbox)
    for (const name of imports(file).filter((candidate) => candidate.startsWith('.'))) {
      const target = resolve(dirname(file), name)
      expect(target.startsWith(sandbox), `${relative(source, file)} imports ${name}`).toBe(inside)
    }
  }
})

test('only the server and the command need Node, and only msw.ts needs msw', () => {
  const packages = Object.fromEntries(
    files(sandbox)
      .map((file) => [relative(sandbox, file), imports(file).filter((name) => !name.startsWith('.'))] as const)
      .filter(([, names]) => names.length > 0),
  )
  expect(Object.keys(packages).sort()).toEqual(['cli.ts', 'msw.ts', 'server.ts'])
  expect(packages['msw.ts']).toEqual(['msw'])
})
