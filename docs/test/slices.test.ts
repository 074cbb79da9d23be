import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run } from '../../test/everywhere/runner/shell.ts'
import { installTools, toolModules } from '../../test/everywhere/runner/tools.ts'
import { fencesOf } from '../../test/helpers/snippets.ts'
import { contentFolder, docs } from '../site/folders.ts'

// Where their imports find the packages.
const folder = join(docs, '.tmp/slices')
let output = ''

// On Node 24, because Node 20 has no SQLite.
beforeAll(async () => {
  await installTools()
  await mkdir(folder, { recursive: true })
  for (const { code, title } of fencesOf(await readFile(join(contentFolder, 'command/slices.md'), 'utf8'))) {
    if (title) await writeFile(join(folder, title), code)
  }
  await copyFile(join(docs, 'test/slices.mjs'), join(folder, 'slices.mjs'))
  const node = join(toolModules, 'node-24/bin/node')
  output = (await run(node, ['--test', '--test-reporter=spec', 'slices.mjs'], { cwd: folder })).output
})
afterAll(() => rm(folder, { recursive: true }))

it.each([
  'an import in slices creates each link once, whenever a slice ends',
  'a second run is rejected while the first is in progress, and starts a minute after the first was killed',
])('%s', (name) => expect(output).toContain(`✔ ${name} (`))
