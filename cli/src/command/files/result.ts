import { stringify } from 'csv-stringify/sync'
import { aliasIn } from '../../addresses.ts'
import { hiddenProblem } from '../../text.ts'
import { UsageError } from '../command.ts'
import { cellText, type OutputRow } from '../output.ts'
import { isMangled, isNumberOf } from './cells.ts'
import { guardFormulas } from './formula-guard.ts'
import { type CsvDialect, type Input, type InputRow, plainDialect, type RowResult } from './input.ts'
import { encode } from './read-text.ts'

const resultColumns = ['shorturl', 'alias', 'created', 'outcome', 'error'] as const

/** Returns whether a map is `outcome=`, which says that this column is the user's own and the file is not a result. */
export const isMapOfOutcome = (map: string): boolean => /^\s*(result_)*outcome\s*=\s*$/i.test(map)

/** Returns the name of a column to compare by: spreadsheets and people change the case. */
const columnKey = (name: string) => name.trim().toLowerCase()

/** Returns the names of our columns beside those of an input. */
const namesBeside = (columns: readonly string[]): string[] =>
  resultColumns.map((name) => {
    const taken = columns.map(columnKey)
    let own: string = name
    while (taken.includes(own)) own = `result_${own}`
    return own
  })

/**
 * Takes our columns out of the result of an import; they are known by their names, in any order and case. `undefined`
 * if a file has no column `outcome`, so is no result.
 *
 * @throws {UsageError} if it has `outcome` and no `shorturl`, or a row is done and has no short address
 */
export function splitResult(input: Input): Input | undefined {
  const { columns, name } = input
  // Where the input has a column of such a name itself, ours has a longer one.
  const ours = resultColumns.map((name) => {
    const found = columns.filter((column) => columnKey(column).replace(/^(result_)+/, '') === name)
    const [longest] = found.sort((one, other) => other.length - one.length)
    return longest === undefined ? -1 : columns.indexOf(longest)
  })
  const [shorturl = -1, alias = -1, created = -1, outcome = -1] = ours
  if (outcome === -1) return undefined
  if (shorturl === -1) {
    const advice = `Put it back, or say --map '${columns[outcome]}=' if the file is no result`
    throw new UsageError(
      `${name}: the result of an import, by its column ${columns[outcome]}, lacks shorturl. ${advice}`,
    )
  }
  const own = [...columns.keys()].filter((index) => !ours.includes(index))
  const rows = input.rows.map(({ number, cells }) => {
    const cell = (index: number) => cellText(cells[index]).trim()
    const problem = hiddenProblem(cell(shorturl))
    if (problem) throw new UsageError(`${name}, row ${number}, ${columns[shorturl]}: ${problem}`)
    if (!cell(shorturl) && cell(outcome).toLowerCase() === 'done') {
      const advice = `Put it back, or empty ${columns[outcome]} to make another link`
      throw new UsageError(`${name}, row ${number}: is done and has no ${columns[shorturl]}. ${advice}`)
    }
    // With its alias, a row can be repeated whatever came of it.
    const notDone = !cell(alias) && cell(outcome).toLowerCase() === 'unknown' ? 'unknown' : 'not-sent'
    const made = aliasIn(cell(shorturl)) ?? ''
    const isLost = isMangled(cell(alias)) || isNumberOf(cell(alias), made)
    // A spreadsheet may have written FALSE, FALSCH, FAUX or FALSO.
    const result: RowResult = {
      shorturl: cell(shorturl) || undefined,
      alias: (isLost && made) || cell(alias) || made || undefined,
      created: cell(created) ? !/^fa/i.test(cell(created)) : undefined,
      outcome: cell(shorturl) ? 'done' : notDone,
    }
    const ownCells: unknown[] = []
    for (const [index, from] of own.entries()) if (from in cells) ownCells[index] = cells[from]
    return { number, cells: ownCells, result }
  })
  return { ...input, columns: own.map((index) => columns[index]!), rows }
}

/** Returns the rows of an input with their results, all of our columns in each, so that the file is recognized. */
export function resultRows(columns: readonly string[], rows: readonly InputRow[]): OutputRow[] {
  const keys = keysOf([...columns, ...namesBeside(columns)])
  return rows.map(({ cells, result }) => {
    const own = Object.entries(cells).map(([index, value]) => [keys[Number(index)], value])
    const ours = resultColumns.map((name, index) => [keys[columns.length + index], result?.[name] ?? null])
    return Object.fromEntries([...own, ...ours])
  })
}

/** Returns a key for each column. The second column of a name becomes `name_2`, so that no cell is lost. */
function keysOf(columns: readonly string[]): string[] {
  const keys = new Set<string>()
  for (const column of columns) {
    let key = column
    for (let number = 2; keys.has(key); number++) key = `${column}_${number}`
    keys.add(key)
  }
  return [...keys]
}

/** Formats rows as a table like the input: with its columns, delimiter, encoding and empty rows. */
export function resultTable(
  input: Input,
  rows: readonly InputRow[],
  show: (text: string) => string,
  delimiter = input.dialect.delimiter,
): Buffer {
  const { columns, format } = input
  const dialect: CsvDialect = { ...(format === 'csv' ? input.dialect : plainDialect), delimiter }
  const records: string[][] = [[...columns, ...namesBeside(columns)]]
  for (const { number, cells, result } of rows) {
    while (format === 'csv' && records.length < number - 1) records.push(records[0]!.map(() => ''))
    const own = columns.map((_, index) => cellText(cells[index]))
    records.push([...own, ...resultColumns.map((name) => cellText(result?.[name]))])
  }
  const table = stringify(
    records.map((cells) => cells.map((cell) => guardFormulas(show(cell)))),
    { delimiter, record_delimiter: dialect.lineEnd, quoted_match: /[\r\n]|^\s|\s$/ },
  )
  const separator = dialect.hasSeparatorLine ? `sep=${delimiter}${dialect.lineEnd}` : ''
  return encode({ ...dialect, text: separator + table })
}
