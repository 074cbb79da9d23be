import { readFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'
import { entries } from './entries.ts'

export default defineConfig({
  entry: [...entries, 'src/testing/cli.ts'],
  outDir: 'dist/esm',
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  sourcemap: true,
  external: ['msw', 'rate-limiter-flexible', /^node:/],
  // Inlined, so that nothing is installed beside the package.
  noExternal: ['ky', 'leven', 'zod'],
  esbuildPlugins: [
    {
      name: 'the sandbox page without its indentation',
      setup: ({ onLoad }) =>
        onLoad({ filter: /testing\/page\/\w+\.ts$/ }, async ({ path }) => ({
          contents: (await readFile(path, 'utf8')).replace(/\n\s+/g, '\n'),
          loader: 'ts',
        })),
    },
  ],
})
