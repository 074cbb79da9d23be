/** Generates aliases, and compares addresses and aliases in the forms in which servers store them. */
import { isSameTarget } from '../../src/client/links/match.ts'
import { parseAlias } from '../../src/client/runtime/short-address.ts'

/** Normalizes an address: `https://Shop.example` becomes `https://shop.example/`. */
export function normalizeUrl(url: string): string {
  try {
    return new URL(url).href
  } catch {
    return url
  }
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

/** A stored address or text shorter than this does not count as a cut one: it may be a different page. */
export const MIN_PREFIX_LENGTH = 60

/**
 * Returns whether a stored address is the wanted one in lower case or cut, as some servers store it. It may still be a
 * different address.
 */
export const isCutOrLowerCase = (longurl: string, wanted: string): boolean =>
  isLowerCaseOf(longurl, wanted) || isPrefixOf(longurl, wanted)

/** Returns whether a stored address is the wanted one in lower case. */
const isLowerCaseOf = (longurl: string, wanted: string): boolean =>
  !isSameTarget(longurl, wanted) && isSameTarget(longurl, wanted.toLowerCase())

/** Returns whether a stored address is a long enough prefix of the wanted one. */
export function isPrefixOf(longurl: string, wanted: string): boolean {
  // The cut may be inside an HTML entity.
  const prefix = longurl.replaceAll('&amp;', '&').replace(/&[a-z]*$/, '')
  const plain = wanted.replaceAll('&amp;', '&')
  const spellings = [plain, normalizeUrl(plain)].flatMap((url) => [url, url.toLowerCase()])
  return longurl.length >= MIN_PREFIX_LENGTH && spellings.some((url) => url.startsWith(prefix))
}
