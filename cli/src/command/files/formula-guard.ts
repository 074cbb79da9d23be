/**
 * Matches the apostrophes, if any, before a character that starts a formula: at the start of a cell, or after a
 * character that another spreadsheet treats as the end of a cell.
 */
const guards = /(?<=^|[;\t\r\n])'*(?=[=+\-@\uFF0B\uFF0D\uFF1D\uFF20])|^'*(?=[\t\r])/g

/** Adds an apostrophe to a cell that a spreadsheet would run as a formula, whatever delimiter it uses. */
export const guardFormulas = (cell: string): string => cell.replace(guards, "'$&")

/** Reverses {@link guardFormulas}. */
export const removeGuards = (cell: string): string => cell.replace(guards, (apostrophes) => apostrophes.slice(1))

/** Returns whether a spreadsheet would run a cell as a formula. A number with a sign is not a formula. */
export const hasFormula = (cell: string): boolean =>
  !/^[+-][\d.,]+$/.test(cell) && (cell.match(guards)?.includes('') ?? false)
