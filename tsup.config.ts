import { defineConfig } from 'tsup'
import { entries } from './entries.ts'

export default defineConfig({
  entry: [...entries, 'src/cli/index.ts'],
  outDir: 'dist/esm',
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  sourcemap: true,
  external: ['msw', 'rate-limiter-flexible', /^node:/],
  // Inlined, so that nothing is installed beside the package.
  noExternal: ['ky', 'zod'],
  // The sandbox's page, which src/testing/page/page.ts reads from disk when it is not bundled.
  loader: { '.html': 'text', '.css': 'text', '.page.js': 'text' },
  define: { PAGE_IS_INLINED: 'true' },
})
