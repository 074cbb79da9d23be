import { extname } from 'node:path'
import process from 'node:process'
import { stringify } from 'csv-stringify/sync'
import stringWidth from 'fast-string-width'
import { terminalColumns } from 'terminal-columns'
import { shorten, toPrintable } from '../../../src/client/runtime/text.ts'
import { UsageError } from './command.ts'
import { guardFormulas } from './files/formula-guard.ts'
import { type OwnColumns, throwIfNotOwn } from './files/own-output.ts'
import {
  addAdvice,
  checkWritable,
  findFreeName,
  isReplacedWhole,
  readPermissions,
  readVersion,
  writeWhole,
} from './files/write-whole.ts'
import { formatCell } from './format-cell.ts'
import { print, setWritten } from './print.ts'

/** A row of the output: its columns by name, in order. */
export type OutputRow = Readonly<Record<string, unknown>>

const outputFormats = ['table', 'csv', 'json', 'ndjson', 'md'] as const
type Format = (typeof outputFormats)[number]

/** The options of every command that writes rows. */
export const outputArgs = {
  format: { type: 'string', valueHint: outputFormats.join('|'), description: 'default: table on a terminal, else csv' },
  json: { type: 'boolean', description: 'the same as --format json' },
  out: {
    type: 'string',
    valueHint: 'file',
    description: 'write to a file (.csv, .tsv, .txt, .json, .ndjson or .md), completely or not at all',
  },
} as const

/** The options of every command that writes rows of the server, and not those of a file. */
export const tableArgs = {
  ...outputArgs,
  out: {
    ...outputArgs.out,
    description: 'write to a file (.csv, .tsv, .json, .ndjson or .md), completely or not at all',
  },
  delimiter: {
    type: 'string',
    valueHint: ',|;|tab',
    description: 'the separator of CSV; default: a comma, for .tsv a tab',
  },
  force: { type: 'boolean', description: 'replace the file of --out even if this command did not write it' },
} as const

/** The values of {@link outputArgs}, and those of {@link tableArgs} that other commands lack. */
export interface OutputArgs {
  readonly format?: string | undefined
  readonly json?: boolean | undefined
  readonly out?: string | undefined
  readonly delimiter?: string | undefined
  readonly force?: boolean | undefined
}

/** The destination and the format of a command's rows. */
export interface Output {
  /** The format chosen by an option, the name of the file or a terminal. `undefined` if none of them applies. */
  readonly format: Format | undefined
  /** Removes control characters from a text if the output is a terminal. */
  readonly show: (text: string) => string
  /** Writes the rows, as CSV by default. Tables have only the columns in `main`, because terminals are narrow. */
  write(rows: readonly OutputRow[], main?: readonly string[], format?: Format): Promise<void>
  /**
   * Writes CSV and NDJSON to standard output page by page, until it is closed. Writes files, JSON and tables when all
   * rows are read.
   *
   * @param documented columns that CSV always has
   * @param signal stops the writing, even while nothing reads standard output
   * @returns columns of later pages that are missing from the CSV, because its header was already written
   */
  writePages(
    pages: AsyncIterable<readonly OutputRow[]>,
    documented: readonly string[],
    signal: AbortSignal,
    main?: readonly string[],
  ): Promise<string[]>
  /** Writes content that is already formatted. */
  writeWhole(content: string | Buffer): Promise<void>
  /** Switches to another file if the file of `--out` was written or removed since the command began. */
  avoidOverwrite(): Promise<OutputConflict | undefined>
}

/** What happened to the file of `--out`, and the file that is written instead. */
interface OutputConflict {
  readonly change: 'written by another run' | 'removed'
  readonly file: string
}

interface OutputOptions {
  /** The input file, which must not be overwritten. */
  readonly input?: string
  /**
   * The columns of the command's own files, which `--out` may replace. Such files of CSV begin with a byte order mark.
   * Default: the command checks the file itself.
   */
  readonly own?: OwnColumns
}

/** @throws {UsageError} if the options contradict each other, or the file cannot be written */
export async function createOutput(
  { format, json, out, delimiter: given, force }: OutputArgs,
  { input, own }: OutputOptions = {},
): Promise<Output> {
  if (format !== undefined && !isFormat(format)) {
    throw new UsageError(`--format takes ${outputFormats.join(', ')}, not '${format}'`)
  }
  if (json && format !== undefined && format !== 'json') throw new UsageError(`--json contradicts --format ${format}`)
  const named = out === undefined ? undefined : parseSuffix(out, own ? ownSuffixes : importSuffixes)
  const isTerminal = out === undefined && process.stdout.isTTY
  const show = isTerminal ? toPrintable : String
  const isTable = isTerminal && given === undefined
  const chosen = json ? 'json' : (format ?? named ?? (isTable ? 'table' : undefined))
  const delimiter = parseDelimiter(given, out)
  if (given !== undefined && (chosen ?? 'csv') !== 'csv')
    throw new UsageError(`--delimiter is for CSV, and the output is ${chosen}`)
  if (out !== undefined) await checkWritable(out, input)
  if (out !== undefined && own && !force) await throwIfNotOwn(out, chosen ?? 'csv', own)
  const version = out === undefined ? undefined : await readVersion(out)
  const permissions = input === undefined || input === '-' ? undefined : await readPermissions(input)
  let file = out
  const writeOutput = async (content: string | Buffer) => {
    try {
      if (file === undefined) await print(content)
      else await writeWhole(file, content, permissions)
      setWritten(true)
    } catch (error) {
      throw addAdvice(error)
    }
  }
  const style = { show, delimiter }
  const write: Output['write'] = async (rows, main, format = chosen ?? 'csv') => {
    const text = render(rows, format, main, style)
    const isMarked = format === 'csv' && own && out !== undefined && text !== '' && (await isReplacedWhole(out))
    // Without a byte order mark, many spreadsheets would read UTF-8 in an older encoding.
    await writeOutput(isMarked ? `\uFEFF${text}` : text)
  }
  return {
    format: chosen,
    show,
    write,
    async writePages(pages, documented, signal, main) {
      const format = chosen ?? 'csv'
      if (out === undefined && format === 'ndjson') {
        await printPages(pages, signal, (rows) => render(rows, format, main, style))
        return []
      }
      if (out === undefined && format === 'csv') return printCsvPages(pages, documented, signal, style)
      const all: OutputRow[] = []
      for await (const rows of pages) for (const row of rows) all.push(row)
      await write(all, all.length > 0 ? main : documented)
      return []
    },
    writeWhole: writeOutput,
    async avoidOverwrite() {
      const now = out === undefined ? undefined : await readVersion(out)
      if (out === undefined || now === version) return undefined
      file = await findFreeName(out)
      return { change: now === undefined ? 'removed' : 'written by another run', file }
    },
  }
}

/** Prints pages until standard output is closed. */
async function printPages(
  pages: AsyncIterable<readonly OutputRow[]>,
  signal: AbortSignal,
  format: (rows: readonly OutputRow[]) => string,
): Promise<void> {
  for await (const rows of pages) {
    const isRead = await print(format(rows), signal).catch((error) => Promise.reject(addAdvice(error)))
    if (!isRead) return
  }
}

/** Prints pages as CSV. Returns the columns that are missing from the header, which is the first page's. */
async function printCsvPages(
  pages: AsyncIterable<readonly OutputRow[]>,
  documented: readonly string[],
  signal: AbortSignal,
  style: CsvStyle,
): Promise<string[]> {
  const columns = new Set(documented)
  const lacking = new Set<string>()
  let isFirst = true
  await printPages(pages, signal, (rows) => {
    for (const key of rows.flatMap((row) => Object.keys(row))) {
      if (isFirst) columns.add(key)
      else if (!columns.has(key)) lacking.add(key)
    }
    const header = isFirst ? [[...columns]] : []
    isFirst = false
    return formatCsv([...header, ...rows.map((row) => [...columns].map((column) => row[column]))], style)
  })
  return [...lacking]
}

const isFormat = (text: string): text is Format => outputFormats.some((format) => format === text)

const ownSuffixes = { '.csv': 'csv', '.tsv': 'csv', '.json': 'json', '.ndjson': 'ndjson', '.md': 'md' } as const
const importSuffixes = { ...ownSuffixes, '.txt': 'csv' } as const

const delimiters: Readonly<Record<string, string>> = { ',': ',', ';': ';', tab: '\t', '\t': '\t', '\\t': '\t' }

/** Returns the delimiter of an option, or else of a file. @throws {UsageError} if the readers would not take it */
function parseDelimiter(given: string | undefined, out = ''): string {
  if (given === undefined) return extname(out).toLowerCase() === '.tsv' ? '\t' : ','
  const delimiter = Object.hasOwn(delimiters, given) ? delimiters[given] : undefined
  if (delimiter === undefined) throw new UsageError(`--delimiter takes ',', ';' or tab, not '${given}'`)
  return delimiter
}

/** How a cell and a row of CSV are written. */
interface CsvStyle {
  readonly show: (text: string) => string
  readonly delimiter: string
}

/** Returns the format for the suffix of a file, if it has one. */
function parseSuffix(file: string, suffixes: Readonly<Record<string, Format>>): Format | undefined {
  const suffix = extname(file).toLowerCase()
  if (suffix === '' || Object.hasOwn(suffixes, suffix)) return suffixes[suffix]
  throw new UsageError(`--out ${file}: expected ${Object.keys(suffixes).join(', ')}, not ${suffix}`)
}

/** Formats a value as JSON, with control characters escaped. */
export function formatJson(value: unknown, indent?: number): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value, null, indent).replace(/[^\n -~]/gu, (character) =>
    toPrintable(character) === character ? character : character.split('').map(escaped).join(''),
  )
}

function render(
  rows: readonly OutputRow[],
  format: Format,
  main: readonly string[] | undefined,
  style: CsvStyle,
): string {
  if (format === 'json') return `${formatJson(rows, 2)}\n`
  if (format === 'ndjson') return rows.map((row) => `${formatJson(row)}\n`).join('')
  const columns = rows.length > 0 ? [...new Set(rows.flatMap((row) => Object.keys(row)))] : (main ?? [])
  if (format === 'table') return formatTable(rows, main ?? columns)
  if (format === 'md') return formatMarkdown(rows, main ?? columns)
  return columns.length === 0
    ? ''
    : formatCsv([columns, ...rows.map((row) => columns.map((column) => row[column]))], style)
}

function formatCsv(lines: readonly (readonly unknown[])[], { show, delimiter }: CsvStyle): string {
  const formatCsvCell = (value: unknown) =>
    typeof value === 'number' ? String(value) : guardFormulas(show(formatCell(value)))
  return stringify(
    lines.map((cells) => cells.map(formatCsvCell)),
    { delimiter, quoted_match: /[,;\t\r\n]|^\s|\s$/ },
  )
}

/** The longest cell in a table, in characters. */
const MAX_CELL = 500

/** Returns the columns in which at least one row has a value. */
const selectFilled = (rows: readonly OutputRow[], columns: readonly string[]) =>
  columns.filter((column) => rows.some((row) => formatCell(row[column]) !== ''))

/** An address without spaces, which Markdown turns into a link. */
const wholeAddress = /^https?:\/\/\S+$/

/** Escapes a text for Markdown, so that it has no image, link, emphasis or mention. */
function escapeMarkdown(text: string): string {
  if (wholeAddress.test(text))
    return text.replace(/[\\|<>[\]*`@]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  // Escapes do not prevent mentions and links from bare addresses, so a zero-width space breaks them.
  return text.replace(/[\\|<[\]*_`~&]/g, '\\$&').replace(/@|:(?=\/\/)|www(?=\.)/gi, '$&\u200b')
}

/** Formats a Markdown table, with numbers aligned to the right. */
function formatMarkdown(rows: readonly OutputRow[], columns: readonly string[]): string {
  const shown = selectFilled(rows, columns)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const cell = (text: string) => escapeMarkdown(toPrintable(shorten(text, MAX_CELL)))
  const isNumber = (column: string) => rows.every((row) => row[column] == null || typeof row[column] === 'number')
  const rules = shown.map((column) => (isNumber(column) ? '---:' : '---'))
  const lines = rows.map((row) => line(shown.map((column) => cell(formatCell(row[column])))))
  return shown.length === 0 ? '' : [line(shown.map(cell)), line(rules), ...lines].join('')
}

/** The smallest width to which a column shrinks to fit a terminal. */
const NARROWEST = 12

/** The number of spaces between two columns. */
const GAP = 2

function formatTable(rows: readonly OutputRow[], columns: readonly string[]): string {
  if (rows.length === 0) return ''
  const shown = selectFilled(rows, columns)
  const cells = rows.map((row) => shown.map((column) => toPrintable(shorten(formatCell(row[column]), MAX_CELL))))
  // `Math.max(...cells)` would overflow the stack from about 100,000 rows on.
  const widths = shown.map((column, index) =>
    cells.reduce((most, row) => Math.max(most, stringWidth(row[index]!)), column.length),
  )
  // The widest columns shrink, and their cells wrap.
  const space = (process.stdout.columns || 120) - GAP * widths.length
  for (let excess = widths.reduce((sum, width) => sum + width, -space); excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths))
    if (widths[widest]! <= NARROWEST) break
    widths[widest]!--
  }
  const text = terminalColumns([shown.map((column) => toPrintable(column).toUpperCase()), ...cells], {
    columns: widths.map((width) => ({ width, paddingRight: GAP })),
    stdoutColumns: Number.POSITIVE_INFINITY,
  })
  return `${text.replaceAll(/ +$/gm, '')}\n`
}
