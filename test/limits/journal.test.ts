import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileJournal } from '../../src/bulk/file-journal.ts'
import type { JournalEntry } from '../../src/bulk/index.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-'))
  path = join(folder, 'run.journal')
})
afterEach(() => rm(folder, { recursive: true }))

async function read(): Promise<JournalEntry[]> {
  const entries = []
  for await (const entry of fileJournal(path).read()) entries.push(entry)
  return entries
}

async function write(...entries: JournalEntry[]): Promise<void> {
  const journal = fileJournal(path)
  await Promise.all(entries.map((entry) => journal.write(entry)))
  await journal.close?.()
}

const begun: JournalEntry = { key: 'größe "1"', state: 'begun', print: 'k2' }
const done: JournalEntry = { key: 'größe "1"', state: 'done' }

describe('fileJournal', () => {
  it('is empty, and makes no file, until something is written', async () => {
    expect(await read()).toEqual([])
    await expect(readFile(path)).rejects.toThrow('ENOENT')
  })

  it('keeps entries in order, also those of later runs', async () => {
    await write(begun, done)
    await write({ key: '2', state: 'not-sent' })
    expect(await read()).toEqual([begun, done, { key: '2', state: 'not-sent' }])
  })

  it('only adds to the file', async () => {
    await write(begun)
    const before = await readFile(path, 'utf8')
    await write(done)
    expect((await readFile(path, 'utf8')).startsWith(before)).toBe(true)
  })

  it('survives a kill at any byte: what was finished counts, and the next run goes on', async () => {
    await write(begun, done)
    const whole = await readFile(path)
    const [first] = whole.toString().split('\n') as [string]
    const lengthOfFirst = Buffer.byteLength(first)
    for (let length = 0; length <= whole.length; length++) {
      await writeFile(path, whole)
      await truncate(path, length)
      await write({ key: 'next', state: 'begun' })
      const finished = [begun, done].slice(0, length >= whole.length - 1 ? 2 : length >= lengthOfFirst ? 1 : 0)
      expect(await read()).toEqual([...finished, { key: 'next', state: 'begun' }])
    }
  })

  it('passes over what is no entry', async () => {
    await write(begun)
    await appendFile(path, '\0\0\0\n[]\n{"key":1}\nnull\n\n')
    await write(done)
    expect(await read()).toEqual([begun, done])
  })

  it('says what the file system says, where the file cannot be had', async () => {
    path = folder
    await expect(read()).rejects.toThrow('EISDIR')
    await expect(write(begun)).rejects.toThrow('EISDIR')
  })
})
