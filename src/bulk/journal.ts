import type { Outcome } from '../errors.ts'

/** One line of a journal: what happened to an item. */
export interface JournalEntry {
  /** The name of the item. */
  readonly key: string
  /** `begun` before its worker is called; after that `done`, or the outcome of its failure. */
  readonly state: 'begun' | 'done' | Outcome
  /** A fingerprint of the item, where its name is only its position. */
  readonly print?: string
}

/** Where a run remembers what is done. Write your own to keep it in a database, say. */
export interface Journal {
  /** Every entry, oldest first. Called once, when a run begins. */
  read(): Iterable<JournalEntry> | AsyncIterable<JournalEntry>
  /** Adds an entry. No item begins before its entry is kept; a rejection ends the run. */
  write(entry: JournalEntry): void | Promise<void>
  /** Called when the run has ended, however it ended. */
  close?(): void | Promise<void>
}

/** What a journal knows of the items that are done, or may be. */
export type Memory = Map<string, Omit<JournalEntry, 'key'>>

/** Reads a journal. What surely was not done is as good as new. */
export async function recall(journal: Journal | undefined): Promise<Memory> {
  const memory: Memory = new Map()
  for await (const { key, ...entry } of journal?.read() ?? []) {
    if (entry.state === 'rejected' || entry.state === 'not-sent') memory.delete(key)
    else memory.set(key, { ...memory.get(key), ...entry })
  }
  return memory
}

/** A short fingerprint of an item (FNV-1a of its JSON), that tells it from another at the same position. */
export function fingerprint(item: unknown): string {
  let hash = 0x811c9dc5
  for (const letter of json(item)) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193) >>> 0
  return hash.toString(36)
}

function json(item: unknown): string {
  try {
    return JSON.stringify(item) ?? String(item)
  } catch {
    return typeof item === 'bigint' ? String(item) : ''
  }
}
