import { execFileSync } from 'node:child_process'
import fs, { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { UsageError } from '../../src/command/command.ts'
import { checkWritable, writeWhole } from '../../src/command/files/write-whole.ts'

let folder: string
const path = (name: string) => join(folder, name)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whole-'))
  return () => rm(folder, { recursive: true })
})

test('a replaced file keeps its mode, and a symbolic link to it stays a link', async () => {
  await writeFile(path('old.csv'), 'old')
  await chmod(path('old.csv'), 0o640)
  await symlink('old.csv', path('linked.csv'))
  await writeWhole(path('linked.csv'), 'new')
  expect(await readFile(path('old.csv'), 'utf8')).toBe('new')
  expect((await stat(path('old.csv'))).mode & 0o777).toBe(0o640)
  expect((await fs.lstat(path('linked.csv'))).isSymbolicLink()).toBe(true)
  expect(await readdir(folder)).toEqual(['linked.csv', 'old.csv'])
})

test('a reader of the old file still reads all of it after it is replaced', async () => {
  await writeFile(path('a.csv'), 'old')
  await link(path('a.csv'), path('reader'))
  await writeWhole(path('a.csv'), 'new')
  expect(await readFile(path('reader'), 'utf8')).toBe('old')
})

test('if the new file cannot be written, the old one stays, without a temporary file', async () => {
  await writeFile(path('a.csv'), 'old')
  const probe = await fs.open(path('a.csv'), 'r')
  const sync = vi.spyOn(Object.getPrototypeOf(probe), 'sync').mockRejectedValueOnce(new Error('ENOSPC'))
  onTestFinished(() => sync.mockRestore())
  await probe.close()
  await expect(writeWhole(path('a.csv'), 'new')).rejects.toThrow('ENOSPC')
  expect(await readFile(path('a.csv'), 'utf8')).toBe('old')
  expect(await readdir(folder)).toEqual(['a.csv'])
})

// Not with /dev/null: as root, broken code would replace it for the whole machine.
test('a named pipe is written to, and not replaced', { skip: process.platform === 'win32' }, async () => {
  execFileSync('mkfifo', [path('pipe')])
  const reader = readFile(path('pipe'), 'utf8')
  await checkWritable(path('pipe'))
  await writeWhole(path('pipe'), 'text')
  expect(await reader).toBe('text')
  expect((await stat(path('pipe'))).isFIFO()).toBe(true)
})

test('a path that cannot be written is rejected before the work starts', async () => {
  await mkdir(path('folder'))
  for (const name of [path('folder'), path('none/a.csv')]) {
    await expect(checkWritable(name)).rejects.toThrow(UsageError)
    await expect(checkWritable(name)).rejects.toThrow(/^--out: /)
  }
  await checkWritable(path('a.csv'))
  expect(await readdir(folder)).toEqual(['folder'])
})
