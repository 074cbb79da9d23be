import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import { UsageError } from '../command.ts'

/**
 * Checks that a file can be written, before the work starts.
 *
 * @param input the input file, which must not be overwritten
 * @throws {UsageError} if the file cannot be written
 */
export async function checkWritable(path: string, input?: string): Promise<void> {
  // In other programs, `-` stands for standard output, which is the default here.
  if (path === '-') throw new UsageError('--out takes a file. Leave it out to write to standard output')
  try {
    const file = await statIfExists(path)
    if (file?.isDirectory()) throw new Error(`${path} is a folder`)
    const read = file?.isFile() && input !== undefined && input !== '-' ? await statIfExists(input) : undefined
    if (read && read.ino === file?.ino && read.dev === file.dev) throw new Error(`${path} is the input file`)
    await access(file ? path : dirname(path), constants.W_OK)
    if (file?.isFile()) await access(dirname(await realpath(path)), constants.W_OK)
  } catch (error) {
    throw new UsageError(`--out: ${(error as Error).message}. Use another file`)
  }
}

/**
 * Writes a file completely or not at all, even if the process is killed: the old file stays until the new one is on
 * disk.
 *
 * @param mode the permissions that the file may have; the permissions of a file that it replaces limit them too
 */
export async function writeWhole(path: string, content: string | Buffer, mode = 0o777): Promise<void> {
  const file = await statIfExists(path)
  // Devices and named pipes, such as /dev/stdout, cannot be replaced.
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
 * Adds advice to an error if the disk is full or the folder is not writable. Returns other errors unchanged.
 *
 * @param option the option that sets the file
 */
export function addAdvice(error: unknown, option = '--out'): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code ?? '')
  if (!isFull && !['EROFS', 'EACCES', 'EPERM'].includes(code ?? '')) return error
  const remedy = isFull ? 'free some disk space' : 'allow writing there'
  const advice = `Nothing is lost: ${remedy} and run the same command again, or use ${option} with a file elsewhere`
  return new Error(`${message}. ${advice}`, { cause: error })
}

/** Returns a text that changes when a file is replaced or written. `undefined` if there is no regular file. */
export async function readVersion(path: string): Promise<string | undefined> {
  const file = await statIfExists(path)
  return file?.isFile() ? `${file.dev} ${file.ino} ${file.size} ${file.mtimeMs}` : undefined
}

/** Returns whether writing to a path makes a regular file. Pipes and devices, such as /dev/stdout, stay what they are. */
export async function isReplacedWhole(path: string): Promise<boolean> {
  const file = await statIfExists(path)
  return file === undefined || file.isFile()
}

/** Returns the permissions of a file; `undefined` if it does not exist. */
export async function readPermissions(path: string): Promise<number | undefined> {
  const { mode } = (await statIfExists(path)) ?? {}
  return mode === undefined ? undefined : mode & 0o777
}

/** Returns the first unused name in the folder of a file: `result-2.csv`, `result-3.csv`, … */
export async function findFreeName(path: string): Promise<string> {
  const { dir, name, ext } = parse(path)
  for (let number = 2; ; number++) {
    const beside = join(dir, `${name}-${number}${ext}`)
    if (!(await statIfExists(beside))) return beside
  }
}

async function statIfExists(path: string) {
  return stat(path).catch((error) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}
