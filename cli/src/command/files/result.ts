import { stringify } from 'csv-stringify/sync'
import { parseAlias } from '../../../../src/client/runtime/short-address.ts'
import { describeHiddenText } from '../../text.ts'
import { UsageError } from '../command.ts'
import { formatCell } from '../format-cell.ts'
import type { OutputRow } from '../output.ts'
import { isMangled, isNumericFormOf } from './cells.ts'
import { guardFormulas } from './formula-guard.ts'
import { type CsvDialect, type Input, type InputRow, plainDialect, type RowResult } from './input.ts'
import { encode } from './read-text.ts'

const baseColumns = ['shorturl', 'alias', 'created', 'outcome', 'error'] as const
const strayColumns = ['stray', 'strayId'] as const
const resultColumns = [...baseColumns, ...strayColumns] as const

/** Returns the columns of a result. Only a result with strays has columns for them. */
const chooseColumns = (rows: readonly InputRow[]) =>
  rows.some(({ result }) => result?.stray !== undefined) ? resultColumns : baseColumns

/** Returns whether a map is `outcome=`, which means that the column is the user's own and the file is not a result. */
export const isMapOfOutcome = (map: string): boolean => /^\s*(result_)*outcome\s*=\s*$/i.test(map)

/** Returns a key to compare column names by. Spreadsheets and people change the case. */
const toColumnKey = (name: string) => name.trim().toLowerCase()

/** Returns the names of our columns, with a prefix where the input has a column of that name. */
const nameResultColumns = (columns: readonly string[], names: readonly string[]): string[] =>
  names.map((name) => {
    const taken = columns.map(toColumnKey)
    let own: string = name
    while (taken.includes(toColumnKey(own))) own = `result_${own}`
    return own
  })

/**
 * Separates the columns that an import added from the columns of the input. Recognizes them by their names, in any
 * order and case. Returns `undefined` if the file is not a result: it has no column `outcome`.
 *
 * @throws {UsageError} if the file has `outcome` but no `shorturl`, or a row that is done has no short address
 */
export function splitResult(input: Input): Input | undefined {
  const { columns, name } = input
  // If the input has a column of the same name, ours has a longer name.
  const ours = resultColumns.map((name) => {
    const found = columns.filter((column) => toColumnKey(column).replace(/^(result_)+/, '') === toColumnKey(name))
    const [longest] = found.sort((one, other) => other.length - one.length)
    return longest === undefined ? -1 : columns.indexOf(longest)
  })
  // A column `stray` alone is the user's own.
  if (ours.slice(-2).includes(-1)) ours.splice(-2, 2, -1, -1)
  const [shorturl = -1, alias = -1, created = -1, outcome = -1, , stray = -1, strayId = -1] = ours
  if (outcome === -1) return undefined
  if (shorturl === -1) {
    const advice = `Restore that column, or use --map '${columns[outcome]}=' if the file is not a result`
    throw new UsageError(
      `${name} has the column ${columns[outcome]}, as the result of an import, but no column shorturl. ${advice}`,
    )
  }
  const own = [...columns.keys()].filter((index) => !ours.includes(index))
  const rows = input.rows.map(({ number, cells }) => {
    const cell = (index: number) => formatCell(cells[index]).trim()
    const problem = describeHiddenText(cell(shorturl))
    if (problem) throw new UsageError(`${name}, row ${number}, ${columns[shorturl]}: ${problem}`)
    if (!cell(shorturl) && cell(outcome).toLowerCase() === 'done') {
      const advice = `Restore it, or clear ${columns[outcome]} to create another link`
      throw new UsageError(`${name}, row ${number}: is done, but has no ${columns[shorturl]}. ${advice}`)
    }
    const notDone = ['unknown', 'rejected'].find((name) => name === cell(outcome).toLowerCase()) ?? 'not-sent'
    const aliasInAddress = parseAlias(cell(shorturl)) ?? ''
    const isLost = isMangled(cell(alias)) || isNumericFormOf(cell(alias), aliasInAddress)
    // Spreadsheets may change false to FALSE, FALSCH, FAUX or FALSO.
    const result: RowResult = {
      shorturl: cell(shorturl) || undefined,
      alias: (isLost && aliasInAddress) || cell(alias) || aliasInAddress || undefined,
      created: cell(created) ? !/^fa/i.test(cell(created)) : undefined,
      outcome: cell(shorturl) ? 'done' : notDone,
      ...(cell(stray) && /^\d+$/.test(cell(strayId)) && { stray: cell(stray), strayId: Number(cell(strayId)) }),
    }
    const ownCells: unknown[] = []
    for (const [index, from] of own.entries()) if (from in cells) ownCells[index] = cells[from]
    return { number, cells: ownCells, result }
  })
  return { ...input, columns: own.map((index) => columns[index]!), rows }
}

/** Returns the rows of an input with their results. Each has all of our columns, so that the file is recognized. */
export function createResultRows(columns: readonly string[], rows: readonly InputRow[]): OutputRow[] {
  const names = chooseColumns(rows)
  const keys = createKeys([...columns, ...nameResultColumns(columns, names)])
  return rows.map(({ cells, result }) => {
    const own = Object.entries(cells).map(([index, value]) => [keys[Number(index)], value])
    const ours = names.map((name, index) => [keys[columns.length + index], result?.[name] ?? null])
    return Object.fromEntries([...own, ...ours])
  })
}

/** Returns a unique key for each column. The second column of a name becomes `name_2`, so that no cell is lost. */
function createKeys(columns: readonly string[]): string[] {
  const keys = new Set<string>()
  for (const column of columns) {
    let key = column
    for (let number = 2; keys.has(key); number++) key = `${column}_${number}`
    keys.add(key)
  }
  return [...keys]
}

/** Formats rows as a table in the form of the input: with its columns, delimiter, encoding and empty rows. */
export function formatResultTable(
  input: Input,
  rows: readonly InputRow[],
  show: (text: string) => string,
  delimiter = input.dialect.delimiter,
): Buffer {
  const { columns, format } = input
  const dialect: CsvDialect = { ...(format === 'csv' ? input.dialect : plainDialect), delimiter }
  const names = chooseColumns(rows)
  const records: string[][] = [[...columns, ...nameResultColumns(columns, names)]]
  for (const { number, cells, result } of rows) {
    while (format === 'csv' && records.length < number - 1) records.push(records[0]!.map(() => ''))
    const own = columns.map((_, index) => formatCell(cells[index]))
    records.push([...own, ...names.map((name) => formatCell(result?.[name]))])
  }
  const table = stringify(
    records.map((cells) => cells.map((cell) => guardFormulas(show(cell)))),
    { delimiter, record_delimiter: dialect.lineEnd, quoted_match: /[\r\n]|^\s|\s$/ },
  )
  const separator = dialect.hasSeparatorLine ? `sep=${delimiter}${dialect.lineEnd}` : ''
  return encode({ ...dialect, text: separator + table })
}
