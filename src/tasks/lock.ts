import { open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ConfigurationError } from '../errors.ts'
import { isRecord } from '../schema/expected.ts'

/** The locks of this process: another one with its id, such as that of an earlier process, is an old one. */
const ownLocks = new Set<string>()

/**
 * Locks a file for this process with a file beside it, `<file>.lock`, which names the host and the process. A lock whose process
 * on this host has ended is taken over.
 *
 * @param what What the file is, for the error.
 * @returns the function that unlocks it
 * @throws {ConfigurationError} if another process has locked the file, or may have
 */
export async function lockFile(path: string, what: string): Promise<() => Promise<void>> {
  // The real path, so that a link to the file has the same lock.
  const file = await realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)))
  const lock = `${file}.lock`
  for (let tries = 0; ; tries++) {
    try {
      const handle = await open(lock, 'wx')
      ownLocks.add(lock)
      await handle.writeFile(JSON.stringify({ host: hostname(), pid: process.pid })).finally(() => handle.close())
      return async () => {
        ownLocks.delete(lock)
        await rm(lock, { force: true })
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const held = await readFile(lock, 'utf8').catch(() => '')
    if (tries > 0 || !hasEnded(lock, held)) throw inUse(path, what, lock, held)
    await takeAway(lock, held)
  }
}

/** Takes an old lock away, unless another process has just done so and made its own. */
async function takeAway(lock: string, held: string): Promise<void> {
  const old = `${lock}.${crypto.randomUUID()}`
  await rename(lock, old).catch(() => {})
  if ((await readFile(old, 'utf8').catch(() => held)) === held) await rm(old, { force: true })
  else await rename(old, lock)
}

function hasEnded(lock: string, held: string): boolean {
  const { host, pid } = holderOf(held)
  if (host !== hostname() || typeof pid !== 'number') return false
  if (pid === process.pid) return !ownLocks.has(lock)
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    // Anything else means that it runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function holderOf(held: string): Record<string, unknown> {
  try {
    const holder: unknown = JSON.parse(held)
    return isRecord(holder) ? holder : {}
  } catch {
    return {}
  }
}

function inUse(path: string, what: string, lock: string, held: string): ConfigurationError {
  const { host = 'an unknown host', pid = '?' } = holderOf(held)
  return new ConfigurationError(
    `${what} ${path}: it is in use by another run, in process ${pid} on ${host}. If that run has ended, delete ${lock}`,
  )
}
