import { hostOf, normalized } from '../resources/links/match.ts'
import { linkCreate } from '../resources/links/params.ts'
import { isRecord } from '../runtime/text.ts'
import { hash, type JournalState } from './journal.ts'
import type { ReadRow } from './rows.ts'

/** A row with its key in the journal. */
export interface KeyedRow<Row> extends ReadRow<Row> {
  readonly key: string
  /** Hashes of what the row says besides its address, alias and domain, which tell equal rows apart. */
  readonly rest: Readonly<Record<string, string>>
}

/** An entry of the journal that a row may have. */
interface Entry {
  readonly number: number
  readonly isDone: boolean
  readonly rest: string
}

/**
 * Gives each row its key in the journal of a server: its address, alias and domain, and its number among the rows that have
 * the same. So rows may be moved, added and taken out between two runs.
 *
 * A row takes the entry of an earlier run that says the same in everything else, or else one that nobody takes. For this, all
 * rows are read first if there are entries.
 */
export async function* keyRows<Row>(
  rows: AsyncIterable<ReadRow<Row>>,
  server: string,
  earlier: JournalState,
  onReplays = (_count: number) => {},
): AsyncGenerator<KeyedRow<Row>> {
  const entries = entriesOf(earlier)
  const lastNumbers = new Map<string, number>()
  const nextNumber = (identity: string) => {
    const taken = lastNumbers.get(identity) ?? Math.max(0, ...(entries.get(identity) ?? []).map(({ number }) => number))
    lastNumbers.set(identity, taken + 1)
    return taken + 1
  }
  const keyOf = (identity: string, number: number) => `${identity.slice(0, -1)},${number}]`
  if (entries.size === 0) {
    for await (const row of rows) {
      const identity = identityOf(row, server)
      yield { ...row, rest: restOf(row), key: keyOf(identity, nextNumber(identity)) }
    }
    return
  }
  const all: { read: ReadRow<Row>; identity: string; rest: Record<string, string> }[] = []
  for await (const read of rows) all.push({ read, identity: identityOf(read, server), rest: restOf(read) })
  const taken = new Map<object, Entry>()
  const valid = all.filter(({ read }) => !read.problem)
  for (const [identity, group] of groupBy(valid, (row) => row.identity)) {
    const free = new Set(entries.get(identity))
    const numbers = new Map(group.map((row, index) => [row, index + 1]))
    const assign = (rows: typeof group, fitting: readonly Entry[]) => {
      for (const [row, entry] of pairs(rows, fitting, (row) => numbers.get(row)!)) {
        taken.set(row, entry)
        free.delete(entry)
      }
    }
    for (const [rest, rows] of groupBy(group, (row) => textOf(row.rest))) {
      assign(
        rows,
        [...free].filter((entry) => entry.rest === rest),
      )
    }
    assign(
      group.filter((row) => !taken.has(row)),
      [...free],
    )
  }
  onReplays([...taken.values()].filter(({ isDone }) => isDone).length)
  for (const row of all) {
    const { read, identity, rest } = row
    yield { ...read, rest, key: keyOf(identity, taken.get(row)?.number ?? nextNumber(identity)) }
  }
}

/** Gives equal rows the entries of earlier runs: that of their own number if there is one for each, else those done first. */
function pairs<Row>(
  rows: readonly Row[],
  entries: readonly Entry[],
  numberOf: (row: Row) => number,
): ReadonlyMap<Row, Entry> {
  const found = new Map<Row, Entry>()
  const byNumber = new Map(entries.map((entry) => [entry.number, entry]))
  for (const row of entries.length <= rows.length ? rows : []) {
    const own = byNumber.get(numberOf(row))
    if (own) found.set(row, own)
  }
  const taken = new Set(found.values())
  const left = rows.filter((row) => !found.has(row))
  const chosen = entries
    .filter((entry) => !taken.has(entry))
    .sort((one, other) => Number(other.isDone) - Number(one.isDone))
    .slice(0, left.length)
    .sort((one, other) => one.number - other.number)
  for (const [index, entry] of chosen.entries()) found.set(left[index]!, entry)
  return found
}

/** True if a key of a journal is that of a row at a server. */
export function isKeyOfRow(key: string, server: string): boolean {
  if (!key.startsWith(`[${JSON.stringify(server)},`)) return false
  try {
    const parts: unknown = JSON.parse(key)
    return Array.isArray(parts) && parts.length === 5 && typeof parts[4] === 'number'
  } catch {
    return false
  }
}

/** The parameters that a row says now, and did not say when its link was made. */
export function changedSince(rest: KeyedRow<unknown>['rest'], before: KeyedRow<unknown>['rest'] = {}): string[] {
  return Object.keys(rest).filter((name) => Object.hasOwn(linkCreate, name) && rest[name] !== before[name])
}

function identityOf({ params }: ReadRow<unknown>, server: string): string {
  const { url = '', custom = '', domain = '' } = params ?? {}
  return JSON.stringify([server, normalized(String(url)), custom, domain && hostOf(String(domain))])
}

function restOf({ values }: ReadRow<unknown>): Record<string, string> {
  const { url: _, custom: __, domain: ___, ...rest } = values
  const hashes = Object.entries(rest).map(([name, value]) => [name, name === 'password' ? '' : (hash(value) ?? '')])
  return Object.fromEntries(hashes)
}

/** The entries of earlier runs, by what their rows are. Other keys of the journal belong to no row. */
function entriesOf(earlier: JournalState): Map<string, Entry[]> {
  const entries = [...earlier].flatMap(([key, { state, data }]) => {
    const [, identity, number] = /^(.*),(\d+)\]$/.exec(key) ?? []
    if (identity === undefined) return []
    const rest = textOf(isRecord(data) && isRecord(data.row) ? (data.row as KeyedRow<unknown>['rest']) : {})
    return [{ identity: `${identity}]`, number: Number(number), isDone: state === 'done', rest }]
  })
  return groupBy(entries, ({ identity }) => identity)
}

/** One text for what rows say, in whatever order their columns are. */
const textOf = (rest: Readonly<Record<string, string>>): string => JSON.stringify(Object.entries(rest).sort())

export function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const name = nameOf(item)
    const group = groups.get(name)
    if (group) group.push(item)
    else groups.set(name, [item])
  }
  return groups
}
