/** Lets processes find a stale lock in the same millisecond, in several rounds. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

/** A program that locks a file at a given time, reports whether it got the lock, and unlocks on request. */
const program = (source: string) => `import { lockFile } from ${JSON.stringify(source)}
let lock
process.on('message', async ({ path, at }) => {
  await lock?.release()
  while (Date.now() < at);
  lock = path && (await lockFile(path, 'journal').catch(() => undefined))
  process.send(lock !== undefined)
})
process.send('ready')`

/** Runs the rounds. Returns how many processes got the lock in each round, and the files that are left. */
export async function takeOver(rounds: number, processes: number): Promise<{ owners: number[]; files: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'lock-'))
  const script = join(folder, 'locker.mjs')
  await writeFile(script, program(new URL('../../src/tasks/file-journal.ts', import.meta.url).href))
  const children = Array.from({ length: processes }, () =>
    fork(script, { execArgv: ['--import', import.meta.resolve('tsx')] }),
  )
  await Promise.all(children.map((child) => once(child, 'message')))
  const send = (message: object) =>
    Promise.all(
      children.map(async (child: ChildProcess) => {
        const answer = once(child, 'message')
        child.send(message)
        return (await answer)[0] as boolean
      }),
    )
  const { pid } = spawnSync('true')
  const namespace = await readlink('/proc/self/ns/pid').catch(() => undefined)
  const owners: number[] = []
  for (let round = 0; round < rounds; round++) {
    const path = join(folder, 'run.journal')
    const holder = { pid, host: hostname(), start: 'earlier', namespace, id: `old-${round}` }
    await writeFile(`${path}.lock`, JSON.stringify(holder))
    const answers = await send({ path, at: Date.now() + 5 })
    owners.push(answers.filter(Boolean).length)
    await send({})
  }
  for (const child of children) child.kill()
  const files = (await readdir(folder)).filter((name) => name !== 'locker.mjs')
  await rm(folder, { recursive: true })
  return { owners, files }
}
