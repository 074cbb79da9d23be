// Runs the suite in Node, Bun or Deno. `FORMAT` is the module format to load, `CONTROL` the address that creates
// sandboxes. Each result is a line of JSON.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance } from './conformance.mjs'

const { FORMAT, CONTROL, DEAD_URL } = process.env
const load = FORMAT === 'cjs' ? createRequire(import.meta.url) : (name) => import(name)

const { fileFromPath } = await load('shortlink-sdk/node')
const folder = await mkdtemp(join(tmpdir(), 'everywhere-file-'))

await conformance(
  {
    sdk: await load('shortlink-sdk'),
    testing: await load('shortlink-sdk/testing'),
    proxy: await load('shortlink-sdk/proxy'),
    schemas: await load('shortlink-sdk/schemas'),
    tasks: await load('shortlink-sdk/tasks'),
    control: CONTROL,
    deadUrl: DEAD_URL,
    async openFile(bytes) {
      const path = join(folder, `${bytes.length}.bin`)
      await writeFile(path, bytes)
      return await fileFromPath(path)
    },
  },
  (result) => console.log(JSON.stringify(result)),
)
await rm(folder, { recursive: true, force: true })
