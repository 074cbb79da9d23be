import { stringify } from 'csv-stringify/sync'
import { UsageError } from '../command.ts'
import { escapeFormula, type OutputRow, textOf } from '../output.ts'
import { type CsvDialect, type Input, plainDialect } from './input.ts'
import { encode } from './read-text.ts'

/** What an import says about a row. */
export interface RowResult {
  readonly shorturl?: string | undefined
  readonly created?: boolean | undefined
  readonly outcome: string
  readonly error?: string | undefined
}

const names = ['shorturl', 'created', 'outcome', 'error'] as const

/** Whether `--map 'outcome='` says that the column of this name is the user's own, and the file no result. */
export const isMapOfOutcome = (map: string): boolean => /^\s*(result_)*outcome\s*=\s*$/i.test(map)

/** A name as columns are compared: spreadsheets and people change the case. */
const lower = (name: string) => name.trim().toLowerCase()

/** The names of our columns beside those of an input. */
const namesBeside = (columns: readonly string[]): string[] =>
  names.map((name) => {
    const taken = columns.map(lower)
    let own: string = name
    while (taken.includes(own)) own = `result_${own}`
    return own
  })

/** The result of an import, as a file that may have been through a spreadsheet. */
export interface EarlierResult {
  /** The file without our columns. */
  readonly input: Input
  /** What our columns say of the rows that have a link, by their numbers. */
  readonly done: ReadonlyMap<number, DoneRow>
}

/** A row that has a link. */
export type DoneRow = RowResult & { readonly shorturl: string }

/**
 * Takes our columns out of the result of an import; they are known by their names, in any order and case. `undefined` if a
 * file has no column `outcome`, so is no result.
 *
 * @throws {UsageError} if it has `outcome` and no `shorturl`, or a row is done and has none, so that nobody can tell which
 * link it has
 */
export function splitResult(input: Input): EarlierResult | undefined {
  const { columns, name } = input
  // Where the input has a column of such a name itself, ours has a longer one.
  const ours = names.map((name) => {
    const found = columns.filter((column) => lower(column).replace(/^(result_)+/, '') === name)
    const [longest] = found.sort((one, other) => other.length - one.length)
    return longest === undefined ? -1 : columns.indexOf(longest)
  })
  const [shorturl = -1, created = -1, outcome = -1] = ours
  if (outcome === -1) return undefined
  if (shorturl === -1) {
    const advice = `Put it back, or say --map '${columns[outcome]}=' if the file is no result`
    throw new UsageError(
      `${name}: the result of an import, by its column ${columns[outcome]}, lacks shorturl. ${advice}`,
    )
  }
  const done = new Map<number, DoneRow>()
  const isOurs = (index: number) => ours.includes(index)
  const rows = input.rows.map(({ number, cells }) => {
    const cell = (index: number) => textOf(cells[index]).trim()
    if (cell(shorturl)) {
      const isCreated = /^(true|wahr|vrai|verdadero|vero|waar)$/i.test(cell(created))
      done.set(number, {
        shorturl: cell(shorturl),
        created: cell(created) === '' ? undefined : isCreated,
        outcome: 'done',
      })
    } else if (cell(outcome).toLowerCase() === 'done') {
      const advice = `Put it back, or empty ${columns[outcome]} to make another link`
      throw new UsageError(`${name}, row ${number}: is done and has no ${columns[shorturl]}. ${advice}`)
    }
    return { number, cells: cells.filter((_, index) => !isOurs(index)) }
  })
  return { input: { ...input, columns: columns.filter((_, index) => !isOurs(index)), rows }, done }
}

/** The rows of an input with what an import says about them: all of our columns in each, so that it is known again. */
export function resultRows({ columns, rows }: Input, results: ReadonlyMap<number, RowResult>): OutputRow[] {
  const keys = keysOf([...columns, ...namesBeside(columns)])
  return rows.map(({ number, cells }) => {
    const own = Object.entries(cells).map(([index, value]) => [keys[Number(index)], value])
    const ours = names.map((name, index) => [keys[columns.length + index], results.get(number)?.[name] ?? null])
    return Object.fromEntries([...own, ...ours])
  })
}

/** A key for each column. If several have one name, the second becomes `name_2`, so that no cell is lost. */
function keysOf(columns: readonly string[]): string[] {
  const keys = new Set<string>()
  for (const column of columns) {
    let key = column
    for (let number = 2; keys.has(key); number++) key = `${column}_${number}`
    keys.add(key)
  }
  return [...keys]
}

/** These rows as a table like the one that came: its columns, its delimiter, its encoding and its empty rows. */
export function resultTable(
  input: Input,
  results: ReadonlyMap<number, RowResult>,
  show: (text: string) => string,
  delimiter = input.dialect.delimiter,
): Buffer {
  const { columns, rows, format } = input
  const dialect: CsvDialect = { ...(format === 'csv' ? input.dialect : plainDialect), delimiter }
  const records: string[][] = [[...columns, ...namesBeside(columns)]]
  for (const { number, cells } of rows) {
    while (format === 'csv' && records.length < number - 1) records.push(records[0]!.map(() => ''))
    const own = columns.map((_, index) => textOf(cells[index]))
    const ours = names.map((name) => escapeFormula(textOf(results.get(number)?.[name])))
    records.push([...(format === 'csv' ? own : own.map(escapeFormula)), ...ours])
  }
  const table = stringify(
    records.map((cells) => cells.map(show)),
    { delimiter, record_delimiter: dialect.lineEnd, quoted_match: /[\r\n]|^\s|\s$/ },
  )
  const separator = dialect.hasSeparatorLine ? `sep=${delimiter}${dialect.lineEnd}` : ''
  return encode({ ...dialect, text: separator + table })
}
