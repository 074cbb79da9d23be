import { readFileSync } from 'node:fs'
import {type Options} from 'tsup'
import { entries } from './scripts/entries.ts'

/** Returns a file of the mock server's page as a string literal for `define`. */
const literalOf = (file: string) =>
  JSON.stringify(readFileSync(new URL(`src/testing/page/sandbox.page.${file}`, import.meta.url), 'utf8'))

export default {
  format: 'esm',
  entry: [...Object.values(entries), 'src/testing/sandbox-command.ts'],
  target: 'es2022',
  removeNodeProtocol: false,
  define: {
    PAGE_HTML: literalOf('html'),
    PAGE_CSS: literalOf('css'),
    PAGE_SCRIPT: literalOf('js'),
  },
} satisfies Options
