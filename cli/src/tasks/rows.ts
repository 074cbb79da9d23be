import type { Id, Issue, Link, LinkCreate, RequestOptions } from 'shortlink-sdk'
import { getHost, parseAlias } from '../addresses.ts'
import { describeMismatch, formatValue, isRecord } from '../text.ts'
import type { TaskClient } from './client.ts'

/**
 * A link as it goes in: the parameters of `links.create`, or a row that `list`, `report` or `import` has written.
 * `longurl` and `alias` are taken for `url` and `custom`. Empty values, what only the server sets, and other properties
 * are not sent.
 */
export type LinkRow = { readonly [Name in keyof Omit<LinkCreate, 'channel'>]?: LinkCreate[Name] | null } & {
  readonly longurl?: string | null | undefined
  readonly alias?: string | null | undefined
  /** Of a list, as rows of `links.list` have it, the first. */
  readonly channel?: Id | readonly Id[] | null | undefined
}

/** A row as it was read. Its parameters are not checked. */
export interface ReadRow<Row> {
  readonly row: Row
  /** Everything that the row says, its own columns too, without empty values and what only the server sets. */
  readonly values: Readonly<Record<string, unknown>>
  /** The parameters of its link; `undefined` if the row is not an object. */
  readonly params: RowParams | undefined
  /** The names of the parameters that are there and empty. */
  readonly emptyNames: readonly string[]
}

/** The parameters of a row, whose address is a text. */
export type RowParams = LinkCreate & { readonly url: string }

/** The parameters of a link. The compiler requires each name. */
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

/** Returns whether a column is a parameter of a link. */
export const isParameter = (name: string): boolean => Object.hasOwn(parameters, name)

/** The options of a call, which are plain columns of a row here. The compiler requires each name. */
const callOptions: Readonly<Record<keyof RequestOptions, true>> = {
  signal: true,
  timeout: true,
  deadline: true,
  retry: true,
  priority: true,
  headers: true,
  fetchOptions: true,
  beforeRequest: true,
}

/** The columns of lists, reports and results of an import that are no parameters of a link. */
const ignoredColumns: ReadonlySet<string> = new Set(
  'id shorturl clicks uniqueclicks uniqueClicks newClicks isNew date changed ok created outcome error replayed differs action was line row'.split(
    ' ',
  ),
)

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

/** Returns whether a value is a `URL`, of any realm. */
const isUrlObject = (value: unknown): value is URL => Object.prototype.toString.call(value) === '[object URL]'

/** Reads rows, one after another. */
export async function* readRows<Row>(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<ReadRow<Row>> {
  for await (const row of rows) yield readRow(row)
}

/** Reads what a row says of its link. */
export function readRow<Row>(row: Row): ReadRow<Row> {
  if (!isRecord(row)) return { row, values: {}, params: undefined, emptyNames: [] }
  const { longurl, alias, channel, ...rest } = row as Record<string, unknown>
  const given = filterEntries(rest, (_, value) => !isEmpty(value))
  const { url } = given
  const asText = isUrlObject(url) ? { url: url.href } : {}
  const all = {
    url: longurl,
    custom: restoreAlias(alias, rest.shorturl),
    ...given,
    ...asText,
    channel: Array.isArray(channel) ? channel[0] : channel,
  }
  const values = filterEntries(all, (name, value) => !isEmpty(value) && !ignoredColumns.has(name))
  const params = filterEntries(values, isParameter) as unknown as RowParams
  const isCleared = (name: string, value: unknown) =>
    value === null || value === '' || (name === 'channel' && `${value}` === '')
  return { row, values, params, emptyNames: Object.keys(filterEntries(row, isCleared)) }
}

/** Returns the alias of a row. A number has lost the zeros of `007`, which a short address shows. */
const restoreAlias = (alias: unknown, shorturl: unknown): unknown =>
  typeof alias === 'number' && typeof shorturl === 'string' ? (parseAlias(shorturl) ?? alias) : alias

/** Finds the problems of rows, one after another. */
export class RowChecks {
  readonly #client: TaskClient
  readonly #rowByAlias = new Map<string, string>()

  constructor(client: TaskClient) {
    this.#client = client
  }

  /** Returns the problems of a row: with its parameters, and with an alias that an earlier row has. */
  check({ row, values, params }: Pick<ReadRow<unknown>, 'row' | 'values' | 'params'>, name: string): Issue[] {
    if (!params) return [{ path: [], message: describeMismatch('an object with a url', row) }]
    // A misspelled name is found among all values, which include columns of the row's own.
    const checked = filterEntries(values, (name) => !Object.hasOwn(callOptions, name)) as unknown as LinkCreate
    const issues = [...this.#client.links.check(checked)]
    const first = issues.length === 0 ? this.claimAlias(params, name) : undefined
    const message = `${formatValue(params.custom)} is already the alias of ${first}`
    return first === undefined ? issues : [{ path: ['custom'], message }]
  }

  /** Gives a row its alias. Returns the name of the earlier row that has it, if there is one. */
  claimAlias({ custom, domain }: RowParams, name: string): string | undefined {
    if (custom === undefined) return undefined
    const short = `${domain ? getHost(domain) : ''}/${custom}`
    const first = this.#rowByAlias.get(short)
    if (first === undefined) this.#rowByAlias.set(short, name)
    return first
  }
}

/** Returns the name of a row in errors: its number in the file if it has one. */
export const getRowName = (row: unknown, number: number): string =>
  `row ${isRecord(row) && typeof row.row === 'number' ? row.row : number}`

function filterEntries(row: object, isIncluded: (name: string, value: unknown) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => isIncluded(name, value)))
}

/** Groups items by name. */
export function groupBy<T>(items: readonly T[], getKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const name = getKey(item)
    const group = groups.get(name)
    if (group) group.push(item)
    else groups.set(name, [item])
  }
  return groups
}

/** The parameters that both rows and lists have, besides the address. */
export const comparedNames = ['title', 'description', 'campaign', 'channel'] as const

/** Values of a row that are compared with a link. `null` and `''` mean none. */
type Compared = { readonly [Name in (typeof comparedNames)[number]]?: unknown }

/** Returns the parameters that rows have and a list of links does not show, so they cannot be compared. */
export function findUnlistedNames(rows: readonly object[], links: readonly Link[]): string[] {
  const isOlder = links.length > 0 && !links.some(hasGroups)
  const shown = ['url', 'custom', 'domain', ...comparedNames.slice(0, isOlder ? 2 : 4)]
  const given = new Set(rows.flatMap((row) => Object.keys(row)))
  return [...given].filter((name) => !shown.includes(name))
}

/** Older servers show no campaigns and channels. */
const hasGroups = ({ campaign, channel }: Link) => campaign !== null || channel !== null

/** Returns the parameters of a row for which a list shows another value. */
export function findDifferences(row: Compared, link: Link): string[] {
  return comparedNames.filter((name) => row[name] !== undefined && isShown(name, link) && !isSameValue(name, row, link))
}

/** Returns the parameters of a row that its link lacks, or does not show. `undefined`: a link that nobody has seen. */
export function findUnsetNames(row: LinkCreate, link: Link | undefined): string[] {
  const { url: _, custom: __, domain: ___, ...rest } = row
  const isSet = (name: string, value: unknown) => {
    if (!link) return false
    if (isCompared(name)) return isShown(name, link) && isSameValue(name, row, link)
    return isEqual(value, (link as unknown as Record<string, unknown>)[name])
  }
  return Object.entries(rest).flatMap(([name, value]) => (isSet(name, value) ? [] : [name]))
}

const isCompared = (name: string): name is keyof Compared => comparedNames.some((compared) => compared === name)

function isShown(name: keyof Compared, link: Link): boolean {
  if (name === 'campaign') return hasGroups(link)
  return name !== 'channel' || link.channel !== null
}

function isSameValue(name: keyof Compared, row: Compared, link: Link): boolean {
  const wanted = row[name] ?? ''
  if (name === 'channel' && wanted !== '') return link.channel!.includes(Number(wanted))
  return decodeEntities(link[name] ?? '') === decodeEntities(wanted)
}

const isEqual = (one: unknown, other: unknown): boolean =>
  typeof one === 'object'
    ? JSON.stringify(one) === JSON.stringify(other)
    : other !== undefined && String(one) === String(other)

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#039': "'", '#39': "'" }

/** Returns a text without the entities that some servers write into titles: `Tea &amp; cake`. */
export const decodeEntities = (value: unknown): string =>
  String(value).replace(/&(amp|lt|gt|quot|#0?39);/g, (_, name) => entities[name]!)
