import { distance } from 'fastest-levenshtein'

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is an error, of any realm. */
export function hasMessage(value: unknown): value is Error {
  return typeof (value as Partial<Error> | null | undefined)?.message === 'string'
}

/** Returns the message of a thrown value of any type. */
export function getReason(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  return hasMessage(thrown) ? thrown.message : describeType(thrown)
}

/** Cuts a text to at most `maxLength` characters and an ellipsis. Redact it first: half a secret is not recognized. */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** Control characters, format characters and lone surrogates. Not `\p{C}`, because some engines do not support it. */
const unprintable =
  /[\0-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udc7f]/g

/** Puts a text on one line, without characters that control a terminal or reverse the direction of writing. */
export function toPrintable(text: string): string {
  return text.replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ').replace(unprintable, '\ufffd')
}

/** Returns the type of a value, without the value itself. */
export function describeType(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'a list'
  const name = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value
  const shown = name === 'Object' ? 'object' : name
  return `${/^[aeio]/i.test(shown) ? 'an' : 'a'} ${shown}`
}

/** Formats a value for a message: itself if it is plain, otherwise its type. A string stands in double quotes. */
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

/** Returns the known name that a misspelled one was meant to be: in another style, or with one letter wrong. */
export function findSimilarName(name: string, known: readonly string[]): string | undefined {
  const plain = normalizeName(name)
  const isNear = (other: string) => {
    const isNumbered = plain.replace(/\D/g, '') !== other.replace(/\D/g, '')
    const isShort = Math.min(plain.length, other.length) < 3
    return !isNumbered && !isShort && (distance(plain, other) <= 1 || hasSameLetters(plain, other))
  }
  return (
    known.find((candidate) => normalizeName(candidate) === plain) ??
    known.find((candidate) => isNear(normalizeName(candidate)))
  )
}

/** Returns whether two names have the same letters in another order, as `lmiit` and `limit`. */
const hasSameLetters = (one: string, other: string) => [...one].sort().join('') === [...other].sort().join('')

/** A name without its style: `is_public` is `public`, `redirectRoot` is `redirectroot`. */
const normalizeName = (name: string): string =>
  name
    .slice(0, 40)
    .replace(/^is(?=[A-Z_-])/, '')
    .replace(/[_-]/g, '')
    .toLowerCase()

/** Calls an observer, if there is one. Nothing that it throws or rejects with reaches the caller. */
export function notify<Event>(observer: ((event: Event) => unknown) | undefined = () => {}, event: Event): void {
  const call = async () => observer(event)
  call().catch(() => {})
}

/**
 * Zero-width characters, direction marks, and a no-break space at an end. Some scripts and emoji need a joiner between
 * two characters.
 */
const hidden =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF]|(?<![^\0-\x7F])[\u200C\u200D]|[\u200C\u200D](?![^\0-\x7F])|^\xA0|\xA0$/

/** Describes what a paste has brought into an address or alias: an invisible character, or a second address. */
export function describeHiddenText(text: string): string | undefined {
  const positionAt = (at: number) => [...text.slice(0, at)].length + 1
  const at = text.search(hidden)
  if (at !== -1) {
    const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')
    return `has the invisible character U+${code} at position ${positionAt(at)}`
  }
  const [path = ''] = text.split(/[?#]/, 1)
  const second = Math.max(text.search(/\shttps?:\/\//i), path.search(/[,;|]https?:\/\//i))
  return second === -1 ? undefined : `has two addresses, the second from position ${positionAt(second + 1)} on`
}
