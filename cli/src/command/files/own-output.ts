import { stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { isRecord } from '../../../../src/client/runtime/text.ts'
import { UsageError } from '../command.ts'
import { detectDelimiter } from './input.ts'
import { parseTable } from './parse-table.ts'
import { readTextFile } from './read-text.ts'

/** The columns that a command is about to write. */
export interface OwnColumns {
  /** The columns that its rows always have. In JSON, rows may lack all but the first. */
  readonly always: readonly string[]
  /** The columns that some of its rows have. */
  readonly sometimes?: readonly string[]
  /** The columns of tables, of Markdown, and of CSV without rows. */
  readonly main?: readonly string[] | undefined
}

/**
 * Checks that `--out` replaces no file that the command did not write, such as the source of the links. It replaces a
 * file that does not exist, is empty, or has the columns that the command is about to write.
 *
 * @throws {UsageError} if the file is any other
 */
export async function throwIfNotOwn(out: string, format: string, own: OwnColumns): Promise<void> {
  const file = await stat(out).catch(() => undefined)
  // Pipes and devices are not replaced by writing to them.
  if (!file?.isFile() || file.size === 0) return
  const columns = await readTextFile(out)
    .then(({ text }) => readColumns(text, format, extname(out).toLowerCase()))
    .catch(() => undefined)
  if (columns && isOwn(columns, format, own)) return
  throw new UsageError(
    `--out ${out}: already exists, and does not have the columns of this output. Nothing was sent. Use another file, or replace it with --force`,
  )
}

/** Returns whether a command has written columns. A file without any has nothing to lose. */
function isOwn(columns: readonly string[], format: string, { always, sometimes = [], main }: OwnColumns): boolean {
  if (columns.length === 0) return true
  const known = [...always, ...sometimes, ...(main ?? [])]
  if (!columns.every((column) => known.includes(column))) return false
  // Columns without a value are left out of Markdown, and of rows in JSON.
  if (format === 'md') return columns.includes((main ?? always)[0]!)
  if (format !== 'csv') return columns.includes(always[0]!)
  return always.every((column) => columns.includes(column)) || String(columns) === String(main)
}

/** Reads the columns or keys of a file. @throws if it has another format */
function readColumns(text: string, format: string, extension: string): string[] {
  if (format === 'json' || format === 'ndjson') {
    const rows = format === 'json' ? JSON.parse(text) : text.split('\n').filter(Boolean).map(parseJson)
    if (!Array.isArray(rows) || !rows.every(isRecord)) throw new Error('expected objects')
    return [...new Set(rows.flatMap((row) => Object.keys(row)))]
  }
  const [header = ''] = text.split(/[\r\n]/, 1)
  if (format === 'csv') return parseTable(header, detectDelimiter(header, extension), String)[0] ?? []
  const [, cells = ''] = /^\| (.*) \|$/.exec(header) ?? []
  if (format !== 'md' || cells === '') throw new Error('expected a table')
  return cells.split(' | ').map((cell) => cell.replaceAll('\\', ''))
}

const parseJson = (text: string): unknown => JSON.parse(text)
