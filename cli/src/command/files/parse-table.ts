import { shorten } from '../../../../src/client/runtime/text.ts'
import { UsageError } from '../command.ts'

/** The longest text of a cell in an error message. */
const MAX_SHOWN = 60

/**
 * Parses CSV or TSV. Line breaks may be of several kinds, as in a file that was merged from several. Spaces around cells
 * are removed. A quote inside of a cell that does not begin with one is text.
 *
 * @param where returns the name of a line for errors
 * @throws {UsageError} if a quote is not closed, is closed before the end of its cell, or hides other rows
 */
export function parseTable(text: string, delimiter: string, where: (line: number) => string): string[][] {
  const escaped = delimiter.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&')
  const spaces = new RegExp(`(?:(?!${escaped})[ \\f\\t])*`, 'y')
  const plain = new RegExp(`[^${escaped}\\r\\n]*`, 'y')
  const end = new RegExp(`${escaped}|\\r\\n|\\n|\\r|$`, 'y')
  const records: string[][] = []
  let at = 0
  let line = 1
  /** Returns what a pattern matches at the current position, and moves behind it. */
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const [match] = pattern.exec(text) ?? []
    if (match !== undefined) at = pattern.lastIndex
    return match
  }
  const fail = (problem: string, cell: string): never => {
    const advice = `write the cell as ${shorten(quote(cell.trim()), MAX_SHOWN)}`
    throw new UsageError(`${where(line)}: ${problem}. If a quote is part of the text, ${advice}`)
  }

  const readCell = (): string => {
    take(spaces)
    if (text[at] !== '"') return take(plain)!.trim()
    const start = at
    const readLine = () => splitLines(text.slice(start, start + 2 * MAX_SHOWN))[0]!
    let close = text.indexOf('"', start + 1)
    while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
    if (close === -1) return fail(`${OPEN_QUOTE} without a closing one`, readLine())
    const content = text.slice(start + 1, close).replaceAll('""', '"')
    at = close + 1
    take(spaces)
    end.lastIndex = at
    if (end.test(text)) return content
    if (splitLines(content).length > 1) return fail(`${OPEN_QUOTE} that a quote in another row closes`, readLine())
    const cell = text.slice(start, at) + take(plain)
    return fail(`the cell ${shorten(cell, MAX_SHOWN)} has text after its closing quote`, cell)
  }

  while (at < text.length) {
    const cells: string[] = []
    let next: string | undefined
    do {
      cells.push(readCell())
      next = take(end)
    } while (next === delimiter)
    for (const [index, cell] of cells.entries()) {
      const [first, ...others] = splitLines(cell)
      if (hidesRow(cells, index, others, delimiter, records[0]?.length)) {
        const rows = others.length === 1 ? 'the next row' : `the next ${others.length} rows`
        fail(`a cell of this row begins with a quote (") and contains ${rows}`, `"${first}`)
      }
    }
    records.push(cells)
    line += cells.reduce((sum, cell) => sum + splitLines(cell).length - 1, 1)
  }
  return records
}

const OPEN_QUOTE = 'a cell of this row has an opening quote (")'

const splitLines = (text: string): string[] => text.split(/\r\n|\n|\r/)

/** Writes a text as a cell in quotes. */
const quote = (text: string) => `"${text.replaceAll('"', '""')}"`

const isAddress = (cell = '') => /^\s*"?[a-z][a-z\d+.-]*:\S/i.test(cell)

/**
 * Returns whether a cell contains another row, because its text begins with a quote: one of its lines after the first has
 * as many cells as the table has columns, and an address where this row has one.
 */
function hidesRow(
  cells: readonly string[],
  index: number,
  lines: readonly string[],
  delimiter: string,
  columns: number | undefined,
): boolean {
  if (lines.length === 0) return false
  const places = cells.flatMap((cell, place) => (place !== index && isAddress(cell) ? [place] : []))
  return lines.some((line, number) => {
    const inner = line.split(delimiter)
    // What is left of the last row follows the cell.
    const after = number === lines.length - 1 ? cells.length - index - 1 : 0
    return inner.length + after === columns && places.some((place) => isAddress(inner[place]))
  })
}
