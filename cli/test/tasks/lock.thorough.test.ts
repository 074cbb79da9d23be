import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { times } from '../../../test/helpers/times.ts'
import { lockFile } from '../../src/tasks/file-journal.ts'
import { takeOver } from './lock-takeover.ts'

const rounds = times(100)

test('a process that is killed while it locks and unlocks leaves a lock that the next process takes over', {
  timeout: 400_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lock-'))
  const path = join(folder, 'run.journal')
  const script = join(folder, 'locker.mjs')
  const source = new URL('../../src/tasks/file-journal.ts', import.meta.url).href
  await writeFile(
    script,
    `import { lockFile } from ${JSON.stringify(source)}
    for (;;) {
      const lock = await lockFile(${JSON.stringify(path)}, 'journal')
      process.send('locked')
      await lock.release()
    }`,
  )
  for (let kill = 1; kill <= 12; kill++) {
    const child = fork(script, { execArgv: ['--import', import.meta.resolve('tsx')] })
    // After a different number of turns each time, so that the kills happen at different moments.
    for (let turn = 0; turn < kill * 3; turn++) await once(child, 'message')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const lock = await readFile(`${path}.lock`, 'utf8').catch(() => undefined)
    if (lock !== undefined) expect(JSON.parse(lock)).toMatchObject({ pid: child.pid })
    await (await lockFile(path, 'journal')).release()
  }
  await rm(folder, { recursive: true })
})

test(`a stale lock is taken over by one of three processes that find it in the same millisecond, ${rounds} times`, {
  timeout: 400_000,
}, async () => {
  const { owners, files } = await takeOver(rounds, 3)
  expect(owners.filter((count) => count !== 1)).toEqual([])
  expect(files).toEqual([])
})
