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
  const start = findOurs(input.columns)
  const done = new Map<number, RowResult>()
  if (start === undefined) return { input, done }
  const rows = input.rows.map(({ number, cells }) => {
    const [shorturl, created, outcome] = cells.slice(start).map(textOf)
    if (shorturl && outcome === 'done')
      done.set(number, { shorturl, created: /^(true|wahr|vrai|verdadero|vero|waar)$/i.test(created ?? ''), outcome })
    return { number, cells: withoutOurs(cells, start) }
  })
  return { input: { ...input, columns: withoutOurs(input.columns, start), rows }, done }
}

/** Where our columns begin, the last ones if there are several. A user may have added columns behind them. */
function findOurs(columns: readonly string[]): number | undefined {
  for (let start = columns.length - names.length; start >= 0; start--) {
    const ours = namesBeside(withoutOurs(columns, start))
    if (ours.every((name, index) => name === columns[start + index])) return start
  }
  return undefined
}

const withoutOurs = <Cell>(cells: readonly Cell[], start: number): Cell[] => [
  ...cells.slice(0, start),
  ...cells.slice(start + names.length),
]

/** The rows of an input with what an import says about them: all of our columns in each, so that it is known again. */
export function resultRows({ columns, rows }: Input, results: ReadonlyMap<number, RowResult>): OutputRow[] {
  const keys = keysOf([...columns, ...namesBeside(columns)])
  return rows.map(({ number, cells }) => {
    const own = columns.map((_, index) => cells[index])
    const ours = names.map((name) => results.get(number)?.[name] ?? null)
    return Object.fromEntries([...own, ...ours].map((value, index) => [keys[index], value]))
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
