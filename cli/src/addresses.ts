/** What short addresses and aliases say. */
import { isSameAddress, isSameAlias } from 'shortlink-sdk'

/** The fields that show the alias of a link. */
interface ShortAddress {
  readonly alias: string | null
  readonly shorturl: string
}

/** A domain may be given without its scheme. */
function parseAddress(address: string): URL | undefined {
  try {
    return new URL(/^https?:\/\//i.test(address) ? address : `https://${address}`)
  } catch {
    return undefined
  }
}

/** Returns the host of a domain or an address, with its port. */
export const getHost = (address: string): string => parseAddress(address)?.host ?? address

/** Returns the domain of an address, with its scheme. */
export const getOrigin = (address: string): string => parseAddress(address)?.origin ?? address

/** Returns an address in one spelling: `https://Shop.example` is `https://shop.example/`. */
export function normalizeUrl(url: string): string {
  try {
    return new URL(url).href
  } catch {
    return url
  }
}

/** Returns whether a link is on a domain. */
export const isOnDomain = ({ shorturl }: { readonly shorturl: string }, domain: string): boolean =>
  getHost(shorturl) === getHost(domain)

/** Returns the alias in a short address: all of its path. `null` if there is none. */
export function parseAlias(shorturl: string): string | null {
  const path = (parseAddress(shorturl)?.pathname ?? '').replace(/^\/|\/$/g, '')
  try {
    return decodeURIComponent(path) || null
  } catch {
    return path || null
  }
}

/** Returns the alias of a link, or of its short address if the server leaves the alias out. */
export const getAlias = ({ alias, shorturl }: ShortAddress): string | null =>
  typeof alias === 'string' ? alias : parseAlias(shorturl)

/** Returns whether a link has exactly this alias. Another spelling may be another link. */
export const hasExactAlias = (link: ShortAddress, alias: string): boolean =>
  getAlias(link) === alias || parseAlias(link.shorturl) === alias

/** Returns whether a short address has an alias, in the server's spelling. */
export function hasAlias(shorturl: string, alias: string): boolean {
  const made = parseAlias(shorturl) ?? ''
  // A platform in a folder has that in front of the alias.
  return [made, made.slice(made.lastIndexOf('/') + 1)].some((own) => isSameAlias(own, alias))
}

const MARKS = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/g
const SIGNS = /[\0-/:-@[-`{-\xBF\xD7\xF7\u2000-\u206F]/g

/** Returns the letters and digits of an alias, to group by: aliases that are the same have the same. */
export const normalizeAlias = (alias: string): string =>
  alias.toLowerCase().normalize('NFD').replace(MARKS, '').replace(SIGNS, '') || alias

/**
 * Returns the link with an alias: in its own spelling, otherwise the only one that is spelled differently. A server
 * that has several spellings of an alias tells them apart, so none of them is the one.
 */
export function pickLink<Row extends ShortAddress>(links: readonly Row[], alias: string): Row | undefined {
  const same = links.filter((link) => isSameAlias(getAlias(link) ?? '', alias) || parseAlias(link.shorturl) === alias)
  const exact = same.find((link) => hasExactAlias(link, alias))
  return exact ?? (new Set(same.map(getAlias)).size === 1 ? same[0] : undefined)
}

/**
 * Returns whether a stored address is a wanted one, of which servers may leave out the last slash of the path.
 *
 * @param isJustSent Whether this program has just sent the address: then its fragment may be missing too.
 */
export function isSameTarget(longurl: string, wanted: string, isJustSent = false): boolean {
  const spellings = isJustSent ? [wanted, wanted.replace(/#.*/s, '')] : [wanted]
  return spellings
    .flatMap((url) => [url, url.replace(/^([^?#]*)\/(?=[?#]|$)/, '$1')])
    .some((url) => isSameAddress(longurl, url))
}

/** A beginning of an address that is shorter than this is another address. */
const MIN_PREFIX_LENGTH = 60

/**
 * Returns whether a stored address is what some servers make of a wanted one: its lower case, or its beginning. May be
 * another address all the same.
 */
export const isCutOrLowerCase = (longurl: string, wanted: string): boolean =>
  isLowerCaseOf(longurl, wanted) || isPrefixOf(longurl, wanted)

/** Returns whether a stored address is the lower case of a wanted one. */
export const isLowerCaseOf = (longurl: string, wanted: string): boolean =>
  !isSameTarget(longurl, wanted) && isSameTarget(longurl, wanted.toLowerCase())

/** Returns whether a stored address is the beginning of a wanted one, as the server spells it. */
export function isPrefixOf(longurl: string, wanted: string): boolean {
  // The end may be half of an entity.
  const beginning = longurl.replaceAll('&amp;', '&').replace(/&[a-z]*$/, '')
  const spellings = [wanted, normalizeUrl(wanted)].flatMap((url) => [url, url.toLowerCase()])
  return longurl.length >= MIN_PREFIX_LENGTH && spellings.some((url) => url.startsWith(beginning))
}
