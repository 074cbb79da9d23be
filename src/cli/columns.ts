import { linkUpdate } from '../resources/links/params.ts'
import { dateTime, httpUrl, similarName } from '../schema/checks.ts'
import { formatValue } from '../schema/expected.ts'
import { itemsOf } from '../tasks/import.ts'
import type { LinkRow } from '../tasks/rows.ts'
import { messageOf, UsageError } from './command.ts'
import type { Input, InputRow } from './input.ts'
import { listed } from './words.ts'

/** A row of a file as a link. */
export interface ReadLink {
  readonly row: InputRow
  readonly values: LinkRow
  /** Why it cannot be sent, if that is known already. */
  readonly problem?: string | undefined
}

/** The names that exports of other programs have, without case, spaces and signs. */
const otherNames: Readonly<Record<string, string>> = {
  ...named('url', 'longurl destination destinationurl originalurl target linkto'),
  ...named('custom', 'alias customalias slug keyword backhalf slashtag shortcode path key custombitlink'),
}

function named(parameter: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, parameter]))
}

const parameters = Object.keys(linkUpdate)

/** The columns whose cells hold JSON, if they are not plain. */
const jsonColumns = ['pixels', 'channel', 'deeplink', 'geotarget', 'devicetarget', 'languagetarget', 'parameters']

/** Exports of other programs have columns of these names with values of their own, such as `active`. */
const ownValues: Readonly<Record<string, RegExp>> = {
  status: /^(public|private)?$/i,
  type: /^(direct|frame|splash|\d+)?$/i,
}

/** A name without case, spaces and signs. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The parameter of a link that a name means. The parameters of UTM keep their names. */
function parameterOf(name: string): string | undefined {
  const text = plain(name)
  if (/^utm./.test(text)) return `utm_${text.slice(3)}`
  return parameters.includes(text) ? text : Object.hasOwn(otherNames, text) ? otherNames[text] : undefined
}

/**
 * The links of a file, and what is said about its columns.
 *
 * @param maps what `--map` says: `Column=parameter`
 * @param needed the parameters that have to have a column
 * @throws {UsageError} if a column is missing, misspelled or there twice, or could be the alias and would not be sent
 */
export function readLinks(
  input: Input,
  maps: readonly string[],
  needed: readonly string[],
): { links: ReadLink[]; notes: string[] } {
  const { columns, rows, name } = input
  const cellsOf = (index: number) => rows.map(({ cells }) => textOf(cells[index])).filter((cell) => cell !== '')
  const mapped = readMaps(input, maps)
  const given = [...mapped.values()]
  const meaning = columns.map((column, index) => {
    if (mapped.has(index)) return mapped.get(index)
    const parameter = parameterOf(column)
    if (parameter === undefined || given.includes(parameter)) return undefined
    const isOwn = ownValues[parameter]
    return isOwn && !cellsOf(index).every((cell) => isOwn.test(cell)) ? undefined : parameter
  })
  throwIfTwice(input, meaning)
  if (rows.length > 0 || input.format === 'csv') throwIfMissing(input, meaning, needed)
  const unused = columns.flatMap((column, index) => (meaning[index] === undefined && column !== '' ? [index] : []))
  const undecided = unused.filter((index) => !mapped.has(index))
  const missing = parameters.filter((parameter) => !meaning.includes(parameter))
  for (const index of undecided) {
    const column = columns[index]!
    const meant = parameterOf(column) === undefined ? similarName(column, missing) : undefined
    if (meant) {
      const advice = `--map '${column}=${meant}', or --map '${column}=' if it is something else`
      throw new UsageError(`${name}, column ${column}: did you mean ${meant}? Say ${advice}`)
    }
  }
  const aliases = undecided.filter((index) => couldBeAlias(columns[index]!, cellsOf(index)))
  if (aliases.length > 0 && !meaning.includes('custom')) {
    const [column = ''] = aliases.map((index) => columns[index])
    const which = `${aliases.length > 1 ? 'columns' : 'column'} ${listed(aliases.map((index) => columns[index]!))}`
    throw new UsageError(
      `${name}: ${which} could be the alias, and would not be sent. Say --map '${column}=custom', or --map '${column}=' to leave it out`,
    )
  }
  const renamed = columns.flatMap((column, index) => {
    const parameter = meaning[index]
    return parameter === undefined || parameter === column.toLowerCase() ? [] : [`${column} → ${parameter}`]
  })
  const notes = [
    ...(renamed.length > 0 ? [`read as: ${renamed.join(', ')}`] : []),
    ...(unused.length > 0 ? [`not sent: ${unused.map((index) => columns[index]).join(', ')}`] : []),
  ]
  return { links: rows.map((row) => readLink(row, meaning)), notes }
}

/** What `--map` says of each column; `undefined`: it is not sent. */
function readMaps({ columns, name }: Input, maps: readonly string[]): Map<number, string | undefined> {
  const result = new Map<number, string | undefined>()
  for (const map of maps) {
    const [, column = '', to = ''] = /^(.+)=(.*)$/s.exec(map) ?? []
    if (column === '') throw new UsageError(`--map takes 'Column=parameter', not '${map}'`)
    const exact = columns.indexOf(column)
    const index = exact === -1 ? columns.findIndex((other) => plain(other) === plain(column)) : exact
    if (index === -1) throw new UsageError(`--map: ${name} has no column '${column}', but ${columns.join(', ')}`)
    const parameter = parameterOf(to)
    if (to !== '' && parameter === undefined) {
      const meant = similarName(to, parameters)
      const advice = meant ? `did you mean ${meant}?` : `but ${parameters.join(', ')}`
      throw new UsageError(`--map: a link has no parameter '${to}', ${advice}`)
    }
    result.set(index, parameter)
  }
  return result
}

function throwIfTwice({ columns, name }: Input, meaning: readonly (string | undefined)[]): void {
  const second = meaning.findIndex((parameter, index) => parameter && meaning.indexOf(parameter) < index)
  if (second === -1) return
  const parameter = meaning[second]!
  const first = columns[meaning.indexOf(parameter)]
  throw new UsageError(
    `${name}: there are two columns for ${parameter}: ${first} and ${columns[second]}. Say which it is: --map '${first}=${parameter}'`,
  )
}

function throwIfMissing(
  { columns, rows, name }: Input,
  meaning: readonly (string | undefined)[],
  needed: readonly string[],
): void {
  const missing = needed.find((parameter) => !meaning.includes(parameter))
  if (missing === undefined) return
  const [first = ''] = columns
  if (httpUrl.fits(first)) {
    throw new UsageError(`${name}, line 1: expected the names of the columns, such as url, found an address`)
  }
  const likely = columns.find((_, index) => httpUrl.fits(rows[0]?.cells[index]) === (missing === 'url')) ?? first
  const names = Object.keys(otherNames).filter((other) => otherNames[other] === missing)
  throw new UsageError(
    `${name}: expected a column ${missing} (or ${names.join(', ')}), found ${columns.join(', ')}. Say which it is: --map '${likely}=${missing}'`,
  )
}

/** What a column is called that has the alias, or a short address that ends in it. */
const aliasName =
  /alias|slug|keyword|vanity|backhalf|bitlink|tinyurl|short(url|link|id|name)|custom(url|link|name)|^(link|short|code|hash)$/

/** Whether a column that is not sent could have the aliases: by its name, or because its cells look so and all differ. */
function couldBeAlias(name: string, cells: readonly string[]): boolean {
  if (cells.length === 0) return false
  if (aliasName.test(plain(name))) return true
  const isAlias = (cell: string) => /^(?=.*\p{L})[\p{L}\p{N}][\p{L}\p{N}._~-]{1,49}$/u.test(cell)
  const isShortAddress = (cell: string) => /^(https?:\/\/)?[\w-]+(\.[\w-]+)+\/[^/?#]{1,50}$/i.test(cell)
  return (
    cells.length > 1 &&
    new Set(cells).size === cells.length &&
    cells.every((cell) => isAlias(cell) || isShortAddress(cell))
  )
}

const textOf = (cell: unknown): string => (typeof cell === 'string' ? cell.trim() : cell == null ? '' : String(cell))

function readLink(row: InputRow, meaning: readonly (string | undefined)[]): ReadLink {
  const values: Record<string, unknown> = {}
  const utm: { name: string; value: string }[] = []
  let problem: string | undefined
  for (const [index, parameter] of meaning.entries()) {
    const cell = row.cells[index]
    if (parameter === undefined || cell === undefined || cell === null || textOf(cell) === '') continue
    if (parameter.startsWith('utm_')) utm.push({ name: parameter, value: readText(textOf(cell)) })
    else values[parameter] = typeof cell === 'string' ? readCell(parameter, cell) : cell
  }
  if (utm.length > 0) {
    const others = values.parameters
    values.parameters = Array.isArray(others) ? [...others, ...utm] : utm
  }
  if (values.expiry !== undefined) {
    const expiry = readDate(values.expiry)
    if (expiry) values.expiry = expiry
    else problem = `expiry: expected ${dateForms}, received ${formatValue(values.expiry)}`
  }
  return { row, values, problem }
}

/** A cell without the apostrophe that keeps a spreadsheet from running it. */
const readText = (cell: string): string => (/^'[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20]/.test(cell) ? cell.slice(1) : cell)

function readCell(parameter: string, cell: string): unknown {
  const text = readText(cell)
  // Some exports have the whole short address where others have the alias.
  if (parameter === 'custom') return /^(?:https?:\/\/)?[^/]+\.[^/]+\/([^/?#]+)\/?$/i.exec(text)?.[1] ?? text
  if (Object.hasOwn(ownValues, parameter)) return text.toLowerCase()
  if (!jsonColumns.includes(parameter) || !/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const dateForms = 'YYYY-MM-DD HH:MM:SS, without seconds, with T, or YYYY-MM-DD for its last second'

/** A date and time as the platform wants it; `undefined` if it is none. */
function readDate(value: unknown): string | undefined {
  const [, date, time, seconds] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?$/.exec(textOf(value)) ?? []
  const whole = time === undefined ? `${date} 23:59:59` : `${date} ${time}${seconds ?? ':00'}`
  return dateTime.fits(whole) ? whole : undefined
}

/** Why rows cannot be sent, by their numbers. */
export async function problemsOf(links: readonly ReadLink[]): Promise<Map<number, string>> {
  const problems = new Map<number, string>()
  let index = 0
  for await (const item of itemsOf(links.map(({ row, values }) => ({ ...values, row: row.number })))) {
    const { row, problem = item.problem === undefined ? undefined : messageOf(item.problem) } = links[index++]!
    if (problem !== undefined) problems.set(row.number, problem)
  }
  return problems
}
