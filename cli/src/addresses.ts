/** Parses and compares addresses, short addresses and aliases. */
import { isSameAddress, isSameAlias } from 'shortlink-sdk'

interface ShortLink {
  readonly alias: string | null
  readonly shorturl: string
}

/** Parses an address, or a domain without a scheme. */
function parseAddress(address: string): URL | undefined {
  try {
    return new URL(/^https?:\/\//i.test(address) ? address : `https://${address}`)
  } catch {
    return undefined
  }
}

/** Returns the host of an address or a domain, with its port. */
export const getHost = (address: string): string => parseAddress(address)?.host ?? address

/** Returns the scheme and host of an address. */
export const getOrigin = (address: string): string => parseAddress(address)?.origin ?? address

/** Normalizes an address: `https://Shop.example` becomes `https://shop.example/`. */
export function normalizeUrl(url: string): string {
  try {
    return new URL(url).href
  } catch {
    return url
  }
}

export const isOnDomain = ({ shorturl }: { readonly shorturl: string }, domain: string): boolean =>
  getHost(shorturl) === getHost(domain)

/** Returns the path of a short address as its alias; `null` if the path is empty. */
export function parseAlias(shorturl: string): string | null {
  const path = (parseAddress(shorturl)?.pathname ?? '').replace(/^\/|\/$/g, '')
  try {
    return decodeURIComponent(path) || null
  } catch {
    return path || null
  }
}

/** Returns the alias of a link. It is parsed from the short address if the server omits the field. */
export const getAlias = ({ alias, shorturl }: ShortLink): string | null =>
  typeof alias === 'string' ? alias : parseAlias(shorturl)

/** Returns whether a link has an alias in exactly this spelling. Another spelling may be another link. */
export const hasExactAlias = (link: ShortLink, alias: string): boolean =>
  getAlias(link) === alias || parseAlias(link.shorturl) === alias

/** Returns whether a short address has an alias, which the server may spell differently. */
export function hasAlias(shorturl: string, alias: string): boolean {
  const path = parseAlias(shorturl) ?? ''
  // If the platform is installed in a folder, the path begins with the folder.
  return [path, path.slice(path.lastIndexOf('/') + 1)].some((candidate) => isSameAlias(candidate, alias))
}

/** Returns whether a short address has exactly this alias, which may follow the folder of the platform. */
export function hasSentAlias(shorturl: string, alias: string): boolean {
  const path = parseAlias(shorturl) ?? ''
  return path === alias || path.endsWith(`/${alias}`)
}

const ALIAS_LETTERS = 'bcdfghjkmnpqrstvwxyz'
const ALIAS_CHARACTERS = `${ALIAS_LETTERS}23456789`
const generatedAlias = new RegExp(`^[${ALIAS_LETTERS}][${ALIAS_CHARACTERS}]{6}$`)

/** Generates an alias of seven letters and digits. It begins with a letter and has no vowels, so it spells no word. */
export function generateAlias(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(7))
  return Array.from(numbers, (number, index) => {
    const characters = index === 0 ? ALIAS_LETTERS : ALIAS_CHARACTERS
    return characters[number % characters.length]
  }).join('')
}

/** Returns whether `generateAlias` can have generated an alias. */
export const isGeneratedAlias = (alias: unknown): boolean => typeof alias === 'string' && generatedAlias.test(alias)

const MARKS = /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]/g
const PUNCTUATION = /[\0-/:-@[-`{-\xBF\xD7\xF7\u2000-\u206F]/g

/** Reduces an alias to its letters and digits. Aliases that `isSameAlias` considers equal have equal results. */
export const normalizeAlias = (alias: string): string =>
  alias.toLowerCase().normalize('NFD').replace(MARKS, '').replace(PUNCTUATION, '') || alias

/**
 * Returns the link that has an alias in exactly this spelling, or else in another spelling. If several links have other
 * spellings, the server treats these as different aliases, so no link is returned.
 */
export function pickLink<Row extends ShortLink>(links: readonly Row[], alias: string): Row | undefined {
  const candidates = links.filter(
    (link) => isSameAlias(getAlias(link) ?? '', alias) || parseAlias(link.shorturl) === alias,
  )
  const exact = candidates.find((link) => hasExactAlias(link, alias))
  return exact ?? (new Set(candidates.map(getAlias)).size === 1 ? candidates[0] : undefined)
}

/**
 * Returns whether a stored address is the wanted one. Servers may omit the trailing slash of its path.
 *
 * @param isJustSent Whether this program has just sent the address. If so, the server may also have dropped its
 *   fragment.
 */
export function isSameTarget(longurl: string, wanted: string, isJustSent = false): boolean {
  const spellings = isJustSent ? [wanted, wanted.replace(/#.*/s, '')] : [wanted]
  return spellings
    .flatMap((url) => [url, url.replace(/^([^?#]*)\/(?=[?#]|$)/, '$1')])
    .some((url) => isSameAddress(longurl, url))
}

/** A stored address shorter than this does not count as a cut one: it may be a different page. */
const MIN_PREFIX_LENGTH = 60

/**
 * Returns whether a stored address is the wanted one in lower case or cut, as some servers store it. It may still be a
 * different address.
 */
export const isCutOrLowerCase = (longurl: string, wanted: string): boolean =>
  isLowerCaseOf(longurl, wanted) || isPrefixOf(longurl, wanted)

/** Returns whether a stored address is the wanted one in lower case. */
export const isLowerCaseOf = (longurl: string, wanted: string): boolean =>
  !isSameTarget(longurl, wanted) && isSameTarget(longurl, wanted.toLowerCase())

/** Returns whether a stored address is a long enough prefix of the wanted one. */
export function isPrefixOf(longurl: string, wanted: string): boolean {
  // The cut may be inside an HTML entity.
  const prefix = longurl.replaceAll('&amp;', '&').replace(/&[a-z]*$/, '')
  const spellings = [wanted, normalizeUrl(wanted)].flatMap((url) => [url, url.toLowerCase()])
  return longurl.length >= MIN_PREFIX_LENGTH && spellings.some((url) => url.startsWith(prefix))
}
