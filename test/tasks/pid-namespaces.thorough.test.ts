import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

// Two containers with one host name and a shared volume, as far as processes see it. Needs root on Linux.

const ITEMS = ['1', '2', '3', '4', '5', '6']

let folder: string
let program: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'namespaces-'))
  program = join(folder, 'namespace-caller.mjs')
  const entry = fileURLToPath(new URL('children/namespace-caller.ts', import.meta.url))
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm' })
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs the items in a PID namespace of its own. `lines`: what it has printed. */
function start(journal: string, items: string[]) {
  const unshare = ['--pid', '--fork', '--mount-proc', '--kill-child', process.execPath, program, journal, ...items]
  const child = spawn('unshare', unshare, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines: string[] = []
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line))
  return { child, lines, output, exited: once(output, 'close') }
}

it('one of two PID namespaces is refused the journal that the other is using, and every item is done once', async () => {
  const journal = join(folder, 'shared.journal')
  const items = [...ITEMS.slice(0, 3), 'wait', ...ITEMS.slice(3)]
  const first = start(journal, items)
  while (!first.lines.includes('wait')) await once(first.output, 'line')

  const second = start(journal, items)
  await second.exited
  expect(second.lines).toEqual([
    expect.stringMatching(
      /in use by another run, in process 1 on .+, in another container \(PID namespace\).+ delete \//,
    ),
  ])

  first.child.stdin.write('\n')
  await first.exited
  expect(first.lines).toEqual(items)
})

it('of two PID namespaces that begin at the same moment never both do the items', async () => {
  for (let round = 1; round <= 10; round++) {
    const journal = join(folder, `race-${round}.journal`)
    const runs = [start(journal, ITEMS), start(journal, ITEMS)]
    await Promise.all(runs.map(({ exited }) => exited))
    const done = runs.flatMap(({ lines }) => lines.filter((line) => ITEMS.includes(line)))
    expect(new Set(done).size).toBe(done.length)
    const last = start(journal, ITEMS)
    await last.exited
    expect([...done, ...last.lines].sort()).toEqual(ITEMS)
  }
  expect((await readdir(folder)).filter((name) => name.includes('.lock-'))).toEqual([])
}, 120_000)

it('a run that was killed in another PID namespace says which file to delete, and goes on once it is deleted', async () => {
  const journal = join(folder, 'killed.journal')
  const first = start(journal, ['1', 'wait'])
  while (!first.lines.includes('wait')) await once(first.output, 'line')
  first.child.kill('SIGKILL')
  await first.exited

  const second = start(journal, ['1', 'wait'])
  await second.exited
  const claim = /delete (.+)$/.exec(second.lines.join())?.[1]
  await rm(claim!)
  const third = start(journal, ['1', 'wait'])
  await third.exited
  // The item in work is unknown: it is reported, not repeated.
  expect(third.lines).toEqual([])
})
