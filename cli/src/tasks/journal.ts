import { ConfigurationError, type Outcome } from 'shortlink-sdk'
import { getHost, normalizeUrl } from '../addresses.ts'
import { formatValue, isRecord } from '../text.ts'
import { groupBy, isParameter, type ReadRow, type RowParams } from './rows.ts'

/** One entry of a journal: the state of an item. */
export interface JournalEntry {
  /** Identifies the item. */
  readonly key: string
  /**
   * The state of the item:
   *
   * - `begun` is written before the worker is called; by an import, before the first request that creates a link.
   * - `done`, or the outcome of its failure, is written when the item has ended. If the server did the work but its
   *   response could not be read, the state is `unknown`.
   * - An import also writes `not-sent` for each row whose alias it draws, before anything is sent. It writes `begun`
   *   again before it sends a row with another alias or without one.
   */
  readonly state: 'begun' | 'done' | Outcome
  /**
   * Data that is stored as JSON: the value of the worker for `bulk` with `replay`; the alias and the link for imports.
   */
  readonly data?: unknown
}

/** Records which items are done. Implement it to keep the record in a database, for example. */
export interface Journal {
  /** Called once when a run begins. Throw or reject to refuse the run, for example if another run uses the journal. */
  open?(): void | Promise<void>
  /** Returns all entries, oldest first. Called once when a run begins. */
  read(): Iterable<JournalEntry> | AsyncIterable<JournalEntry>
  /**
   * Adds an entry. Resolve only when the entry is stored, because its item begins after that. A call may come while
   * earlier calls are pending. Store the entries in the order of the calls. A rejection ends the run.
   */
  write(entry: JournalEntry): void | Promise<void>
  /** Called when the run has ended for any reason, unless `open` refused it. */
  close?(): void | Promise<void>
}

/** The last state and the last data of each item in a journal, by key. */
export type JournalState = ReadonlyMap<string, Omit<JournalEntry, 'key'>>

/** Reads a journal. `includesKey` selects the entries of this run. */
export async function loadJournal(
  journal: Journal | undefined,
  includesKey = (_key: string): boolean => true,
): Promise<JournalState> {
  const items = new Map<string, Omit<JournalEntry, 'key'>>()
  for await (const { key, ...entry } of journal?.read() ?? []) {
    if (includesKey(key)) items.set(key, { ...items.get(key), ...entry })
  }
  return items
}

/** Returns whether the outcome of an item in an earlier run is unknown. */
export const isInDoubt = (entry: { readonly state: string | undefined } | undefined): boolean =>
  entry?.state === 'begun' || entry?.state === 'unknown'

/** An earlier run began the item, and its outcome is unknown: the work may have been done. */
export class UnknownOutcomeError extends Error {
  declare readonly code?: undefined
  override readonly name = 'UnknownOutcomeError'

  constructor() {
    super('an earlier run began this item, and its outcome is unknown: it may have been done')
  }
}

/** A row with its journal entry. */
export interface KeyedRow<Row> {
  row: Row
  /** All values of the row before `prepare`. They identify it in the next run. */
  readonly values: ReadRow<Row>['values']
  /** The parameters of the link; `undefined` if the row is not an object. */
  params: RowParams | undefined
  /** The error of a row that cannot be sent. */
  problem?: Error
  readonly key: string
  /** The row's own alias, or the one that was drawn for it; `undefined` if no alias has been drawn yet. */
  alias: string | undefined
  /** Whether the row may have been sent without an alias, so that its link has the server's alias. */
  isWithoutAlias: boolean
  /** The state of the entry; `undefined` if there is no entry. */
  readonly state: string | undefined
  readonly entryData: Readonly<Record<string, unknown>>
}

/** A journal entry of a row. */
interface Entry extends Pick<KeyedRow<unknown>, 'state' | 'entryData'> {
  readonly number: number
}

/**
 * Assigns each row a journal key and the entry of an earlier run, if there is one. A row is identified by the server,
 * its address, alias and domain, and by a number among the rows that are equal in these. So rows can be added, sorted
 * and removed between two runs. A row gets
 *
 * 1. an entry of an earlier run whose other values are equal too
 * 2. or else an entry that no row has
 * 3. or else a new entry
 *
 * A row without an alias gets the alias of its entry.
 */
export function assignKeys<Row>(rows: readonly ReadRow<Row>[], server: string, earlier: JournalState): KeyedRow<Row>[] {
  const entries = groupEntries(earlier)
  const all = rows.map((read) => {
    const parts = createKeyParts(read, server)
    return { read, parts, identity: JSON.stringify(parts), hashes: hashValues(read.values) }
  })
  const entryByRow = new Map<object, Entry>()
  const objects = all.filter(({ read }) => read.params)
  for (const [identity, group] of groupBy(objects, (row) => row.identity)) {
    const unused = new Set(entries.get(identity))
    const assign = (rows: typeof group, candidates: readonly Entry[]) => {
      // If there are more entries than rows, entries that are done or may be done come first.
      const chosen = [...candidates].sort((a, b) => rankEntry(a) - rankEntry(b)).slice(0, rows.length)
      chosen.sort((a, b) => a.number - b.number)
      for (const [index, entry] of chosen.entries()) {
        entryByRow.set(rows[index]!, entry)
        unused.delete(entry)
      }
    }
    for (const [hashes, rows] of groupBy(group, (row) => serializeSorted(row.hashes))) {
      const hasSameHashes = ({ entryData }: Entry) =>
        serializeSorted(isRecord(entryData.row) ? entryData.row : {}) === hashes
      assign(rows, [...unused].filter(hasSameHashes))
    }
    const withoutEntry = group.filter((row) => !entryByRow.has(row))
    assign(withoutEntry, [...unused])
  }
  const lastNumbers = new Map(
    [...entries].map(([identity, group]) => [identity, Math.max(...group.map(({ number }) => number))]),
  )
  return all.map((row) => {
    const { read, parts, identity } = row
    const { values, params } = read
    const entry: Entry = entryByRow.get(row) ?? {
      number: (lastNumbers.get(identity) ?? 0) + 1,
      state: undefined,
      entryData: NO_DATA,
    }
    if (!entryByRow.has(row)) lastNumbers.set(identity, entry.number)
    const { state, entryData } = entry
    const alias = params?.custom ?? (typeof entryData.alias === 'string' ? entryData.alias : undefined)
    const key = JSON.stringify([...parts, entry.number])
    return {
      row: read.row,
      values,
      params,
      key,
      alias,
      isWithoutAlias: entryData.isWithoutAlias === true,
      state,
      entryData,
    }
  })
}

/** The data of rows without an entry. All of them share this object, because there may be many. */
const NO_DATA = {}

const rankEntry = ({ state }: Entry) => (state === 'done' ? 0 : isInDoubt({ state }) ? 1 : 2)

/** Returns whether a journal key identifies a row of an import to this server. */
export function isRowKey(key: string, server: string): boolean {
  if (!key.startsWith(`[${JSON.stringify(server)},`)) return false
  try {
    const parts: unknown = JSON.parse(key)
    return Array.isArray(parts) && parts.length === 5 && typeof parts[4] === 'number'
  } catch {
    return false
  }
}

/** Returns the parameters that were added to a row or changed since its link was created. */
export function findChangedNames(hashes: ValueHashes, before: ValueHashes = {}): string[] {
  return Object.keys(hashes).filter((name) => isParameter(name) && hashes[name] !== before[name])
}

/** Returns the parts of a row's key that precede its number. */
function createKeyParts({ params }: ReadRow<unknown>, server: string): string[] {
  const { url = '', custom = '', domain = '' } = params ?? {}
  return [server, normalizeUrl(String(url)), custom, domain && getHost(String(domain))]
}

/** The hash of each value of a row, by name. */
type ValueHashes = Readonly<Record<string, string>>

/** Hashes the values of a row, except its address, alias and domain. A password gets no hash. */
export function hashValues(values: ReadRow<unknown>['values']): ValueHashes {
  const { url: _, custom: __, domain: ___, ...rest } = values
  const hashes = Object.entries(rest).map(([name, value]) => [name, name === 'password' ? '' : (hash(value) ?? '')])
  return Object.fromEntries(hashes)
}

/** Groups the entries of earlier runs by the identity of their rows. */
function groupEntries(earlier: JournalState): Map<string, Entry[]> {
  const entries = [...earlier].flatMap(([key, { state, data }]) => {
    const [, identity, number] = /^(.*),(\d+)\]$/.exec(key) ?? []
    if (identity === undefined) return []
    return [{ identity: `${identity}]`, number: Number(number), state, entryData: isRecord(data) ? data : {} }]
  })
  return groupBy(entries, ({ identity }) => identity)
}

/** Serializes values to the same text for every order of their names. */
const serializeSorted = (values: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(Object.entries(values).sort())

/**
 * Returns a short hash of a value (FNV-1a), equal for a number and its digits; `undefined` if the value cannot be
 * serialized. Not collision-resistant.
 */
function hash(value: unknown): string | undefined {
  let text: string
  try {
    text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  } catch {
    return undefined
  }
  let result = 0x811c9dc5
  for (const letter of text) result = Math.imul(result ^ letter.codePointAt(0)!, 0x01000193) >>> 0
  return result.toString(36)
}

/** The link that the journal stores for a row that is done. */
interface StoredLink {
  readonly id: number
  readonly shorturl: string
  readonly created: boolean
  readonly differs?: readonly string[]
  readonly longurl?: string
  readonly row?: ValueHashes
}

/** @throws {ConfigurationError} if the entry has no link, because the journal does not store `data` */
export function parseStoredLink(key: string, data: unknown): StoredLink {
  if (isRecord(data) && Number.isSafeInteger(data.id) && typeof data.shorturl === 'string') {
    return data as unknown as StoredLink
  }
  throw new ConfigurationError(
    `journal: the entry ${formatValue(key)} is done but has no link. A journal for importLinks must store \`data\``,
  )
}
