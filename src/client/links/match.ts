/** Compares aliases, short addresses and the addresses that links lead to, as servers spell them. */
import { parseAlias, parseShort } from '../resources/links.ts'
import { canParseUrl } from '../runtime/environment.ts'

/** The alias of a wanted link, and its domain if one is named. */
export interface WantedLink {
  readonly alias: string
  readonly domain?: string | undefined
}

/** The fields that show the alias of a link. */
interface ShortAddress {
  readonly alias: string | null
  readonly shorturl: string
}

// Ranges rather than \p{…}, which older React Native engines lack.
const MARKS = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/g
const SIGNS = /[\0-/:-@[-`{-\xBF\xD7\xF7\u2000-\u206F]+/g

const withoutCaseAndAccents = (alias: string) => alias.toLowerCase().normalize('NFD').replace(MARKS, '')

/** Returns the words of an alias between its signs, joined: an alias of signs alone is its own. */
const wordsOf = (alias: string, sign: string) =>
  withoutCaseAndAccents(alias).split(SIGNS).filter(Boolean).join(sign) || alias

/** Returns an alias as servers spell it that make slugs: `sale-may` of `Sale_May`. */
export function slugOf(alias: string): string {
  const words = withoutCaseAndAccents(alias).split(/[\s_-]+/)
  return words
    .map((word) => word.replace(SIGNS, ''))
    .filter(Boolean)
    .join('-')
}

/**
 * Returns whether two aliases are the same as servers spell them: as a slug, without their signs, or with other signs.
 * The letters and digits agree without case and accents, and no sign has moved: `2026-1-11` is not `2026-11-1`.
 *
 * @example
 * import { isSameAlias } from 'shortlink-sdk'
 * console.log(isSameAlias('Sale_May', 'sale-may'), isSameAlias('p-11', 'p-1-1'))
 */
export function isSameAlias(a: string, b: string): boolean {
  const letters = wordsOf(a, '')
  if (letters !== wordsOf(b, '')) return false
  const isJoined = [a, b].some((alias) => withoutCaseAndAccents(alias) === letters)
  return isJoined || slugOf(a) === slugOf(b) || wordsOf(a, '-') === wordsOf(b, '-')
}

/** Returns the alias of a link, or of its short address if the server leaves the alias out. */
const aliasOf = ({ alias, shorturl }: ShortAddress): string | null =>
  typeof alias === 'string' ? alias : parseAlias(shorturl)

/** Parses what a user looks for: a short address, or an alias. */
export function parseWanted(addressOrAlias: string): WantedLink {
  const url = addressOrAlias.includes('/') ? parseShort(addressOrAlias) : undefined
  const alias = url && parseAlias(addressOrAlias)
  return alias ? { alias, domain: url.host } : { alias: addressOrAlias }
}

/** Returns whether a link has an alias, as servers spell it, on the domain if one is named. */
export function isWanted(link: ShortAddress, { alias, domain }: WantedLink): boolean {
  if (domain && !isOnDomain(link, domain)) return false
  // In a short address, the alias may come after the folder of the platform.
  const own = aliasOf(link)
  return (own !== null && isSameAlias(own, alias)) || parseAlias(link.shorturl) === alias
}

/** Returns whether a link has exactly this alias. Another spelling may be another link. */
export function isSameSpelling(link: ShortAddress, alias: string): boolean {
  return aliasOf(link) === alias || parseAlias(link.shorturl) === alias
}

/**
 * Returns the wanted link: in its own spelling, otherwise as a slug, otherwise in another spelling. A server that has
 * several spellings of an alias tells them apart, so none of them is the one.
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

/** Returns the wanted links: one of each domain, or the one on the domain that is named. */
export function pickLinks<Row extends ShortAddress>(links: readonly Row[], wanted: WantedLink): Row[] {
  const hosts = new Set(links.map(({ shorturl }) => hostOf(shorturl)))
  return [...hosts].flatMap((host) => {
    const own = links.filter(({ shorturl }) => hostOf(shorturl) === host)
    return pickLink(own, wanted) ?? []
  })
}

/** Returns whether the short address of a new link has the alias that was sent, in the server's spelling. */
export function hasAlias(shorturl: string, alias: string): boolean {
  const made = parseAlias(shorturl) ?? ''
  // A platform in a folder has that in front of the alias.
  return [made, made.slice(made.lastIndexOf('/') + 1)].some((own) => isSameAlias(own, alias))
}

/** Returns whether a link is on a domain, which may be given without its scheme. */
export function isOnDomain({ shorturl }: Pick<ShortAddress, 'shorturl'>, domain: string): boolean {
  return hostOf(shorturl) === hostOf(domain)
}

/** Returns the host of a domain or an address. */
export function hostOf(domain: string): string {
  return parseShort(domain)?.host ?? domain
}

/** Returns the domain of an address, with its scheme. */
export function originOf(address: string): string {
  return parseShort(address)?.origin ?? address
}

/** Returns the text to look for: the alias, or its whole address if the domain is known. */
export function shortOf({ alias, domain }: WantedLink): string {
  return domain ? `${domain.replace(/\/$/, '')}/${encodeURIComponent(alias)}` : alias
}

const entities: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>' }

/**
 * Returns whether two addresses are the same although servers store them in a spelling of their own: the case of scheme
 * and host, the default port, punycode, percent-encoding of unreserved characters, spaces and characters beyond ASCII,
 * Unicode's composed form, HTML entities, and a `rel="nofollow" ` that some servers insert make no difference. `http`
 * and `https`, `%2F` and `/`, the case of a path and its last slash do.
 *
 * @example
 * import { isSameAddress } from 'shortlink-sdk'
 * console.log(isSameAddress('https://Shop.example/?a=1&b=2', 'https://shop.example/?a=1&amp;b=2'))
 */
export function isSameAddress(a: string, b: string): boolean {
  return normalizeAddress(a) === normalizeAddress(b)
}

function normalizeAddress(address: string): string {
  const plain = address
    .replace(/&(?:#0?39|(amp|quot|lt|gt));/g, (_, name) => entities[name] ?? "'")
    .replaceAll('rel="nofollow" ', '')
  const href = canParseUrl(plain) ? new URL(plain).href : plain
  // Each byte of ASCII on its own, and bytes beyond it together, because several make one character.
  return href
    .replaceAll(' ', '%20')
    .replace(/(?:%[89A-F][\dA-F])+|%[0-7][\dA-F]/gi, decodeUnreserved)
    .normalize('NFC')
}

function decodeUnreserved(escaped: string): string {
  try {
    const text = decodeURIComponent(escaped)
    return /^[\w.~-]$|^[^\0-\x7F]+$/.test(text) ? text : escaped.toUpperCase()
  } catch {
    return escaped.toUpperCase()
  }
}

/**
 * Returns whether a link leads to a wanted address, which servers may store without its last slash.
 *
 * @param isOwn Whether the link was just created with this address: then its fragment may be missing too.
 */
export function leadsTo(longurl: string | null, wanted: string, isOwn: boolean): boolean {
  if (longurl === null) return false
  const withoutHash = wanted.replace(/#.*/s, '')
  const spellings = isOwn ? [wanted, withoutHash] : [wanted]
  return spellings
    .flatMap((url) => [url, url.replace(/^([^?#]*)\/(?=[?#]|$)/, '$1')])
    .some((url) => isSameAddress(url, longurl))
}
