import type { ShortLinkClient } from 'shortlink-sdk'
import { hostOf } from '../../addresses.ts'
import { parameterNames, RowChecks, readRow } from '../../tasks/rows.ts'
import { describeIssues, printable, similarName } from '../../text.ts'
import { UsageError } from '../command.ts'
import { listed, many } from '../counts-and-times.ts'
import { cellText } from '../output.ts'
import { isNothing } from './cells.ts'
import { isQuestion, mayBeAlias, meaningOf, otherNames, parameterOf, plain } from './column-names.ts'
import { type Input, throwIfNoHeader } from './input.ts'
import { answer, type Column, denial, isConfirmed, isState, isUndecided, type Row, readLink } from './link-row.ts'
import { isMapOfOutcome, splitResult } from './result.ts'

export type { Row } from './link-row.ts'

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
  const text = plain(name)
  const parameter = text === 'location' ? 'geotarget' : text === 'device' ? 'devicetarget' : undefined
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

/** Returns the parameter for cells that are plain addresses, if there is one. */
const targetOf = (parameter: string) => (parameter === 'devicetarget' ? 'devicetarget.Android' : undefined)

/** Refuses a column that would not be sent, but says something that a link must not lack unnoticed. */
function throwIfUnsaid(input: Input, columns: readonly Column[]): void {
  for (const column of columns.filter((column) => isUndecided(column) && !isState(column))) {
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
