import { canParseUrl } from '../../runtime/environment.ts'

/** The alias of a wanted link, and its domain if one is named. */
export interface WantedLink {
  readonly alias: string
  readonly domain?: string | undefined
}

/** The fields that tell the alias of a link. */
interface ShortAddress {
  readonly alias: string | null
  readonly shorturl: string
}

// Ranges rather than \p{…}, which older React Native engines lack.
const MARKS = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/g
const SIGNS = /[\0-/:-@[-`{-\xBF\xD7\xF7\u2000-\u206F]/g

const withoutCaseAndAccents = (alias: string) => alias.toLowerCase().normalize('NFD').replace(MARKS, '')

/**
 * The letters and digits of an alias without case and accents, which servers keep however they spell it: `Sale_May` and
 * `sale-may` have the same. An alias of signs alone is its own.
 */
export function lettersOf(alias: string): string {
  return withoutCaseAndAccents(alias).replace(SIGNS, '') || alias
}

/** An alias as servers spell it that make slugs: `sale-may` of `Sale_May`. */
export function slugOf(alias: string): string {
  const words = withoutCaseAndAccents(alias).split(/[\s_-]+/)
  return words
    .map((word) => word.replace(SIGNS, ''))
    .filter(Boolean)
    .join('-')
}

/**
 * True if a server may have spelled an alias so: as a slug, without its signs, or with hyphens in place of them.
 * Servers move no sign: `2026-1-11` is not `2026-11-1`.
 */
function isSpellingOf(own: string, alias: string): boolean {
  const words = (text: string) => withoutCaseAndAccents(text).split(SIGNS).filter(Boolean).join('-')
  const isJoined = lettersOf(own) === withoutCaseAndAccents(own)
  return (
    lettersOf(own) === lettersOf(alias) && (isJoined || slugOf(own) === slugOf(alias) || words(own) === words(alias))
  )
}

/** The alias of a link. A server that leaves it out says it in the short address, which has it after the domain. */
export function aliasOf({ alias, shorturl }: ShortAddress): string | null {
  return typeof alias === 'string' ? alias : aliasIn(shorturl)
}

/** The alias in a short address: all of its path. `null` if there is none. */
export function aliasIn(shorturl: string): string | null {
  const { pathname = '' } = parsed(shorturl) ?? {}
  return decoded(pathname.replace(/^\/|\/$/g, '')) || null
}

/** The link that a short address or an alias stands for. */
export function wantedBy(addressOrAlias: string): WantedLink {
  const url = addressOrAlias.includes('/') ? parsed(addressOrAlias) : undefined
  const alias = url && aliasIn(addressOrAlias)
  return alias ? { alias, domain: url.host } : { alias: addressOrAlias }
}

/** True if a link has an alias, as servers spell it, on the domain if one is named. */
export function isWanted(link: ShortAddress, { alias, domain }: WantedLink): boolean {
  if (domain && !isOnDomain(link, domain)) return false
  // In a short address, the alias may come after the folder of the platform.
  const own = aliasOf(link)
  return (own !== null && isSpellingOf(own, alias)) || aliasIn(link.shorturl) === alias
}

/** True if a link has exactly this alias. Another spelling may be another link. */
export function isSameSpelling(link: ShortAddress, alias: string): boolean {
  return aliasOf(link) === alias || aliasIn(link.shorturl) === alias
}

/**
 * The link that is wanted: in its own spelling, else as a slug, else in another one. A server that has several
 * spellings of an alias tells them apart, so none of them is the one.
 */
export function pickLink<Row extends ShortAddress>(links: readonly Row[], wanted: WantedLink): Row | undefined {
  const same = links.filter((link) => isWanted(link, wanted))
  const exact = same.find((link) => isSameSpelling(link, wanted.alias))
  const wantedSlug = slugOf(wanted.alias)
  const [slug, ...otherSlugs] = same.filter((link) => slugOf(aliasOf(link) ?? '') === wantedSlug)
  const isSlug = slug && aliasOf(slug) === wantedSlug && otherSlugs.length === 0
  const isOnly = new Set(same.map(aliasOf)).size === 1
  return exact ?? (isSlug ? slug : isOnly ? same[0] : undefined)
}

/** The links that are wanted: one of each domain, or that of the domain which is named. */
export function pickLinks<Row extends ShortAddress>(links: readonly Row[], wanted: WantedLink): Row[] {
  const hosts = new Set(links.map(({ shorturl }) => hostOf(shorturl)))
  return [...hosts].flatMap((host) => {
    const own = links.filter(({ shorturl }) => hostOf(shorturl) === host)
    return pickLink(own, wanted) ?? []
  })
}

/** True if the short address of a new link has the alias that was sent, in the server's spelling. */
export function hasAlias(shorturl: string, alias: string): boolean {
  const made = aliasIn(shorturl) ?? ''
  // A platform in a folder has that in front of the alias.
  return [made, made.slice(made.lastIndexOf('/') + 1)].some((own) => lettersOf(own) === lettersOf(alias))
}

/** True if a link is on a domain, which may be given without its scheme. */
export function isOnDomain({ shorturl }: Pick<ShortAddress, 'shorturl'>, domain: string): boolean {
  return hostOf(shorturl) === hostOf(domain)
}

/** The host of a domain or an address, in one spelling. */
export function hostOf(domain: string): string {
  return parsed(domain)?.host ?? domain
}

/** The domain of an address, with its scheme. */
export function originOf(address: string): string {
  return parsed(address)?.origin ?? address
}

/** An address in one spelling: `https://Shop.example` is `https://shop.example/`. */
export const normalized = (url: string): string =>
  typeof url === 'string' && canParseUrl(url) ? new URL(url).href : url

/** True if two URLs are equal after normalization. */
export const isSameAddress = (one: string, other: string): boolean => normalized(one) === normalized(other)

/** The text to ask for: the alias, or its whole address if the domain is known. */
export function shortOf({ alias, domain }: WantedLink): string {
  return domain ? `${domain.replace(/\/$/, '')}/${encodeURIComponent(alias)}` : alias
}

/** The last alias that `onTaken: 'suffix'` tries ends with this number. */
const LAST_SUFFIX = 10

/** The aliases that may be tried, in order: the one that was wanted, and with `onTaken: 'suffix'` its variations. */
export function candidates(alias: string, onTaken: 'suffix' | undefined): string[] {
  if (onTaken === undefined) return [alias]
  return [alias, ...Array.from({ length: LAST_SUFFIX - 1 }, (_, index) => `${alias}-${index + 2}`)]
}

// With `validation: 'report'`, a server's value may be anything.
function parsed(address: unknown): URL | undefined {
  if (typeof address !== 'string') return undefined
  const url = /^https?:\/\//i.test(address) ? address : `https://${address}`
  return canParseUrl(url) ? new URL(url) : undefined
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
