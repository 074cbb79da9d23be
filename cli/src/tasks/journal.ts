import { ConfigurationError, type Outcome } from 'shortlink-sdk'
import { getHost, normalizeUrl } from '../addresses.ts'
import { formatValue, isRecord } from '../text.ts'
import { groupBy, isParameter, type ReadRow, type RowParams } from './rows.ts'

/** One entry of a journal: what happened to an item. */
export interface JournalEntry {
  /** The name of the item. */
  readonly key: string
  /**
   * `begun` before its worker is called, in tasks before its first request that writes; then `done`, or the outcome of
   * its failure; `unknown` too if the server said that the item is done but its response could not be read. An import
   * also writes `not-sent` for each row whose alias it draws, before anything is sent, and `begun` again before it
   * sends a row with another alias or without one.
   */
  readonly state: 'begun' | 'done' | Outcome
  /**
   * Data of the entry, as JSON: for `bulk` with `replay`, the value that the worker returned; for imports, the alias
   * and the link.
   */
  readonly data?: unknown
}

/** Records which items are done. Implement it to store the record in a database, for example. */
export interface Journal {
  /** Called once when a run begins. Reject to refuse the run, for example because another one is using the journal. */
  open?(): void | Promise<void>
  /** All entries, oldest first. Called once when a run begins. */
  read(): Iterable<JournalEntry> | AsyncIterable<JournalEntry>
  /**
   * Adds an entry. Resolve only when it is stored: no item begins before that. Entries count in the order of the calls;
   * a call may come while earlier ones are pending. A rejection ends the run.
   */
  write(entry: JournalEntry): void | Promise<void>
  /** Called when the run has ended, however it ended, unless `open` refused it. */
  close?(): void | Promise<void>
}

/** The last state of each item in a journal, with the last data of it, by its key. */
export type JournalState = ReadonlyMap<string, Omit<JournalEntry, 'key'>>

/** Reads a journal. `isOwn` picks the keys of this run. */
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

/** Returns whether an earlier run may have done an item, and it is unknown whether it has. */
export const isInDoubt = (entry: { readonly state: string | undefined } | undefined): boolean =>
  entry?.state === 'begun' || entry?.state === 'unknown'

/** An earlier run began the item, and it is unknown how it ended: the work may have been done. */
export class UnknownOutcomeError extends Error {
  declare readonly code?: undefined
  override readonly name = 'UnknownOutcomeError'

  constructor() {
    super('an earlier run began this item, and its outcome is unknown: it may have been done')
  }
}

/** A row with what the journal says of it. */
export interface KeyedRow<Row> {
  row: Row
  /** Everything that the row says, by which the next run knows it. */
  readonly values: ReadRow<Row>['values']
  /** The parameters of its link; `undefined` if the row is not an object. */
  params: RowParams | undefined
  /** Why it cannot be sent. */
  problem?: Error
  /** Its key in the journal. */
  readonly key: string
  /** Its own alias, or the one that was drawn for it; `undefined` if none was drawn yet. */
  alias: string | undefined
  /** Whether its link may have been made with an alias of the server. */
  isWithoutAlias: boolean
  /** The state of its entry; `undefined` if it has none. */
  readonly state: string | undefined
  /** The data of its entry. */
  readonly entryData: Readonly<Record<string, unknown>>
}

/** An entry of the journal that a row may have. */
interface Entry extends Pick<KeyedRow<unknown>, 'state' | 'entryData'> {
  readonly number: number
}

/**
 * Gives each row its entry in the journal of a server: a row is known by its address, alias and domain, and by its
 * number among the rows that have the same. So rows may be moved, added and taken out between two runs. A row takes
 * the entry of an earlier run that says the same in everything else, or else one that no row has taken, or else a new
 * one. A row without an alias then has the alias of its entry.
 */
export function assignKeys<Row>(rows: readonly ReadRow<Row>[], server: string, earlier: JournalState): KeyedRow<Row>[] {
  const entries = groupEntries(earlier)
  const all = rows.map((read) => {
    const parts = makeKeyParts(read, server)
    return { read, parts, identity: JSON.stringify(parts), rest: hashValues(read.values) }
  })
  const entryByRow = new Map<object, Entry>()
  const objects = all.filter(({ read }) => read.params)
  for (const [identity, group] of groupBy(objects, (row) => row.identity)) {
    const free = new Set(entries.get(identity))
    const assign = (rows: typeof group, fitting: readonly Entry[]) => {
      // If there are more entries than rows, those that are done or may be come first.
      const chosen = [...fitting].sort((one, other) => rankEntry(one) - rankEntry(other)).slice(0, rows.length)
      chosen.sort((one, other) => one.number - other.number)
      for (const [index, entry] of chosen.entries()) {
        entryByRow.set(rows[index]!, entry)
        free.delete(entry)
      }
    }
    for (const [rest, rows] of groupBy(group, (row) => serializeSorted(row.rest))) {
      const fitting = [...free].filter(
        ({ entryData: kept }) => serializeSorted(isRecord(kept.row) ? kept.row : {}) === rest,
      )
      assign(rows, fitting)
    }
    const left = group.filter((row) => !entryByRow.has(row))
    assign(left, [...free])
  }
  const numbers = new Map(
    [...entries].map(([identity, own]) => [identity, Math.max(...own.map(({ number }) => number))]),
  )
  return all.map((row) => {
    const { read, parts, identity } = row
    const { values, params } = read
    const entry: Entry = entryByRow.get(row) ?? {
      number: (numbers.get(identity) ?? 0) + 1,
      state: undefined,
      entryData: NO_DATA,
    }
    if (!entryByRow.has(row)) numbers.set(identity, entry.number)
    const { state, entryData: kept } = entry
    const alias = params?.custom ?? (typeof kept.alias === 'string' ? kept.alias : undefined)
    const key = JSON.stringify([...parts, entry.number])
    return {
      row: read.row,
      values,
      params,
      key,
      alias,
      isWithoutAlias: kept.isWithoutAlias === true,
      state,
      entryData: kept,
    }
  })
}

/** The data of rows without an entry. One object for all of them, because there may be many. */
const NO_DATA = {}

const rankEntry = ({ state }: Entry) => (state === 'done' ? 0 : isInDoubt({ state }) ? 1 : 2)

/** Returns whether a key of a journal is that of a row at a server. */
export function isRowKey(key: string, server: string): boolean {
  if (!key.startsWith(`[${JSON.stringify(server)},`)) return false
  try {
    const parts: unknown = JSON.parse(key)
    return Array.isArray(parts) && parts.length === 5 && typeof parts[4] === 'number'
  } catch {
    return false
  }
}

/** Returns the parameters that a row says now and did not say when its link was made. */
export function findChangedNames(rest: ValueHashes, before: ValueHashes = {}): string[] {
  return Object.keys(rest).filter((name) => isParameter(name) && rest[name] !== before[name])
}

/** Returns the parts of a row's key before its number, which make it the same row in another run. */
function makeKeyParts({ params }: ReadRow<unknown>, server: string): string[] {
  const { url = '', custom = '', domain = '' } = params ?? {}
  return [server, normalizeUrl(String(url)), custom, domain && getHost(String(domain))]
}

type ValueHashes = Readonly<Record<string, string>>

/** Returns hashes of what a row says besides its address, alias and domain, which tell equal rows apart. */
export function hashValues(values: ReadRow<unknown>['values']): ValueHashes {
  const { url: _, custom: __, domain: ___, ...rest } = values
  const hashes = Object.entries(rest).map(([name, value]) => [name, name === 'password' ? '' : (hash(value) ?? '')])
  return Object.fromEntries(hashes)
}

/** Groups the entries of earlier runs by what their rows are. Other keys of the journal belong to no row. */
function groupEntries(earlier: JournalState): Map<string, Entry[]> {
  const entries = [...earlier].flatMap(([key, { state, data }]) => {
    const [, identity, number] = /^(.*),(\d+)\]$/.exec(key) ?? []
    if (identity === undefined) return []
    return [{ identity: `${identity}]`, number: Number(number), state, entryData: isRecord(data) ? data : {} }]
  })
  return groupBy(entries, ({ identity }) => identity)
}

/** Returns one text for what rows say, in whatever order their columns are. */
const serializeSorted = (rest: Readonly<Record<string, unknown>>): string => JSON.stringify(Object.entries(rest).sort())

/**
 * Returns a short hash of a value (FNV-1a), equal for a number and its digits. It is not safe against deliberate
 * collisions. `undefined` if the value has no JSON.
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

/** The link that the journal keeps for a row that is done. */
interface KeptLink {
  readonly id: number
  readonly shorturl: string
  readonly created: boolean
  readonly differs?: readonly string[]
  readonly longurl?: string
  readonly row?: ValueHashes
}

/** @throws {ConfigurationError} if an entry has no link, because the journal does not keep `data` */
export function parseKeptLink(key: string, data: unknown): KeptLink {
  if (isRecord(data) && Number.isSafeInteger(data.id) && typeof data.shorturl === 'string') {
    return data as unknown as KeptLink
  }
  throw new ConfigurationError(
    `journal: the entry ${formatValue(key)} is done but has no link. A journal for importLinks must store \`data\``,
  )
}
