import type { ShortLinkClient } from 'shortlink-sdk'
import { aliasIn, hostOf } from '../../addresses.ts'
import { type LinkRow, parameterNames, RowChecks, readRow } from '../../tasks/rows.ts'
import { describeIssues, formatValue, printable, similarName } from '../../text.ts'
import { UsageError } from '../command.ts'
import { listed } from '../counts-and-times.ts'
import { cellText } from '../output.ts'
import { otherNames, parameterOf, plain } from './column-names.ts'
import type { Input, InputRow, RowResult } from './input.ts'
import { isMapOfOutcome, splitResult } from './result.ts'

/** A row of a file on its way from its cells to the result of its link. */
export interface Row extends InputRow {
  /**
   * The row as it is sent: the parameters of its link, which are empty where a cell takes something away, and what is
   * not sent: the number names the row in errors, and the other cells tell rows apart that are equal otherwise.
   */
  values: LinkRow & { readonly row: number; readonly cells: readonly unknown[] }
  /** Why it cannot be sent. */
  problem?: string | undefined
  result?: RowResult
}

/** A file of links. */
export interface LinkFile {
  /** The file without the columns of an earlier result. */
  readonly input: Input
  readonly rows: readonly Row[]
  /**
   * The hosts of its short addresses, if it is a list or report of this package: their domains need not be looked up.
   */
  readonly hosts: ReadonlySet<string>
}

/** The columns whose cells hold JSON, if they are not plain. */
const jsonColumns = ['pixels', 'channel', 'deeplink', 'geotarget', 'devicetarget', 'languagetarget', 'parameters']

/** A column of a file. */
interface Column {
  readonly name: string
  readonly index: number
  /** The parameter of a link that it is; `undefined` if it is not sent. */
  readonly parameter: string | undefined
  /** Whether `--map` says so. */
  readonly isMapped: boolean
}

/**
 * Reads the links of a file, which may be the result of an import. Says on standard error how its columns are read.
 *
 * @param maps what `--map` says: `Column=parameter`
 * @param needed the parameters that have to have a column; in a result, the alias has one
 * @throws {UsageError} if a column is missing, misspelled or there twice, or could be the alias and would not be sent
 */
export function readLinks(whole: Input, maps: readonly string[], needed: readonly string[]): LinkFile {
  const result = maps.some(isMapOfOutcome) ? undefined : splitResult(whole)
  const input = result ?? whole
  const columns = readColumns(input, maps)
  throwIfTwice(input, columns)
  const missing = needed.filter((parameter) => parameter !== 'custom' || !result)
  if (input.rows.length > 0 || input.format === 'csv') throwIfMissing(input, columns, missing)
  throwIfOverlooked(input, columns)
  throwIfForeign(input, columns)
  const renamed = columns.filter(({ name, parameter }) => parameter && parameter !== name.toLowerCase())
  const unused = columns.filter(({ name, parameter }) => parameter === undefined && name !== '')
  const say = (text: string) => console.error(printable(text))
  if (renamed.length > 0) say(`read as: ${renamed.map((one) => `${one.name} → ${one.parameter}`).join(', ')}`)
  if (unused.length > 0) say(`not sent: ${unused.map(({ name }) => name).join(', ')}`)
  const listed = input.columns.includes('longurl') ? input.columns.indexOf('shorturl') : -1
  const addresses = input.rows.map(({ cells }) => cellText(cells[listed])).filter((address) => address !== '')
  return {
    input,
    hosts: new Set(addresses.map(hostOf)),
    rows: input.rows.map((row) => readLink(row, columns)),
  }
}

function readColumns(input: Input, maps: readonly string[]): Column[] {
  const mapped = readMaps(input, maps)
  const given = [...mapped.values()]
  return input.columns.map((name, index) => {
    if (mapped.has(index)) return { name, index, parameter: mapped.get(index), isMapped: true }
    const meant = parameterOf(name)
    return { name, index, parameter: given.includes(meant) ? undefined : meant, isMapped: false }
  })
}

/** Returns the parameters of the columns that `--map` names, `undefined` for a column that is not sent. */
function readMaps({ columns, name }: Input, maps: readonly string[]): Map<number, string | undefined> {
  const result = new Map<number, string | undefined>()
  for (const map of maps) {
    const [, column = '', to = ''] = /^(.+)=(.*)$/s.exec(map) ?? []
    if (column === '') throw new UsageError(`--map takes 'Column=parameter', not '${map}'`)
    const exact = columns.indexOf(column)
    const index = exact === -1 ? columns.findIndex((other) => plain(other) === plain(column)) : exact
    if (index === -1) throw new UsageError(`--map: ${name} has no column '${column}', but ${columns.join(', ')}`)
    const parameter = parameterOf(to)
    if (to !== '' && parameter === undefined) {
      const meant = similarName(to, parameterNames)
      const advice = meant ? `did you mean ${meant}?` : `but ${parameterNames.join(', ')}`
      throw new UsageError(`--map: a link has no parameter '${to}', ${advice}`)
    }
    result.set(index, parameter)
  }
  return result
}

/** Returns the cells of a column that are not empty, as text. */
const cellsOf = ({ rows }: Input, index: number): string[] =>
  rows.map(({ cells }) => cellText(cells[index]).trim()).filter((cell) => cell !== '')

function throwIfTwice({ name }: Input, columns: readonly Column[]): void {
  for (const { name: second, index, parameter } of columns) {
    const first = parameter && columns.slice(0, index).find((other) => other.parameter === parameter)?.name
    if (!first) continue
    const which = `${first} and ${second}. Say which it is: --map '${first}=${parameter}'`
    throw new UsageError(`${name}: there are two columns for ${parameter}: ${which}`)
  }
}

function throwIfMissing({ name, ...input }: Input, columns: readonly Column[], needed: readonly string[]): void {
  const missing = needed.find((parameter) => !columns.some((column) => column.parameter === parameter))
  if (missing === undefined) return
  const [first = ''] = input.columns
  if (/^https?:\/\//i.test(first)) {
    throw new UsageError(`${name}, line 1: expected the names of the columns, such as url, found an address`)
  }
  const names = Object.keys(otherNames).filter((other) => otherNames[other] === missing)
  throw new UsageError(
    `${name}: expected a column ${missing} (or ${names.join(', ')}), found ${input.columns.join(', ')}. Say which it is: --map 'COLUMN=${missing}'`,
  )
}

/** Refuses a column that would not be sent, but is misspelled or could be the alias. */
function throwIfOverlooked(input: Input, columns: readonly Column[]): void {
  const missing = parameterNames.filter((name) => !columns.some(({ parameter }) => parameter === name))
  const undecided = columns.filter(({ name, parameter, isMapped }) => name !== '' && !parameter && !isMapped)
  for (const { name } of undecided) {
    const meant = parameterOf(name) === undefined ? similarName(name, missing) : undefined
    if (!meant) continue
    const advice = `--map '${name}=${meant}', or --map '${name}=' if it is something else`
    throw new UsageError(`${input.name}, column ${name}: did you mean ${meant}? Say ${advice}`)
  }
  const aliases = undecided.filter(({ name, index }) => aliasName.test(plain(name)) && cellsOf(input, index).length > 0)
  const [first] = aliases
  if (!first || !missing.includes('custom')) return
  const which = `${aliases.length > 1 ? 'columns' : 'column'} ${listed(aliases.map(({ name }) => name))}`
  throw new UsageError(
    `${input.name}: ${which} could be the alias, and would not be sent. Say --map '${first.name}=custom', or --map '${first.name}=' to leave it out`,
  )
}

/** The names of columns that have the alias, or a short address that ends in it. */
const aliasName =
  /alias|slug|keyword|vanity|backhalf|bitlink|tinyurl|short(url|link|id|name)|custom(url|link|name)|^(link|short|code|hash)$/

/** Values that columns of these names have in exports of other programs, where they are something else. */
const foreignValues: Readonly<Record<string, RegExp>> = {
  password: /^(true|false|yes|no|0|1)$/i,
  status: /^(?!(public|private)$)/i,
  type: /^3\d\d$|^(?!(direct|frame|splash|\d+)$)/i,
}

/** Refuses a column that has the name of a parameter and says something else in all of its cells. */
function throwIfForeign(input: Input, columns: readonly Column[]): void {
  for (const { name, index, parameter, isMapped } of columns) {
    const foreign = foreignValues[parameter ?? '']
    const cells = cellsOf(input, index)
    if (!foreign || isMapped || cells.length === 0 || !cells.every((cell) => foreign.test(cell))) continue
    const said = listed([...new Set(cells)].slice(0, 3))
    const advice = `Say --map '${name}=' to leave it out, or --map '${name}=${parameter}' to send it`
    throw new UsageError(
      `${input.name}, column ${name}: ${said} may be something else than the ${parameter} of a link. ${advice}`,
    )
  }
}

/** Returns whether a cell is empty, or has a word of databases for that. */
const isNothing = (text: string): boolean => text === '' || text === 'NULL' || text === '\\N'

/** The cells of a spreadsheet whose formula fails, in English, German, French and Spanish. */
const formulaError =
  /^#(REF!|NAME\?|VALUE!|DIV\/0!|N\/A|NUM!|NULL!|SPILL!|CALC!|ERROR!|FIELD!|BLOCKED!|CONNECT!|BUSY!|GETTING_DATA|UNKNOWN!|BEZUG!|WERT!|ZAHL!|NV|NOM\?|VALEUR!|NOMBRE!|¡REF!|¿NOMBRE\?|¡VALOR!|¡DIV\/0!)$/

function readLink(row: InputRow, columns: readonly Column[]): Row {
  const values: Record<string, unknown> = {}
  let problem: string | undefined
  const utm: { name: string; value: string }[] = []
  for (const { index, parameter } of columns) {
    const cell = row.cells[index]
    const text = cellText(cell).trim()
    if (parameter === undefined || cell === undefined) continue
    if (isNothing(text)) {
      if (mayBeNone.includes(parameter)) values[parameter] = ''
      continue
    }
    if (formulaError.test(text)) problem ??= `${parameter}: ${text} is an error of the spreadsheet`
    if (parameter.startsWith('utm_')) utm.push({ name: parameter, value: text })
    else if (typeof cell === 'string') values[parameter] = readCell(parameter, cell)
    else values[parameter] = parameter === 'custom' ? text : cell
  }
  if (utm.length > 0) {
    values.parameters = Array.isArray(values.parameters) ? [...values.parameters, ...utm] : utm
  }
  if (values.expiry !== undefined) {
    const expiry = readDate(values.expiry)
    if (expiry) values.expiry = expiry
    else problem ??= dateProblem(values.expiry)
  }
  const { number, cells, result } = row
  const otherCells = columns.filter(({ parameter }) => !parameter).map(({ index }) => cells[index])
  // Spread into a literal with more keys, every row would have a hidden class of its own, which is larger than the row.
  Object.assign(values, { row: number, cells: otherCells })
  return { number, cells, ...(result && { result }), values: values as Row['values'], problem }
}

function dateProblem(value: unknown): string {
  const given = cellText(value).trim()
  const [zone] = /(?<=\d)(Z|[+-]\d\d:?\d\d)$/i.exec(given.includes(':') ? given : '') ?? []
  const why = zone ? `: the platform has no time zones, so leave out ${zone}` : ''
  return `expiry: expected ${dateForms}, received ${formatValue(value)}${why}`
}

/** The parameters that an empty cell takes away in a sync, because the list of links shows them. */
const mayBeNone = ['title', 'description', 'campaign', 'channel']

function readCell(parameter: string, text: string): unknown {
  // Some exports have the whole short address where others have the alias.
  if (parameter === 'custom') return /^(https?:\/\/)?[^/]+\.[^/]+\/[^/?#]+\/?$/i.test(text) ? aliasIn(text) : text
  if (parameter === 'status' || parameter === 'type') return text.toLowerCase()
  if (!jsonColumns.includes(parameter) || !/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const dateForms = 'YYYY-MM-DD HH:MM:SS, without seconds, with T, or YYYY-MM-DD for its last second'

/** Returns a date and time in the form of the platform; `undefined` if a value is not a date in an accepted form. */
function readDate(value: unknown): string | undefined {
  const [, date, time, seconds] =
    /^(\d{4}-\d\d-\d\d)(?:[ T]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?)?$/.exec(cellText(value).trim()) ?? []
  // JavaScript reads 2026-02-30 as 2 March.
  if (date === undefined || !new Date(`${date}T00:00Z`).toJSON()?.startsWith(date)) return undefined
  return time === undefined ? `${date} 23:59:59` : `${date} ${time}${seconds ?? ':00'}`
}

/** Gives a row the alias that an earlier result has for it, if it names none itself. */
export function setAlias(row: Row, alias: string | undefined): void {
  if (!row.values.custom && alias) row.values = { ...row.values, custom: alias }
}

/** Checks the parameters of rows, and that none has the alias of an earlier one. */
export function checkRows(rows: readonly Row[], client: ShortLinkClient): void {
  const checks = new RowChecks(client)
  for (const row of rows) {
    const issues = checks.check(readRow(row.values), `row ${row.number}`)
    if (issues.length > 0) row.problem ??= describeIssues(issues)
  }
}
