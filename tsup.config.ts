import { readFileSync } from 'node:fs'
import type { Options } from 'tsup'
import { entries } from './scripts/entries.ts'

/** A file of the sandbox's page, as an expression for `define`. */
const page = (file: string) =>
  JSON.stringify(readFileSync(new URL(`src/testing/page/sandbox.page.${file}`, import.meta.url), 'utf8'))

export default {
  format: 'esm',
  entry: [...Object.values(entries), 'src/testing/sandbox-command.ts'],
  target: 'es2022',
  removeNodeProtocol: false,
  define: {
    PAGE_HTML: page('html'),
    PAGE_CSS: page('css'),
    PAGE_SCRIPT: page('js'),
  },
} satisfies Options
