import { extname } from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'
import { isRecord } from '../schema/expected.ts'
import { UsageError } from './command.ts'
import { nameOf, readText, type Text } from './read-text.ts'

/** The rows of a file, and what it takes to write them back. */
export interface Input {
  /** How messages call it. */
  readonly name: string
  readonly format: 'csv' | 'json' | 'ndjson'
  readonly columns: readonly string[]
  /** The rows that are not empty. */
  readonly rows: readonly InputRow[]
  /** How the cells of a table are written. */
  readonly dialect: Dialect
}

/** A row of a file. */
export interface InputRow {
  /** Its number as a spreadsheet has it, where the header is row 1; in JSON the position from 1, in NDJSON the line. */
  readonly number: number
  /** A cell for each column, without those at the end that the row does not have. */
  readonly cells: readonly unknown[]
}

/** How a table is written. */
export interface Dialect extends Omit<Text, 'text'> {
  readonly delimiter: string
  readonly lineEnd: string
  /** Whether its first line is `sep=;`, which Excel does not show. */
  readonly hasSeparatorLine: boolean
}

export const plainDialect: Dialect = {
  delimiter: ',',
  lineEnd: '\n',
  encoding: 'utf-8',
  hasMark: false,
  hasSeparatorLine: false,
}

const kinds: Readonly<Record<string, Input['format']>> = {
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
  const format = path === '-' ? undefined : kinds[extname(path).toLowerCase()]
  const whole = await readText(path)
  if (path !== '-' && !format) throw new UsageError(`${path}: expected a .csv, .tsv, .txt, .json or .ndjson file`)
  const name = nameOf(path)
  const read = readers[format ?? formatOf(whole.text)]
  return { dialect: plainDialect, name, ...read(whole, name, extname(path).toLowerCase()) }
}

function formatOf(text: string): Input['format'] {
  const start = text.trimStart()[0]
  return start === '[' ? 'json' : start === '{' ? 'ndjson' : 'csv'
}

type Read = (whole: Text, name: string, extension: string) => Omit<Input, 'name' | 'dialect'> & { dialect?: Dialect }

const readers: Record<Input['format'], Read> = {
  csv: readTable,
  json: ({ text }, name) => {
    const rows = parseJson(text, name)
    if (!Array.isArray(rows)) {
      throw new UsageError(`${name}, line 1: expected a list of objects, such as [{"url": "https://…"}]`)
    }
    return {
      format: 'json',
      ...tableOf(
        rows.map((value, index) => ({ number: index + 1, value })),
        name,
      ),
    }
  },
  ndjson: ({ text }, name) => {
    const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }))
    const rows = lines.filter(({ line }) => line.trim() !== '')
    const parsed = rows.map(({ line, number }) => ({ number, value: parseJson(line, `${name}, line ${number}`) }))
    return { format: 'ndjson', ...tableOf(parsed, name) }
  },
}

function readTable({ text, ...written }: Text, name: string, extension: string): ReturnType<Read> {
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
    records = parse(body, { delimiter, relax_column_count: true, trim: true, on_record: onRecord })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const isOpen = ['CSV_QUOTE_NOT_CLOSED', 'CSV_INVALID_CLOSING_QUOTE'].includes(error.code)
    const line = (isOpen ? lines + 1 : Number(error.lines)) + (separatorLine ? 1 : 0)
    const problem = isOpen ? 'a quote (") opens a cell of this row and does not close it' : error.message
    throw new UsageError(`${name}, line ${line}: ${problem}`)
  }
  const [columns = [], ...rest] = records
  const rows = rest.map((cells, index) => ({ number: index + 2, cells }))
  for (const { number, cells } of rows) {
    if (cells.slice(columns.length).some((cell) => cell !== '')) {
      const problem = `has ${cells.length} cells, but there are ${columns.length} columns`
      throw new UsageError(`${name}, row ${number}: ${problem}. A cell with the delimiter in it needs quotes`)
    }
  }
  return {
    format: 'csv',
    columns,
    rows: rows.filter(({ cells }) => cells.some((cell) => cell !== '')),
    dialect: { ...written, delimiter, lineEnd, hasSeparatorLine: separatorLine !== '' },
  }
}

/** Spreadsheets of some countries separate cells by semicolons. */
function delimiterOf(text: string): string {
  const header = text.slice(0, text.search(/[\r\n]|$/))
  const count = (delimiter: string) => header.split(delimiter).length
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best))
}

/** A table of objects. */
function tableOf(rows: readonly { number: number; value: unknown }[], name: string): Pick<Input, 'columns' | 'rows'> {
  const columns = new Set<string>()
  for (const { number, value } of rows) {
    if (!isRecord(value))
      throw new UsageError(`${name}, row ${number}: expected an object, such as {"url": "https://…"}`)
    for (const column of Object.keys(value)) columns.add(column)
  }
  const names = [...columns]
  const cellsOf = (value: unknown) => names.map((column) => (value as Record<string, unknown>)[column])
  return { columns: names, rows: rows.map(({ number, value }) => ({ number, cells: cellsOf(value) })) }
}

/** `where` is the file, and the line if it is known. The message quotes the text around the mistake. */
function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${where}: expected JSON: ${(error as Error).message}`)
  }
}
