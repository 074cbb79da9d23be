import type { ShortLinkClient } from 'shortlink-sdk'
import { getHost } from '../../../../src/client/links/match.ts'
import { findSimilarName } from '../../../../src/client/runtime/similar-name.ts'
import { toPrintable } from '../../../../src/client/runtime/text.ts'
import { isGeneratedAlias } from '../../addresses.ts'
import { isAboutStorableUrl, type LinkRow, parameterNames, RowChecks, readRow } from '../../tasks/rows.ts'
import { describeIssues } from '../../text.ts'
import { UsageError } from '../command.ts'
import { pluralize, quoteNames } from '../counts-and-times.ts'
import { formatCell } from '../output.ts'
import { isEmptyCell } from './cells.ts'
import {
  findMeaning,
  findParameter,
  findSimilarUtmName,
  isBooleanName,
  mayBeAlias,
  normalizeName,
  otherNames,
  toUtmName,
} from './column-names.ts'
import { type Input, throwIfNoHeader } from './input.ts'
import {
  booleanWord,
  type Column,
  falseWord,
  isConfirmed,
  isRedirectCode,
  isState,
  isUndecided,
  isVisibility,
  mayBeDisabled,
  type Row,
  readLink,
} from './link-row.ts'
import { isMapOfOutcome, splitResult } from './result.ts'

export type { Row } from './link-row.ts'

/** A file of links. */
export interface LinkFile {
  /** The file, without the columns of an earlier result. */
  readonly input: Input
  readonly rows: readonly Row[]
  readonly origin: Origin
  /** The name of the column with the aliases, if there is one. */
  readonly aliasColumn: string | undefined
}

/** Where the rows of a file come from. */
export interface Origin {
  /** The name of the file in messages. */
  readonly name: string
  /** The hosts of the file's short addresses. */
  readonly hosts: ReadonlySet<string>
  /** The names of its columns by their parameters, without the columns that `--map` confirms. */
  readonly columns: ReadonlyMap<string, string>
}

/**
 * Reads the links of a file, which may be the result of an import. Prints on standard error how it reads the columns.
 *
 * @param maps the values of `--map`: `Column=parameter`
 * @param needed the required parameters; the alias is optional in a result, which has a column of its own for it
 * @throws {UsageError} if a column is missing, misspelled or duplicate, or could be the alias and would not be sent
 */
export function readLinks(whole: Input, maps: readonly string[], needed: readonly string[]): LinkFile {
  const result = maps.some(isMapOfOutcome) ? undefined : splitResult(whole)
  const input = result ?? whole
  const columns = readColumns(input, maps)
  throwIfDuplicate(input, columns)
  const missing = needed.filter((parameter) => parameter !== 'custom' || !result)
  if (input.rows.length > 0 || input.format === 'csv') throwIfMissing(input, columns, missing)
  throwIfOverlooked(input, columns)
  throwIfForeign(input, columns)
  throwIfIgnoredSilently(input, columns)
  const renamed = columns.filter(({ name, parameter }) => parameter && parameter !== name.toLowerCase())
  const unused = columns.flatMap((column) => describeUnused(input, column))
  const say = (text: string) => console.error(toPrintable(text))
  if (renamed.length > 0) say(`read as: ${renamed.map((one) => `${one.name} → ${one.parameter}`).join(', ')}`)
  if (unused.length > 0) say(`not sent: ${unused.join(', ')}`)
  const undecided = columns.filter(isUndecided)
  const roles = {
    columns,
    aliases: undecided.filter((column) => mayBeAlias(column.name) && !isFlag(input, column)),
    states: columns.filter(mayBeDisabled),
  }
  const rows = input.rows.map((row) => readLink(row, roles))
  for (const { name } of roles.aliases) {
    const borrowed = rows.filter(({ aliasFrom }) => aliasFrom === name).length
    if (borrowed > 0) say(`alias of ${pluralize(borrowed, 'row')}: from ${name}`)
  }
  const aliasColumn = columns.find(({ parameter }) => parameter === 'custom')?.name
  return { input, rows, origin: getOrigin(input, columns), aliasColumn }
}

/** Names a column that is not sent, or whose cells are not all sent. */
function describeUnused(input: Input, column: Column): string[] {
  const { name, index, parameter } = column
  const codes = isState(column) ? [...new Set(getCells(input, index).filter(isRedirectCode))] : []
  if (codes.length > 0) return [`${name} (${codes.join(', ')})`]
  return parameter === undefined && name !== '' ? [name] : []
}

function getOrigin({ name, rows, columns: names }: Input, columns: readonly Column[]): Origin {
  const listed = names.findIndex((name) => normalizeName(name) === 'shorturl')
  const addresses = rows.flatMap(({ cells, result }) => [formatCell(cells[listed]), result?.shorturl ?? ''])
  return {
    name,
    hosts: new Set(addresses.filter((address) => address !== '').map(getHost)),
    columns: new Map(columns.flatMap((one) => (one.parameter && !isConfirmed(one) ? [[one.parameter, one.name]] : []))),
  }
}

function readColumns(input: Input, maps: readonly string[]): Column[] {
  const mapped = parseMaps(input, maps)
  const given = [...mapped.values()]
  return input.columns.map((name, index) => {
    if (mapped.has(index)) return { name, index, parameter: mapped.get(index), isMapped: true }
    const meant = findMeantParameter(input, name, index)
    return { name, index, parameter: given.includes(meant) ? undefined : meant, isMapped: false }
  })
}

/** Returns the parameter that the name of a column stands for, if the cells can be values of it. */
function findMeantParameter(input: Input, name: string, index: number): string | undefined {
  if (isState({ name, isMapped: false })) return getCells(input, index).some(isVisibility) ? 'status' : undefined
  return findParameter(name) ?? findTargetParameter(input, name, index)
}

/** Returns the parameter of a column with targets as JSON objects, as in the details of a link. */
function findTargetParameter(input: Input, name: string, index: number): string | undefined {
  const text = normalizeName(name)
  const parameter = text === 'location' ? 'geotarget' : text === 'device' ? 'devicetarget' : undefined
  const cells = parameter === undefined ? [] : getCells(input, index).filter((cell) => cell !== '{}')
  return cells.length > 0 && cells.every((cell) => cell.startsWith('{')) ? parameter : undefined
}

/** Parses the values of `--map` into parameters by column index; `undefined` for columns that are not sent. */
function parseMaps({ columns, name }: Input, maps: readonly string[]): Map<number, string | undefined> {
  const result = new Map<number, string | undefined>()
  for (const map of maps) {
    const [, column = '', to = ''] = /^(.+)=(.*)$/s.exec(map) ?? []
    if (column === '') throw new UsageError(`--map expected 'Column=parameter', received '${map}'`)
    const exact = columns.indexOf(column)
    const index = exact === -1 ? columns.findIndex((other) => normalizeName(other) === normalizeName(column)) : exact
    if (index === -1)
      throw new UsageError(`--map: ${name} has no column '${column}', expected one of ${columns.join(', ')}`)
    // A column may keep a name that is close to a UTM parameter.
    const ownName = normalizeName(to) === normalizeName(column) ? toUtmName(to) : undefined
    const parameter = findParameter(to) ?? ownName
    if (to !== '' && parameter === undefined) {
      const meant = findSimilarName(to, parameterNames) ?? findSimilarUtmName(to)
      const advice = meant ? `did you mean ${meant}?` : `expected one of ${parameterNames.join(', ')}`
      throw new UsageError(`--map: a link has no parameter '${to}', ${advice}`)
    }
    result.set(index, parameter)
  }
  return result
}

/** Returns the non-empty cells of a column, as text. */
const getCells = ({ rows }: Input, index: number): string[] =>
  rows.map(({ cells }) => formatCell(cells[index]).trim()).filter((cell) => cell !== '')

function throwIfDuplicate({ name }: Input, columns: readonly Column[]): void {
  for (const { name: second, index, parameter } of columns) {
    const first = parameter && columns.slice(0, index).find((other) => other.parameter === parameter)?.name
    if (!first) continue
    const pair = `${first} and ${second}. Choose one: --map '${first}=${parameter}'`
    throw new UsageError(`${name} has two columns for ${parameter}: ${pair}`)
  }
}

function throwIfMissing({ name, ...input }: Input, columns: readonly Column[], needed: readonly string[]): void {
  const missing = needed.find((parameter) => !columns.some((column) => column.parameter === parameter))
  if (missing === undefined) return
  if (input.columns.some((column) => /^https?:\/\//i.test(column))) throwIfNoHeader(name, input.columns)
  const names = Object.keys(otherNames).filter((other) => otherNames[other] === missing)
  throw new UsageError(
    `${name}: expected a column ${missing} (or ${names.join(', ')}), found ${input.columns.join(', ')}. To use another column: --map 'COLUMN=${missing}'`,
  )
}

/** Returns whether a column is a boolean, by its name or its cells, such as `is_custom`. */
function isFlag(input: Input, { name, index }: Column): boolean {
  const cells = getCells(input, index)
  return isBooleanName(name) || (cells.length > 0 && cells.every((cell) => booleanWord.test(cell)))
}

/** Rejects a column that would not be sent, but may be a misspelled parameter or the alias. */
function throwIfOverlooked(input: Input, columns: readonly Column[]): void {
  const given = columns.flatMap((column) => (isState(column) ? ['status'] : (column.parameter ?? [])))
  const missing = parameterNames.filter((name) => !given.includes(name))
  const undecided = columns.filter((column) => isUndecided(column) && !isFlag(input, column))
  for (const { name } of undecided) {
    const similar = findSimilarName(name, missing) ?? findSimilarUtmName(name)
    const meant = findParameter(name) === undefined ? similar : undefined
    if (!meant) continue
    const advice = `--map '${name}=${meant}', or --map '${name}=' if it is something else`
    throw new UsageError(`${input.name}, column ${name}: did you mean ${meant}? Use ${advice}`)
  }
  const aliases = undecided.filter(({ name, index }) => mayBeAlias(name) && getCells(input, index).length > 0)
  const [first] = aliases
  if (!first || !missing.includes('custom')) return
  const named = `${aliases.length > 1 ? 'columns' : 'column'} ${quoteNames(aliases.map(({ name }) => name))}`
  throw new UsageError(
    `${input.name}: ${named} could be the alias, but would not be sent. Use --map '${first.name}=custom', or --map '${first.name}=' to leave it out`,
  )
}

/** Returns the parameter to suggest for cells that are plain addresses, if there is one. */
const suggestTargetParameter = (parameter: string) =>
  parameter === 'devicetarget' ? 'devicetarget.Android' : undefined

/** Rejects a column that would not be sent, although links without its values would behave differently. */
function throwIfIgnoredSilently(input: Input, columns: readonly Column[]): void {
  for (const column of columns.filter((column) => isUndecided(column) && !mayBeDisabled(column))) {
    const { name, index } = column
    const meaning = findMeaning(name)
    const example = getCells(input, index).find((cell) => !isEmptyCell(cell) && !falseWord.test(cell))
    if (!meaning || example === undefined) continue
    const { parameter } = meaning
    const leaveOut = `--map '${name}=' to leave it out`
    const isSendable = parameter && !isFlag(input, column) && !columns.some((other) => other.parameter === parameter)
    const meaningText = parameter ? `could be the ${parameter} of a link` : 'limits the visits of a link'
    const target =
      parameter?.endsWith('target') && !/^[[{]/.test(example) ? suggestTargetParameter(parameter) : parameter
    const advice = isSendable && target ? `--map '${name}=${target}', or ${leaveOut}` : leaveOut
    throw new UsageError(`${input.name}, column ${name}: ${meaningText}, but would not be sent. Use ${advice}`)
  }
}

/** Values in columns with these names in the exports of other programs, where they mean something else. */
const foreignValues: Readonly<Record<string, RegExp>> = {
  expiry: booleanWord,
  password: booleanWord,
  type: /^3\d\d$|^(?!(direct|frame|splash|\d+)$)/i,
}

/** Rejects a column that has the name of a parameter, but whose cells all have another meaning. */
function throwIfForeign(input: Input, columns: readonly Column[]): void {
  for (const { name, index, parameter, isMapped } of columns) {
    const foreign = foreignValues[parameter ?? '']
    const cells = getCells(input, index)
    if (!foreign || isMapped || cells.length === 0 || !cells.every((cell) => foreign.test(cell))) continue
    const examples = quoteNames([...new Set(cells)].slice(0, 3))
    const advice = `Use --map '${name}=' to leave it out, or --map '${name}=${parameter}' to send it`
    const problem = `expected the ${parameter} of a link, found ${examples}`
    throw new UsageError(`${input.name}, column ${name}: ${problem}. ${advice}`)
  }
}

/**
 * Adds what an earlier result says about a row that is not done. A generated alias is not the row's own, nor is any alias
 * of the result if `sendsAliases` is `false`.
 */
export function addEarlierResult(row: Row, sendsAliases: boolean): void {
  const { result } = row
  if (!result) return
  const { alias, outcome, stray, strayId } = result
  if (sendsAliases && !isGeneratedAlias(alias)) setAlias(row, alias)
  row.values = { ...row.values, alias, outcome: outcome as LinkRow['outcome'], stray, strayId }
}

/** Sets the alias of a row to the alias of an earlier result, if the row has none. */
export function setAlias(row: Row, alias: string | undefined): void {
  if (!row.values.custom && alias) row.values = { ...row.values, custom: alias }
}

/** Checks the parameters of the rows of a sync, and that no alias is used twice. */
export function checkRows(rows: readonly Row[], client: ShortLinkClient): void {
  const checks = new RowChecks(client)
  for (const row of rows) {
    const read = readRow(row.values)
    const issues = checks.check(read, `row ${row.number}`).filter((issue) => !isAboutStorableUrl(issue, read.params))
    if (issues.length > 0) row.problem ??= describeIssues(issues)
  }
}
