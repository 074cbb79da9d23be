import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { cliEntries, entries } from '../../scripts/entries.ts'

/** Bundles a program as CommonJS, which fails if a module in it has a top-level await. */
const bundleAsCommonJs = (contents: string) =>
  build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    external: ['msw'],
    logLevel: 'silent',
  })

// In Node, `require` of an ES module with a top-level await fails.
const files = [...Object.values(entries), ...Object.values(cliEntries)]
test.each(files)('%s and its imports have no top-level await', async (file) => {
  await bundleAsCommonJs(`export * from '../../${file}'`)
})

test('a top-level await in an entry is detected', async () => {
  await expect(bundleAsCommonJs(`export const client = await import('../../src/index.ts')`)).rejects.toThrow(
    'Top-level await is currently not supported with the "cjs" output format',
  )
})
