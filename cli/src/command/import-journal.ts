import { open, readdir, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isRecord } from '../../../src/client/runtime/text.ts'
import { fileJournal } from '../tasks/file-journal.ts'
import { findDoneElsewhere, findUnrecorded, getServer, type Journal, loadJournal } from '../tasks/journal.ts'
import { isSameServer } from '../tasks/journal-server.ts'
import { type ReadRow, readRow } from '../tasks/rows.ts'
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

/** Rows of a file that have links already, and the journal that says so. */
interface DoneElsewhere {
  readonly path: string
  readonly rows: readonly ReadRow<unknown>[]
}

/**
 * Finds the rows without an alias of their own that another journal beside the input has as done, as for a copy of a file
 * under another name.
 */
export async function findDoneInOtherJournals(
  values: readonly unknown[],
  journal: ImportJournal,
  { sendsAliases, baseUrl }: { readonly sendsAliases: boolean; readonly baseUrl: string | undefined },
): Promise<DoneElsewhere | undefined> {
  const folder = dirname(resolve(journal.path))
  const names = await readdir(folder).catch(() => [])
  const others = names.map((name) => join(folder, name)).filter((path) => path !== resolve(journal.path))
  const journals = others.filter((path) => path.endsWith('.journal')).sort()
  if (journals.length === 0) return undefined
  const read = values.map((row) => readRow(row, sendsAliases))
  const rows = findUnrecorded(read, await loadJournal(journal))
  for (const path of journals) {
    const earlier = await loadJournal(fileJournal(path)).catch(() => undefined)
    const server = earlier && getServer(earlier)
    if (!earlier || server === undefined || (baseUrl !== undefined && !isSameServer(server, baseUrl))) continue
    const found = findDoneElsewhere(rows, earlier, sendsAliases)
    if (found.length > 0) return { path, rows: found }
  }
  return undefined
}

/** Returns the path of an input. Resolves symbolic links, so that all names of one file share a journal. */
async function resolveInputPath(file: string): Promise<string> {
  const real = await realpath(file)
  return real === resolve(file) ? file : real
}
