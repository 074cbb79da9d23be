import { readFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'

const entry = {
  index: 'src/index.ts',
  node: 'src/node.ts',
  schemas: 'src/schemas.ts',
  bulk: 'src/bulk/index.ts',
  proxy: 'src/proxy/index.ts',
  'rate-limit': 'src/rate-limit/index.ts',
  'testing/index': 'src/testing/index.ts',
  'testing/msw': 'src/testing/msw.ts',
  'testing/server': 'src/testing/server.ts',
}

/** What stands in those modules of ky. */
const unasked = [
  ...['streamRequest', 'streamResponse', 'isKyError', 'isHTTPError', 'isTimeoutError', 'isForceRetryError'],
  ...['HTTPError', 'NonError', 'TimeoutError', 'ForceRetryError'],
]

export default defineConfig({
  entry: { ...entry, 'testing/cli': 'src/testing/cli.ts' },
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  dts: { entry, compilerOptions: { stripInternal: true } },
  minify: true,
  sourcemap: true,
  external: ['msw', 'rate-limiter-flexible', /^node:/],
  // Inlined, so that nothing is installed beside the package.
  noExternal: ['ky'],
  esbuildPlugins: [
    {
      name: 'the sandbox page without its indentation',
      setup: ({ onLoad }) =>
        onLoad({ filter: /testing\/page\/\w+\.ts$/ }, async ({ path }) => ({
          contents: (await readFile(path, 'utf8')).replace(/\n\s+/g, '\n'),
          loader: 'ts',
        })),
    },
    {
      name: 'without what ky is told not to do',
      setup: ({ onLoad }) =>
        // Progress, timeouts, retries and errors by status, which are this package's own. A bundler cannot see that
        // they are never asked for.
        onLoad({ filter: /ky\/distribution\/(errors\/\w+|utils\/(body|timeout|delay|type-guards))\.js$/ }, () => ({
          contents: `export const ${unasked.map((name) => `${name} = undefined`).join(', ')}; export default undefined`,
        })),
    },
  ],
  esbuildOptions: (options) => {
    options.legalComments = 'none'
  },
})
