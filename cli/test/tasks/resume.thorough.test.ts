import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bulk } from 'shortlink-cli'
import { ShortLinkClient } from 'shortlink-sdk'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fileJournal } from '../../src/tasks/file-journal.ts'

const KILLS = 10
const CONCURRENCY = 10

let folder: string
let program: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bulk-'))
  program = join(folder, 'bulk-caller.mjs')
  const entry = fileURLToPath(new URL('children/bulk-caller.ts', import.meta.url))
  await build({
    entryPoints: [entry],
    // Resolves `shortlink-sdk` to the sources, not to a build.
    tsconfig: fileURLToPath(new URL('../../../tsconfig.json', import.meta.url)),
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
})
afterAll(() => rm(folder, { recursive: true }))

it(`a bulk run that is killed ${KILLS} times and resumed does every item exactly once`, {
  timeout: 600_000,
}, async () => {
  const count = KILLS * 40
  const ids = Array.from({ length: count }, (_, index) => index + 1)
  const sandbox = createSandbox({
    rateLimit: false,
    data: { campaigns: [{ id: 1 }], links: ids.map((id) => ({ id })) },
  })
  const linksInCampaign = () => sandbox.data.campaigns[0]!.links
  let onAnswer = () => {}
  const { baseUrl, close } = await serve(sandbox, { log: () => onAnswer() })
  const journal = join(folder, 'assign.journal')

  /** Runs the program until it or the server, which may be ahead, has done this many items, and kills it. */
  async function runUntil(done: number, seenBy: 'program' | 'server'): Promise<void> {
    const settings = [baseUrl, sandbox.apiKey, journal, count, CONCURRENCY].map(String)
    const child = spawn(process.execPath, [program, ...settings], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    if (seenBy === 'server') onAnswer = () => linksInCampaign().length >= done && child.kill('SIGKILL')
    for await (const line of createInterface(child.stdout)) {
      if (seenBy === 'program' && Number(line) >= done) child.kill('SIGKILL')
    }
    onAnswer = () => {}
    expect(await exited).toEqual([null, 'SIGKILL'])
  }
  // Each kill leaves at most as many unknown items as are running, so at least 30 more are left to do.
  for (let kill = 1; kill <= KILLS; kill++) await runUntil(kill * 30 - 15, kill % 2 ? 'program' : 'server')

  const client = new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, rateLimit: false })
  const run = bulk(ids, (id, { signal }) => client.campaigns.assignLink(1, id, { signal }), {
    client,
    journal: fileJournal(journal),
    key: (id) => id,
  })
  const unknown: number[] = []
  for await (const { item, outcome } of run) if (outcome === 'unknown') unknown.push(item)
  await close()

  expect(await run.summary()).toMatchObject({ done: count - unknown.length, unknown: unknown.length })
  expect(unknown.length).toBeLessThanOrEqual(KILLS * CONCURRENCY)
  const done = new Map<string, number>()
  for (const request of sandbox.requests) if (request.done) done.set(request.path, (done.get(request.path) ?? 0) + 1)
  const missing = ids.filter((id) => !linksInCampaign().includes(id))
  expect(unknown).toEqual(expect.arrayContaining(missing))
  expect(done.size).toBe(count - missing.length)
  expect(new Set(done.values())).toEqual(new Set([1]))
})
