import type { ShortLinkClient } from 'shortlink-sdk'
import { getHost } from '../../../../src/client/links/match.ts'
import { findSimilarName } from '../../../../src/client/runtime/similar-name.ts'
import { toPrintable } from '../../../../src/client/runtime/text.ts'
import { isGeneratedAlias } from '../../addresses.ts'
import { isAboutStorableUrl, type LinkRow, parameterNames, RowChecks, readRow } from '../../tasks/rows.ts'
import { describeIssues } from '../../text.ts'
import { UsageError } from '../command.ts'
import { pluralize } from '../counts-and-times.ts'
import { formatCell } from '../format-cell.ts'
import { findParameter, findSimilarUtmName, normalizeName, toUtmName } from './column-names.ts'
import { getCells, mayHaveAlias, throwIfUnclear } from './column-questions.ts'
import type { Input } from './input.ts'
import {
  type Column,
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
 * @param formatCommand formats the whole command with more values of `--map`, for errors
 * @throws {UsageError} if columns are missing or unclear
 */
export function readLinks(
  whole: Input,
  maps: readonly string[],
  needed: readonly string[],
  formatCommand: (maps: readonly string[]) => string,
): LinkFile {
  const result = maps.some(isMapOfOutcome) ? undefined : splitResult(whole)
  const input = result ?? whole
  const columns = readColumns(input, maps)
  const isEmptyList = input.rows.length === 0 && input.format !== 'csv'
  const missing = needed.filter((parameter) => !isEmptyList && (parameter !== 'custom' || !result))
  throwIfUnclear(input, columns, missing, formatCommand)
  const renamed = columns.filter(({ name, parameter }) => parameter && parameter !== name.toLowerCase())
  const unused = columns.flatMap((column) => describeUnused(input, column))
  const say = (text: string) => console.error(toPrintable(text))
  if (renamed.length > 0) say(`read as: ${renamed.map((one) => `${one.name} → ${one.parameter}`).join(', ')}`)
  if (unused.length > 0) say(`not sent: ${unused.join(', ')}`)
  const undecided = columns.filter(isUndecided)
  const roles = {
    columns,
    aliases: undecided.filter((column) => mayHaveAlias(input, column)),
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
