import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { entries } from '../../scripts/entries.ts'
import { bundle } from '../../tsup.config.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('THIRD-PARTY-LICENSES.md has the licence of every package whose code is in the published files', async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...Object.values(entries), 'src/cli/index.ts'],
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: 'esm',
    outdir: 'dist',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['msw', 'rate-limiter-flexible', 'node:*'],
    define: bundle.define ?? {},
  })
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
  const names = inputs.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  const licences = await readFile(`${root}THIRD-PARTY-LICENSES.md`, 'utf8')
  // Some of them have others bundled already, which are listed too.
  const listed = [...licences.matchAll(/^## (.+)$/gm)].flatMap(([, heading]) => heading!.split(/, | and /))
  expect(names).toContain('ky')
  expect(listed).toEqual(expect.arrayContaining([...new Set(names)]))
})
