/**
 * Writes the CommonJS twin of `dist/esm` into `dist/cjs`, module by module, so that its entries share what the ES modules
 * share: an error of `shortlink-sdk/rate-limit` is an instance of the class in `shortlink-sdk` there too.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/** The command, and the modules that it loads when it runs, are ES modules only. */
const isCommand = (file: string) => file.startsWith('cli/') || /^\w+-command-\w+\.js$/.test(file)

const modules = (await readdir('dist/esm', { recursive: true })).filter(
  (file) => file.endsWith('.js') && !isCommand(file),
)

await build({
  entryPoints: modules.map((file) => join('dist/esm', file)),
  outdir: 'dist/cjs',
  format: 'cjs',
  // Names the exports where Node finds them when an ES module imports one of these.
  platform: 'node',
  // For createRequire, which takes either.
  define: { 'import.meta.url': '__filename' },
  sourcemap: true,
  logLevel: 'warning',
})
