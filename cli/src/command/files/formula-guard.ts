/**
 * The apostrophes before a sign that begins a formula: at the beginning of a cell, or after what another spreadsheet
 * takes for its end.
 */
const guards = /(?<=^|[;\t\r\n])'*(?=[=+\-@\uFF0B\uFF0D\uFF1D\uFF20])|^'*(?=[\t\r])/g

/** Guards a cell with an apostrophe so that no spreadsheet runs it, whatever separates its cells. */
export const guardFormulas = (cell: string): string => cell.replace(guards, "'$&")

/** Reverses {@link guardFormulas}. */
export const removeGuards = (cell: string): string => cell.replace(guards, (apostrophes) => apostrophes.slice(1))

/** Returns whether a spreadsheet would run a cell. A number with its sign is none. */
export const hasFormula = (cell: string): boolean =>
  !/^[+-][\d.,]+$/.test(cell) && (cell.match(guards)?.includes('') ?? false)
