import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { fileJournal } from '../../src/bulk/file-journal.ts'
import { bulk } from '../../src/bulk/index.ts'
import { ShortLinkClient } from '../../src/index.ts'
import { createSandbox } from '../../src/testing/index.ts'
import { serve } from '../../src/testing/server.ts'

const caller = fileURLToPath(new URL('children/bulk-caller.ts', import.meta.url))

it('a bulk run that is killed three times and resumed does every item exactly once', { timeout: 60_000 }, async () => {
  const COUNT = 400
  const rateLimit = { requests: 60, interval: 500 }
  const ids = Array.from({ length: COUNT }, (_, index) => index + 1)
  const sandbox = createSandbox({ rateLimit, data: { campaigns: [{ id: 1 }], links: ids.map((id) => ({ id })) } })
  const { baseUrl, close } = await serve(sandbox)
  const folder = await mkdtemp(join(tmpdir(), 'bulk-'))
  const journal = join(folder, 'assign.journal')

  async function runUntil(stop: number): Promise<void> {
    const settings = [baseUrl, sandbox.apiKey, journal, COUNT, rateLimit.requests, rateLimit.interval].map(String)
    const child = spawn(process.execPath, ['--import', 'tsx', caller, ...settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    for await (const done of createInterface(child.stdout)) if (Number(done) >= stop) child.kill('SIGKILL')
    await exited
  }
  for (const stop of [50, 130, 290]) await runUntil(stop)

  const asked: number[] = []
  const client = new ShortLinkClient({ baseUrl, apiKey: sandbox.apiKey, rateLimit })
  const run = bulk(ids, (id, { signal }) => client.campaigns.assignLink(1, id, { signal }), {
    client,
    journal: fileJournal(journal),
    onUnknown(id) {
      asked.push(id)
      return sandbox.data.campaigns[0]!.links.includes(id) ? 'skip' : 'retry'
    },
  })
  const summary = await run.summary()
  await close()
  await rm(folder, { recursive: true })

  expect(summary).toMatchObject({ done: COUNT, failed: 0, unknown: 0 })
  expect(summary.skipped).toBeGreaterThanOrEqual(290)
  // In doubt are only those that were in work when the process was killed, ten at a time.
  expect(asked.length).toBeLessThanOrEqual(30)
  const times = new Map<string, number>()
  for (const { path, done } of sandbox.requests) if (done) times.set(path, (times.get(path) ?? 0) + 1)
  expect(times.size).toBe(COUNT)
  expect(new Set(times.values())).toEqual(new Set([1]))
})
