import { extname } from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'
import { isRecord, shorten } from '../../text.ts'
import { UsageError } from '../command.ts'
import { mayBeAlias, parameterOf } from './column-names.ts'
import { hasFormula, removeGuards } from './formula-guard.ts'
import { nameOf, readTextFile, type Text } from './read-text.ts'

/** The rows of a file, and what it takes to write them back. */
export interface Input {
  /** Its name in messages. */
  readonly name: string
  readonly format: 'csv' | 'json' | 'ndjson'
  readonly columns: readonly string[]
  /** The rows that are not empty. */
  readonly rows: readonly InputRow[]
  /** The form of its cells, if it is a table. */
  readonly dialect: CsvDialect
}

/** A row of a file. */
export interface InputRow {
  /** Its number as a spreadsheet has it, where the header is row 1; in JSON the position from 1, in NDJSON the line. */
  readonly number: number
  /** Its cells by their columns. A row of JSON has holes where it lacks a key. */
  readonly cells: readonly unknown[]
  /** The result of an earlier import, if the file is one. */
  readonly result?: RowResult
}

/** The result of an import for a row. */
export interface RowResult {
  readonly shorturl?: string | undefined
  /** The alias of the link, also of one that is not made yet, so that it is the same one whenever it is made. */
  readonly alias?: string | undefined
  readonly created?: boolean | undefined
  readonly outcome: string
  readonly error?: string | undefined
}

/** The form of a table. */
export interface CsvDialect extends Omit<Text, 'text'> {
  readonly delimiter: string
  readonly lineEnd: string
  /** Whether its first line is `sep=;`, which Excel does not show. */
  readonly hasSeparatorLine: boolean
}

export const plainDialect: CsvDialect = {
  delimiter: ',',
  lineEnd: '\n',
  encoding: 'utf-8',
  hasMark: false,
  hasSeparatorLine: false,
}

const inputFormats: Readonly<Record<string, Input['format']>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.json': 'json',
  '.ndjson': 'ndjson',
}

/**
 * Reads a .csv, .tsv, .txt, .json or .ndjson file, or standard input for `-`, whose beginning says what it is.
 *
 * @throws {UsageError} with the line, if the file is not what its name says
 */
export async function readInput(path: string): Promise<Input> {
  const extension = extname(path).toLowerCase()
  const name = nameOf(path)
  const whole = await readTextFile(path)
  const format = path === '-' ? formatOfText(whole.text) : inputFormats[extension]
  if (!format) throw new UsageError(`${path}: expected a .csv, .tsv, .txt, .json or .ndjson file`)
  if (format === 'csv') return { name, format, ...readTable(whole, name, extension) }
  const rows = format === 'json' ? readJson(whole.text, name) : readLines(whole.text, name)
  return { name, format, dialect: plainDialect, ...tableOf(rows, name) }
}

function formatOfText(text: string): Input['format'] {
  const start = text.trimStart()[0]
  return start === '[' ? 'json' : start === '{' ? 'ndjson' : 'csv'
}

function readTable({ text, ...written }: Text, name: string, extension: string): Omit<Input, 'name' | 'format'> {
  const [separatorLine, separator] = /^sep=(.)(?:\r\n|\r|\n)/i.exec(text) ?? ['']
  const body = text.slice(separatorLine.length)
  const lineEnd = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n'
  const delimiter = separator ?? (extension === '.tsv' ? '\t' : delimiterOf(body))
  if (body.trim() === '') throw new UsageError(`${name}, line 1: expected the names of the columns, the file is empty`)
  let lines = 0
  const onRecord = (record: string[], info: { lines: number }) => {
    lines = info.lines
    return record
  }
  let records: string[][]
  try {
    records = parse(body, {
      delimiter,
      // All of them, because a file that was put together from others has several.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      trim: true,
      on_record: onRecord,
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const isOpen = ['CSV_QUOTE_NOT_CLOSED', 'CSV_INVALID_CLOSING_QUOTE'].includes(error.code)
    const line = (isOpen ? lines + 1 : Number(error.lines)) + (separatorLine ? 1 : 0)
    const problem = isOpen ? 'a quote (") opens a cell of this row and does not close it' : error.message
    throw new UsageError(`${name}, line ${line}: ${problem}`)
  }
  const areGuarded = isWrittenHere(records[0] ?? []) || !records.some((cells) => cells.some(hasFormula))
  const [columns = [], ...rest] = records.map((cells) => cells.map(areGuarded ? removeGuards : String))
  const rows = rest.map((cells, index) => ({ number: index + 2, cells }))
  for (const { number, cells } of rows) {
    if (cells.slice(columns.length).some((cell) => cell !== '')) {
      throwIfNoHeader(name, columns)
      const problem = `has ${cells.length} cells, but there ${columns.length === 1 ? 'is 1 column' : `are ${columns.length} columns`}`
      throw new UsageError(`${name}, row ${number}: ${problem}. A cell with the delimiter in it needs quotes`)
    }
  }
  return {
    columns,
    rows: rows.filter(({ cells }) => cells.some((cell) => cell !== '')),
    dialect: { ...written, delimiter, lineEnd, hasSeparatorLine: separatorLine !== '' },
  }
}

/** Checks the first line of a table in which something is wrong. @throws {UsageError} if it names no column */
export function throwIfNoHeader(name: string, columns: readonly string[]): void {
  const isHeader = columns.some((column) => parameterOf(column) !== undefined || mayBeAlias(column))
  const address = columns.find((column) => /^https?:\/\//i.test(column))
  if (isHeader && address === undefined) return
  const found = address === undefined ? columns.filter((column) => column !== '').join(', ') : 'an address'
  throw new UsageError(
    `${name}: line 1 is no header: expected the names of the columns, such as url, found ${shorten(found, 100)}`,
  )
}

/**
 * Returns whether a list, a report or the result of an import has these columns. In other files, an apostrophe before a
 * sign is a guard only if no sign lacks one.
 */
function isWrittenHere(columns: readonly string[]): boolean {
  const names = columns.map((name) => name.toLowerCase().replace(/^(result_)+/, ''))
  return names.includes('shorturl') && (names.includes('longurl') || names.includes('outcome'))
}

/** Finds the delimiter. In some countries, spreadsheets write semicolons. */
function delimiterOf(text: string): string {
  const header = text.slice(0, text.search(/[\r\n]|$/))
  return [',', ';', '\t'].reduce((best, other) => (countCells(header, other) > countCells(header, best) ? other : best))
}

const countCells = (line: string, delimiter: string) => line.split(delimiter).length

/** A row of JSON. */
interface JsonRow {
  readonly number: number
  readonly value: unknown
}

function readJson(text: string, name: string): JsonRow[] {
  const list = parseJson(text, name)
  if (Array.isArray(list)) return list.map((value, index) => ({ number: index + 1, value }))
  throw new UsageError(`${name}, line 1: expected a list of objects, such as [{"url": "https://…"}]`)
}

function readLines(text: string, name: string): JsonRow[] {
  return text.split('\n').flatMap((line, index) => {
    const number = index + 1
    return line.trim() === '' ? [] : [{ number, value: parseJson(line, `${name}, line ${number}`) }]
  })
}

/** Parses JSON. `where` names the file in errors, and the line if it is known. */
function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${where}: expected JSON: ${(error as Error).message}`)
  }
}

/** Makes a table of objects. */
function tableOf(rows: readonly JsonRow[], name: string): Pick<Input, 'columns' | 'rows'> {
  const indexes = new Map<string, number>()
  const records = rows.map(({ number, value }): InputRow => {
    if (!isRecord(value))
      throw new UsageError(`${name}, row ${number}: expected an object, such as {"url": "https://…"}`)
    const cells: unknown[] = []
    for (const [column, cell] of Object.entries(value)) {
      if (!indexes.has(column)) indexes.set(column, indexes.size)
      cells[indexes.get(column)!] = cell
    }
    return { number, cells }
  })
  return { columns: [...indexes.keys()], rows: records }
}
