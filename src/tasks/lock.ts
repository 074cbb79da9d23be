import { link, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { ConfigurationError } from '../client/errors.ts'
import { isRecord } from '../client/runtime/text.ts'

/** Another process has locked a file, or may have. */
export class LockedError extends ConfigurationError {}

/** The process that holds a lock, and the lock. */
interface Holder {
  readonly pid: number
  readonly host: string
  /** When it locked the file, in milliseconds. */
  readonly lockedAt: number
  /** The name of this lock, different from every other one. */
  readonly id: string
}

/**
 * Locks a file for this process with a file beside it, `<path>.lock`, which names the process. A symbolic link and the file
 * that it stands for have one lock. A lock whose process has ended on this host is taken over.
 *
 * @param what A noun for the file in the error.
 * @returns the function that unlocks it
 * @throws {LockedError} if another process has locked the file, or may have
 */
export async function lockFile(path: string, what: string): Promise<() => Promise<void>> {
  const lock = `${await realName(path)}.lock`
  const own = { pid: process.pid, host: hostname(), lockedAt: Date.now(), id: crypto.randomUUID().slice(0, 8) }
  const { id, pid = '?', host = 'an unknown host' } = (await acquire(lock, own)) ?? {}
  if (id === own.id) return () => rm(lock, { force: true })
  throw new LockedError(
    `${what} ${path}: it is in use by another run, in process ${pid} on ${host}. If that run has ended, delete ${lock}`,
  )
}

/**
 * Creates a lock, or takes it over from a process that has ended. For that, a process first acquires the lock `<lock>.<id>`
 * of the old lock in the same way, so no two can do it at once.
 *
 * @returns the holder of the lock
 */
async function acquire(lock: string, own: Holder): Promise<Holder | undefined> {
  if (await createWhole(lock, JSON.stringify(own))) return own
  const holder = await holderOf(lock)
  if (!holder || !hasEnded(holder)) return holder
  const takeover = `${lock}.${holder.id}`
  const other = await acquire(takeover, own)
  if (other?.id !== own.id) return other
  // Another process may have taken it over, and removed the lock of its takeover, since it was read.
  const now = await holderOf(lock)
  if (now?.id === holder.id) await rename(takeover, lock)
  else await rm(takeover, { force: true })
  return now?.id === holder.id ? own : now
}

/** The path of a file without symbolic links, also if it does not exist yet. */
async function realName(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const target = await readlink(path).catch(() => undefined)
    if (target !== undefined) return realName(resolve(dirname(path), target))
    return join(await realpath(dirname(path)), basename(path))
  }
}

async function holderOf(lock: string): Promise<Holder | undefined> {
  try {
    const holder: unknown = JSON.parse(await readFile(lock, 'utf8'))
    return isRecord(holder) && Number.isSafeInteger(holder.pid) ? (holder as unknown as Holder) : undefined
  } catch {
    return undefined
  }
}

/** Creates a file that is there whole or not at all, even if the process is killed. Returns false if it is there already. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const whole = `${path}.${crypto.randomUUID()}`
  await writeFile(whole, text)
  try {
    await link(whole, path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // Some file systems have no links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    return writeFile(path, text, { flag: 'wx' }).then(
      () => true,
      () => false,
    )
  } finally {
    await rm(whole, { force: true })
  }
}

function hasEnded({ pid, host, lockedAt }: Holder): boolean {
  if (host !== hostname()) return false
  // In a container, the process before had the same id.
  if (pid === process.pid) return lockedAt < Date.now() - process.uptime() * 1000
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    // Anything else means that it runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
