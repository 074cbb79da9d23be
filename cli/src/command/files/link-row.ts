import type { LinkRow } from '../../tasks/rows.ts'
import { formatValue, isRecord } from '../../text.ts'
import { listed } from '../counts-and-times.ts'
import { cellText } from '../output.ts'
import { cellProblem, dateProblem, isMangled, isNothing, isNumberOf, lastPartOf, readCell, readDate } from './cells.ts'
import { parameterOf, plain } from './column-names.ts'
import type { InputRow, RowResult } from './input.ts'

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

/** A column of a file. */
export interface Column {
  readonly name: string
  readonly index: number
  /** The parameter of a link that it is; `undefined` if it is not sent. */
  readonly parameter: string | undefined
  /** Whether `--map` says so. */
  readonly isMapped: boolean
}

/** Returns whether `--map` says what the name of a column says too, so that its cells are right as they are. */
export const isConfirmed = ({ name, parameter, isMapped }: Column) => isMapped && parameterOf(name) === parameter

/** Returns whether nothing says what a column is. */
export const isUndecided = ({ name, parameter, isMapped }: Column) => name !== '' && !parameter && !isMapped

/** A cell that answers a question, in several languages. */
export const answer = /^(true|false|yes|no|y|n|on|off|0|1|wahr|falsch|vrai|faux|ja|nein|oui|non)$/i
export const denial = /^(false|no|n|off|0|falsch|faux|nein|non)$/i

/** The parameters that an empty cell takes away in a sync, because the list of links shows them. */
const mayBeNone = ['title', 'description', 'campaign', 'channel']

/** The columns of a file by what they are read for. */
export interface Roles {
  readonly columns: readonly Column[]
  /** Columns that are not sent and may have the alias of a row whose own cell lacks it. */
  readonly aliases: readonly Column[]
  /** Columns that are not sent and may say that a link is disabled. */
  readonly states: readonly Column[]
}

/** Reads the link of a row. */
export function readLink(row: InputRow, { columns, aliases, states }: Roles): Row {
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
export const isState = ({ name }: Column) =>
  [disabledName, enabledName, stateName].some((form) => form.test(plain(name)))

/** Returns a problem if a cell says that the link is disabled: a new link would be live. */
function stateProblem({ name, index }: Column, { cells }: InputRow): string | undefined {
  const cell = cellText(cells[index]).trim()
  if (isNothing(cell)) return undefined
  const isDenied = denial.test(cell)
  const isDisabled = stateName.test(plain(name)) ? disabledState.test(cell) : isDenied === enabledName.test(plain(name))
  if (!isDisabled) return undefined
  return `${name}: is ${formatValue(cell)}, and the new link would be live. To import it, say --map '${name}='`
}
