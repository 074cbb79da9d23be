import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bulk } from 'shortlink-cli'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { fileJournal } from '../../../cli/src/tasks/file-journal.ts'
import { serve } from '../../../src/testing/server.ts'

test('what serve returns stops listening when its block ends', async () => {
  let baseUrl: string
  {
    await using server = await serve(createSandbox())
    baseUrl = server.baseUrl
    expect((await fetch(`${baseUrl}/campaigns`)).status).toBe(401)
  }
  await expect(fetch(`${baseUrl}/campaigns`)).rejects.toThrow()
})

test('a file journal is free for another run when its block ends', async () => {
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

test('a bulk run ends when its block does: items in progress see an abort, and no more are begun', async () => {
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
