import { defineConfig, type Options } from 'tsup'
import { entries } from './scripts/entries.ts'

export const bundle: Options = {
  target: 'es2022',
  platform: 'neutral',
  // What two entries use is in one file, in both formats: a class is the same class, wherever it is imported from.
  splitting: true,
  external: ['msw', 'rate-limiter-flexible', /^node:/],
  // Inlined, so that nothing is installed beside the package.
  noExternal: ['citty', /^csv-/, 'ky', 'progress', 'terminal-columns', 'uqr', 'zod'],
  // The sandbox's page, which src/testing/page/page.ts reads from disk when it is not bundled.
  loader: { '.html': 'text', '.css': 'text', '.page.js': 'text' },
  define: { PAGE_IS_INLINED: 'true', 'globalThis.Request': 'RequestOfKy' },
  // What a host may lack, in place of the globals `TextEncoder` and, in ky, `globalThis.Request`.
  inject: ['src/runtime/missing.ts'],
}

export default defineConfig([
  { ...bundle, format: 'esm', entry: { ...entries, cli: 'src/cli/index.ts' } },
  // The shim is for `import.meta.url`.
  { ...bundle, format: 'cjs', entry: entries, shims: true },
  // Of each format its own types, because classes such as those of msw are told apart by the format of their file.
  { format: ['esm', 'cjs'], entry: entries, dts: { only: true, compilerOptions: { stripInternal: true } } },
])
