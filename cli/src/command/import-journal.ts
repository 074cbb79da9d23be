import { open, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileJournal } from '../tasks/file-journal.ts'
import { type Journal, loadJournal } from '../tasks/journal.ts'
import { isRecord } from '../text.ts'
import { UsageError } from './command.ts'
import { readPermissions } from './files/write-whole.ts'

/** The journal of an import, in a file that is kept after the import. */
export interface ImportJournal extends Journal {
  readonly path: string
}

/**
 * Returns the journal of an input: the file of `--journal`, or `FILE.journal`. Returns `undefined` for standard input
 * without the option. The first entry creates the file, with the permissions of the input.
 *
 * @throws {UsageError} if `--out` would replace it
 */
export async function createImportJournal(
  file: string,
  option: string | undefined,
  out: string | undefined,
): Promise<ImportJournal | undefined> {
  if (file === '-' && option === undefined) return undefined
  const path = option ?? `${await resolveInputPath(file)}.journal`
  if (out !== undefined && resolve(out) === resolve(path))
    throw new UsageError(`--out ${out}: is the journal of this import`)
  const journal = fileJournal(path)
  const create = async () => {
    const created = await open(path, 'a', file === '-' ? undefined : await readPermissions(file))
    await created.close()
  }
  let created: Promise<void> | undefined
  return {
    path,
    open: () => journal.open?.(),
    read: () => journal.read(),
    close: () => journal.close?.(),
    async write(entry) {
      created ??= create()
      await created
      await journal.write(entry)
    },
  }
}

/** Reads the short addresses in a journal, on whichever server they are. */
export async function readAddresses(journal: Journal | undefined): Promise<string[]> {
  const entries = [...(await loadJournal(journal)).values()]
  return entries.flatMap(({ data }) => (isRecord(data) && typeof data.shorturl === 'string' ? [data.shorturl] : []))
}

/** Returns the path of an input. Resolves symbolic links, so that all names of one file share a journal. */
async function resolveInputPath(file: string): Promise<string> {
  const real = await realpath(file)
  return real === resolve(file) ? file : real
}
