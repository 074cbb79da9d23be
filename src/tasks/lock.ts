import { link, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { ConfigurationError } from '../errors.ts'
import { isRecord } from '../runtime/text.ts'

/** Another process has locked a file, or may have. */
export class LockedError extends ConfigurationError {}

/** The process that holds a lock. */
interface Holder {
  readonly pid: number
  readonly host: string
  /** When the process started. */
  readonly startedAt: number
  /** The boot of the machine and the namespace of its process ids, on Linux: containers may have one host name. */
  readonly boot?: string | undefined
  readonly namespace?: string | undefined
}

/**
 * Locks a file for this process with a file beside it, `<path>.lock`, which names the process. A lock whose process has ended is
 * taken over, if that can be known: its process ids are those of this process.
 *
 * @param what What the file is, for the error.
 * @returns the function that unlocks it
 * @throws {LockedError} if another process has locked the file, or may have
 */
export async function lockFile(path: string, what: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`
  const own = await thisProcess()
  const held = await readFile(lock, 'utf8').catch(() => '')
  const holder = holderIn(held)
  const isComparable = (['host', 'boot', 'namespace'] as const).every((name) => holder?.[name] === own[name])
  if (holder && isComparable && hasEnded(holder)) await takeAway(lock, held)
  try {
    await createWhole(lock, JSON.stringify(own))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const { pid = '?', host = 'an unknown host' } = holder ?? {}
    const elsewhere =
      holder && holder.host === own.host && !isComparable ? ', in another container or before a restart' : ''
    throw new LockedError(
      `${what} ${path}: it is in use by another run, in process ${pid} on ${host}${elsewhere}. If that run has ended, delete ${lock}`,
    )
  }
  return () => rm(lock, { force: true })
}

async function thisProcess(): Promise<Holder> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined)
  const namespace = await readlink('/proc/self/ns/pid').catch(() => undefined)
  return { pid: process.pid, host: hostname(), startedAt: performance.timeOrigin, boot: boot?.trim(), namespace }
}

function holderIn(text: string): Holder | undefined {
  try {
    const holder: unknown = JSON.parse(text)
    return isRecord(holder) && Number.isSafeInteger(holder.pid) ? (holder as unknown as Holder) : undefined
  } catch {
    return undefined
  }
}

/** Creates a file that is there whole or not at all, even if the process is killed. @throws `EEXIST` if it is there */
async function createWhole(path: string, text: string): Promise<void> {
  const own = `${path}.${crypto.randomUUID()}`
  await writeFile(own, text)
  try {
    await link(own, path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Some file systems have no links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    await writeFile(path, text, { flag: 'wx' })
  } finally {
    await rm(own, { force: true })
  }
}

function hasEnded({ pid, startedAt }: Holder): boolean {
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
