import type { Outcome } from '../errors.ts'
import { hash } from '../runtime/hash.ts'

/** One entry of a journal: what happened to an item. */
export interface JournalEntry {
  /** The name of the item. */
  readonly key: string
  /** `begun` before its worker is called; then `done`, or the outcome of its failure. */
  readonly state: 'begun' | 'done' | Outcome
  /** A fingerprint of the item, if its name is only its position. */
  readonly fingerprint?: string
  /** What the worker returned; with the option `replay`, once the item is done. */
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

/** The journal entries of items that are done, or may be. */
export type JournalState = Map<string, Omit<JournalEntry, 'key'>>

/** Reads a journal, without the items that were certainly not done. */
export async function loadJournal(journal: Journal | undefined): Promise<JournalState> {
  const items: JournalState = new Map()
  for await (const { key, ...entry } of journal?.read() ?? []) {
    if (entry.state === 'rejected' || entry.state === 'not-sent') items.delete(key)
    else items.set(key, { ...items.get(key), ...entry })
  }
  return items
}

/** A hash that distinguishes an item from another at the same position. Items without JSON have the same. */
export const fingerprint = (item: unknown): string => String(hash(item))
