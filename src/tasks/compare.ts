import type { Link } from '../resources/links/link.ts'
import type { LinkCreate } from '../resources/links/params.ts'

/** What rows may say and lists show of a link, besides its address. */
const comparedNames = ['title', 'description', 'campaign', 'channel'] as const

/** What rows say and a list of links does not show, so that nobody can tell whether it is so. */
export function namesNotShown(rows: readonly LinkCreate[], links: readonly Link[]): string[] {
  const isOlder = links.length > 0 && !links.some(showsPlaces)
  const shown = ['url', 'custom', 'domain', ...comparedNames.slice(0, isOlder ? 2 : 4)]
  const said = new Set(rows.flatMap((row) => Object.keys(row)))
  return [...said].filter((name) => !shown.includes(name))
}

/** Whether the list shows campaigns and channels, which older servers do not. */
const showsPlaces = ({ campaign, channel }: Link) => campaign !== null || channel !== null

/** The names of what a row says of a link, and a list shows otherwise. Older servers show no campaign and no channels. */
export function differences(params: LinkCreate, link: Link): string[] {
  const { title, description, campaign, channel } = link
  const shown = { title, description, ...(showsPlaces(link) && { campaign }), ...(channel && { channel }) }
  const isAsSaid = (name: (typeof comparedNames)[number]) => {
    const said = params[name]
    if (said === undefined || !(name in shown)) return true
    return name === 'channel' ? channel!.includes(Number(said)) : plainText(link[name]) === plainText(said)
  }
  return comparedNames.filter((name) => !isAsSaid(name))
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#039': "'", '#39': "'" }

/** A text without the entities that some servers write into titles: `Tea &amp; cake`. */
const plainText = (value: unknown): string =>
  String(value).replace(/&(amp|lt|gt|quot|#0?39);/g, (_, name) => entities[name]!)

/** Whether another row says the same, so that both can have one link. */
export function saysTheSame(params: LinkCreate, other: LinkCreate): boolean {
  return comparedNames.every((name) => params[name] === undefined || String(params[name]) === String(other[name]))
}
