import type { Options } from 'tsup'
import { entries } from './scripts/entries.ts'

export default {
  format: 'esm',
  entry: [...Object.values(entries), 'src/testing/sandbox-command.ts'],
  target: 'es2022',
  removeNodeProtocol: false,
} satisfies Options
