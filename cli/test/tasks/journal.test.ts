import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFile,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bulk, type JournalEntry } from 'shortlink-cli'
import { ConfigurationError } from 'shortlink-sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fileJournal, lockFile } from '../../src/tasks/file-journal.ts'
import { takeOver } from './lock-takeover.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-'))
  path = join(folder, 'run.journal')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

/** Returns the entries of a journal, by default of the journal at `path`. */
async function read(from: string | URL = path): Promise<JournalEntry[]> {
  const entries = []
  for await (const entry of fileJournal(from).read()) entries.push(entry)
  return entries
}

async function write(...entries: JournalEntry[]): Promise<void> {
  const journal = fileJournal(path)
  try {
    await Promise.all(entries.map((entry) => journal.write(entry)))
  } finally {
    await journal.close?.()
  }
}

const begun: JournalEntry = { key: 'größe "1"', state: 'begun', data: { row: {} } }
const done: JournalEntry = { key: 'größe "1"', state: 'done' }

describe('fileJournal', () => {
  it('is empty and creates no file until an entry is written', async () => {
    expect(await read()).toEqual([])
    await expect(readFile(path)).rejects.toThrow('ENOENT')
  })

  it('keeps entries in order across runs', async () => {
    await write(begun, done)
    const failed = (['rejected', 'not-sent', 'unknown'] as const).map((state) => ({ key: '2', state }))
    await write(...failed)
    expect(await read()).toEqual([begun, done, ...failed])
  })

  it('keeps the data of an entry, and no unknown fields', async () => {
    const entry = { key: '1', state: 'done', data: { list: [1, 'zwei', null] } } as const
    await write({ ...entry, secret: 'x' } as JournalEntry)
    expect(await read()).toEqual([entry])
  })

  it('accepts a file: URL, and keeps its file when the working directory changes', async () => {
    await write(begun)
    expect(await read(pathToFileURL(path))).toEqual([begun])
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder)
    const journal = fileJournal('run.journal')
    cwd.mockReturnValue('/')
    await journal.write(done)
    await journal.close?.()
    expect(await read()).toEqual([begun, done])
  })

  it('only ever appends to the file', async () => {
    await write(begun)
    const before = await readFile(path, 'utf8')
    await write(done)
    expect((await readFile(path, 'utf8')).startsWith(before)).toBe(true)
  })

  it('survives a kill at any byte: every complete line counts, and the next run continues', async () => {
    await write(begun, done)
    const whole = await readFile(path)
    const [first] = whole.toString().split('\n') as [string]
    const lengthOfFirst = Buffer.byteLength(first)
    for (let length = 0; length <= whole.length; length++) {
      await writeFile(path, whole)
      await truncate(path, length)
      const finished = [begun, done].slice(0, length >= whole.length - 1 ? 2 : length >= lengthOfFirst ? 1 : 0)
      expect(await read()).toEqual(finished)
      await write({ key: 'next', state: 'begun' })
      expect(await read()).toEqual([...finished, { key: 'next', state: 'begun' }])
    }
  }, 60_000)

  it('drops a last line of NUL bytes, which a power cut may leave', async () => {
    await write(begun)
    await appendFile(path, Buffer.alloc(100))
    expect(await read()).toEqual([begun])
    await write(done)
    expect(await read()).toEqual([begun, done])
  })

  it.each(['{"secret":"only copy"}', 'TOKEN=abc', 'a,b,c', '{"key":5}'])(
    'rejects a file that is not a journal without changing it, even if its only line is incomplete: %s',
    async (text) => {
      await writeFile(path, text)
      const run = bulk([1], async () => {}, { journal: fileJournal(path), key: String })
      await expect(run.summary()).rejects.toThrow(`journal ${path}, line 1: expected an entry such as {"key":"1"`)
      expect(await readFile(path, 'utf8')).toBe(text)
    },
  )

  it('reads a last line that lacks only its line break', async () => {
    await writeFile(path, '{"key":"1","state":"done"}')
    expect(await read()).toEqual([{ key: '1', state: 'done' }])
  })

  it('can be used again after it is closed', async () => {
    const journal = fileJournal(path)
    for (const entry of [begun, done]) {
      await journal.write(entry)
      await journal.close?.()
    }
    expect(await read()).toEqual([begun, done])
  })

  it.each(['close', Symbol.asyncDispose] as const)(
    'closes its file: %s',
    { skip: process.platform !== 'linux' },
    async (close) => {
      const descriptors = async () => {
        const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
        return (await Promise.all(links)).filter((file) => file === path)
      }
      const journal = fileJournal(path)
      await journal.write(begun)
      expect(await descriptors()).toHaveLength(1)
      await journal[close]?.()
      expect(await descriptors()).toEqual([])
    },
  )

  it('ignores empty lines and accepts Windows line endings', async () => {
    await write(begun)
    await appendFile(path, '\r\n\n  \n{"key":"2","state":"done"}\r\n')
    expect(await read()).toEqual([begun, { key: '2', state: 'done' }])
  })

  it.each([
    '\0\0\0',
    '[]',
    '{"key":1,"state":"done"}',
    '{"key":"1"}',
    '{"key":"1","state":"maybe"}',
    'null',
    '{"key":',
  ])('names the file and the line of an invalid entry: %j', async (line) => {
    await write(begun)
    await appendFile(path, `\n${line}\n`)
    await write(done)
    const error = await read().catch((error) => error)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toMatch(
      `journal ${path}, line 3: expected an entry such as {"key":"1","state":"done"}, received`,
    )
  })

  it('rejects with the error of the file system if the file cannot be used', async () => {
    path = folder
    await expect(read()).rejects.toThrow('EISDIR')
    await expect(write(begun)).rejects.toThrow('EISDIR')
    path = join(folder, 'missing', 'run.journal')
    await expect(write(begun)).rejects.toThrow('ENOENT')
  })

  it.each([undefined, null, '', 7, Symbol('x'), 'a\0b', new URL('https://sho.rt/x')])(
    'rejects %s as a path',
    (wrong) => {
      expect(() => fileJournal(wrong as string)).toThrow(ConfigurationError)
      expect(() => fileJournal(wrong as string)).toThrow(/^fileJournal: path: .*expected a path or a file: URL/)
    },
  )
})

it.skipIf(process.platform === 'win32')(
  'a journal that is a pipe is refused, so that it never waits for a writer',
  async () => {
    execFileSync('mkfifo', [path])
    const journal = fileJournal(path)
    const problem = `journal ${path}: expected a file, found a pipe`
    await expect(journal.open?.()).rejects.toThrow(problem)
    const read = async () => {
      for await (const _ of journal.read());
    }
    await expect(read()).rejects.toThrow(problem)
  },
)

describe('an entry is on disk', () => {
  /** Spies on the prototype of open files, to record what is written and synced. */
  async function watchFiles() {
    const probe = await open(join(folder, 'probe'), 'w')
    const prototype = Object.getPrototypeOf(probe) as typeof probe
    await probe.close()
    const events: string[] = []
    for (const method of ['appendFile', 'datasync', 'sync'] as const) {
      const original = prototype[method] as (...args: unknown[]) => Promise<void>
      vi.spyOn(prototype, method).mockImplementation(async function (this: unknown, ...args: unknown[]) {
        await original.apply(this, args)
        events.push(method)
      } as never)
    }
    return events
  }

  it('before its item starts, and after the item has ended', async () => {
    const events = await watchFiles()
    const worker = async () => void events.push('work')
    await bulk([1, 2], worker, { journal: fileJournal(path), key: String, concurrency: 1 }).summary()
    const item = ['appendFile', 'datasync', 'work', 'appendFile', 'datasync']
    // The name of a new file is on disk once its folder is synced. Windows neither needs nor allows this.
    const ofFolder = process.platform === 'win32' ? [] : ['sync']
    expect(events).toEqual([...ofFolder, ...item, ...item])
  })

  it('together with concurrent entries, which share one sync', async () => {
    const events = await watchFiles()
    const journal = fileJournal(path)
    await Promise.all(Array.from({ length: 100 }, (_, index) => journal.write({ key: String(index), state: 'begun' })))
    await journal.close?.()
    expect(events.filter((event) => event === 'datasync').length).toBeLessThanOrEqual(2)
    expect((await read()).map(({ key }) => Number(key))).toEqual(Array.from({ length: 100 }, (_, index) => index))
  })

  it('or the run ends: once a sync has failed, every later entry fails too', async () => {
    const events = await watchFiles()
    const journal = fileJournal(path)
    await journal.write(begun)
    const file = await open(path, 'r')
    const sync = vi.spyOn(Object.getPrototypeOf(file), 'datasync').mockRejectedValueOnce(new Error('EIO'))
    await file.close()
    await expect(journal.write(done)).rejects.toThrow('EIO')
    const before = [...events]
    await expect(journal.write(done)).rejects.toThrow('EIO')
    expect(events).toEqual(before)
    sync.mockRestore()
    await journal.close?.()
  })
})

describe('a journal that changes during a run', () => {
  const lock = () => `${path}.lock`
  const copy = async () => {
    const text = await readFile(path)
    await rm(path)
    await writeFile(path, text)
  }

  it.each<[string, string, () => Promise<unknown>]>([
    ['is removed', 'was removed or replaced', () => rm(path)],
    ['is replaced by its copy', 'was removed or replaced', copy],
    ['is emptied', 'was removed or replaced', () => truncate(path, 0)],
    ['has entries of another run', 'was removed or replaced', () => appendFile(path, '{"key":"x","state":"done"}\n')],
    ['is moved with its folder', 'was removed or replaced', () => rename(folder, `${folder}-stash`)],
    ['loses its lock', 'its lock', () => rm(lock())],
    ['gets the lock of another run', 'its lock', () => writeFile(lock(), '{"pid":1,"host":"x","id":"other"}')],
  ])('ends the run if it %s', async (_, message, change) => {
    const worker = vi.fn(async (id: number) => {
      if (id === 2) await change()
    })
    const ids = Array.from({ length: 100 }, (_, id) => id)
    const run = bulk(ids, worker, { journal: fileJournal(path), key: String, concurrency: 1 })
    const error = await run.summary().catch((error) => error)
    await rename(`${folder}-stash`, folder).catch(() => {})
    expect(error.message).toContain(`journal ${path}: `)
    expect(error.message).toContain(message)
    expect(error.message).toContain('Restore the journal before the next run')
    expect(worker).toHaveBeenCalledTimes(3)
  })

  it('ends the run if it is removed between its reading and the first entry', async () => {
    await write(begun, done)
    const journal = fileJournal(path)
    await journal.open?.()
    for await (const _ of journal.read());
    await rm(path)
    await expect(journal.write(begun)).rejects.toThrow('was removed or replaced')
    await journal.close?.()
    expect(await readdir(folder)).toEqual([])
  })
})

describe('a journal in use by another run', () => {
  const noWork = vi.fn()
  const refusal = (use = path) =>
    bulk([1], noWork, { journal: fileJournal(use), key: String })
      .summary()
      .then(
        () => undefined,
        (error) => error,
      )
  const lock = () => `${path}.lock`
  /** Writes the lock that a killed process leaves behind. */
  const leaveLock = async (pid: number, holder: object = {}) => {
    const held = await lockFile(path, 'journal')
    const own = JSON.parse(await readFile(lock(), 'utf8'))
    await held.release()
    await writeFile(lock(), JSON.stringify({ ...own, pid, start: 'earlier', ...holder }))
  }
  const ENDED = 2 ** 22 + 1

  it('is rejected in the same process until that run ends, even under another path and before its file exists', async () => {
    const linked = join(folder, 'linked')
    await symlink(folder, linked)
    const journal = fileJournal(path)
    await journal.open?.()
    for (const use of [path, join(linked, 'run.journal')]) {
      const error = await refusal(use)
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(error.message).toMatch(`journal ${use}: it is in use by another run, in process ${process.pid}`)
    }
    expect(noWork).not.toHaveBeenCalled()
    await journal.close?.()
    expect(await refusal()).toBeUndefined()
    expect((await readdir(folder)).sort()).toEqual(['linked', 'run.journal'])
  })

  it.each([true, false])('has one lock for all of its paths, whether its file exists: %s', async (exists) => {
    if (exists) await writeFile(path, '')
    const name = join(folder, 'name')
    await symlink('run.journal', name)
    const journal = fileJournal(name)
    await journal.open?.()
    expect((await refusal())?.message).toContain('it is in use by another run')
    await journal.close?.()
    expect(await refusal()).toBeUndefined()
  })

  it('is rejected in another process, and free again after the first process was killed', async () => {
    const script = join(folder, 'holder.mjs')
    const source = new URL('../../src/tasks/file-journal.ts', import.meta.url).href
    await writeFile(
      script,
      `import { fileJournal } from ${JSON.stringify(source)}
      await fileJournal(${JSON.stringify(path)}).open()
      process.send('open')
      setInterval(() => {}, 1000)`,
    )
    const child = fork(script, { execArgv: ['--import', import.meta.resolve('tsx')] })
    await once(child, 'message')
    const error = await refusal()
    expect(error.message).toMatch(
      new RegExp(
        `in process ${child.pid} on ${hostname()} since 20[-\\dT:.]+Z\\. If that run has ended, delete ${lock()}$`,
      ),
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await refusal()).toBeUndefined()
    expect(await readdir(folder)).not.toContain('run.journal.lock')
  })

  it.each<[string, number]>([
    ['has ended', ENDED],
    // On other systems the two cannot be distinguished, so the journal is rejected.
    ...(process.platform === 'linux' ? [['had the id of this one', process.pid] as [string, number]] : []),
  ])('is free if the process in its lock %s', async (_what, pid) => {
    await leaveLock(pid)
    expect(await refusal()).toBeUndefined()
    expect(await readdir(folder)).toEqual(['run.journal'])
  })

  it.each<[string, () => Promise<void>, string]>([
    ['runs on another host', () => leaveLock(ENDED, { host: 'another' }), `in process ${ENDED} on another`],
    ['is unknown', () => writeFile(lock(), ''), 'in process ? on an unknown host'],
    [
      'runs in another container with the same host name',
      () => leaveLock(ENDED, { namespace: 'pid:[4026599999]' }),
      `in process ${ENDED} on ${hostname()}, in another container`,
    ],
    [
      'has the id of this one in another container',
      () => leaveLock(process.pid, { namespace: 'pid:[4026599999]' }),
      `in process ${process.pid} on ${hostname()}, in another container`,
    ],
  ])('is rejected if the process in its lock %s', async (_what, leave, where) => {
    await leave()
    const { message } = await refusal()
    expect(message).toContain(`${where} since ${(await stat(lock())).mtime.toISOString()}. `)
    expect(message).toContain(`If that run has ended, delete ${lock()}`)
    expect(await readdir(folder)).toEqual(['run.journal.lock'])
  })

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('is rejected in the same process even if its clock was set %s by an hour', async (_, ms) => {
    const journal = fileJournal(path)
    await journal.open?.()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
    const error = await refusal()
    vi.useRealTimers()
    expect(error?.message).toContain('in use by another run')
    await journal.close?.()
    expect(await refusal()).toBeUndefined()
  })

  it('is not unlocked by a run whose lock another run has taken over', async () => {
    const journal = fileJournal(path)
    await journal.open?.()
    await rm(lock())
    const other = fileJournal(path)
    await other.open?.()
    await journal.close?.()
    expect((await refusal())?.message).toContain('in use by another run')
    await other.close?.()
    expect(await readdir(folder)).toEqual([])
  })

  it('is rejected if its process belongs to another user', async () => {
    await leaveLock(ENDED)
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' })
    })
    expect((await refusal()).message).toContain('in use by another run')
  })

  it('is taken over by one of many runs that find a stale lock at the same time', async () => {
    await leaveLock(ENDED)
    const journals = Array.from({ length: 20 }, () => fileJournal(path))
    const opened = await Promise.allSettled(journals.map((journal) => journal.open?.()))
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await Promise.all(journals.map((journal) => journal.close?.()))
    expect(await readdir(folder)).toEqual([])
  })

  it('is taken over by one of three processes that find a stale lock in the same millisecond', async () => {
    const { owners, files } = await takeOver(40, 3)
    expect(owners).toEqual(Array(40).fill(1))
    expect(files).toEqual([])
  })

  it('rejects with the error of the file system if no lock can be written', {
    skip: process.platform !== 'linux',
  }, async () => {
    await expect(refusal('/proc/run.journal')).resolves.toMatchObject({
      code: expect.stringMatching(/^E(NOENT|ACCES|PERM)$/),
    })
  })
})
