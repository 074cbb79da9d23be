import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import { UsageError } from '../command.ts'

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

/**
 * Writes a file whole or not at all, whatever ends the process in between: the old one stays until the new one is on
 * disk.
 *
 * @param mode the widest permissions for it; those of the file that it replaces are a bound too
 */
export async function writeWhole(path: string, content: string | Buffer, mode = 0o777): Promise<void> {
  const file = await existing(path)
  // What is no file, such as /dev/stdout or a named pipe, cannot be replaced.
  if (file && !file.isFile()) return writeFile(path, content)
  const target = file ? await realpath(path) : path
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx', mode & (file?.mode ?? 0o666))
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
export function withRemedy(error: unknown, option = '--out'): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code ?? '')
  if (!isFull && !['EROFS', 'EACCES', 'EPERM'].includes(code ?? '')) return error
  const remedy = isFull ? 'make room' : 'allow writing there'
  const advice = `Nothing is lost: ${remedy} and run the same command, or give ${option} FILE elsewhere`
  return new Error(`${message}. ${advice}`, { cause: error })
}

/** Returns a text that differs once a file is written anew; `undefined` for what is no file. */
export async function versionOf(path: string): Promise<string | undefined> {
  const file = await existing(path)
  return file?.isFile() ? `${file.dev} ${file.ino} ${file.size} ${file.mtimeMs}` : undefined
}

/** Returns the permissions of a file; `undefined` if it does not exist. */
export async function permissionsOf(path: string): Promise<number | undefined> {
  const { mode } = (await existing(path)) ?? {}
  return mode === undefined ? undefined : mode & 0o777
}

/** Returns the first name beside a file that is free: `result-2.csv`, `result-3.csv`, … */
export async function freeNameBeside(path: string): Promise<string> {
  const { dir, name, ext } = parse(path)
  for (let number = 2; ; number++) {
    const beside = join(dir, `${name}-${number}${ext}`)
    if (!(await existing(beside))) return beside
  }
}

async function existing(path: string) {
  return stat(path).catch((error) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}
