import { findSimilarName } from '../../../../src/client/runtime/similar-name.ts'
import { parameterNames } from '../../tasks/rows.ts'
import { UsageError } from '../command.ts'
import { quoteNames } from '../counts-and-times.ts'
import { formatCell } from '../format-cell.ts'
import { isEmptyCell } from './cells.ts'
import {
  findMeaning,
  findParameter,
  findSimilarUtmName,
  isBooleanName,
  mayBeAlias,
  otherNames,
} from './column-names.ts'
import { type Input, throwIfHeaderIsElsewhere } from './input.ts'
import { booleanWord, type Column, falseWord, isState, isUndecided, mayBeDisabled } from './link-row.ts'

/** A column that needs a `--map`. */
interface Question {
  /** What is unclear, and which values of `--map` decide it. */
  readonly text: string
  /** One of these values. */
  readonly map: string
}

/**
 * Checks that every column is clear.
 *
 * @param needed the parameters that must have a column
 * @param formatCommand formats the whole command with more values of `--map`
 * @throws {UsageError} if a column is missing or duplicate, may be a misspelled parameter or the alias, or would be left
 *   out although its links would behave differently. The message names all such columns
 */
export function throwIfUnclear(
  input: Input,
  columns: readonly Column[],
  needed: readonly string[],
  formatCommand: (maps: readonly string[]) => string,
): void {
  const unclear = [
    ...findDuplicates(input, columns),
    ...findOverlooked(input, columns),
    ...findForeign(input, columns),
    ...findIgnoredSilently(input, columns),
  ]
  const isAnswered = (parameter: string) =>
    columns.some((column) => column.parameter === parameter) || unclear.some(({ map }) => map.endsWith(`=${parameter}`))
  const missing = needed.filter((parameter) => !isAnswered(parameter))
  const questions = [...missing.map((parameter) => describeMissing(input, parameter)), ...unclear]
  const [first] = questions
  if (!first) return
  const maps = [...new Map(questions.map(({ map }) => [map.slice(0, map.lastIndexOf('=')), map])).values()]
  const command = `For example: ${formatCommand(maps)}`
  if (questions.length === 1) throw new UsageError(missing.length > 0 ? first.text : `${first.text}. ${command}`)
  throw new UsageError(...questions.map(({ text }) => text), command)
}

function findDuplicates({ name }: Input, columns: readonly Column[]): Question[] {
  return columns.flatMap(({ name: second, index, parameter }) => {
    const first = parameter && columns.slice(0, index).find((other) => other.parameter === parameter)?.name
    if (!first) return []
    const map = `${first}=${parameter}`
    return [
      { text: `${name} has two columns for ${parameter}: ${first} and ${second}. Choose one: --map '${map}'`, map },
    ]
  })
}

function describeMissing({ name, columns, rows }: Input, parameter: string): Question {
  throwIfHeaderIsElsewhere(name, [{ number: 1, cells: columns }, ...rows])
  const names = Object.keys(otherNames).filter((other) => otherNames[other] === parameter)
  const map = `COLUMN=${parameter}`
  const expected = `expected a column ${parameter} (or ${names.join(', ')})`
  return { text: `${name}: ${expected}, found ${columns.join(', ')}. To use another column: --map '${map}'`, map }
}

/** Returns the non-empty cells of a column, as text. */
export const getCells = ({ rows }: Input, index: number): string[] =>
  rows.map(({ cells }) => formatCell(cells[index]).trim()).filter((cell) => cell !== '')

/** Returns whether a column is a boolean, by its name or its cells, such as `is_custom`. */
function isFlag(input: Input, { name, index }: Column): boolean {
  const cells = getCells(input, index)
  return isBooleanName(name) || (cells.length > 0 && cells.every((cell) => booleanWord.test(cell)))
}

/** Returns whether all cells of a column are the codes of redirects, as redirect plugins write them. */
function hasRedirectCodes(input: Input, { index }: Column): boolean {
  const cells = getCells(input, index)
  return cells.length > 0 && cells.every((cell) => /^[34]\d\d$/.test(cell))
}

/** Returns whether a column that is not sent may contain the alias, or a short address that ends with it. */
export const mayHaveAlias = (input: Input, column: Column): boolean =>
  mayBeAlias(column.name) && !isFlag(input, column) && !hasRedirectCodes(input, column)

/** Finds columns that would not be sent, but may be a misspelled parameter or the alias. */
function findOverlooked(input: Input, columns: readonly Column[]): Question[] {
  const given = columns.flatMap((column) => (isState(column) ? ['status'] : (column.parameter ?? [])))
  const missing = parameterNames.filter((name) => !given.includes(name))
  const undecided = columns.filter((column) => isUndecided(column) && !isFlag(input, column))
  const misspelled = undecided.flatMap(({ name }) => {
    const similar = findSimilarName(name, missing) ?? findSimilarUtmName(name)
    const meant = findParameter(name) === undefined ? similar : undefined
    if (!meant) return []
    const map = `${name}=${meant}`
    const advice = `Use --map '${map}', or --map '${name}=' if it is something else`
    return [{ text: `${input.name}, column ${name}: did you mean ${meant}? ${advice}`, map }]
  })
  const isAsked = ({ name }: Column) => misspelled.some(({ map }) => map.startsWith(`${name}=`))
  const aliases = undecided.filter(
    (column) => !isAsked(column) && mayHaveAlias(input, column) && getCells(input, column.index).length > 0,
  )
  const [first] = aliases
  if (!first || !missing.includes('custom') || misspelled.some(({ map }) => map.endsWith('=custom'))) return misspelled
  const named = `${aliases.length > 1 ? 'columns' : 'column'} ${quoteNames(aliases.map(({ name }) => name))}`
  const map = `${first.name}=custom`
  const advice = `Use --map '${map}', or --map '${first.name}=' to leave it out`
  const text = `${input.name}: ${named} could be the alias, but would not be sent. ${advice}`
  return [...misspelled, { text, map }]
}

/** Values in columns with these names in the exports of other programs, where they mean something else. */
const foreignValues: Readonly<Record<string, RegExp>> = {
  expiry: booleanWord,
  password: booleanWord,
  type: /^3\d\d$|^(?!(direct|frame|splash|\d+)$)/i,
}

/** Finds columns that have the name of a parameter, but whose cells all have another meaning. */
function findForeign(input: Input, columns: readonly Column[]): Question[] {
  return columns.flatMap(({ name, index, parameter, isMapped }) => {
    const foreign = foreignValues[parameter ?? '']
    const cells = getCells(input, index)
    if (!foreign || isMapped || cells.length === 0 || !cells.every((cell) => foreign.test(cell))) return []
    const examples = quoteNames([...new Set(cells)].slice(0, 3))
    const map = `${name}=`
    const advice = `Use --map '${map}' to leave it out, or --map '${name}=${parameter}' to send it`
    const problem = `expected the ${parameter} of a link, found ${examples}`
    return [{ text: `${input.name}, column ${name}: ${problem}. ${advice}`, map }]
  })
}

/** Finds columns that would not be sent, although links without their values would behave differently. */
function findIgnoredSilently(input: Input, columns: readonly Column[]): Question[] {
  return columns.flatMap((column) => {
    const { name, index } = column
    const meaning = isUndecided(column) && !mayBeDisabled(column) ? findMeaning(name) : undefined
    const examples = getCells(input, index).filter((cell) => !isEmptyCell(cell) && !falseWord.test(cell))
    const [example] = examples
    if (!meaning || example === undefined || (meaning.isAddress && !examples.some((cell) => cell.includes(':'))))
      return []
    const { parameters } = meaning
    const isFree = (parameter: string) => !columns.some((other) => other.parameter === parameter)
    const isObject = /^[[{]/.test(example)
    const values = isObject ? meaning.parameters : meaning.plainParameters
    const free = isFlag(input, column) ? [] : values.filter(isFree)
    const leaveOut = `--map '${name}=' to leave it out`
    const maps = free.map((parameter) => `${name}=${parameter}`)
    const advice = [...maps.map((map) => `--map '${map}', `), maps.length > 0 ? `or ${leaveOut}` : leaveOut].join('')
    const problem =
      parameters.length > 0 ? `could be the ${parameters.join(' or the ')} of a link` : 'limits the visits of a link'
    const text = `${input.name}, column ${name}: ${problem}, but would not be sent. Use ${advice}`
    return [{ text, map: maps[0] ?? `${name}=` }]
  })
}
