import { open, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileJournal } from '../tasks/file-journal.ts'
import { type Journal, loadJournal } from '../tasks/journal.ts'
import { isRecord } from '../text.ts'
import { UsageError } from './command.ts'
import { permissionsOf } from './files/write-whole.ts'

/** The journal of an import, in a file that belongs to its input and stays. */
export interface ImportJournal extends Journal {
  readonly path: string
}

/**
 * Finds the journal of an input: `FILE.journal`, whatever the result is called, or the file of `--journal`. `undefined`
 * for standard input without the option. Its first entry creates the file, with the permissions of the input.
 *
 * @throws {UsageError} if `--out` would replace it
 */
export async function journalOf(
  file: string,
  option: string | undefined,
  out: string | undefined,
): Promise<ImportJournal | undefined> {
  if (file === '-' && option === undefined) return undefined
  // A symbolic link is another name of the same input.
  const path = option ?? `${await inputName(file)}.journal`
  if (out !== undefined && resolve(out) === resolve(path))
    throw new UsageError(`--out ${out}: is the journal of this import`)
  const journal = fileJournal(path)
  const create = async () => {
    const created = await open(path, 'a', file === '-' ? undefined : await permissionsOf(file))
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

/** Reads the short addresses in a journal, of every server. */
export async function addressesIn(journal: Journal | undefined): Promise<string[]> {
  const entries = [...(await loadJournal(journal)).values()]
  return entries.flatMap(({ data }) => (isRecord(data) && typeof data.shorturl === 'string' ? [data.shorturl] : []))
}

/** Returns the name of an input as it was given, or the file that a symbolic link stands for. */
async function inputName(file: string): Promise<string> {
  const real = await realpath(file)
  return real === resolve(file) ? file : real
}
