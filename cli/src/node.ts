export { fileJournal } from './tasks/file-journal.ts'
