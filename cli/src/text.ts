import { distance } from 'fastest-levenshtein'

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is an error, including one of another realm. */
export function hasMessage(value: unknown): value is Error {
  return typeof (value as Partial<Error> | null | undefined)?.message === 'string'
}

/** Returns the message of a thrown value, which may have any type. */
export function getReason(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  return hasMessage(thrown) ? thrown.message : describeType(thrown)
}

/** Cuts a text to `maxLength` characters and an ellipsis. Redact it first, because a cut secret is not recognized. */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** Control characters, format characters and lone surrogates. Not `\p{C}`, because some engines do not support it. */
const unprintable =
  /[\0-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu

/** Puts a text on one line and replaces characters that control a terminal or change the text direction. */
export function toPrintable(text: string): string {
  return text.replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ').replace(unprintable, '\ufffd')
}

/** Describes the type of a value: `a list`, `an object`. */
export function describeType(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'a list'
  const name = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value
  const shown = name === 'Object' ? 'object' : name
  return `${/^[aeio]/i.test(shown) ? 'an' : 'a'} ${shown}`
}

/**
 * Formats a value for a message: strings in double quotes, numbers and booleans as they are, anything else as its type.
 */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : describeType(value)
}

/** Describes an invalid value: `expected an integer, received a boolean`. */
export function describeMismatch(
  expected: string,
  value: unknown,
  describe: (value: unknown) => string = describeType,
): string {
  return value === undefined ? `is missing, expected ${expected}` : `expected ${expected}, received ${describe(value)}`
}

/** Describes issues in one line: `name: expected a string, received a number; tag: is missing`. */
export function describeIssues(issues: readonly { path: readonly (string | number)[]; message: string }[]): string {
  const lines = issues.slice(0, 5).map(({ path, message }) => {
    const at = shorten(path.join('.'), 100)
    return at ? `${at}: ${message}` : message
  })
  return issues.length > 5 ? `${lines.join('; ')}; and ${issues.length - 5} more` : lines.join('; ')
}

/**
 * Finds the known name closest to a misspelled one: in another style, with one wrong letter, or with letters swapped.
 */
export function findSimilarName(name: string, known: readonly string[]): string | undefined {
  const plain = normalizeName(name)
  const isSimilar = (other: string) => {
    const hasOtherDigits = plain.replace(/\D/g, '') !== other.replace(/\D/g, '')
    const isShort = Math.min(plain.length, other.length) < 3
    return !hasOtherDigits && !isShort && (distance(plain, other) <= 1 || hasSameLetters(plain, other))
  }
  return (
    known.find((candidate) => normalizeName(candidate) === plain) ??
    known.find((candidate) => isSimilar(normalizeName(candidate)))
  )
}

/** Returns whether two names have the same letters in any order, such as `lmiit` and `limit`. */
const hasSameLetters = (a: string, b: string) => [...a].sort().join('') === [...b].sort().join('')

/** Removes the style of a name: `is_public` becomes `public`, `redirectRoot` becomes `redirectroot`. */
const normalizeName = (name: string): string =>
  name
    .slice(0, 40)
    .replace(/^is(?=[A-Z_-])/, '')
    .replace(/[_-]/g, '')
    .toLowerCase()

/** Calls an observer, if there is one, and ignores its errors and rejections. */
export function notify<Event>(observer: ((event: Event) => unknown) | undefined = () => {}, event: Event): void {
  const call = async () => observer(event)
  call().catch(() => {})
}

/** Zero-width characters, direction marks, and a no-break space at either end. */
const hidden = /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]|^\xA0|\xA0$/

/** A joiner between two characters beyond ASCII, which some scripts and emoji need. */
const joiner = /([^\0-\x7F])[\u200C\u200D](?=[^\0-\x7F])/g

/** Describes what was pasted into an address or alias by mistake: an invisible character, or a second address. */
export function describeHiddenText(text: string): string | undefined {
  const positionAt = (at: number) => [...text.slice(0, at)].length + 1
  const at = text.replace(joiner, '$1-').search(hidden)
  if (at !== -1) {
    const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')
    return `has the invisible character U+${code} at position ${positionAt(at)}`
  }
  const [path = ''] = text.split(/[?#]/, 1)
  const second = Math.max(text.search(/\shttps?:\/\//i), path.search(/[,;|]https?:\/\//i))
  return second === -1 ? undefined : `has two addresses, the second from position ${positionAt(second + 1)} on`
}
