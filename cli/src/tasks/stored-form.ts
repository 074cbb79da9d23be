/** The forms in which some servers store the addresses and texts that they are sent. */
import { isSameAddress } from '../../../src/client/links/match.ts'
import { isPrefixOf, MIN_PREFIX_LENGTH } from '../addresses.ts'
import { decodeEntities } from './rows.ts'

type Change = (text: string) => string

const toLowerCase: Change = (text) => text.toLowerCase()

const addressChanges: readonly Change[] = [
  (url) => url.replace(/#.*/s, ''),
  (url) => url.replace(/^([^?#]*)\/(?=[?#]|$)/, '$1'),
  toLowerCase,
]

// Ranges rather than \p{…}, which older React Native engines lack.
const EMOJI = /(?:[\u{10000}-\u{10FFFF}]|[\u2600-\u27BF]|[\u2B00-\u2BFF]|\u200D|\uFE0F)+/gu

const textChanges: readonly Change[] = [
  (text) => text.replace(/<[^>]*>/g, ''),
  (text) => text.replace(EMOJI, ''),
  (text) => text.trim(),
  (text) => text.replace(/\s+/g, ' '),
  toLowerCase,
]

/** Returns a text with every selection of changes, applied in their order. */
function applySelections(text: string, changes: readonly Change[]): Set<string> {
  const forms = new Set([text])
  for (const change of changes) for (const form of [...forms]) forms.add(change(form))
  return forms
}

/**
 * Returns whether a stored value is the wanted one in a form in which some servers store it: cut, in lower case, without
 * its last slash, fragment, tags or emoji, or with other entities. It may still be a different value.
 */
export function isStoredForm(name: string, stored: string, wanted: string): boolean {
  // Some servers take the title of the page if they are sent none.
  if (name === 'title' && wanted === '') return true
  const plain = decodeAll(stored)
  const isForm = (form: string) =>
    name === 'url' ? isSameAddress(plain, form) || isPrefixOf(plain, form) : isTextForm(plain, form)
  const changes = name === 'url' ? addressChanges : textChanges
  return [...applySelections(wanted, changes)].some((form) => isForm(decodeAll(form)))
}

/** Decodes entities that were encoded several times, such as `&amp;amp;`. */
function decodeAll(text: string): string {
  const decoded = decodeEntities(text)
  return decoded === text ? text : decodeAll(decoded)
}

function isTextForm(stored: string, form: string): boolean {
  if (stored === form) return true
  // The cut may be inside an entity.
  if (stored.length >= MIN_PREFIX_LENGTH && form.startsWith(stored.replace(/&#?\w*$/, ''))) return true
  const parts = form.split(EMOJI)
  if (parts.length === 1) return false
  // Some databases store a question mark for each byte of an emoji, and others end the text before it.
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\?+')
  return stored === parts[0]!.trimEnd() || stored === parts[0] || new RegExp(`^${pattern}$`).test(stored)
}
