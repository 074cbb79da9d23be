import type { DatabaseSync } from 'node:sqlite'
import type { Journal } from 'shortlink-cli'
import { sqliteJournal } from './sqlite-journal.ts'

/** Returns the same journal, for one run at a time. The lock of a run that was killed expires after a minute. */
export function lockedJournal(database: DatabaseSync, job: string): Journal {
  database.exec('CREATE TABLE IF NOT EXISTS locks (job TEXT PRIMARY KEY, until INTEGER)')
  const lock = database.prepare(
    'INSERT INTO locks VALUES (?, ?) ON CONFLICT DO UPDATE SET until = excluded.until WHERE until < ?',
  )
  const unlock = database.prepare('DELETE FROM locks WHERE job = ?')
  return {
    ...sqliteJournal(database, job),
    open() {
      const { changes } = lock.run(job, Date.now() + 60_000, Date.now())
      if (changes === 0) throw new Error(`another run of ${job} is in progress`)
    },
    close: () => void unlock.run(job),
  }
}
