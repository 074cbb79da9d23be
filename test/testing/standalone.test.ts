import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const sandbox = fileURLToPath(new URL('../../src/testing/', import.meta.url))

const files = readdirSync(sandbox, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(sandbox, name))

const imports = (file: string) =>
  ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles.map(({ fileName }) => fileName)

test('only the server, its page and its document need Node, and only the msw handlers need msw', () => {
  const packages = Object.fromEntries(
    files
      .map((file) => [relative(sandbox, file), imports(file).filter((name) => !name.startsWith('.'))] as const)
      .filter(([, names]) => names.length > 0),
  )
  expect(Object.keys(packages).sort()).toEqual([
    'msw.ts',
    'openapi.ts',
    'page/page.ts',
    'platform/visits.ts',
    'server.ts',
  ])
  expect([packages['msw.ts'], packages['platform/visits.ts']]).toEqual([['msw'], ['uqr']])
})
