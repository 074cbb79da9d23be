import { open, readdir, readFile, readlink, realpath, rm, statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ConfigurationError } from '../errors.ts'

/** Identifies a process among all that may see the same file. Unknown values are `-`. */
export interface Holder {
  readonly pid: number
  /** When the process began, which differs for a later process with the same id. */
  readonly startTime: string
  /** The PID namespace. Each container has its own, and cannot see the processes of others. */
  readonly namespace: string
  /** The boot id of the machine; some containers have their own. */
  readonly boot: string
  readonly host: string
}

/**
 * Claims a file for this process until the claim is released or the process ends, however it ends.
 *
 * A claim is an empty file beside the claimed one, whose name identifies the process. Each process creates its claim and
 * then looks for others, so of two at the same moment both may be refused, but never both succeed. A claim is removed only if
 * its process has certainly ended.
 *
 * @returns the path of the claim
 * @throws {ConfigurationError} if another process holds the file, or may hold it
 */
export async function claimFile(path: string, self?: Holder, isOwnDisk = isLocal): Promise<string> {
  const here = self ?? (await thisProcess())
  const file = await realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)))
  const folder = dirname(file)
  const prefix = `${basename(file)}.lock-`
  const ownName = `${prefix}${Object.values(here).join('_')}`
  const claim = join(folder, ownName)
  try {
    await (await open(claim, 'wx')).close()
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(path, here, claim) : error
  }
  try {
    for (const name of await readdir(folder)) {
      const other = name.startsWith(prefix) ? parseHolder(name.slice(prefix.length)) : undefined
      if (!other || name === ownName) continue
      const doubt = await whyHeld(other, here, () => isOwnDisk(folder))
      if (doubt !== undefined) throw inUse(path, other, join(folder, name), doubt)
      await releaseFile(join(folder, name))
    }
  } catch (error) {
    await releaseFile(claim)
    throw error
  }
  return claim
}

export async function releaseFile(claim: string): Promise<void> {
  await rm(claim, { force: true })
}

function inUse(path: string, { pid, host }: Holder, claim: string, doubt = ''): ConfigurationError {
  return new ConfigurationError(
    `journal ${path}: it is in use by another run, in process ${pid} on ${host}${doubt}. If that run has ended, delete ${claim}`,
  )
}

function parseHolder(text: string): Holder | undefined {
  const [, pid, startTime, namespace, boot, host] = /^(\d+)_([^_]+)_([^_]+)_([^_]+)_(.+)$/.exec(text) ?? []
  return pid && startTime && namespace && boot && host
    ? { pid: Number(pid), startTime, namespace, boot, host }
    : undefined
}

export async function thisProcess(): Promise<Holder> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '')
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  return {
    pid: process.pid,
    // Not /proc/<pid>, which may belong to another PID namespace.
    startTime: (await statOf('self'))?.startTime ?? '-',
    namespace: /\d+/.exec(namespace)?.[0] ?? '-',
    boot: boot.trim() || '-',
    host: encodeURIComponent(hostname()),
  }
}

/** Why a claim is valid, for the error message. `undefined` if its process has certainly ended. */
async function whyHeld(holder: Holder, here: Holder, isOwnDisk: () => Promise<boolean>): Promise<string | undefined> {
  const isSameBoot = holder.boot === here.boot && (here.boot !== '-' || holder.host === here.host)
  if (isSameBoot && holder.namespace === here.namespace) return (await isRunning(holder)) ? '' : undefined
  if (isSameBoot) return ', in another container (PID namespace), whose processes cannot be seen from here'
  const isOutsideContainers = [holder, here].every(({ namespace }) => namespace === INITIAL_NAMESPACE)
  if (isOutsideContainers && (await isOwnDisk())) return undefined
  return ', on another machine, in another container or before a restart, which cannot be told from here'
}

/** The PID namespace of a machine itself: a constant of Linux. */
const INITIAL_NAMESPACE = String(0xeffffffc)

/** File systems that only one running machine can use: ext2 to ext4, XFS, Btrfs, F2FS, ZFS and bcachefs. */
const LOCAL_FILE_SYSTEMS = [0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0xca451a4e]

/** Whether a folder is on a disk that no other machine has mounted. */
export async function isLocal(folder: string): Promise<boolean> {
  const { type } = await statfs(folder)
  return LOCAL_FILE_SYSTEMS.includes(type)
}

/** Whether the process that wrote a claim is still running, rather than another one with its id. */
async function isRunning({ pid, startTime }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  // If the namespace has not mounted its own /proc, the ids there are of other processes.
  const isOwnProc = (await readlink('/proc/self').catch(() => '')) === String(process.pid)
  const stat = isOwnProc ? await statOf(pid) : undefined
  return stat === undefined || (stat.state !== 'Z' && stat.startTime === startTime)
}

/** The status of a process on Linux: its state (`Z` once it has ended) and when it began. `undefined` on other systems. */
async function statOf(pid: number | 'self'): Promise<{ state: string | undefined; startTime: string } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The command is in parentheses and may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTime] = [fields[0], fields[19]]
  return startTime ? { state, startTime } : undefined
}
