import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ConfigurationError } from '../errors.ts'

/** What is in a lock. Another process may have the id of an earlier one, as in a container, but does not start at the same time. */
interface Holder {
  readonly host?: unknown
  readonly pid?: unknown
  readonly startedAt?: unknown
}

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
  const held = await readFile(lock, 'utf8').catch(() => '')
  const holder = holderOf(held)
  if (hasEnded(holder)) await takeAway(lock, held)
  const own: Holder = { host: hostname(), pid: process.pid, startedAt: performance.timeOrigin }
  try {
    await writeFile(lock, JSON.stringify(own), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const { host = 'an unknown host', pid = '?' } = holder
    throw new ConfigurationError(
      `${what} ${path}: it is in use by another run, in process ${pid} on ${host}. If that run has ended, delete ${lock}`,
    )
  }
  return () => rm(lock, { force: true })
}

/** Takes an old lock away, unless another process has just done so and made its own. */
async function takeAway(lock: string, held: string): Promise<void> {
  const old = `${lock}.${crypto.randomUUID()}`
  await rename(lock, old).catch(() => {})
  if ((await readFile(old, 'utf8').catch(() => held)) === held) await rm(old, { force: true })
  else await rename(old, lock)
}

function hasEnded({ host, pid, startedAt }: Holder): boolean {
  if (host !== hostname() || typeof pid !== 'number') return false
  if (pid === process.pid) return startedAt !== performance.timeOrigin
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    // Anything else means that it runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function holderOf(held: string): Holder {
  try {
    return Object(JSON.parse(held))
  } catch {
    return {}
  }
}
