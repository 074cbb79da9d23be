import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import sdk from '../../package.json' with { type: 'json' }
import { tools } from '../everywhere/runner/tools.ts'

const page = await readFile(new URL('../../docs/src/content/docs/guides/runtimes.md', import.meta.url), 'utf8')

/** Returns the versions of a tool that is installed in several, such as `node-24`, in ascending order. */
function listVersions(tool: string): string[] {
  const names = Object.keys(tools).filter((name) => name.startsWith(`${tool}-`))
  return names.map((name) => name.slice(tool.length + 1)).sort((a, b) => Number(a) - Number(b))
}

test('the page of runtimes has the versions in which the tests run', () => {
  const [oldest = '', next = ''] = sdk.engines.node.match(/\d+\.\d+/g) ?? []
  expect(page).toContain(`The client runs in Node ${oldest}, ${next} or later`)
  const nodes = [Number.parseInt(oldest, 10), ...listVersions('node')]
  expect(page).toContain(`| Node ${nodes.slice(0, -1).join(', ')} and ${nodes.at(-1)} |`)
  expect(page).toContain(`| Bun ${tools.bun} |`)
  expect(page).toContain(`| Deno ${tools.deno} |`)
  const compilers = listVersions('typescript')
  expect(page).toContain(`CI compiles with TypeScript ${compilers[0]} to ${compilers.at(-1)},`)
})
