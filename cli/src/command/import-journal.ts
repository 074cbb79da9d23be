import { open, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ShortLinkClient } from '../../../src/client/client.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'
import { fileJournal } from '../tasks/file-journal.ts'
import { isKeyOfRow, type Journal, keyRows, loadJournal } from '../tasks/journal.ts'
import { apiOf } from '../tasks/options.ts'
import { type LinkRow, type ReadRow, readRows } from '../tasks/rows.ts'
import { UsageError } from './command.ts'
import { permissionsOf } from './files/write-whole.ts'

/** The journal of an import, which belongs to its input: the record of which row got which link. It stays. */
export interface ImportJournal {
  readonly path: string
  readonly journal: Journal
  /** The short addresses in it, of every server. */
  readonly addresses: ReadonlySet<string>
  /** Returns the number of these rows that earlier runs have done at the server of a client. */
  countDone(client: ShortLinkClient, rows: Iterable<LinkRow>): Promise<number>
  /** Creates the file, with the permissions of the input, unless it is there. */
  create(): Promise<void>
}

/**
 * The journal of an input: `FILE.journal`, whatever the result is called, or that of `--journal`. `undefined` for
 * standard input without the option.
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
  const entries = await loadJournal(journal)
  const addresses = [...entries.values()].flatMap(({ data }) =>
    isRecord(data) && typeof data.shorturl === 'string' ? [data.shorturl] : [],
  )
  return {
    path,
    journal,
    addresses: new Set(addresses),
    async countDone(client, rows) {
      const server = apiOf(client).baseUrl()
      const own = new Map([...entries].filter(([key]) => isKeyOfRow(key, server)))
      const read: ReadRow<LinkRow>[] = []
      // Names of campaigns and channels may not be looked up yet, and no row is known by them.
      const known = Array.from(rows, ({ campaign: _, channel: __, ...row }) => row)
      for await (const row of readRows(known)) read.push(row)
      return keyRows(read, server, own).filter(({ state }) => state === 'done').length
    },
    async create() {
      const created = await open(path, 'a', file === '-' ? undefined : await permissionsOf(file))
      await created.close()
    },
  }
}

/** As it was given, unless it is a symbolic link. */
async function inputName(file: string): Promise<string> {
  const real = await realpath(file)
  return real === resolve(file) ? file : real
}
