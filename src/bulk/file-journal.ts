import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Journal, JournalEntry } from './journal.ts'

/**
 * A journal in a file, for `bulk`: one line of JSON for each entry, only ever added to. Whatever byte the process is
 * killed at, every line that was finished counts, and a line that was not is passed over. The file is made by the first
 * entry; delete it to begin anew.
 *
 * @throws the error of Node, from the run, where the file cannot be read or written.
 */
export function fileJournal(path: string | URL): Journal {
  let file: Promise<FileHandle> | undefined
  let written: Promise<unknown> = Promise.resolve()

  return {
    async *read() {
      const input = createReadStream(path, 'utf8')
      try {
        for await (const line of createInterface({ input, crlfDelay: Infinity })) {
          const entry = parse(line)
          if (entry) yield entry
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    },

    async write({ key, state, print }) {
      file ??= openToAppend(path)
      const handle = await file
      // One write after another: Node does not order those that are begun at the same time.
      const writing = written.then(() => handle.appendFile(`${JSON.stringify({ key, state, print })}\n`))
      written = writing.catch(() => {})
      await writing
    },

    async close() {
      await written
      await (await file)?.close()
      file = undefined
    },
  }
}

/** A last line that was cut off is ended, so that it does not swallow the next. */
async function openToAppend(path: string | URL): Promise<FileHandle> {
  const handle = await open(path, 'a+')
  const { size } = await handle.stat()
  const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: Math.max(0, size - 1) })
  if (size > 0 && buffer.toString() !== '\n') await handle.appendFile('\n')
  return handle
}

function parse(line: string): JournalEntry | undefined {
  try {
    const entry = JSON.parse(line) as JournalEntry | null
    return typeof entry?.key === 'string' && typeof entry.state === 'string' ? entry : undefined
  } catch {
    return undefined
  }
}
