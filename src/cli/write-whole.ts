import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from './command.ts'

/**
 * Checks that a file can be written, before work begins whose result goes there.
 *
 * @param input the file that is read, which must not be overwritten
 * @throws {UsageError} if it cannot
 */
export async function checkWritable(path: string, input?: string): Promise<void> {
  // Elsewhere it stands for standard output, where the results go without this option.
  if (path === '-') throw new UsageError('--out takes a file: leave it out for standard output')
  try {
    const file = await existing(path)
    if (file?.isDirectory()) throw new Error(`${path} is a folder`)
    const read = file?.isFile() && input !== undefined && input !== '-' ? await existing(input) : undefined
    if (read && read.ino === file?.ino && read.dev === file.dev) throw new Error(`${path} is the file that is read`)
    await access(file ? path : dirname(path), constants.W_OK)
    if (file?.isFile()) await access(dirname(await realpath(path)), constants.W_OK)
  } catch (error) {
    throw new UsageError(`--out: ${(error as Error).message}. Give another file`)
  }
}

/** Writes a file whole or not at all, whatever ends the process in between: the old one stays until the new one is on disk. */
export async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  const file = await existing(path)
  // What is no file, such as /dev/stdout or a named pipe, cannot be replaced.
  if (file && !file.isFile()) return writeFile(path, content)
  const target = file ? await realpath(path) : path
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx', file?.mode)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/**
 * An error that also says what to do, if a disk is full or a folder cannot be written.
 *
 * @param option The option that names the file.
 */
export function withAdvice(error: unknown, option = '--out'): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const isFull = ['ENOSPC', 'EDQUOT'].includes(code ?? '')
  if (!isFull && !['EROFS', 'EACCES', 'EPERM'].includes(code ?? '')) return error
  const remedy = isFull ? 'make room' : 'allow writing there'
  return new Error(`${message}. Nothing is lost: ${remedy} and run the same command, or give ${option} FILE elsewhere`)
}

async function existing(path: string) {
  return stat(path).catch((error) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}
