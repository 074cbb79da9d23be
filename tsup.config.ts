import { defineConfig, type Options } from 'tsup'

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

const shared: Options = {
  target: 'es2022',
  platform: 'neutral',
  dts: { entry },
  sourcemap: true,
  external: ['msw', 'rate-limiter-flexible', /^node:/],
  // ky and zod are inlined: nothing is installed beside the package, and CommonJS needs no ESM-only ky.
  noExternal: ['ky', 'zod'],
  // Names stay, so that a stack trace reads well; comments are in the types and in the source maps.
  esbuildOptions: (options) => {
    options.minifyWhitespace = true
    options.minifySyntax = true
    options.legalComments = 'none'
  },
}

export default defineConfig([
  { ...shared, format: 'esm', entry: { ...entry, 'testing/cli': 'src/testing/cli.ts' } },
  { ...shared, format: 'cjs', entry },
])
