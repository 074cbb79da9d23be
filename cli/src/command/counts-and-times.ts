/** Formats a number with its noun: `1 link`, `1,000 links`. */
export const pluralize = (number: number, noun: string): string =>
  `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`

/** Formats the counts of rows or URLs in this run and in earlier ones. */
export function formatCounts(counts: {
  readonly created: number
  readonly found: number
  readonly failed: number
  readonly notBegun?: number
  readonly doneBefore?: number
}): string {
  const { created, found, failed, notBegun = 0, doneBefore = 0 } = counts
  const now = `${formatCount(created)} created, ${formatCount(found)} already existed, unchanged, ${formatCount(failed)} failed`
  const rest = notBegun > 0 ? `, ${formatCount(notBegun)} not tried yet` : ''
  return `${now}${rest}${doneBefore > 0 ? `; ${formatCount(doneBefore)} done before` : ''}`
}

/** Formats a number with separators: `1,000`. */
export const formatCount = (number: number): string => number.toLocaleString('en-US')

/** Formats a time in the largest unit that gives at least 2: `90 seconds`, `34 minutes`, `2 hours`. */
export function formatDuration(seconds: number): string {
  const units = { day: 86_400, hour: 3600, minute: 60 }
  const [unit, size] = Object.entries(units).find(([, size]) => seconds >= 2 * size) ?? ['second', 1]
  return pluralize(Math.round(seconds / size), unit)
}

/** Lists names in quotes: `'Spring' and 'Summer'`. */
export const quoteNames = (names: readonly string[]): string =>
  names
    .map((name) => `'${name}'`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ')

/** Formats milliseconds as a clock: `0:43`, `33:20`, `5:33:20`. */
export function formatClock(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
    .replace(/^(00:)?0?/, '')
}
