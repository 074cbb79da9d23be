import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

it('the guide about queues shows the code of the worker', async () => {
  const worker = await readFile(file('examples/queues/worker.ts'), 'utf8')
  const guide = await readFile(file('docs/src/content/docs/recipes/queues.md'), 'utf8')
  expect(guide).toContain(`\`\`\`ts\n${worker.slice(worker.indexOf('import '))}\`\`\``)
})
