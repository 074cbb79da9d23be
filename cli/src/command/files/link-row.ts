import { formatValue } from '../../../../src/client/checks/mismatch.ts'
import { isRecord } from '../../../../src/client/runtime/text.ts'
import type { LinkRow } from '../../tasks/rows.ts'
import { quoteNames } from '../counts-and-times.ts'
import { formatCell } from '../format-cell.ts'
import {
  describeInvalidDate,
  findCellProblem,
  getLastSegment,
  isEmptyCell,
  isMangled,
  isNumericFormOf,
  parseDate,
  readAliasCell,
  readCell,
} from './cells.ts'
import { findParameter, normalizeName } from './column-names.ts'
import type { InputRow, RowResult } from './input.ts'

/** A row of a file, with the link that is sent for it, and its result. */
export interface Row extends InputRow {
  /**
   * The parameters of the link; an empty string clears a parameter. `row` and `cells` are not sent: `row` is the number
   * for errors, and `cells`, which has the columns that are not sent, distinguishes rows that are otherwise equal.
   */
  values: LinkRow & { readonly row: number; readonly cells: readonly unknown[] }
  /** Why the row cannot be sent. */
  problem?: string | undefined
  result?: RowResult
  /** The column that the alias comes from, if not the alias column. */
  readonly aliasFrom?: string
}

/** A column of a file. */
export interface Column {
  readonly name: string
  readonly index: number
  /** The parameter of a link; `undefined` if the column is not sent. */
  readonly parameter: string | undefined
  /** Whether `--map` sets the parameter. */
  readonly isMapped: boolean
}

/** Returns whether `--map` repeats what the column's name means, which confirms that its cells are correct. */
export const isConfirmed = ({ name, parameter, isMapped }: Column) => isMapped && findParameter(name) === parameter

/** Returns whether neither the name of a column nor `--map` decides what it is. */
export const isUndecided = ({ name, parameter, isMapped }: Column) => name !== '' && !parameter && !isMapped

/** Matches booleans in several languages. */
export const booleanWord = /^(true|false|yes|no|y|n|on|off|0|1|wahr|falsch|vrai|faux|ja|nein|oui|non)$/i
export const falseWord = /^(false|no|n|off|0|falsch|faux|nein|non)$/i

/** The parameters that an empty cell clears in a sync, because the list of links shows them. */
const clearable = ['title', 'description', 'campaign', 'channel']

/** The columns of a file, and those with a special role. */
export interface Roles {
  readonly columns: readonly Column[]
  /** Columns that are not sent, but may have the alias of a row whose alias cell is empty. */
  readonly aliases: readonly Column[]
  /** Columns that may show that a link is disabled. */
  readonly states: readonly Column[]
}

/** Reads the link of a row. */
export function readLink(row: InputRow, { columns, aliases, states }: Roles): Row {
  const values: Record<string, unknown> = {}
  const problems: (string | undefined)[] = []
  const utm: Entry[] = []
  const devices: Entry[] = []
  const stores: Entry[] = []
  for (const column of columns) {
    const { index, parameter } = column
    const cell = row.cells[index]
    const text = formatCell(cell).trim()
    if (parameter === undefined || cell === undefined) continue
    // Other words of a state are not sent.
    if (isState(column) && !isVisibility(text)) continue
    if (isEmptyCell(text) || (parameter.endsWith('target') && text === '{}')) {
      if (clearable.includes(parameter)) values[parameter] = ''
      continue
    }
    problems.push(findCellProblem(parameter, formatCell(cell)))
    const [name = '', device] = parameter.split('.')
    if (name.startsWith('utm_')) utm.push([name, text])
    else if (device && name === 'deeplink') stores.push([device, text])
    else if (device) for (const one of device === 'iOS' ? ['iPhone', 'iPad'] : [device]) devices.push([one, text])
    else values[name] = readCell(name, cell)
  }
  const alias = readAlias(row, columns, aliases, formatCell(values.url))
  if (alias.value !== undefined) values.custom = alias.value
  problems.push(
    alias.problem,
    addEntries(values, 'parameters', ['name', 'value'], utm),
    dropRepeated(values),
    addEntries(values, 'devicetarget', ['device', 'link'], devices),
    addStores(values, stores),
    ...states.map((column) => findStateProblem(column, row)),
  )
  if (values.expiry !== undefined) {
    const expiry = parseDate(values.expiry)
    if (expiry) values.expiry = expiry
    else problems.push(describeInvalidDate(values.expiry))
  }
  const { number, cells, result } = row
  const otherCells = columns.filter(({ parameter }) => !parameter).map(({ index }) => cells[index])
  // A spread into a larger literal would give each row its own hidden class, which takes more memory than the row.
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

/** An alias that replaces the row's own alias cell. */
interface ReadAlias {
  readonly value?: string | undefined
  /** The name of the column that the alias comes from. */
  readonly from?: string
  readonly problem?: string
}

/** Reads the alias from the short address or another column if its own cell is empty or a spreadsheet changed it. */
function readAlias(row: InputRow, columns: readonly Column[], aliases: readonly Column[], url: string): ReadAlias {
  const own = columns.find(({ parameter }) => parameter === 'custom')
  const text = own ? formatCell(row.cells[own.index]).trim() : ''
  const given = own && !isEmptyCell(text) ? row.cells[own.index] : row.result?.alias
  const isChanged = isMangled(given) && !(own && isConfirmed(own))
  if (!own && !isChanged) return {}
  const others = findOtherAliases(row, aliases, url)
  const [first] = others
  const alias = first && others.every((other) => other.alias === first.alias) ? first.alias : undefined
  const found = { value: alias, ...(first?.from && { from: first.from }) }
  if (given !== undefined && !isChanged) return alias && isNumericFormOf(text, alias) ? found : {}
  if (alias) return found
  if (isChanged) {
    const isNamedCustom = own && findParameter(own.name) === 'custom'
    const advice = isNamedCustom ? `, or use --map '${own.name}=custom' if it is correct` : ''
    const problem = `${formatValue(formatCell(given))} looks like an alias that a spreadsheet has changed`
    return { problem: `custom: ${problem}. Write the alias into a text column${advice}` }
  }
  if (!first) return {}
  const names = quoteNames(others.map(({ from = '' }) => from))
  return {
    problem: `custom: is empty, and the alias may be in ${names}. Write it into this cell, or use --map '${first.from}=' to leave that column out`,
  }
}

/** Finds the aliases in the short address of a row, or in other columns that may have the alias. */
function findOtherAliases({ cells, result }: InputRow, aliases: readonly Column[], url: string) {
  const shorturl = result?.shorturl
  if (shorturl !== undefined) return [{ alias: getLastSegment(shorturl, url), from: undefined }]
  return aliases.flatMap(({ name, index }) => {
    const cell = formatCell(cells[index]).trim()
    if (isEmptyCell(cell)) return []
    const isAlias = findParameter(name) === 'custom' && !isMangled(cells[index])
    return [{ alias: getLastSegment(cell, url) ?? (isAlias ? readAliasCell(cell) : undefined), from: name }]
  })
}

type Entry = readonly [name: string, value: string]

/** Adds entries to a list that the row may already have as JSON. Returns a problem if their values contradict it. */
function addEntries(
  values: Record<string, unknown>,
  parameter: string,
  [nameKey, valueKey]: readonly [string, string],
  entries: readonly Entry[],
): string | undefined {
  const list: unknown = values[parameter] ?? []
  // If the value is not a list, the client will reject it.
  if (entries.length === 0 || !Array.isArray(list)) return undefined
  const all = [...list]
  for (const [name, value] of entries) {
    const same = all.find((entry) => isRecord(entry) && String(entry[nameKey]).toLowerCase() === name.toLowerCase())
    if (same === undefined) all.push({ [nameKey]: name, [valueKey]: value })
    else if (String(same[valueKey]) !== value) {
      return `${parameter}: ${name} has two values, ${formatValue(String(same[valueKey]))} and ${formatValue(value)}`
    }
  }
  values[parameter] = all
  return undefined
}

/** Adds the addresses of app stores to the deep link of a row. Returns a problem if it has another address. */
function addStores(values: Record<string, unknown>, stores: readonly Entry[]): string | undefined {
  const deeplink = values.deeplink ?? {}
  // If the value is not an object, the client will reject it.
  if (stores.length === 0 || !isRecord(deeplink)) return undefined
  for (const [store, address] of stores) {
    const other = deeplink[store]
    if (other !== undefined && other !== address)
      return `deeplink: ${store} has two values, ${formatValue(other)} and ${formatValue(address)}`
  }
  values.deeplink = { ...deeplink, ...Object.fromEntries(stores) }
  return undefined
}

/** Drops the UTM parameters that the URL already has. Returns a problem if a value differs. */
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
      return `${name}: the url has ${formatValue(other[1])}, but the row has ${formatValue(String(entry.value))}`
    }
  }
  if (left.length > 0) values.parameters = left
  else delete values.parameters
  return undefined
}

const disabledName =
  /^(is)?(disabled|inactive|archived|deleted|deactivated|suspended|blocked|banned|paused|expired)(at|on|date)?$/
const enabledName = /^(is)?(active|enabled|activated)$/
const stateName = /^((short)?(link|url))?(state|status)$/
const enabledState = /^(active|enabled|live|published|on|yes|true|1|ok)$/i
const visibility = /^(public|private)$/i
const redirectCode = /^30[1278]$/

/** Returns whether a column has the state of each link in a word, such as `status`. `--map` overrides that. */
export const isState = ({ name, isMapped }: Pick<Column, 'name' | 'isMapped'>): boolean =>
  !isMapped && stateName.test(normalizeName(name))

/** Returns whether a cell of a state is a value that is sent. The other words only say whether the link is live. */
export const isVisibility = (cell: string): boolean => visibility.test(cell)

/** Returns whether a cell of a state is the code of a redirect, as redirect plugins write it. */
export const isRedirectCode = (cell: string): boolean => redirectCode.test(cell)

/** Returns whether a column may show that a link is disabled. */
export const mayBeDisabled = (column: Column): boolean =>
  isState(column) ||
  (isUndecided(column) && [disabledName, enabledName].some((form) => form.test(normalizeName(column.name))))

/** Returns a problem if a cell shows that the link is disabled, because the new link would be live. */
function findStateProblem(column: Column, { cells }: InputRow): string | undefined {
  const { name, index } = column
  const cell = formatCell(cells[index]).trim()
  if (isEmptyCell(cell) || isLive(column, cell)) return undefined
  return `${name}: is ${formatValue(cell)}, but the new link would be live. To import it, use --map '${name}='`
}

function isLive(column: Column, cell: string): boolean {
  if (isState(column)) return enabledState.test(cell) || isVisibility(cell) || isRedirectCode(cell)
  if (!enabledName.test(normalizeName(column.name))) return falseWord.test(cell)
  return enabledState.test(cell) || (booleanWord.test(cell) && !falseWord.test(cell))
}
