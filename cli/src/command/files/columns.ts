import type { ShortLinkClient } from 'shortlink-sdk'
import { hostOf } from '../../addresses.ts'
import { type LinkRow, parameterNames, RowChecks, readRow } from '../../tasks/rows.ts'
import { describeIssues, formatValue, isRecord, printable, similarName } from '../../text.ts'
import { UsageError } from '../command.ts'
import { listed, many } from '../counts-and-times.ts'
import { cellText } from '../output.ts'
import { cellProblem, dateProblem, isMangled, isNothing, isNumberOf, lastPartOf, readCell, readDate } from './cells.ts'
import { isQuestion, mayBeAlias, meaningOf, otherNames, parameterOf, plain } from './column-names.ts'
import { type Input, type InputRow, type RowResult, throwIfNoHeader } from './input.ts'
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
  /** The name of the column that its alias comes from, if that is not the column of aliases. */
  readonly aliasFrom?: string
}

/** A file of links. */
export interface LinkFile {
  /** The file without the columns of an earlier result. */
  readonly input: Input
  readonly rows: readonly Row[]
  readonly origin: Origin
}

/** Where a list, a report or the result of an import comes from. */
export interface Origin {
  /** The name of the file in messages. */
  readonly name: string
  /** The hosts of its short addresses. */
  readonly hosts: ReadonlySet<string>
  /** The names of its columns by their parameters, without those that `--map` confirms. */
  readonly columns: ReadonlyMap<string, string>
}

/** A column of a file. */
interface Column {
  readonly name: string
  readonly index: number
  /** The parameter of a link that it is; `undefined` if it is not sent. */
  readonly parameter: string | undefined
  /** Whether `--map` says so. */
  readonly isMapped: boolean
}

/** Returns whether `--map` says what the name of a column says too, so that its cells are right as they are. */
const isConfirmed = ({ name, parameter, isMapped }: Column) => isMapped && parameterOf(name) === parameter

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
  throwIfUnsaid(input, columns)
  const renamed = columns.filter(({ name, parameter }) => parameter && parameter !== name.toLowerCase())
  const unused = columns.filter(({ name, parameter }) => parameter === undefined && name !== '')
  const say = (text: string) => console.error(printable(text))
  if (renamed.length > 0) say(`read as: ${renamed.map((one) => `${one.name} → ${one.parameter}`).join(', ')}`)
  if (unused.length > 0) say(`not sent: ${unused.map(({ name }) => name).join(', ')}`)
  const undecided = columns.filter(isUndecided)
  const roles = {
    columns,
    aliases: undecided.filter((column) => mayBeAlias(column.name) && !isFlag(input, column)),
    states: undecided.filter(isState),
  }
  const rows = input.rows.map((row) => readLink(row, roles))
  for (const { name } of roles.aliases) {
    const borrowed = rows.filter(({ aliasFrom }) => aliasFrom === name).length
    if (borrowed > 0) say(`alias of ${many(borrowed, 'row')}: from ${name}`)
  }
  return { input, rows, origin: originOf(input, columns) }
}

function originOf({ name, rows, columns: names }: Input, columns: readonly Column[]): Origin {
  const listed = names.findIndex((name) => plain(name) === 'shorturl')
  const addresses = rows.flatMap(({ cells, result }) => [cellText(cells[listed]), result?.shorturl ?? ''])
  return {
    name,
    hosts: new Set(addresses.filter((address) => address !== '').map(hostOf)),
    columns: new Map(columns.flatMap((one) => (one.parameter && !isConfirmed(one) ? [[one.parameter, one.name]] : []))),
  }
}

function readColumns(input: Input, maps: readonly string[]): Column[] {
  const mapped = readMaps(input, maps)
  const given = [...mapped.values()]
  return input.columns.map((name, index) => {
    if (mapped.has(index)) return { name, index, parameter: mapped.get(index), isMapped: true }
    const meant = parameterOf(name) ?? targetsIn(input, name, index)
    return { name, index, parameter: given.includes(meant) ? undefined : meant, isMapped: false }
  })
}

/** Returns the parameter of a column that has the targets of links as details of a link show them: objects in JSON. */
function targetsIn(input: Input, name: string, index: number): string | undefined {
  const parameter = { location: 'geotarget', device: 'devicetarget' }[plain(name)]
  const cells = parameter === undefined ? [] : cellsOf(input, index).filter((cell) => cell !== '{}')
  return cells.length > 0 && cells.every((cell) => cell.startsWith('{')) ? parameter : undefined
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
  if (input.columns.some((column) => /^https?:\/\//i.test(column))) throwIfNoHeader(name, input.columns)
  const names = Object.keys(otherNames).filter((other) => otherNames[other] === missing)
  throw new UsageError(
    `${name}: expected a column ${missing} (or ${names.join(', ')}), found ${input.columns.join(', ')}. Say which it is: --map 'COLUMN=${missing}'`,
  )
}

/** A cell that answers a question, in several languages. */
const answer = /^(true|false|yes|no|y|n|on|off|0|1|wahr|falsch|vrai|faux|ja|nein|oui|non)$/i
const denial = /^(false|no|n|off|0|falsch|faux|nein|non)$/i

/** Returns whether a column answers a question in each row, such as `is_custom`. */
function isFlag(input: Input, { name, index }: Column): boolean {
  const cells = cellsOf(input, index)
  return isQuestion(name) || (cells.length > 0 && cells.every((cell) => answer.test(cell)))
}

/** Refuses a column that would not be sent, but is misspelled or could be the alias. */
function throwIfOverlooked(input: Input, columns: readonly Column[]): void {
  const missing = parameterNames.filter((name) => !columns.some(({ parameter }) => parameter === name))
  const undecided = columns.filter((column) => isUndecided(column) && !isFlag(input, column))
  for (const { name } of undecided) {
    const meant = parameterOf(name) === undefined ? similarName(name, missing) : undefined
    if (!meant) continue
    const advice = `--map '${name}=${meant}', or --map '${name}=' if it is something else`
    throw new UsageError(`${input.name}, column ${name}: did you mean ${meant}? Say ${advice}`)
  }
  const aliases = undecided.filter(({ name, index }) => mayBeAlias(name) && cellsOf(input, index).length > 0)
  const [first] = aliases
  if (!first || !missing.includes('custom')) return
  const which = `${aliases.length > 1 ? 'columns' : 'column'} ${listed(aliases.map(({ name }) => name))}`
  throw new UsageError(
    `${input.name}: ${which} could be the alias, and would not be sent. Say --map '${first.name}=custom', or --map '${first.name}=' to leave it out`,
  )
}

const isUndecided = ({ name, parameter, isMapped }: Column) => name !== '' && !parameter && !isMapped

/** Returns the parameter for cells that are plain addresses, if there is one. */
const targetOf = (parameter: string) => (parameter === 'devicetarget' ? 'devicetarget.Android' : undefined)

/** Refuses a column that would not be sent, but says something that a link must not lack unnoticed. */
function throwIfUnsaid(input: Input, columns: readonly Column[]): void {
  for (const column of columns.filter(isUndecided)) {
    const { name, index } = column
    const meaning = meaningOf(name)
    const said = cellsOf(input, index).find((cell) => !isNothing(cell) && !denial.test(cell))
    if (!meaning || said === undefined) continue
    const { parameter } = meaning
    const leaveOut = `--map '${name}=' to leave it out`
    const isSendable = parameter && !isFlag(input, column) && !columns.some((other) => other.parameter === parameter)
    const what = parameter ? `could be the ${parameter} of a link` : 'limits the visits of a link'
    const target = parameter?.endsWith('target') && !/^[[{]/.test(said) ? targetOf(parameter) : parameter
    const advice = isSendable && target ? `--map '${name}=${target}', or ${leaveOut}` : leaveOut
    throw new UsageError(`${input.name}, column ${name}: ${what}, and would not be sent. Say ${advice}`)
  }
}

/** Values that columns of these names have in exports of other programs, where they are something else. */
const foreignValues: Readonly<Record<string, RegExp>> = {
  expiry: answer,
  password: answer,
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

/** The parameters that an empty cell takes away in a sync, because the list of links shows them. */
const mayBeNone = ['title', 'description', 'campaign', 'channel']

/** The columns of a file by what they are read for. */
interface Roles {
  readonly columns: readonly Column[]
  /** Columns that are not sent and may have the alias of a row whose own cell lacks it. */
  readonly aliases: readonly Column[]
  /** Columns that are not sent and may say that a link is disabled. */
  readonly states: readonly Column[]
}

function readLink(row: InputRow, { columns, aliases, states }: Roles): Row {
  const values: Record<string, unknown> = {}
  const problems: (string | undefined)[] = []
  const utm: Entry[] = []
  const devices: Entry[] = []
  for (const { index, parameter } of columns) {
    const cell = row.cells[index]
    const text = cellText(cell).trim()
    if (parameter === undefined || cell === undefined) continue
    if (isNothing(text) || (parameter.endsWith('target') && text === '{}')) {
      if (mayBeNone.includes(parameter)) values[parameter] = ''
      continue
    }
    problems.push(cellProblem(parameter, cellText(cell)))
    const [name = '', device] = parameter.split('.')
    if (name.startsWith('utm_')) utm.push([name, text])
    else if (device) for (const one of device === 'iOS' ? ['iPhone', 'iPad'] : [device]) devices.push([one, text])
    else values[name] = readCell(name, cell)
  }
  const alias = readAlias(row, columns, aliases, cellText(values.url))
  if (alias.value !== undefined) values.custom = alias.value
  problems.push(
    alias.problem,
    addEntries(values, 'parameters', ['name', 'value'], utm),
    dropRepeated(values),
    addEntries(values, 'devicetarget', ['device', 'link'], devices),
    ...states.map((column) => stateProblem(column, row)),
  )
  if (values.expiry !== undefined) {
    const expiry = readDate(values.expiry)
    if (expiry) values.expiry = expiry
    else problems.push(dateProblem(values.expiry))
  }
  const { number, cells, result } = row
  const otherCells = columns.filter(({ parameter }) => !parameter).map(({ index }) => cells[index])
  // Spread into a literal with more keys, every row would have a hidden class of its own, which is larger than the row.
  Object.assign(values, { row: number, cells: otherCells })
  return {
    number,
    cells,
    ...(result && { result }),
    values: values as Row['values'],
    problem: problems.find((problem) => problem !== undefined),
    ...(alias.from && { aliasFrom: alias.from }),
  }
}

/** The alias of a row, if it is not the one in its own cell. */
interface ReadAlias {
  readonly value?: string | undefined
  /** The name of the column that it comes from. */
  readonly from?: string
  readonly problem?: string
}

/**
 * Reads the alias of a row from its short address or another column if its own cell is empty or was changed by a
 * spreadsheet.
 */
function readAlias(row: InputRow, columns: readonly Column[], aliases: readonly Column[], url: string): ReadAlias {
  const own = columns.find(({ parameter }) => parameter === 'custom')
  const text = own ? cellText(row.cells[own.index]).trim() : ''
  const given = own && !isNothing(text) ? row.cells[own.index] : row.result?.alias
  const isChanged = isMangled(given) && !(own && isConfirmed(own))
  if (!own && !isChanged) return {}
  const others = otherAliases(row, aliases, url)
  const [first] = others
  const alias = first && others.every((other) => other.alias === first.alias) ? first.alias : undefined
  const found = { value: alias, ...(first?.from && { from: first.from }) }
  if (given !== undefined && !isChanged) return alias && isNumberOf(text, alias) ? found : {}
  if (alias) return found
  if (isChanged) {
    const isNamedSo = own && parameterOf(own.name) === 'custom'
    const advice = isNamedSo ? `, or say --map '${own.name}=custom' if it is right` : ''
    const what = `${formatValue(cellText(given))} is what a spreadsheet makes of another alias`
    return { problem: `custom: ${what}. Write the alias into a column of text${advice}` }
  }
  if (!first) return {}
  const names = listed(others.map(({ from = '' }) => from))
  return {
    problem: `custom: is empty, and the alias may be in ${names}. Write it into this cell, or say --map '${first.from}='`,
  }
}

/** Returns what the short address of a row, or its other columns that may have the alias, say that it is. */
function otherAliases({ cells, result }: InputRow, aliases: readonly Column[], url: string) {
  const shorturl = result?.shorturl
  if (shorturl !== undefined) return [{ alias: lastPartOf(shorturl, url), from: undefined }]
  return aliases.flatMap(({ name, index }) => {
    const cell = cellText(cells[index]).trim()
    if (isNothing(cell)) return []
    const isAlias = parameterOf(name) === 'custom' && !isMangled(cells[index])
    return [{ alias: lastPartOf(cell, url) ?? (isAlias ? cell : undefined), from: name }]
  })
}

/** A name and its value. */
type Entry = readonly [name: string, value: string]

/** Adds entries to a list of objects that the row may have in JSON. Returns a problem if it says something else. */
function addEntries(
  values: Record<string, unknown>,
  parameter: string,
  [nameKey, valueKey]: readonly [string, string],
  entries: readonly Entry[],
): string | undefined {
  const list: unknown = values[parameter] ?? []
  // The client refuses what is no list.
  if (entries.length === 0 || !Array.isArray(list)) return undefined
  const all = [...list]
  for (const [name, value] of entries) {
    const same = all.find((entry) => isRecord(entry) && String(entry[nameKey]).toLowerCase() === name.toLowerCase())
    if (same === undefined) all.push({ [nameKey]: name, [valueKey]: value })
    else if (String(same[valueKey]) !== value) {
      return `${parameter}: ${name} is there twice, as ${formatValue(String(same[valueKey]))} and ${formatValue(value)}`
    }
  }
  values[parameter] = all
  return undefined
}

/** Drops the UTM parameters that the address has already. Returns a problem if it has one with another value. */
function dropRepeated(values: Record<string, unknown>): string | undefined {
  const { url, parameters } = values
  if (!Array.isArray(parameters) || typeof url !== 'string' || !URL.canParse(url)) return undefined
  const query = [...new URL(url).searchParams]
  const left: unknown[] = []
  for (const entry of parameters) {
    const name = isRecord(entry) ? String(entry.name).toLowerCase() : ''
    const inAddress = name.startsWith('utm_') ? query.filter(([key]) => key.toLowerCase() === name) : []
    if (inAddress.length === 0) left.push(entry)
    const other = inAddress.find(([, value]) => value !== String(entry.value))
    if (other) {
      return `${name}: the address has ${formatValue(other[1])}, and the row ${formatValue(String(entry.value))}`
    }
  }
  if (left.length > 0) values.parameters = left
  else delete values.parameters
  return undefined
}

const disabledWords = 'disabled|inactive|archived|deleted|deactivated|suspended|blocked|banned|paused|expired'
const disabledName = new RegExp(`^(is)?(${disabledWords})(at|on|date)?$`)
const enabledName = /^(is)?(active|enabled|activated)$/
const stateName = /^(link)?(state|status)$/
const disabledState = new RegExp(`^(${disabledWords})$`, 'i')

/** Returns whether a column may say that a link is disabled. */
const isState = ({ name }: Column) => [disabledName, enabledName, stateName].some((form) => form.test(plain(name)))

/** Returns a problem if a cell says that the link is disabled: a new link would be live. */
function stateProblem({ name, index }: Column, { cells }: InputRow): string | undefined {
  const cell = cellText(cells[index]).trim()
  if (isNothing(cell)) return undefined
  const isDenied = denial.test(cell)
  const isDisabled = stateName.test(plain(name)) ? disabledState.test(cell) : isDenied === enabledName.test(plain(name))
  if (!isDisabled) return undefined
  return `${name}: is ${formatValue(cell)}, and the new link would be live. To import it, say --map '${name}='`
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
