import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bulk } from 'shortlink-cli'
import { fileJournal } from 'shortlink-cli/node'
import { expect, test } from 'vitest'

test('a file journal is unlocked when its `using` block ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dispose-'))
  const path = join(folder, 'run.journal')
  {
    await using journal = fileJournal(path)
    await journal.open?.()
    await expect(fileJournal(path).open?.()).rejects.toThrow('in use by another run')
  }
  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

test('a bulk run ends when its `using` block does: running items are aborted, and no others start', async () => {
  const begun: number[] = []
  const aborted: number[] = []
  const worker = (item: number, { signal }: { signal: AbortSignal }) => {
    begun.push(item)
    if (item === 1) return Promise.resolve()
    return new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted.push(item)
        reject(signal.reason)
      })
    })
  }
  {
    await using run = bulk([1, 2, 3, 4], worker, { concurrency: 2 })
    for await (const { item } of run) {
      expect(item).toBe(1)
      break
    }
  }
  expect(begun.length).toBeLessThan(4)
  expect(aborted).toEqual(begun.slice(1))
})
