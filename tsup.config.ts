import { readFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'
import { entries } from './scripts/entries.ts'

/** A file of the sandbox's page, as an expression for `define`. */
const page = (file: string) =>
  JSON.stringify(readFileSync(new URL(`src/testing/page/sandbox.page.${file}`, import.meta.url), 'utf8'))

export const bundle: Options = {
  target: 'es2022',
  platform: 'neutral',
  // What two entries use is in one file, in both formats: a class is the same class, wherever it is imported from.
  splitting: true,
  // Rollup writes both formats. Without it, tsup lowers split CommonJS to the syntax of 2019.
  treeshake: true,
  external: ['msw', 'rate-limiter-flexible', /^node:/],
  // Inlined, so that nothing is installed beside the package.
  noExternal: ['citty', /^csv-/, /^fast-string-/, 'ky', 'terminal-columns', 'uqr', 'zod'],
  define: {
    PAGE_HTML: page('html'),
    PAGE_CSS: page('css'),
    PAGE_SCRIPT: page('js'),
  },
  // In place of the global `TextEncoder`, which jest-environment-jsdom lacks, so that importing does not fail there.
  inject: ['src/client/runtime/text-encoder.ts'],
}

export default defineConfig([
  { ...bundle, format: 'esm', entry: { ...entries, cli: 'src/cli/index.ts' } },
  {
    ...bundle,
    format: 'cjs',
    entry: entries,
    // Without it, `import * as` in the output of Babel and TypeScript is a copy, which no spy of a test gets into.
    banner: { js: "Object.defineProperty(exports, '__esModule', { value: true })" },
  },
])
