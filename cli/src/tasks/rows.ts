import type { Id, Issue, Link, LinkCreate, RequestOptions } from 'shortlink-sdk'
import { getHost, parseAlias } from '../addresses.ts'
import { describeMismatch, formatValue, isRecord } from '../text.ts'
import type { TaskClient } from './client.ts'

/**
 * A row that describes a link: the parameters of `links.create`, or a row that `list`, `report` or `import` has
 * written. `longurl` and `alias` are accepted for `url` and `custom`. Empty values, fields that only the server sets,
 * and unknown properties are not sent.
 */
export type LinkRow = { readonly [Name in keyof Omit<LinkCreate, 'channel'>]?: LinkCreate[Name] | null } & {
  readonly longurl?: string | null | undefined
  readonly alias?: string | null | undefined
  /** The id of a channel. Of an array, as in rows of `links.list`, the first id is used. */
  readonly channel?: Id | readonly Id[] | null | undefined
}

/** A row after reading. Its parameters are not checked yet. */
export interface ReadRow<Row> {
  readonly row: Row
  /**
   * All values of the row, including unknown columns. Empty values and fields that only the server sets are left out.
   */
  readonly values: Readonly<Record<string, unknown>>
  /** The parameters of its link; `undefined` if the row is not an object. */
  readonly params: RowParams | undefined
  /** The names of all columns whose value is empty, but not missing. */
  readonly emptyNames: readonly string[]
}

/** The parameters of a row, with its address as a string. */
export type RowParams = LinkCreate & { readonly url: string }

/** The parameters of a link. The type requires every name. */
const parameters: Readonly<Record<keyof LinkCreate, true>> = {
  url: true,
  custom: true,
  domain: true,
  password: true,
  expiry: true,
  type: true,
  status: true,
  metatitle: true,
  metadescription: true,
  metaimage: true,
  title: true,
  description: true,
  pixels: true,
  channel: true,
  campaign: true,
  deeplink: true,
  geotarget: true,
  devicetarget: true,
  languagetarget: true,
  parameters: true,
}

export const parameterNames: readonly string[] = Object.keys(parameters)

export const isParameter = (name: string): boolean => Object.hasOwn(parameters, name)

/** The options of a call. In a row, these names are ordinary columns. The type requires every name. */
const callOptions: Readonly<Record<keyof RequestOptions, true>> = {
  signal: true,
  timeout: true,
  deadline: true,
  retry: true,
  priority: true,
  validation: true,
  headers: true,
  fetchOptions: true,
  beforeRequest: true,
}

/** Columns that lists, reports and import results have in addition to the parameters of a link. */
const ignoredColumns: ReadonlySet<string> = new Set(
  'id shorturl clicks uniqueclicks uniqueClicks newClicks isNew date changed ok created outcome error replayed differs action was line row'.split(
    ' ',
  ),
)

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

/** Returns whether a value is a `URL`, including one of another realm. */
const isUrlObject = (value: unknown): value is URL => Object.prototype.toString.call(value) === '[object URL]'

export async function* readRows<Row>(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<ReadRow<Row>> {
  for await (const row of rows) yield readRow(row)
}

/** Reads the values and parameters of a row. */
export function readRow<Row>(row: Row): ReadRow<Row> {
  if (!isRecord(row)) return { row, values: {}, params: undefined, emptyNames: [] }
  const { longurl, alias, channel, ...rest } = row as Record<string, unknown>
  const filled = filterEntries(rest, (_, value) => !isEmpty(value))
  const { url } = filled
  const urlText = isUrlObject(url) ? { url: url.href } : {}
  const all = {
    url: longurl,
    custom: restoreAlias(alias, rest.shorturl),
    ...filled,
    ...urlText,
    channel: Array.isArray(channel) ? channel[0] : channel,
  }
  const values = filterEntries(all, (name, value) => !isEmpty(value) && !ignoredColumns.has(name))
  const params = filterEntries(values, isParameter) as unknown as RowParams
  const isCleared = (name: string, value: unknown) =>
    value === null || value === '' || (name === 'channel' && `${value}` === '')
  return { row, values, params, emptyNames: Object.keys(filterEntries(row, isCleared)) }
}

/**
 * Returns the alias of a row. If it is a number, leading zeros such as in `007` are restored from the short address.
 */
const restoreAlias = (alias: unknown, shorturl: unknown): unknown =>
  typeof alias === 'number' && typeof shorturl === 'string' ? (parseAlias(shorturl) ?? alias) : alias

/** Checks rows one after another, and finds aliases that are used twice. */
export class RowChecks {
  readonly #client: TaskClient
  readonly #rowByAlias = new Map<string, string>()

  constructor(client: TaskClient) {
    this.#client = client
  }

  /** Checks the parameters of a row, and that no earlier row has its alias. Returns the issues. */
  check({ row, values, params }: Pick<ReadRow<unknown>, 'row' | 'values' | 'params'>, name: string): Issue[] {
    if (!params) return [{ path: [], message: describeMismatch('an object with a url', row) }]
    // All values are checked, not only known parameters, so that misspelled names are found.
    const checked = filterEntries(values, (name) => !Object.hasOwn(callOptions, name)) as unknown as LinkCreate
    const issues = [...this.#client.links.check(checked)]
    const first = issues.length === 0 ? this.claimAlias(params, name) : undefined
    const message = `${formatValue(params.custom)} is already the alias of ${first}`
    return first === undefined ? issues : [{ path: ['custom'], message }]
  }

  /** Records the alias of a row. If an earlier row has the same alias, returns the name of that row. */
  claimAlias({ custom, domain }: RowParams, name: string): string | undefined {
    if (custom === undefined) return undefined
    const address = `${domain ? getHost(domain) : ''}/${custom}`
    const first = this.#rowByAlias.get(address)
    if (first === undefined) this.#rowByAlias.set(address, name)
    return first
  }
}

/** Returns the name of a row for errors: its number in the file, or else its position. */
export const getRowName = (row: unknown, number: number): string =>
  `row ${isRecord(row) && typeof row.row === 'number' ? row.row : number}`

function filterEntries(row: object, isIncluded: (name: string, value: unknown) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => isIncluded(name, value)))
}

/** Groups items by key. */
export function groupBy<T>(items: readonly T[], getKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = getKey(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** The parameters, besides the address, that lists of links show too. */
export const comparedNames = ['title', 'description', 'campaign', 'channel'] as const

/** The values of a row that are compared with its link. `null` and `''` mean that the link must have no value. */
type ComparedValues = { readonly [Name in (typeof comparedNames)[number]]?: unknown }

/** Returns the parameters of rows that the list of links does not show, so they cannot be compared. */
export function findUnlistedNames(rows: readonly object[], links: readonly Link[]): string[] {
  const isOlderServer = links.length > 0 && !links.some(hasGroupFields)
  const shown = ['url', 'custom', 'domain', ...comparedNames.slice(0, isOlderServer ? 2 : 4)]
  const given = new Set(rows.flatMap((row) => Object.keys(row)))
  return [...given].filter((name) => !shown.includes(name))
}

/** Returns whether a link shows its campaign and channels. Older servers show neither. */
const hasGroupFields = ({ campaign, channel }: Link) => campaign !== null || channel !== null

/** Returns the parameters of a row that have a different value in the list. */
export function findDifferences(row: ComparedValues, link: Link): string[] {
  return comparedNames.filter((name) => row[name] !== undefined && isShown(name, link) && !isSameValue(name, row, link))
}

/** Returns the parameters of a row that its link lacks or does not show: all of them if the link is not known. */
export function findUnsetNames(row: LinkCreate, link: Link | undefined): string[] {
  const { url: _, custom: __, domain: ___, ...rest } = row
  const isSet = (name: string, value: unknown) => {
    if (!link) return false
    if (isCompared(name)) return isShown(name, link) && isSameValue(name, row, link)
    return isEqual(value, (link as unknown as Record<string, unknown>)[name])
  }
  return Object.entries(rest).flatMap(([name, value]) => (isSet(name, value) ? [] : [name]))
}

const isCompared = (name: string): name is keyof ComparedValues => comparedNames.some((compared) => compared === name)

function isShown(name: keyof ComparedValues, link: Link): boolean {
  if (name === 'campaign') return hasGroupFields(link)
  return name !== 'channel' || link.channel !== null
}

function isSameValue(name: keyof ComparedValues, row: ComparedValues, link: Link): boolean {
  const wanted = row[name] ?? ''
  if (name === 'channel' && wanted !== '') return link.channel!.includes(Number(wanted))
  return decodeEntities(link[name] ?? '') === decodeEntities(wanted)
}

const isEqual = (a: unknown, b: unknown): boolean =>
  typeof a === 'object' ? JSON.stringify(a) === JSON.stringify(b) : b !== undefined && String(a) === String(b)

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#039': "'", '#39': "'" }

/** Decodes the HTML entities that some servers store in titles: `Tea &amp; cake`. */
export const decodeEntities = (value: unknown): string =>
  String(value).replace(/&(amp|lt|gt|quot|#0?39);/g, (_, name) => entities[name]!)
