import type { DatabaseSync } from 'node:sqlite'
import type { Journal } from 'shortlink-cli'

/** Returns the journal of a job, kept in SQLite. */
export function sqliteJournal(database: DatabaseSync, job: string): Journal {
  database.exec('CREATE TABLE IF NOT EXISTS entries (job TEXT, entry TEXT)')
  const insert = database.prepare('INSERT INTO entries VALUES (?, ?)')
  const select = database.prepare('SELECT entry FROM entries WHERE job = ? ORDER BY rowid')
  return {
    read: () => select.all(job).map(({ entry }) => JSON.parse(entry as string)),
    write: (entry) => void insert.run(job, JSON.stringify(entry)),
  }
}
