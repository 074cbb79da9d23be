import { groupBy } from '../../tasks/rows.ts'
import { formatCount } from '../counts-and-times.ts'

/** How many rows are named of those that have the same problem. */
const MAX_NAMED = 3

interface RowProblem {
  readonly number: number
  readonly problem: string
}

/**
 * Describes the problems of rows, in one line for all rows with the same problem: `links.csv, 277 rows: … (rows 2, 5, 9,
 * …)`.
 */
export function describeProblems(file: string, rows: readonly RowProblem[]): string[] {
  return [...groupBy(rows, ({ problem }) => problem)].map(([problem, same]) => {
    if (same.length === 1) return `${file}, row ${same[0]!.number}: ${problem}`
    const numbers = same.slice(0, MAX_NAMED).map(({ number }) => number)
    const named = [...numbers, ...(same.length > MAX_NAMED ? ['…'] : [])].join(', ')
    return `${file}, ${formatCount(same.length)} rows: ${problem} (rows ${named})`
  })
}
