import { open, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ConfigurationError } from '../errors.ts'

/**
 * Claims a file for this process until the claim is released or the process ends, however it ends.
 *
 * A claim is an empty file beside the claimed one whose name says which process holds it. Every process writes a claim of
 * its own and then looks for those of others, so two that come at the same moment may both be refused, but never both
 * succeed; and removing the claim of a process that is gone cannot hit one that is alive.
 *
 * @returns the path of the claim
 * @throws {ConfigurationError} if a running process holds the file
 */
export async function claimFile(path: string): Promise<string> {
  const file = await realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)))
  const folder = dirname(file)
  const prefix = `${basename(file)}.lock-`
  const here = hostname()
  const ownName = `${prefix}${process.pid}-${(await statOf(process.pid))?.startTime ?? 0}-${here}`
  const claim = join(folder, ownName)
  try {
    await (await open(claim, 'wx')).close()
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse(path, process.pid, here, claim) : error
  }
  try {
    for (const name of await readdir(folder)) {
      const holder = name.startsWith(prefix) ? /^(\d+)-(\d+)-(.+)/.exec(name.slice(prefix.length)) : null
      if (!holder || name === ownName) continue
      const [, pid, startTime, host] = holder
      const other = join(folder, name)
      if (host !== here || (await isRunning(Number(pid), startTime))) throw inUse(path, Number(pid), host!, other)
      await releaseFile(other)
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

function inUse(path: string, pid: number, host: string, claim: string): ConfigurationError {
  return new ConfigurationError(
    `journal ${path}: it is in use by another run, in process ${pid} on ${host}. If that run has ended, delete ${claim}`,
  )
}

/** Whether the very process that wrote a claim is still running, and not another one with its id. */
async function isRunning(pid: number, startTime: string | undefined): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const stat = await statOf(pid)
  return stat === undefined || (stat.state !== 'Z' && stat.startTime === startTime)
}

/** What Linux says of a process: its state (`Z` once it has ended) and when it began. `undefined` on other systems. */
async function statOf(pid: number): Promise<{ state: string | undefined; startTime: string } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The command stands in parentheses and may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTime] = [fields[0], fields[19]]
  return startTime ? { state, startTime } : undefined
}
