/** What the value of an option must be. */
export interface Check {
  /** As in `expected a number from 0 to 1`. */
  readonly expected: string
  readonly fits: (value: unknown) => boolean
  /** What was probably meant by an invalid value. */
  readonly meant?: (value: unknown) => string | undefined
}

/** A check for every option of an interface. The compiler refuses a table that lacks one. */
export type Checks<Options> = Readonly<Record<keyof Options, Check>>

/**
 * Rejects unknown options and invalid values, because a test with them would pass and test nothing.
 * `where` is the prefix of an option's name; `slips` are other names for the same option.
 *
 * @throws {TypeError} with a suggestion.
 */
export function checkOptions<Options extends object>(
  where: string,
  given: Options,
  checks: Checks<Options>,
  slips: Readonly<Record<string, string>> = {},
): void {
  if (!isObject(given)) throw new TypeError(`${where}expected an object of options, received ${shown(given)}`)
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(checks, name)) {
      const meant = Object.hasOwn(slips, name) ? slips[name] : nearest(name, Object.keys(checks))
      const hint = meant === undefined ? `expected one of ${Object.keys(checks).join(', ')}` : `did you mean ${meant}?`
      throw new TypeError(`${where}${name}: unknown option, ${hint}`)
    }
    const { expected, fits, meant } = checks[name as keyof Options]
    if (value === undefined || fits(value)) continue
    const hint = meant?.(value)
    const ending = hint === undefined ? '' : `. Did you mean ${hint}?`
    throw new TypeError(`${where}${name}: expected ${expected}, received ${shown(value)}${ending}`)
  }
}

/** Whether a value is an object of the program: not a list, a Promise or a Map. */
export function isObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]'
}

export const text: Check = { expected: 'a string', fits: (value) => typeof value === 'string' }
export const flag: Check = { expected: 'true or false', fits: (value) => typeof value === 'boolean' }
export const fn: Check = { expected: 'a function', fits: (value) => typeof value === 'function' }
export const object: Check = { expected: 'an object', fits: isObject }

export function number(from: number, to = Number.POSITIVE_INFINITY): Check {
  const expected = to === Number.POSITIVE_INFINITY ? `a number of at least ${from}` : `a number from ${from} to ${to}`
  return { expected, fits: (value) => typeof value === 'number' && value >= from && value <= to }
}

export function integer(from: number, to?: number): Check {
  const { expected, fits } = number(from, to)
  const isWhole = (value: unknown) => Number.isInteger(value) || value === to
  return { expected: expected.replace('a number', 'an integer'), fits: (value) => fits(value) && isWhole(value) }
}

export function oneOf(...values: readonly string[]): Check {
  const matches = (value: unknown) => (known: string) => known.toLowerCase() === String(value).toLowerCase()
  return {
    expected: `one of ${values.join(', ')}`,
    fits: (value) => typeof value === 'string' && values.some(matches(value)),
    meant: (value) => nearest(String(value), values),
  }
}

/** The name that a misspelled one was meant to be, if one is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const letters = (word: string) => [...word.toLowerCase()].sort().join('')
  const isNear = (candidate: string) =>
    letters(name) === letters(candidate) ||
    editDistance(name.toLowerCase(), candidate.toLowerCase()) <= Math.min(2, name.length / 3)
  return known.find(isNear)
}

/** How many letters have to be added, removed or replaced. */
export function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries()) {
      next.push(Math.min(row[column]! + (letter === other ? 0 : 1), row[column + 1]! + 1, next[column]! + 1))
    }
    row = next
  }
  return row.at(-1)!
}

export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  return Array.isArray(value)
    ? 'a list'
    : typeof value === 'object'
      ? 'an object'
      : value === undefined
        ? 'nothing'
        : `a ${typeof value}`
}
