import { ConfigurationError, type Outcome } from 'shortlink-sdk'
import { formatValue } from '../../../src/client/checks/mismatch.ts'
import { getHost } from '../../../src/client/links/match.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'
import { untilAborted } from '../abort.ts'
import { hasSentAlias, normalizeUrl } from '../addresses.ts'
import {
  groupBy,
  type ImportRow,
  isParameter,
  type ReadRow,
  type RowLink,
  type Stray,
  type ValueHashes,
} from './rows.ts'

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
   * - An import also writes an entry for each row whose alias it generates, before anything is sent. It writes `begun`
   *   again before it sends a row with another alias. Its first entry has the key `["server"]` and the base URL.
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

/** Reads a journal. */
export async function loadJournal(journal: Journal | undefined, signal?: AbortSignal): Promise<JournalState> {
  const items = new Map<string, Omit<JournalEntry, 'key'>>()
  const entries = journal?.read() ?? []
  for await (const { key, ...entry } of signal ? untilAborted(entries, signal) : entries) {
    items.set(key, { ...items.get(key), ...entry })
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

  constructor(message = 'an earlier run began this item, and its outcome is unknown: it may have been done') {
    super(message)
  }
}

/** The key of the entry that says which server a journal of an import belongs to. */
export const SERVER_KEY = '["server"]'

/** Creates the first entry of a journal of an import. */
export const createServerEntry = (baseUrl: string): JournalEntry => ({
  key: SERVER_KEY,
  state: 'done',
  data: { baseUrl },
})

/** Returns the base URL that a journal of an import was written for. */
export function getServer(earlier: JournalState): string | undefined {
  const data = earlier.get(SERVER_KEY)?.data
  return isRecord(data) && typeof data.baseUrl === 'string' ? data.baseUrl : undefined
}

/** The parts of the key of a row. They identify it, whatever else its row has. */
type KeyParts = readonly [url: string, custom: string, domain: string, number: number]

/** Parses the key of a row. Returns `undefined` for other keys. */
function parseRowKey(key: string): KeyParts | undefined {
  const parts = parseKey(key)
  return parts?.length === 4 && typeof parts[3] === 'number' ? (parts as unknown as KeyParts) : undefined
}

function parseKey(key: string): readonly unknown[] | undefined {
  if (!key.startsWith('[')) return undefined
  try {
    const parts: unknown = JSON.parse(key)
    return Array.isArray(parts) ? parts : undefined
  } catch {
    return undefined
  }
}

/** Returns whether a journal has rows. @throws {ConfigurationError} if an older version wrote them */
export function hasRows(earlier: JournalState): boolean {
  let found = false
  for (const key of earlier.keys()) {
    const parts = parseKey(key)
    if (parts?.length === 5 && typeof parts[4] === 'number') {
      const message = `journal: the entry ${formatValue(key)} has the format of an older version. Finish that import with the older version, or start with another journal (--journal NEW)`
      throw new ConfigurationError(message)
    }
    found ||= parseRowKey(key) !== undefined
  }
  return found
}

/** A link that a journal records, and whether the server gave it exactly the alias that was sent. */
export interface RecordedLink {
  readonly id: number
  readonly shorturl: string
  readonly hasDomain: boolean
  readonly isDone: boolean
  readonly keepsAlias: boolean
}

/** Returns the links that a journal records, including strays. */
export function findRecordedLinks(earlier: JournalState): RecordedLink[] {
  return [...earlier].flatMap(([key, { state, data }]) => {
    const parts = parseRowKey(key)
    if (!parts || !isRecord(data)) return []
    const link = state === 'done' ? data : data.stray
    if (!isRecord(link) || typeof link.id !== 'number' || typeof link.shorturl !== 'string') return []
    const { id, shorturl } = link
    const sent = parts[1] || (typeof data.alias === 'string' ? data.alias : '')
    const isDone = state === 'done'
    const keepsAlias = isDone && data.sent === 'with-alias' && hasSentAlias(shorturl, sent)
    return [{ id, shorturl, hasDomain: parts[2] !== '', isDone, keepsAlias }]
  })
}

/** Returns the rows that a journal does not know. */
export function findUnrecorded<Row extends Pick<ReadRow<unknown>, 'params'>>(
  rows: readonly Row[],
  earlier: JournalState,
): Row[] {
  const entries = groupEntries(earlier)
  return rows.filter(({ params }) => params && !entries.has(JSON.stringify(createKeyParts(params))))
}

/**
 * Returns the rows without an alias of their own that a journal has as done.
 *
 * @param sendsAliases Whether a row that has the alias of its link gets no second link.
 */
export function findDoneElsewhere<Row extends Pick<ReadRow<unknown>, 'params' | 'alias'>>(
  rows: readonly Row[],
  earlier: JournalState,
  sendsAliases: boolean,
): Row[] {
  const entries = groupEntries(earlier)
  return rows.filter(({ params, alias }) => {
    if (!params || params.custom !== undefined) return false
    const group = entries.get(JSON.stringify(createKeyParts(params))) ?? []
    const own = alias === undefined ? undefined : group.find(({ data }) => data.alias === alias)
    return own ? own.state === 'done' && !sendsAliases : group.some(({ state }) => state === 'done')
  })
}

/** A journal entry of a row. */
interface Entry {
  readonly number: number
  readonly state: JournalEntry['state']
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Assigns each row a journal key and what earlier runs know of it. A row is identified by its address, alias and domain,
 * and by a number among the rows that are equal in these. So rows can be added, sorted and removed between two runs. A
 * row gets
 *
 * 1. the entry with the alias that an earlier result has for it
 * 2. or else an entry of an earlier run whose other values are equal too
 * 3. or else an entry that no row has
 * 4. or else, without an alias of its own, what is known of a row with an alias that is not among the rows
 * 5. or else a new entry
 */
export function assignKeys(rows: readonly ImportRow<unknown>[], earlier: JournalState): void {
  const entries = groupEntries(earlier)
  const all = rows.flatMap((row) => (row.params ? [{ row, identity: JSON.stringify(createKeyParts(row.params)) }] : []))
  const entryByRow = new Map<object, Entry>()
  for (const [identity, group] of groupBy(all, (keyed) => keyed.identity)) {
    const unused = new Set(entries.get(identity))
    const assign = (rows: typeof group, candidates: readonly Entry[]) => {
      // If there are more entries than rows, entries that are done or may be done come first.
      const chosen = [...candidates].sort((a, b) => rankEntry(a) - rankEntry(b)).slice(0, rows.length)
      chosen.sort((a, b) => a.number - b.number)
      for (const [index, entry] of chosen.entries()) {
        entryByRow.set(rows[index]!.row, entry)
        unused.delete(entry)
      }
    }
    for (const keyed of group) {
      const { alias } = keyed.row
      if (alias !== undefined) assign([keyed], [...unused].filter(({ data }) => data.alias === alias).slice(0, 1))
    }
    const isLeft = ({ row }: (typeof group)[number]) => !entryByRow.has(row)
    for (const [hashes, rows] of groupBy(group.filter(isLeft), ({ row }) => serializeSorted(row.hashes))) {
      const hasSameHashes = ({ data }: Entry) => serializeSorted(isRecord(data.row) ? data.row : {}) === hashes
      assign(rows, [...unused].filter(hasSameHashes))
    }
    assign(group.filter(isLeft), [...unused])
  }
  const byAddress = groupUnfinishedByAddress(entries, new Set(all.map(({ identity }) => identity)))
  const lastNumbers = new Map(
    [...entries].map(([identity, group]) => [identity, group.reduce((last, { number }) => Math.max(last, number), 0)]),
  )
  for (const { row, identity } of all) {
    const entry = entryByRow.get(row)
    const number = entry?.number ?? (lastNumbers.get(identity) ?? 0) + 1
    if (!entry) lastNumbers.set(identity, number)
    row.key = JSON.stringify([...createKeyParts(row.params!), number])
    if (entry) readEntry(row, entry)
    else if (row.params!.custom === undefined) {
      const other = byAddress.get(toAddressKey(createKeyParts(row.params!)))?.pop()
      if (other) readEntry(row, { ...other.entry, data: { ...other.entry.data, alias: other.alias } })
      row.isNew = true
    }
  }
}

const toAddressKey = ([url, , domain]: readonly string[]) => JSON.stringify([url, domain])

/**
 * Groups entries of rows with an alias whose link may exist by address and domain, because the user may have removed the
 * alias for a server that ignores it.
 */
function groupUnfinishedByAddress(entries: ReadonlyMap<string, readonly Entry[]>, used: ReadonlySet<string>) {
  const unfinished = [...entries].flatMap(([identity, group]) => {
    const parts = JSON.parse(identity) as string[]
    if (used.has(identity) || parts[1] === '') return []
    const isUnfinished = ({ state, data }: Entry) => isInDoubt({ state }) || data.stray !== undefined
    return group.filter(isUnfinished).map((entry) => ({ entry, alias: parts[1], address: toAddressKey(parts) }))
  })
  return groupBy(unfinished, ({ address }) => address)
}

/** Sets what earlier runs know of a row. The journal counts, not what a result says. */
function readEntry(row: ImportRow<unknown>, { state, data }: Entry): void {
  row.isNew = false
  if (state === 'done') {
    row.done = parseStoredLink(row, data)
    row.alias = typeof data.alias === 'string' ? data.alias : row.alias
    row.sent = row.stray = undefined
    row.isRefused = false
    return
  }
  const { alias, sent, stray } = data
  row.alias = row.params?.custom ?? (typeof alias === 'string' ? alias : row.alias)
  row.stray = parseStray(stray)
  // The link of a stray is known. What was unknown before it stays unknown.
  const given = sent === 'with-alias' || sent === 'without-alias' ? sent : undefined
  row.sent = row.stray ? given : isInDoubt({ state }) ? (given ?? 'with-alias') : undefined
  row.isRefused = state === 'rejected'
}

/** Parses a stray of a journal or of a result. */
function parseStray(value: unknown): Stray | undefined {
  if (!isRecord(value)) return undefined
  const { id, shorturl, created } = value
  const isStray = Number.isSafeInteger(id) && typeof shorturl === 'string'
  return isStray ? { id: id as number, shorturl, created: created === true } : undefined
}

const rankEntry = ({ state }: Entry) => (state === 'done' ? 0 : isInDoubt({ state }) ? 1 : 2)

/** Returns the data that the journal stores for a row. */
export const createEntryData = (row: ImportRow<unknown>, link?: RowLink) => ({
  ...(link && { ...link, differs: link.differs }),
  alias: row.alias,
  row: row.hashes,
  ...(row.sent && { sent: row.sent }),
  ...(row.stray && { stray: row.stray }),
})

/** Returns the parameters that were added to a row or changed since its link was created. */
function findChangedNames(hashes: ValueHashes, before: ValueHashes = {}): string[] {
  return Object.keys(hashes).filter((name) => isParameter(name) && hashes[name] !== before[name])
}

/** Returns the parts of a row's key that precede its number. */
function createKeyParts({ url = '', custom = '', domain = '' }: NonNullable<ReadRow<unknown>['params']>) {
  return [normalizeUrl(String(url)), String(custom), domain && getHost(String(domain))]
}

/** Hashes the values of a row, except its address, alias and domain. A password gets no hash. */
export function hashValues(values: ReadRow<unknown>['values']): ValueHashes {
  const { url: _, custom: __, domain: ___, ...rest } = values
  const hashes = Object.entries(rest).map(([name, value]) => [name, name === 'password' ? '' : (hash(value) ?? '')])
  return Object.fromEntries(hashes)
}

/** Groups the entries of earlier runs by the identity of their rows. */
function groupEntries(earlier: JournalState): Map<string, Entry[]> {
  const entries = [...earlier].flatMap(([key, { state, data }]) => {
    const parts = parseRowKey(key)
    if (!parts) return []
    const identity = JSON.stringify(parts.slice(0, 3))
    return [{ identity, number: parts[3], state, data: isRecord(data) ? data : {} }]
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

export const createMissingDataError = (key: string): ConfigurationError =>
  new ConfigurationError(
    `journal: the entry ${formatValue(key)} is done but has no link. A journal for importLinks must store \`data\``,
  )

/**
 * Returns the link of a row that an earlier run has done. `differs` includes the values of the row that changed since.
 *
 * @throws {ConfigurationError} if the entry has no link, because the journal does not store `data`
 */
function parseStoredLink({ key, hashes }: ImportRow<unknown>, data: Entry['data']): RowLink {
  const { id, shorturl, created, differs, longurl, row } = data
  if (!Number.isSafeInteger(id) || typeof shorturl !== 'string') {
    throw createMissingDataError(key)
  }
  const before = Array.isArray(differs) ? (differs as string[]) : []
  const stillDiffers = before.filter((name) => name === 'url' || name === 'custom' || name in hashes)
  const names = new Set([...stillDiffers, ...findChangedNames(hashes, isRecord(row) ? (row as ValueHashes) : {})])
  const shown = typeof longurl === 'string' ? { longurl } : {}
  return { id: id as number, shorturl, created: created === true, differs: [...names], ...shown }
}
