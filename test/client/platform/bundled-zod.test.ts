import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** The bundle of the package in a user's program. */
const entry = fileURLToPath(new URL('../../../src/index.ts', import.meta.url))

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schemas-'))
  await build({ entryPoints: [entry], outfile: join(folder, 'sdk.mjs'), bundle: true, format: 'esm' })
})

afterAll(() => rm(folder, { recursive: true }))

/** Runs a program in a new Node process, and returns the JSON that it prints. */
async function run(program: string, ...flags: string[]): Promise<unknown> {
  const path = join(folder, 'program.mjs')
  await writeFile(path, program)
  return JSON.parse((await promisify(execFile)(process.execPath, [...flags, path])).stdout)
}

const readWrongAccount = `
const fetch = async () => new Response('{"error":0,"data":5}')
const client = new ShortLinkClient({ baseUrl: 'https://sho.rt', apiKey: 'KEY', fetch, retry: 0 })
const { error } = await client.account.get().safe()
`
const message = 'GET /account: invalid response: data: expected an object, received a number'

describe('the bundled schemas', () => {
  it('contain no eval and no new Function', async () => {
    expect(await readFile(join(folder, 'sdk.mjs'), 'utf8')).not.toMatch(/\bnew Function\b|\beval\(|\bFunction\(/)
  })

  it('work if code generation from strings is forbidden, as by a Content-Security-Policy', async () => {
    const program = `import { ShortLinkClient } from './sdk.mjs'
${readWrongAccount}
console.log(JSON.stringify(error.message))`
    expect(await run(program, '--disallow-code-generation-from-strings')).toBe(message)
  })

  it('neither change nor use the global configuration of a program’s own zod', async () => {
    const program = `
const config = { customError: () => 'an error of the program', localeError: () => 'an error of the program' }
globalThis.__zod_globalConfig = config
const before = { ...config }
const { ShortLinkClient } = await import('./sdk.mjs')
${readWrongAccount}
const isSame = globalThis.__zod_globalConfig === config && JSON.stringify(Object.entries(config).map(String)) === JSON.stringify(Object.entries(before).map(String))
console.log(JSON.stringify({ isSame, message: error.message }))`
    expect(await run(program)).toEqual({ isSame: true, message })
  })
})
