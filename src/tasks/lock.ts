import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { ConfigurationError } from '../errors.ts'

/**
 * Locks a file for this process with a file beside it, `<path>.lock`, which names the process and the host. A lock whose process
 * on this host has ended is taken over.
 *
 * @param what What the file is, for the error.
 * @returns the function that unlocks it
 * @throws {ConfigurationError} if another process has locked the file, or may have
 */
export async function lockFile(path: string, what: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`
  const held = await readFile(lock, 'utf8').catch(() => '')
  const [pid, host = 'an unknown host', startedAt] = held.split(' ')
  if (host === hostname() && hasEnded(Number(pid), Number(startedAt))) await takeAway(lock, held)
  try {
    await writeFile(lock, `${process.pid} ${hostname()} ${performance.timeOrigin}`, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new ConfigurationError(
      `${what} ${path}: it is in use by another run, in process ${pid || '?'} on ${host}. If that run has ended, delete ${lock}`,
    )
  }
  return () => rm(lock, { force: true })
}

function hasEnded(pid: number, startedAt: number): boolean {
  // In a container, the process before had the same id.
  if (pid === process.pid) return startedAt !== performance.timeOrigin
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    // Anything else means that it runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Takes an old lock away, unless another process has just done so and made its own. */
async function takeAway(lock: string, held: string): Promise<void> {
  const old = `${lock}.${crypto.randomUUID()}`
  await rename(lock, old).catch(() => {})
  if ((await readFile(old, 'utf8').catch(() => held)) === held) await rm(old, { force: true })
  else await rename(old, lock)
}
