/**
 * Writes the CommonJS twin of every module in `dist`, and of its types, after tsup has written those. Made of the
 * finished modules, it shares what they share: an error of `shortlink-sdk/rate-limit` is an instance of the class in
 * `shortlink-sdk` in CommonJS too, where tsup would give each entry a copy of its own.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

const files = (await readdir('dist', { recursive: true })).map((file) => join('dist', file))

await build({
  entryPoints: files.filter((file) => file.endsWith('.js') && !file.endsWith('cli.js')),
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  packages: 'external',
  format: 'cjs',
  target: 'es2022',
  platform: 'neutral',
  minify: true,
  sourcemap: true,
  logLevel: 'warning',
  plugins: [
    {
      name: 'siblings',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.{1,2}\// }, ({ path, kind }) =>
          kind === 'entry-point' ? undefined : { path: path.replace(/\.js$/, '.cjs'), external: true },
        ),
    },
  ],
})

for (const file of files.filter((file) => file.endsWith('.d.ts'))) {
  // Tabs instead of four spaces: a tenth of what the types weigh.
  const types = (await readFile(file, 'utf8')).replace(/^( {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))
  await writeFile(file, types)
  await writeFile(file.replace('.d.ts', '.d.cts'), types.replace(/((?:from|import) '\.{1,2}\/.*)\.js'/g, "$1.cjs'"))
}
