// Runs the suite in Node, Bun or Deno. `CONTROL` is the server that creates sandboxes. Each result is a line of JSON.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkConformance } from './conformance.mjs'

const { CONTROL, DEAD_URL } = process.env
const report = (result) => console.log(JSON.stringify(result))

const warnings = []
process.on('warning', ({ message }) => warnings.push(message))

const require = createRequire(import.meta.url)
const ofSdk = ['', '/testing', '/proxy', '/schemas', '/node'].map((entry) => `shortlink-sdk${entry}`)
const required = [...ofSdk, 'shortlink-cli', 'shortlink-cli/node'].map((name) => [name, require(name)])
const imported = Object.fromEntries(await Promise.all(required.map(async ([name]) => [name, await import(name)])))
const differing = required.flatMap(([name, module]) =>
  Object.entries(imported[name]).flatMap(([key, value]) => (module[key] === value ? [] : [`${name}: ${key}`])),
)
report({
  topic: 'entries',
  name: 'require gives what import gives, without a warning',
  ...(differing.length + warnings.length === 0
    ? { outcome: 'passed' }
    : { outcome: 'failed', reason: [...differing, ...warnings].join('\n') }),
})

const { fileFromPath } = imported['shortlink-sdk/node']
const folder = await mkdtemp(join(tmpdir(), 'everywhere-file-'))

await checkConformance(
  {
    sdk: imported['shortlink-sdk'],
    testing: imported['shortlink-sdk/testing'],
    proxy: imported['shortlink-sdk/proxy'],
    schemas: imported['shortlink-sdk/schemas'],
    tasks: imported['shortlink-cli'],
    control: CONTROL,
    deadUrl: DEAD_URL,
    async openFile(bytes) {
      const path = join(folder, `${bytes.length}.bin`)
      await writeFile(path, bytes)
      return await fileFromPath(path)
    },
  },
  report,
)
await rm(folder, { recursive: true, force: true })
