import type { Link } from '../client/resources/links/link.ts'
import type { LinkCreate } from '../client/resources/links/params.ts'

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
