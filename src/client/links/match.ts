/** Compares aliases and addresses, which servers may store in another spelling. */
import { canParseUrl } from '../runtime/environment.ts'
import { parseAlias, parseShort } from '../runtime/short-address.ts'

/** The alias of a wanted link, and its domain if the caller gave one. */
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
const PUNCTUATION = /[\0-/:-@[-`{-\xBF\xD7\xF7\u2000-\u206F]+/g

const removeCaseAndAccents = (alias: string) => alias.toLowerCase().normalize('NFD').replace(MARKS, '')

/** Joins the words between the punctuation of an alias. An alias without words is returned unchanged. */
const joinWords = (alias: string, separator: string) =>
  removeCaseAndAccents(alias).split(PUNCTUATION).filter(Boolean).join(separator) || alias

/** Returns the slug that some servers make of an alias, such as `sale-may` for `Sale_May`. */
export function toSlug(alias: string): string {
  const words = removeCaseAndAccents(alias).split(/[\s_-]+/)
  return words
    .map((word) => word.replace(PUNCTUATION, ''))
    .filter(Boolean)
    .join('-')
}

/**
 * Returns whether two aliases are the same, apart from the spelling of servers: a slug, without punctuation, or with
 * other punctuation. Case and accents make no difference, but punctuation that has moved does: `2026-1-11` is not
 * `2026-11-1`.
 */
export function isSameAlias(a: string, b: string): boolean {
  const letters = joinWords(a, '')
  if (letters !== joinWords(b, '')) return false
  const isJoined = [a, b].some((alias) => removeCaseAndAccents(alias) === letters)
  return isJoined || toSlug(a) === toSlug(b) || joinWords(a, '-') === joinWords(b, '-')
}

/** Returns the alias of a link, read from its short address if the server omits the alias. */
export const getAlias = ({ alias, shorturl }: ShortAddress): string | null =>
  typeof alias === 'string' ? alias : parseAlias(shorturl)

/** Parses a user's input: a short address or an alias. */
export function parseWanted(addressOrAlias: string): WantedLink {
  const url = addressOrAlias.includes('/') ? parseShort(addressOrAlias) : undefined
  const alias = url && parseAlias(addressOrAlias)
  return alias ? { alias, domain: url.host } : { alias: addressOrAlias }
}

/** Returns whether a link has the wanted alias, in any spelling of servers, on the wanted domain if there is one. */
export function isWanted(link: ShortAddress, { alias, domain }: WantedLink): boolean {
  if (domain && !isOnDomain(link, domain)) return false
  // In a short address, the alias may follow the folder of the platform.
  const own = getAlias(link)
  return (own !== null && isSameAlias(own, alias)) || parseAlias(link.shorturl) === alias
}

/** Returns whether a link has exactly this alias. A different spelling may be a different link. */
export function hasExactAlias(link: ShortAddress, alias: string): boolean {
  // Servers may compose accents, which changes no character.
  return [getAlias(link), parseAlias(link.shorturl)].some((own) => own?.normalize() === alias.normalize())
}

/**
 * Returns the link with the exact alias, else with its slug, else with another spelling. If links have several other
 * spellings, the server tells them apart, so none of them is the wanted one.
 */
export function pickLink<Row extends ShortAddress>(links: readonly Row[], wanted: WantedLink): Row | undefined {
  const same = links.filter((link) => isWanted(link, wanted))
  const exact = same.find((link) => hasExactAlias(link, wanted.alias))
  const wantedSlug = toSlug(wanted.alias)
  const [slug, ...otherSlugs] = same.filter((link) => toSlug(getAlias(link) ?? '') === wantedSlug)
  const isSlug = slug && getAlias(slug) === wantedSlug && otherSlugs.length === 0
  const isOnly = new Set(same.map(getAlias)).size === 1
  return exact ?? (isSlug ? slug : isOnly ? same[0] : undefined)
}

/** Returns the wanted links: one per domain, or only the one on the wanted domain. */
export function pickLinks<Row extends ShortAddress>(links: readonly Row[], wanted: WantedLink): Row[] {
  const byHost = new Map<string, Row[]>()
  for (const link of links) {
    const host = getHost(link.shorturl)
    const own = byHost.get(host)
    if (own) own.push(link)
    else byHost.set(host, [link])
  }
  return [...byHost.values()].flatMap((own) => pickLink(own, wanted) ?? [])
}

/** Returns whether the short address of a new link has the alias that was sent, in any spelling of servers. */
export function hasAlias(shorturl: string, alias: string): boolean {
  const made = parseAlias(shorturl) ?? ''
  // If the platform is in a folder, the folder precedes the alias.
  return [made, made.slice(made.lastIndexOf('/') + 1)].some((own) => isSameAlias(own, alias))
}

/** Returns whether a link is on a domain, given with or without a scheme. */
export function isOnDomain({ shorturl }: Pick<ShortAddress, 'shorturl'>, domain: string): boolean {
  return getHost(shorturl) === getHost(domain)
}

/** Returns the host of a domain or an address. */
export function getHost(domain: string): string {
  return parseShort(domain)?.host ?? domain
}

/** Returns the scheme and host of an address. */
export function getOrigin(address: string): string {
  return parseShort(address)?.origin ?? address
}

/** Returns a short address in the form that servers store, without a trailing slash. */
export function formatAddress(address: string): string {
  const { origin, host, pathname } = parseShort(address)!
  return (/^https?:/i.test(address) ? origin : host) + pathname.replace(/\/+$/, '')
}

/** Returns the text to look up: the alias, or the whole short address if the domain is known. */
export function formatShort({ alias, domain }: WantedLink): string {
  return domain ? `${domain.replace(/\/$/, '')}/${encodeURIComponent(alias)}` : alias
}

const entities: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>' }

/**
 * Returns whether two addresses are the same, apart from the spelling in which servers store them.
 *
 * These make no difference: the case of scheme and host, the default port, punycode, Unicode's composed form, HTML
 * entities, a `rel="nofollow" ` that some servers insert, and percent-encoding of spaces, unreserved characters and
 * characters beyond ASCII. These make a difference: `http` and `https`, `%2F` and `/`, the case of a path, and its
 * trailing slash.
 */
export function isSameAddress(a: string, b: string): boolean {
  return normalizeAddress(a) === normalizeAddress(b)
}

function normalizeAddress(address: string): string {
  const plain = address
    .replace(/&(?:#0?39|(amp|quot|lt|gt));/g, (_, name) => entities[name] ?? "'")
    .replaceAll('rel="nofollow" ', '')
  const href = canParseUrl(plain) ? new URL(plain).href : plain
  // Decodes each ASCII byte separately, and other bytes together, because several make one character.
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
 * Returns whether a link leads to a wanted address, which servers may store without its trailing slash.
 *
 * @param isOwn Whether the link was just created with this address: then its fragment may be missing too. Default:
 *   `false`.
 */
export function isSameTarget(longurl: string | null, wanted: string, isOwn = false): boolean {
  if (longurl === null) return false
  const withoutHash = wanted.replace(/#.*/s, '')
  const spellings = isOwn ? [wanted, withoutHash] : [wanted]
  return spellings
    .flatMap((url) => [url, url.replace(/^([^?#]*)\/(?=[?#]|$)/, '$1')])
    .some((url) => isSameAddress(url, longurl))
}
