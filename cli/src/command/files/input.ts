import { extname } from 'node:path'
import { isRecord, shorten } from '../../../../src/client/runtime/text.ts'
import { UsageError } from '../command.ts'
import { formatCell } from '../format-cell.ts'
import { findParameter, mayBeAlias } from './column-names.ts'
import { hasFormula, removeGuards } from './formula-guard.ts'
import { parseTable } from './parse-table.ts'
import { getDisplayName, readTextFile, type Text } from './read-text.ts'

/** The rows of a file, and its format. */
export interface Input {
  /** The name of the file in messages. */
  readonly name: string
  readonly format: 'csv' | 'json' | 'ndjson'
  readonly columns: readonly string[]
  /** The rows of the file, without empty ones. */
  readonly rows: readonly InputRow[]
  /** How the table is written, for a result in the same form. */
  readonly dialect: CsvDialect
}

export interface InputRow {
  /** The row number: in a table, the header is row 1; in JSON, the first object is 1; in NDJSON, the line number. */
  readonly number: number
  /** The cells in the order of the columns. A JSON row has holes where it lacks a key. */
  readonly cells: readonly unknown[]
  /** The result of an earlier import, if the file is the result of one. */
  readonly result?: RowResult
}

/** The result of an import for a row. */
export interface RowResult {
  readonly shorturl?: string | undefined
  /** The alias of the link. Set even before the link is created, so that a repeated import uses the same alias. */
  readonly alias?: string | undefined
  readonly created?: boolean | undefined
  readonly outcome: string
  readonly error?: string | undefined
  /** The short address and the id of a link that the server created with another alias. */
  readonly stray?: string | undefined
  readonly strayId?: number | undefined
}

/** How a table is written. */
export interface CsvDialect extends Omit<Text, 'text'> {
  readonly delimiter: string
  readonly lineEnd: string
  /** Whether the first line is `sep=;` or similar, which Excel writes and does not show. */
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
 * Reads a .csv, .tsv, .txt, .json or .ndjson file. Reads standard input for `-`, and detects its format.
 *
 * @throws {UsageError} if the content does not match the format; the message names the line
 */
export async function readInput(path: string): Promise<Input> {
  const extension = extname(path).toLowerCase()
  const name = getDisplayName(path)
  const whole = await readTextFile(path)
  const format = path === '-' ? detectFormat(whole.text) : inputFormats[extension]
  if (!format) throw new UsageError(`${path}: expected a .csv, .tsv, .txt, .json or .ndjson file`)
  if (format === 'csv') return { name, format, ...readTable(whole, name, extension) }
  const rows = format === 'json' ? parseList(whole.text, name) : parseLines(whole.text, name)
  return { name, format, dialect: plainDialect, ...toTable(rows, name) }
}

function detectFormat(text: string): Input['format'] {
  const start = text.trimStart()[0]
  return start === '[' || (start === '{' && hasListInside(text)) ? 'json' : start === '{' ? 'ndjson' : 'csv'
}

/** Returns whether a text is one JSON object with a list of objects inside, and not an object per line. */
function hasListInside(text: string): boolean {
  try {
    return findLists(JSON.parse(text)).length > 0
  } catch {
    return false
  }
}

function readTable({ text, ...written }: Text, name: string, extension: string): Omit<Input, 'name' | 'format'> {
  const [separatorLine, separator] = /^sep=(.)(?:\r\n|\r|\n)/i.exec(text) ?? ['']
  const body = text.slice(separatorLine.length)
  const lineEnd = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n'
  const delimiter = separator ?? detectDelimiter(body, extension)
  if (body.trim() === '')
    throw new UsageError(`${name}, line 1: expected a header with column names, but the file is empty`)
  const offset = separatorLine ? 1 : 0
  const records = parseTable(body, delimiter, (line) => `${name}, line ${line + offset}`)
  // In the files of other programs, apostrophes are guards only if every formula has one.
  const areGuarded = isOwnOutput(records[0] ?? []) || !records.some((cells) => cells.some(hasFormula))
  const [columns = [], ...rest] = records.map((cells) => cells.map(areGuarded ? removeGuards : String))
  const rows = rest.map((cells, index) => ({ number: index + 2, cells }))
  for (const { number, cells } of rows) {
    if (cells.slice(columns.length).some((cell) => cell !== '')) {
      const lines = records.map((cells, index) => ({ number: index + 1, cells }))
      throwIfNoHeader(name, lines)
      const problem = `has ${cells.length} cells, but there ${columns.length === 1 ? 'is 1 column' : `are ${columns.length} columns`}`
      throw new UsageError(`${name}, row ${number}: ${problem}. Quote cells that contain the delimiter`)
    }
  }
  return {
    columns,
    rows: rows.filter(({ cells }) => cells.some((cell) => cell !== '')),
    dialect: { ...written, delimiter, lineEnd, hasSeparatorLine: separatorLine !== '' },
  }
}

type Line = Pick<InputRow, 'number' | 'cells'>

/** @throws {UsageError} if the first line of a table has no column names */
function throwIfNoHeader(name: string, lines: readonly Line[]): void {
  const columns = (lines[0]?.cells ?? []).map(formatCell)
  const address = columns.find(isWebAddress)
  const isHeader = columns.some((column) => findParameter(column) !== undefined || mayBeAlias(column))
  if (isHeader && address === undefined) return
  const found = address === undefined ? columns.filter((column) => column !== '').join(', ') : 'an address'
  throw new UsageError(
    `${name}: line 1 is not a header: expected column names, such as url, found ${shorten(found, 100)}${describeSaving(lines)}`,
  )
}

/** @throws {UsageError} if the column names of a table are in a later line, or have another separator */
export function throwIfHeaderIsElsewhere(name: string, lines: readonly Line[]): void {
  const [first] = lines
  const advice = describeSaving(lines)
  if (advice !== '' && first && hasUrlColumn(first)) {
    throw new UsageError(`${name}: the columns of line 1 are separated by |${advice}`)
  }
  if (advice !== '' || first?.cells.some((cell) => isWebAddress(formatCell(cell)))) throwIfNoHeader(name, lines)
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text)

/** How many lines are searched for the header. */
const MAX_TITLE_LINES = 10

/** Says how to save a file whose header is in a later line, or has another separator. */
function describeSaving(lines: readonly Line[]): string {
  const header = lines.slice(0, MAX_TITLE_LINES).find(hasUrlColumn)
  if (!header) return ''
  const above = header.number === 2 ? 'the line above' : 'the lines above'
  const changes = [
    ...(header.cells.some((cell) => formatCell(cell).includes('|'))
      ? ['with commas, semicolons or tabs instead of |']
      : []),
    ...(header.number > 1 ? [`without ${above} the header, which is line ${header.number}`] : []),
  ]
  return changes.length > 0 ? `. Save the file ${changes.join(', and ')}` : ''
}

/** Returns whether a line has a column of addresses, whatever its separator is. */
const hasUrlColumn = ({ cells }: Line): boolean =>
  cells.some((cell) =>
    formatCell(cell)
      .split(/[,;\t|]/)
      .some((part) => findParameter(part) === 'url'),
  )

/** Returns whether these are the columns of a list, a report or the result of an import. */
function isOwnOutput(columns: readonly string[]): boolean {
  const names = columns.map((name) => name.toLowerCase().replace(/^(result_)+/, ''))
  return names.includes('shorturl') && (names.includes('longurl') || names.includes('outcome'))
}

/** Detects the delimiter. In some countries, spreadsheets write semicolons. */
export function detectDelimiter(text: string, extension = ''): string {
  const header = text.slice(0, text.search(/[\r\n]|$/))
  if (extension === '.tsv' && header.includes('\t')) return '\t'
  return [',', ';', '\t'].reduce((best, other) => (countCells(header, other) > countCells(header, best) ? other : best))
}

const countCells = (line: string, delimiter: string) => line.split(delimiter).length

interface JsonRow {
  readonly number: number
  readonly value: unknown
}

function parseList(text: string, name: string): JsonRow[] {
  const whole = parseJson(text, name)
  const lists = Array.isArray(whole) ? [{ path: '', list: whole }] : findLists(whole)
  const [only, ...others] = lists
  if (only && others.length === 0) return only.list.map((value, index) => ({ number: index + 1, value }))
  const found = only ? `, found several: ${lists.map(({ path }) => path).join(', ')}. Keep one of them` : ''
  throw new UsageError(`${name}, line 1: expected a list of objects, such as [{"url": "https://…"}]${found}`)
}

/** How deep a list may be inside of a JSON document, such as `data.urls` in a response. */
const MAX_DEPTH = 4

/** Finds the lists of objects inside of an object, with their paths. */
function findLists(value: unknown, path = '', depth = 0): { path: string; list: unknown[] }[] {
  if (Array.isArray(value)) return value.length > 0 && value.every(isRecord) ? [{ path, list: value }] : []
  if (!isRecord(value) || depth === MAX_DEPTH) return []
  return Object.entries(value).flatMap(([key, inner]) => findLists(inner, path ? `${path}.${key}` : key, depth + 1))
}

function parseLines(text: string, name: string): JsonRow[] {
  return text.split('\n').flatMap((line, index) => {
    const number = index + 1
    return line.trim() === '' ? [] : [{ number, value: parseJson(line, name, number) }]
  })
}

/** How deeply JSON may be nested. Values that are nested more deeply cannot be sent or written. */
const MAX_NESTING = 100

/** Returns the line at which JSON is nested too deeply, from 1; `undefined` if there is none. */
function findDeepLine(text: string): number | undefined {
  let depth = 0
  let line = 1
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\n') line++
    else if (isInText && character === '\\') at++
    else if (character === '"') isInText = !isInText
    else if (isInText) continue
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    if (depth > MAX_NESTING) return line
  }
  return undefined
}

/**
 * Parses JSON.
 *
 * @param line the line that the text is, if it is not the whole file
 * @throws {UsageError} if it is invalid or nested too deeply; the message names the file and the line
 */
function parseJson(text: string, name: string, line?: number): unknown {
  const deepLine = findDeepLine(text)
  if (deepLine !== undefined) {
    throw new UsageError(`${name}, line ${line ?? deepLine}: is nested more than ${MAX_NESTING} levels deep`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    const where = line === undefined ? name : `${name}, line ${line}`
    throw new UsageError(`${where}: expected JSON: ${(error as Error).message}`)
  }
}

/** Converts objects to a table. */
function toTable(rows: readonly JsonRow[], name: string): Pick<Input, 'columns' | 'rows'> {
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
