import type { Options } from 'tsup'

export default {
  format: 'esm',
  entry: ['src/index.ts', 'src/node.ts', 'src/command/index.ts'],
  target: 'es2022',
  tsconfig: 'tsconfig.build.json',
  removeNodeProtocol: false,
} satisfies Options
