import { stringify } from 'csv-stringify/sync'
import { type Dialect, type Input, plainDialect } from './input.ts'
import { escapeFormula, type OutputRow, textOf } from './output.ts'
import { encode } from './read-text.ts'

/** What an import says about a row. */
export interface RowResult {
  readonly shorturl?: string | undefined
  readonly created?: boolean | undefined
  readonly outcome: string
  readonly error?: string | undefined
}

const names = ['shorturl', 'created', 'outcome', 'error'] as const

/** The names of our columns beside those of an input. */
const namesBeside = (columns: readonly string[]): string[] =>
  names.map((name) => (columns.includes(name) ? `result_${name}` : name))

/** A file that may be the result of an earlier import, without our columns, and what they say of the rows that are done. */
export function splitResult(input: Input): { input: Input; done: ReadonlyMap<number, RowResult> } {
  const own = input.columns.slice(0, -names.length)
  const last = input.columns.slice(-names.length)
  if (namesBeside(own).some((name, index) => name !== last[index])) return { input, done: new Map() }
  const done = new Map<number, RowResult>()
  const rows = input.rows.map(({ number, cells }) => {
    const [shorturl, created, outcome] = cells.slice(own.length).map(textOf)
    if (shorturl && outcome === 'done')
      done.set(number, { shorturl, created: /^(true|wahr|vrai|verdadero|vero|waar)$/i.test(created ?? ''), outcome })
    return { number, cells: cells.slice(0, own.length) }
  })
  return { input: { ...input, columns: own, rows }, done }
}

/** The rows of an input with what an import says about them. */
export function resultRows({ columns, rows }: Input, results: ReadonlyMap<number, RowResult>): OutputRow[] {
  const ours = namesBeside(columns)
  return rows.map(({ number, cells }) => ({
    ...Object.fromEntries(columns.map((column, index) => [column, cells[index]])),
    ...Object.fromEntries(names.map((name, index) => [ours[index], results.get(number)?.[name]])),
  }))
}

/** These rows as a table like the one that came: its columns, its delimiter, its encoding and its empty rows. */
export function resultTable(
  input: Input,
  results: ReadonlyMap<number, RowResult>,
  show: (text: string) => string,
  delimiter = input.dialect.delimiter,
): Buffer {
  const { columns, rows, format } = input
  const dialect: Dialect = { ...(format === 'csv' ? input.dialect : plainDialect), delimiter }
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
