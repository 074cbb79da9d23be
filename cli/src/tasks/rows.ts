import { type Checks, checkParams, isUrlObject } from '../../../src/client/checks/checks.ts'
import { formatValue, mismatch } from '../../../src/client/checks/mismatch.ts'
import { InvalidRequestError } from '../../../src/client/errors.ts'
import type { Link } from '../../../src/client/resources/links/link.ts'
import { hostOf } from '../../../src/client/resources/links/match.ts'
import { type LinkCreate, linkCreate } from '../../../src/client/resources/links/params.ts'
import type { Id } from '../../../src/client/resources/resource.ts'
import { isRecord } from '../../../src/client/runtime/text.ts'

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

/** A row as it was read. */
export interface ReadRow<Row> {
  readonly row: Row
  /** Everything that the row says, its own columns too, without empty values and what only the server sets. */
  readonly values: Readonly<Record<string, unknown>>
  /** The parameters of its link. */
  readonly params: RowParams | undefined
  /** The parameters that are there, and empty. */
  readonly emptied: readonly string[]
  /** The error of an invalid row. Without it, there are parameters. */
  readonly problem: InvalidRequestError | undefined
}

/** The parameters of a row, whose address is a text. */
export type RowParams = LinkCreate & { readonly url: string }

/** The columns of lists, reports and results of an import that are no parameters of a link. */
const notParams: ReadonlySet<string> = new Set(
  'id shorturl clicks uniqueclicks uniqueClicks newClicks isNew date changed ok created outcome error replayed differs action was line row'.split(
    ' ',
  ),
)

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

/** Reads rows and checks their parameters. An alias that an earlier row has is a problem of the later one. */
export async function* readRows<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  checks: Checks = linkCreate,
): AsyncGenerator<ReadRow<Row>> {
  const rowOfAlias = new Map<string, string>()
  let number = 0
  for await (const row of rows) {
    number++
    if (!isRecord(row)) {
      const problem = new InvalidRequestError([{ path: [], message: mismatch('an object with a url', row) }])
      yield { row, values: {}, params: undefined, emptied: [], problem }
      continue
    }
    const { longurl, alias, channel, ...rest } = row as Record<string, unknown>
    const given = pick(rest, (_, value) => !isEmpty(value))
    const { url } = given as { url?: unknown }
    const asText = isUrlObject(url) ? { url: url.href } : {}
    const all = {
      url: longurl,
      custom: alias,
      ...given,
      ...asText,
      channel: Array.isArray(channel) ? channel[0] : channel,
    }
    const values = pick(all, (name, value) => !isEmpty(value) && !notParams.has(name))
    const params = pick(values, (name) => Object.hasOwn(linkCreate, name)) as unknown as RowParams
    // A misspelled name is found among all values, which include columns of the row's own.
    const issues = [...checkParams(values, checks)]
    const { custom, domain } = params
    if (issues.length === 0 && custom !== undefined) {
      const short = `${domain ? hostOf(domain) : ''}/${custom}`
      const first = rowOfAlias.get(short)
      if (first) issues.push({ path: ['custom'], message: `${formatValue(custom)} is the alias of ${first} already` })
      else rowOfAlias.set(short, rowName(row, number))
    }
    const isEmptied = (name: string, value: unknown) =>
      value === null || value === '' || (name === 'channel' && `${value}` === '')
    const emptied = Object.keys(pick(row, isEmptied))
    yield { row, values, params, emptied, problem: issues.length ? new InvalidRequestError(issues) : undefined }
  }
}

/** A row as errors name it: by its number in a file if it has one. */
export const rowName = (row: unknown, number: number): string =>
  `row ${isRecord(row) && typeof row.row === 'number' ? row.row : number}`

function pick(row: object, keeps: (name: string, value: unknown) => boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => keeps(name, value)))
}

/** Items by a name of theirs. */
export function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const name = nameOf(item)
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

/** The parameters that rows have and a list of links does not show, so they cannot be compared. */
export function namesNotShown(rows: readonly object[], links: readonly Link[]): string[] {
  const isOlder = links.length > 0 && !links.some(showsGroups)
  const shown = ['url', 'custom', 'domain', ...comparedNames.slice(0, isOlder ? 2 : 4)]
  const said = new Set(rows.flatMap((row) => Object.keys(row)))
  return [...said].filter((name) => !shown.includes(name))
}

/** Older servers show no campaigns and channels. */
const showsGroups = ({ campaign, channel }: Link) => campaign !== null || channel !== null

/** The parameters of a row for which a list shows another value. */
export function differences(row: Compared, link: Link): string[] {
  return comparedNames.filter((name) => row[name] !== undefined && isShown(name, link) && !isAsSaid(name, row, link))
}

/** True if a row says nothing that contradicts a link or another row, so it can have that link. */
export function contradictsNothing(row: LinkCreate, other: Link | LinkCreate): boolean {
  if ('id' in other) return differences(row, other as Link).length === 0
  return comparedNames.every((name) => row[name] === undefined || isEqual(row[name], other[name]))
}

/** The parameters of a row that its link does not have, or not visibly. `undefined`: a link that nobody has seen. */
export function namesNotSet(row: LinkCreate, other: Link | LinkCreate | undefined): string[] {
  const { url: _, custom: __, domain: ___, ...rest } = row
  const isSet = (name: string, value: unknown) => {
    if (!other) return false
    if ('id' in other && isCompared(name)) return isShown(name, other as Link) && isAsSaid(name, row, other as Link)
    return isEqual(value, (other as unknown as Record<string, unknown>)[name])
  }
  return Object.entries(rest).flatMap(([name, value]) => (isSet(name, value) ? [] : [name]))
}

const isCompared = (name: string): name is keyof Compared => comparedNames.some((compared) => compared === name)

function isShown(name: keyof Compared, link: Link): boolean {
  if (name === 'campaign') return showsGroups(link)
  return name !== 'channel' || link.channel !== null
}

function isAsSaid(name: keyof Compared, row: Compared, link: Link): boolean {
  const said = row[name] ?? ''
  if (name === 'channel' && said !== '') return link.channel!.includes(Number(said))
  return plainText(link[name] ?? '') === plainText(said)
}

const isEqual = (one: unknown, other: unknown): boolean =>
  typeof one === 'object'
    ? JSON.stringify(one) === JSON.stringify(other)
    : other !== undefined && String(one) === String(other)

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#039': "'", '#39': "'" }

/** A text without the entities that some servers write into titles: `Tea &amp; cake`. */
const plainText = (value: unknown): string =>
  String(value).replace(/&(amp|lt|gt|quot|#0?39);/g, (_, name) => entities[name]!)
