import {
  type FileHandle,
  link,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigurationError } from 'shortlink-sdk'
import { describeMismatch, formatValue } from '../../../src/client/checks/mismatch.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'
import type { Closable } from '../closable.ts'
import type { Journal, JournalEntry } from './journal.ts'

/**
 * Returns a journal for `bulk` and `importLinks` that is kept in an append-only file, with one line of JSON per entry.
 * The first entry creates the file. Delete it to start over.
 *
 * - An entry is on disk (`fdatasync`) before its item begins, and another when the item has ended. Entries that are
 *   written at the same time share one sync.
 * - After `kill -9` or a power cut, every item that began is recorded, so nothing is done twice and nothing is lost.
 *   Only the items in progress at that moment, at most `concurrency`, have an unknown outcome: see `onUnknown` of
 *   `bulk`. For a power cut, the disk and file system must keep what they report as synced.
 * - A truncated last line is dropped. Its item did not begin, or an earlier line records that it did.
 * - One run at a time can use the file. It creates `<path>.lock` beside the file. If its process is killed, the next
 *   run on the same host takes over the lock. If the lock belongs to another container or machine, the next run is
 *   refused. The error names the file to delete, and says since when it is there.
 * - If the file or its lock is removed or replaced during a run, for example by `git stash -u`, the next entry ends the
 *   run with an error.
 *
 * @example
 * const run = bulk(ids, worker, { journal: fileJournal('assign.journal'), key: (id) => id })
 *
 * @throws {ConfigurationError} if the path is invalid. During the run: if another run uses the file, or if a line is
 *   not an entry; the error names the file and the line. Errors of the file system are thrown unchanged, and end the
 *   run
 */
export function fileJournal(path: string | URL): Journal & Closable {
  return new FileJournal(parsePath(path))
}

class FileJournal implements Journal, Closable {
  readonly #path: string
  #lock: Lock | undefined
  #file: FileHandle | undefined
  /** The size that this run has read and written; `undefined` before it has done either. */
  #size: number | undefined
  /** Lines for the next sync. */
  #lines = ''
  /** Resolves when these lines are synced; `undefined` if there are none. */
  #batch: Promise<void> | undefined
  /** The last batch. If a batch fails, all later ones fail too, because the state of the file is then unknown. */
  #written: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  async open(): Promise<void> {
    await throwIfPipe(this.#path)
    this.#lock = await lockFile(this.#path, 'journal')
  }

  async *read(): AsyncGenerator<JournalEntry> {
    await throwIfPipe(this.#path)
    const content = await readFile(this.#path).catch((error) => {
      if (error.code !== 'ENOENT') throw error
      return Buffer.alloc(0)
    })
    this.#size = content.length
    const lines = content.toString().split('\n')
    for (const [index, text] of lines.entries()) {
      const entry = parseEntry(text)
      const isLast = index === lines.length - 1
      if (entry) yield entry
      else if (text.trim() !== '' && !(isLast && isTruncated(text))) {
        const problem = describeMismatch('an entry such as {"key":"1","state":"done"}', text, formatValue)
        throw new ConfigurationError(`journal ${this.#path}, line ${index + 1}: ${problem}`)
      }
    }
  }

  async write({ key, state, data }: JournalEntry): Promise<void> {
    this.#lines += `${JSON.stringify({ key, state, data })}\n`
    this.#batch ??= this.#written.then(() => this.#sync())
    this.#written = this.#batch
    await this.#batch
  }

  async close(): Promise<void> {
    await this.#written.catch(() => {})
    const [file, lock] = [this.#file, this.#lock]
    this.#file = this.#lock = this.#size = undefined
    try {
      await file?.close()
    } finally {
      await lock?.release()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #sync(): Promise<void> {
    if (!this.#file) {
      await this.#throwIfReplaced()
      this.#file = await openToAppend(this.#path)
      this.#size = (await this.#file.stat()).size
    }
    const lines = this.#lines
    this.#lines = ''
    this.#batch = undefined
    await this.#file.appendFile(lines)
    await this.#file.datasync()
    this.#size! += Buffer.byteLength(lines)
    await this.#throwIfReplaced()
  }

  /** @throws if the file or its lock was removed or replaced since this run read or wrote it */
  async #throwIfReplaced(): Promise<void> {
    const found = await stat(this.#path).catch(() => undefined)
    // A device, such as /dev/null, has no size.
    const isReplaced = this.#size !== undefined && (found?.isFile() ?? true) && (found?.size ?? 0) !== this.#size
    if (isReplaced) throw new Error(`journal ${this.#path}: ${REPLACED}`)
    if (this.#lock && !(await this.#lock.isHeld())) {
      throw new Error(`journal ${this.#path}: its lock ${this.#lock.path} ${REPLACED}`)
    }
  }
}

const REPLACED =
  'was removed or replaced while this run used it. Restore the journal before the next run, or its items will be done again'

/**
 * Returns whether a line is the beginning of an entry, or consists of zeros, as a power cut may leave it. A file with
 * any other invalid line must not be changed.
 */
function isTruncated(text: string): boolean {
  const prefix = '{"key":"'
  return text.startsWith('\0') || prefix.startsWith(text.slice(0, prefix.length))
}

/** @throws {ConfigurationError} for a pipe or a socket, because reading it could take forever */
async function throwIfPipe(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFIFO() && !found?.isSocket()) return
  throw new ConfigurationError(`journal ${path}: expected a file, found a ${found.isFIFO() ? 'pipe' : 'socket'}`)
}

function parsePath(path: unknown): string {
  if (typeof path === 'string' && path !== '' && !path.includes('\0')) return resolve(path)
  if (path instanceof URL && path.protocol === 'file:') return fileURLToPath(path)
  throw new ConfigurationError(`fileJournal: path: ${describeMismatch('a path or a file: URL', path, formatValue)}`)
}

/** Opens the file for appending. Completes or drops a truncated last line first. */
async function openToAppend(path: string): Promise<FileHandle> {
  const file = await open(path, 'a+')
  try {
    const content = await file.readFile()
    const lastLine = content.lastIndexOf('\n') + 1
    if (content.length === 0) await syncFolder(dirname(path))
    else if (parseEntry(content.toString('utf8', lastLine))) await file.appendFile('\n')
    else await file.truncate(lastLine)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Syncs a folder, because syncing a new file does not sync its name. Windows neither needs nor allows this. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

const states: unknown[] = ['begun', 'done', 'rejected', 'not-sent', 'unknown']

function parseEntry(line: string): JournalEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    const isEntry = isRecord(entry) && typeof entry.key === 'string' && states.includes(entry.state)
    return isEntry ? (entry as unknown as JournalEntry) : undefined
  } catch {
    return undefined
  }
}

/** Another process has locked the file, or may have. */
export class LockedError extends ConfigurationError {}

/** The process that holds a lock. */
interface LockHolder {
  readonly pid: number
  readonly host: string
  /** When the process started, as {@link readStartTime} returns it. */
  readonly start?: string | undefined
  /** Its PID namespace, as Linux names it. Containers may have the same host name. */
  readonly namespace?: string | undefined
  /** The unique id of the lock. */
  readonly id: string
}

/** A lock that this process holds. */
interface Lock {
  readonly path: string
  /** Returns whether this process still holds the lock. */
  isHeld(): Promise<boolean>
  /** Removes the lock, unless another process has replaced it. */
  release(): Promise<void>
}

/**
 * Locks a file for this process by creating `<path>.lock`, which names the process. A symbolic link and its target
 * share one lock. A lock of a process on this host that has ended is taken over.
 *
 * @param description What the file is, for the error.
 * @throws {LockedError} if another process has locked the file, or may have
 */
export async function lockFile(path: string, description: string): Promise<Lock> {
  const lock = `${await resolvePath(path)}.lock`
  const own = {
    pid: process.pid,
    host: hostname(),
    start: await readStartTime(process.pid),
    namespace: await readNamespace(),
    id: crypto.randomUUID().slice(0, 8),
  }
  const { id, pid = '?', host = 'an unknown host', namespace } = (await acquire(lock, own)) ?? {}
  if (id === own.id) {
    const isHeld = async () => (await readHolder(lock))?.id === own.id
    const release = async () => {
      if (await isHeld()) await rm(lock, { force: true })
    }
    return { path: lock, isHeld, release }
  }
  const isElsewhere = host === own.host && namespace !== own.namespace
  const where = isElsewhere ? `${host}, in another container` : host
  const created = await stat(lock).then(
    ({ mtime }) => ` since ${mtime.toISOString()}`,
    () => '',
  )
  throw new LockedError(
    `${description} ${path}: it is in use by another run, in process ${pid} on ${where}${created}. If that run has ended, delete ${lock}`,
  )
}

/**
 * Creates a lock, or takes it over from a process that has ended. To take over a lock, a process first acquires the
 * lock `<lock>.<id>` in the same way, so that no two processes do it at once.
 *
 * @returns the holder of the lock
 */
async function acquire(lock: string, own: LockHolder): Promise<LockHolder | undefined> {
  if (await createAtomically(lock, JSON.stringify(own))) return own
  const holder = await readHolder(lock)
  if (!holder || !(await hasEnded(holder))) return holder
  const takeover = `${lock}.${holder.id}`
  const other = await acquire(takeover, own)
  if (other?.id !== own.id) return other
  // Since the holder was read, another process may have finished a takeover and removed its lock `<lock>.<id>`.
  const now = await readHolder(lock)
  if (now?.id === holder.id) await rename(takeover, lock)
  else await rm(takeover, { force: true })
  return now?.id === holder.id ? own : now
}

/** Resolves the symbolic links of a path, even if the file does not exist yet. */
async function resolvePath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const target = await readlink(path).catch(() => undefined)
    if (target !== undefined) return resolvePath(resolve(dirname(path), target))
    return join(await realpath(dirname(path)), basename(path))
  }
}

async function readHolder(lock: string): Promise<LockHolder | undefined> {
  try {
    const holder: unknown = JSON.parse(await readFile(lock, 'utf8'))
    return isRecord(holder) && Number.isSafeInteger(holder.pid) ? (holder as unknown as LockHolder) : undefined
  } catch {
    return undefined
  }
}

/**
 * Creates a file with all of its content, or not at all if the process is killed. Returns `false` if the file exists
 * already.
 */
async function createAtomically(path: string, text: string): Promise<boolean> {
  const temporary = `${path}.${crypto.randomUUID()}`
  await writeFile(temporary, text)
  try {
    await link(temporary, path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // Some file systems do not support links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    return writeFile(path, text, { flag: 'wx' }).then(
      () => true,
      () => false,
    )
  } finally {
    await rm(temporary, { force: true })
  }
}

async function hasEnded({ pid, host, start, namespace }: LockHolder): Promise<boolean> {
  // In another PID namespace, the same id is another process.
  if (host !== hostname() || namespace !== (await readNamespace())) return false
  // A later process may have the same id.
  const now = await readStartTime(pid)
  if (start !== undefined && now !== undefined) return start !== now
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    // Any other error means that the process is running as another user.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Returns the PID namespace of this process; `undefined` on systems without namespaces. */
const readNamespace = (): Promise<string | undefined> => readlink('/proc/self/ns/pid').catch(() => undefined)

/**
 * Reads when a process started, in ticks since boot, because the clock may be set. Returns `undefined` if the process
 * is not running, and on systems without `/proc`, where process ids are rarely reused.
 */
async function readStartTime(pid: number): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const fields = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field, the program name in parentheses, may have spaces.
    const [started] = fields.slice(fields.lastIndexOf(')')).split(' ').slice(20)
    return `${boot.trim()} ${started}`
  } catch {
    return undefined
  }
}
