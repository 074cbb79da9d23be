import type { Outcome } from '../client/errors.ts'

/** One entry of a journal: what happened to an item. */
export interface JournalEntry {
  /** The name of the item. */
  readonly key: string
  /**
   * `begun` before its worker is called, in tasks before its first request that writes; then `done`, or the outcome of its
   * failure. An import also writes `not-sent` for each row whose alias it draws, before anything is sent.
   */
  readonly state: 'begun' | 'done' | Outcome
  /** Data of the entry, as JSON: for `bulk` with `replay`, the value that the worker returned; for imports, the alias and the link. */
  readonly data?: unknown
}

/** Records which items are done. Implement it to store the record in a database, for example. */
export interface Journal {
  /** Called once when a run begins. Reject to refuse the run, for example because another one is using the journal. */
  open?(): void | Promise<void>
  /** All entries, oldest first. Called once when a run begins. */
  read(): Iterable<JournalEntry> | AsyncIterable<JournalEntry>
  /**
   * Adds an entry. Resolve only when it is stored: no item begins before that. Entries count in the order of the calls; a
   * call may come while earlier ones are pending. A rejection ends the run.
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
  isOwn = (_key: string): boolean => true,
): Promise<JournalState> {
  const items = new Map<string, Omit<JournalEntry, 'key'>>()
  for await (const { key, ...entry } of journal?.read() ?? []) {
    if (isOwn(key)) items.set(key, { ...items.get(key), ...entry })
  }
  return items
}

/** True if an earlier run may have done an item, and it is unknown if it has. */
export const isInDoubt = (entry: { readonly state: string | undefined } | undefined): boolean =>
  entry?.state === 'begun' || entry?.state === 'unknown'

/**
 * A short hash of a value (FNV-1a), equal for a number and its digits. It is not safe against deliberate collisions.
 * `undefined` if the value has no JSON.
 */
export function hash(value: unknown): string | undefined {
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
