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

test('only the server and its command need Node, only the handlers need msw, and only QR codes need another package', () => {
  const packages = Object.fromEntries(
    files
      .map((file) => [relative(sandbox, file), imports(file).filter((name) => !name.startsWith('.'))] as const)
      .filter(([, names]) => names.length > 0),
  )
  const { 'server.ts': ofServer, 'run-sandbox.ts': ofRun, 'sandbox-command.ts': ofCommand, ...others } = packages
  expect([...ofServer!, ...ofRun!, ...ofCommand!].filter((name) => !name.startsWith('node:'))).toEqual([])
  expect(others).toEqual({ 'msw.ts': ['msw'], 'platform/short-addresses.ts': ['uqr'] })
})
