import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'
import { linkUpdate } from '../resources/links/params.ts'
import { similarName } from '../schema/checks.ts'
import { isRecord } from '../schema/expected.ts'
import { notParams } from '../tasks/rows.ts'
import { UsageError } from './command.ts'

/** A row of a file, and where it is: the line, or in a JSON list the position from 1. */
export interface InputRow {
  readonly line: number
  readonly values: Readonly<Record<string, unknown>>
}

/** The names that a row may have for a parameter of a link, besides that parameter. */
const otherNames: Record<string, string> = { longurl: 'url', alias: 'custom' }
const linkNames = [...Object.keys(linkUpdate), ...Object.keys(otherNames)]
/** The columns whose cells hold JSON, if they are not plain. */
const jsonColumns = ['pixels', 'channel', 'deeplink', 'geotarget', 'devicetarget', 'languagetarget', 'parameters']

/**
 * Reads the rows of a .csv, .json or .ndjson file.
 *
 * @throws {UsageError} with the line, if the file is not what its name says
 */
export async function readRows(path: string): Promise<InputRow[]> {
  const type = extname(path).toLowerCase()
  const read = readers[type]
  if (!read) throw new UsageError(`${path}: expected a .csv, .json or .ndjson file`)
  const bytes = await readFile(path).catch((error) => {
    throw new UsageError(error.code === 'ENOENT' ? `${path}: there is no such file` : `${path}: ${error.message}`)
  })
  const text = bytes.toString().replace(/^\uFEFF/, '')
  // Without this, titles of an older encoding would be sent with other letters.
  if (!isUtf8(bytes)) {
    const line = lineAt(text, text.indexOf('\uFFFD'))
    throw new UsageError(`${path}, line ${line}: expected UTF-8. In a spreadsheet, save the file as "CSV UTF-8"`)
  }
  return read(text, path)
}

const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length

/**
 * The links of a file, without the columns that are no parameters of a link, whose names are told.
 *
 * @throws {UsageError} if there is no column for one of `needed`, or if a name is a slip
 */
export async function readLinks(
  path: string,
  needed: readonly string[],
): Promise<{ rows: InputRow[]; ignored: string[] }> {
  const rows = await readRows(path)
  const columns = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))]
  for (const name of needed) {
    const names = [name, ...Object.keys(otherNames).filter((other) => otherNames[other] === name)]
    if (rows.length > 0 && !names.some((other) => columns.includes(other))) {
      throw new UsageError(
        `${path}, line 1: expected a column ${names.join(' or ')}, found ${columns.join(', ') || 'none'}`,
      )
    }
  }
  const missing = linkNames.filter((name) => !columns.includes(name))
  const ignored = columns.filter((name) => !linkNames.includes(name) && !notParams.has(name))
  for (const name of ignored) {
    const meant = similarName(name, missing)
    if (meant) throw new UsageError(`${path}, line 1: column ${name}: did you mean ${meant}?`)
  }
  const links = rows.map(({ line, values }) => ({
    line,
    values: { line, ...Object.fromEntries(Object.entries(values).filter(([name]) => linkNames.includes(name))) },
  }))
  return { rows: links, ignored }
}

const readers: Record<string, (text: string, path: string) => InputRow[]> = {
  '.csv': readCsv,
  '.json': readJson,
  '.ndjson': readNdjson,
}

function readCsv(text: string, path: string): InputRow[] {
  if (text.trim() === '') throw new UsageError(`${path}, line 1: expected the names of the columns, the file is empty`)
  try {
    const records = parse(text, {
      columns: (header: string[]) => namesOfColumns(header, path),
      delimiter: delimiterOf(text),
      info: true,
      relax_column_count_less: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
    }) as unknown as { info: { lines: number }; record: Record<string, string> }[]
    return records.map(({ info, record }) => ({
      line: info.lines,
      values: Object.fromEntries(Object.entries(record).map(([name, cell]) => [name, readCell(name, cell)])),
    }))
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`${path}, line ${error.lines ?? '?'}: ${error.message}`)
    throw error
  }
}

/** Spreadsheets of some countries separate cells by semicolons. */
function delimiterOf(text: string): string {
  const header = text.slice(0, text.search(/[\r\n]|$/))
  const count = (delimiter: string) => header.split(delimiter).length
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best))
}

/** The names of the columns: those of a link in any case, the others as they are. */
function namesOfColumns(header: string[], path: string): string[] {
  const names = header.map((name) => linkNames.find((known) => known === name.toLowerCase()) ?? name)
  const twice = names.find((name, index) => linkNames.includes(name) && names.indexOf(name) < index)
  if (twice) throw new UsageError(`${path}, line 1: there are two columns ${twice}`)
  return names
}

function readCell(name: string, cell: string): unknown {
  const text = /^'[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20]/.test(cell) ? cell.slice(1) : cell
  if (!jsonColumns.includes(name) || !/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function readJson(text: string, path: string): InputRow[] {
  const rows = parseJson(text, path, 1)
  if (!Array.isArray(rows))
    throw new UsageError(`${path}, line 1: expected a list of objects, such as [{"url": "https://…"}]`)
  return rows.map((row, index) => rowOf(row, index + 1, `${path}, row ${index + 1}`))
}

function readNdjson(text: string, path: string): InputRow[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    return [rowOf(parseJson(line, path, index + 1), index + 1, `${path}, line ${index + 1}`)]
  })
}

function rowOf(row: unknown, line: number, place: string): InputRow {
  if (!isRecord(row)) throw new UsageError(`${place}: expected an object, such as {"url": "https://…"}`)
  return { line, values: row }
}

function parseJson(text: string, path: string, firstLine: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const { reason, position } = jsonProblem((error as Error).message, text)
    throw new UsageError(`${path}, line ${firstLine - 1 + lineAt(text, position)}: expected JSON: ${reason}`)
  }
}

/** What `JSON.parse` says, and where: it tells the position, or the ten characters on both sides of it. */
function jsonProblem(message: string, text: string): { reason: string; position: number } {
  const [, reason, before, excerpt = ''] =
    /^(.*?), (\.{3})?"([\s\S]*)"(?:\.{3})? is not valid JSON$/.exec(message) ?? []
  if (reason !== undefined) {
    // A short text is shown whole.
    if (excerpt === text) return { reason, position: text.lastIndexOf(/'(.)'$/.exec(reason)?.[1] ?? '') }
    return { reason, position: text.indexOf(excerpt) + (before ? 10 : Math.max(0, excerpt.length - 10)) }
  }
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length)
  return { reason: message.replace(/ in JSON at position .*$/, ''), position }
}
