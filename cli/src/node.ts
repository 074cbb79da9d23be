export type { Closable } from './closable.ts'
export { fileJournal } from './tasks/file-journal.ts'
export type { Journal } from './tasks/journal.ts'
