import { extname } from 'node:path'
import process from 'node:process'
import { stringify } from 'csv-stringify/sync'
import stringWidth from 'fast-string-width'
import { terminalColumns } from 'terminal-columns'
import { printable, shorten } from '../text.ts'
import { UsageError } from './command.ts'
import { guardFormulas } from './files/formula-guard.ts'
import { checkWritable, freeNameBeside, permissionsOf, versionOf, withRemedy, writeWhole } from './files/write-whole.ts'
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
    description: 'write into a file, whole or not at all: .csv, .json, .ndjson or .md',
  },
} as const

/** These options, as the command line gives them. */
export interface OutputArgs {
  readonly format?: string | undefined
  readonly json?: boolean | undefined
  readonly out?: string | undefined
}

/** The destination of a command's rows, and their form. */
export interface Output {
  /** The format that the options, the name of the file or a terminal say; `undefined` if none of them does. */
  readonly format: Format | undefined
  /** Makes a text fit for a terminal, if that is where it goes. */
  readonly show: (text: string) => string
  /**
   * Writes the rows, as CSV if nothing else is said; a table has no more columns than `main`, because a terminal is
   * narrow.
   */
  write(rows: readonly OutputRow[], main?: readonly string[], format?: Format): Promise<void>
  /**
   * Writes rows as they come, a page at a time, until standard output is closed. Files, JSON and tables are
   * written when all rows are there.
   *
   * @param documented the columns that CSV has in any case
   * @param signal ends this, also while nobody reads standard output
   * @returns the columns of later pages that CSV lacks, because its header was written already
   */
  writePages(
    pages: AsyncIterable<readonly OutputRow[]>,
    documented: readonly string[],
    signal: AbortSignal,
    main?: readonly string[],
  ): Promise<string[]>
  /** Writes what has its form already. */
  writeWhole(content: string | Buffer): Promise<void>
  /** If the file was written or removed since the command began, lets the rows go beside it, and says where. */
  stepAside(): Promise<StepAside | undefined>
}

/** What has become of the file that was to be written, and the file that is written in its place. */
interface StepAside {
  readonly change: 'written by another run' | 'removed'
  readonly file: string
}

/** The file that an output comes from, and the names that it may have. */
interface OutputOptions {
  /** The file that is read, which must not be written. */
  readonly input?: string
  /** Further suffixes of files. */
  readonly suffixes?: Readonly<Record<string, Format>>
}

/** @throws {UsageError} if the options do not fit, or the file cannot be written */
export async function outputOf(
  { format, json, out }: OutputArgs,
  { input, suffixes }: OutputOptions = {},
): Promise<Output> {
  if (format !== undefined && !isFormat(format)) {
    throw new UsageError(`--format takes ${outputFormats.join(', ')}, not '${format}'`)
  }
  if (json && format !== undefined && format !== 'json') throw new UsageError(`--json is not --format ${format}`)
  const named = out === undefined ? undefined : formatOfName(out, { ...ownSuffixes, ...suffixes })
  if (out !== undefined) await checkWritable(out, input)
  const isTerminal = out === undefined && process.stdout.isTTY
  const show = isTerminal ? printable : String
  const chosen = json ? 'json' : (format ?? named ?? (isTerminal ? 'table' : undefined))
  const version = out === undefined ? undefined : await versionOf(out)
  const permissions = input === undefined || input === '-' ? undefined : await permissionsOf(input)
  let file = out
  const writeOutput = async (content: string | Buffer) => {
    try {
      if (file === undefined) await print(content)
      else await writeWhole(file, content, permissions)
      setWritten(true)
    } catch (error) {
      throw withRemedy(error)
    }
  }
  const write: Output['write'] = (rows, main, format = chosen ?? 'csv') => writeOutput(render(rows, format, main, show))
  return {
    format: chosen,
    show,
    write,
    async writePages(pages, documented, signal, main) {
      const format = chosen ?? 'csv'
      if (out === undefined && format === 'ndjson') {
        await printPages(pages, signal, (rows) => render(rows, format, main, show))
        return []
      }
      if (out === undefined && format === 'csv') return printTable(pages, documented, signal, show)
      const all: OutputRow[] = []
      for await (const rows of pages) all.push(...rows)
      await write(all, all.length > 0 ? main : documented)
      return []
    },
    writeWhole: writeOutput,
    async stepAside() {
      const now = out === undefined ? undefined : await versionOf(out)
      if (out === undefined || now === version) return undefined
      file = await freeNameBeside(out)
      return { change: now === undefined ? 'removed' : 'written by another run', file }
    },
  }
}

/** Prints pages until standard output is closed. */
async function printPages(
  pages: AsyncIterable<readonly OutputRow[]>,
  signal: AbortSignal,
  textOf: (rows: readonly OutputRow[]) => string,
): Promise<void> {
  for await (const rows of pages) {
    const isRead = await print(textOf(rows), signal).catch((error) => Promise.reject(withRemedy(error)))
    if (!isRead) return
  }
}

/** Prints pages as CSV. Returns the columns that the header of the first page lacks. */
async function printTable(
  pages: AsyncIterable<readonly OutputRow[]>,
  documented: readonly string[],
  signal: AbortSignal,
  show: (text: string) => string,
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
    return csvLines([...header, ...rows.map((row) => [...columns].map((column) => row[column]))], show)
  })
  return [...lacking]
}

const isFormat = (text: string): text is Format => outputFormats.some((format) => format === text)

const ownSuffixes = { '.csv': 'csv', '.json': 'json', '.ndjson': 'ndjson', '.md': 'md' } as const

/** Returns the format that the suffix of a file says, if it has one. */
function formatOfName(file: string, suffixes: Readonly<Record<string, Format>>): Format | undefined {
  const suffix = extname(file).toLowerCase()
  if (suffix === '' || Object.hasOwn(suffixes, suffix)) return suffixes[suffix]
  throw new UsageError(`--out ${file}: expected ${Object.keys(suffixes).join(', ')}, not ${suffix}`)
}

/** Formats a value as JSON. Characters that control a terminal are escaped. */
export function jsonText(value: unknown, indent?: number): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value, null, indent).replace(/[^\n -~]/gu, (character) =>
    printable(character) === character ? character : character.split('').map(escaped).join(''),
  )
}

function render(
  rows: readonly OutputRow[],
  format: Format,
  main: readonly string[] | undefined,
  show: (text: string) => string,
): string {
  if (format === 'json') return `${jsonText(rows, 2)}\n`
  if (format === 'ndjson') return rows.map((row) => `${jsonText(row)}\n`).join('')
  const columns = rows.length > 0 ? [...new Set(rows.flatMap((row) => Object.keys(row)))] : (main ?? [])
  if (format === 'table') return table(rows, main ?? columns)
  if (format === 'md') return markdown(rows, main ?? columns)
  return columns.length === 0
    ? ''
    : csvLines([columns, ...rows.map((row) => columns.map((column) => row[column]))], show)
}

/** Formats lines of CSV. */
function csvLines(lines: readonly (readonly unknown[])[], show: (text: string) => string): string {
  const cellOf = (value: unknown) => (typeof value === 'number' ? String(value) : guardFormulas(show(cellText(value))))
  return stringify(
    lines.map((cells) => cells.map(cellOf)),
    { quoted_match: /[;\t\r\n]|^\s|\s$/ },
  )
}

/** The longest cell in a table, in characters. */
const MAX_CELL = 500

/** Returns the columns in which a row has a value. */
const filled = (rows: readonly OutputRow[], columns: readonly string[]) =>
  columns.filter((column) => rows.some((row) => cellText(row[column]) !== ''))

/** An address, which stays one in Markdown. */
const wholeAddress = /^https?:\/\/\S+$/

/** Escapes a text for Markdown: no image, link, emphasis or mention. */
function markdownText(text: string): string {
  if (wholeAddress.test(text))
    return text.replace(/[\\|<>[\]*`@]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  // Mentions and bare addresses are found after escapes are read, so they are broken by a space of no width.
  return text.replace(/[\\|<[\]*_`~&]/g, '\\$&').replace(/@|:(?=\/\/)|www(?=\.)/gi, '$&\u200b')
}

/** Formats a table in Markdown, with numbers on the right. */
function markdown(rows: readonly OutputRow[], columns: readonly string[]): string {
  const shown = filled(rows, columns)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  const cell = (text: string) => markdownText(printable(shorten(text, MAX_CELL)))
  const isNumber = (column: string) => rows.every((row) => row[column] == null || typeof row[column] === 'number')
  const rules = shown.map((column) => (isNumber(column) ? '---:' : '---'))
  const lines = rows.map((row) => line(shown.map((column) => cell(cellText(row[column])))))
  return shown.length === 0 ? '' : [line(shown.map(cell)), line(rules), ...lines].join('')
}

/** No column of a table gets narrower than this to fit a terminal. */
const NARROWEST = 12

/** The number of spaces between two columns. */
const GAP = 2

function table(rows: readonly OutputRow[], columns: readonly string[]): string {
  if (rows.length === 0) return ''
  const shown = filled(rows, columns)
  const cells = rows.map((row) => shown.map((column) => printable(shorten(cellText(row[column]), MAX_CELL))))
  // Without Math.max over all cells, which overflows the stack from about 100,000 rows on.
  const widths = shown.map((column, index) =>
    cells.reduce((most, row) => Math.max(most, stringWidth(row[index]!)), column.length),
  )
  // The widest columns give way, and their cells go on in the next line.
  const space = (process.stdout.columns || 120) - GAP * widths.length
  for (let over = widths.reduce((sum, width) => sum + width, -space); over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths))
    if (widths[widest]! <= NARROWEST) break
    widths[widest]!--
  }
  const text = terminalColumns([shown.map((column) => printable(column).toUpperCase()), ...cells], {
    columns: widths.map((width) => ({ width, paddingRight: GAP })),
    stdoutColumns: Number.POSITIVE_INFINITY,
  })
  return `${text.replaceAll(/ +$/gm, '')}\n`
}

/** Returns a value as the text of a cell. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
