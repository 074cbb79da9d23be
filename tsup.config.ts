import { defineConfig } from 'tsup'

const entry = {
  index: 'src/index.ts',
  node: 'src/node.ts',
  schemas: 'src/schemas.ts',
  bulk: 'src/bulk.ts',
  proxy: 'src/proxy.ts',
  'rate-limit': 'src/shared-rate-limit.ts',
  'testing/index': 'src/testing/index.ts',
  'testing/msw': 'src/testing/msw.ts',
  'testing/server': 'src/testing/server.ts',
}

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
      name: 'without what ky is told not to do',
      setup: ({ onLoad }) =>
        // The progress of uploads and downloads; upload.ts has its own. A bundler cannot see that it is never asked for.
        onLoad({ filter: /ky\/distribution\/utils\/body\.js$/ }, () => ({
          contents: 'export const streamRequest = undefined, streamResponse = undefined',
        })),
    },
  ],
  esbuildOptions: (options) => {
    options.legalComments = 'none'
  },
})
